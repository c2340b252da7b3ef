"""Items of TRIPOD+AI (Collins et al. 2024) that a forecast answers, and what is left to its authors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..._numbers import format_count, format_size_range
from ...question_base.phrases import add_article, join_words

if TYPE_CHECKING:
    from . import ForecastAnswer

__all__ = ["TRIPOD_INTRO", "TripodItem", "list_tripod_items", "say_tripod"]

TRIPOD_INTRO = (
    "TRIPOD+AI (Collins et al. 2024) lists what to report about a study that develops or evaluates a clinical "
    "prediction model. The items below are those that this report bears on: what it answers, and what is left for you "
    "to report."
)


@dataclass(frozen=True)
class TripodItem:
    """An item of the checklist: its number and topic, what is answered, and what is not."""

    number: str
    topic: str
    answered: str
    left: str


def list_tripod_items(answer: ForecastAnswer) -> list[TripodItem]:
    """The items that a forecast bears on, in their order."""
    curve, asked = answer.model.curve_, answer.question
    splits = "" if curve.split is None else f" from {format_count(len(set(curve.split.tolist())), 'split')}"
    at = format_size_range(curve.replicates.sizes.tolist())
    share = (
        "the share for validation and test is not stated"
        if curve.test_share is None
        else f"{100 * curve.test_share:.3g} % are kept for validation and test"
    )
    return [
        TripodItem("5, 6", "Data, participants", "Nothing.", "Sources, dates, setting, eligibility."),
        TripodItem(
            "10",
            "Sample size",
            _size(answer) + _evaluation_size(answer),
            f"{_left_of_evaluation(answer)}For a regression model also the minimum of Riley et al. (apexgp minimum).",
        ),
        TripodItem(
            "12a",
            "Use of the data",
            f"{format_count(len(curve), 'score')} at {at}{splits}; {share}.",
            "How the splits were made, and what was kept together in them, such as a patient's cases.",
        ),
        TripodItem(
            "12e",
            "Measures",
            f"{curve.metric_name}, forecast with a {100 * asked.level:g} % interval.",
            "Why this measure; calibration and clinical utility.",
        ),
        TripodItem(
            "18e, 18f",
            "Data and code",
            "Every score used, the version and the seed, and the code that reproduces the numbers.",
            "Availability of the participants' data and of the code that trained the classifier.",
        ),
        TripodItem(
            "23a",
            "Performance",
            "The expected score with more data and its interval, before those data exist.",
            "The performance of the final model on unseen data, with its interval, and in key subgroups.",
        ),
        TripodItem(
            "26",
            "Limitations",
            "Cautions, assumptions, and the coverage of such intervals in the past.",
            "Whether later cases will be like the pilot's.",
        ),
    ]


def _size(answer: ForecastAnswer) -> str:
    required, curve = answer.required, answer.model.curve_
    if required is None:
        return "The score to expect at each size, for development; no target was stated, so no required size follows."
    sure = f"with a probability of {100 * required.confidence:g} %"
    goal = f"{add_article(curve.metric_name)} of {required.target:g} {sure}"
    how = "by extrapolating a learning curve"
    if required.already_met:
        return f"For development: the pilot's {curve.largest:,.10g} {curve.unit_name} suffice for {goal}, {how}."
    if not required.is_realistic:
        sizes = "no size reaches" if required.is_out_of_reach else f"no size up to {required.farthest_plan} reaches"
        return f"For development: {sizes} {goal}, {how}."
    return f"For development: {required.size_in_words} training {curve.unit_name} for {goal}, {how}."


def _evaluation_size(answer: ForecastAnswer) -> str:
    found = answer.evaluation
    return "" if found is None else f" For evaluation: {found.size:,} patients, by Riley et al. 2021."


def _left_of_evaluation(answer: ForecastAnswer) -> str:
    if answer.evaluation is not None:
        return ""
    return f"The size for evaluation: {answer.model.curve_.unit_name} that no size here includes. "


def say_tripod(answer: ForecastAnswer) -> str:
    """Sentence on the items for the methods section of a paper."""
    answered = ["12a and 12e (use of the data, measures)", "23a (performance with its uncertainty, as a forecast)"]
    if answer.required is not None:
        sizes = "size for development" if answer.evaluation is None else "sizes for development and evaluation"
        answered.insert(0, f"10 (how the {sizes} {'was' if answer.evaluation is None else 'were'} arrived at)")
    left = ["data and participants (5, 6)", "the performance of the final model"]
    if answer.evaluation is None:
        left.insert(1, "the size for evaluation (10)")
    return (
        f"Of TRIPOD+AI (Collins et al. 2024) this answers items {join_words(answered)} in part; {join_words(left)} are "
        "reported elsewhere."
    )
