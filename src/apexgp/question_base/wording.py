"""Sentences that answers share: the method and the pilot, the kind of learner, the size that a target takes.

A function that begins with say_ makes a sentence of an answer, one with describe_ a part of a methods text, and one
with format_ a piece of either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from importlib.metadata import version

import numpy as np

from .._numbers import format_chance, format_count, format_multiple, format_size_range, round_up
from ..curve import LearningCurve
from ..estimators import APExGP
from ..learners import LEARNERS
from ..model.learnt import Learnt
from ..model.means import MEANS, PAPER_MEANS
from ..model.paper_priors import PUBLISHED
from ..required import FARTHEST_PLAN, RequiredSize
from ..scale import format_range
from .phrases import add_article, join_words


def describe_pilot_and_method(model: APExGP) -> str:
    """Method and pilot."""
    curve = model.curve_
    splits = "" if curve.split is None else f" from {format_count(len(set(curve.split.tolist())), 'data split')}"
    sizes = format_size_range(np.unique(curve.sizes).tolist(), "training-set size")
    return (
        f"{describe_method(model)} The pilot comprised {format_count(len(curve), 'score')} "
        f"({curve.metric_name}){splits} at {sizes}."
    )


def describe_method(model: APExGP, *others: APExGP) -> str:
    """The model as fitted, whose it is, and in what it departs from the paper's; others are those of other curves."""
    software = f"apexgp {version('apexgp')} (seed {model.seed})"
    if model.inference == "map":
        source = "its released code" if model.variant == PUBLISHED else "its text"
        fitted, joint = (
            ("maximum likelihood without priors", ", with ")
            if model.priors == "flat"
            else ("maximum a posteriori estimation with the published priors", " and ")
        )
        return (
            f"Learning curves were extrapolated with {software} by APEx-GP (Harvey et al. 2023) after {source}: a "
            "Gaussian process over the logarithm of the training-set size with "
            f"{add_article(MEANS[model.mean].label)} mean, fitted by {joint.join([fitted, *_bounds(model)])}."
            f"{_mapping(model.curve_)}"
        )
    weights = model.weights_
    labels = [MEANS[mean].label for mean in weights]
    means = join_words([f"{label} {weight:.2f}" for label, weight in zip(labels, weights.values(), strict=True)])
    shape = f"means weighted by their evidence ({means})" if len(labels) > 1 else f"{add_article(labels[0])} mean"
    return (
        f"Learning curves were extrapolated with {software} by a Bayesian model after APEx-GP (Harvey et al. 2023): a "
        "Gaussian process over the logarithm of the training-set size with "
        f"{join_words([shape, *_bounds(model)])}.{_mapping(model.curve_)} {_departures(model, others, list(weights))} "
        f"{describe_precision(model)}"
    )


def _bounds(model: APExGP) -> list[str]:
    """Between which scores the curve may lie, as far as there are bounds: a loss may grow as it will.

    The published model knows the best score alone.
    """
    floor, ceiling = model._check_bounds(model.curve_.range)
    bounds = {"ceiling": ceiling, "floor": floor}
    if model.inference == "map":
        del bounds["ceiling" if model.curve_.direction == "lower" else "floor"]
    return [f"a {name} of {bound:g}" for name, bound in bounds.items() if math.isfinite(bound)]


def _mapping(curve: LearningCurve) -> str:
    """How scores outside [0, 1] came to lie there."""
    scale = curve.scale
    if scale.same:
        return ""
    if scale.straight:
        return f" Scores were mapped linearly from {format_range(curve.range)} to [0, 1]."
    end = curve.range[0] if math.isinf(curve.range[1]) else curve.range[1]
    of_what = "the logarithm of the score" if scale.logarithmic else f"the distance of the score from {end:g}"
    return f" Scores were mapped to [0, 1] by exp(-d / {scale.unit:.3g}), d being {of_what}."


def describe_precision(model: APExGP) -> str:
    """How exactly the numbers of an integrated model are known."""
    error = model.posterior.end_error
    return f"The ends of 95 % intervals have a numerical standard error of at most {100 * error:.2g} % of their width."


