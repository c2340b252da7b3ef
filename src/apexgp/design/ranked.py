"""The answer to what to measure next: designs, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._answer import Answer, ColumnData, Shown
from .._check import instance, positive
from .._numbers import at_least, chance, exactly
from .plans import Design

__all__ = ["PilotDesign", "RankedDesign", "at_hand", "frugal", "interval_words"]

_MOST_SHOWN = 8  # and the one that is cheap, and the one that needs no more data
_NEARLY = 1.1  # times the risk of the best design: as good, to a reader

Interval = tuple[float, float]


@dataclass(frozen=True)
class RankedDesign:
    """A design and what it is expected to tell.

    Attributes
    ----------
    design : Design
        What is measured.
    cost : float
        In the unit of the budget.
    risk : float
        Expected CRPS of the forecast after the design, averaged over the sizes that matter; where designs are ranked by
        the required size, the expected Brier score of "this size will do", averaged over sizes.
    widths : tuple of float
        Expected width of the 95 % interval at each of those sizes.
    prob_settled : float or None
        Probability that after the design the answer to "does the largest of those sizes reach the target?" is yes or
        no with the stated confidence.
    required : pair of float, or None
        Interval of the required size after the design, in a middling case: 10 to 90 %.
    grid_widths : tuple of float
        Expected widths at the sizes of `PilotDesign.grid`.
    confirmed : bool
        Whether risk and widths come from fits to drawn data; else, and all other figures always, from the best linear
        predictor, in closed form, and adjusted by what the fits changed where there were any.
    risk_error : float
        Monte-Carlo standard error of the risk, where it was confirmed, as if data sets had been drawn one by one: it is
        smaller, for they are spread evenly.
    """

    design: Design
    cost: float
    risk: float
    widths: tuple[float, ...]
    prob_settled: float | None
    required: Interval | None
    grid_widths: tuple[float, ...]
    confirmed: bool = False
    risk_error: float = 0.0

    @property
    def sizes(self) -> tuple[float, ...]:
        """Training-set sizes to measure at."""
        return self.design.sizes

    @property
    def n_splits(self) -> int:
        """How many splits to train at each."""
        return self.design.n_splits

    @property
    def continued(self) -> bool:
        """Whether these are the pilot's own splits, which go on at other sizes."""
        return self.design.continued

    @property
    def fits(self) -> int:
        """How many models are trained."""
        return self.design.fits


