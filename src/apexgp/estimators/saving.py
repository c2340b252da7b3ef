"""Fitted models as JSON files: the data and the settings, from which the same numbers follow again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from typing import Any

import numpy as np

from .._check import DAMAGED, format_some
from ..curve import LearningCurve
from ..errors import ApexError, DataError, ReproducibilityWarning, RequestError, warn
from ..files.writing import to_json_value, write_text
from ..model.beliefs import Beliefs
from ..model.paper_priors import PositiveNormal, Variant
from ..reading.files import one_line, read_bytes

__all__ = ["SavedModel", "curve_to_json", "read_model", "setting_to_json", "write_model"]

_FORMAT = "apexgp-model"


@dataclass(frozen=True)
class SavedModel:
    """The content of the file of a model."""

    path: str
    version: str
    settings: dict[str, Any]
    curve: LearningCurve
    parameters: dict[str, float]

    def damage_error(self, problem: object) -> DataError:
        """Make the error for a file that cannot be used."""
        return _damage_error(self.path, problem)

    def warn_if_different(self, parameters: Mapping[str, float]) -> None:
        """Warn where fitting again has given other parameters."""
        same = [
            np.isclose(parameters.get(name, np.nan), value, rtol=1e-4, atol=1e-6)
            for name, value in self.parameters.items()
        ]
        if not all(same):
            warn(
                f"{self.path} was saved by apexgp {self.version} with different fitted parameters from those that "
                f"apexgp {version('apexgp')} finds now: {self.parameters} then, {dict(parameters)} now.",
                ReproducibilityWarning,
            )


def write_model(
    path: str | os.PathLike[str],
    estimator: str,
    settings: Mapping[str, Any],
    curve: LearningCurve,
    parameters: Mapping[str, float],
    *,
    overwrite: bool,
) -> None:
    """Write a fitted model."""
    content = {
        "format": _FORMAT,
        "apexgp": version("apexgp"),
        "estimator": estimator,
        "settings": {name: setting_to_json(value) for name, value in settings.items()},
        "curve": curve_to_json(curve),
        "parameters": parameters,
    }
    try:
        text = json.dumps(to_json_value(content), indent=1)
    except TypeError as problem:
        raise RequestError(f"The model cannot be written as JSON: {problem}. Use numbers or text.") from None
    write_text(path, text + "\n", overwrite=overwrite)


def curve_to_json(curve: LearningCurve) -> dict[str, Any]:
    """Convert a curve to its arguments; the range becomes text, since JSON has no infinity."""
    return {field.name: getattr(curve, field.name) for field in fields(curve)} | {"range": str(curve.range)}


def setting_to_json(value: Any) -> Any:
    """Convert a setting of an estimator to what JSON can hold."""
    if isinstance(value, Variant):
        return asdict(value)
    return value.to_dict() if isinstance(value, Beliefs) else value


def read_model(path: str | os.PathLike[str], estimator: str) -> SavedModel:
    """Read the file of a model of that class."""
    content = _read_content(path, estimator)
    name = str(path)
    try:
        settings = dict(content["settings"])
        parameters = {letter: float(value) for letter, value in content["parameters"].items()}
        if "variant" in settings:
            prior = PositiveNormal(**settings["variant"]["lambda_prior"])
            settings["variant"] = Variant(**settings["variant"] | {"lambda_prior": prior})
        if isinstance(settings.get("priors"), dict):
            settings["priors"] = Beliefs.from_dict(settings["priors"])
        curve = LearningCurve(**content["curve"])
    except DAMAGED as problem:
        message = problem if isinstance(problem, ApexError) else f"{type(problem).__name__}: {problem}"
        raise _damage_error(name, message) from None
    return SavedModel(name, str(content.get("apexgp", "?")), settings, curve, parameters)


def _damage_error(path: str, problem: object) -> DataError:
    return DataError(f"{path} is damaged, or was saved by a newer apexgp: {one_line(str(problem), 500).rstrip('.')}.")


def _read_content(path: str | os.PathLike[str], estimator: str) -> dict[str, Any]:
    raw = read_bytes(path)
    try:
        content = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as problem:  # no UTF-8, no JSON, a number of thousands of digits, a deep nest
        raise DataError(f"{path} is not a saved model: {problem}.") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise DataError(f"{path} is not a model saved by apexgp.")
    saved_class = content.get("estimator")
    if saved_class != estimator:
        reader = (
            f" Read it with apexgp.{saved_class}.load."
            if isinstance(saved_class, str) and saved_class.isidentifier()
            else ""
        )
        raise RequestError(f"{path} holds a model of class {format_some([saved_class])}, not {estimator}.{reader}")
    return content
