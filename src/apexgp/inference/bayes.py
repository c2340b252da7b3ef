"""Full Bayes: the posterior of the model integrated over weighted nodes instead of maximised, averaged over means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._check import FloatArray, check_choice, check_sizes, format_value
from ..cautions import find_inexact_cautions, find_uninformed_cautions
from ..curve import LearningCurve
from ..errors import DataError, RequestError
from ..forecast import Quantity
from ..model.beliefs import Beliefs
from ..model.means import Mean
from ..numerics.truncated_normal import TruncatedNormal
from .contract import Mixture
from .density import Density
from .ends import find_end_error
from .gaussian_algebra import draw_scores
from .integral import integrate
from .posterior import Posterior
from .rounds import POOLING, TOLERATED
from .statistics import Statistics

if TYPE_CHECKING:
    from .pooling import PooledPosterior

__all__ = ["AveragedPosterior", "FullBayes", "average"]

_ROUGHLY = 0.01  # standard error of a mean score that says nothing of its own
# Measured over 21 varied pilots and 32 seeds, so that standard errors of probabilities are those over seeds: 88 % are
# within a factor of 1.5.
_EVEN_SPREAD = 0.6  # standard error over that of independent nodes, draws at the same one counting as one
_THINNING = 0.25  # variance over the sum of squared differences of neighbours: half of what random choices have
_BLOCK = 2**22  # numbers in the covariances of the curves that are drawn at a time


@dataclass(frozen=True)
class FullBayes:
    """An engine: means, beliefs about their parameters and the noise, and the range of scores that a mean may take."""

    means: tuple[Mean, ...]
    beliefs: Beliefs
    ceiling: float
    floor: float
    seed: int
    precision: float = TOLERATED
    """Standard error of the ends of far 95 % intervals, relative to their width, that is aimed at."""
    roughly: bool = False
    """Whether fewer nodes suffice: where figures are means over many fits, errors cancel out."""
    learner: str | None = None
    """Kind of learner, whatever the curve says; None: as it says."""

    @property
    def fewest_sizes(self) -> int:
        """Calibrated priors know what curves usually do from a level on; the paper's have only the trend to go by."""
        return min(mean.fewest_sizes for mean in self.means) if self.beliefs.uses_replicates else 3

    def check(self, curve: LearningCurve) -> None:
        """Refuse a curve that is worse than the chance level by more than noise."""
        pilot = curve.upward.replicates
        worst = int(pilot.mean.argmin())
        error = max(pilot.std[worst] / np.sqrt(pilot.count[worst]), _ROUGHLY)
        if pilot.mean[worst] + 2 * error < self.floor:
            higher = curve.direction == "higher"
            bound, score = (float(curve.from_upward(value)) for value in (self.floor, pilot.mean[worst]))
            wanted = "floor that no score is below, or 0" if higher else "ceiling that no score is above, or 1"
            raise DataError(
                f"The {'floor' if higher else 'ceiling'} is {bound:g}, but the mean score at size "
                f"{pilot.sizes[worst]:g} is {score:g}. Give a {wanted} if you do not know the chance level."
            )

    def fit(self, curves: Sequence[LearningCurve]) -> list[AveragedPosterior]:
        """Posterior of each curve."""
        return [self._fit(curve) for curve in curves]

    def _fit(self, curve: LearningCurve) -> AveragedPosterior:
        if self.learner is not None and self.learner != curve.learner:
            curve = replace(curve, learner=self.learner)
        statistics = Statistics.of(curve, only_means=not self.beliefs.uses_replicates)
        means = [mean for mean in self.means if mean.fewest_sizes <= len(statistics.sizes)]
        densities = [Density(mean, self.beliefs, self.ceiling, self.floor) for mean in means]
        posteriors = [
            integrate(density, statistics, self.seed, precision=self.precision, roughly=self.roughly)
            for density in densities
        ]
        return average(posteriors, np.inf if self.roughly else self.precision, self.seed)


