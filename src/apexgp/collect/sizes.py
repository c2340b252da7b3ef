"""Which training-set sizes a run measures, where it is not told, and why these.

They follow from the data and the estimator, never from a clock: the same run asks for the same sizes, on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._check import check_sizes, check_text, format_some, format_value
from .._warn import warn
from ..errors import RequestError, SizesLeftOutWarning

__all__ = ["MOST_SPLITS", "PAPER_SIZES", "SizeLimits", "Sizes", "cases_of_each_class"]

PAPER_SIZES = (60, 94, 147, 230, 360)

MOST_SPLITS = 1000
"""At each size."""

_FEWEST, _MOST = 5, 10  # sizes
_WIDEST = 32  # the largest size over the smallest: what is far below tells little of what is above
_LEAST = 20  # rows below which scores are mostly luck
_CASES_OF_EACH_CLASS = 5
_BUDGET = 200_000  # rows fitted to in one split, over sizes, tasks and candidates


@dataclass(frozen=True)
class SizeLimits:
    """What the data allow: the smallest subset that holds every class, the largest that every split has."""

    smallest: int
    largest: int
    rarest: float
    """Share of the rarest class."""
    unit: str
    """Rows or groups."""

    def __and__(self, other: SizeLimits) -> SizeLimits:
        """What both allow."""
        return SizeLimits(
            max(self.smallest, other.smallest),
            min(self.largest, other.largest),
            min(self.rarest, other.rarest),
            self.unit,
        )


@dataclass(frozen=True)
class Sizes:
    """Sizes to measure, and why these: a sentence, empty where they were asked for."""

    sizes: tuple[int, ...]
    reason: str = ""

    @classmethod
    def asked_for(cls, wanted: ArrayLike | str, room: SizeLimits) -> Sizes:
        """The sizes wanted, without those that the data cannot give."""
        if isinstance(wanted, str):
            if check_text("sizes", wanted) != "paper":
                raise RequestError(
                    f"must be numbers, or 'paper' for the paper's five, got {format_value(wanted)}.", argument="sizes"
                )
            wanted = PAPER_SIZES
        given = np.unique(check_sizes("sizes", wanted))
        if (given != np.round(given)).any():
            fractions = given[given != np.round(given)]
            raise RequestError(f"must be whole numbers, got {format_some(fractions)}.", argument="sizes")
        if given[0] < room.smallest:
            raise RequestError(
                f"must be at least {room.smallest}, so that every training subset contains every class, got "
                f"{given[0]:g}.",
                argument="sizes",
            )
        fitting, beyond = given[given <= room.largest], given[given > room.largest]
        if not fitting.size:
            raise RequestError(
                f"All sizes are beyond the {room.largest} {room.unit} of the smallest training set: "
                f"{format_some(beyond)}. Give smaller ones."
            )
        if beyond.size:
            warn(
                f"The sizes {format_some(beyond)} are beyond the {room.largest} {room.unit} of the smallest training "
                "set and were left out.",
                SizesLeftOutWarning,
            )
        return cls(tuple(int(size) for size in fitting))

    @classmethod
    def chosen(cls, room: SizeLimits, cases_of_each: int, fits_of_each: int) -> Sizes:
        """Log-spaced sizes up to all the training data.

        Parameters
        ----------
        room
            What the data allow.
        cases_of_each
            Cases of each class that the estimator needs.
        fits_of_each
            How often each subset is fitted to in one split: tasks times candidates.
        """
        affordable = _BUDGET // (2 * fits_of_each)  # all sizes together are about twice the largest
        top = min(room.largest, max(affordable, PAPER_SIZES[-1], room.smallest))
        for_classes = max(room.smallest, _LEAST, -int(-cases_of_each // room.rarest))
        low = min(max(for_classes, -(-top // _WIDEST)), max(room.smallest, -(-top // 4)))
        number = int(np.clip(1 + round(2 * np.log2(top / low)), _FEWEST, _MOST))
        sizes = sorted(set(np.geomspace(low, top, number).round().astype(int).tolist()))
        whole = (
            f"up to the {top:,} {room.unit} of the smallest training set"
            if top == room.largest
            else f"up to {top:,} of the {room.largest:,} {room.unit} available, to limit the cost (name larger ones "
            "with sizes, --sizes)"
        )
        why = f"{cases_of_each} or more cases of each class" if low == for_classes else f"1/{top / low:.0f} of the last"
        return cls(tuple(sizes), f"{len(sizes)} sizes, evenly spaced on a log scale, from {low:,} ({why}) {whole}.")


def cases_of_each_class(estimator: Any) -> int:
    """Cases of each class that an estimator needs, as far as it says: one that cross-validates, one for each fold."""
    found = [_CASES_OF_EACH_CLASS]
    for name, value in estimator.get_params().items():
        if name.rpartition("__")[2] in ("cv", "n_folds") and type(value) is int:
            found.append(value)
    return max(found)
