"""APEx-GP: the Gaussian process around a parametric curve."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Self, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._check import FloatArray, choice, generator, positive, probability, real_number, sizes_array, whole_number
from ..curve import LearningCurve
from ..errors import AccuracyWarning, DataError, RequestError
from ..forecast import Forecast, Quantity
from ..inference.averaging import Average, average
from ..inference.bayes import ENOUGH, BayesModel, Posterior, integrate
from ..inference.map import MapFit, MapProblem, fit_map
from ..inference.replicates import Pilot, Pilots
from ..model.beliefs import CALIBRATED, Beliefs, paper_beliefs
from ..model.means import MEANS, PAPER_MEANS
from ..model.variant import PUBLISHED, WRITTEN, Variant
from .base import CurveEstimator

__all__ = ["APExGP"]

_TOGETHER = 8  # curves whose nodes fit into the processor's cache


class APExGP(CurveEstimator):
    """Forecast of a learning curve by a Gaussian process around a parametric curve (after Harvey et al. 2023).

    Parameters
    ----------
    mean : {"auto", "power_law", "arctan", "mmf"}
        The curve that the scores are expected to follow; "auto" averages over all of them by their evidence.
    inference : {"bayes", "map"}
        "bayes" integrates over all parameters; "map" takes the most probable ones, as the paper does.
    priors : {"calibrated", "paper"}, or Beliefs
        "calibrated" priors were learnt from hundreds of real curves and use single scores and split labels; those of
        the paper see only the mean score at each size. "map" goes with the paper's.
    ceiling : float
        Highest score that is possible at all, 1 - eps_min in the paper; below 1 where labels are not perfect.
    floor : float
        Lowest score that the curve may have: the chance level, for instance 0.5 for AUROC. Used by "bayes".
    noise : float, optional
        Standard deviation that you expect of a single score, from one split to the next; by default learnt from the
        replicates. Goes with the calibrated priors.
    variant : Variant
        Constants on which the paper's text and its released code disagree. Used with the paper's priors.
    seed : int
        Seed of the integration nodes, or of the points from which the search starts.

    Attributes
    ----------
    curve_ : LearningCurve
        What the model was fitted to.
    parameters_ : dict
        Parameters by the paper's names: posterior medians (of the mean with the largest weight), or the optimum.
    weights_ : dict
        Weight of each mean ("bayes").
    log_evidence_ : float
        Logarithm of the evidence ("bayes").
    effective_size_ : float
        Effective number of integration nodes, the least over the means that count ("bayes").
    objective_, converged_, n_iter_
        Log of likelihood times prior at the optimum, whether the search settled, and its steps ("map").

    Examples
    --------
    >>> model = APExGP().fit([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81])
    >>> model.forecast([720, 3600])
    Forecast
            size    mean  95 % interval
             720   0.833  0.789 to 0.880
           3,600   0.862  0.783 to 0.951
    """

    def __init__(
        self,
        mean: str = "auto",
        inference: str = "bayes",
        priors: str | Beliefs = "calibrated",
        ceiling: float = 1.0,
        *,
        floor: float = 0.0,
        noise: float | None = None,
        variant: Variant = PUBLISHED,
        seed: int = 0,
    ) -> None:
        self.mean = mean
        self.inference = inference
        self.priors = priors
        self.ceiling = ceiling
        self.floor = floor
        self.noise = noise
        self.variant = variant
        self.seed = seed

    @classmethod
    def as_published(cls, mean: str = "power_law", ceiling: float = 1.0) -> Self:
        """Set up the method that the paper's printed tables come from: its released code."""
        return cls(mean, inference="map", priors="paper", ceiling=ceiling, variant=PUBLISHED)

    @classmethod
    def as_written(cls, mean: str = "power_law", ceiling: float = 1.0) -> Self:
        """Set up the method that the paper's text describes."""
        return cls(mean, inference="map", priors="paper", ceiling=ceiling, variant=WRITTEN)

    def _fit_curve(self, curve: LearningCurve) -> None:
        self.prepare(curve)
        self.learn_together([self])

    def prepare(self, curve: LearningCurve) -> object:
        """Check a curve against the settings and keep it; models with equal keys can `learn_together`.

        For use in batches: `fit` does both.
        """
        if not isinstance(curve, LearningCurve):
            raise DataError(f"Expected a LearningCurve, got {type(curve).__name__}.")
        for stale in ("weights_", "log_evidence_", "effective_size_", "objective_", "converged_", "n_iter_"):
            self.__dict__.pop(stale, None)
        whole_number("seed", self.seed, least=0)
        self._accept(curve)
        self._check_settings()
        if self.inference == "map":
            return None
        self._summary = Pilot.of(curve, only_means=not self._beliefs().uses_replicates)
        return self._summary.structure

    @staticmethod
    def learn_together(models: Sequence[APExGP]) -> None:
        """Fit prepared models of the same settings, those that are integrated in one go."""
        first = models[0]
        means = list(MEANS.values()) if first.mean == "auto" else [MEANS[first.mean]]
        if first.inference == "map":
            for model in models:
                pilot = model._pilot
                problem = MapProblem(means[0], pilot.sizes, pilot.mean, float(model.ceiling), model.variant)
                model._keep_optimum(fit_map(problem, seed=model.seed))
            return
        settings = [BayesModel(mean, first._beliefs(), float(first.ceiling), float(first.floor)) for mean in means]
        for start in range(0, len(models), _TOGETHER):
            batch = models[start : start + _TOGETHER]
            pilots = Pilots([model._summary for model in batch])
            by_mean = [integrate(one, pilots, first.seed) for one in settings]
            for model, posteriors in zip(batch, zip(*by_mean, strict=True), strict=True):
                model._keep_posteriors(posteriors)

    def _keep_posteriors(self, posteriors: Sequence[Posterior]) -> None:
        """Learnt attributes of an integrated posterior."""
        self._found = average(posteriors)
        self.weights_ = self._found.weights
        self.log_evidence_ = self._found.log_evidence
        self.effective_size_ = self._found.effective_size
        self.parameters_ = self._found.medians
        if self.effective_size_ < ENOUGH / 2:
            warnings.warn(
                f"The posterior was integrated over only {self.effective_size_:.0f} effective nodes ({ENOUGH:.0f} are "
                "aimed at): the ends of intervals may be off by a tenth of their width. Compare another seed.",
                AccuracyWarning,
                stacklevel=5,
            )

    def _check_settings(self) -> None:
        choice("inference", self.inference, ("bayes", "map"))
        if not isinstance(self.priors, Beliefs):
            choice("priors", self.priors, ("calibrated", "paper"))
        choice("mean", self.mean, ("auto", *MEANS))
        if not isinstance(self.variant, Variant):
            raise RequestError(f"variant must be an apexgp.Variant, got {self.variant!r}. Try apexgp.PUBLISHED.")
        floor = real_number("floor", self.floor)
        if not 0 <= floor < float(self.ceiling):
            raise RequestError(f"floor must be at least 0 and below the ceiling {self.ceiling:g}, got {floor:g}.")
        if self.inference == "map" and (self.mean not in PAPER_MEANS or self.priors != "paper"):
            raise RequestError(
                f"inference='map' takes mean={' or '.join(map(repr, PAPER_MEANS))} and priors='paper': there is no "
                "evidence to average by, and the other priors and means are made to be integrated. Try "
                "APExGP.as_published()."
            )
        if self.noise is not None:
            positive("noise", self.noise)
            if self.priors != "calibrated":
                raise RequestError("noise goes with priors='calibrated'; the paper states a prior of its own.")
        best = float(self._pilot.mean.max())
        if self.inference == "bayes" and best < floor:
            raise DataError(
                f"The floor is {floor:g}, but the best mean score is {best:g}. Give a floor that the scores reach, or "
                "0 if you do not know the chance level."
            )

    def _beliefs(self) -> Beliefs:
        if isinstance(self.priors, Beliefs):
            return self.priors
        if self.priors == "paper":
            return paper_beliefs(self.variant)
        return CALIBRATED if self.noise is None else CALIBRATED.expecting(float(self.noise))

    @property
    def posterior(self) -> Average:
        """The integrated posterior, for questions that need more than forecasts."""
        check_is_fitted(self)
        if not isinstance(self._found, Average):
            raise RequestError("A point estimate has no posterior. Fit with inference='bayes'; see parameters_.")
        return self._found

    def summary(self, level: float = 0.95) -> dict[str, dict[str, tuple[float, float, float]]]:
        """Posterior of the parameters: for each mean and parameter its median and the ends of an interval."""
        return self.posterior.summary(probability("level", level))

    def forecast(self, sizes: ArrayLike, of: Quantity = "new_splits", n_splits: int | None = None) -> Forecast:
        """Forecast the distribution of the score at the given training-set sizes.

        Parameters
        ----------
        sizes
            Training-set sizes.
        of
            What is forecast. "new_splits": the mean score over `n_splits` new splits of the data. "same_splits": the
            mean over the pilot's own splits, continued at larger sizes (what one measures when the same run goes on);
            without split labels there is nothing to continue, and it is the same as "new_splits". "expected": the true
            expected score, free of the noise of any split.
        n_splits
            How many new splits; by default as many as the pilot usually has at a size.
        """
        at, of, splits = self._asked(sizes, of, n_splits)
        if isinstance(self._found, MapFit):
            location, scale = self._found.predict(at, splits)
            locations, scales, weights = location[None], scale[None], np.ones(1)
        else:
            locations, scales, weights = self._found.predict(at, of, splits)
        return Forecast(
            sizes=at,
            locations=self._outward(locations),
            scales=scales,
            weights=weights,
            cautions=self._cautions(at),
        )

    def sample_curves(
        self,
        n: int,
        sizes: ArrayLike,
        seed: int | None = None,
        of: Quantity = "expected",
        n_splits: int | None = None,
    ) -> FloatArray:
        """Draw whole curves: scores at all the sizes that belong together.

        At each size alone the draws follow `forecast(sizes, of)`.

        Parameters
        ----------
        n
            How many curves.
        sizes
            Training-set sizes, Q of them.
        seed
            Seed of the draws; None: other draws in each call.
        of, n_splits
            What is drawn, as for `forecast`; by default the true expected score.

        Returns
        -------
        array of shape (n, Q)
        """
        at, of, splits = self._asked(sizes, of, n_splits)
        n = whole_number("n", n, least=1)
        rng = generator(seed)
        if isinstance(self._found, MapFit):
            return self._outward(self._found.sample(n, at, splits, rng))
        return self._outward(self._found.sample(n, at, of, splits, rng))

    def _asked(self, sizes: ArrayLike, of: Quantity, n_splits: int | None) -> tuple[FloatArray, Quantity, float]:
        """Checked sizes, what is forecast at them, and what the engine is told about the splits.

        That is the number of splits that are averaged over, or, to a point estimate, the share of tau^2 that the
        forecast carries.
        """
        check_is_fitted(self)
        at = sizes_array("sizes", sizes)
        choice("of", of, get_args(Quantity))
        if n_splits is not None:
            whole_number("n_splits", n_splits, least=1)
            if of != "new_splits":
                raise RequestError(f"n_splits goes with of='new_splits', got of={of!r}.")
        typical = float(np.median(self._pilot.count))
        count = n_splits or typical
        if isinstance(self._found, MapFit):
            return at, of, 0.0 if of == "expected" else typical / count
        single = self._found.uses_replicates
        if of == "same_splits" and (self.curve_.split is None or not single):
            of = "new_splits"
        # The paper's noise is that of a mean over the pilot's splits.
        return at, of, count if single else count / typical

    def _cautions(self, sizes: FloatArray) -> tuple[str, ...]:
        """Reasons to doubt forecasts at these sizes."""
        doubts = () if isinstance(self._found, MapFit) else self._found.cautions(sizes)
        return super()._cautions(sizes) + doubts

    def predict(self, sizes: ArrayLike) -> FloatArray:
        """Expected score at the given sizes: the mean of the forecast."""
        return self.forecast(sizes).mean
