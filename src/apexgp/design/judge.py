"""What is known now, and how much of it a design is expected to change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from .._check import FloatArray
from ..answers.required import RequiredSize, prob_met
from ..cautions import find_first_pilot_cautions
from ..curve import LearningCurve
from ..estimators import CurveEstimator
from ..forecast import Forecast
from . import closed_form
from .closed_form import LinearPredictor
from .designs import Design, DesignSpace
from .knowledge import Knowledge
from .ranking import PilotDesign, RankedDesign

__all__ = ["Judge", "risk_then_cost"]

_MOST_ADJUSTED = (0.5, 3.0)


def risk_then_cost(one: RankedDesign) -> tuple[float, float]:
    """Order of designs: the least risk first, then the least cost."""
    return one.risk, one.cost


class Judge:
    """Figures of designs.

    Parameters
    ----------
    model, pilot
        The fitted model and its curve; None before there is a pilot.
    known
        What is known at all sizes that matter.
    asked
        Sizes at which the score matters.
    grid
        Sizes from the end of the pilot on, at which the required size is looked for.
    goal, confidence
        A target, or None, and how sure to be of it.
    by_size
        Whether designs are ranked by what they tell of the required size.
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
        self._shares_left: dict[Design, FloatArray] = {}  # the search for designs comes back to many
        self._direction = "higher" if pilot is None else pilot.direction
        # Sizes that are asked for, then those of the grid.
        sizes = np.concatenate([asked, grid])
        if pilot is None or model is None:
            self._predictor = LinearPredictor(known.split_by_level_and_noise(), sizes)
            self._now, self._cautions = _forecast_from_draws(known, sizes), find_first_pilot_cautions()
            # The spread of all curves, of which the parts know some already.
            self._whole = self._now.std
        else:
            self._predictor = LinearPredictor(known.split_by_noise(), sizes)
            self._now = model.forecast(sizes, of="expected")
            self._cautions = model._cautions(asked)
            self._whole = self._predictor.now()
        # Whoever asks how many examples to plan for, and has enough of them, asks whether that is so.
        self._required: RequiredSize | None = None
        if model is not None and pilot is not None and goal is not None:
            self._required = model.required_size(goal, confidence)
        met = by_size and self._required is not None and self._required.already_met
        self._decided = self._count if met else int(asked.argmax())
        self._crps, self._widths = closed_form.expected_crps(self._now), closed_form.interval_widths(self._now)
        self._prob = None if goal is None else prob_met(self._now, goal, self._direction)
        self.risk_now = self._risk(np.ones(len(sizes)))

    def risk(self, design: Design) -> float:
        """What designs are ranked by, in closed form."""
        return self._risk(self._left(design))

    def _left(self, design: Design) -> FloatArray:
        """Share of the spread at each size that stays."""
        if design not in self._shares_left:
            after = self._predictor.after(design) / np.maximum(self._whole, 1e-12)
            self._shares_left[design] = np.minimum(after, 1.0)
        return self._shares_left[design]

    def _risk(self, left: FloatArray) -> float:
        if self._by_size and self._prob is not None:
            return float(closed_form.brier_after(self._prob, left)[self._count :].mean())
        return float((self._crps * left)[: self._count].mean())

    def ranked(self, designs: Iterable[Design], room: DesignSpace) -> list[RankedDesign]:
        """Designs with their figures in closed form, the best first."""
        return sorted((self._figures(one, room.price.of(one)) for one in designs), key=risk_then_cost)

    def _figures(self, design: Design, cost: float, powers: tuple[float, float] = (1.0, 1.0)) -> RankedDesign:
        """Figures in closed form, the share of the spread that stays to the powers of risk and width."""
        left, of_width = (self._left(design) ** power for power in powers)
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

    def tried(self, one: RankedDesign, models: Sequence[CurveEstimator], shares: FloatArray) -> RankedDesign:
        """Figures of a design after models have been fitted to what it may show, each with its probability."""
        forecasts = [model.forecast(self._asked, of="expected") for model in models]
        width = shares @ np.array([closed_form.interval_widths(forecast) for forecast in forecasts])
        if self._by_size and self._goal is not None:
            along = [model.forecast(self._grid, of="expected") for model in models]
            reached = np.array([prob_met(forecast, self._goal, self._direction) for forecast in along])
            each = (reached * (1 - reached)).mean(axis=1)
        else:
            each = np.array([closed_form.expected_crps(forecast).mean() for forecast in forecasts])
        found = replace(one, risk=float(shares @ each), widths=tuple(width.tolist()))
        # What the fits are too few to tell follows from the closed form, with as much gone as the fits say.
        (adjusted,) = self.adjusted([one], [one], [found])
        return replace(
            adjusted,
            risk=found.risk,
            risk_error=float(np.sqrt((shares**2) @ (each - found.risk) ** 2)),
            widths=found.widths,
            confirmed=True,
        )

    def adjusted(
        self, others: Sequence[RankedDesign], before: Sequence[RankedDesign], tried: Sequence[RankedDesign]
    ) -> list[RankedDesign]:
        """Designs in closed form, with as much of the spread gone as fits left of those that were tried."""
        widths = (np.array([one.widths for one in some]) / self._widths[: self._count] for some in (before, tried))
        ratios = (np.array([one.risk for one in some]) / self.risk_now for some in (before, tried))
        powers = _fit_power(*ratios), _fit_power(*widths)
        return [self._figures(one.design, one.cost, powers) for one in others]

    def answer(self, designs: Sequence[RankedDesign], room: DesignSpace, available: float) -> PilotDesign:
        """All that there is to say."""
        at, grid = slice(0, self._count), slice(self._count, None)
        lower, upper = self._now.interval(closed_form.WIDTH_LEVEL)
        return PilotDesign(
            designs=tuple(designs),
            budget=room.budget,
            unit=room.price.unit,
            at=tuple(self._asked.tolist()),
            target=self._goal,
            confidence=self._confidence,
            ranked_by="required_size" if self._by_size else "score",
            available=available,
            pilot_sizes=tuple(room.pilot.tolist()),
            risk_now=self.risk_now,
            widths_now=tuple(self._widths[at].tolist()),
            decided_at=float(self._now.sizes[self._decided]),
            prob_now=None if self._prob is None else float(self._prob[self._decided]),
            required_now=self._required,
            grid=tuple(self._grid.tolist()),
            grid_median=tuple(self._now.median[grid].tolist()),
            grid_interval=(tuple(lower[grid].tolist()), tuple(upper[grid].tolist())),
            cautions=self._cautions,
        )


def _fit_power(told: FloatArray, found: FloatArray) -> float:
    """The power of the share left, as told in closed form, that comes closest to the share that fits left."""
    logs = -np.log(np.clip([told, found], 1e-3, 1.0)).sum(axis=tuple(range(1, told.ndim + 1)))
    return float(np.clip(logs[1] / logs[0], *_MOST_ADJUSTED)) if logs[0] > 0 else 1.0


def _forecast_from_draws(known: Knowledge, sizes: FloatArray) -> Forecast:
    """Drawn curves as a forecast: each is known to a thousandth."""
    locations = known.location[known.places(sizes)].T
    return Forecast(sizes, locations, np.full_like(locations, 1e-3), known.weights / known.weights.sum())
