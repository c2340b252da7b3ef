"""Answers in plain words: a sentence that a grant panel understands, and a paragraph for a paper's methods section."""

from __future__ import annotations

import math
from importlib.metadata import version
from typing import Any

import numpy as np

from ..answers.minimum import MinimumSampleSize
from ..answers.plan import CollectionPlan
from ..answers.required import RequiredSize
from ..curve import LearningCurve
from ..estimators import APExGP
from ..repeated.backtest import Backtest, MethodScore
from ..repeated.compare import Comparison, PairComparison

__all__ = [
    "backtest_methods",
    "backtest_sentence",
    "compare_methods",
    "compare_sentence",
    "forecast_methods",
    "forecast_sentence",
    "minimum_methods",
    "minimum_sentence",
    "plan_methods",
    "plan_sentence",
    "required_sentence",
    "required_words",
]

# Beyond so many times the pilot a number of examples is no plan, whatever the curve says.
_UNREAL = 10_000
_MOST_SHOWN = 6  # sizes of a plan that are spelt out
_MEANS = {"power_law": "power law", "arctan": "arctan", "mmf": "Morgan-Mercer-Flodin"}
_CRITERIA = {
    "overall_risk": "a precise estimate of the overall risk",
    "shrinkage": "little shrinkage of the predictor effects",
    "optimism": "little optimism in the apparent fit",
    "individual_risk": "precise risks of individual patients",
}


def forecast_sentence(size: float, score: float, metric: str, row: dict[str, float], level: float) -> str:
    """One size that was forecast."""
    return (
        f"With {row['size']:,.10g} training examples ({row['size'] / size:.3g} times the {size:,.10g} of the pilot, "
        f"which give {score:.3f}), expect a mean {metric} of {row['mean']:.3f}; the chance is {100 * level:g} % that "
        f"it lies between {row['lower']:.3f} and {row['upper']:.3f}."
    )


def required_sentence(found: RequiredSize, curve: LearningCurve) -> str:
    """How many examples it takes."""
    last = curve.largest
    goal = f"a mean {curve.metric} of {found.target:g}"
    if found.already_met:
        text = (
            f"The {last:,.10g} training examples of the pilot already reach {goal}, with a probability of "
            f"{_chance(found.prob_now)}"
        )
        return text + ("." if found.size <= last else "; with more of them it may become less probable again.")
    ever = f"the probability that any amount of such data will do is {_chance(found.prob_reachable)}"
    if found.size > _UNREAL * last:
        return (
            f"No realistic number of training examples (up to {_UNREAL:,} times the pilot) reaches {goal} with a "
            f"probability of {100 * found.confidence:g} %; {ever}{_even_odds(found, last)}."
        )
    return (
        f"To reach {goal} with a probability of {100 * found.confidence:g} %, plan for {found.size:,} training "
        f"examples, {found.size / last:.3g} times the {last:,.10g} of the pilot{_even_odds(found, last)}; {ever}."
    )


def _even_odds(found: RequiredSize, last: float) -> str:
    return f"; with {found.median:,} the odds are even" if found.median <= _UNREAL * last else ""


def required_words(found: RequiredSize, last: float) -> str:
    """The number of examples, or why there is none, for a cell of a table."""
    if found.already_met:
        return "met already"
    if found.size > _UNREAL * last:
        return f"over {_UNREAL:,}x" if math.isfinite(found.size) else "never"
    return f"{found.size:,}"


def forecast_methods(model: APExGP, rows: list[dict[str, float]], level: float, required: RequiredSize | None) -> str:
    """Paragraph about a forecast, and the size that was asked for."""
    results = "; ".join(
        f"{row['mean']:.3f} at {row['size']:,.10g} training examples ({100 * level:g} % prediction interval "
        f"{row['lower']:.3f} to {row['upper']:.3f})"
        for row in rows
    )
    text = f"{_about(model)} The forecast mean {model.curve_.metric} was {results}."
    return text if required is None else f"{text} {_required_methods(required, model.curve_)}"


def _required_methods(found: RequiredSize, curve: LearningCurve) -> str:
    last, target = curve.largest, f"a target of {found.target:g}"
    ever = f"the probability that any number of examples attains it was estimated at {found.prob_reachable:.3f}"
    if found.already_met:
        return (
            f"The probability that the expected {curve.metric} meets {target} with the pilot's {last:,.10g} training "
            f"examples was estimated at {found.prob_now:.3f}; {ever}."
        )
    if found.size > _UNREAL * last:
        return (
            f"No number of training examples up to {_UNREAL:,} times the pilot was estimated to meet {target} in "
            f"expected {curve.metric} with a probability of {found.confidence:g}; {ever}."
        )
    return (
        f"The expected {curve.metric} was estimated to meet {target} with a probability of {found.confidence:g} from "
        f"{found.size:,} training examples on; {ever}."
    )


