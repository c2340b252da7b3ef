"""Reasons to doubt a forecast, in words that a reader of the numbers understands."""

from __future__ import annotations

import numpy as np

from ._check import FloatArray
from .pairs import Replicates

__all__ = ["forecast_cautions", "pilot_cautions"]

_FARTHEST_FACTOR = 50


def pilot_cautions(pilot: Replicates, best_single: float) -> tuple[str, ...]:
    """Cautions that the measurements alone call for.

    Parameters
    ----------
    pilot
        Scores by size, turned so that higher is better.
    best_single
        The best single score.
    """
    found = []
    if len(pilot.sizes) < 4:
        found.append(
            f"The pilot has only {len(pilot.sizes)} different sizes; with 4 or more the shape of the curve can be seen."
        )
    if np.polyfit(np.log(pilot.sizes), pilot.mean, 1)[0] < -1e-9:
        found.append(
            "The scores fall as the training set grows. The model expects them to rise: look for a change of data, "
            "of classifier or of settings between the sizes."
        )
    if best_single >= 1:
        found.append("Some scores are perfect. At the bound the curve cannot show how it would go on.")
    return tuple(found)


def forecast_cautions(sizes: FloatArray, pilot: Replicates) -> tuple[str, ...]:
    """Cautions that the sizes asked for add."""
    factor = sizes.max() / pilot.sizes[-1]
    if factor <= _FARTHEST_FACTOR:
        return ()
    return (
        f"{sizes.max():,.10g} is {factor:.3g} times the largest pilot size ({pilot.sizes[-1]:,.10g}). The method has "
        f"been tested up to about {_FARTHEST_FACTOR} times.",
    )
