"""The numbers that a chart shows: one dictionary, ready for JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._check import FloatArray
from ...answers.required import RequiredSize, success_of
from ...estimators import APExGP
from ..words.phrases import counted
from ..words.required import required_words

__all__ = ["bands_with", "chart_facts"]

_MARGIN = 1.25  # of the right end beyond the size that the target takes
_FARTHEST = 200.0  # times the pilot: to show the size that a target takes the chart is stretched no further


def chart_facts(
    model: APExGP,
    sizes: Sequence[float],
    required: RequiredSize | None = None,
    levels: Sequence[float] = (0.8, 0.95),
    points: int = 120,
) -> dict[str, Any]:
    """Measured scores and the forecast from the smallest pilot size on.

    Parameters
    ----------
    model
        A fitted model.
    sizes
        Sizes that can be read off exactly; the largest of them, or ten times the pilot, is the right end.
    required
        Answer to a target. The chart is stretched to show the size, and has the probability of the target at each.
    levels
        Probabilities of the bands.
    points
        Sizes between the ends of the chart.
    """
    curve, pilot = model.curve_, model.curve_.replicates
    grid = _grid(float(pilot.sizes[0]), float(pilot.sizes[-1]), sizes, required, points)
    forecast = model.forecast(grid)
    ends = forecast.quantile([p for level in sorted(levels) for p in ((1 - level) / 2, (1 + level) / 2)])
    facts: dict[str, Any] = {
        "metric": curve.metric_name,
        "task": curve.task,
        "direction": curve.direction,
        "counts": f"training {counted(curve)}",
        "measured": {"sizes": curve.sizes.tolist(), "scores": curve.scores.tolist()},
        "pilot": {"sizes": pilot.sizes.tolist(), "mean": pilot.mean.tolist(), "std": pilot.std.tolist()},
        "sizes": grid.tolist(),
        "mean": forecast.mean.tolist(),
        "bands": [
            {"level": level, "lower": lower.tolist(), "upper": upper.tolist()}
            for level, lower, upper in zip(sorted(levels), ends[::2], ends[1::2], strict=True)
        ],
        "target": None,
    }
    if required is not None:
        # The probability that the answer is about, so that the two agree: of the true expected score.
        facts["target"] = required.target
        facts["prob_target"] = success_of(model, required.target, "expected")(grid).tolist()
        facts["confidence"] = required.confidence
        facts["required"] = {
            "size": _finite(required.size),
            "interval": [_finite(end) for end in required.interval],
            "words": required_words(required, curve.largest),
            "shown": not required.already_met and bool(grid[0] <= required.size <= grid[-1]),
        }
    return facts


def bands_with(level: float) -> tuple[float, float]:
    """Probabilities of two bands, one of them as asked for."""
    return (0.8, level) if level > 0.8 else (level, 0.95)


def _grid(first: float, last: float, sizes: Sequence[float], required: RequiredSize | None, points: int) -> FloatArray:
    """Sizes from the pilot's smallest on: round numbers, the sizes asked for, and the one that a target takes."""
    end = max([*sizes, 2 * last]) if len(sizes) else 10 * last
    exact = [first, last, *(size for size in sizes if size >= first)]
    if required is not None and first <= required.size <= _FARTHEST * last:
        exact.append(float(required.size))
        end = max(end, _MARGIN * required.size)
    exact.append(end)
    # Three digits: a size that is read off should be one that can be said.
    between = [float(f"{size:.3g}") for size in np.geomspace(first, end, points).tolist()]
    return np.unique([*exact, *(size for size in between if first < size < end)])


def _finite(size: float) -> float | None:
    return size if math.isfinite(size) else None
