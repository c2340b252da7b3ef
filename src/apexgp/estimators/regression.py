"""Curves by least squares: deterministic baselines."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._check import FloatArray, sizes_array
from ..answers.required import Target
from ..errors import NoForecastError
from ..forecast import Forecast
from ..inference.least_squares import LeastSquaresProblem, fit_least_squares
from ..model.means import MEANS
from ..pairs import LearningCurve
from .base import CurveEstimator

__all__ = ["Arctan", "PowerLaw"]


class _LeastSquares(CurveEstimator):
    """A curve through the mean scores, without any statement of uncertainty."""

    _mean: ClassVar[str]

    def __init__(self, ceiling: float = 1.0, *, seed: int = 0) -> None:
        self.ceiling = ceiling
        self.seed = seed

    def _fit_curve(self, curve: LearningCurve) -> None:
        self._accept(curve)
        problem = LeastSquaresProblem(MEANS[self._mean], self._pilot.sizes, self._pilot.mean, float(self.ceiling))
        self._keep_optimum(fit_least_squares(problem, seed=self.seed))

    def predict(self, sizes: ArrayLike) -> FloatArray:
        """Score that the fitted curve has at the given sizes."""
        check_is_fitted(self)
        return self._outward(np.clip(self._found.curve(sizes_array("sizes", sizes)), 0.0, 1.0))

    def forecast(self, sizes: ArrayLike, of: Target = "new_splits") -> Forecast:
        """Refuse: a least-squares curve says nothing about how sure it is."""
        raise NoForecastError(
            f"{type(self).__name__} is one best-fit curve and has no distribution to forecast with. Use "
            f"predict(sizes) for its values, or APExGP(mean={self._mean!r}) for a forecast around the same curve."
        )


class PowerLaw(_LeastSquares):
    """Least-squares power law, (1 - eps) - theta1 x^theta2: a curve without uncertainty.

    Parameters
    ----------
    ceiling : float
        Highest score that is possible at all; bounds the limit 1 - eps.
    seed : int
        Seed of the points from which the search starts.

    Attributes
    ----------
    parameters_ : dict
        theta1, theta2 and epsilon.
    objective_ : float
        Sum of squared residuals of the mean scores.
    converged_, n_iter_, curve_
        As for `APExGP`.
    """

    _mean = "power_law"


class Arctan(_LeastSquares):
    """Least-squares arctan curve, (2/pi) arctan(theta1 (pi/2) x + theta2) - eps: a curve without uncertainty.

    Parameters and attributes are those of `PowerLaw`.
    """

    _mean = "arctan"
