"""Full Bayes: the posterior of the model integrated over weighted nodes instead of maximised, averaged over means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._warn import warn
from ..curve import LearningCurve
from ..errors import AccuracyWarning, DataError
from ..model.beliefs import Beliefs
from ..model.means import Mean
from .averaging import AveragedPosterior, average
from .density import Density
from .sampler import TOLERATED, integrate
from .statistics import Batch, Statistics

__all__ = ["FullBayes"]

# Curves are integrated together as long as their nodes' matrices fit into the processor's cache.
_TOGETHER, _MATRICES = 8, 300
_ROUGHLY = 0.01  # standard error of a mean score that says nothing of its own


@dataclass(frozen=True)
class FullBayes:
    """An engine: means, beliefs about their parameters and the noise, and the range of scores that a mean may take."""

    means: tuple[Mean, ...]
    beliefs: Beliefs
    ceiling: float
    floor: float
    seed: int
    roughly: bool = False
    """Whether fewer nodes will do, for 40 % of the time: where figures are means over many fits, errors cancel out."""

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
        """Posterior of each curve; curves of the same structure are integrated together."""
        alike: dict[object, list[tuple[int, Statistics]]] = defaultdict(list)
        for i, curve in enumerate(curves):
            statistics = Statistics.of(curve, only_means=not self.beliefs.uses_replicates)
            alike[statistics.structure].append((i, statistics))
        densities = [Density(mean, self.beliefs, self.ceiling, self.floor) for mean in self.means]
        found: dict[int, AveragedPosterior] = {}
        for members in alike.values():
            together = int(np.clip(_MATRICES // len(members[0][1].sizes) ** 2, 1, _TOGETHER))
            for start in range(0, len(members), together):
                indices, batch = zip(*members[start : start + together], strict=True)
                by_mean = [integrate(density, Batch(batch), self.seed, roughly=self.roughly) for density in densities]
                found |= {i: average(own) for i, own in zip(indices, zip(*by_mean, strict=True), strict=True)}
        for posterior in () if self.roughly else found.values():
            _warn_of_errors(posterior.end_error)
        return [found[i] for i in range(len(curves))]


def _warn_of_errors(end_error: float) -> None:
    if end_error > 3 * TOLERATED:
        warn(
            f"The ends of 95 % intervals may be off by {100 * min(end_error, 1):.0f} % of their width ("
            f"{100 * TOLERATED:.2g} % is aimed at): the posterior is hard to integrate. Compare another seed.",
            AccuracyWarning,
        )
