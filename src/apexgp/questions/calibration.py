"""How often the intervals of the default model held, on pilots like the one at hand: measured once, kept as data.

`calibration.csv` is written by `benchmarks/calibration.py --record`; docs/calibration.md prints the same numbers.
"""

from __future__ import annotations

import csv
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from math import log2
from typing import Literal

import numpy as np

from ..curve import LearningCurve
from ..estimators import APExGP
from ..forecast import Quantity
from ..learners import UNKNOWN
from ..model.means import DEFAULT_MEAN
from ..question_base.phrases import join_words
from ..reading.names import metric_name
from .forecast import ForecastAnswer

__all__ = ["HORIZONS", "LEVELS", "CoverageRecord", "TriedPilots", "describe_record", "find_record", "load_tried_pilots"]

LEVELS = (80, 95)
"""Per cent that the intervals were to hold."""
HORIZONS = (2.0, 10.0)
"""Multiples of the largest size at which one horizon gives way to the next."""
Kind = Literal["labelled", "single", "means"]
_TIMES = ("up to 2", "2 to 10", "more than 10")
_SAME_SIZE = 0.1  # octaves: 360 is as good as 362
_FACTS = ("train_scores", "n_features", "n_classes")
_LIKE_ACCURACY = ("accuracy", "balanced accuracy", "top-1 accuracy", "error rate", "zero-one loss")


@dataclass(frozen=True)
class PilotShape:
    """The features of a pilot that decide how well it can be extrapolated."""

    metric: str | None
    """AUROC, accuracy or average precision; None for another one."""
    largest: float
    sizes: int
    splits: float | None
    """Scores per size; of means the runs behind one of them, None if nobody has said how many."""
    kind: Kind
    told: bool
    """Whether training scores, kind of learner, number of features or of classes are known."""

    @classmethod
    def of_curve(cls, curve: LearningCurve) -> PilotShape:
        """The shape of a measured pilot."""
        pilot = curve.replicates
        each, averaged = float(np.median(pilot.count)), curve.known_run_count
        means = averaged > 1 or curve.is_mean_of_unknown_count
        return cls(
            _find_family(curve.metric),
            curve.largest,
            len(pilot.sizes),
            None if curve.is_mean_of_unknown_count else averaged if means else each,
            "means" if means else "single" if each == 1 else "labelled",
            curve.learner not in (None, UNKNOWN) or any(getattr(curve, name) is not None for name in _FACTS),
        )

    def distance(self, other: PilotShape) -> float:
        """How unlike another one it is. Nothing makes up for another kind."""
        unlike = 100.0 * (self.kind != other.kind) + 0.5 * (self.told != other.told)
        if self.metric is not None and self.metric != other.metric:
            unlike += 2
        if self.splits is not None and other.splits is not None:
            unlike += abs(log2(self.splits / other.splits))
        return unlike + abs(log2(self.sizes / other.sizes)) + 0.5 * abs(log2(self.largest / other.largest))


@dataclass(frozen=True)
class TriedPilots:
    """Pilots of one design, cut from real curves, and how often the intervals held what was measured later.

    Figures are those up to 2, from 2 to 10 and beyond 10 times the largest size; coverage is in per cent, by the level,
    and NaN where no curve goes that far.
    """

    name: str
    of: Quantity
    design: PilotShape
    covers: dict[int, tuple[float, ...]]
    curves: tuple[int, ...]


@dataclass(frozen=True)
class CoverageRecord:
    """The pilots that are most like the one at hand, and the horizons that were asked about (0, 1, 2)."""

    tried: TriedPilots
    own: PilotShape
    horizons: tuple[int, ...]


def find_record(answer: ForecastAnswer) -> CoverageRecord | None:
    """The record of the intervals of a forecast; None where the model is not the one that was tried."""
    model, curve = answer.model, answer.model.curve_
    if not _is_the_default(model):
        return None
    of = "new_splits" if answer.question.of == "same_splits" and curve.split is None else answer.question.of
    own = PilotShape.of_curve(curve if model.learner is None else replace(curve, learner=model.learner))
    asked = {bisect_left(HORIZONS, size / curve.largest) for size in answer.sizes}
    tried = min(
        (one for one in load_tried_pilots() if one.of == of and all(one.curves[h] for h in asked)),
        key=lambda one: (own.distance(one.design), -one.curves[0]),
    )
    return CoverageRecord(tried, own, tuple(sorted(asked)))


