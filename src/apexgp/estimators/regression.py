"""Curves by least squares: deterministic baselines, the rest of the paper's Table 1, and the LCDB's best."""

from __future__ import annotations

from math import inf
from typing import ClassVar, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._check import FloatArray, choice, probability, real_number, sizes_array, some
from ..answers.required import RequiredSize, attainable_target, whole_size
from ..curve import LearningCurve, Replicates
from ..errors import DataError, NoForecastError, RequestError
from ..forecast import Forecast, Quantity
from ..inference.least_squares import LeastSquaresProblem, fit_least_squares
from ..model.families import (
    Family,
    MahmoodArctanFamily,
    MahmoodLogarithmFamily,
    MahmoodPowerFamily,
    MahmoodRootFamily,
    Mmf4Family,
    PaperArctanFamily,
    PaperPowerFamily,
    PiecewisePowerFamily,
    Pow4Family,
    Wbl4Family,
)
from .base import CurveEstimator

__all__ = [
    "Arctan",
    "MahmoodArctan",
    "MahmoodLogarithm",
    "MahmoodPowerLaw",
    "MahmoodRoot",
    "Mmf4",
    "PiecewisePowerLaw",
    "Pow4",
    "PowerLaw",
    "RegressionEstimator",
    "Wbl4",
]


class RegressionEstimator(CurveEstimator):
    """A curve through the mean scores, without any statement of uncertainty."""

    _family: ClassVar[type[Family]]
    _with_uncertainty: ClassVar[str] = "APExGP()"
    """What to use for a forecast."""

    def __init__(self, ceiling: float = 1.0) -> None:
        self.ceiling = ceiling

    def _fit_curve(self, curve: LearningCurve) -> None:
        self._accept(curve)
        sizes, scores = self._pilot.sizes, self._pilot.mean
        self._keep_optimum(
            fit_least_squares(LeastSquaresProblem(self._family(sizes), sizes, scores, float(self.ceiling)))
        )

    def _check_pilot(self, pilot: Replicates) -> None:
        super()._check_pilot(pilot)
        needed, got = len(self._family.parameters), len(pilot.sizes)
        if got < needed:
            raise DataError(
                f"{type(self).__name__} has {needed} parameters and needs scores at {needed} or more different sizes, "
                f"got {got} ({some(pilot.sizes)}). Train on a further subset, or use PowerLaw, which needs 3."
            )

    def predict(self, sizes: ArrayLike) -> FloatArray:
        """Score that the fitted curve has at the given sizes, cut to what is possible: from 0 to the ceiling."""
        check_is_fitted(self)
        return self._outward(self._values(sizes_array("sizes", sizes)))

    def _values(self, sizes: FloatArray) -> FloatArray:
        """The curve, cut, with higher as better."""
        return np.clip(self._found.curve(sizes), 0.0, self._found.problem.ceiling)

    def _crossing(self, level: float) -> float:
        """The least size n >= 1 at which the curve reaches `level`, with higher as better; infinite if it never does.

        Not rounded. A level that is reached only beyond 1e300 counts as never reached.
        """
        check_is_fitted(self)
        if level <= 0:
            return 1.0
        return inf if level > self._found.problem.ceiling else float(self._found.crossing(level))

    def required_size(
        self, target: float, confidence: float = 0.8, of: Quantity = "expected", correction: float = 0.0
    ) -> RequiredSize:
        """How many training examples the curve says a target takes.

        One curve knows no probabilities: it meets the target for sure or never, whatever the confidence.

        Parameters
        ----------
        target
            Score to reach; where lower is better, the error rate to come down to.
        confidence, of
            Taken, for the sake of methods that are less sure of themselves.
        correction
            How much better than the target the curve has to be, in the hope that the truth then meets it (Mahmood et
            al. 2022). With the correction the goal may lie beyond the ceiling, and never be met.
        """
        check_is_fitted(self)
        goal = attainable_target(target, self._checked_ceiling(), self.curve_.direction)
        if real_number("correction", correction) < 0:
            raise RequestError(f"correction must not be negative, got {correction:g}.")
        level = (goal if self.curve_.direction == "higher" else 1 - goal) + correction
        first, last = (float(self._pilot.sizes[i]) for i in (0, -1))
        size = whole_size(max(self._crossing(level), first))
        found = RequiredSize(
            target=goal,
            confidence=probability("confidence", confidence),
            size=size,
            median=size,
            interval=(size, size),
            prob_reachable=float(size < inf),
            prob_now=float(size <= last),
            already_met=size <= last,
        )
        return self._with_cautions(found)

    def forecast(self, sizes: ArrayLike, of: Quantity = "new_splits") -> Forecast:
        """Refuse: a least-squares curve says nothing about how sure it is."""
        raise NoForecastError(
            f"{type(self).__name__} is one best-fit curve and has no distribution to forecast with. Use "
            f"predict(sizes) for its values, or {self._with_uncertainty} for a forecast."
        )


