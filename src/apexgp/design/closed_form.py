"""Expected effects of a design in closed form: the spread that it leaves, and the figures by which it is judged.

Before anything new is measured, later scores z and new mean scores Y have a joint distribution. Of all linear functions
of Y, the best one leaves the variance Var(z) - Cov(z, Y) Var(Y)^-1 Cov(Y, z), whatever the distribution; if it is
Gaussian, no function does better. Moments come from the nodes by the law of total covariance, so that nothing is drawn.
A design that holds another leaves no more variance: the law of Bayes risks.

The risks are expected scores of the forecast under itself. They are Bayes risks, too: averaged over what a design may
show, more measurements never raise them. The width of an interval is none, and is only reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, owens_t

from .._check import FloatArray
from ..forecast import Forecast
from .designs import Design
from .knowledge import Knowledge

__all__ = [
    "LinearPredictor",
    "brier_after",
    "expected_crps",
    "interval_widths",
    "normal_score",
    "prob_decided_after",
    "prob_right_after",
    "required_sizes_after",
]


class _Moments(NamedTuple):
    """Moments over one part of the nodes; covariances run over f at all sizes, then over the pilot's splits."""

    share: float
    covariance: FloatArray
    own_noise: FloatArray
    """Variance that the mean over the pilot's own splits adds at each size."""
    single: FloatArray
    carried: FloatArray
    """Covariance between sizes of the effect of one split."""


class LinearPredictor:
    """Spread of the true score at some sizes after a design has been measured.

    Parameters
    ----------
    parts
        Present knowledge, in parts that measurements will tell apart, each with its share.
    asked
        Sizes at which the score matters.
    """

    def __init__(self, parts: Sequence[tuple[float, Knowledge]], asked: FloatArray) -> None:
        self._sizes = parts[0][1].sizes
        self._asked = parts[0][1].find_places(asked)
        self._parts = [_compute_moments(share, knowledge) for share, knowledge in parts]

    def spread_now(self) -> FloatArray:
        """Standard deviation of f at the asked sizes, averaged over the parts."""
        variances = [part.covariance[self._asked, self._asked] for part in self._parts]
        return sum(p.share * np.sqrt(v) for p, v in zip(self._parts, variances, strict=True))  # type: ignore[return-value]

    def spread_after(self, design: Design) -> FloatArray:
        """Standard deviation of f at the asked sizes after a design, averaged over the parts."""
        at = np.searchsorted(self._sizes, np.array(design.sizes))
        total = np.zeros(len(self._asked))
        for part in self._parts:
            total += part.share * np.sqrt(self._variance_left(part, at, design))
        return total

    def _variance_left(self, part: _Moments, at: NDArray[np.intp], design: Design) -> FloatArray:
        """Variance of f at the asked sizes that a design leaves, in one part."""
        diagonal = np.arange(len(at))
        if design.continued:
            rows = at + len(self._sizes)
            measured = part.covariance[np.ix_(rows, rows)]
            measured[diagonal, diagonal] += part.own_noise[at]
        else:
            rows = at
            measured = part.covariance[np.ix_(rows, rows)] + part.carried[np.ix_(at, at)] / design.n_splits
            measured[diagonal, diagonal] += part.single[at] / design.n_splits
        measured[diagonal, diagonal] *= 1 + 1e-10  # close sizes make it singular to rounding
        cross = part.covariance[np.ix_(self._asked, rows)]
        explained = np.einsum("qr,rq->q", cross, np.linalg.solve(measured, cross.T))
        before = part.covariance[self._asked, self._asked]
        return np.clip(before - explained, 1e-12 * before, before)


def _compute_moments(share: float, known: Knowledge) -> _Moments:
    curve = known.average(known.covariance) + known.covariance_between(known.location, known.location)
    single, carried = known.average(known.single), np.einsum("pn,qn,n->pq", known.carried, known.carried, known.weights)
    if not known.labelled:
        # Nobody will know which scores share a split: the effect of splits is noise, too.
        single, carried = single + np.diag(carried), np.zeros_like(carried)
    if known.pilot_splits is None:
        return _Moments(share, curve, single, single, carried)
    splits = known.pilot_splits
    located = known.location + splits.shift
    with_curve = np.einsum("pn,qn,n->pq", splits.with_curve, splits.weight, known.weights)
    crossed = known.average(known.covariance) + with_curve + known.covariance_between(known.location, located)
    effects = np.einsum("pn,qn,n,n->pq", splits.weight, splits.weight, splits.variance, known.weights, optimize=True)
    together = (
        known.average(known.covariance)
        + with_curve
        + with_curve.T
        + effects
        + known.covariance_between(located, located)
    )
    both = np.block([[curve, crossed], [crossed.T, together]])
    return _Moments(share, both, known.average(splits.single), single, carried)


