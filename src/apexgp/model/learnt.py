"""The record of priors that were learnt from a user's own curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._answer import Answer, ColumnData, SummaryTable
from .._check import check_mapping, check_positive, check_real_number, check_text, check_whole_number
from ..errors import RequestError

__all__ = ["FIGURE_LABELS", "Learnt"]

FIGURE_LABELS = {
    "crps": "CRPS",
    "log_score": "log score",
    "covers_80": "80 % coverage",
    "covers_95": "95 % coverage",
    "width_95": "95 % width",
}
"""Figures of left-out tasks, and their labels; the first two are better the lower they are."""


@dataclass(frozen=True, repr=False)
class Learnt(Answer):
    """The record of learnt priors: their curves, the numbers that moved, and how well tasks left out are forecast.

    Attributes
    ----------
    curves, tasks, pilots : int
        How many whole curves there were, of how many tasks, and how many pilots were cut from them.
    metric, unit : str
        Metric and unit of the curves.
    pull : float
        How many curves the priors that the search started from count for.
    related : float
        Which share of the moves was kept, from 0 to 1, by how far they help with tasks that are left out.
    seed : int
        Seed of the integration.
    moved : dict
        Numbers that moved, before and after, by their names.
    left_out : dict
        Figures of tasks that were left out in turn: with the priors before, with those learnt without the task, and the
        standard error of the difference, clustered by task. Empty where there is one task: nothing can be left out.
    """

    curves: int
    tasks: int
    pilots: int
    metric: str
    unit: str
    pull: float
    related: float
    seed: int
    moved: dict[str, tuple[float, float]]
    left_out: dict[str, tuple[float, float, float]]

    cautions = ()

    def __post_init__(self) -> None:
        for name in ("curves", "tasks", "pilots"):
            check_whole_number(name, getattr(self, name), least=1)
        check_whole_number("seed", self.seed, least=0)
        for name in ("metric", "unit"):
            check_text(name, getattr(self, name))
        object.__setattr__(self, "pull", check_positive("pull", self.pull))
        if not 0 <= check_real_number("related", self.related) <= 1:
            raise RequestError(f"must be from 0 to 1, got {self.related!r}.", argument="related")
        object.__setattr__(self, "moved", _check_rows("moved", self.moved, 2))
        object.__setattr__(self, "left_out", _check_rows("left_out", self.left_out, 3))

    def _columns(self) -> ColumnData:
        before, after, error = ([row[i] for row in self.left_out.values()] for i in range(3))
        return {"figure": list(self.left_out), "before": before, "learnt": after, "error_of_change": error}

    def shown(self) -> SummaryTable:
        """Figures of left-out tasks, and the numbers that moved."""
        rows = [
            (FIGURE_LABELS.get(name, name), f"{before:.4g}", f"{after:.4g}", f"{after - before:+.2g} ± {error:.2g}")
            for name, (before, after, error) in self.left_out.items()
        ]
        moves = [f"{name}: {before:.3g} -> {after:.3g}" for name, (before, after) in self.moved.items()]
        title = f"Priors learnt from {self.curves} curves of {self.tasks} tasks; tasks left out in turn"
        return SummaryTable(title, ("figure", "before", "learnt", "change"), rows, moves, ("figure",))


def _check_rows(name: str, values: Any, count: int) -> dict[str, tuple[Any, ...]]:
    rows: Mapping[str, Sequence[float]] = check_mapping(name, values)
    found = {check_text(name, key): tuple(check_real_number(name, value) for value in row) for key, row in rows.items()}
    if any(len(row) != count for row in found.values()):
        raise RequestError(f"must hold {count} numbers in each row.", argument=name)
    return found
