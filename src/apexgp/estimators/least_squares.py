"""Curves by least squares: deterministic baselines, the rest of the paper's Table 1, and the LCDB's best.

With them the list of methods is complete: `METHODS` has every estimator by name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nan
from types import MappingProxyType

from numpy.typing import ArrayLike

from .._check import FloatArray, check_choice, check_probability, check_real_number, check_sizes
from ..curve import Direction
from ..errors import RequestError
from ..forecast import Quantity
from ..model.families import FAMILIES
from ..point_estimates.least_squares import LeastSquaresEngine, LeastSquaresFit
from ..required import CONFIDENCE, RequiredSize, attainable_target, whole_size
from ..scale import UNIT_SCALE, Scale
from .base import CurveEstimator
from .contract import check_is_fitted
from .gp import APExGP

__all__ = ["METHODS", "LeastSquares"]


class LeastSquares(CurveEstimator):
    """The curve of a family that fits the mean scores best, without any statement of uncertainty.

    Only "piecewise_power_law" forecasts, by the delta method, and only from more sizes than it has parameters.

    Parameters
    ----------
    family : str
        Name in `apexgp.FAMILIES`: "power_law" and "arctan" are the paper's baselines. docs/notation.md has the formula,
        the bounds and the source of each.
    ceiling, floor : float
        Highest and lowest possible score. The curve does not exceed the better of the two: the ceiling or, where lower
        is better, the floor. The other is not used.

    Attributes
    ----------
    parameters_ : dict
        The letters of the formula by name, for sizes counted in examples.
    objective_ : float
        Sum of squared residuals of the mean scores, weighted where the method weighs.
    converged_, n_iter_, curve_
        As for `APExGP`.

    Examples
    --------
    >>> model = LeastSquares("power_law").fit([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81])
    >>> model.predict([720]).round(3)
    array([0.834])
    """

    _fit: LeastSquaresFit

    def __init__(self, family: str = "power_law", ceiling: float = 1.0, floor: float = 0.0) -> None:
        self.family = family
        self.ceiling = ceiling
        self.floor = floor

    def _build_engine(self, direction: Direction, scale: Scale = UNIT_SCALE) -> LeastSquaresEngine:
        _, ceiling = self._check_upward_bounds(direction, scale)
        return LeastSquaresEngine(FAMILIES[check_choice("family", self.family, FAMILIES)], ceiling)

    def predict(self, sizes: ArrayLike) -> FloatArray:
        """Score of the fitted curve at the given sizes, clipped to what is possible."""
        check_is_fitted(self)
        return self.curve_.from_upward(self._fit.possible(check_sizes("sizes", sizes)))

    def _find_crossing(self, level: float) -> float:
        """The smallest size, not rounded, at which the clipped curve reaches `level`; higher is better."""
        if level <= 0:
            return 1.0
        return inf if level > self._fit.problem.ceiling else float(self._fit.crossing(level))

    def required_size(
        self, target: float, confidence: float = CONFIDENCE, of: Quantity = "expected", correction: float = 0.0
    ) -> RequiredSize:
        """How many training examples the curve says a target takes.

        A single curve has no probabilities: it meets the target for certain or never, whatever the confidence. A fit
        that forecasts answers by its probabilities, as `APExGP` does, unless there is a correction.

        Parameters
        ----------
        target
            Score to reach; where lower is better, the error rate to come down to.
        confidence, of
            As for `APExGP`, where the fit forecasts.
        correction
            How much better than the target the curve has to be, in the hope that the truth then meets it (Mahmood et
            al. 2022). With the correction the goal may lie beyond what is possible, and never be met.
        """
        correction = check_real_number("correction", correction)
        if correction < 0:
            raise RequestError(f"must not be negative, got {correction:g}.", argument="correction")
        if self.has_distribution and not correction:
            return super().required_size(target, confidence, of)
        goal = attainable_target(target, self.curve_, self._best_possible)
        # Beyond the end of the range nothing is met.
        level = float(self.curve_.as_upward(goal + correction * (1 if self.curve_.direction == "higher" else -1)))
        first, last = float(self.curve_.sizes.min()), self.curve_.largest
        size = whole_size(max(self._find_crossing(level), first))
        found = RequiredSize(
            target=goal,
            confidence=check_probability("confidence", confidence),
            size=size,
            median=size,
            interval=(size, size),
            prob_reachable=float(size < inf),
            prob_now=float(size <= last),
            already_met=size <= last,
            size_range=(size, size),
            relative_error=0.0 if size < inf else nan,
            digits=3,
            largest=last,
        )
        return self._add_cautions(found)


METHODS: MappingProxyType[str, Callable[[], CurveEstimator]] = MappingProxyType(
    {
        "apexgp": APExGP,
        "apexgp_published": APExGP.as_published,
        **{family: partial(LeastSquares, family) for family in FAMILIES},
    }
)
"""Every method by name: call one to get an estimator with default settings."""
