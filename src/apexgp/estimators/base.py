"""What all estimators of learning curves share: reading pairs, checking them, saving and loading."""

from __future__ import annotations

import json
import math
import os
import warnings
from abc import abstractmethod
from dataclasses import asdict, replace
from decimal import Decimal
from fractions import Fraction
from importlib.metadata import version
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._check import FloatArray, real_number, some
from .._files import write_text
from ..answers.required import RequiredSize, required_size, success_of
from ..cautions import forecast_cautions, pilot_cautions
from ..curve import LearningCurve, Replicates
from ..errors import ConvergenceWarning, DataError, ReproducibilityWarning, RequestError
from ..forecast import Forecast, Quantity
from ..inference.least_squares import LeastSquaresFit
from ..inference.map import MapFit
from ..model.priors import PositiveNormal
from ..model.variant import Variant

__all__ = ["CurveEstimator"]

_FORMAT = "apexgp-model"


class CurveEstimator(BaseEstimator):  # type: ignore[misc]
    """What all estimators of learning curves share: reading pairs, checking them, saving and loading."""

    ceiling: float

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
        # What the model was fitted with, whatever is set later.
        self._settings = {k: asdict(v) if isinstance(v, Variant) else v for k, v in self.get_params(deep=False).items()}
        pilot = curve.upward.replicates
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
            advice = " Try another seed." if hasattr(self, "seed") else ""
            warnings.warn(
                f"{type(self).__name__} stopped after {found.iterations} steps without settling; the best parameters "
                f"found so far are used (see parameters_).{advice}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def required_size(self, target: float, confidence: float = 0.8, of: Quantity = "expected") -> RequiredSize:
        """How many training examples reach a target score, and with what probability.

        Parameters
        ----------
        target
            Score to reach; where lower is better, the error rate to come down to.
        confidence
            Probability with which the target should be met.
        of
            What should meet it, as for `forecast`: by default the true expected score.

        Returns
        -------
        RequiredSize
            With `size`, `median`, `interval`, `prob_reachable` and `already_met`. That no number of examples will do is
            an answer too: `size` is then `math.inf`.
        """
        check_is_fitted(self)
        success = success_of(self, target, of)
        return self._with_cautions(required_size(success, self._pilot.sizes, float(target), confidence))

    def _with_cautions(self, found: RequiredSize) -> RequiredSize:
        # No size will do: what speaks against that is whatever speaks against going beyond the pilot at all.
        asked = found.size if math.isfinite(found.size) else 2 * self._pilot.sizes[-1]
        return replace(found, cautions=self._cautions(np.array([float(asked)])))

    @abstractmethod
    def forecast(self, sizes: ArrayLike, of: Quantity = "new_splits") -> Forecast:
        """Forecast the distribution of the score at the given sizes, or refuse where the method has none."""

    def _cautions(self, sizes: FloatArray) -> tuple[str, ...]:
        """Reasons to doubt what is said about these sizes."""
        return pilot_cautions(self._pilot, float(self.curve_.upward.scores.max())) + forecast_cautions(
            sizes, self._pilot
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
