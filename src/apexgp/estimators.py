"""The scikit-learn faces of the methods: APExGP and the deterministic baselines."""

from __future__ import annotations

import json
import os
import warnings
from abc import abstractmethod
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._check import FloatArray, choice, real_number, sizes_array, some, whole_number
from ._files import write_text
from .cautions import forecast_cautions, pilot_cautions
from .errors import (
    ConvergenceWarning,
    DataError,
    NoForecastError,
    ReproducibilityWarning,
    RequestError,
)
from .forecast import Forecast
from .inference.least_squares import LeastSquaresFit, LeastSquaresProblem, fit_least_squares
from .inference.map import MapFit, MapProblem, fit_map
from .model.means import MEANS, mean_named
from .model.priors import PositiveNormal
from .model.variant import PUBLISHED, WRITTEN, Variant
from .pairs import LearningCurve, Replicates, collapse

__all__ = ["APExGP", "Arctan", "PowerLaw"]

_FORMAT = "apexgp-model"


class CurveEstimator(BaseEstimator):  # type: ignore[misc]
    """What all estimators of learning curves share: reading pairs, checking them, saving and loading."""

    ceiling: float
    seed: int

    curve_: LearningCurve
    parameters_: dict[str, float]
    _found: Any
    objective_: float
    converged_: bool
    n_iter_: int

    def fit(
        self,
        sizes: ArrayLike | LearningCurve,
        scores: ArrayLike | None = None,
        split: ArrayLike | None = None,
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
        curve = _as_curve(sizes, scores, split)
        whole_number("seed", self.seed, least=0)
        ceiling = self._checked_ceiling()
        pilot = collapse(curve.sizes, curve.accuracies)
        if len(pilot.sizes) < 3:
            raise DataError(
                f"Need scores at 3 or more different sizes to see a trend, got {len(pilot.sizes)} "
                f"({some(pilot.sizes)}). Train on a smaller subset as well."
            )
        best = float(pilot.mean.max())
        if best > ceiling:
            raise DataError(
                f"The ceiling is {ceiling:g}, but the pilot reaches {best:g} on average at size "
                f"{pilot.sizes[pilot.mean.argmax()]:g}. Give a ceiling that the scores do not pass."
            )
        found = self._search(pilot, ceiling)
        self.curve_ = curve
        self.parameters_ = found.parameters
        self.objective_ = found.objective
        self.converged_ = found.converged
        self.n_iter_ = found.iterations
        self._found = found
        self._pilot = pilot
        if not found.converged:
            warnings.warn(
                f"{type(self).__name__} stopped after {found.iterations} steps without settling; the best parameters "
                "found so far are used (see parameters_). Try another seed.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    @abstractmethod
    def _search(self, pilot: Replicates, ceiling: float) -> MapFit | LeastSquaresFit:
        """Find the parameters for checked mean scores at distinct sizes."""

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the data, the settings and the seed of this fitted model as JSON."""
        check_is_fitted(self)
        settings = self.get_params(deep=False)
        settings = {k: asdict(v) if isinstance(v, Variant) else v for k, v in settings.items()}
        curve = self.curve_
        content = {
            "format": _FORMAT,
            "apexgp": version("apexgp"),
            "estimator": type(self).__name__,
            "settings": settings,
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
        write_text(path, json.dumps(content, indent=1) + "\n", overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a saved model and fit it again, which gives the same numbers.

        Warns if this version of apexgp, or of the libraries under it, finds other parameters than the saved ones.
        """
        content = _read_model(path, cls.__name__)
        settings, curve = content["settings"], content["curve"]
        if "variant" in settings:
            prior = PositiveNormal(**settings["variant"]["lambda_prior"])
            settings["variant"] = Variant(**settings["variant"] | {"lambda_prior": prior})
        about = {key: curve.pop(key) for key in ("metric", "task", "direction")}
        model = cls(**settings).fit(LearningCurve(**curve, **about))
        saved = content["parameters"]
        if not all(np.isclose(model.parameters_[k], v, rtol=1e-4, atol=1e-6) for k, v in saved.items()):
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
    """Forecast of a learning curve by a Gaussian process around a power law or arctan curve (Harvey et al. 2023).

    Parameters
    ----------
    mean : {"power_law", "arctan"}
        The curve that the scores are expected to follow.
    inference : {"map"}
        How the parameters are inferred: "map" takes the most probable ones.
    priors : {"paper"}
        Priors on the noise tau, the kernel's sigma and lambda, and the saturation eps: those of the paper.
    ceiling : float
        Highest score that is possible at all, 1 - eps_min in the paper; below 1 where labels are not perfect.
    variant : Variant
        Constants on which the paper's text and its released code disagree.
    seed : int
        Seed of the points from which the search starts.

    Attributes
    ----------
    curve_ : LearningCurve
        What the model was fitted to.
    parameters_ : dict
        Fitted parameters by the paper's names.
    objective_ : float
        Logarithm of likelihood times prior at those parameters.
    converged_ : bool
        Whether the search settled.
    n_iter_ : int
        Steps that it took.

    Examples
    --------
    >>> model = APExGP().fit([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81])
    >>> model.forecast([720, 3600])
    Forecast
            size    mean  95 % interval
             720   0.834  0.808 to 0.859
           3,600   0.870  0.838 to 0.902
    """

    def __init__(
        self,
        mean: str = "power_law",
        inference: str = "map",
        priors: str = "paper",
        ceiling: float = 1.0,
        *,
        variant: Variant = PUBLISHED,
        seed: int = 0,
    ) -> None:
        self.mean = mean
        self.inference = inference
        self.priors = priors
        self.ceiling = ceiling
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

    def _search(self, pilot: Replicates, ceiling: float) -> MapFit:
        choice("inference", self.inference, ("map",))
        choice("priors", self.priors, ("paper",))
        if not isinstance(self.variant, Variant):
            raise RequestError(f"variant must be an apexgp.Variant, got {self.variant!r}. Try apexgp.PUBLISHED.")
        problem = MapProblem(mean_named(self.mean), pilot.sizes, pilot.mean, ceiling, self.variant)
        return fit_map(problem, seed=self.seed)

    def forecast(self, sizes: ArrayLike) -> Forecast:
        """Forecast the distribution of the score at the given training-set sizes.

        The score is the mean over as many splits as the pilot's means were taken over, measured with the same noise.
        """
        check_is_fitted(self)
        at = sizes_array("sizes", sizes)
        location, scale = self._found.predict(at)
        cautions = pilot_cautions(self._pilot, float(self.curve_.accuracies.max()))
        return Forecast(
            sizes=at,
            locations=self._outward(location)[None],
            scales=scale[None],
            weights=np.ones(1),
            cautions=cautions + forecast_cautions(at, self._pilot),
        )

    def predict(self, sizes: ArrayLike) -> FloatArray:
        """Expected score at the given sizes: the mean of the forecast."""
        return self.forecast(sizes).mean


class _LeastSquares(CurveEstimator):
    """A curve through the mean scores, without any statement of uncertainty."""

    _mean: ClassVar[str]

    def __init__(self, ceiling: float = 1.0, *, seed: int = 0) -> None:
        self.ceiling = ceiling
        self.seed = seed

    def _search(self, pilot: Replicates, ceiling: float) -> LeastSquaresFit:
        problem = LeastSquaresProblem(MEANS[self._mean], pilot.sizes, pilot.mean, ceiling)
        return fit_least_squares(problem, seed=self.seed)

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


def _read_model(path: str | os.PathLike[str], estimator: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except FileNotFoundError:
        raise RequestError(f"There is no file {os.fspath(path)}.") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise DataError(f"{os.fspath(path)} is not a saved model: {problem}.") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise DataError(f"{os.fspath(path)} is not a model that apexgp saved.")
    if content["estimator"] != estimator:
        raise RequestError(
            f"{os.fspath(path)} holds a {content['estimator']}, not a {estimator}. "
            f"Read it with apexgp.{content['estimator']}.load."
        )
    return content
