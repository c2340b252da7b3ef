"""How many examples a target takes, in words."""

from __future__ import annotations

import math

from ..._numbers import format_chance, format_multiple
from ...answers.required import UNREAL, RequiredSize
from ...curve import LearningCurve

__all__ = ["interval_words", "required_methods", "required_sentence", "required_words", "times_pilot"]


def required_sentence(found: RequiredSize, curve: LearningCurve) -> str:
    """How many examples it takes."""
    last = curve.largest
    goal = f"a mean {curve.metric_name} of {found.target:g}"
    if found.already_met:
        text = (
            f"The pilot's {last:,.10g} training {curve.unit_name} already reach {goal}, with a probability of "
            f"{format_chance(found.prob_now)}"
        )
        return text + ("." if found.size <= last else "; with more, that probability may fall again.")
    ever = f"with unlimited data of this kind the probability is {found.at_best}"
    if not found.is_realistic:
        return (
            f"No realistic number of training {curve.unit_name} (up to {UNREAL:,} times the pilot) reaches {goal} "
            f"with a probability of {100 * found.confidence:g} %; {ever}."
        )
    return (
        f"To reach {goal} with a probability of {100 * found.confidence:g} %, plan for {found.in_words(found.size)} "
        f"training {curve.unit_name}, {times_pilot(found, last)} times the pilot's {last:,.10g}; {ever}."
    )


def times_pilot(found: RequiredSize, last: float) -> str:
    """The size that a target takes over the pilot's largest, computed from what is printed."""
    return format_multiple(found.rounded_size / last, found.digits)


def required_words(found: RequiredSize) -> str:
    """The number of examples, or why there is none, for a cell of a table."""
    return "met already" if found.already_met else found.in_words(found.size)


def interval_words(found: RequiredSize) -> str:
    """The sizes that reach a target with 10 and with 90 %."""
    low, high = found.interval
    return f"{found.in_words(low)} or more" if low < math.inf == high else " to ".join(map(found.in_words, (low, high)))


def required_methods(found: RequiredSize, curve: LearningCurve) -> str:
    """Sentence about the size that a target takes, for a paragraph that describes the forecast."""
    last, target = curve.largest, f"a target of {found.target:g}"
    if found.already_met:
        return (
            f"The probability that the expected {curve.metric_name} meets {target} with the pilot's {last:,.10g} "
            f"training {curve.unit_name} was estimated at {format_chance(found.prob_now)}."
        )
    ever = f"with unlimited data of this kind the probability was estimated at {found.at_best}"
    sure = f"a probability of {100 * found.confidence:g} %"
    if not found.is_realistic:
        return (
            f"No number of training {curve.unit_name} up to {UNREAL:,} times the pilot was estimated to meet {target} "
            f"in expected {curve.metric_name} with {sure}; {ever}."
        )
    return (
        f"The expected {curve.metric_name} was estimated to meet {target} with {sure} from "
        f"{found.in_words(found.size)} training {curve.unit_name} on; {ever}."
    )
