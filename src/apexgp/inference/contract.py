"""The contract between engines and estimators: an engine, the fit that it gives, and the form of every prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from .._check import FloatArray
from ..curve import LearningCurve
from ..forecast import Quantity

if TYPE_CHECKING:
    from .bayes import AveragedPosterior

__all__ = ["Engine", "FittedCurve", "Mixture", "Predictor"]


class Mixture(NamedTuple):
    """Normal distributions to be cut to [0, 1]: K components with their weights, at each of Q sizes."""

    locations: FloatArray
    """Shape (K, Q)."""
    scales: FloatArray
    """Shape (K, Q)."""
    weights: FloatArray
    """Shape (K,); they sum to 1."""


class Predictor(Protocol):
    """Forecasts, and how exactly they were computed."""

    def predict(self, sizes: FloatArray, of: Quantity, n_splits: int | None) -> Mixture:
        """Distribution of the score at each size.

        `n_splits` is the number of new splits that are averaged over; None: as many as the pilot usually has at a size.
        """
        ...

    def standard_error(self, sizes: FloatArray, scores: FloatArray, of: Quantity) -> FloatArray:
        """Monte-Carlo error of P(score <= y) at each size, for one score each; 0 where nothing is random.

        Scores are those of the curve as its owner has it.
        """
        ...

    def pool_integrals(self, count: int) -> Predictor:
        """Pool so many independent integrals; a method that integrates nothing returns itself."""
        ...


class FittedCurve(Predictor, Protocol):
    """What is known of one curve on which higher is better, after fitting."""

    @property
    def parameters(self) -> dict[str, float]:
        """Values by their published names, for sizes counted in examples."""
        ...

    @property
    def diagnostics(self) -> Mapping[str, object]:
        """How the fit went: what an estimator shows as its further learnt attributes."""
        ...

    @property
    def posterior(self) -> AveragedPosterior | None:
        """What the parameters may be, for questions that need more than forecasts; None where one point was chosen."""
        ...

    @property
    def has_distribution(self) -> bool:
        """Whether there is a distribution; without one, `predict` and `sample` raise NoForecastError."""
        ...

    @property
    def resolution(self) -> float:
        """How far apart the scores are that can be measured, in [0, 1]; 0 where the method does not mind."""
        ...

    @property
    def most_integrals(self) -> int:
        """How many integrals an answer may pool, so that it does not take too long."""
        ...

    def sample(
        self, n: int, sizes: FloatArray, of: Quantity, n_splits: int | None, rng: np.random.Generator
    ) -> FloatArray:
        """Draw n whole curves from the same distribution, shape (n, Q), scores cut to [0, 1]."""
        ...

    def cautions(self, sizes: FloatArray) -> tuple[str, ...]:
        """Reasons to doubt what is said about these sizes that only the fit knows."""
        ...


class Engine(Protocol):
    """A method with its settings, ready to fit curves on which higher is better."""

    @property
    def ceiling(self) -> float:
        """Highest possible score, where higher is better."""
        ...

    @property
    def fewest_sizes(self) -> int:
        """How many different sizes a curve must have."""
        ...

    def check(self, curve: LearningCurve) -> None:
        """Refuse a curve that cannot be fitted, with a DataError."""
        ...

    def fit(self, curves: Sequence[LearningCurve]) -> Sequence[FittedCurve]:
        """Fit checked curves, those that can be computed together in one go."""
        ...
