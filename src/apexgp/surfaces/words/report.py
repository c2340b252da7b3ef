"""What a report says beyond the answers: its title, and what was assumed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from ...curve import LearningCurve
from ...estimators import APExGP
from ...forecast import Quantity
from ...questions.forecast import ForecastAnswer
from ...questions.record import the_record
from .learn import learnt_from
from .learner import moved_for
from .phrases import listed
from .record import record_words
from .remake import REPORT_DATA

__all__ = ["DATA_INTRO", "assumptions", "opening", "report_title", "titled_as_sheet", "written_line"]

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


def titled_as_sheet(title: str) -> str:
    """That the title was found, and how to have another."""
    return f"Note: titled {title!r}, after the sheet. Choose another with --title."


def report_title(models: Mapping[str, APExGP]) -> str:
    """What the report is about."""
    metrics = listed(dict.fromkeys(model.curve_.metric_name for model in models.values()))
    title = f"Forecast of {metrics} with more training data"
    if len(models) > 1:
        return f"{title}: {len(models)} tasks"
    (model,) = models.values()
    return f"{title}: {model.curve_.task}" if model.curve_.task else title


def opening(tasks: int, failed: int) -> str:
    """What stands above the summary of several tasks."""
    left_out = f"; {failed} more could not be forecast, for the reasons given" if failed else ""
    return f"{tasks} tasks were forecast, each from its own pilot{left_out}. A section on each follows this table."


def assumptions(answer: ForecastAnswer) -> dict[str, str]:
    """What a reader must know to judge the numbers, by what it is about."""
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
    record = the_record(answer)
    if record is not None:
        told["Record"] = record_words(record, curve, answer.question.level)
    return told


def _possible(curve: LearningCurve) -> str:
    """Which scores there are."""
    low, high = curve.range
    if math.isinf(low) or math.isinf(high):
        end = f"It is at least {low:g}" if math.isinf(high) else f"It is at most {high:g}"
        return f"{end}; the model works on a scale from 0 to 1, but everything is reported on the scale of the score"
    return f"It lies between {low:g} and {high:g}"


def _perfect(curve: LearningCurve) -> str:
    best = curve.range[0] if curve.direction == "lower" else curve.range[1]
    return f", and {best:g} is perfect" if math.isfinite(best) else ""


def _quantity(of: Quantity, curve: LearningCurve) -> str:
    """What is forecast."""
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
    return (
        "The pilot has one score per size: how far scores scatter from split to split is inferred from the curve alone."
    )


def _priors(model: APExGP) -> str:
    if model.priors == "calibrated":
        source = "the real learning curves of the Learning Curve Databases LCDB 1.0 and LCDB 1.1 (CC BY 4.0)"
        return f"Learnt from {source}{moved_for([model])}."
    if model.priors == "paper":
        return "Those of the published method."
    if model.priors == "flat":
        return "None: the most likely parameters were used."
    if (learnt := model.priors_.learnt) is not None:
        return f"Learnt from {learnt_from(learnt)}; they are among the settings in the Python code below."
    return "Stated by the user; they are among the settings in the Python code below."


def written_line(path: Path) -> str:
    """Where the report is."""
    return f"The report is in {path}. Open it in any browser; from there it prints to PDF."
