"""The advice on what to measure next, in sentences."""

from __future__ import annotations

import math
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from ..._numbers import format_chance, format_score, format_size_needed
from ...curve import LearningCurve
from ...design.ranking import PilotDesign, RankedDesign
from ...estimators import APExGP
from ...learners import LEARNERS
from ...question_base.phrases import join_words
from ...question_base.wording import describe_pilot_and_method
from ...required import RequiredSize

if TYPE_CHECKING:
    from . import DesignAnswer

__all__ = ["explain_ranking", "say_design", "write_design_methods"]

_HARDLY = 0.9  # of the doubt that stays: to a reader, nothing has changed
_SELDOM = 0.1  # probability of a change up to which none is to be expected


class _Decision(NamedTuple):
    """The decision as it stands, whether the best design may change it, and the expected outcome."""

    now: str
    may_change: bool
    after: str


def say_design(answer: DesignAnswer) -> str:
    """Would more measuring change the decision? What is decided now, what the best measurement would make of it."""
    found, curve = answer.found, answer.curve
    if curve is None:
        return " ".join([_say_first_pilot(answer), *_say_cheaper(answer)])
    means = f"with {_budget(found.budget, found.unit)} and up to {found.available:,.10g} {curve.unit_name}"
    decision, best = _find_decision(answer, curve), f"{_name_design(found.best, curve.unit_name, _kind(curve))}"
    if not found.helpful:
        return f"{decision.now} Nothing that you can afford, {means}, is expected to reduce the doubt."
    if not decision.may_change or found.share_left(found.best) > _HARDLY:
        return (
            f"{decision.now} Nothing that you can afford, {means}, is likely to change that: even with the best "
            f"option, {best}, {decision.after}."
        )
    text = f"Measuring more may change that: {means}, the best option is {best}; {decision.after}."
    return " ".join([decision.now, text, *_say_cheaper(answer), *_say_alike(found), *_say_without_more(answer)])


def _find_decision(answer: DesignAnswer, curve: LearningCurve) -> _Decision:
    """Find the decision at stake: how many examples to plan for, whether a size suffices, or none."""
    found = answer.found
    if found.target is None or found.prob_now is None:
        there = f"the 95 % interval of the expected {curve.metric_name} at {found.at[found.farthest]:,.10g}"
        now, then = found.widths_now[found.farthest], found.best.widths[found.farthest]
        after = f"it is then expected to be {format_score(then, found.decimals)} wide"
        return _Decision(
            f"As it stands, {there} {curve.unit_name} is {format_score(now, found.decimals)} wide.", True, after
        )
    goal = f"a mean {curve.metric_name} of {found.target:g}"
    if found.asks_for_size and found.required_now is not None:
        return _decide_how_many(found, found.required_now, curve, goal)
    return _decide_whether(found, found.prob_now, f"{found.decided_at:,.10g} {curve.unit_name}", goal)


def _decide_how_many(found: PilotDesign, required: RequiredSize, curve: LearningCurve, goal: str) -> _Decision:
    now, (low, high) = _say_size_now(required, curve, goal), found.best.later_sizes or (math.inf, math.inf)
    beyond = f"{found.grid[-1]:,.10g} {curve.unit_name}"
    if math.isinf(low):
        after = f"in nine cases out of ten more than {beyond} will then be needed, if any number suffices"
        return _Decision(now, required.size <= found.grid[-1], after)
    if math.isinf(high):
        range_ = f"between {format_size_needed(low)} and more than {beyond}"
    else:
        range_ = f"between {format_size_needed(low)} and {format_size_needed(high)} {curve.unit_name}"
    return _Decision(now, True, f"in eight cases out of ten the number to plan for will then be {range_}")


