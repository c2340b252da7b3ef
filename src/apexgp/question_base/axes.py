"""Where things stand in a chart: two scales and the numbers on their axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..scale import UNIT_RANGE, Range

__all__ = ["LogScale", "ScoreScale", "Tick", "choose_size_ticks"]

_STEPS: tuple[tuple[tuple[float, ...], ...], ...] = (
    # Numbers within a decade that are labelled, the densest first; then, for a narrow screen, some of the same.
    ((1, 2, 5), (1, 5), (1,)),
    ((1, 3), (1,)),
    ((1,),),
)


_LEAST_SPREAD = 0.01  # of the scores on an axis


@dataclass(frozen=True)
class Tick:
    """A number on an axis; `extra` ones are left out where there is little room."""

    value: float
    label: str
    extra: bool = False


@dataclass(frozen=True)
class LogScale:
    """Sizes on a logarithmic axis between two places; labels end before the edge."""

    low: float
    high: float
    left: float
    right: float
    edge: float

    def __call__(self, size: float) -> float:
        """The place of a size."""
        share = math.log(size / self.low) / math.log(self.high / self.low)
        return self.left + share * (self.right - self.left)


@dataclass(frozen=True)
class ScoreScale:
    """Scores on an axis that holds all of some values and ends at round numbers."""

    low: float
    high: float
    step: float
    top: float
    bottom: float

    @classmethod
    def holding(cls, values: Sequence[float], top: float, bottom: float, between: Range = UNIT_RANGE) -> ScoreScale:
        """The scale from the lowest to the highest value of a range, between two places."""
        least, most = between
        low, high = max(least, min(values)), min(most, max(values))
        unit = 1.0 if between == UNIT_RANGE else max(abs(low), abs(high), 1e-9)
        if high - low < _LEAST_SPREAD * unit:  # a flat line is drawn flat, not as the noise of its last digit
            low = min(max(least, (low + high - _LEAST_SPREAD * unit) / 2), most - _LEAST_SPREAD * unit)
            high = low + _LEAST_SPREAD * unit
        spread = high - low
        # The smallest round step with no more than seven numbers.
        step = next(s for s in _round_steps(spread / 10) if spread / s <= 6)
        return cls(
            max(least, math.floor(low / step + 1e-9) * step),
            min(most, math.ceil(high / step - 1e-9) * step),
            step,
            top,
            bottom,
        )

    def __call__(self, score: float) -> float:
        """The place of a score."""
        return self.bottom - (score - self.low) / (self.high - self.low) * (self.bottom - self.top)

    def ticks(self) -> list[Tick]:
        """Round scores, all with as many digits."""
        digits = max(int(self.step < 1), -math.floor(math.log10(self.step) + 1e-9))
        count = math.floor((self.high - self.low) / self.step + 1e-6)
        first = math.ceil(self.low / self.step - 1e-9)
        values = [(first + i) * self.step for i in range(count + 1)]
        return [Tick(value, f"{value:.{digits}f}") for value in values if value <= self.high + 1e-9]


def choose_size_ticks(scale: LogScale, letter: float, narrow_letter: float) -> list[Tick]:
    """Round sizes, as many as have room for their labels.

    Parameters
    ----------
    scale
        The axis.
    letter, narrow_letter
        Width of a letter, and on a narrow screen.
    """
    if len(_in_decades(scale, _STEPS[0][0])) < 3:
        return _even_ticks(scale, letter, narrow_letter)
    for steps, *fewer in _STEPS:
        sizes = _in_decades(scale, steps)
        if _fit(scale, sizes, letter):
            some = [*(_in_decades(scale, s) for s in (steps, *fewer)), _in_decades(scale, (1,))[::2]]
            fitting = (kept for kept in some if len(kept) > 1 and _fit(scale, kept, narrow_letter))
            return _label_steps(sizes, next(fitting, sizes[:1] + sizes[-1:]))
    # More decades than labels have room for.
    every = next(n for n in range(2, len(sizes) + 1) if _fit(scale, sizes[::n], letter))
    return _label_steps(sizes[::every], sizes[:: 2 * every])


def _even_ticks(scale: LogScale, letter: float, narrow_letter: float) -> list[Tick]:
    """Evenly spaced sizes, for an axis on which the largest is only a few times the smallest."""
    every = (_multiples(scale, step) for step in _round_steps(scale.high / 1000))
    sizes = next(some for some in every if len(some) <= 7 and _fit(scale, some, letter))
    kept = next(some for n in range(1, 8) if _fit(scale, some := sizes[::n], narrow_letter))
    return _label_steps(sizes, kept)


def _multiples(scale: LogScale, step: float) -> list[float]:
    first, last = math.ceil(scale.low / step - 1e-9), math.floor(scale.high / step + 1e-9)
    return [float(f"{n * step:.10g}") for n in range(first, last + 1)]


def _round_steps(least: float) -> list[float]:
    """Rising numbers 1, 2 and 5 times powers of ten, from about the least on."""
    start = math.floor(math.log10(least))
    return [digit * 10.0**power for power in range(start, start + 8) for digit in (1, 2, 5)]


def _in_decades(scale: LogScale, steps: Sequence[float]) -> list[float]:
    first, last = math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high))
    # By way of text: what is too large for a number is infinite, and not on the axis, instead of an error.
    sizes = [float(f"{step:g}e{power}") for power in range(first, last + 1) for step in steps]
    return [size for size in sizes if scale.low * (1 - 1e-9) <= size <= scale.high * (1 + 1e-9)]


def _fit(scale: LogScale, sizes: Sequence[float], letter: float) -> bool:
    """Whether the labels stand apart by more than a letter."""
    widths = [letter * len(tick.label) for tick in _label_steps(sizes, sizes)]
    centres = [min(scale(size), scale.edge - width / 2) for size, width in zip(sizes, widths, strict=True)]
    return all(
        right - left >= sum(two) / 2 + 1.2 * letter
        for (left, right), two in zip(pairwise(centres), pairwise(widths), strict=True)
    )


def _label_steps(sizes: Sequence[float], kept: Sequence[float]) -> list[Tick]:
    """All labels of one kind: whole numbers, or powers of ten where those would be too long."""
    form = ",.10g" if max(sizes, default=1.0) < 1e9 else ".0e"
    return [Tick(size, f"{size:{form}}".replace("e+0", "e").replace("e+", "e"), size not in kept) for size in sizes]