def plan_sentence(plan: CollectionPlan, curve: LearningCurve) -> str:
    """What to collect."""
    goal = f"{curve.metric} of {plan.target:g}"
    worth = sorted({size for size in plan.sizes if size > plan.start})
    met = (
        f"The {plan.start:,} examples at hand already reach a mean {goal} with a probability of "
        f"{_chance(plan.prob_now)}. "
        if plan.prob_now >= 0.5
        else ""
    )
    missed = f"the probability of missing the {goal} in the end is {_chance(plan.failure_probability)}"
    if not worth:
        return (
            f"{met}At {plan.cost_per_sample:,g} a label and a penalty of {plan.penalty:,g}, collecting more than the "
            f"{plan.start:,} examples at hand is not worth it; {missed}."
        )
    opening = "Should they turn out not to, collect" if met else "Collect"
    text = f"{opening} {_more(worth[0] - plan.start)}, to have {worth[0]:,.12g}"
    if len(worth) > 1:
        shown = [f"{size:,.12g}" for size in worth[1:_MOST_SHOWN]]
        later = ", then ".join(shown) + (f" and so on to {worth[-1]:,.12g}" if len(worth) > _MOST_SHOWN else "")
        text += f"; while the {goal} is not met, go on to {later}"
    return f"{met}{text}. The labels are expected to cost {_money(plan.expected_spend)}, and {missed}."


def _more(count: int) -> str:
    return "1 more example" if count == 1 else f"{count:,.12g} more examples"


