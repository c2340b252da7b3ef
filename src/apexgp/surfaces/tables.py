"""Answers as tables: names of the columns, and rows of cells."""

from __future__ import annotations

from typing import Any

from ..answers.plan import CollectionPlan
from ..answers.required import RequiredSize
from ..curve import LearningCurve
from .words.required import required_words

__all__ = ["backtest_table", "compare_table", "curve_table", "forecast_table", "minimum_table", "plan_table"]

Cells = tuple[list[str], list[list[str]]]

# Figures of a method: name in the facts, name in the table, format.
_FIGURES = (
    ("error", "error", ".4f"),
    ("bias", "bias", "+.4f"),
    ("likelihood", "likelihood", ".3f"),
    ("coverage_80", "80 % holds", ".2f"),
    ("coverage_95", "95 % holds", ".2f"),
    ("crps", "CRPS", ".4f"),
)


def forecast_table(facts: dict[str, Any]) -> Cells:
    """One row a size."""
    largest = facts["pilot"]["sizes"][-1]
    header = [
        "size",
        "times pilot",
        f"expected {facts['pilot']['metric_name']}",
        f"{100 * facts['level']:g} % interval",
    ]
    return header, [
        [
            f"{row['size']:,.10g}",
            f"{row['size'] / largest:.3g}",
            f"{row['mean']:.3f}",
            f"{row['lower']:.3f} to {row['upper']:.3f}",
        ]
        for row in facts["forecast"]
    ]


def curve_table(curve: LearningCurve) -> Cells:
    """What was measured, one row a size."""
    measured = curve.replicates
    return ["size", "mean", "s.d.", "splits"], [
        [f"{size:,.10g}", f"{mean:.3f}", f"{std:.3f}", str(splits)]
        for size, mean, std, splits in zip(measured.sizes, measured.mean, measured.std, measured.count, strict=True)
    ]


def plan_table(plan: CollectionPlan) -> Cells:
    """One row a round."""
    rows, before = [], plan.start
    for number, (size, met) in enumerate(zip(plan.sizes, plan.prob_met, strict=True), start=1):
        more = size - before
        rows.append(
            [str(number), f"{more:,}", f"{size:,}", f"{more * plan.cost_per_sample:,.0f}", f"{100 * met:.1f} %"]
        )
        before = size
    return ["round", "collect", "to have", "cost", "target met by then"], rows


def compare_table(facts: dict[str, Any]) -> Cells:
    """One row a pair of models and size."""
    return ["which", "size", "probability", "expected difference"], [
        [f"{pair['first']} beats {pair['second']}", f"{size:,.10g}", f"{100 * chance:.0f} %", f"{gap:+.3f}"]
        for pair in facts["pairs"]
        for size, chance, gap in zip(pair["sizes"], pair["prob_first_better"], pair["difference"], strict=True)
    ]


def backtest_table(
    facts: dict[str, Any], target: float | None, required: dict[str, RequiredSize | str], largest: float
) -> Cells:
    """One row a method, with what it asks for to reach a target, seen from the `largest` size measured."""
    header = ["method", *(shown for _, shown, _ in _FIGURES)]
    rows = [
        [score["method"], *("-" if score[name] is None else f"{score[name]:{form}}" for name, _, form in _FIGURES)]
        for score in facts["methods"]
    ]
    if target is not None:
        header.append(f"examples for {target:g}")
        for row in rows:
            answer = required[row[0]]
            row.append("-" if isinstance(answer, str) else required_words(answer, largest))
    return header, rows


def minimum_table(facts: dict[str, Any]) -> Cells:
    """One row a criterion."""
    return ["criterion", "patients"], [
        [name.replace("_", " "), f"{n:,}"] for name, n in facts["minimum"]["criteria"].items()
    ]
