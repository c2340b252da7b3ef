"""Training-set sizes of a run: as requested, or chosen from the data and the estimator.

They never depend on a clock: the same run has the same sizes on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._check import check_sizes, check_text, format_some, format_value
from ..errors import RequestError, SizesLeftOutWarning, warn

__all__ = ["MOST_SPLITS", "PAPER_SIZES", "SizeChoice", "SizeLimits", "count_cases_needed"]

PAPER_SIZES = (60, 94, 147, 230, 360)

MOST_SPLITS = 1000
"""Largest number of splits at each size."""

_FEWEST, _MOST = 5, 10  # sizes
_WIDEST = 32  # the largest size over the smallest: sizes far below say little about those above
_LEAST = 20  # rows below which scores are mostly luck
_CASES_OF_EACH_CLASS = 5
_BUDGET = 200_000  # rows fitted to in one split, over sizes, tasks and candidates


@dataclass(frozen=True)
class SizeLimits:
    """Smallest training subset that contains every class, and largest that every split has."""

    smallest: int
    largest: int
    rarest: float
    """Share of the rarest class."""
    unit: str
    """Unit of a size: rows or groups."""

    def __and__(self, other: SizeLimits) -> SizeLimits:
        """Sizes that are within both limits."""
        return SizeLimits(
            max(self.smallest, other.smallest),
            min(self.largest, other.largest),
            min(self.rarest, other.rarest),
            self.unit,
        )


@dataclass(frozen=True)
class SizeChoice:
    """Sizes to measure, and the reason for them in a sentence, empty where they were requested."""

    sizes: tuple[int, ...]
    reason: str = ""

    @classmethod
    def from_request(cls, wanted: ArrayLike | str, limits: SizeLimits) -> SizeChoice:
        """Check requested sizes, and leave out those beyond the data with a warning."""
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
        if given[0] < limits.smallest:
            raise RequestError(
                f"must be at least {limits.smallest}, so that every training subset contains every class, got "
                f"{given[0]:g}.",
                argument="sizes",
            )
        fitting, beyond = given[given <= limits.largest], given[given > limits.largest]
        if not fitting.size:
            raise RequestError(
                f"All sizes are beyond the {limits.largest} {limits.unit} of the smallest training set: "
                f"{format_some(beyond)}. Give smaller ones."
            )
        if beyond.size:
            warn(
                f"The sizes {format_some(beyond)} are beyond the {limits.largest} {limits.unit} of the smallest "
                "training set and were left out.",
                SizesLeftOutWarning,
            )
        return cls(tuple(int(size) for size in fitting))

    @classmethod
    def choose(cls, limits: SizeLimits, cases_of_each: int, fits_of_each: int) -> SizeChoice:
        """Choose log-spaced sizes up to all the training data.

        Parameters
        ----------
        limits
            Sizes that the data allow.
        cases_of_each
            Cases of each class that the estimator needs.
        fits_of_each
            How often each subset is fitted to in one split: tasks times candidates.
        """
        affordable = _BUDGET // (2 * fits_of_each)  # all sizes together are about twice the largest
        top = min(limits.largest, max(affordable, PAPER_SIZES[-1], limits.smallest))
        for_classes = max(limits.smallest, _LEAST, -int(-cases_of_each // limits.rarest))
        low = min(max(for_classes, -(-top // _WIDEST)), max(limits.smallest, -(-top // 4)))
        number = int(np.clip(1 + round(2 * np.log2(top / low)), _FEWEST, _MOST))
        sizes = sorted(set(np.geomspace(low, top, number).round().astype(int).tolist()))
        whole = (
            f"up to the {top:,} {limits.unit} of the smallest training set"
            if top == limits.largest
            else f"up to {top:,} of the {limits.largest:,} {limits.unit} available, to limit the cost (name larger "
            "ones with sizes, --sizes)"
        )
        why = f"{cases_of_each} or more cases of each class" if low == for_classes else f"1/{top / low:.0f} of the last"
        return cls(tuple(sizes), f"{len(sizes)} sizes, evenly spaced on a log scale, from {low:,} ({why}) {whole}.")


def count_cases_needed(estimator: Any) -> int:
    """Cases of each class that an estimator needs: at least one for each fold of its cross-validation."""
    found = [_CASES_OF_EACH_CLASS]
    for name, value in estimator.get_params().items():
        if name.rpartition("__")[2] in ("cv", "n_folds") and type(value) is int:
            found.append(value)
    return max(found)