def _money(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 100 else f"{amount:,.2f}"


def plan_methods(plan: CollectionPlan, model: APExGP) -> str:
    """Paragraph about a plan."""
    rounds = "one round" if len(plan.sizes) == 1 else f"{len(plan.sizes)} rounds"
    return (
        f"{_about(model)} Data collection was planned over {rounds} by minimising the expected cost of labels plus a "
        "penalty for missing the target (Learn-Optimize-Collect, Mahmood et al. 2022), with the probability that a "
        f"training-set size suffices taken from the posterior. With a target {model.curve_.metric} of {plan.target:g}, "
        f"a cost of {plan.cost_per_sample:g} per example and a penalty of {plan.penalty:g}, starting from "
        f"{plan.start:,} examples (sufficient with probability {plan.prob_now:.3f}), the planned training-set sizes "
        f"were {_listed(plan.sizes)}; the expected cost of labels was {_money(plan.expected_spend)}, the expected "
        f"total cost {_money(plan.expected_cost)}, and the probability of missing the target "
        f"{plan.failure_probability:.3f}."
    )


def compare_sentence(pair: PairComparison, curve: LearningCurve) -> str:
    """Which of two models leads at the largest size asked for."""
    at = int(np.argmax(pair.sizes))
    size, chance = pair.sizes[at], float(pair.prob_first_better[at])
    ahead, behind, sure = (pair.first, pair.second, chance) if chance >= 0.5 else (pair.second, pair.first, 1 - chance)
    text = (
        f"With {size:,.10g} training examples {ahead} beats {behind} with a probability of {_chance(sure)}; the "
        f"expected difference in {curve.metric} is {abs(pair.difference[at]):.3f}"
    )
    if pair.crossing is None:
        return f"{text}. Between the pilot's sizes and this one the lead is not expected to change."
    return f"{text}. The lead changes at about {float(f'{pair.crossing:.2g}'):,.0f} examples."


def compare_methods(comparison: Comparison) -> str:
    """Paragraph about a comparison."""
    model = next(iter(comparison.models.values()))
    parts = []
    for pair in comparison.pairs:
        chances = _listed([f"{p:.3f} at {n:,.10g}" for n, p in zip(pair.sizes, pair.prob_first_better, strict=True)])
        paired = (
            f" (scores on {pair.shared_splits} shared splits paired; correlation of their noise {pair.correlation:.2f})"
            if pair.shared_splits
            else " (no shared splits)"
        )
        parts.append(f"{pair.first} exceeded {pair.second} with probability {chances} training examples{paired}")
    return f"{_method(model)} Each model's learning curve was fitted separately. {'; '.join(parts)}."


def backtest_sentence(result: Backtest) -> str:
    """Which method did best."""
    judged = [score for score in result.pooled if score.curves]
    if not judged:
        return f"No method could be judged: {result.pooled[0].failed}"
    best, closest = judged[0], min(judged, key=lambda score: score.error)
    of = "this curve" if best.curves == 1 else f"{best.curves:,} curves"
    if len(judged) == 1:
        text = f"Fitted to the smaller sizes of {of}, {best.method} was off by {best.error:.4f} at the larger ones"
    else:
        text = (
            f"Fitted to the smaller sizes of {of}, {best.method} foretold the scores at the larger ones best (CRPS "
            f"{best.crps:.4f}), off by {best.error:.4f} on average"
        )
        if closest is not best:
            text += f"; {closest.method} came closest, off by {closest.error:.4f}"
    if np.isnan(best.coverage_95):
        return f"{text}. {best.method} does not say how sure it is."
    return f"{text}. The 95 % intervals of {best.method} held {100 * best.coverage_95:.0f} % of those scores."


def backtest_methods(result: Backtest) -> str:
    """Paragraph about a backtest."""
    curves = max(score.curves for score in result.pooled)
    return (
        f"Methods of learning-curve extrapolation were compared with apexgp {version('apexgp')} on {curves:,} measured "
        "learning curve(s): each was fitted to the smaller training-set sizes and judged by its continuous ranked "
        "probability score (CRPS; absolute error for methods without a predictive distribution) and its mean absolute "
        f"error at the sizes held out. {'; '.join(_figures(score) for score in result.pooled if score.curves)}."
    )


def _figures(score: MethodScore) -> str:
    covered = "" if np.isnan(score.coverage_95) else f", 95 % coverage {score.coverage_95:.2f}"
    return f"{score.method}: CRPS {score.crps:.4f}, absolute error {score.error:.4f}{covered}"


def minimum_sentence(found: MinimumSampleSize) -> str:
    """How many patients."""
    return (
        f"A model with {found.parameters} parameter{'s' if found.parameters > 1 else ''} for an outcome that "
        f"{100 * found.prevalence:.3g} % of patients have needs at least {found.size:,} patients, {found.events:,} of "
        f"them with the outcome; what asks for the most is {_CRITERIA[found.decisive]}."
    )


def minimum_methods(found: MinimumSampleSize) -> str:
    """Paragraph about the minimum sample size."""
    each = _listed([f"{n:,} for {_CRITERIA[name]}" for name, n in found.criteria.items()])
    return (
        f"The minimum sample size for developing the prediction model was computed by the criteria of Riley et al. "
        f"(2020) for a binary outcome, with apexgp {version('apexgp')}. Assuming a prevalence of {found.prevalence:g}, "
        f"{found.parameters} candidate parameters and a Cox-Snell R2 of {found.r2:.3g} (maximum {found.max_r2:.3g}), "
        f"the numbers of patients required were {each}. The largest, {found.size:,} patients with {found.events:,} "
        f"events ({found.events_per_parameter:.1f} events per parameter), was taken."
    )


def _about(model: APExGP) -> str:
    """Method and pilot."""
    curve = model.curve_
    splits = "" if curve.split is None else f" from {len(set(curve.split.tolist()))} data splits"
    sizes = np.unique(curve.sizes)
    return (
        f"{_method(model)} The pilot comprised {len(curve)} scores ({curve.metric}){splits} at {len(sizes)} "
        f"training-set sizes from {sizes[0]:,.10g} to {sizes[-1]:,.10g}."
    )


def _method(model: APExGP) -> str:
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
    means = _listed([f"{_MEANS[mean]} {weight:.2f}" for mean, weight in weights.items()])
    shape = f"means weighted by their evidence ({means})" if len(weights) > 1 else f"a {_MEANS[settings['mean']]} mean"
    priors = {"calibrated": "priors calibrated on learning curves of the LCDB", "paper": "the published priors"}
    stated = priors[settings["priors"]] if isinstance(settings["priors"], str) else "priors stated elsewhere"
    return (
        f"Learning curves were extrapolated by {process} with {shape}, integrated over all parameters under {stated}, "
        f"with {limits} and a floor of {settings['floor']:g}."
    )


def _chance(p: float) -> str:
    """A probability in per cent, without false certainty."""
    if p < 0.001:
        return "less than 0.1 %"
    if p > 0.999:
        return "more than 99.9 %"
    return f"{100 * p:.1f} %" if p < 0.1 or p > 0.9 else f"{100 * p:.0f} %"


def _listed(items: Any) -> str:
    words = [f"{item:,}" if isinstance(item, int) else str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
