"""The scikit-learn faces of the methods: APExGP and the deterministic baselines."""

from __future__ import annotations

import json
import os
import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from importlib.metadata import version
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._check import FloatArray, choice, positive, probability, real_number, sizes_array, some, whole_number
from ._files import write_text
from .cautions import forecast_cautions, pilot_cautions
from .errors import (
    AccuracyWarning,
    ConvergenceWarning,
    DataError,
    NoForecastError,
    ReproducibilityWarning,
    RequestError,
)
from .forecast import Forecast
from .inference.averaging import average
from .inference.bayes import ENOUGH, BayesModel, Posterior, integrate
from .inference.least_squares import LeastSquaresFit, LeastSquaresProblem, fit_least_squares
from .inference.map import MapFit, MapProblem, fit_map
from .inference.replicates import Pilot, Pilots
from .model.beliefs import CALIBRATED, Beliefs, paper_beliefs
from .model.means import MEANS, PAPER_MEANS
from .model.priors import PositiveNormal
from .model.variant import PUBLISHED, WRITTEN, Variant
from .pairs import LearningCurve, Replicates, collapse

__all__ = ["APExGP", "Arctan", "PowerLaw"]

Target = Literal["new_splits", "same_splits", "expected"]

_FORMAT = "apexgp-model"
_TOGETHER = 8  # curves whose nodes fit into the processor's cache