@dataclass(frozen=True, repr=False)
class PilotDesign(Answer):
    """What to measure next.

    Attributes
    ----------
    designs : tuple of RankedDesign
        Designs within the budget, the one of least risk first.
    budget : float
        What may be spent.
    unit : str
        What it is counted in: "fits", "hours", or "cost" in whatever unit the caller's costs are.
    at : tuple of float
        Training-set sizes at which the score matters.
    target, confidence : float
        The score to reach, or None; and the probability with which the question is settled.
    ranked_by : {"score", "required_size"}
        What the risk is about.
    available : float
        Most examples that can be trained on.
    pilot_sizes : tuple of float
        What has been measured.
    risk_now, widths_now, prob_now, required_now
        Risk, widths, probability that the largest of the sizes reaches the target, and interval of the required size,
        before anything more is measured.
    grid, grid_median, grid_interval
        Sizes from the end of the pilot on, and the forecast of the true score there as it is now: median and 95 %
        interval.
    cautions : tuple of str
        Reasons to doubt the answer.
    """

    designs: tuple[RankedDesign, ...]
    budget: float
    unit: str
    at: tuple[float, ...]
    target: float | None
    confidence: float
    ranked_by: str
    available: float
    pilot_sizes: tuple[float, ...]
    risk_now: float
    widths_now: tuple[float, ...]
    prob_now: float | None
    required_now: Interval | None
    grid: tuple[float, ...]
    grid_median: tuple[float, ...]
    grid_interval: tuple[tuple[float, ...], tuple[float, ...]]
    cautions: tuple[str, ...] = ()

    @property
    def best(self) -> RankedDesign:
        """The design of least risk."""
        return self.designs[0]

    @property
    def best_at_hand(self) -> RankedDesign | None:
        """The best of those that need no more examples than the pilot had."""
        return at_hand(self.designs, self.pilot_sizes)

    @property
    def frugal(self) -> RankedDesign:
        """The cheapest of those whose risk is at most a tenth above that of the best."""
        return frugal(self.designs)

    def best_within(self, cost: float) -> RankedDesign | None:
        """The best of those that cost no more."""
        most = positive("cost", cost) * (1 + 1e-9)
        return next((one for one in self.designs if one.cost <= most), None)

    def words(self, one: RankedDesign) -> str:
        """A design in a few words."""
        instance("one", one, RankedDesign, "one of the designs")
        sizes = ", ".join(map(exactly, one.sizes))
        if one.continued:
            return f"the pilot's splits at {sizes}"
        return f"{one.n_splits}{' new' if self.pilot_sizes else ''} split{'s' if one.n_splits > 1 else ''} at {sizes}"

    @property
    def nothing(self) -> str:
        """What stands for no further measurement, beside the designs."""
        return "nothing more" if self.pilot_sizes else "nothing yet"

    def _columns(self) -> ColumnData:
        columns: ColumnData = {
            "rank": list(range(1, len(self.designs) + 1)),
            "sizes": [list(one.sizes) for one in self.designs],
            "n_splits": [one.n_splits for one in self.designs],
            "continued": [one.continued for one in self.designs],
            "fits": [one.fits for one in self.designs],
            "cost": [one.cost for one in self.designs],
            "risk": [one.risk for one in self.designs],
            "risk_error": [one.risk_error for one in self.designs],
            "widths": [list(one.widths) for one in self.designs],
            "confirmed": [one.confirmed for one in self.designs],
        }
        if self.target is not None:
            columns["prob_settled"] = [one.prob_settled for one in self.designs]
            columns["required"] = [one.required for one in self.designs]
        return columns

    def shown(self) -> Shown:
        """One row a design, below what is known now."""
        far = max(range(len(self.at)), key=self.at.__getitem__)
        header = ["measure", "fits", *(["hours"] if self.unit == "hours" else ["cost"] if self.unit == "cost" else [])]
        header += ["expected error" if self.ranked_by == "score" else "Brier score"]
        header += [f"95 % width at {exactly(self.at[far])}"]
        now = [
            self.nothing,
            "0",
            *([] if self.unit == "fits" else ["0"]),
            f"{self.risk_now:.4f}",
        ]
        now.append(f"{self.widths_now[far]:.3f}")
        if self.target is not None:
            header += [f"{self.target:g} settled", "examples it takes"]
            now += ["yes" if self.settled_now else "no", interval_words(self.required_now)]
        rows = [now]
        worth = [*self.designs[:_MOST_SHOWN], self.frugal, self.best_at_hand]
        for one in (one for one in self.designs if one in worth):
            row = [self.words(one), str(one.fits), *([] if self.unit == "fits" else [f"{one.cost:.3g}"])]
            row += [f"{one.risk:.4f}", f"{one.widths[far]:.3f}"]
            if one.prob_settled is not None:
                row += [chance(one.prob_settled), interval_words(one.required)]
            rows.append(row)
        title = f"What to measure next, with {self.budget:,.10g} {self.unit}"
        return Shown(title, header, rows, self._all_notes(), words=("measure",))

    @property
    def settled_now(self) -> bool:
        """Whether it is known already, with the stated confidence, if the largest size reaches the target."""
        sure = max(self.confidence, 1 - self.confidence)
        return self.prob_now is not None and not 1 - sure < self.prob_now < sure


def at_hand(designs: Sequence[RankedDesign], pilot_sizes: Sequence[float]) -> RankedDesign | None:
    """The first design that needs no more examples than the pilot had."""
    if not len(pilot_sizes):
        return None
    return next((one for one in designs if one.sizes[-1] <= pilot_sizes[-1]), None)


def frugal(designs: Sequence[RankedDesign]) -> RankedDesign:
    """The cheapest design that is nearly as good as the first."""
    enough = _NEARLY * designs[0].risk
    return min((one for one in designs if one.risk <= enough), key=lambda one: (one.cost, one.risk))


def interval_words(interval: Interval | None) -> str:
    """An interval of sizes in a few words."""
    return "-" if interval is None else " to ".join(map(at_least, interval))
