"""The answer of `design_pilot`: designs with their figures, the best first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .._answer import Answer, ColumnData, SummaryTable
from .._check import check_instance, check_list, check_positive, check_whole_number
from .._numbers import SCORE_DIGITS, format_chance, format_score, format_size, format_size_needed
from ..required import RequiredSize
from .designs import Design

__all__ = ["PilotDesign", "RankedDesign", "Verdict", "find_at_hand", "find_frugal"]

_MOST_SHOWN = 8  # besides the frugal design, and the best without more data
_NEARLY = 1.1  # times the risk of the best design: practically as good

Interval = tuple[float, float]
Verdict = Literal["yes", "no", "open"]


@dataclass(frozen=True)
class RankedDesign:
    """A design and its expected figures.

    Attributes
    ----------
    design : Design
        What is measured.
    cost : float
        In the unit of the budget.
    risk : float
        Expected CRPS of the forecast after the design, averaged over the sizes that matter; where designs are ranked by
        the required size, the expected Brier score of "this size suffices", averaged over sizes.
    widths : tuple of float
        Expected width of the 95 % interval at each of those sizes.
    prob_yes, prob_no : float or None
        Probabilities that after the design the answer to "does `PilotDesign.decided_at` reach the target?" is yes, and
        that it is no, with the stated confidence.
    prob_right : float or None
        Probability that the likelier answer is right, as it is expected to be after the design.
    later_sizes : pair of float, or None
        Range in which the required size after the design, for the stated confidence, lies in eight cases out of ten;
        inf where no size of `PilotDesign.grid` suffices.
    grid_widths : tuple of float
        Expected widths at the sizes of `PilotDesign.grid`.
    confirmed : bool
        Whether risk and widths come from fits to simulated data; else, and all other figures always, from the best
        linear predictor, in closed form, and adjusted by what the fits changed where there were any.
    risk_error : float
        Monte Carlo standard error of the risk, where it was confirmed, as if data sets had been drawn one by one: it is
        smaller, for they are spread evenly.
    """

    design: Design
    cost: float
    risk: float
    widths: tuple[float, ...]
    prob_yes: float | None
    prob_no: float | None
    prob_right: float | None
    later_sizes: Interval | None
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
        """Whether these are the pilot's own splits, continued at other sizes."""
        return self.design.continued

    @property
    def fits(self) -> int:
        """How many models are trained."""
        return self.design.fits