def _decide_whether(found: PilotDesign, prob: float, size: str, goal: str) -> _Decision:
    yes, no = found.best.prob_yes or 0.0, found.best.prob_no or 0.0
    later, now_right = format_chance(found.best.prob_right or 0.0), format_chance(max(prob, 1 - prob))
    right = f"{later} instead of {now_right}" if later != now_right else f"{later}, as now"
    then = f"and the likelier answer is then expected to be right with a probability of {right}"
    if found.verdict_now == "open":
        sure = f"{100 * max(found.confidence, 1 - found.confidence):g} %"
        now = (
            f"Undecided as it stands: {size} reach {goal} with a probability of {format_chance(prob)}; neither yes "
            f"nor no has the {sure} that you asked for."
        )
        decides = (
            f"the probability that it settles the question is {format_chance(yes + no)} (yes {format_chance(yes)}, no "
        )
        return _Decision(now, yes + no > _SELDOM, f"{decides}{format_chance(no)}), {then}")
    if found.verdict_now == "yes":
        now = f"Decided as it stands: {size} reach {goal}, with a probability of {format_chance(prob)}."
    else:
        now = (
            f"Decided as it stands: {size} do not reach {goal}; the probability that they do is {format_chance(prob)}."
        )
    doubted = 1 - (yes if found.verdict_now == "yes" else no)
    return _Decision(
        now, doubted > _SELDOM, f"the probability that it casts doubt on this is {format_chance(doubted)}, {then}"
    )


def _say_size_now(required: RequiredSize, curve: LearningCurve, goal: str) -> str:
    sure, what = f"a probability of {100 * required.confidence:g} %", curve.unit_name
    if required.is_realistic:
        return f"As it stands, plan for {required.size_in_words} {what} to reach {goal} with {sure}."
    return (
        f"As it stands, no realistic number of {what} reaches {goal} with {sure}; with unlimited data the probability "
        f"is {required.at_best}."
    )


def _say_first_pilot(answer: DesignAnswer) -> str:
    """Recommend the first pilot."""
    found, what = answer.found, _count_models(None)
    best, far = found.best, found.at[found.farthest]
    text = (
        f"With {_budget(found.budget, found.unit)} and up to {found.available:,.10g} {what}, train "
        f"{_name_design(best, what, _kind(None))}: the 95 % interval of the expected score at {far:,.10g} {what} is "
        f"then expected to be {format_score(best.widths[found.farthest], found.decimals)} wide."
    )
    if best.prob_yes is None or best.prob_no is None:
        return text
    sure = f"{100 * max(found.confidence, 1 - found.confidence):g} %"
    return (
        f"{text} The chance is {format_chance(best.prob_yes + best.prob_no)} that you will then know, with a "
        f"probability of {sure}, whether {far:,.10g} {what} reach a mean score of {found.target:g}."
    )


def _say_cheaper(answer: DesignAnswer) -> list[str]:
    found, curve = answer.found, answer.curve
    other, what = found.frugal, _count_models(curve)
    if other.design == found.best.design:
        return []
    return [f"Nearly as good with {_budget(other.cost, found.unit)}: {_name_design(other, what, _kind(curve))}."]


def _say_alike(found: PilotDesign) -> list[str]:
    best = found.best
    if sum(one.risk - best.risk < best.risk_error for one in found.helpful) < 2:
        return []
    if found.ranked_by == "score":
        figure = f"expected errors differ by less than {best.risk_error:.1g}"
    else:
        figure = f"doubt left differs by less than {100 * best.risk_error / found.risk_now:.0f} points"
    return [f"Options whose {figure} cannot be told apart: take whichever suits you."]


def _say_without_more(answer: DesignAnswer) -> list[str]:
    """Sentence on the best design that needs no more examples, where the best one does."""
    found, curve = answer.found, answer.curve
    if curve is None or found.best.sizes[-1] <= curve.largest:
        return []
    what, spare = curve.unit_name, found.best_at_hand
    opening = f"Without more {what} than the pilot's {curve.largest:,.10g}"
    if spare is None or found.share_left(spare) > _HARDLY:
        return [f"{opening}, not much would change."]
    return [f"{opening}: {_name_design(spare, what, _kind(curve))}."]


