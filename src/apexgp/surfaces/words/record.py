"""How often intervals held on pilots like this one, in words."""

from __future__ import annotations

from ...curve import LearningCurve
from ...questions.record import LEVELS, Design, Record
from .phrases import listed

__all__ = ["record_words"]

_TIMES = ("up to 2", "2 to 10", "more than 10")


def record_words(record: Record, curve: LearningCurve, level: float) -> str:
    """Which pilots were tried, how often the intervals held what came, and in what this pilot differs."""
    tried, at = record.tried, record.horizons
    asked = round(100 * level, 6)
    levels = [int(asked)] if asked in LEVELS else list(LEVELS)
    held = ", and their ".join(
        f"{number} % intervals covered {listed([f'{tried.covers[number][h]:.0f}' for h in at])} %" for number in levels
    )
    where = listed([_TIMES[h] for h in at])
    counted = listed([f"{tried.curves[h]:,}" for h in at])
    return (
        f"Of the pilots cut from real learning curves, those most like this one have {_described(tried.design)}. "
        f"Forecast with {_whose(record)} that had not seen their task, their {held} of the later scores at {where} "
        f"times the largest size ({counted} pilots). {_differences(record, curve)}"
    )


def _whose(record: Record) -> str:
    return "priors" if record.of_this_model else "the priors that all kinds of learner share, and"


def _described(design: Design) -> str:
    return f"{design.metric} at {design.sizes} sizes up to {design.largest:,.10g}: {_splits(design)}" + (
        ", with training scores" if design.training_scores else ""
    )


def _splits(design: Design) -> str:
    if design.kind == "unlabelled":
        return "one score per size, without a split label"
    if design.kind == "means":
        return f"the mean of {design.splits:.0f} runs per size"
    return "one labelled split" if design.splits == 1 else f"{design.splits:.3g} splits"


def _alike(one: float, other: float, factor: float = 1.5) -> bool:
    return max(one, other) <= factor * min(one, other)


def _differences(record: Record, curve: LearningCurve) -> str:
    """In what this pilot is unlike those, so that a reader can tell how far their record goes."""
    own, theirs = record.own, record.tried.design
    found = []
    if own.metric != theirs.metric:
        found.append(f"the score ({curve.metric_name})")
    if not _alike(own.sizes, theirs.sizes):
        found.append(f"the number of sizes ({own.sizes})")
    if not _alike(own.largest, theirs.largest, 2):
        found.append(f"the largest size ({own.largest:,.10g})")
    if own.kind != theirs.kind or not _alike(own.splits, theirs.splits):
        found.append(f"the scores per size ({_splits(own)})")
    elif own.kind == "labelled" and curve.split is None:
        found.append("splits without labels")
    if own.training_scores != theirs.training_scores:
        found.append(f"training scores ({'known' if own.training_scores else 'not known'} here)")
    return f"This pilot differs in {listed(found)}." if found else "This pilot is of that kind."