class PowerLaw(RegressionEstimator):
    """Least-squares power law, (1 - eps) - theta1 n^theta2: a curve without uncertainty.

    The limit 1 - eps lies between the best mean score and the ceiling; theta1 >= 0, theta2 in [-1, 0].

    Parameters
    ----------
    ceiling : float
        Highest score that is possible at all. The curve goes no higher.

    Attributes
    ----------
    parameters_ : dict
        The letters of the formula by name, for sizes counted in examples.
    objective_ : float
        Sum of squared residuals of the mean scores, weighted where the method weighs.
    converged_, n_iter_, curve_
        As for `APExGP`.
    """

    _family = PaperPowerFamily
    _with_uncertainty = "APExGP(mean='power_law')"


class Arctan(RegressionEstimator):
    """Least-squares arctan curve, (2/pi) arctan(theta1 (pi/2) n + theta2) - eps: a curve without uncertainty.

    The limit 1 - eps lies between the best mean score and the ceiling; theta1, theta2 >= 0.

    Parameters and attributes are those of `PowerLaw`.
    """

    _family = PaperArctanFamily
    _with_uncertainty = "APExGP(mean='arctan')"


class MahmoodPowerLaw(RegressionEstimator):
    """The power law of Mahmood et al. 2022, theta1 n^theta2 + theta3; each size weighs twice the one before it.

    It rises: theta2 in [-5, 0] with theta1 <= 0, or theta2 in [0, 1] with theta1 >= 0, which has no limit.
    What passes the ceiling is cut.

    Parameters and attributes are those of `PowerLaw`.
    """

    _family = MahmoodPowerFamily


class MahmoodArctan(RegressionEstimator):
    """The arctan of Mahmood et al. 2022, (2/pi) arctan(theta1 (pi/2) n + theta2) + theta3, weighted like their others.

    theta1, theta2 >= 0. What passes the ceiling is cut.

    Parameters and attributes are those of `PowerLaw`.
    """

    _family = MahmoodArctanFamily
    _with_uncertainty = "APExGP(mean='arctan')"


class MahmoodLogarithm(RegressionEstimator):
    """The logarithm of Mahmood et al. 2022, theta1 log(n + theta2) + theta3, weighted like their others.

    theta1 >= 0; n + theta2 is above 0 at every size of the pilot. It has no limit; what passes the ceiling is cut.

    Parameters and attributes are those of `PowerLaw`.
    """

    _family = MahmoodLogarithmFamily


class MahmoodRoot(RegressionEstimator):
    """The algebraic root of Mahmood et al. 2022, n / (1 + |theta1 n|^theta2)^(1/theta2) + theta3, weighted likewise.

    theta1 >= 0.1, theta2 in [0.05, 5]. What passes the ceiling is cut. The only family whose fit depends on what sizes
    are counted in, as the formula sets the slope at n = 0 to 1 an example.

    Parameters and attributes are those of `PowerLaw`.
    """

    _family = MahmoodRootFamily


