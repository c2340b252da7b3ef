"""Answers as tables: names of the columns, and rows of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .._answer import Answer
from .._numbers import exactly
from ..answers.required import RequiredSize
from ..cautions import in_brief
from ..curve import LearningCurve
from ..repeated.figures import Backtest
from ..repeated.many import CurveForecast
from .words.required import required_words

__all__ = ["backtest_table", "batch_table", "curve_table", "forecast_table", "table_of"]

Cells = tuple[list[str], list[list[str]]]


def table_of(answer: Answer) -> Cells:
    """The table that an answer shows of itself."""
    shown = answer.shown()
    return list(shown.header), [list(row) for row in shown.rows]


def forecast_table(facts: dict[str, Any]) -> Cells:
    """One row a size."""
    largest = facts["pilot"]["sizes"][-1]
    header = _forecast_header(facts["pilot"]["metric_name"], facts["level"])
    return header, [_forecast_cells(**row, largest=largest) for row in facts["forecast"]]


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


def curve_table(curve: LearningCurve) -> Cells:
    """What was measured, one row a size."""
    measured = curve.replicates
    return ["size", "mean", "s.d.", "splits"], [
        [exactly(size), f"{mean:.3f}", f"{std:.3f}", str(splits)]
        for size, mean, std, splits in zip(measured.sizes, measured.mean, measured.std, measured.count, strict=True)
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
