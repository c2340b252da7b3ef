"""Answers as tables: names of the columns, and rows of cells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from .._answer import Answer
from .._check import FloatArray
from .._numbers import format_chance, format_size
from ..answers.required import RequiredSize
from ..cautions import shorten_caution
from ..curve import LearningCurve
from ..design.ranking import PilotDesign
from ..questions.backtest import BacktestAnswer
from ..questions.forecast import BatchAnswer, ForecastAnswer
from ..repeated.backtest_answer import Backtest
from .words.backtest import OWN
from .words.required import required_words, times_pilot

__all__ = [
    "Cells",
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
"""The names of the columns of a table, and its rows."""

_BEST = 3  # designs of the advice, beside the one that is cheap and the one that needs no more data


def table_of(answer: Answer) -> Cells:
    """The table that an answer shows of itself."""
    shown = answer.shown()
    return list(shown.header), [list(row) for row in shown.rows]


def forecast_table(answer: ForecastAnswer) -> Cells:
    """One row per size."""
    curve, found = answer.model.curve_, answer.forecast
    header = _forecast_header(curve.metric_name, answer.question.level)
    rows = _forecast_cells(found.sizes, found.mean, answer.ends, curve.largest)
    if answer.required is None or answer.chances is None:
        return header, rows
    return [*header, f"true mean reaches {answer.required.target:g}"], [
        [*row, format_chance(probability, answer.required.confidence)]
        for row, probability in zip(rows, answer.chances, strict=True)
    ]


def _forecast_header(metric: str, level: float) -> list[str]:
    return ["size", "times pilot", f"expected {metric}", f"{100 * level:g} % interval"]


def _forecast_cells(
    sizes: FloatArray, mean: FloatArray, ends: tuple[FloatArray, FloatArray], largest: float
) -> list[list[str]]:
    return [
        [format_size(size), f"{size / largest:.3g}", f"{expected:.3f}", f"{low:.3f} to {high:.3f}"]
        for size, expected, low, high in sorted(zip(sizes.tolist(), mean, *ends, strict=True))
    ]


def batch_table(answer: BatchAnswer, metric: str) -> Cells:
    """One row per task and size; what a task asks for, and what is wrong with it, stand in its first row."""
    level, target = answer.question.level, answer.question.target
    header = ["task", *_forecast_header(metric, level)]
    header += [] if target is None else [f"size for {target:g}"]
    rows = []
    for one in answer.found:
        asked = [] if target is None else ["-" if one.required is None else required_words(one.required)]
        wrong = "; ".join(map(shorten_caution, one.cautions)) if one.error is None else _first_sentence(one.error)
        ends = one.intervals.get(level)
        cells = [["-"] * 4] if ends is None else _forecast_cells(one.sizes, one.mean, ends, one.largest)
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
    last, rows = curve.largest, []
    for level, size in found.by_probability.items():
        one = replace(found, size=size, already_met=False)
        words = required_words(one)
        rows.append([f"with {100 * level:g} %", words, times_pilot(one, last) if words[-1].isdigit() else "-"])
    return [f"reaches {found.target:g}", curve.unit_name, "times pilot"], rows


def advice_table(found: PilotDesign) -> Cells:
    """The best few of what can be measured next, below what is known now, at no more sizes than there is room for."""
    return found.table(sorted({0, len(found.at) // 2, len(found.at) - 1}), _BEST)


def summary_table(answers: Mapping[str, tuple[ForecastAnswer, int]]) -> Cells:
    """One row per task: what a target takes, the last measurement, the farthest forecast, and how many cautions."""
    asked = next(iter(answers.values()))[0].question
    header = ["measured", "at size", "expected", f"{100 * asked.level:g} % interval", "at size", "cautions"]
    rows = []
    for name, (answer, cautions) in answers.items():
        curve, found = answer.model.curve_, answer.forecast
        size, _, expected, interval = _forecast_cells(found.sizes, found.mean, answer.ends, curve.largest)[-1]
        takes = [] if answer.required is None else [required_words(answer.required)]
        measured = [f"{curve.replicates.mean[-1]:.3f}", format_size(curve.largest)]
        rows.append([name, *takes, *measured, expected, interval, size, str(cautions)])
    return ["task", *([] if asked.target is None else [f"size for {asked.target:g}"]), *header], rows


def curve_table(curve: LearningCurve) -> Cells:
    """What was measured, one row per size; the spread of a single score is not known."""
    measured = curve.replicates
    return ["size", "mean", "spread", "splits"], [
        [format_size(size), f"{mean:.3f}", f"{std:.3f}" if splits > 1 else "-", str(splits)]
        for size, mean, std, splits in zip(measured.sizes, measured.mean, measured.std, measured.count, strict=True)
    ]


def held_out_table(result: Backtest, method: str) -> Cells:
    """One row per size that was held out: what a method said, and what came."""
    rows = [one for one in result.by_size if one.method == method]
    return ["size", "times fitted", "measured", "forecast", "95 % interval", "within"], [
        [
            format_size(one.size),
            f"{one.times:.3g}",
            f"{one.measured:.3f}",
            f"{one.forecast:.3f}",
            f"{one.lower_95:.3f} to {one.upper_95:.3f}",
            "yes" if one.within_95 else "no",
        ]
        for one in rows
    ]


def backtest_table(answer: BacktestAnswer) -> Cells:
    """One row per method, the best first where there is a best, with what it asks for to reach a target."""
    header, rows = table_of(answer.result)
    if not answer.result.is_ranked:
        order = [*OWN, *answer.question.methods]
        rows.sort(key=lambda row: order.index(row[0]))
    if answer.required:
        header.append(f"size for {answer.question.target:g}")
        for row in rows:
            found = answer.required[row[0]]
            row.append("-" if isinstance(found, str) else required_words(found))
    return header, rows
