"""What would help most: what the report and the page ask `design_pilot` after a forecast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..design.pilot import CONFIDENCE, MOST_ASKED
from ..design.ranked import PilotDesign, RankedDesign
from ..estimators import APExGP

__all__ = ["DEFAULT_BUDGET", "advice_arguments", "worth_showing"]

DEFAULT_BUDGET = 12.0  # fits: some splits at one or two sizes more
_MOST_TRIED = 150  # scores of a pilot: with more, fits to drawn data take too long to wait for
_BEST = 3  # designs of the table, beside the one that is cheap and the one that needs no more data


def advice_arguments(
    model: APExGP,
    budget: float | None,
    sizes: Sequence[float],
    target: float | None,
    confidence: float,
    available: float | None,
) -> dict[str, Any]:
    """What `design_pilot` is asked about a fitted model, without what it would take by itself.

    Parameters
    ----------
    model
        The fitted model, whose seed is taken.
    budget
        Number of fits; None: some.
    sizes
        Sizes that the forecast was asked for; none: those that `design_pilot` chooses.
    target, confidence, available
        As for `design_pilot`.
    """
    asked = {
        "budget": DEFAULT_BUDGET if budget is None else budget,
        "at": _some(sorted(set(sizes))) or None,
        "target": target,
        "confidence": None if target is None or confidence == CONFIDENCE else confidence,
        "available": available,
        "confirm": None if len(model.curve_) <= _MOST_TRIED else 0,
        "seed": model.get_params(deep=False)["seed"] or None,
    }
    return {name: value for name, value in asked.items() if value is not None}


def _some(sizes: Sequence[float]) -> list[float]:
    """As many of the sizes as can be looked at, the ends among them."""
    chosen = np.linspace(0, len(sizes) - 1, min(len(sizes), MOST_ASKED)).round().astype(int)
    return [sizes[i] for i in chosen.tolist()]


def worth_showing(found: PilotDesign) -> list[RankedDesign]:
    """The best few designs, the cheapest that is nearly as good, and the best without more data."""
    worth = [*found.designs[:_BEST], found.frugal, found.best_at_hand]
    return [one for one in found.designs if one in worth]
