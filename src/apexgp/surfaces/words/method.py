"""How curves were extrapolated, and from which pilot, for the methods section of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from ...estimators import APExGP
from .phrases import listed

__all__ = ["method", "pilot_and_method", "with_cautions"]

_MEANS = {"power_law": "power law", "arctan": "arctan", "mmf": "Morgan-Mercer-Flodin"}


def pilot_and_method(model: APExGP) -> str:
    """Method and pilot."""
    curve = model.curve_
    splits = "" if curve.split is None else f" from {len(set(curve.split.tolist()))} data splits"
    sizes = np.unique(curve.sizes)
    return (
        f"{method(model)} The pilot comprised {len(curve)} scores ({curve.metric_name}){splits} at {len(sizes)} "
        f"training-set sizes from {sizes[0]:,.10g} to {sizes[-1]:,.10g}."
    )


def with_cautions(paragraph: str, cautions: Sequence[str]) -> str:
    """A paragraph that ends with the reasons to doubt what it says."""
    return paragraph if not cautions else f"{paragraph} The following cautions apply. {' '.join(cautions)}"


def method(model: APExGP) -> str:
    """The model, its priors and limits, as fitted."""
    settings: dict[str, Any] = model.get_params(deep=False)
    name = f"APEx-GP (Harvey et al. 2023; apexgp {version('apexgp')}, seed {settings['seed']})"
    process = f"{name}, a Gaussian process over the logarithm of the training-set size"
    limits = f"a ceiling of {settings['ceiling']:g}"
    if settings["inference"] == "map":
        mean = _MEANS[settings["mean"]]
        return (
            f"Learning curves were extrapolated by {process} with a {mean} mean, fitted by maximum a-posteriori "
            f"estimation with the published priors and {limits}."
        )
    weights = model.weights_
    means = listed([f"{_MEANS[mean]} {weight:.2f}" for mean, weight in weights.items()])
    shape = f"means weighted by their evidence ({means})" if len(weights) > 1 else f"a {_MEANS[settings['mean']]} mean"
    priors = {"calibrated": "priors calibrated on learning curves of the LCDB", "paper": "the published priors"}
    stated = priors[settings["priors"]] if isinstance(settings["priors"], str) else "priors stated elsewhere"
    return (
        f"Learning curves were extrapolated by {process} with {shape}, integrated over all parameters under {stated}, "
        f"with {limits} and a floor of {settings['floor']:g}."
    )
