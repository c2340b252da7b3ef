"""What a chart says in words: its title, what it shows, its legend, and what is read off at each size."""

from __future__ import annotations

from typing import Any

from .phrases import chance

__all__ = ["chart_description", "chart_title", "legend_words", "reading_labels", "readings", "size_axis"]


def chart_title(facts: dict[str, Any]) -> str:
    """What the chart is of."""
    of_task = f" of {facts['task']}" if facts["task"] else ""
    return f"{facts['metric']}{of_task} by training-set size, measured and forecast"


def chart_description(facts: dict[str, Any]) -> str:
    """What the eye sees, for those who hear it."""
    pilot, (level, lower, upper) = facts["pilot"], _widest(facts)
    text = (
        f"Measured: a mean {facts['metric']} of {pilot['mean'][0]:.3f} with {pilot['sizes'][0]:,.10g} "
        f"{facts['counts']} to {pilot['mean'][-1]:.3f} with {pilot['sizes'][-1]:,.10g}. Forecast for "
        f"{facts['sizes'][-1]:,.10g}: {facts['mean'][-1]:.3f} expected, {100 * level:g} % interval {lower[-1]:.3f} to "
        f"{upper[-1]:.3f}."
    )
    if facts["target"] is None:
        return text
    return (
        f"{text} The probability that {facts['sizes'][-1]:,.10g} meet the target of {facts['target']:g} is "
        f"{chance(facts['prob_target'][-1])}."
    )


def size_axis(facts: dict[str, Any]) -> str:
    """Title of the axis of sizes."""
    return f"{facts['counts']} (logarithmic scale)"


def legend_words(facts: dict[str, Any]) -> dict[str, str]:
    """The legend: a name for each kind of mark."""
    replicated = len(facts["measured"]["sizes"]) > len(facts["pilot"]["sizes"])
    words = {"pilot": "mean measured, with s.d."} if replicated else {"single": "measured"}
    words["mean"] = "expected score"
    words |= {f"band {i}": f"{100 * band['level']:g} % interval" for i, band in enumerate(facts["bands"])}
    if replicated:
        words["measured"] = "single scores"
    if facts["target"] is not None:
        words["target"] = f"target {facts['target']:g}"
        if facts["required"]["shown"]:
            met = f"{facts['required']['words']} reach it with {100 * facts['confidence']:g} %"
            words["required"] = f"{met} (bar: 10 to 90 %)"
    return words


def reading_labels(facts: dict[str, Any]) -> list[str]:
    """What is read off at a size."""
    level, _, _ = _widest(facts)
    labels = [facts["counts"], f"expected {facts['metric']}", f"{100 * level:g} % interval"]
    return labels if facts["target"] is None else [*labels, f"probability of {facts['target']:g}"]


def readings(facts: dict[str, Any]) -> list[list[str]]:
    """For each size, in the order of the labels, what is read off there."""
    _, lower, upper = _widest(facts)
    rows = [
        [f"{size:,.10g}", f"{mean:.3f}", f"{low:.3f} to {high:.3f}"]
        for size, mean, low, high in zip(facts["sizes"], facts["mean"], lower, upper, strict=True)
    ]
    if facts["target"] is None:
        return rows
    return [[*row, chance(p)] for row, p in zip(rows, facts["prob_target"], strict=True)]


def _widest(facts: dict[str, Any]) -> tuple[float, list[float], list[float]]:
    band = facts["bands"][-1]
    return band["level"], band["lower"], band["upper"]