def _is_the_default(model: APExGP) -> bool:
    return (model.inference, model.priors, model.mean) == ("bayes", "calibrated", DEFAULT_MEAN)


def _find_family(metric: str) -> str | None:
    name = metric_name(metric)
    if "AUROC" in name or name == "c-statistic":
        return "AUROC"
    if name in _LIKE_ACCURACY:
        return "accuracy"
    return name if name == "average precision" else None


@cache
def load_tried_pilots() -> tuple[TriedPilots, ...]:
    """All designs of pilots that were tried."""
    text = files(__package__).joinpath("calibration.csv").read_text(encoding="utf-8")
    found = []
    for (name, of), rows in groupby(csv.DictReader(text.splitlines()), lambda row: (row["pilots"], row["of"])):
        every = list(rows)
        first = every[0]
        design = PilotShape(
            first["metric"],
            float(first["largest"]),
            int(first["sizes"]),
            float(first["splits"]),
            first["kind"],  # type: ignore[arg-type]
            first["told"] == "yes",
        )
        covers = {level: tuple(float(row[f"covers_{level}"] or "nan") for row in every) for level in LEVELS}
        found.append(TriedPilots(name, of, design, covers, tuple(int(row["curves"]) for row in every)))
    return tuple(found)


def describe_record(record: CoverageRecord, curve: LearningCurve, level: float) -> str:
    """Sentences on the pilots that were tried, how often their intervals held, and how this pilot differs."""
    tried, at = record.tried, record.horizons
    asked = round(100 * level, 6)
    levels = [int(asked)] if asked in LEVELS else list(LEVELS)
    held = ", and their ".join(
        f"{number} % intervals covered {join_words([f'{tried.covers[number][h]:.0f}' for h in at])} %"
        for number in levels
    )
    where = join_words([_TIMES[h] for h in at])
    counted = join_words([f"{tried.curves[h]:,}" for h in at])
    return (
        f"Of the pilots cut from real learning curves, those most like this one have {_describe_shape(tried.design)}. "
        f"Forecast with priors that had not seen their task, their {held} of the later scores at "
        f"{where} times the largest size ({counted} pilots). {_say_differences(record, curve)}"
    )


def _describe_shape(design: PilotShape) -> str:
    sizes = f"{design.sizes} sizes up to" if design.sizes > 1 else "one size,"
    facts = ", with training scores or facts of learner and problem" if design.told else ""
    return f"{design.metric} at {sizes} {design.largest:,.10g}: {_describe_splits(design)}{facts}"


def _describe_splits(design: PilotShape) -> str:
    if design.kind == "single":
        return "one run per size"
    if design.kind == "means":
        return f"the mean of {'several' if design.splits is None else f'{design.splits:.0f}'} runs per size"
    return f"{design.splits:.3g} splits"


def _say_differences(record: CoverageRecord, curve: LearningCurve) -> str:
    """Sentence on all that distinguishes this pilot from those that were tried."""
    own, theirs = record.own, record.tried.design
    found = []
    if curve.metric_name != theirs.metric:
        found.append(f"the score ({curve.metric_name})")
    if own.sizes != theirs.sizes:
        found.append(f"the number of sizes ({own.sizes})")
    if abs(log2(own.largest / theirs.largest)) > _SAME_SIZE:
        found.append(f"the largest size ({own.largest:,.10g})")
    if own.kind != theirs.kind or (own.splits is not None and own.splits != theirs.splits):
        found.append(f"the scores per size ({_describe_splits(own)})")
    elif own.kind == "labelled" and curve.split is None:
        found.append("splits without labels")
    if own.told != theirs.told:
        found.append(f"training scores or facts of learner and problem ({'known' if own.told else 'unknown'} here)")
    return f"This pilot differs in {join_words(found)}." if found else "This pilot is of that kind."
