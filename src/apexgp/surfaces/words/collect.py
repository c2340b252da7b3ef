"""A collection of measurements in words."""

from __future__ import annotations

import shlex
from pathlib import Path

from ...collect.curves import CurveSet
from ...reading.known_metrics import metric_name
from .phrases import as_typed

__all__ = ["curve_title", "stopped_sentence", "written_sentence"]


def curve_title(task: str | None, metric: str) -> str:
    """What a curve is of."""
    return f"{metric_name(metric)} of {task}" if task else metric_name(metric)


def written_sentence(curves: CurveSet, out: Path, record: Path) -> str:
    """Where everything is, and what to do next."""
    return f"The curve is in {out}, the fits are in {record}. Next: {_next_command(curves, out)}"


def _next_command(curves: CurveSet, out: Path) -> str:
    """The forecast of the first curve, as it would be typed."""
    task, name = next(iter(curves))
    words = ["apexgp", "forecast", as_typed(out)]
    words += ["--task", str(task)] if len({task for task, _ in curves}) > 1 else []
    words += ["--metric", name] if len({metric for _, metric in curves}) > 1 else []
    return shlex.join(words)


def stopped_sentence(record: Path) -> str:
    """What an interrupted run leaves behind."""
    return f"Stopped. The finished fits are in {record}; the same command resumes from there."
