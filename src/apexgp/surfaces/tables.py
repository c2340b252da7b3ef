"""Answers as tables: names of the columns, and rows of cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._answer import Answer
from .._numbers import chance, exactly, multiple
from ..answers.required import RequiredSize
from ..cautions import in_brief
from ..curve import LearningCurve
from ..design.ranked import PilotDesign
from ..repeated.backtest_answer import Backtest
from ..repeated.many import CurveForecast
from .advice import worth_showing
from .words.phrases import counted
from .words.required import required_words

__all__ = [
    "advice_table",
    "backtest_table",
    "batch_table",
    "curve_table",
    "forecast_table",
    "held_out_table",
    "required_table",
    "summary_table",
    "table_of",
]

Cells = tuple[list[str], list[list[str]]]


def table_of(answer: Answer) -> Cells:
    """The table that an answer shows of itself."""
    shown = answer.shown()
    return list(shown.header), [list(row) for row in shown.rows]


def forecast_table(facts: dict[str, Any]) -> Cells:
    """One row a size."""
    largest = facts["pilot"]["sizes"][-1]
    header = _forecast_header(facts["pilot"]["metric_name"], facts["level"])
    rows = [_forecast_cells(**row, largest=largest) for row in facts["forecast"]]
    if "required" not in facts:
        return header, rows
    met = [chance(row["prob_target"]) for row in facts["forecast"]]
    return [*header, f"reaches {facts['required']['target']:g}"], [
        [*row, probability] for row, probability in zip(rows, met, strict=True)
    ]


def _forecast_header(metric: str, level: float) -> list[str]:
    return ["size", "times pilot", f"expected {metric}", f"{100 * level:g} % interval"]


def _forecast_cells(size: float, mean: float, lower: float, upper: float, largest: float, **_more: float) -> list[str]:
    return [exactly(size), f"{size / largest:.3g}", f"{mean:.3f}", f"{lower:.3f} to {upper:.3f}"]


def batch_table(found: Sequence[CurveForecast], level: float, target: float | None, metric: str) -> Cells:
    """One row a task and size; what a task asks for, and what is wrong with it, stand in its first row."""
    header = ["task", *_forecast_header(metric, level)]
    header += [] if target is None else [f"examples for {target:g}"]
    rows = []
    for one in found:
        asked = [] if target is None else ["-" if one.required is None else required_words(one.required, one.largest)]
        wrong = "; ".join(map(in_brief, one.cautions)) if one.error is None else _first_sentence(one.error)
        ends = one.intervals.get(level, ((), ()))
        sizes = sorted(zip(one.sizes.tolist(), one.mean, *ends, strict=True))
        cells = [_forecast_cells(size, mean, low, high, one.largest) for size, mean, low, high in sizes]
        cells = cells or [["-"] * 4]
        rows += [
            [str(one.task), *row, *(asked if i == 0 else [""] * len(asked)), wrong if i == 0 else ""]
            for i, row in enumerate(cells)
        ]
    return [*header, "what is wrong"], rows


def _first_sentence(text: str) -> str:
    """What is wrong; what to do about it follows, and is in the facts."""
    return re.split(r"(?<=\.) (?=[A-Z])", text, maxsplit=1)[0]


def required_table(found: RequiredSize, curve: LearningCurve) -> Cells:
    """One row a probability with which the target is reached: the size that does."""
    sizes = {0.1: found.interval[0], 0.5: found.median, 0.9: found.interval[1], found.confidence: found.size}
    last = curve.largest
    return [f"reaches {found.target:g}", counted(curve), "times pilot"], [
        [
            f"with {100 * level:g} %",
            words := required_words(replace(found, size=size, already_met=False), last),
            multiple(size / last, found.relative_error) if words[-1].isdigit() else "-",
        ]
        for level, size in sorted(sizes.items())
    ]


def advice_table(found: PilotDesign) -> Cells:
    """The best few of what can be measured next, below what is known now, at no more sizes than there is room for."""
    shown = sorted({0, len(found.at) // 2, len(found.at) - 1})
    header = ["measure", "fits", "expected error" if found.ranked_by == "score" else "Brier score"]
    header += [f"95 % width at {exactly(found.at[i])}" for i in shown]
    now = [
        found.nothing,
        "0",
        f"{found.risk_now:.4f}",
        *(f"{found.widths_now[i]:.3f}" for i in shown),
    ]
    rows = [now]
    if found.target is not None:
        header.append(f"{found.target:g} settled")
        now.append("yes" if found.settled_now else "no")
    for one in worth_showing(found):
        row = [found.words(one), str(one.fits), f"{one.risk:.4f}", *(f"{one.widths[i]:.3f}" for i in shown)]
        rows.append(row + ([] if one.prob_settled is None else [chance(one.prob_settled)]))
    return header, rows


def summary_table(facts: Mapping[str, dict[str, Any]], required: Mapping[str, RequiredSize | None]) -> Cells:
    """One row a task: what a target takes, the last measurement, and the farthest forecast."""
    level, target = next(iter(facts.values()))["level"], next(iter(required.values()))
    header = ["measured", "at size", "expected", f"{100 * level:g} % interval", "at size", "cautions"]
    rows = []
    for name, own in facts.items():
        pilot, far, found = own["pilot"], own["forecast"][-1], required[name]
        measured = [f"{pilot['means'][-1]:.3f}", exactly(pilot["sizes"][-1])]
        expected = [f"{far['mean']:.3f}", f"{far['lower']:.3f} to {far['upper']:.3f}", exactly(far["size"])]
        asked = [] if found is None else [required_words(found, pilot["sizes"][-1])]
        rows.append([name, *asked, *measured, *expected, str(len(own["cautions"]))])
    return ["task", *([] if target is None else [f"size for {target.target:g}"]), *header], rows


def curve_table(curve: LearningCurve) -> Cells:
    """What was measured, one row a size."""
    measured = curve.replicates
    return ["size", "mean", "s.d.", "splits"], [
        [exactly(size), f"{mean:.3f}", f"{std:.3f}", str(splits)]
        for size, mean, std, splits in zip(measured.sizes, measured.mean, measured.std, measured.count, strict=True)
    ]


def held_out_table(result: Backtest, method: str) -> Cells:
    """One row a size that was held out: what a method said, and what came."""
    rows = [one for one in result.by_size if one.method == method]
    return ["size", "times fitted", "measured", "forecast", "95 % interval", "within"], [
        [
            exactly(one.size),
            f"{one.times:.3g}",
            f"{one.measured:.3f}",
            f"{one.forecast:.3f}",
            f"{one.lower_95:.3f} to {one.upper_95:.3f}",
            "yes" if one.within_95 else "no",
        ]
        for one in rows
    ]


def backtest_table(
    result: Backtest, target: float | None, required: dict[str, RequiredSize | str], largest: float
) -> Cells:
    """One row a method, with what it asks for to reach a target, seen from the `largest` size measured."""
    header, rows = table_of(result)
    if target is not None:
        header.append(f"examples for {target:g}")
        for row in rows:
            answer = required[row[0]]
            row.append("-" if isinstance(answer, str) else required_words(answer, largest))
    return header, rows
