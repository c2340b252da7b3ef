"""How many examples a target takes, in words."""

from __future__ import annotations

import math

from ..._numbers import multiple
from ...answers.required import RequiredSize
from ...curve import LearningCurve
from .phrases import chance, roughly

__all__ = ["required_methods", "required_sentence", "required_words"]

# Beyond so many times the pilot a number of examples is no plan, whatever the curve says.
_UNREAL = 10_000


def required_sentence(found: RequiredSize, curve: LearningCurve) -> str:
    """How many examples it takes."""
    last = curve.largest
    goal = f"a mean {curve.metric_name} of {found.target:g}"
    if found.already_met:
        text = (
            f"The {last:,.10g} training {curve.unit_name} of the pilot already reach {goal}, with a probability of "
            f"{chance(found.prob_now)}"
        )
        return text + ("." if found.size <= last else "; with more of them it may become less probable again.")
    ever = f"with unlimited data of this kind the probability is {chance(found.prob_reachable)}"
    if found.size > _UNREAL * last:
        return (
            f"No realistic number of training {curve.unit_name} (up to {_UNREAL:,} times the pilot) reaches {goal} "
            f"with a probability of {100 * found.confidence:g} %; {ever}{_even_odds(found, last)}."
        )
    times = multiple(found.size / last, found.relative_error)
    return (
        f"To reach {goal} with a probability of {100 * found.confidence:g} %, plan for {_size(found)} "
        f"training {curve.unit_name}, {times} times the {last:,.10g} of the pilot{_even_odds(found, last)}; {ever}."
    )


def _even_odds(found: RequiredSize, last: float) -> str:
    known = found.median <= _UNREAL * last
    return f"; with {roughly(found.median, found.relative_error)} the odds are even" if known else ""


def _size(found: RequiredSize) -> str:
    return roughly(found.size, found.relative_error)


def required_words(found: RequiredSize, last: float) -> str:
    """The number of examples, or why there is none, for a cell of a table."""
    if found.already_met:
        return "met already"
    if found.size > _UNREAL * last:
        return f"over {_UNREAL:,}x" if math.isfinite(found.size) else "never"
    return _size(found)


def required_methods(found: RequiredSize, curve: LearningCurve) -> str:
    """Sentence about the size that a target takes, for a paragraph that describes the forecast."""
    last, target = curve.largest, f"a target of {found.target:g}"
    ever = f"with unlimited data of this kind the probability was estimated at {found.prob_reachable:.3f}"
    if found.already_met:
        return (
            f"The probability that the expected {curve.metric_name} meets {target} with the pilot's {last:,.10g} "
            f"training {curve.unit_name} was estimated at {found.prob_now:.3f}; {ever}."
        )
    if found.size > _UNREAL * last:
        return (
            f"No number of training {curve.unit_name} up to {_UNREAL:,} times the pilot was estimated to meet {target} "
            f"in expected {curve.metric_name} with a probability of {found.confidence:g}; {ever}."
        )
    return (
        f"The expected {curve.metric_name} was estimated to meet {target} with a probability of {found.confidence:g} "
        f"from {_size(found)} training {curve.unit_name} on; {ever}."
    )
