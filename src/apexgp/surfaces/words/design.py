"""What to measure next, in words."""

from __future__ import annotations

import math
from importlib.metadata import version

from ...curve import LearningCurve
from ...design.ranked import PilotDesign, RankedDesign
from ...estimators import APExGP
from ...questions.design import DesignAnswer
from .method import pilot_and_method
from .phrases import at_least, chance, listed

__all__ = ["design_methods", "design_sentence", "how_designs_are_ranked"]

_HARDLY = 0.9  # of a width that stays: nothing to a reader


def design_sentence(answer: DesignAnswer) -> str:
    """What to measure, what it is expected to bring, and what would do for less."""
    found, curve = answer.found, answer.curve
    what, metric = _counted(curve), "score" if curve is None else curve.metric_name
    far = max(found.at)
    best = found.best
    width, now = best.widths[-1], found.widths_now[-1]
    kind = _kind(curve)
    means = f"{_budget(found.budget, found.unit)} and up to {found.available:,.10g} {what}"
    opening = f"With {means}, {_order(best, what, kind)}"
    there = f"the 95 % interval of the expected {metric} at {far:,.10g} {what}"
    if curve is None:
        said = [f"{opening}: {there} is then expected to be {width:.3f} wide."]
    elif width > _HARDLY * now:
        said = [f"{opening}; but {there} is expected to stay nearly as wide, {width:.3f} instead of {now:.3f}."]
    else:
        said = [f"{opening}: {there} is expected to shrink from a width of {now:.3f} to {width:.3f}."]
    said += _target_words(found, best, what, metric)
    other = found.frugal
    if other.design != best.design:
        price = _budget(other.cost, found.unit)
        said.append(f"Nearly as good for {price}: {_name(other, what, kind)} (a width of {other.widths[-1]:.3f}).")
    if sum(one.risk - best.risk < best.risk_error for one in found.designs) > 1:
        figure = "Expected errors" if found.ranked_by == "score" else "Brier scores"
        said.append(
            f"{figure} that differ by less than {best.risk_error:.1g} cannot be told apart: take the design "
            "that suits you."
        )
    spare = found.best_at_hand
    if curve is not None and spare is not None and best.sizes[-1] > curve.largest:
        said.append(
            f"Without more {what} than the pilot's {curve.largest:,.10g}: {_name(spare, what, kind)} "
            f"(a width of {spare.widths[-1]:.3f})."
        )
    return " ".join(said)


def how_designs_are_ranked(answer: DesignAnswer) -> str:
    """What the columns of a table of designs mean."""
    found, curve = answer.found, answer.curve
    least = (
        "the error that the forecast is expected to have afterwards (CRPS)"
        if found.ranked_by == "score"
        else "the doubt that is expected to be left about the size that reaches the target (Brier score)"
    )
    text = f"A fit is one model trained on one split at one size. The best come first, by {least}."
    if found.target is None:
        return text
    sure = f"{100 * max(found.confidence, 1 - found.confidence):g} %"
    unsettled = " It is now; what is measured may cast doubt on it." if found.settled_now else ""
    return (
        f"{text} Settled: how probably it will then be known, with {sure} probability, whether "
        f"{max(found.at):,.10g} {_counted(curve)} reach {found.target:g}.{unsettled}"
    )


def _counted(curve: LearningCurve | None) -> str:
    return "examples" if curve is None else curve.unit_name


def _kind(curve: LearningCurve | None) -> str:
    """What splits are called: before there are any, none is new."""
    return "" if curve is None else "new "


def _order(one: RankedDesign, what: str, kind: str) -> str:
    if one.continued:
        return f"go on with the pilot's own {_splits(one.n_splits)} at {_sizes(one)} {what}"
    return f"train {_splits(one.n_splits, kind)} at {_sizes(one)} {what}"


def _name(one: RankedDesign, what: str, kind: str) -> str:
    own = f"the pilot's own {_splits(one.n_splits)}" if one.continued else _splits(one.n_splits, kind)
    return f"{own} at {_sizes(one)} {what}"


