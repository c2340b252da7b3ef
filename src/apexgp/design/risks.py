"""Figures by which designs are judged: risks, widths, and what becomes of a decision.

The risks are expected scores of the forecast under itself. They are Bayes risks: averaged over what a design may
show, more measurements never raise them. The width of an interval is none, and is only reported.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri, owens_t

from .._check import FloatArray
from ..forecast import Forecast

__all__ = [
    "brier_after",
    "expected_crps",
    "interval_widths",
    "normal_score",
    "prob_decided_after",
    "prob_right_after",
    "required_sizes_after",
]

WIDTH_LEVEL = 0.95
"""Of the intervals whose widths are told."""
_LUCK = ndtri(np.array([0.9, 0.1]))  # good and bad, between which eight cases of ten lie
_POINTS = np.sinh(np.linspace(-3.5, 3.5, 81)) / np.sinh(3.5) * 8  # standard deviations around the mean


def expected_crps(forecast: Forecast) -> FloatArray:
    """Continuous ranked probability score that a forecast expects of itself at each size: the integral of F (1 - F)."""
    y = np.clip(forecast.mean + forecast.std * _POINTS[:, None], 0.0, 1.0)
    below = forecast.cdf(y)
    return np.asarray(np.trapezoid(below * (1 - below), y, axis=0))


def interval_widths(forecast: Forecast) -> FloatArray:
    """Of the interval at each size."""
    lower, upper = forecast.interval(WIDTH_LEVEL)
    return upper - lower


def normal_score(prob: FloatArray) -> FloatArray:
    """Normal score of a probability, which need not be strictly between 0 and 1."""
    score: FloatArray = ndtri(np.clip(prob, 1e-9, 1 - 1e-9))
    return score


def brier_after(prob: FloatArray, left: FloatArray) -> FloatArray:
    """Expected P (1 - P) after a design, where P is now `prob` and the share `left` of the spread stays.

    In normal scores, P will be Phi((h + sqrt(1 - left^2) Z) / left), h = Phi^-1(prob), with Z ~ N(0, 1): twice Owen's T
    function.
    """
    told = 1 - left**2
    risk: FloatArray = 2 * owens_t(normal_score(prob), np.sqrt((1 - told) / (1 + told)))
    return risk


def prob_decided_after(prob: float, left: float, confidence: float) -> tuple[float, float]:
    """Probabilities that P, and that 1 - P, will reach the confidence after a design; P as in `brier_after`."""
    sure = max(confidence, 1 - confidence)
    told = np.sqrt(max(1 - left**2, 0.0))
    centre, edge = float(normal_score(np.asarray(prob))), left * float(ndtri(sure))
    if told < 1e-9:
        return float(centre >= edge), float(-centre >= edge)
    return float(ndtr((centre - edge) / told)), float(ndtr((-centre - edge) / told))


def prob_right_after(prob: float, left: float) -> float:
    """Expected max(P, 1 - P) after a design, how probably the likelier answer is right; P as in `brier_after`.

    The probability that the truth and what is then expected lie on the same side: by Owen's T function, too.
    """
    told = np.sqrt(max(1 - left**2, 0.0))
    return float(1 - 2 * owens_t(normal_score(np.asarray(prob)), left / max(told, 1e-12)))


def required_sizes_after(
    sizes: FloatArray, prob: FloatArray, left: FloatArray, confidence: float
) -> tuple[float, float]:
    """Required sizes after a design if its news are good and if they are bad: eight cases of ten lie between.

    The news move P at all sizes alike, in normal scores; P as in `brier_after`. The smallest size stands for all below
    it; where even the largest does not do, the answer is infinity.
    """
    told = np.sqrt(np.maximum(1 - left**2, 0.0))
    centre = normal_score(prob) - left * ndtri(confidence)
    good, bad = (_find_crossing(sizes, centre + told * luck) for luck in _LUCK)
    return good, bad


def _find_crossing(sizes: FloatArray, surplus: FloatArray) -> float:
    """Size from which on there is a surplus: between sizes, straight over the logarithm."""
    short = np.flatnonzero(surplus < 0)
    if not short.size:
        return float(sizes[0])
    if short[-1] == len(sizes) - 1:
        return float(np.inf)
    i = int(short[-1])
    step = -surplus[i] / (surplus[i + 1] - surplus[i])
    return float(np.exp(np.log(sizes[i]) + step * np.log(sizes[i + 1] / sizes[i])))
