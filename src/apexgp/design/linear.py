"""What a design would tell, in closed form: the best linear predictor of later scores from new measurements.

Before anything new is measured, later scores z and new mean scores Y have a joint distribution. Of all linear functions
of Y, the best one leaves the variance Var(z) - Cov(z, Y) Var(Y)^-1 Cov(Y, z), whatever the distribution; if it is
Gaussian, no function does better. Moments come from the nodes by the law of total covariance, so that nothing is drawn.
A design that holds another leaves no more variance: the law of Bayes risks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from .knowledge import Knowledge
from .plans import Design

__all__ = ["LinearPredictor"]


class _Moments(NamedTuple):
    """Of one part of the nodes. Covariances run over f at all sizes, then the pilot's own splits at all sizes."""

    share: float
    covariance: FloatArray
    own_noise: FloatArray
    """Variance that the mean over the own splits adds at each size."""
    single: FloatArray
    carried: FloatArray
    """Covariance between sizes of what one split carries."""


class LinearPredictor:
    """Spread of the true score at some sizes after a design has been measured.

    Parameters
    ----------
    parts
        What is known, in parts that measurements will tell apart, each with its share.
    asked
        Sizes at which the score matters.
    """

    def __init__(self, parts: Sequence[tuple[float, Knowledge]], asked: FloatArray) -> None:
        self._sizes = parts[0][1].sizes
        self._asked = parts[0][1].places(asked)
        self._parts = [_compute_moments(share, knowledge) for share, knowledge in parts]

    def now(self) -> FloatArray:
        """Standard deviation of f at the asked sizes, averaged over the parts."""
        variances = [part.covariance[self._asked, self._asked] for part in self._parts]
        return sum(p.share * np.sqrt(v) for p, v in zip(self._parts, variances, strict=True))  # type: ignore[return-value]

    def after(self, design: Design) -> FloatArray:
        """The same after the design."""
        at = np.searchsorted(self._sizes, np.array(design.sizes))
        total = np.zeros(len(self._asked))
        for part in self._parts:
            total += part.share * np.sqrt(self._left(part, at, design))
        return total

    def _left(self, part: _Moments, at: NDArray[np.intp], design: Design) -> FloatArray:
        """Variance that is left."""
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
        told = np.einsum("qr,rq->q", cross, np.linalg.solve(measured, cross.T))
        before = part.covariance[self._asked, self._asked]
        return np.clip(before - told, 1e-12 * before, before)


def _compute_moments(share: float, known: Knowledge) -> _Moments:
    curve = known.mean(known.covariance) + known.between(known.location, known.location)
    single, carried = known.mean(known.single), np.einsum("pn,qn,n->pq", known.carried, known.carried, known.weights)
    if not known.labelled:
        # Nobody will know which scores share a split: to the reader all of it is noise.
        single, carried = single + np.diag(carried), np.zeros_like(carried)
    if known.own is None:
        return _Moments(share, curve, single, single, carried)
    own = known.own
    located = known.location + own.shift
    with_curve = np.einsum("pn,qn,n->pq", own.with_curve, own.weight, known.weights)
    crossed = known.mean(known.covariance) + with_curve + known.between(known.location, located)
    effects = np.einsum("pn,qn,n,n->pq", own.weight, own.weight, own.variance, known.weights, optimize=True)
    together = known.mean(known.covariance) + with_curve + with_curve.T + effects + known.between(located, located)
    both = np.block([[curve, crossed], [crossed.T, together]])
    return _Moments(share, both, known.mean(own.single), single, carried)