def _departures(model: APExGP, others: Sequence[APExGP], means: Sequence[str]) -> str:
    """Sentence on how a fully Bayesian model differs from the published one."""
    found = ["all parameters are integrated over instead of set to their most probable values"]
    if set(means) - set(PAPER_MEANS):
        found.append("the mean function is not one of its two")
    if model.priors != "paper":
        learnt = model.priors_.learnt
        calibrated = (
            f"were learnt from {describe_learnt_curves(learnt)}, starting from those calibrated on curves of LCDB 1.0 "
            "and 1.1"
            if learnt is not None
            else f"were calibrated on learning curves of LCDB 1.0 and 1.1{describe_moved_priors([model, *others])}"
            if model.priors == "calibrated"
            else "are ours"
        )
        found += [
            f"the priors {calibrated}",
            "the kernel is that of an Ornstein-Uhlenbeck process instead of a radial basis function",
            "individual scores are modelled instead of their means, with noise that each data split carries along its "
            "curve and that shrinks as training sets grow",
        ]
    return f"It differs from the published model in that {'; '.join(found)}."


def describe_moved_priors(models: Iterable[APExGP]) -> str:
    """For which curves the calibrated priors were moved, as part of a sentence; empty where for none."""
    moved = dict.fromkeys(name for model in models if (name := _describe_facts(model)))
    return f", and moved to what curves of {join_words(list(moved))} do" if moved else ""


def _describe_facts(model: APExGP) -> str:
    """The kind of learner and the numbers of features and classes that have moved the priors, where any have."""
    curve = model.curve_
    kind = LEARNERS[model.learner_] if model.learner_ is not None and "learner" in model.facts_ else ""
    counts = [
        f"{count:,} {what}"
        for fact, count, what in (
            ("n_features", curve.n_features, "features"),
            ("n_classes", curve.n_classes, "classes"),
        )
        if fact in model.facts_
    ]
    if not counts:
        return kind
    return f"{kind or 'classifiers'} with {join_words(counts)}"


def say_kind(model: APExGP) -> list[str]:
    """Sentence on the priors of a kind of learner, where one was named and the priors may go by it."""
    kind = model._choose_kind(model.curve_)
    if kind is None or model.inference == "map" or model.priors == "paper":
        return []
    if model.learner_ is None:
        return [f"For {LEARNERS[kind]} the priors are those that all kinds share."]
    return [f"The priors are those for {LEARNERS[kind]}."]


def describe_learnt_curves(learnt: Learnt) -> str:
    """Count the curves and tasks that priors were learnt from, in words."""
    curves = f"{learnt.curves:,} whole curve{'s' if learnt.curves > 1 else ''}"
    tasks = "" if learnt.tasks == learnt.curves else f" of {learnt.tasks:,} task{'s' if learnt.tasks > 1 else ''}"
    return f"{curves}{tasks} ({learnt.metric})"


def say_required_size(found: RequiredSize, curve: LearningCurve, otherwise: str = "") -> str:
    """Say how many examples a target takes; `otherwise` continues the sentence with other assumptions."""
    last = curve.largest
    goal = f"a mean {curve.metric_name} of {found.target:g}"
    sure = f"a probability of {100 * found.confidence:g} %"
    if found.already_met:
        text = (
            f"The pilot's {last:,.10g} training {curve.unit_name} already reach {goal}, with a probability of "
            f"{format_chance(found.prob_now)}{otherwise}."
        )
        return text if found.size <= last else f"{text} With more, that probability may fall again."
    if found.is_out_of_reach:
        text = f"No number of training {curve.unit_name} reaches {goal} with {sure}{otherwise}."
    elif not found.is_realistic:
        text = (
            f"Reaching {goal} with {sure} takes more than {found.farthest_plan} training {curve.unit_name}, "
            f"{FARTHEST_PLAN} times the pilot's {last:,.10g}{otherwise}."
        )
    else:
        text = (
            f"To reach {goal} with {sure}, plan for {found.size_in_words} training {curve.unit_name}, "
            f"{format_times_pilot(found, last)} times the pilot's {last:,.10g}{otherwise}."
        )
    undecided = " Whether any number suffices is not decided numerically." if found.is_open else ""
    few, luck = found.interval[0], ""
    if found.is_realistic and last < few < found.least_size:
        luck = f" With a probability of 10 % as few as {found.in_words(few)} suffice."
    return f"{text}{undecided}{luck} With unlimited data of this kind the probability is {found.at_best}."