@dataclass(frozen=True)
class AveragedPosterior:
    """A fitted curve: posteriors under one or several means, and the weight of each."""

    posteriors: tuple[Posterior, ...]
    weights: dict[str, float]
    log_evidence: float
    precision: float
    """Error of the ends of far intervals that was aimed at, relative to their width."""
    curve: LearningCurve
    """The curve whose kind of score `standard_error` is asked about: as it was fitted, or as its owner has it."""
    seed: int
    """Seed of the integration nodes."""

    @property
    def posterior(self) -> AveragedPosterior:
        """Itself: what questions that need more than forecasts go by."""
        return self

    @property
    def effective_size(self) -> float:
        """The least effective number of nodes among the means that count."""
        return min(p.effective_size for p in self.posteriors if self.weights[p.density.mean.name] > 0.05)

    @property
    def end_error(self) -> float:
        """The largest standard error of the ends of far intervals, relative to their width, among those means.

        On the scale of the curve's own scores.
        """
        return max(
            find_end_error(self.curve.from_upward(p.end_bounds), p.effective_size)
            for p in self.posteriors
            if self.weights[p.density.mean.name] > 0.05
        )

    @property
    def has_distribution(self) -> bool:
        """True: it is a mixture of normal distributions."""
        return True

    @property
    def diagnostics(self) -> dict[str, object]:
        """Weights of the means, evidence, effective number of nodes, and error of the ends of far intervals."""
        return {
            "weights": self.weights,
            "log_evidence": self.log_evidence,
            "effective_size": self.effective_size,
            "end_error": self.end_error,
        }

    def drawn(self, rng: np.random.Generator) -> AveragedPosterior:
        """The same with the level of each node drawn from its distribution."""
        return replace(self, posteriors=tuple(posterior.drawn(rng) for posterior in self.posteriors))

    @cached_property
    def node_weights(self) -> FloatArray:
        """Weights of all nodes, one mean after the other."""
        return np.concatenate([self.weights[p.density.mean.name] * p.weights for p in self.posteriors])

    @property
    def resolution(self) -> float:
        """How far apart measured scores are: a count out of the test cases, or what the priors say."""
        first = self.posteriors[0]
        known, least = first.statistics.curve.n_test, first.density.beliefs.resolution
        if not least or known is None:
            return least
        return max(least, 1 / float(np.nanmedian(known)))

    def predict(self, sizes: FloatArray, of: Quantity, n_splits: int | None = None) -> Mixture:
        """One component for each node, whatever its mean."""
        of, splits = self._resolve_question(of, n_splits)
        parts = [p.predict(sizes, of, splits) for p in self.posteriors]
        locations, scales = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Mixture(locations, scales, self.node_weights)

    def _resolve_question(self, of: Quantity, n_splits: int | None) -> tuple[Quantity, float]:
        """Resolve a question: the quantity that can be forecast, and over how many splits its mean is taken."""
        statistics = self.posteriors[0].statistics
        if of == "same_splits" and not statistics.labelled:
            of = "new_splits"  # there is nothing to continue
        count = n_splits or statistics.typical_count
        # Where only means count, the noise is that of a mean over as many splits as usual.
        only_means = not self.posteriors[0].density.beliefs.uses_replicates
        return of, count / statistics.typical_count if only_means else count

    def standard_error(self, sizes: ArrayLike, scores: ArrayLike, of: Quantity) -> FloatArray:
        """Monte-Carlo error of P(score <= y) at each size.

        The nodes' part is that of a weighted mean over independent nodes, by the delta method, in which draws at the
        same node count as one; nodes that are spread evenly do better, by a factor that was measured. The thinning's
        part comes from how components differ from their neighbours in the order in which they were chosen.

        Parameters
        ----------
        sizes
            Training-set sizes.
        scores
            y, on the scale of the curve's own scores: one for all sizes, or one for each.
        of
            What is forecast, as for `forecast`.
        """
        weights, chances = self.node_weights, self.chances(sizes, scores, of)
        gaps = chances - weights @ chances
        masses = np.concatenate([self.weights[p.density.mean.name] * p.masses for p in self.posteriors])
        variance = _EVEN_SPREAD**2 * ((weights * masses) @ gaps**2)
        start, influence = 0, weights[:, None] * gaps
        for posterior in self.posteriors:
            steps = np.diff(influence[start + posterior.order], axis=0)
            variance += _THINNING * (steps**2).sum(axis=0)
            start += len(posterior.weights)
        error: FloatArray = np.sqrt(variance)
        return error

    def chances(self, sizes: ArrayLike, scores: ArrayLike, of: Quantity) -> FloatArray:
        """P(score <= y) at each node and size, shape (nodes, sizes); arguments as for `standard_error`."""
        at, levels = check_sizes("sizes", sizes), self.curve.as_upward(scores)
        if levels.shape not in ((), at.shape) or np.isnan(levels).any():
            raise RequestError(
                f"must be one number, or one for each of the {len(at)} sizes, and not NaN, got {format_value(scores)}.",
                argument="scores",
            )
        check_choice("of", of, get_args(Quantity))
        mixture = self.predict(at, of)
        return TruncatedNormal(mixture.locations, mixture.scales).cdf(levels)

    @property
    def most_integrals(self) -> int:
        """How many integrals an answer may pool; one where a rough integral is wanted."""
        if math.isinf(self.precision):
            return 1
        return POOLING.count_affordable(sum(p.evaluations for p in self.posteriors))

    def pool_integrals(self, count: int) -> PooledPosterior:
        """Pool so many independent integrals: this one and others, whose seeds follow from its own."""
        from .pooling import PooledPosterior

        return PooledPosterior((self,)).pool_integrals(count)

    def sample(
        self, n: int, sizes: FloatArray, of: Quantity, n_splits: int | None, rng: np.random.Generator
    ) -> FloatArray:
        """Draw n whole curves, shape (n, sizes), scores cut to [0, 1]."""
        of, splits = self._resolve_question(of, n_splits)
        weights = self.node_weights
        chosen = np.sort(rng.choice(len(weights), n, p=weights / weights.sum()))
        drawn, start = np.empty((n, len(sizes))), 0
        for posterior in self.posteriors:
            own = np.flatnonzero((chosen >= start) & (chosen < start + len(posterior.weights)))
            for rows in np.array_split(own, 1 + len(own) * len(sizes) ** 2 // _BLOCK):
                if rows.size:
                    joint = posterior.joint(sizes, of, splits, chosen[rows] - start)
                    drawn[rows] = draw_scores(*joint, rng)
            start += len(posterior.weights)
        return rng.permutation(drawn)

    def summary(self, level: float) -> dict[str, dict[str, tuple[float, float, float]]]:
        """Median and equal-tailed interval of every parameter, by mean."""
        return {p.density.mean.name: _summary_of(p, level) for p in self.posteriors}

    @property
    def parameters(self) -> dict[str, float]:
        """Median of every parameter under the mean with the largest weight."""
        best = max(self.posteriors, key=lambda p: self.weights[p.density.mean.name])
        return {name: median for name, (median, _, _) in _summary_of(best, 0.95).items()}

    def cautions(self, sizes: FloatArray) -> tuple[str, ...]:
        """Whether the integral is exact, and the pilot has said anything about how far the curve will still rise."""
        pilot = self.posteriors[0].statistics.replicates
        return self.inexact_cautions + find_uninformed_cautions(sizes, pilot, self._spread_of_share)

    @property
    def inexact_cautions(self) -> tuple[str, ...]:
        """Whether the integral is as exact as was aimed at."""
        return find_inexact_cautions(self.end_error, self.precision)

    @cached_property
    def _spread_of_share(self) -> float:
        """Standard deviation of the share, of the room above the curve, that is still to be won."""
        share = np.concatenate([p.drop_share for p in self.posteriors])
        mean = self.node_weights @ share
        return float(np.sqrt(self.node_weights @ (share - mean) ** 2))


def average(posteriors: Sequence[Posterior], precision: float, seed: int) -> AveragedPosterior:
    """Weigh each mean by its evidence; all are equally probable beforehand.

    `precision` is the error of the ends of far intervals that was aimed at, `seed` that of the nodes.
    """
    evidence = np.array([p.log_evidence for p in posteriors])
    top = evidence.max()
    weights = np.exp(evidence - top)
    shares = weights / weights.sum()
    return AveragedPosterior(
        tuple(posteriors),
        {p.density.mean.name: float(share) for p, share in zip(posteriors, shares, strict=True)},
        float(top + np.log(weights.mean())),
        precision,
        posteriors[0].statistics.curve,
        seed,
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
