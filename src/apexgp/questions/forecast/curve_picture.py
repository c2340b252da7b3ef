"""The picture of a curve, as numbers: what was measured and what is forecast, for every way of drawing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..._check import FloatArray, check_list, check_probability
from ..._numbers import SCORE_DIGITS
from ...curve import LearningCurve
from ...estimators import CurveEstimator
from ...forecast import LEVEL, LEVELS, Quantity
from ...required import RequiredSize, prob_met
from ...scale import UNIT_RANGE, Range

__all__ = ["CurvePicture", "build_curve_picture", "find_picture_end", "is_marked"]

_POINTS = 120  # sizes between the ends
_MARGIN = 1.25  # of the right end beyond the size that a target takes
_FARTHEST = 200.0  # times the pilot: to show the size that a target takes a picture is stretched no further


@dataclass(eq=False, repr=False)
class CurvePicture:
    """A learning curve, measured and forecast; holds the arrays and computes nothing.

    `apexgp.plot.CurveDisplay`, which draws them, says what each of them is.
    """

    measured_sizes: FloatArray
    measured_scores: FloatArray
    pilot_sizes: FloatArray
    pilot_mean: FloatArray
    pilot_std: FloatArray
    sizes: FloatArray
    mean: FloatArray
    bands: Mapping[float, tuple[FloatArray, FloatArray]]
    metric: str = "score"
    unit: str = "examples"
    task: str | None = None
    direction: str = "higher"
    range: Range = UNIT_RANGE
    level: float = LEVEL
    decimals: int = SCORE_DIGITS
    required: RequiredSize | None = None
    prob_target: FloatArray | None = None


Picture = TypeVar("Picture", bound=CurvePicture)


def is_marked(required: RequiredSize, picture: CurvePicture) -> bool:
    """Whether the size that a target takes is marked in a picture: one beyond the pilot, and within the picture."""
    return not required.already_met and bool(picture.sizes[0] <= required.rounded_size <= picture.sizes[-1])


def build_curve_picture(
    model: CurveEstimator,
    end: float,
    kind: type[Picture],
    *,
    of: Quantity = "new_splits",
    levels: Sequence[float] = LEVELS,
    level: float | None = None,
    required: RequiredSize | None = None,
    exact: Sequence[float] = (),
    points: int = _POINTS,
) -> Picture:
    """The picture of a fitted model from its smallest pilot size to an end.

    Parameters
    ----------
    model
        A fitted model.
    end
        Right end of the picture.
    kind
        The class of the picture.
    of
        What is forecast.
    levels, level
        Probabilities of the bands, and the one of them that is read off; by default the largest.
    required
        Answer to a target, whose probability is wanted at each size.
    exact
        Sizes that can be read off exactly.
    points
        Sizes between the ends.
    """
    shares = sorted(check_probability("levels", share) for share in check_list("levels", levels))
    curve, pilot = model.curve_, model.curve_.replicates
    level = max(shares, default=LEVEL) if level is None else level
    forecast = model.forecast(_build_grid(curve, end, [*exact, *_list_known_sizes(required)], points), of=of)
    # The probability that the required size is about, so that the two agree: of the true expected score.
    chances = None
    if required is not None:
        chances = prob_met(model._forecast_behind(required, forecast.sizes), required.target, curve.direction)
    return kind(
        measured_sizes=curve.sizes,
        measured_scores=curve.scores,
        pilot_sizes=pilot.sizes,
        pilot_mean=pilot.mean,
        pilot_std=pilot.std,
        sizes=forecast.sizes,
        mean=forecast.mean,
        bands={share: forecast.interval(share) for share in shares},
        metric=curve.metric_name,
        unit=curve.unit_name,
        task=curve.task,
        direction=curve.direction,
        range=curve.range,
        level=level,
        decimals=forecast.count_decimals(level),
        required=required,
        prob_target=chances,
    )


def find_picture_end(curve: LearningCurve, sizes: Sequence[float], required: RequiredSize | None) -> float:
    """How far to draw: to the farthest size asked for, and beyond the size that a target takes, if that is in reach."""
    end = max([*sizes, 2 * curve.largest]) if len(sizes) else 10 * curve.largest
    in_reach = [size for size in _list_known_sizes(required) if size <= _FARTHEST * curve.largest]
    return max([end, *(_MARGIN * size for size in in_reach)])


def _list_known_sizes(required: RequiredSize | None) -> list[float]:
    return [] if required is None or required.already_met else [float(required.rounded_size)]


def _build_grid(curve: LearningCurve, end: float, exact: Sequence[float], points: int) -> FloatArray:
    """Sizes from the pilot's smallest on: round numbers, and those that can be read off exactly."""
    first = float(curve.sizes.min())
    # Three digits: a size that is read off should be one that can be said.
    digits = 3 if end > 2 * first else 6
    between = [float(f"{size:.{digits}g}") for size in np.geomspace(first, end, points).tolist()]
    return np.unique([first, curve.largest, end, *(size for size in (*exact, *between) if first < size < end)])
