"""A forecast in words."""

from __future__ import annotations

from pathlib import Path

from ..._numbers import format_multiple
from ...curve import LearningCurve
from ...questions.forecast import ForecastAnswer
from .evaluation import evaluation_methods, study_paragraph
from .learner import kind_sentence
from .method import pilot_and_method, reached
from .on_top import on_top_of_required
from .required import required_methods, required_sentence
from .tripod import tripod_sentence

__all__ = [
    "answer_sentences",
    "forecast_methods",
    "forecast_sentence",
    "picture_line",
    "pilot_line",
    "short_answer",
]


def answer_sentences(answer: ForecastAnswer) -> list[str]:
    """What was asked for: where there is a target, how many examples it takes; then the forecast.

    Whoever asks for a precision is told which was reached. Where a study is to be evaluated, both of its sizes are one
    paragraph, at the end.
    """
    model, of_target, study = answer.model, list[str](), study_paragraph(answer)
    if answer.required is not None and study is None:
        told = (required_sentence(answer.required, model.curve_), on_top_of_required(answer.required, model.curve_))
        of_target = [sentence for sentence in told if sentence]
    precision = [] if model.precision is None else [reached(model)]
    both_sizes = [] if study is None else [study]
    of_model = [*kind_sentence(model), *_training_sentence(answer), *precision]
    return [*of_target, forecast_sentence(answer), *of_model, *both_sizes]


def short_answer(answer: ForecastAnswer) -> str:
    """The same in one line of a phone: the target first, then the farthest forecast."""
    curve, required = answer.model.curve_, answer.required
    (lower, upper), size = answer.ends, answer.forecast.sizes[-1]
    if required is None:
        ends = f"{lower[-1]:.3f} to {upper[-1]:.3f}"
        return f"expect {answer.forecast.mean[-1]:.3f}, {ends}, with {size:,.10g} {curve.unit_name}"
    if required.already_met:
        target = "is met already"
    elif required.is_realistic:
        target = f"takes {required.in_words(required.size)} {curve.unit_name}"
    else:
        target = f"is reached with a probability of {required.at_best} at best"
    return f"{required.target:g} {target}; expect {answer.forecast.mean[-1]:.3f} with {size:,.10g}"


def forecast_sentence(answer: ForecastAnswer) -> str:
    """The farthest size that was forecast."""
    curve, (lower, upper) = answer.model.curve_, answer.ends
    last, score, size = curve.largest, curve.replicates.mean[-1], answer.forecast.sizes[-1]
    return (
        f"With {size:,.10g} training {curve.unit_name} ({format_multiple(size / last)} times the pilot's {last:,.10g}, "
        f"which give {score:.3f}), expect a mean {curve.metric_name} of {answer.forecast.mean[-1]:.3f}; the chance is "
        f"{100 * answer.question.level:g} % that it lies between {lower[-1]:.3f} and {upper[-1]:.3f}."
    )


def _training_sentence(answer: ForecastAnswer) -> list[str]:
    """What the training scores have changed at the farthest size."""
    if answer.without_training is None:
        return []
    lower, upper = answer.without_training.interval(answer.question.level)
    return [
        f"Without the training scores it would be {answer.without_training.mean[-1]:.3f}, between {lower[-1]:.3f} and "
        f"{upper[-1]:.3f}."
    ]


def forecast_methods(answer: ForecastAnswer) -> str:
    """Paragraph about a forecast, and the size that was asked for."""
    curve, forecast = answer.model.curve_, answer.forecast
    results = "; ".join(
        f"{mean:.3f} at {size:,.10g} training {curve.unit_name} ({100 * answer.question.level:g} % prediction "
        f"interval {low:.3f} to {high:.3f})"
        for size, mean, low, high in zip(forecast.sizes, forecast.mean, *answer.ends, strict=True)
    )
    text = f"{pilot_and_method(answer.model)} The forecast mean {curve.metric_name} was {results}."
    if answer.required is not None:
        told = (required_methods(answer.required, curve), on_top_of_required(answer.required, curve))
        text = " ".join([text, *filter(None, told)])
    if answer.evaluation is not None:
        text = f"{text} {evaluation_methods(answer.evaluation)}"
    return f"{text} {tripod_sentence(answer)}"


def pilot_line(curve: LearningCurve) -> str:
    """What was measured, to open with."""
    of_task = f" of {curve.task}" if curve.task else ""
    pilot = curve.replicates
    return (
        f"Pilot{of_task}: {len(curve)} scores at {len(pilot.sizes)} sizes, {pilot.mean[0]:.3f} at "
        f"{pilot.sizes[0]:,.10g} to {pilot.mean[-1]:.3f} at {pilot.sizes[-1]:,.10g}."
    )


def picture_line(path: Path) -> str:
    """Where the picture is."""
    return f"The picture is in {path}."
