"""What a sensitivity analysis found: the answer, and what becomes of it with one thing changed at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .._answer import Answer, ColumnData, SummaryTable
from .._check import FloatArray
from .._numbers import format_chance, format_size
from ..answers.required import RequiredSize
from .variants import Kind

__all__ = ["Sensitivity", "SensitivityRow"]

_ROUGH = 0.05  # of an interval's width: an error of its ends that is worth a word


@dataclass(frozen=True, eq=False)
class SensitivityRow:
    """The answer with one thing changed.

    Attributes
    ----------
    name : str
        What is changed; "unchanged" for the model's own answer.
    kind : str
        "prior" (a prior, or the whole method), "curve" (its shape), "limit" (the best possible score), "data" (a part
        of it is left out), "question" (what is forecast), "seed" (of the integration), or "none".
    mean, lower, upper : arrays of shape (Q,)
        Forecast at the sizes: expected score and the ends of its interval. Empty if there is none.
    required : RequiredSize or None
        What the target takes, where there is a target.
    prob_target : float
        Probability that the size `Sensitivity.compared_at` reaches the target; NaN without a target.
    effect : float
        How far the answer is moved: with a target the change of `prob_target`, without one that of the expected score
        at `Sensitivity.compared_at`. NaN if there is no answer.
    error : str or None
        Why there is no answer.
    end_error : float
        Standard error of the interval's ends relative to its width, as `APExGP.end_error_`; NaN if it is not known.
    """

    name: str
    kind: Kind
    mean: FloatArray = field(default_factory=lambda: np.empty(0))
    lower: FloatArray = field(default_factory=lambda: np.empty(0))
    upper: FloatArray = field(default_factory=lambda: np.empty(0))
    required: RequiredSize | None = None
    prob_target: float = math.nan
    effect: float = math.nan
    error: str | None = None
    end_error: float = math.nan

    @property
    def compared(self) -> float:
        """The number that rows are compared by: the probability of the target, or without one the expected score."""
        return float(self.mean[-1]) if math.isnan(self.prob_target) else self.prob_target

    @property
    def takes(self) -> str:
        """The size that the target takes, as it is written."""
        found = self.required
        if found is None:
            return "-"
        if found.already_met:
            return "met already"
        return "none" if math.isinf(found.size) else found.in_words(found.size)


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Answer):
    """How much of an answer is due to the assumptions, and how much to each part of the data.

    Attributes
    ----------
    unchanged : SensitivityRow
        The model's own answer.
    rows : tuple of SensitivityRow
        The answer with one thing changed at a time, largest change first; changes without an answer come last.
    sizes : array of shape (Q,)
        Training-set sizes that are forecast.
    level : float
        Probability of the intervals.
    target, confidence : float
        Score to reach, None if there is none, and the probability with which it should be.
    compared_at : float
        The size at which rows are compared: what the target takes under the unchanged model, or the pilot's largest
        where that suffices; the farthest size forecast where there is no target, or no size up to 50 times the pilot's
        largest that reaches it.
    metric, unit : str
        What is measured, and what a size counts.
    cautions : tuple of str
        Reasons to doubt the answer.
    """

    unchanged: SensitivityRow
    rows: tuple[SensitivityRow, ...]
    sizes: FloatArray
    level: float
    target: float | None
    confidence: float
    compared_at: float
    metric: str = "score"
    unit: str = "examples"
    cautions: tuple[str, ...] = ()

    @property
    def compared_size(self) -> str:
        """`compared_at` as it is written: what a target takes as it is written everywhere, rounded up."""
        required = self.unchanged.required
        if required is None or self.compared_at != required.size:
            return format_size(self.compared_at)
        return required.in_words(required.size)

    @property
    def answered(self) -> tuple[SensitivityRow, ...]:
        """The changes that have an answer, largest first."""
        return tuple(row for row in self.rows if row.error is None)

    @property
    def failed(self) -> tuple[SensitivityRow, ...]:
        """The changes that have none, each with its reason."""
        return tuple(row for row in self.rows if row.error is not None)

    @property
    def rough(self) -> tuple[SensitivityRow, ...]:
        """The changes whose posterior was hard to integrate: the ends of their intervals may be visibly off."""
        return tuple(row for row in self.answered if row.end_error > _ROUGH)

    @property
    def largest_effects(self) -> dict[str, float]:
        """The largest effect of each kind of change, up or down."""
        found: dict[str, float] = {}
        for row in self.answered:
            found[row.kind] = max(found.get(row.kind, 0.0), abs(row.effect))
        return found

    def _columns(self) -> ColumnData:
        every = [self.unchanged, *self.rows]
        columns: ColumnData = {"change": [row.name for row in every], "kind": [row.kind for row in every]}
        for i, size in enumerate(self.sizes.tolist()):
            for name in ("mean", "lower", "upper"):
                found = (getattr(row, name) for row in every)
                columns[f"{name}_{size:.10g}"] = [float(part[i]) if len(part) else math.nan for part in found]
        if self.target is not None:
            asked = [row.required for row in every]
            columns["required_size"] = [math.nan if one is None else one.size for one in asked]
            columns["prob_target"] = [row.prob_target for row in every]
            columns["prob_reachable"] = [math.nan if one is None else one.prob_reachable for one in asked]
        return columns | {"effect": [row.effect for row in every], "error": [row.error for row in every]}

    def shown(self) -> SummaryTable:
        """One row per change, the model's own answer above them."""
        at = sorted({0, len(self.sizes) // 2, len(self.sizes) - 1})
        header = ["change", *(f"at {format_size(self.sizes[i])}" for i in at)]
        header[-1] += f", {100 * self.level:g} % interval"
        if self.target is not None:
            header += [
                f"{self.unit} for {self.target:g}",
                f"{self.compared_size} reach it",
                "unlimited data",
            ]
        rows = [[row.name, *self._cells(row, at)] for row in (self.unchanged, *self.answered)]
        rows += [[row.name, *["-"] * (len(header) - 1)] for row in self.failed]
        notes = [f"{row.name}: {row.error}" for row in self.failed]
        notes += [
            f"{row.name}: the ends of the interval may be off by {format_chance(row.end_error)} of its width."
            for row in self.rough
        ]
        title = f"Sensitivity: expected {self.metric} with one thing changed at a time, largest change first"
        return SummaryTable(title, header, rows, self._all_notes(*notes), ("change",))

    def _cells(self, row: SensitivityRow, at: list[int]) -> list[str]:
        """The expected score at some of the sizes, with its interval at the last, and what a target takes."""
        cells = [f"{row.mean[i]:.3f}" for i in at]
        cells[-1] += f" ({row.lower[-1]:.3f} to {row.upper[-1]:.3f})"
        if row.required is None:
            return cells
        return [*cells, row.takes, format_chance(row.prob_target), row.required.at_best]
