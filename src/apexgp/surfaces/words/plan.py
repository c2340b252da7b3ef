"""A collection plan in words."""

from __future__ import annotations

from ..._numbers import format_chance, format_money, format_size
from ...answers.plan import CollectionPlan
from ...answers.required import RequiredSize
from ...curve import LearningCurve
from ...estimators import APExGP
from .method import pilot_and_method
from .on_top import on_top_of_plan
from .phrases import listed

__all__ = ["plan_methods", "plan_sentence"]

_MOST_SHOWN = 6  # sizes of a plan that are spelt out


def plan_sentence(plan: CollectionPlan, curve: LearningCurve, required: RequiredSize) -> str:
    """What to collect, what comes on top, and how that differs from the size that the target takes, if there is one."""
    told = (_what_to_collect(plan, curve), on_top_of_plan(plan, curve))
    text = f"{' '.join(filter(None, told))} The plan is the cheapest course at these costs and stops as soon as the "
    if required.already_met or not required.is_realistic:
        return f"{text}target is met."
    return (
        f"{text}target is met; the number to put in a protocol is the required size from the forecast, which reaches "
        "the target with a stated probability."
    )


def _what_to_collect(plan: CollectionPlan, curve: LearningCurve) -> str:
    goal = f"{curve.metric_name} of {plan.target:g}"
    worth = sorted({size for size in plan.stops if size > plan.start})
    met = (
        f"The {plan.start:,} {curve.unit_name} at hand already reach a mean {goal} with a probability of "
        f"{format_chance(plan.prob_now)}. "
        if plan.prob_now >= 0.5
        else ""
    )
    missed = f"the probability of missing the {goal} in the end is {format_chance(plan.failure_probability)}"
    if not worth:
        return (
            f"{met}At {format_size(plan.cost_per_example)} per label and a penalty of {format_size(plan.penalty)}, "
            f"collecting more than the {plan.start:,} {curve.unit_name} at hand is not worth it; {missed}."
        )
    opening = "If they turn out not to, collect" if met else "Collect"
    text = f"{opening} {_more(worth[0] - plan.start, curve.unit_name)}, for a total of {worth[0]:,.12g}"
    if len(worth) > 1:
        shown = [f"{size:,.12g}" for size in worth[1:_MOST_SHOWN]]
        later = ", then ".join(shown) + (f" and so on to {worth[-1]:,.12g}" if len(worth) > _MOST_SHOWN else "")
        text += f"; as long as the {goal} is not reached, go on to {later}"
    return f"{met}{text}. The labels are expected to cost {format_money(plan.expected_spend)}, and {missed}."


def _more(count: int, what: str) -> str:
    return f"1 more {what.removesuffix('s')}" if count == 1 else f"{count:,.12g} more {what}"


def plan_methods(plan: CollectionPlan, model: APExGP) -> str:
    """Paragraph about a plan."""
    what = model.curve_.unit_name
    rounds = "one round" if len(plan.sizes) == 1 else f"{len(plan.sizes)} rounds"
    return (
        f"{pilot_and_method(model)} Data collection was planned over {rounds} by minimising the expected cost of "
        "labels plus a penalty for missing the target (Learn-Optimize-Collect, Mahmood et al. 2022), with the "
        "probability that a training-set size suffices taken from the posterior. With a target "
        f"{model.curve_.metric_name} of {plan.target:g}, a cost of {format_size(plan.cost_per_example)} per "
        f"{what.removesuffix('s')} and a penalty of {format_size(plan.penalty)}, starting from {plan.start:,} {what} "
        f"(sufficient with a probability of {format_chance(plan.prob_now)}), the planned training-set sizes were "
        f"{listed(plan.stops)}; "
        f"the expected cost of labels was {format_money(plan.expected_spend)}, the expected total cost "
        f"{format_money(plan.expected_cost)}, and the probability of missing the target "
        f"{format_chance(plan.failure_probability)}."
    )
