"""Whole curves as lessons: pilots cut from their early part, and the scores measured later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._check import FloatArray, format_some, format_value
from ..curve import LearningCurve
from ..errors import DataError
from ..forecast import Quantity
from ..reading.known_metrics import UNNAMED

__all__ = ["Lesson", "PilotCut", "check_alike", "cut_pilots", "make_lessons"]

_FEWEST_SIZES, _ENOUGH_SIZES = 3, 5
_FARTHER = 1.4  # times the end of a pilot: nearer sizes are no forecast
_FAR, _FARTHEST = 2.0, 50.0  # times the end of a pilot: how far forecasts should reach
_MOST_CUTS, _MOST_TARGETS = 3, 3


@dataclass(frozen=True)
class PilotCut:
    """A pilot cut from a curve, and the later scores that its forecasts are judged by; higher is better."""

    pilot: LearningCurve
    sizes: FloatArray
    truths: FloatArray
    of: Quantity
    n_splits: int | None


@dataclass(frozen=True)
class Lesson:
    """A whole curve, with the pilots cut from it."""

    task: str
    curve: LearningCurve
    cuts: tuple[PilotCut, ...]


def make_lessons(
    curves: Mapping[Any, LearningCurve] | Sequence[LearningCurve], argument: str = "curves"
) -> list[Lesson]:
    """Make a lesson of each whole curve; curves that are too short, or do not belong together, are refused.

    The tasks are those of the curves, or else the keys of a mapping; a curve without either is a task of its own.
    """
    keyed = list(curves.items()) if isinstance(curves, Mapping) else list(enumerate(curves))
    for key, curve in keyed:
        if not isinstance(curve, LearningCurve):
            raise DataError(f"must be LearningCurves, got {format_value(curve)} as {key!r}.", argument=argument)
    check_alike([curve for _, curve in keyed], argument)
    named = isinstance(curves, Mapping)
    lessons, short = [], []
    for key, curve in keyed:
        task = curve.task if curve.task is not None else str(key) if named and key is not None else f"curve {key}"
        cuts = cut_pilots(curve)
        if cuts:
            lessons.append(Lesson(task, curve, cuts))
        else:
            short.append(task)
    if short:
        raise DataError(
            f"must extend beyond a pilot: {len(short)} of {len(keyed)} ({format_some(short)}) "
            f"{'has' if len(short) == 1 else 'have'} no size at least {_FARTHER:g} times the third smallest, so "
            "nothing is left to compare a forecast with. Leave such curves out.",
            argument=argument,
        )
    return lessons


def check_alike(curves: Sequence[LearningCurve], argument: str) -> None:
    """Refuse curves that contradict each other: numbers learnt from one metric or unit say little of another."""
    kinds: dict[str, set[str]] = {
        "metrics": {curve.metric_name for curve in curves if curve.metric != UNNAMED},
        "units": {curve.unit_name for curve in curves},
        "directions": {curve.direction for curve in curves},
    }
    for what, found in kinds.items():
        if len(found) > 1:
            raise DataError(
                f"must be alike, got {what} that differ: {format_some(sorted(found))}. Learn from one kind at a time.",
                argument=argument,
            )


def cut_pilots(curve: LearningCurve) -> tuple[PilotCut, ...]:
    """Cut pilots that end at up to three sizes, as far apart as the curve allows."""
    upward = curve.upward
    sizes = upward.replicates.sizes
    ends = sizes[_FEWEST_SIZES - 1 :]
    ends = ends[sizes[-1] >= _FARTHER * ends]
    # Where a curve is long enough: pilots of more sizes, and forecasts that reach farther.
    longer = ends[(np.searchsorted(sizes, ends) >= _ENOUGH_SIZES - 1) & (sizes[-1] >= _FAR * ends)]
    return tuple(_cut_at(upward, end) for end in _pick_evenly(longer if len(longer) else ends, _MOST_CUTS))


def _pick_evenly(sizes: FloatArray, most: int) -> FloatArray:
    """Pick at most so many sizes, evenly spread over their logarithms, the first and the last among them."""
    if len(sizes) <= most:
        return sizes
    wanted = np.linspace(np.log(sizes[0]), np.log(sizes[-1]), most)
    return sizes[np.unique(np.abs(np.log(sizes) - wanted[:, None]).argmin(axis=1))]


def _cut_at(curve: LearningCurve, end: float) -> PilotCut:
    pilot, rest = curve.up_to(end), curve.beyond(end)
    later = rest.replicates
    far = later.sizes >= _FARTHER * end
    far &= (later.sizes <= _FARTHEST * end) | (later.sizes == later.sizes[far][0])
    if pilot.split is not None and rest.split is not None:
        pilot_splits = set(pilot.split.tolist())
        is_continued = np.array([pilot_splits <= set(rest.split[rest.sizes == size].tolist()) for size in later.sizes])
        if (far & is_continued).any():
            sizes = _pick_evenly(later.sizes[far & is_continued], _MOST_TARGETS)
            continued = np.isin(rest.split, list(pilot_splits))
            truths = np.array([rest.scores[continued & (rest.sizes == size)].mean() for size in sizes])
            return PilotCut(pilot, sizes, truths, "same_splits", None)
    sizes = _pick_evenly(later.sizes[far], _MOST_TARGETS)
    at = np.searchsorted(later.sizes, sizes)
    # A forecast is of a mean over one number of splits: where sizes differ in it, their median.
    return PilotCut(pilot, sizes, later.mean[at], "new_splits", int(np.median(later.count[at])))
