"""Texts and tables of a report beyond the answers: title, assumptions, glossary, summary."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from ..._numbers import format_score, format_size
from ...curve import LearningCurve
from ...estimators import APExGP
from ...forecast import Quantity
from ...question_base.phrases import join_words
from ...question_base.question import Cells
from ...question_base.wording import (
    describe_learnt_curves,
    describe_moved_priors,
    format_required_size,
    format_times_pilot,
)
from ...questions.calibration import describe_record, find_record
from ...questions.forecast import ForecastAnswer
from ...questions.forecast.batch import build_forecast_cells
from ...required import RequiredSize
from ..reproduce import REPORT_DATA

__all__ = [
    "DATA_INTRO",
    "GLOSSARY",
    "build_required_table",
    "build_summary_table",
    "list_assumptions",
    "say_opening",
    "title_report",
]

_BACKTEST = (
    "Each method is fitted to the smaller sizes of the pilot and compared with what was measured at the larger ones. "
    "Error and bias are those of the forecast score; the likelihood is the probability that a forecast assigned to "
    "within 0.01 of what was measured; the coverage columns give the share of measured scores within the intervals, "
    "at three decimals; the CRPS sums it all up in one number, lower being better."
)
_SIZES = {
    "rows": "The number of labelled examples that the classifier was trained on.",
    "groups": "The number of groups (such as patients) that the classifier was trained on, each with all its examples.",
}
DATA_INTRO = (
    "The data at the end are all the scores that the forecast rests on, one line per measurement. Save them as "
    f"{REPORT_DATA}, and these lines reproduce the report."
)


def title_report(models: Mapping[str, APExGP]) -> str:
    """Title of a report, from what it is about."""
    metrics = join_words(dict.fromkeys(model.curve_.metric_name for model in models.values()))
    title = f"Forecast of {metrics} with more training data"
    if len(models) > 1:
        return f"{title}: {len(models)} tasks"
    (model,) = models.values()
    return f"{title}: {model.curve_.task}" if model.curve_.task else title


def say_opening(tasks: int, failed: int) -> str:
    """Opening of a report on several tasks."""
    left_out = f"; {failed} more could not be forecast, for the reasons given" if failed else ""
    return f"{tasks} tasks were forecast, each from its own pilot{left_out}. A section on each follows this table."


def list_assumptions(answer: ForecastAnswer) -> dict[str, str]:
    """Assumptions that a reader must know to judge the numbers, by topic."""
    model, curve = answer.model, answer.model.curve_
    lower = curve.direction == "lower"
    best = f"{'lower' if lower else 'higher'} is better{_perfect(curve)}"
    splits = "" if curve.split is None else " Scores with the same split label come from the same split of the data."
    size = _SIZES.get(curve.unit, f"The number of {curve.unit_name} that the classifier was trained on.")
    size += f" {curve.unit_name.capitalize()} for validation and test come on top" + (
        "." if curve.test_share is None else f": {100 * curve.test_share:.3g} % of all that is collected."
    )
    each = max(curve.replicates.count.tolist())
    told = {
        "Score": f"{curve.metric_name} on data that the classifier was not trained on. {_possible(curve)}; {best}."
        + splits,
        "Size": size,
        "Forecast": (
            f"{_quantity(answer.question.of, curve)} The interval contains it with the stated probability. Statements "
            "about a target refer to the true expected score, free of the luck of any split."
        ),
        "Shape": (
            "The score is expected to improve towards a limit as the training set grows, and the later "
            f"{curve.unit_name} are expected to be like the pilot's. No curve can foresee a different hospital, "
            "scanner or classifier."
        ),
        "Ceiling": _best(model, lower) + _chance_level(model, lower),
        "Noise": _noise(model, bool(each > 1)),
        "Priors": _priors(model),
        "Backtest": _BACKTEST,
    }
    record = find_record(answer)
    if record is not None:
        told["Record"] = describe_record(record, curve, answer.question.level)
    return told


def _possible(curve: LearningCurve) -> str:
    """Sentence on the possible scores."""
    low, high = curve.range
    if math.isinf(low) or math.isinf(high):
        end = f"It is at least {low:g}" if math.isinf(high) else f"It is at most {high:g}"
        return f"{end}; the model works on a scale from 0 to 1, but everything is reported on the scale of the score"
    return f"It lies between {low:g} and {high:g}"


def _perfect(curve: LearningCurve) -> str:
    best = curve.range[0] if curve.direction == "lower" else curve.range[1]
    return f", and {best:g} is perfect" if math.isfinite(best) else ""


def _quantity(of: Quantity, curve: LearningCurve) -> str:
    """Sentence on the quantity that is forecast."""
    if of == "expected":
        return "The true expected score, over all possible splits."
    if of == "same_splits" and curve.split is not None:
        return "The mean score over the pilot's own splits, continued at larger sizes."
    one = max(curve.replicates.count.tolist()) == 1
    over = "one new random split" if one else "as many new random splits as the pilot has per size"
    return f"The mean score over {over}."


def _best(model: APExGP, lower: bool) -> str:
    ceiling, floor = model.ceiling, model.floor
    if (floor == 0) if lower else (ceiling == 1):
        return "No limit below a perfect score was set; how high the curve can rise is inferred from the pilot."
    best = f"an error below {floor:g}" if lower else f"a score above {ceiling:g}"
    return f"The user has stated that {best} is impossible."


def _chance_level(model: APExGP, lower: bool) -> str:
    ceiling, floor = model.ceiling, model.floor
    if (ceiling == 1) if lower else (floor == 0):
        return ""
    return f" Chance level is {ceiling if lower else floor:g}."


def _noise(model: APExGP, replicated: bool) -> str:
    if model.noise is not None:
        return f"The user expects a single score to have a standard deviation of {model.noise:g}."
    if replicated:
        return "How far scores scatter from split to split is learnt from the replicates in the pilot."
    if len(model.curve_) == 1:
        return "The pilot has one score: how far scores scatter from split to split is taken from the priors alone."
    return (
        "The pilot has one score per size: how far scores scatter from split to split is inferred from the curve alone."
    )


def _priors(model: APExGP) -> str:
    if model.priors == "calibrated":
        source = "the real learning curves of the Learning Curve Databases LCDB 1.0 and LCDB 1.1 (CC BY 4.0)"
        return f"Learnt from {source}{describe_moved_priors([model])}."
    if model.priors == "paper":
        return "Those of the published method."
    if model.priors == "flat":
        return "None: the most likely parameters were used."
    if (learnt := model.priors_.learnt) is not None:
        return f"Learnt from {describe_learnt_curves(learnt)}; they are among the settings in the Python code below."
    return "Stated by the user; they are among the settings in the Python code below."


GLOSSARY = {
    "Pilot": "The scores measured so far, on which everything here rests.",
    "Split": (
        "One random division of the data into training and test cases. Training again on another split shows how much "
        "of a score is luck."
    ),
    "Learner": (
        "The method that is trained, such as a linear model or a forest. For some kinds of learner, naming the kind "
        "says something about a curve before it is measured."
    ),
    "Model": "One classifier, trained on one split with one training-set size.",
    "Fitted": "Of a method: adjusted to the scores it was given to learn from.",
    "Task": "What the classifier is to predict, such as one diagnosis. Every task has its own learning curve.",
    "Ceiling": "The highest score possible at all; below 1 where the labels themselves are sometimes wrong.",
    "Interval": "A 95 % interval contains the true value with a probability of 95 %, if the assumptions hold.",
    "Spread": (
        "Standard deviation of the scores of several splits at one size: how far they typically lie from their mean."
    ),
    "Backtest": (
        "A trial on known scores: the largest sizes are held out, forecast by a method and compared with what was "
        "measured. Error is how far off it was, bias how far too high (+) or too low (-); 95 % coverage is the share "
        "of those scores that its 95 % intervals cover."
    ),
    "Likelihood": (
        "In a backtest: the probability that a method assigned to within 0.01 of the score later measured. Higher is "
        "better."
    ),
    "CRPS": (
        "Continuous ranked probability score: how far a forecast was from what was measured, with credit for knowing "
        "how uncertain it was. In units of the score; lower is better."
    ),
}
"""Words by their meaning."""


def build_required_table(found: RequiredSize, curve: LearningCurve) -> Cells:
    """One row a probability with which the target is reached: the size that does."""
    rows = []
    for level, size in found.by_probability.items():
        own = level == found.confidence
        one = found if own else replace(found, size=size, size_range=(size, size), relative_error=0.0)
        words = one.size_in_words
        times = format_times_pilot(one, curve.largest) if one.is_realistic else "-"
        rows.append([f"with {100 * level:g} %", words, times])
    return [f"reaches {found.target:g}", curve.unit_name, "times pilot"], rows


def build_summary_table(answers: Mapping[str, tuple[ForecastAnswer, int]]) -> Cells:
    """One row per task: what a target takes, the last measurement, the farthest forecast, and how many cautions."""
    asked = next(iter(answers.values()))[0].question
    header = ["measured", "at size", "expected", f"{100 * asked.level:g} % interval", "at size", "cautions"]
    rows = []
    for name, (answer, cautions) in answers.items():
        curve, found = answer.model.curve_, answer.forecast
        size, _, expected, interval = build_forecast_cells(
            found.sizes, found.mean, answer.ends, curve.largest, answer.decimals
        )[-1]
        takes = [] if answer.required is None else [format_required_size(answer.required)]
        measured = [format_score(curve.replicates.mean[-1], answer.decimals), format_size(curve.largest)]
        rows.append([name, *takes, *measured, expected, interval, size, str(cautions)])
    return ["task", *([] if asked.target is None else [f"size for {asked.target:g}"]), *header], rows