def explain_ranking(answer: DesignAnswer) -> str:
    """Explain the columns of a table of designs."""
    found, curve = answer.found, answer.curve
    least = (
        "Expected error: how far off the forecast is expected to be afterwards"
        if found.ranked_by == "score"
        else "Doubt left: how much of the doubt about the size that reaches the target remains"
    )
    text = (
        "Each model is trained on one split, a random division of the data into training and test cases, at one size. "
        f"{least}; the best come first. Width: that of the 95 % interval of the expected score."
    )
    if found.target is None:
        return text
    if found.asks_for_size:
        return f"{text} Then plan for: the range in which the required size will lie in eight cases out of ten."
    return (
        f"{text} Right: the probability that the likelier answer, yes or no, to whether {found.decided_at:,.10g} "
        f"{_count_models(curve)} reach {found.target:g} is right."
    )


def _count_models(curve: LearningCurve | None) -> str:
    return "examples" if curve is None else curve.unit_name


def _kind(curve: LearningCurve | None) -> str:
    """The word for splits: "new splits" once there is a pilot."""
    return "" if curve is None else "new "


def _name_design(one: RankedDesign, what: str, kind: str) -> str:
    own = f"the pilot's own {_splits(one.n_splits)}" if one.continued else _splits(one.n_splits, kind)
    return f"{own} at {_sizes(one)} {what}"


def _splits(count: int, kind: str = "") -> str:
    return f"{count} {kind}split" if count == 1 else f"{count:,} {kind}splits"


def _sizes(one: RankedDesign) -> str:
    return join_words([f"{size:,.10g}" for size in one.sizes])


def _budget(amount: float, unit: str) -> str:
    if unit == "fits":
        return f"{amount:,.10g} model{'' if amount == 1 else 's'} to train"
    if unit == "hours":
        return f"{60 * amount:,.2g} minutes" if amount < 1 else f"{amount:,.3g} hours"
    return f"a cost of {amount:,.4g}"


def write_design_methods(answer: DesignAnswer) -> str:
    """Paragraph about a design."""
    found, model, curve = answer.found, answer.model, answer.curve
    what, best = _count_models(curve), found.best
    source = describe_pilot_and_method(model) if curve is not None else _say_priors(model)
    risk = (
        "the expected continuous ranked probability score of the forecast at "
        f"{join_words([f'{size:,.10g}' for size in found.at])} training {what}"
        if found.ranked_by == "score"
        else f"the expected Brier score of whether a training-set size reaches {found.target:g}, averaged over sizes"
    )
    confirmed = sum(one.confirmed for one in found.designs)
    text = (
        f"{source} Further measurements were planned by preposterior analysis (Chaloner and Verdinelli 1995): "
        f"{len(found.designs)} sets of training-set sizes and splits within a budget of "
        f"{_budget(found.budget, found.unit)} and at most {found.available:,.10g} {what} were ranked by {risk}, from "
        "the best linear predictor of later scores"
    )
    if confirmed:
        text += f"; {confirmed} of them{_say_tried(found)} were judged by refitting to simulated measurements"
    text += ". "
    return text + (
        f"The chosen design ({_name_design(best, what, _kind(curve))}) was expected to give a 95 % interval of width "
        f"{format_score(best.widths[found.farthest], found.decimals)} at {max(found.at):,.10g} {what}."
    )


def _say_tried(found: PilotDesign) -> str:
    """Sentence on which of the named designs were refitted."""
    named = [(found.best, "the best")]
    if found.frugal.design != found.best.design:
        named.append((found.frugal, "the cheapest one nearly as good"))
    spare = found.best_at_hand
    if spare is not None and spare.design not in (found.best.design, found.frugal.design):
        named.append((spare, "the best without more data"))
    words = [what for one, what in named if one.confirmed]
    return f", {join_words(words)} among them," if words else ""


def _say_priors(model: APExGP) -> str:
    """Without a pilot there is nothing to describe but the priors."""
    settings = model.get_params(deep=False)
    learnt = ", calibrated on learning curves of the LCDB," if settings["priors"] == "calibrated" else ""
    kind = settings["learner"]
    whose = f" for {LEARNERS[kind]}" if kind in LEARNERS else ""
    return (
        f"Before any measurement, learning curves were drawn from the priors{whose} of a Bayesian model after APEx-GP "
        f"(Harvey et al. 2023){learnt} with apexgp {version('apexgp')} (seed {settings['seed']}), a ceiling of "
        f"{settings['ceiling']:g} and a floor of {settings['floor']:g}."
    )
