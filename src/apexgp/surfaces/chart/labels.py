"""The words of a chart: its title, what it shows, its legend, and what is read off at each size."""

from __future__ import annotations

from ..._numbers import format_chance, format_score, format_score_interval
from ...question_base.wording import format_required_size
from ...questions.forecast.curve_picture import CurvePicture, is_marked

__all__ = ["describe_chart", "label_legend", "label_readings", "list_readings", "size_axis", "title_chart"]


def title_chart(picture: CurvePicture) -> str:
    """Title of a chart."""
    of_task = f" of {picture.task}" if picture.task else ""
    return f"{picture.metric}{of_task} by training-set size, measured and forecast"


def describe_chart(picture: CurvePicture) -> str:
    """Description of a chart for screen readers."""
    lower, upper = picture.bands[picture.level]
    far, digits = f"{picture.sizes[-1]:,.10g}", picture.decimals
    first, last = (format_score(picture.pilot_mean[i], digits) for i in (0, -1))
    text = (
        f"Measured: a mean {picture.metric} of {first} with {picture.pilot_sizes[0]:,.10g} training {picture.unit} to "
        f"{last} with {picture.pilot_sizes[-1]:,.10g}. Forecast for {far}: {format_score(picture.mean[-1], digits)} "
        f"expected, {100 * picture.level:g} % interval {format_score_interval(lower[-1], upper[-1], digits)}."
    )
    if picture.required is None or picture.prob_target is None:
        return text
    sure = format_chance(picture.prob_target[-1], picture.required.confidence)
    return f"{text} The probability that {far} meet the target of {picture.required.target:g} is {sure}."


def size_axis(picture: CurvePicture) -> str:
    """Title of the axis of sizes."""
    return f"training {picture.unit} (logarithmic scale)"


def label_legend(picture: CurvePicture) -> dict[str, str]:
    """The legend: a name for each kind of mark."""
    replicated = len(picture.measured_sizes) > len(picture.pilot_sizes)
    words = {"pilot": "measured, with spread"} if replicated else {"single": "measured"}
    words["mean"] = "expected score"
    words |= {f"band {i}": f"{100 * level:g} % interval" for i, level in enumerate(picture.bands)}
    if replicated:
        words["measured"] = "single scores"
    required = picture.required
    if required is not None:
        words["target"] = f"target {required.target:g}"
        if is_marked(required, picture):
            size = format_required_size(required)
            words["required"] = f"{size} reach it with {100 * required.confidence:g} % (bar: 10 to 90 %)"
    return words


def label_readings(picture: CurvePicture) -> list[str]:
    """Labels of the values that are read off at a size."""
    labels = [f"training {picture.unit}", f"expected {picture.metric}", f"{100 * picture.level:g} % interval"]
    return labels if picture.required is None else [*labels, f"true mean reaches {picture.required.target:g}"]


def list_readings(picture: CurvePicture) -> list[list[str]]:
    """For each size, in the order of the labels, what is read off there."""
    digits = picture.decimals
    rows = [
        [f"{size:,.10g}", format_score(mean, digits), format_score_interval(low, high, digits)]
        for size, mean, low, high in zip(picture.sizes, picture.mean, *picture.bands[picture.level], strict=True)
    ]
    if picture.prob_target is None or picture.required is None:
        return rows
    return [
        [*row, format_chance(p, picture.required.confidence)] for row, p in zip(rows, picture.prob_target, strict=True)
    ]