@dataclass(frozen=True, repr=False)
class PilotDesign(Answer):
    """Recommended next measurements.

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
        The score to reach, or None; and the probability with which it should be.
    ranked_by : {"score", "required_size"}
        What the risk is about.
    available : float
        Most examples available for training.
    pilot_sizes : tuple of float
        What has been measured.
    risk_now, widths_now
        Risk and widths before anything more is measured.
    decided_at : float
        The size about which to decide whether it reaches the target: the largest of those in `at`, or that of the pilot
        where designs are ranked by the required size and it meets the target already.
    prob_now, required_now
        Probability that this size reaches the target, and the required size, before anything more is measured; the
        latter None before there is a pilot.
    grid, grid_median, grid_interval
        Sizes from the end of the pilot on, and the forecast of the true score there as it is now: median and 95 %
        interval.
    decimals : int
        How many decimals scores are printed with.
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
    decided_at: float
    prob_now: float | None
    required_now: RequiredSize | None
    grid: tuple[float, ...]
    grid_median: tuple[float, ...]
    grid_interval: tuple[tuple[float, ...], tuple[float, ...]]
    decimals: int = SCORE_DIGITS
    cautions: tuple[str, ...] = ()

    @property
    def helpful(self) -> tuple[RankedDesign, ...]:
        """Designs that are expected to leave less doubt, and no wider an interval, than measuring nothing."""
        far = self.farthest
        return tuple(
            one for one in self.designs if one.risk < self.risk_now and one.widths[far] <= self.widths_now[far]
        )

    @property
    def farthest(self) -> int:
        """Index of the largest size in `at`."""
        return max(range(len(self.at)), key=self.at.__getitem__)

    @property
    def best(self) -> RankedDesign:
        """The design of least risk, of those that help; of all where none does."""
        return (self.helpful or self.designs)[0]

    @property
    def best_at_hand(self) -> RankedDesign | None:
        """The best of those that help and need no more examples than the pilot had."""
        return find_at_hand(self.helpful, self.pilot_sizes)

    @property
    def frugal(self) -> RankedDesign:
        """The cheapest of those whose risk is at most a tenth above that of the best."""
        return find_frugal(self.helpful or self.designs)

    def share_left(self, one: RankedDesign) -> float:
        """Share of the present doubt that a design leaves."""
        return _check_ranked_design(one).risk / self.risk_now

    @property
    def verdict_now(self) -> Verdict | None:
        """Whether `decided_at` reaches the target, by present knowledge; None where there is no target."""
        sure = max(self.confidence, 1 - self.confidence)
        if self.prob_now is None:
            return None
        return "yes" if self.prob_now >= sure else "no" if self.prob_now <= 1 - sure else "open"

    def best_within(self, cost: float) -> RankedDesign | None:
        """The best of those that cost no more."""
        most = check_positive("cost", cost) * (1 + 1e-9)
        return next((one for one in self.designs if one.cost <= most), None)

    def words(self, one: RankedDesign) -> str:
        """A design in a few words."""
        sizes = ", ".join(map(format_size, _check_ranked_design(one).sizes))
        if one.continued:
            return f"the pilot's splits at {sizes}"
        return f"{one.n_splits}{' new' if self.pilot_sizes else ''} split{'s' if one.n_splits > 1 else ''} at {sizes}"

    @property
    def nothing(self) -> str:
        """The row label for no further measurement."""
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
            for name in ("prob_yes", "prob_no", "prob_right", "later_sizes"):
                columns[name] = [getattr(one, name) for one in self.designs]
        return columns

    def shown(self) -> SummaryTable:
        """One row per design, below one for the present."""
        header, rows = self.table([self.farthest], _MOST_SHOWN)
        title = f"What to measure next, with {self.budget:,.10g} {self.unit}"
        return SummaryTable(title, header, rows, self._all_notes(), words=("measure",))

    def table(self, widths: Sequence[int], most: int) -> tuple[list[str], list[list[str]]]:
        """Names of columns, and rows: the present, so many of the best designs, and others worth naming.

        Designs that are expected to leave more doubt, or a wider interval, than measuring nothing are omitted.

        Parameters
        ----------
        widths
            Of which of the sizes in `at` the widths are shown.
        most
            How many of the best designs.
        """
        positions = check_list("widths", widths, "positions in at")
        widths = [check_whole_number("widths", i, least=0, most=len(self.at) - 1) for i in positions]
        most = check_whole_number("most", most, least=0)
        priced = self.unit != "fits"
        header = ["measure", "models", *([self.unit] if priced else [])]
        header += ["expected error" if self.ranked_by == "score" else "doubt left"]
        header += [f"95 % width at {format_size(self.at[i])}" for i in widths]
        now = [self.nothing, "0", *(["0"] if priced else []), self._format_risk(self.risk_now)]
        rows = [[*now, *(format_score(self.widths_now[i], self.decimals) for i in widths), *self._decision_now()]]
        if self.target is not None:
            right = f"right about {self.target:g} at {format_size(self.decided_at)}"
            header.append("then plan for" if self.asks_for_size else right)
        worth = [*self.helpful[:most], self.frugal, self.best_at_hand]
        for one in (one for one in self.helpful if one in worth):
            row = [self.words(one), str(one.fits), *([f"{one.cost:.3g}"] if priced else [])]
            row.append(self._format_risk(one.risk))
            rows.append(
                [*row, *(format_score(one.widths[i], self.decimals) for i in widths), *self._decision_after(one)]
            )
        return header, rows

    def _format_risk(self, risk: float) -> str:
        """Write an expected error with one decimal more than a score, or the share of the doubt that is left."""
        if self.ranked_by == "score":
            return format_score(risk, self.decimals + 1)
        return f"{100 * risk / self.risk_now:.0f} %"

    @property
    def asks_for_size(self) -> bool:
        """Whether the decision is how many examples to plan for; otherwise it is whether a size suffices."""
        return self.ranked_by != "score" and self.required_now is not None and not self.required_now.already_met

    def _decision_now(self) -> list[str]:
        if self.prob_now is None:
            return []
        if self.asks_for_size and self.required_now is not None:
            return [self.required_now.size_in_words]
        return [format_chance(max(self.prob_now, 1 - self.prob_now))]

    def _decision_after(self, one: RankedDesign) -> list[str]:
        if one.prob_right is None:
            return []
        return [self.later_words(one) if self.asks_for_size else format_chance(one.prob_right)]

    def later_words(self, one: RankedDesign) -> str:
        """The range in which the required size will lie, in words."""
        beyond = f"over {format_size(self.grid[-1])}"
        ends = [
            beyond if math.isinf(size) else format_size_needed(size)
            for size in _check_ranked_design(one).later_sizes or ()
        ]
        return " to ".join(dict.fromkeys(ends))


def _check_ranked_design(one: RankedDesign) -> RankedDesign:
    design: RankedDesign = check_instance("one", one, RankedDesign, "one of the designs")
    return design


def find_at_hand(designs: Sequence[RankedDesign], pilot_sizes: Sequence[float]) -> RankedDesign | None:
    """Find the first design that needs no more examples than the pilot had."""
    if not len(pilot_sizes):
        return None
    return next((one for one in designs if one.sizes[-1] <= pilot_sizes[-1]), None)


def find_frugal(designs: Sequence[RankedDesign]) -> RankedDesign:
    """Find the cheapest design that is nearly as good as the first."""
    enough = _NEARLY * designs[0].risk
    return min((one for one in designs if one.risk <= enough), key=lambda one: (one.cost, one.risk))
