"""Full Bayes: the posterior of the model integrated over weighted nodes instead of maximised, averaged over means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..curve import LearningCurve
from ..errors import DataError
from ..model.beliefs import Beliefs
from ..model.means import Mean
from .averaging import AveragedPosterior, average
from .density import Density
from .integral import integrate
from .rounds import TOLERATED
from .statistics import Statistics

__all__ = ["FullBayes"]

_ROUGHLY = 0.01  # standard error of a mean score that says nothing of its own


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
