"""How good forecasts were: errors of a curve, likelihood, coverage and proper scores of a distribution.

Each function takes the true scores `y`, one per size of the forecast, or rows of them for several replicates, and
averages over all; `axis` says, as NumPy's does, over which axes to average instead (`axis=()`: none).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ._check import (
    UNUSABLE,
    FloatArray,
    check_choice,
    check_positive,
    check_probability,
    check_real_array,
    check_real_number,
    format_value,
)
from .errors import DataError, RequestError
from .forecast import Forecast, IntervalKind
from .scale import Scale, format_range

__all__ = ["coverage", "crps", "log_score", "mae", "pit", "quantized_likelihood", "rmse"]

RESOLUTION = 0.001
"""The step in which scores and the ends of intervals are shown, and compared with each other."""

Axis = int | tuple[int, ...] | None

_MOST = 1e100  # its square is still finite


def __dir__() -> list[str]:
    return __all__


def rmse(predicted: ArrayLike, y: ArrayLike, *, axis: Axis = None) -> FloatArray:
    """Root mean squared error of predicted scores (the paper's tables: of `forecast.location`, times 100)."""
    return np.sqrt(_average(_subtract(predicted, y) ** 2, axis))


def mae(predicted: ArrayLike, y: ArrayLike, *, axis: Axis = None) -> FloatArray:
    """Mean absolute error of predicted scores."""
    return _average(np.abs(_subtract(predicted, y)), axis)


def quantized_likelihood(forecast: Forecast, y: ArrayLike, delta: float = 0.01, *, axis: Axis = None) -> FloatArray:
    """Probability that the forecast assigned to the interval from y - delta to y + delta."""
    scores, delta = _check_truth(forecast, y), check_positive("delta", delta)
    return _average(forecast.prob_between(scores - delta, scores + delta), axis)


def coverage(
    forecast: Forecast,
    y: ArrayLike,
    level: float = 0.95,
    kind: IntervalKind = "equal_tailed",
    *,
    resolution: float = 0.0,
    axis: Axis = None,
) -> FloatArray:
    """Share of the true scores that lie in the interval of that level.

    Parameters
    ----------
    forecast, y
        The forecast, and the true scores.
    level, kind
        As in `Forecast.interval`.
    resolution
        The step in which scores are measured or written down: one counts as inside if it may have been rounded from a
        score that is. A forecast has no atom at 1, so an equal-tailed interval always ends below a perfect score;
        perfect scores can lie inside only with such a step.
    axis
        Over which axes to average.
    """
    scores, level = _check_truth(forecast, y), check_probability("level", level)
    half = check_real_number("resolution", resolution) / 2
    if not 0 <= half < 0.5 * (forecast.scale.upper - forecast.scale.lower):
        raise RequestError(f"must be at least 0 and below 1, got {format_value(resolution)}.", argument="resolution")
    if check_choice("kind", kind, ("equal_tailed", "hdi")) == "equal_tailed":
        # A score is inside if its cdf lies between the levels: no ends to search for.
        inside = (forecast.cdf(scores + half) >= (1 - level) / 2) & (forecast.cdf(scores - half) <= (1 + level) / 2)
    else:
        lower, upper = forecast.interval(level, kind)
        inside = (scores + half >= lower) & (scores - half <= upper)
    return _average(inside.astype(float), axis)


def log_score(forecast: Forecast, y: ArrayLike, *, axis: Axis = None) -> FloatArray:
    """Logarithmic score, minus the logarithm of the density at the true score; lower is better, as for `crps`."""
    scores = _check_truth(forecast, y)
    return -_average(forecast.log_pdf(scores), axis)


def pit(forecast: Forecast, y: ArrayLike) -> FloatArray:
    """Probability integral transform, F(y): uniform on [0, 1] for a calibrated forecast."""
    scores = _check_truth(forecast, y)
    return forecast.cdf(scores)


def crps(forecast: Forecast, y: ArrayLike, *, axis: Axis = None) -> FloatArray:
    """Continuous ranked probability score, int (F(z) - 1[z >= y])^2 dz; lower is better, 0 if certain and right.

    Notes
    -----
    It is in the unit of the scores; for perplexities, where it would diverge, it is that of their logarithms.

    F is smooth on either side of y, where Gauss-Legendre panels meet. Their other edges are some standard deviations
    around the mean. A panel is halved until its integrand is a polynomial of low degree, as far as its Legendre
    coefficients can tell.
    """
    scores = _check_truth(forecast, y)
    # A heavy spike next to an edge could hide between the edge and the first node: put edges around each.
    heavy = forecast.weights > _HEAVY
    around = forecast.locations[heavy] + np.array([-6, -2, 0, 2, 6])[:, None, None] * forecast.scales[heavy]
    # Panels lie on the scale of the engine, where the forecast has no far tails.
    inner, scale = (
        Forecast(forecast.sizes, forecast.locations, forecast.scales, forecast.weights),
        _choose_error_scale(forecast),
    )
    ends = np.array([[0.0], [1.0]]) * np.ones(len(forecast))
    edges = np.vstack([ends, inner.mean + _EDGES[:, None] * inner.std, *around])
    values = np.empty(scores.shape)
    for where, truth in np.ndenumerate(forecast.scale.inside(scores)):
        q = where[-1]
        panels = np.unique(np.clip([*edges[:, q], truth], 0.0, 1.0))
        values[where] = _integrate_crps(inner[q], panels, float(truth), scale)
    return _average(values, axis)


_EDGES = np.array([-6.0, -2.5, 0.0, 2.5, 6.0])
_HEAVY = 0.01
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
# The last two Legendre coefficients of a function that is known at the nodes. The quadrature is exact to twice their
# degree, so where they are small its error is smaller by far.
_LAST_COEFFICIENTS = np.stack(
    [(k + 0.5) * _WEIGHTS * np.polynomial.legendre.Legendre.basis(k)(_NODES) for k in (8, 9)], axis=1
)


def _choose_error_scale(forecast: Forecast) -> Scale:
    """The scale whose unit errors are stated in."""
    scale = forecast.scale
    return replace(scale, lower=0.0, upper=math.inf, logarithmic=False) if scale.logarithmic else scale


def _integrate_crps(forecast: Forecast, panels: FloatArray, y: float, scale: Scale) -> float:
    """Integrate the CRPS at one size, for a forecast on the scale of the engine."""
    tolerance = 1e-7 * (scale.upper - scale.lower if scale.straight else scale.unit)
    low, high, total = panels[:-1], panels[1:], 0.0
    for _ in range(40):
        half = (high - low) / 2
        z = low[:, None] + half[:, None] * (1 + _NODES)
        square = (forecast.cdf(z.reshape(-1, 1)).reshape(z.shape) - (z >= y)) ** 2
        if not scale.same:
            square *= scale.stretch(np.clip(z, 1e-300, 1 - 1e-16))
        integral = square @ _WEIGHTS * half
        rough = (np.abs(square @ _LAST_COEFFICIENTS).sum(axis=1) * half > tolerance) & (half > 1e-14)
        total += float(integral[~rough].sum())
        if not rough.any():
            break
        middle = (low + high)[rough] / 2
        low, high = np.append(low[rough], middle), np.append(middle, high[rough])
    else:
        total += float(integral[rough].sum())
    return total


def _subtract(predicted: ArrayLike, y: ArrayLike) -> FloatArray:
    guesses, scores = check_real_array("predicted", predicted), check_real_array("y", y, error=DataError)
    if scores.size == 0:
        raise DataError("y is empty: there is nothing to compare.")
    if scores.shape[-1:] != guesses.shape[-1:]:
        raise RequestError(
            f"predicted and y must be of the same length, got shapes {guesses.shape} and {scores.shape}."
        )
    if not np.isfinite(scores).all() or not np.isfinite(guesses).all():
        raise DataError("predicted and y must not be NaN or infinite. Leave missing measurements out.")
    if max(np.abs(scores).max(), np.abs(guesses).max()) > _MOST:
        raise DataError(f"predicted and y must be scores, got numbers beyond {_MOST:g}.")
    try:
        return guesses - scores
    except ValueError:
        raise RequestError(
            f"predicted and y must fit together, got shapes {guesses.shape} and {scores.shape}."
        ) from None


def _average(values: FloatArray, axis: Axis) -> FloatArray:
    try:
        return np.asarray(values.mean(axis=axis))[()]
    except UNUSABLE:
        raise RequestError(
            f"must be None, or one or more of the {values.ndim} axes of y, got {format_value(axis)}.", argument="axis"
        ) from None


def _check_truth(forecast: Forecast, y: ArrayLike) -> FloatArray:
    if not isinstance(forecast, Forecast):
        raise RequestError(
            f"Expected a Forecast, got {type(forecast).__name__}. Use model.forecast(sizes); a curve without a "
            "distribution can be scored with rmse and mae."
        )
    scores = check_real_array("y", y, error=DataError)
    if scores.ndim == 0:
        scores = scores[None]
    if scores.size == 0 or scores.shape[-1] != len(forecast.sizes):
        raise DataError(f"y must have one score for each of the {len(forecast.sizes)} sizes, got shape {scores.shape}.")
    low, high = forecast.scale.range
    if not ((scores >= low) & (scores <= high) & np.isfinite(scores)).all():
        raise DataError(f"y must be scores in {format_range(forecast.scale.range)}, without NaN.")
    return scores
