"""Figures of designs: present doubt, and how much of it each design is expected to leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from .._check import FloatArray
from ..cautions import find_first_pilot_cautions
from ..curve import LearningCurve
from ..estimators import CurveEstimator
from ..forecast import Forecast
from ..required import RequiredSize, prob_met
from . import closed_form
from .closed_form import LinearPredictor
from .designs import Design, DesignSpace
from .knowledge import Knowledge
from .ranking import PilotDesign, RankedDesign

__all__ = ["Judge", "risk_then_cost"]

_MOST_ADJUSTED = (0.5, 3.0)


def risk_then_cost(one: RankedDesign) -> tuple[float, float]:
    """Key for sorting designs: the least risk first, then the least cost."""
    return one.risk, one.cost


class Judge:
    """Computes the figures by which designs are ranked.

    Parameters
    ----------
    model, pilot
        The fitted model and its curve; None before there is a pilot.
    known
        Present knowledge at all sizes that matter.
    asked
        Sizes at which the score matters.
    grid
        Sizes from the end of the pilot on, at which the required size is looked for.
    goal, confidence
        A target, or None, and how sure to be of it.
    by_size
        Whether designs are ranked by how much they tell about the required size.
    """

    def __init__(
        self,
        model: CurveEstimator | None,
        pilot: LearningCurve | None,
        known: Knowledge,
        asked: FloatArray,
        grid: FloatArray,
        goal: float | None,
        confidence: float,
        *,
        by_size: bool,
    ) -> None:
        self._goal, self._confidence, self._by_size = goal, confidence, by_size
        self._asked, self._grid, self._count = asked, grid, len(asked)
        self._cautions: tuple[str, ...] = ()
        self._shares_left: dict[Design, FloatArray] = {}  # the search for designs asks for many again
        self._direction = "higher" if pilot is None else pilot.direction
        # The asked sizes first, then those of the grid.
        sizes = np.concatenate([asked, grid])
        if pilot is None or model is None:
            self._predictor = LinearPredictor(known.split_by_level_and_noise(), sizes)
            self._now, self._cautions = _forecast_from_draws(known, sizes), find_first_pilot_cautions()
            # The spread over all curves, of which the split into parts explains some already.
            self._whole = self._now.std
        else:
            self._predictor = LinearPredictor(known.split_by_noise(), sizes)
            self._now = model.forecast(sizes, of="expected")
            self._cautions = model._find_cautions(asked)
            self._whole = self._predictor.spread_now()
        # Where the pilot meets the target already, the decision is whether it really does.
        self._required: RequiredSize | None = None
        if model is not None and pilot is not None and goal is not None:
            self._required = model.required_size(goal, confidence)
        met = by_size and self._required is not None and self._required.already_met
        self._decided = self._count if met else int(asked.argmax())
        self._crps, self._widths = closed_form.expected_crps(self._now), closed_form.interval_widths(self._now)
        self._prob = None if goal is None else prob_met(self._now, goal, self._direction)
        self.risk_now = self._risk(np.ones(len(sizes)))

    def risk(self, design: Design) -> float:
        """Risk after a design in closed form, by which designs are ranked."""
        return self._risk(self._share_left(design))

    def _share_left(self, design: Design) -> FloatArray:
        """Share of the present spread at each size that a design leaves."""
        if design not in self._shares_left:
            after = self._predictor.spread_after(design) / np.maximum(self._whole, 1e-12)
            self._shares_left[design] = np.minimum(after, 1.0)
        return self._shares_left[design]

    def _risk(self, left: FloatArray) -> float:
        if self._by_size and self._prob is not None:
            return float(closed_form.brier_after(self._prob, left)[self._count :].mean())
        return float((self._crps * left)[: self._count].mean())

    def rank(self, designs: Iterable[Design], space: DesignSpace) -> list[RankedDesign]:
        """Rank designs by their figures in closed form, the best first."""
        return sorted((self._compute_figures(one, space.price.cost_of(one)) for one in designs), key=risk_then_cost)

    def _compute_figures(self, design: Design, cost: float, powers: tuple[float, float] = (1.0, 1.0)) -> RankedDesign:
        """Figures in closed form; the share of the spread that is left is raised to a power for risk and for width."""
        left, of_width = (self._share_left(design) ** power for power in powers)
        yes = no = right = later = None
        if self._prob is not None:
            prob, kept = float(self._prob[self._decided]), float(left[self._decided])
            yes, no = closed_form.prob_decided_after(prob, kept, self._confidence)
            right = closed_form.prob_right_after(prob, kept)
            along = slice(self._count, None)
            later = closed_form.required_sizes_after(self._grid, self._prob[along], left[along], self._confidence)
        width = self._widths * of_width
        return RankedDesign(
            design=design,
            cost=cost,
            risk=self._risk(left),
            widths=tuple(width[: self._count].tolist()),
            prob_yes=yes,
            prob_no=no,
            prob_right=right,
            later_sizes=later,
            grid_widths=tuple(width[self._count :].tolist()),
        )

    def judge_fits(self, one: RankedDesign, models: Sequence[CurveEstimator], shares: FloatArray) -> RankedDesign:
        """Figures of a design from models fitted to simulated scores, each with its probability."""
        forecasts = [model.forecast(self._asked, of="expected") for model in models]
        width = shares @ np.array([closed_form.interval_widths(forecast) for forecast in forecasts])
        if self._by_size and self._goal is not None:
            along = [model.forecast(self._grid, of="expected") for model in models]
            reached = np.array([prob_met(forecast, self._goal, self._direction) for forecast in along])
            each = (reached * (1 - reached)).mean(axis=1)
        else:
            each = np.array([closed_form.expected_crps(forecast).mean() for forecast in forecasts])
        found = replace(one, risk=float(shares @ each), widths=tuple(width.tolist()))
        # Figures that would need more fits follow from the closed form, adjusted by what the fits found.
        (adjusted,) = self.adjust([one], [one], [found])
        return replace(
            adjusted,
            risk=found.risk,
            risk_error=float(np.sqrt((shares**2) @ (each - found.risk) ** 2)),
            widths=found.widths,
            confirmed=True,
        )

    def adjust(
        self, others: Sequence[RankedDesign], before: Sequence[RankedDesign], tried: Sequence[RankedDesign]
    ) -> list[RankedDesign]:
        """Adjust figures in closed form by the ratio that fits have found for designs that were tried."""
        widths = (np.array([one.widths for one in some]) / self._widths[: self._count] for some in (before, tried))
        ratios = (np.array([one.risk for one in some]) / self.risk_now for some in (before, tried))
        powers = _fit_power(*ratios), _fit_power(*widths)
        return [self._compute_figures(one.design, one.cost, powers) for one in others]

    def answer(self, designs: Sequence[RankedDesign], space: DesignSpace, available: float) -> PilotDesign:
        """Assemble the answer."""
        at, grid = slice(0, self._count), slice(self._count, None)
        lower, upper = self._now.interval(closed_form.WIDTH_LEVEL)
        return PilotDesign(
            designs=tuple(designs),
            budget=space.budget,
            unit=space.price.unit,
            at=tuple(self._asked.tolist()),
            target=self._goal,
            confidence=self._confidence,
            ranked_by="required_size" if self._by_size else "score",
            available=available,
            pilot_sizes=tuple(space.pilot.tolist()),
            risk_now=self.risk_now,
            widths_now=tuple(self._widths[at].tolist()),
            decided_at=float(self._now.sizes[self._decided]),
            prob_now=None if self._prob is None else float(self._prob[self._decided]),
            required_now=self._required,
            grid=tuple(self._grid.tolist()),
            grid_median=tuple(self._now.median[grid].tolist()),
            grid_interval=(tuple(lower[grid].tolist()), tuple(upper[grid].tolist())),
            decimals=self._now.scale.count_decimals(float(self._widths[at][np.argmax(self._asked)])),
            cautions=self._cautions,
        )


def _fit_power(expected: FloatArray, found: FloatArray) -> float:
    """Fit the power of the share left in closed form that comes closest to the share that fits left."""
    logs = -np.log(np.clip([expected, found], 1e-3, 1.0)).sum(axis=tuple(range(1, expected.ndim + 1)))
    return float(np.clip(logs[1] / logs[0], *_MOST_ADJUSTED)) if logs[0] > 0 else 1.0


def _forecast_from_draws(known: Knowledge, sizes: FloatArray) -> Forecast:
    """Make a forecast of drawn curves, each known to a thousandth."""
    locations = known.location[known.find_places(sizes)].T
    return Forecast(sizes, locations, np.full_like(locations, 1e-3), known.weights / known.weights.sum())