WIDTH_LEVEL = 0.95
"""Level of the intervals whose widths are reported."""
_LUCK = ndtri(np.array([0.9, 0.1]))  # good and bad news: eight cases of ten lie between
_POINTS = np.sinh(np.linspace(-3.5, 3.5, 81)) / np.sinh(3.5) * 8  # standard deviations around the mean


def expected_crps(forecast: Forecast) -> FloatArray:
    """Continuous ranked probability score that a forecast expects of itself at each size: the integral of F (1 - F)."""
    spread = np.where(np.isfinite(forecast.std), forecast.std, interval_widths(forecast) / 4)
    y = np.clip(forecast.mean + spread * _POINTS[:, None], *forecast.scale.range)
    below = forecast.cdf(y)
    return np.asarray(np.trapezoid(below * (1 - below), y, axis=0))


def interval_widths(forecast: Forecast) -> FloatArray:
    """Widths of the 95 % interval at each size."""
    lower, upper = forecast.interval(WIDTH_LEVEL)
    return upper - lower


def normal_score(prob: FloatArray) -> FloatArray:
    """Normal score Phi^-1 of a probability, finite also for 0 and 1."""
    score: FloatArray = ndtri(np.clip(prob, 1e-9, 1 - 1e-9))
    return score


def brier_after(prob: FloatArray, left: FloatArray) -> FloatArray:
    """Expected P (1 - P) after a design, where P is now `prob` and the design leaves the share `left` of the spread.

    In normal scores, P will be Phi((h + sqrt(1 - left^2) Z) / left), h = Phi^-1(prob), with Z ~ N(0, 1): twice Owen's T
    function.
    """
    explained = 1 - left**2
    risk: FloatArray = 2 * owens_t(normal_score(prob), np.sqrt((1 - explained) / (1 + explained)))
    return risk


def prob_decided_after(prob: float, left: float, confidence: float) -> tuple[float, float]:
    """Probabilities that P, and that 1 - P, will reach the confidence after a design; P as in `brier_after`."""
    sure = max(confidence, 1 - confidence)
    explained = np.sqrt(max(1 - left**2, 0.0))
    centre, edge = float(normal_score(np.asarray(prob))), left * float(ndtri(sure))
    if explained < 1e-9:
        return float(centre >= edge), float(-centre >= edge)
    return float(ndtr((centre - edge) / explained)), float(ndtr((-centre - edge) / explained))


def prob_right_after(prob: float, left: float) -> float:
    """Expected max(P, 1 - P) after a design: the probability that the likelier answer is right; P as in `brier_after`.

    It is the probability that the truth and its expectation lie on the same side, by Owen's T function, too.
    """
    explained = np.sqrt(max(1 - left**2, 0.0))
    return float(1 - 2 * owens_t(normal_score(np.asarray(prob)), left / max(explained, 1e-12)))


def required_sizes_after(
    sizes: FloatArray, prob: FloatArray, left: FloatArray, confidence: float
) -> tuple[float, float]:
    """Required sizes after a design with good news, and with bad news: eight cases of ten lie between.

    News move P at all sizes alike, in normal scores; P as in `brier_after`. The smallest size stands for all below
    it; where even the largest does not suffice, the size is infinite.
    """
    explained = np.sqrt(np.maximum(1 - left**2, 0.0))
    centre = normal_score(prob) - left * ndtri(confidence)
    good, bad = (_find_crossing(sizes, centre + explained * luck) for luck in _LUCK)
    return good, bad


def _find_crossing(sizes: FloatArray, surplus: FloatArray) -> float:
    """Find the size beyond which the surplus is positive, by linear interpolation over log size."""
    short = np.flatnonzero(surplus < 0)
    if not short.size:
        return float(sizes[0])
    if short[-1] == len(sizes) - 1:
        return float(np.inf)
    i = int(short[-1])
    step = -surplus[i] / (surplus[i + 1] - surplus[i])
    return float(np.exp(np.log(sizes[i]) + step * np.log(sizes[i + 1] / sizes[i])))
