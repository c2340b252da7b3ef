"""How often the intervals of one's own forecasts covered what was measured later."""

from __future__ import annotations

from dataclasses import dataclass

from .._check import check_text
from ..track_record.forecast_record import ForecastRecord
from ..track_record.reliability import Reliability

__all__ = ["ReliabilityAnswer", "ReliabilityQuestion"]


@dataclass(frozen=True, kw_only=True)
class ReliabilityQuestion:
    """Which curves of a record are asked about: those of a metric, of a task, or all."""

    metric: str | None = None
    task: str | None = None

    def __post_init__(self) -> None:
        for name in ("metric", "task"):
            if getattr(self, name) is not None:
                check_text(name, getattr(self, name))

    def answer(self, record: ForecastRecord) -> ReliabilityAnswer:
        """What the record says so far."""
        return ReliabilityAnswer(self, record, record.reliability(metric=self.metric, task=self.task))


@dataclass(frozen=True, eq=False)
class ReliabilityAnswer:
    """How often intervals covered, and the record that says so."""

    question: ReliabilityQuestion
    record: ForecastRecord
    found: Reliability