class Pow4(RegressionEstimator):
    """The power law with an offset in size, a - b (n + d)^-c, of the Learning Curve Database (LCDB).

    The limit a lies between the best mean score and the ceiling; b >= 0, c in [0, 5]; n + d is above 0 at every size of
    the pilot. Needs 4 different sizes.

    Parameters and attributes are those of `PowerLaw`.
    """

    _family = Pow4Family
    _with_uncertainty = "APExGP(mean='power_law')"


class Mmf4(RegressionEstimator):
    """The curve of Morgan, Mercer and Flodin, (a b + c n^d) / (b + n^d), of the Learning Curve Database (LCDB).

    The limit c lies between the best mean score and the ceiling; a <= c, d in [0, 5]. Needs 4 different sizes.

    Parameters and attributes are those of `PowerLaw`.
    """

    _family = Mmf4Family
    _with_uncertainty = "APExGP(mean='mmf')"


class Wbl4(RegressionEstimator):
    """The curve of Weibull, c - b exp(-a n^d), of the Learning Curve Database (LCDB).

    The limit c lies between the best mean score and the ceiling; a, b >= 0, d in [0.01, 2]. Needs 4 different sizes.

    Parameters and attributes are those of `PowerLaw`.
    """

    _family = Wbl4Family


class PiecewisePowerLaw(RegressionEstimator):
    """The piecewise power law of Jain et al. 2023, 1 - exp(a + b u + c min(u, 0)^2) with u = log(n / N).

    The logarithm of the error is quadratic in log n up to the switch size N and linear after it. Jain et al. foretell N
    from other tasks; here it is found by least squares, between the second size and the last. With a ceiling below 1,
    the error is counted from the ceiling. The curve does not fall: b <= 0, and so is the slope at the smallest size.
    Needs 4 different sizes, 5 for a forecast.

    Parameters and attributes are those of `PowerLaw`.
    """

    _family = PiecewisePowerFamily

    def required_size(
        self, target: float, confidence: float = 0.8, of: Quantity = "expected", correction: float = 0.0
    ) -> RequiredSize:
        """How many training examples a target takes, by the forecast's probabilities; as for `APExGP`.

        With a correction, or a pilot too small for a forecast, by the curve alone: as for `PowerLaw`.
        """
        check_is_fitted(self)
        if correction or not self._forecasts:
            return super().required_size(target, confidence, of, correction)
        return CurveEstimator.required_size(self, target, confidence, of)

    @property
    def _forecasts(self) -> bool:
        """Whether there are more sizes than parameters, so that the noise can be judged."""
        return len(self._pilot.sizes) > len(self.parameters_)

    def forecast(self, sizes: ArrayLike, of: Quantity = "new_splits") -> Forecast:
        """Forecast by the delta method: a normal distribution at each size, cut to [0, 1].

        Its variance is j (J'J)^-1 j' s^2, where J and j are the derivatives of the curve by its parameters at the pilot
        and at the sizes asked for, and s^2 = RSS / (R - 4) is the variance of a mean score at one of R sizes.

        Parameters
        ----------
        sizes
            Training-set sizes.
        of
            "new_splits": a mean score over as many splits as the pilot has, with s^2 added to the variance;
            "same_splits": the same, as the method knows no splits; "expected": the curve itself.
        """
        check_is_fitted(self)
        at = sizes_array("sizes", sizes)
        choice("of", of, get_args(Quantity))
        if not self._forecasts:
            raise NoForecastError(
                f"PiecewisePowerLaw has {len(self.parameters_)} parameters, and the pilot has {len(self._pilot.sizes)} "
                "different sizes: nothing is left to judge the noise by. Add a size, or use predict(sizes) for the "
                "curve alone."
            )
        variance, noise = self._found.variances(at)
        if of != "expected":
            variance = variance + noise
        return Forecast(
            sizes=at,
            locations=self._outward(self._values(at))[None],
            scales=np.sqrt(np.maximum(variance, 1e-14))[None],
            weights=np.ones(1),
            cautions=self._cautions(at),
        )