class CurveEstimator(BaseEstimator):  # type: ignore[misc]
    """What all estimators of learning curves share: reading pairs, checking them, saving and loading."""

    ceiling: float
    seed: int

    curve_: LearningCurve
    parameters_: dict[str, float]

    def fit(
        self, sizes: ArrayLike | LearningCurve, scores: ArrayLike | None = None, split: ArrayLike | None = None
    ) -> Self:
        """Fit to a pilot curve.

        Parameters
        ----------
        sizes : array of shape (n,), or a LearningCurve
            Training-set sizes; at least three different ones.
        scores : array of shape (n,) or (n, k)
            Scores in [0, 1], higher is better; as for `LearningCurve`.
        split : sequence of labels, optional
            Data split of each score; as for `LearningCurve`.

        Returns
        -------
        self
        """
        self._fit_curve(_as_curve(sizes, scores, split))
        return self

    @abstractmethod
    def _fit_curve(self, curve: LearningCurve) -> None:
        """Check the curve and set the learnt attributes."""

    def _accept(self, curve: LearningCurve) -> None:
        """Check a curve against the settings, and keep it."""
        whole_number("seed", self.seed, least=0)
        # What the model was fitted with, whatever is set later.
        self._settings = {k: asdict(v) if isinstance(v, Variant) else v for k, v in self.get_params(deep=False).items()}
        pilot = collapse(curve.sizes, curve.accuracies)
        self._check_pilot(pilot)
        self.curve_ = curve
        self._pilot = pilot

    def _check_pilot(self, pilot: Replicates) -> None:
        ceiling = self._checked_ceiling()
        if len(pilot.sizes) < 3:
            raise DataError(
                f"Need scores at 3 or more different sizes to see a trend, got {len(pilot.sizes)} "
                f"({some(pilot.sizes)}). Train on a smaller subset as well."
            )
        best = float(pilot.mean.max())
        if best > ceiling + 1e-12:  # a mean of equal scores may differ from them in the last digit
            raise DataError(
                f"The ceiling is {ceiling:g}, but the pilot reaches {best:g} on average at size "
                f"{pilot.sizes[pilot.mean.argmax()]:g}. Give a ceiling that the scores (1 - error rates) do not pass."
            )

    def _keep_optimum(self, found: MapFit | LeastSquaresFit) -> None:
        """Learnt attributes of a fit that was searched for."""
        self._found: Any = found
        self.parameters_ = found.parameters
        self.objective_ = found.objective
        self.converged_ = found.converged
        self.n_iter_ = found.iterations
        if not found.converged:
            warnings.warn(
                f"{type(self).__name__} stopped after {found.iterations} steps without settling; the best parameters "
                "found so far are used (see parameters_). Try another seed.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the data, the settings and the seed of this fitted model as JSON."""
        check_is_fitted(self)
        curve = self.curve_
        content = {
            "format": _FORMAT,
            "apexgp": version("apexgp"),
            "estimator": type(self).__name__,
            "settings": self._settings,
            "curve": {
                "sizes": curve.sizes.tolist(),
                "scores": curve.scores.tolist(),
                "split": None if curve.split is None else curve.split.tolist(),
                "metric": curve.metric,
                "task": curve.task,
                "direction": curve.direction,
            },
            "parameters": self.parameters_,
        }
        try:
            text = json.dumps(content, indent=1, default=_plain)
        except TypeError as problem:
            raise RequestError(f"The model cannot be written as JSON: {problem}. Use numbers or text.") from None
        write_text(path, text + "\n", overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a saved model and fit it again, which gives the same numbers.

        Warns if this version of apexgp, or of the libraries under it, finds other parameters than the saved ones.
        """
        content = _read_model(path, cls.__name__)
        try:
            settings, curve, saved = content["settings"], dict(content["curve"]), content["parameters"]
            if "variant" in settings:
                prior = PositiveNormal(**settings["variant"]["lambda_prior"])
                settings["variant"] = Variant(**settings["variant"] | {"lambda_prior": prior})
            model = cls(**settings)
            pairs = LearningCurve(**curve)
        except (KeyError, TypeError) as problem:
            raise DataError(f"{os.fspath(path)} is damaged, or from a newer apexgp: {problem}.") from None
        model.fit(pairs)
        if not all(np.isclose(model.parameters_.get(k, np.nan), v, rtol=1e-4, atol=1e-6) for k, v in saved.items()):
            warnings.warn(
                f"{os.fspath(path)} was saved by apexgp {content['apexgp']} with other fitted parameters than apexgp "
                f"{version('apexgp')} finds now: {saved} then, {model.parameters_} now.",
                ReproducibilityWarning,
                stacklevel=2,
            )
        return model

    def _checked_ceiling(self) -> float:
        ceiling = real_number("ceiling", self.ceiling)
        if not 0 < ceiling <= 1:
            hint = f" Write {ceiling / 100:g} for {ceiling:g} %." if 1 < ceiling <= 100 else ""
            raise RequestError(f"ceiling must be above 0 and at most 1, got {ceiling:g}.{hint}")
        return ceiling

    def _outward(self, accuracies: FloatArray) -> FloatArray:
        """Turn values where higher is better into those the curve was given in."""
        return accuracies if self.curve_.direction == "higher" else 1 - accuracies


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
                stacklevel=4,
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

    def summary(self, level: float = 0.95) -> dict[str, dict[str, tuple[float, float, float]]]:
        """Posterior of the parameters: for each mean and parameter its median and the ends of an interval."""
        check_is_fitted(self)
        if isinstance(self._found, MapFit):
            raise RequestError("A point estimate has no posterior to summarise; see parameters_.")
        return self._found.summary(probability("level", level))

    def forecast(self, sizes: ArrayLike, of: Target = "new_splits", n_splits: int | None = None) -> Forecast:
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
        check_is_fitted(self)
        at = sizes_array("sizes", sizes)
        choice("of", of, ("new_splits", "same_splits", "expected"))
        if n_splits is not None:
            whole_number("n_splits", n_splits, least=1)
            if of != "new_splits":
                raise RequestError(f"n_splits goes with of='new_splits', got of={of!r}.")
        if isinstance(self._found, MapFit):
            location, scale = self._found.predict(at, self._noise_share(of, n_splits))
            locations, scales, weights = location[None], scale[None], np.ones(1)
            doubts: tuple[str, ...] = ()
        else:
            single = self._found.uses_replicates
            if of == "same_splits" and (self.curve_.split is None or not single):
                of = "new_splits"
            typical = float(np.median(self._pilot.count))
            count = n_splits or typical
            # The paper's noise is that of a mean over the pilot's splits.
            locations, scales, weights = self._found.predict(at, of, count if single else count / typical)
            doubts = self._found.cautions(at)
        measured = pilot_cautions(self._pilot, float(self.curve_.accuracies.max()))
        return Forecast(
            sizes=at,
            locations=self._outward(locations),
            scales=scales,
            weights=weights,
            cautions=measured + doubts + forecast_cautions(at, self._pilot),
        )

    def _noise_share(self, of: Target, n_splits: int | None) -> float:
        """Part of tau^2, the noise of a mean over the pilot's splits, that the forecast carries."""
        if of == "expected":
            return 0.0
        return 1.0 if n_splits is None else float(np.median(self._pilot.count)) / n_splits

    def predict(self, sizes: ArrayLike) -> FloatArray:
        """Expected score at the given sizes: the mean of the forecast."""
        return self.forecast(sizes).mean


class _LeastSquares(CurveEstimator):
    """A curve through the mean scores, without any statement of uncertainty."""

    _mean: ClassVar[str]

    def __init__(self, ceiling: float = 1.0, *, seed: int = 0) -> None:
        self.ceiling = ceiling
        self.seed = seed

    def _fit_curve(self, curve: LearningCurve) -> None:
        self._accept(curve)
        problem = LeastSquaresProblem(MEANS[self._mean], self._pilot.sizes, self._pilot.mean, float(self.ceiling))
        self._keep_optimum(fit_least_squares(problem, seed=self.seed))

    def predict(self, sizes: ArrayLike) -> FloatArray:
        """Score that the fitted curve has at the given sizes."""
        check_is_fitted(self)
        return self._outward(np.clip(self._found.curve(sizes_array("sizes", sizes)), 0.0, 1.0))

    def forecast(self, sizes: ArrayLike) -> Forecast:
        """Refuse: a least-squares curve says nothing about how sure it is."""
        raise NoForecastError(
            f"{type(self).__name__} is one best-fit curve and has no distribution to forecast with. Use "
            f"predict(sizes) for its values, or APExGP(mean={self._mean!r}) for a forecast around the same curve."
        )


class PowerLaw(_LeastSquares):
    """Least-squares power law, (1 - eps) - theta1 x^theta2: a curve without uncertainty.

    Parameters
    ----------
    ceiling : float
        Highest score that is possible at all; bounds the limit 1 - eps.
    seed : int
        Seed of the points from which the search starts.

    Attributes
    ----------
    parameters_ : dict
        theta1, theta2 and epsilon.
    objective_ : float
        Sum of squared residuals of the mean scores.
    converged_, n_iter_, curve_
        As for `APExGP`.
    """

    _mean = "power_law"


class Arctan(_LeastSquares):
    """Least-squares arctan curve, (2/pi) arctan(theta1 (pi/2) x + theta2) - eps: a curve without uncertainty.

    Parameters and attributes are those of `PowerLaw`.
    """

    _mean = "arctan"


def _as_curve(sizes: ArrayLike | LearningCurve, scores: ArrayLike | None, split: ArrayLike | None) -> LearningCurve:
    if isinstance(sizes, LearningCurve):
        if scores is not None or split is not None:
            raise RequestError("A LearningCurve holds its own scores and splits: pass it alone.")
        return sizes
    if scores is None:
        raise RequestError("Scores are missing. Call fit(sizes, scores) or fit(curve) with a LearningCurve.")
    return LearningCurve(sizes, scores, split)  # type: ignore[arg-type]


def _plain(value: Any) -> Any:
    """NumPy's and other numbers for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (Decimal, Fraction)):
        return float(value)
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def _read_model(path: str | os.PathLike[str], estimator: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except FileNotFoundError:
        raise RequestError(f"There is no file {os.fspath(path)}.") from None
    except OSError as problem:
        raise RequestError(f"{os.fspath(path)} cannot be read: {problem.strerror}.") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise DataError(f"{os.fspath(path)} is not a saved model: {problem}.") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise DataError(f"{os.fspath(path)} is not a model that apexgp saved.")
    held = content.get("estimator")
    if held != estimator:
        raise RequestError(
            f"{os.fspath(path)} holds a model of class {held}, not {estimator}. Read it with apexgp.{held}.load."
        )
    return content