def format_times_pilot(found: RequiredSize, last: float) -> str:
    """The size that a target takes over the pilot's largest, computed from what is printed."""
    if found.is_known:
        return format_multiple(found.rounded_size / last, found.digits)
    low, high = (format_multiple(size / last, found.digits) for size in found.rounded_range)
    return f"{low} to {high}" if found.size_in_words.startswith("between") else f"{low} or more"


def format_required_size(found: RequiredSize) -> str:
    """The number of examples, or why there is none, for a cell of a table."""
    return "met already" if found.already_met else found.size_in_words


def format_size_interval(found: RequiredSize) -> str:
    """The sizes that reach a target with 10 and with 90 %."""
    low, high = found.interval
    return f"{found.in_words(low)} or more" if low < math.inf == high else " to ".join(map(found.in_words, (low, high)))


def describe_required_size_methods(found: RequiredSize, curve: LearningCurve, otherwise: str = "") -> str:
    """Sentence about the size that a target takes, for a paragraph that describes the forecast.

    `otherwise` continues it with other assumptions.
    """
    last, target = curve.largest, f"a target of {found.target:g}"
    if found.already_met:
        return (
            f"The probability that the expected {curve.metric_name} meets {target} with the pilot's {last:,.10g} "
            f"training {curve.unit_name} was estimated at {format_chance(found.prob_now)}{otherwise}."
        )
    undecided = "whether any number suffices is not decided numerically: " if found.is_open else ""
    ever = f"{undecided}with unlimited data of this kind the probability was estimated at {found.at_best}"
    sure = f"a probability of {100 * found.confidence:g} %"
    if not found.is_realistic:
        up_to = "" if found.is_out_of_reach else f" up to {found.farthest_plan}"
        return (
            f"No number of training {curve.unit_name}{up_to} was estimated to meet {target} in expected "
            f"{curve.metric_name} with {sure}{otherwise}; {ever}."
        )
    return (
        f"The expected {curve.metric_name} was estimated to meet {target} with {sure} from "
        f"{found.size_in_words} training {curve.unit_name} on{otherwise}; {ever}."
    )


def count_total(found: RequiredSize, curve: LearningCurve) -> float | None:
    """How many a target takes in all, from the size that is printed; None where that is not known, or no plan."""
    if curve.test_share is None or found.already_met or not found.is_realistic or not found.is_known:
        return None
    return add_held_out(found.rounded_size, curve.test_share, found.digits)


def add_held_out(size: float, share: float, digits: int) -> float:
    """How many cases it takes to train on `size` of them, if a share of all is kept for validation and test."""
    # To a thousandth of a case, since 0.1 is no binary fraction: 900 of which 10 % are kept are 1,000 in all.
    return round_up(round(size / (1 - share), 3), digits)


def say_held_out(found: RequiredSize, curve: LearningCurve) -> str:
    """Say that validation and test cases come on top of a required size, and the total if it is known."""
    if found.already_met or not found.is_realistic:
        return ""
    total = count_total(found, curve)
    in_all = "" if total is None else f": {total:,.0f} in all, {say_share_kept(curve)}"
    return (
        f"Sizes count training {curve.unit_name} only, the pilot's among them; those for validation and test come on "
        f"top{in_all}."
    )


def say_share_kept(curve: LearningCurve) -> str:
    """The condition under which a total holds."""
    return f"if {100 * (curve.test_share or 0):.3g} % are kept for them"
