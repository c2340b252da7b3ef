"""Cautions that come with what is asked: how far from the pilot, and what the pilot says of it."""

from __future__ import annotations

from .._check import FloatArray
from .._numbers import format_multiple
from ..curve import LearningCurve, Replicates
from ..reading.known_metrics import UNNAMED
from .caution import NO_ROOM, Caution

__all__ = [
    "FARTHEST_FACTOR",
    "find_first_pilot_cautions",
    "find_forecast_cautions",
    "find_inexact_cautions",
    "find_learnt_elsewhere_cautions",
    "find_undecided_cautions",
    "find_uninformed_cautions",
]

FARTHEST_FACTOR = 50
"""How many times the pilot's largest size the method has been tested at."""

_INEXACT = 3.0  # times the error that is aimed at

# Standard deviation of the share still to be won under the priors, near that of Beta(0.6, 0.45). A posterior that is
# about as wide has learnt nothing of it.
_PRIOR_SPREAD = 0.34
_UNINFORMED = 0.87
_DECIDED = 2.0  # standard errors between a probability and the one asked for, from which on another seed agrees


def find_first_pilot_cautions() -> tuple[str, ...]:
    """Caution where nothing has been measured yet."""
    return (
        Caution(
            "Nothing has been measured yet, so the figures are averages over curves of all kinds. Design again once "
            "the first scores are in.",
            "nothing measured yet",
        ),
    )


def find_forecast_cautions(sizes: FloatArray, pilot: Replicates) -> tuple[str, ...]:
    """Cautions that the sizes asked for add: too far beyond the pilot, or below it."""
    found = []
    factor = sizes.max() / pilot.sizes[-1]
    if factor > FARTHEST_FACTOR:
        found.append(
            Caution(
                f"{sizes.max():,.10g} is {format_multiple(factor)} times the largest pilot size "
                f"({pilot.sizes[-1]:,.10g}). The method has been tested up to about {FARTHEST_FACTOR} times.",
                f"beyond {FARTHEST_FACTOR}x",
            )
        )
    if sizes.min() < pilot.sizes[0]:
        found.append(
            Caution(
                f"{sizes.min():,.10g} is below the smallest pilot size ({pilot.sizes[0]:,.10g}). The method has been "
                "tested only at sizes larger than the pilot's; below it, curves often have a different shape.",
                "below the pilot",
            )
        )
    return tuple(found)


def find_inexact_cautions(end_error: float, precision: float) -> tuple[str, ...]:
    """Caution where the integral over the posterior is much less exact than it should be.

    Both are standard errors of the ends of 95 % intervals relative to their width: what was reached, and what was
    aimed at.
    """
    if end_error <= _INEXACT * precision:
        return ()
    return (
        Caution(
            "The posterior of this pilot is hard to integrate: the ends of 95 % intervals may be off by "
            f"{100 * min(end_error, 1):.1f} % of their width ({100 * precision:.2g} % is aimed at). Compare several "
            "seeds.",
            "inexact: compare several seeds",
        ),
    )


def find_learnt_elsewhere_cautions(metric: str, unit: str, curve: LearningCurve) -> tuple[str, ...]:
    """Caution where priors were learnt from curves of another metric, or that count something else."""
    other_metric = UNNAMED not in (metric, curve.metric) and metric != curve.metric_name
    if not other_metric and unit == curve.unit_name:
        return ()
    learnt, own = (metric, curve.metric_name) if other_metric else (unit, curve.unit_name)
    return (
        Caution(
            f"The priors were learnt from curves of another kind: {learnt}, where this one has {own}. What they learnt "
            "may not hold here.",
            "priors learnt from curves of another kind",
        ),
    )


def find_undecided_cautions(reachable: float, error: float, confidence: float) -> tuple[str, ...]:
    """Caution where another seed may say otherwise whether any number of examples reaches a target.

    `reachable` is the probability with unlimited data, `error` its Monte Carlo standard error.
    """
    if abs(reachable - confidence) >= _DECIDED * error:
        return ()
    return (
        Caution(
            f"Whether any size reaches the target with a probability of {100 * confidence:g} % is not decided "
            f"numerically: with unlimited data the probability is {100 * reachable:.1f} %, with a Monte Carlo standard "
            f"error of {100 * error:.1f} points. Another seed may say otherwise; a finer precision may settle it.",
            "not decided whether any size suffices",
        ),
    )


def find_uninformed_cautions(sizes: FloatArray, pilot: Replicates, spread: float) -> tuple[str, ...]:
    """Caution where the pilot has said next to nothing about how far the curve will still rise.

    `spread` is the posterior standard deviation of the share, of the room above the curve, that is still to be won.
    """
    no_room = 1 - pilot.mean[-1] < NO_ROOM
    if no_room or sizes.max() < 2 * pilot.sizes[-1] or spread < _UNINFORMED * _PRIOR_SPREAD:
        return ()
    return (
        Caution(
            "The pilot says little about how much further the curve will improve; far beyond it, the forecast rests "
            "on what other curves have done.",
            "says little about the limit",
        ),
    )