def _splits(count: int, kind: str = "") -> str:
    return f"{count} {kind}split" if count == 1 else f"{count:,} {kind}splits"


def _sizes(one: RankedDesign) -> str:
    return listed([f"{size:,.10g}" for size in one.sizes])


def _budget(amount: float, unit: str) -> str:
    if unit == "fits":
        return f"{amount:,.10g} more fit" if amount == 1 else f"{amount:,.10g} fits"
    if unit == "hours":
        return f"{60 * amount:,.2g} minutes" if amount < 1 else f"{amount:,.3g} hours"
    return f"a cost of {amount:,.4g}"


def _target_words(found: PilotDesign, best: RankedDesign, what: str, metric: str) -> list[str]:
    if found.target is None or best.prob_settled is None:
        return []
    sure = f"{100 * max(found.confidence, 1 - found.confidence):g} %"
    question = f"whether {max(found.at):,.10g} {what} reach a mean {metric} of {found.target:g}"
    if found.settled_now and found.prob_now is not None:
        answer = "yes" if found.prob_now > 0.5 else "no"
        known = chance(max(found.prob_now, 1 - found.prob_now))
        said = [
            f"As it stands the answer to {question} is {answer}, with a probability of {known}; what is measured may "
            f"cast doubt on it, and the chance that it will be settled with {sure} then is {chance(best.prob_settled)}."
        ]
    else:
        said = [
            f"The chance is {chance(best.prob_settled)} that it will then be known with {sure} probability {question}."
        ]
    if best.required is not None and found.required_now is not None and best.required != found.required_now:
        said.append(
            f"The number of {what} that it takes, now {_interval(found.required_now)} (10 % to 90 %), may become "
            f"{_interval(best.required)}."
        )
    return said


def _interval(ends: tuple[float, float]) -> str:
    low, high = ends
    if math.isinf(low):
        return "beyond all that was looked at"
    return f"{at_least(low)} or more" if math.isinf(high) else f"{at_least(low)} to {at_least(high)}"


def design_methods(answer: DesignAnswer) -> str:
    """Paragraph about a design."""
    found, model, curve = answer.found, answer.model, answer.curve
    what, best = _counted(curve), found.best
    source = pilot_and_method(model) if curve is not None else _priors(model)
    risk = (
        "the expected continuous ranked probability score of the forecast at "
        f"{listed([f'{size:,.10g}' for size in found.at])} training {what}"
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
        text += f"; {confirmed} of them{_tried(found)} were judged by refitting to simulated measurements"
    text += ". "
    return text + (
        f"The chosen design ({_name(best, what, _kind(curve))}) was expected to give a 95 % interval of width "
        f"{best.widths[-1]:.3f} at {max(found.at):,.10g} {what}."
    )


def _tried(found: PilotDesign) -> str:
    """Which designs were refitted, of those that the answer names."""
    named = [(found.best, "the best")]
    if found.frugal.design != found.best.design:
        named.append((found.frugal, "the cheapest that is nearly as good"))
    spare = found.best_at_hand
    if spare is not None and spare.design not in (found.best.design, found.frugal.design):
        named.append((spare, "the best without more data"))
    words = [what for one, what in named if one.confirmed]
    return f", {listed(words)} among them," if words else ""


def _priors(model: APExGP) -> str:
    """Without a pilot there is nothing to describe but the priors."""
    settings = model.get_params(deep=False)
    learnt = ", calibrated on learning curves of the LCDB," if settings["priors"] == "calibrated" else ""
    return (
        "Before any measurement, learning curves were drawn from the priors of a Bayesian model after APEx-GP (Harvey "
        f"et al. 2023){learnt} with apexgp {version('apexgp')} (seed {settings['seed']}), a ceiling of "
        f"{settings['ceiling']:g} and a floor of {settings['floor']:g}."
    )
