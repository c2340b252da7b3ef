"""What a predictive check found: what a model would have measured, beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._answer import Answer, ColumnData, SummaryTable
from .._check import FloatArray
from .._numbers import format_chance, format_size

__all__ = ["FAILS_BELOW", "Discrepancy", "PredictiveCheck"]

FAILS_BELOW = 0.05
"""Tail probability below which a check fails."""

_FORMS = {"level": ".3f", "slope": "+.4f", "scatter": ".2f", "split effect": "+.2f"}


@dataclass(frozen=True)
class Discrepancy:
    """A summary statistic of a pilot: as measured, and as simulated from the model.

    Attributes
    ----------
    name : str
        "level" (mean score at the largest size), "slope" (change of the mean score from one size to its double),
        "scatter" (the largest spread of scores at one size over the usual spread; of a pilot with one score per size,
        their spread around a straight line over the logarithm of the size), or "split effect" (correlation of the
        luck that a split has at different sizes).
    measured : float
        What the pilot shows.
    expected, lower, upper : float
        Median, and the ends of the central 95 %, of the simulated values.
    prob_larger : float
        Share of the simulated values that are larger than the measured one.
    tail_probability : float
        How probable something as extreme is: twice the smaller of the two tails; for the scatter, of which too little
        is no fault, the upper tail alone, and for the split effect, of which too much is none, the lower.
    """

    name: str
    measured: float
    expected: float
    lower: float
    upper: float
    prob_larger: float
    tail_probability: float

    @property
    def fails(self) -> bool:
        """Whether the model hardly ever produces such a value."""
        return self.tail_probability < FAILS_BELOW

    @property
    def tail_words(self) -> str:
        """The tail probability as it is printed: that of a check that fails never as one that passes."""
        return format_chance(self.tail_probability, short_of=FAILS_BELOW)


@dataclass(frozen=True, eq=False, repr=False)
class PredictiveCheck(Answer):
    """Simulations from a fitted model at the pilot's sizes, compared with what was measured.

    Attributes
    ----------
    checks : tuple of Discrepancy
        Level, slope, scatter and split effect, as far as the pilot has them.
    absent : dict
        Why there is no check of the others, by their names.
    sizes, measured : arrays of shape (R,)
        The pilot's sizes, and the mean score at each.
    expected, lower, upper : arrays of shape (R,)
        Median, and the ends of the central 95 %, of the simulated mean scores.
    draws : int
        Number of simulated pilots.
    scatter_at : float or None
        The size at which scores scatter most; None where sizes have one score each.
    metric, unit, direction : str
        What was measured, what a size counts, and whether higher or lower is better.
    cautions : tuple of str
        What fails, and what that means.
    """

    checks: tuple[Discrepancy, ...]
    sizes: FloatArray
    measured: FloatArray
    expected: FloatArray
    lower: FloatArray
    upper: FloatArray
    draws: int
    absent: dict[str, str] = field(default_factory=dict)
    scatter_at: float | None = None
    metric: str = "score"
    unit: str = "examples"
    direction: str = "higher"

    @property
    def failed(self) -> tuple[Discrepancy, ...]:
        """The checks that fail."""
        return tuple(check for check in self.checks if check.fails)

    @property
    def cautions(self) -> tuple[str, ...]:  # type: ignore[override]
        """What fails, and what that means for a forecast."""
        return tuple(self._meaning(check) for check in self.failed)

    def _meaning(self, check: Discrepancy) -> str:
        larger = check.measured > check.expected
        better = larger == (self.direction == "higher")
        tail = f"(tail probability {check.tail_words})"
        if check.name == "level":
            bound = "ceiling" if self.direction == "higher" else "floor"
            return (
                f"The {self.metric} at the largest size is {'higher' if larger else 'lower'} than the fitted curve "
                f"{tail}. Forecasts start from the curve: check the scores at that size, and the {bound}."
            )
        if check.name == "slope":
            slope = (
                "improves faster with size than the fitted curve"
                if better
                else "does not improve with size as curves do"
            )
            return (
                f"The {self.metric} {slope} {tail}. Forecasts follow the curve and treat the rest as a departure that "
                "fades: trust them less, and check how the sizes were measured."
            )
        if check.name == "scatter" and self.scatter_at is None:
            return (
                f"The scores lie farther from a smooth curve than noise explains {tail}: measure several splits at "
                "each size."
            )
        if check.name == "scatter":
            return (
                f"The scores at size {format_size(self.scatter_at or 0)} scatter {check.measured:.1f} times as much as "
                f"usual in this pilot, more than noise explains {tail}. Look for a failed run there."
            )
        return (
            f"Splits that are lucky at some sizes are unlucky at others {tail}, which the model does not allow for: "
            "check that each label means the same split at every size."
        )

    def _columns(self) -> ColumnData:
        names = ("name", "measured", "expected", "lower", "upper", "prob_larger", "tail_probability", "fails")
        return {("check" if name == "name" else name): [getattr(one, name) for one in self.checks] for name in names}

    def shown(self) -> SummaryTable:
        """One row per check."""
        rows = []
        for one in self.checks:
            measured, expected, low, high = (
                f"{value:{_FORMS[one.name]}}" for value in (one.measured, one.expected, one.lower, one.upper)
            )
            verdict = "fails" if one.fails else "passes"
            rows.append((one.name, measured, expected, f"{low} to {high}", one.tail_words, verdict))
        title = f"Predictive check: the pilot compared with {self.draws:,} simulated from the fitted model"
        header = ("check", "measured", "expected", "95 % of simulations", "tail probability", "verdict")
        notes = [f"No check of the {name}: {why}" for name, why in self.absent.items()]
        return SummaryTable(title, header, rows, self._all_notes(*notes), ("check", "verdict"))
