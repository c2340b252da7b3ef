"""Figures by which designs are judged: risks, widths, and whether a question will be settled.

The risks are expected scores of the forecast under itself. They are Bayes risks: averaged over what a design may
show, more measurements never raise them. The width of an interval is none, and is only reported.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri, owens_t

from .._check import FloatArray
from ..forecast import Forecast

__all__ = ["brier_after", "deviate", "expected_crps", "settled_after", "size_interval", "widths"]

LEVEL = 0.95
"""Of the intervals whose widths are told."""
_SIZE_LEVELS = (0.1, 0.9)  # as those of a required size
_POINTS = np.sinh(np.linspace(-3.5, 3.5, 81)) / np.sinh(3.5) * 8  # standard deviations around the mean


def expected_crps(forecast: Forecast) -> FloatArray:
    """Continuous ranked probability score that a forecast expects of itself at each size: the integral of F (1 - F)."""
    y = np.clip(forecast.mean + forecast.std * _POINTS[:, None], 0.0, 1.0)
    below = forecast.cdf(y)
    return np.asarray(np.trapezoid(below * (1 - below), y, axis=0))


def widths(forecast: Forecast) -> FloatArray:
    """Of the interval at each size."""
    lower, upper = forecast.interval(LEVEL)
    return upper - lower


def deviate(prob: FloatArray) -> FloatArray:
    """Normal score of a probability, which need not be strictly between 0 and 1."""
    score: FloatArray = ndtri(np.clip(prob, 1e-9, 1 - 1e-9))
    return score


def brier_after(prob: FloatArray, left: FloatArray) -> FloatArray:
    """Expected P (1 - P) after a design, where P is now `prob` and the share `left` of the spread stays.

    In normal scores, P will be Phi((h + sqrt(1 - left^2) Z) / left), h = Phi^-1(prob), with Z ~ N(0, 1): twice Owen's T
    function.
    """
    told = 1 - left**2
    risk: FloatArray = 2 * owens_t(deviate(prob), np.sqrt((1 - told) / (1 + told)))
    return risk


def settled_after(prob: float, left: float, confidence: float) -> float:
    """Probability that P or 1 - P will reach the confidence after a design; P as in `brier_after`."""
    sure = max(confidence, 1 - confidence)
    told = np.sqrt(max(1 - left**2, 0.0))
    centre, edge = float(deviate(np.asarray(prob))), left * float(ndtri(sure))
    if told < 1e-9:
        return float(abs(centre) >= edge)
    return float(ndtr((centre - edge) / told) + ndtr((-centre - edge) / told))


def size_interval(sizes: FloatArray, deviates: FloatArray) -> tuple[float, float]:
    """Sizes from which on the target is met with 10 and with 90 %: between sizes, straight in normal scores.

    The smallest size stands for all below it; where even the largest does not do, the answer is infinity.
    """
    ends = []
    for level in _SIZE_LEVELS:
        surplus = deviates - ndtri(level)
        short = np.flatnonzero(surplus < 0)
        if not short.size:
            ends.append(float(sizes[0]))
        elif short[-1] == len(sizes) - 1:
            ends.append(np.inf)
        else:
            i = int(short[-1])
            step = -surplus[i] / (surplus[i + 1] - surplus[i])
            ends.append(float(np.exp(np.log(sizes[i]) + step * np.log(sizes[i + 1] / sizes[i]))))
    return ends[0], ends[1]
