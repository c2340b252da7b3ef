"""Independent integrals of one posterior, pooled: more exact than each, and their scatter says how exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import FloatArray
from ..forecast import Quantity
from .bayes import AveragedPosterior, average
from .contract import Mixture
from .draws import Nodes
from .integral import integrate
from .posterior import Posterior
from .rounds import POOLING

__all__ = ["PooledPosterior", "pool"]


def pool(posteriors: Sequence[Posterior]) -> Posterior:
    """Pool independent integrals of one density, each weighted by its evidence.

    Evidence is estimated without bias, so that of the pool is their mean.
    """
    evidence = np.array([p.log_evidence for p in posteriors])
    top = evidence.max()
    masses = np.exp(evidence - top)
    shares = masses / masses.sum()
    bounds = np.einsum("k,k...->...", shares, [p.end_bounds for p in posteriors])
    return replace(
        posteriors[0],
        nodes=Nodes.join([p.nodes for p in posteriors]),
        weights=np.concatenate([share * p.weights for share, p in zip(shares, posteriors, strict=True)]),
        log_evidence=float(top + np.log(masses.mean())),
        effective_size=float(1 / sum(shares**2 / [p.effective_size for p in posteriors])),
        end_bounds=bounds[2] + np.sqrt(shares @ shares) * (bounds - bounds[2]),
        masses=np.concatenate([share * p.masses for share, p in zip(shares, posteriors, strict=True)]),
        evaluations=sum(p.evaluations for p in posteriors),
    )


@dataclass(frozen=True)
class PooledPosterior:
    """Independent integrals of a fitted curve, the first of them being the fit."""

    integrals: tuple[AveragedPosterior, ...]

    def pool_integrals(self, count: int) -> PooledPosterior:
        """The first `count` integrals: those that are still missing are computed."""
        first = self.integrals[0]
        more = [_integrate_again(first, number) for number in range(len(self.integrals), count)]
        return PooledPosterior((*self.integrals, *more)[:count])

    @cached_property
    def whole(self) -> AveragedPosterior:
        """The integrals pooled: one posterior from the nodes of all."""
        first = self.integrals[0]
        by_mean = zip(*(one.posteriors for one in self.integrals), strict=True)
        return replace(average([pool(same) for same in by_mean], first.precision, first.seed), curve=first.curve)

    @cached_property
    def _owner(self) -> NDArray[np.intp]:
        """Number of the integral that each node of the whole is from."""
        by_mean = zip(*(one.posteriors for one in self.integrals), strict=True)
        lengths = [len(posterior.weights) for same in by_mean for posterior in same]
        numbers = np.arange(len(lengths)) % len(self.integrals)
        return np.repeat(numbers, lengths)

    def predict(self, sizes: FloatArray, of: Quantity, n_splits: int | None = None) -> Mixture:
        """One component for each node of all integrals."""
        return self.whole.predict(sizes, of, n_splits)

    def standard_error(self, sizes: ArrayLike, scores: ArrayLike, of: Quantity) -> FloatArray:
        """Monte-Carlo error of P(score <= y) at each size; arguments as for `AveragedPosterior.standard_error`.

        The jackknife over integrals and what the first tells of its own error, each weighted by its degrees of freedom:
        a few integrals may agree by chance.
        """
        count, told = len(self.integrals), self.integrals[0].standard_error(sizes, scores, of)
        weights, chances = self.whole.node_weights, self.whole.chances(sizes, scores, of)
        share = np.bincount(self._owner, weights, count)[:, None]
        below = np.stack([np.bincount(self._owner, weights * column, count) for column in chances.T], axis=1)
        without = (below.sum(axis=0) - below) / np.maximum(1 - share, 1e-300)
        scatter = (count - 1) / count * ((without - without.mean(axis=0)) ** 2).sum(axis=0)
        worth = POOLING.told_worth
        error: FloatArray = np.sqrt((worth * told**2 / count + (count - 1) * scatter) / (worth + count - 1))
        return error


def _integrate_again(fit: AveragedPosterior, number: int) -> AveragedPosterior:
    """Integrate the same densities once more, with a seed that follows from that of the fit and a number."""
    seed = int(np.random.SeedSequence([fit.seed, number]).generate_state(1)[0])
    posteriors = [integrate(p.density, p.statistics, seed, precision=fit.precision) for p in fit.posteriors]
    return replace(average(posteriors, fit.precision, seed), curve=fit.curve)
