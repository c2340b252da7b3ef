"""Averaging over means by their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._check import FloatArray
from .bayes import Posterior
from .nodes import draw_scores

__all__ = ["Average", "average"]

# A posterior of the share still to be won that is about as wide as its prior has learnt nothing of it.
_UNINFORMED = 0.87

_BLOCK = 2**22  # numbers in the covariances of the curves that are drawn at a time


@dataclass(frozen=True)
class Average:
    """Posteriors under one or several means, and the weight of each."""

    posteriors: tuple[Posterior, ...]
    weights: dict[str, float]
    log_evidence: float

    @property
    def uses_replicates(self) -> bool:
        """Whether single scores counted, or only their mean at each size."""
        return self.posteriors[0].model.beliefs.uses_replicates

    @property
    def effective_size(self) -> float:
        """The least effective number of nodes among the means that count."""
        return min(p.effective_size for p in self.posteriors if self.weights[p.model.mean.name] > 0.05)

    @cached_property
    def node_weights(self) -> FloatArray:
        """Weights of all nodes, one mean after the other."""
        return np.concatenate([self.weights[p.model.mean.name] * p.weights for p in self.posteriors])

    def predict(self, sizes: FloatArray, of: str, n_splits: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Locations, scales (nodes, sizes) and weights (nodes,) of the mixture over all means."""
        parts = [p.predict(sizes, of, n_splits) for p in self.posteriors]
        locations, scales = (np.concatenate(part) for part in zip(*parts, strict=True))
        return locations, scales, self.node_weights

    def sample(self, n: int, sizes: FloatArray, of: str, n_splits: float, rng: np.random.Generator) -> FloatArray:
        """Draw n whole curves, shape (n, sizes), scores cut to [0, 1]."""
        weights = self.node_weights
        chosen = np.sort(rng.choice(len(weights), n, p=weights / weights.sum()))
        drawn, start = np.empty((n, len(sizes))), 0
        for posterior in self.posteriors:
            own = np.flatnonzero((chosen >= start) & (chosen < start + len(posterior.weights)))
            for rows in np.array_split(own, 1 + len(own) * len(sizes) ** 2 // _BLOCK):
                if rows.size:
                    joint = posterior.joint(sizes, of, n_splits, chosen[rows] - start)
                    drawn[rows] = draw_scores(*joint, rng)
            start += len(posterior.weights)
        return rng.permutation(drawn)

    def summary(self, level: float) -> dict[str, dict[str, tuple[float, float, float]]]:
        """Median and equal-tailed interval of every parameter, by mean."""
        return {p.model.mean.name: _summary_of(p, level) for p in self.posteriors}

    @property
    def medians(self) -> dict[str, float]:
        """Median of every parameter under the mean with the largest weight."""
        best = max(self.posteriors, key=lambda p: self.weights[p.model.mean.name])
        return {name: median for name, (median, _, _) in _summary_of(best, 0.95).items()}

    def cautions(self, sizes: FloatArray) -> tuple[str, ...]:
        """Whether the pilot has said anything about how far the curve will still rise."""
        last = self.posteriors[0].pilot.sizes[-1]
        if sizes.max() < 2 * last:
            return ()
        share = np.concatenate([p.drop_share for p in self.posteriors])
        weights = self.node_weights
        mean = weights @ share
        spread = np.sqrt(weights @ (share - mean) ** 2)
        if spread < _UNINFORMED * _PRIOR_SPREAD:
            return ()
        return (
            "The pilot says little about how far the curve will still improve; far from it the forecast rests on what "
            "other curves have done.",
        )


# Standard deviation of the share under the priors: near that of Beta(0.8, 0.7), and of a flat prior.
_PRIOR_SPREAD = 0.31


def average(posteriors: Sequence[Posterior]) -> Average:
    """Weigh each mean by its evidence; all are equally probable beforehand."""
    evidence = np.array([p.log_evidence for p in posteriors])
    top = evidence.max()
    weights = np.exp(evidence - top)
    shares = weights / weights.sum()
    return Average(
        tuple(posteriors),
        {p.model.mean.name: float(share) for p, share in zip(posteriors, shares, strict=True)},
        float(top + np.log(weights.mean())),
    )


def _summary_of(posterior: Posterior, level: float) -> dict[str, tuple[float, float, float]]:
    levels = np.array([0.5, (1 - level) / 2, (1 + level) / 2])
    summary = {}
    for name, values in posterior.parameters().items():
        median, lower, upper = _weighted_quantiles(values, posterior.weights, levels).tolist()
        summary[name] = median, lower, upper
    return summary


def _weighted_quantiles(values: FloatArray, weights: FloatArray, levels: FloatArray) -> FloatArray:
    order = np.argsort(values)
    cumulative = np.cumsum(weights[order]) - 0.5 * weights[order]
    return np.interp(levels, cumulative, values[order])
