"""The curves that the lines of a record add up to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..curve import LearningCurve
from ..errors import DataError
from ..reading.score_details import BY_SCORE
from .lines import CurveIdentity, RecordLine

__all__ = ["adds_nothing", "group_by_identity", "merge_curves"]


def group_by_identity(lines: Sequence[RecordLine]) -> dict[CurveIdentity, list[int]]:
    """Places of the lines that are about the same curve; those that contradict each other are refused."""
    found: dict[CurveIdentity, list[int]] = {}
    for i, line in enumerate(lines):
        places = found.setdefault(line.identity, [])
        places.append(i)
        first, own = lines[places[0]].curve, line.curve
        if (first.direction, first.range) != (own.direction, own.range):
            raise DataError(
                f"{line.identity} has scores with direction={own.direction!r} and range={own.range} in one line, but "
                f"direction={first.direction!r} and range={first.range} in an earlier one. Record the curve under "
                "another name."
            )
    return found


def merge_curves(curves: Iterable[LearningCurve]) -> LearningCurve:
    """One curve of all sizes; a size that was measured again has the scores that came last."""
    latest: dict[float, LearningCurve] = {}
    for curve in curves:
        latest |= dict.fromkeys(np.unique(curve.sizes).tolist(), curve)
    parts = [curve._rows(curve.sizes == size) for size, curve in sorted(latest.items(), key=lambda item: item[0])]
    joined: dict[str, Any] = {}
    for name in ("sizes", "scores", *BY_SCORE):
        values = [np.full(len(part), np.nan) if getattr(part, name) is None else getattr(part, name) for part in parts]
        joined[name] = np.concatenate(values)  # what is not known of any score is dropped by the curve itself
    # Labels count where all have them: without, nobody knows which split a score continues.
    labels = [None if part.split is None else part.split.tolist() for part in parts]
    joined["split"] = None if None in labels else [label for own in labels for label in own or ()]
    averages = {part.averaged_over for part in parts}
    joined["averaged_over"] = averages.pop() if len(averages) == 1 else None
    return replace(parts[-1], **joined)


def adds_nothing(curve: LearningCurve, known: LearningCurve) -> bool:
    """Whether all that a curve says of its sizes is known already."""
    there = _collect_rows_by_size(known)
    return all(there.get(size) == rows for size, rows in _collect_rows_by_size(curve).items())


def _collect_rows_by_size(curve: LearningCurve) -> Mapping[float, list[tuple[str, ...]]]:
    columns = [getattr(curve, name) for name in ("scores", "split", *BY_SCORE)]
    known = [values.tolist() for values in columns if values is not None]
    found: dict[float, list[tuple[str, ...]]] = {}
    for size, *row in zip(curve.sizes.tolist(), *known, strict=True):
        found.setdefault(size, []).append(tuple(map(repr, row)))
    return found
