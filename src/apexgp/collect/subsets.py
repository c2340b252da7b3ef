"""The training subsets of a run: how far they can grow, and the rows of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import sizes_array, some
from .._warn import warn
from ..errors import RequestError, SizesLeftOutWarning
from .cases import Cases
from .fit import Fit
from .splits import Parts, growing_order, split_by_group

__all__ = ["PAPER_SIZES", "Subsets"]

PAPER_SIZES = (60, 94, 147, 230, 360)


class Subsets:
    """Splits and training subsets; each split follows from the seed and its own number alone."""

    def __init__(
        self,
        cases: Cases,
        shares: tuple[float, float, float],
        seed: int,
        n_splits: int,
        count: str,
    ) -> None:
        self._seed = seed
        self._parts: list[Parts] = []
        self._units: list[NDArray[np.int64]] = []
        self._orders: list[NDArray[np.int64]] = []
        self._smallest = 0
        for split in range(n_splits):
            rng = np.random.default_rng([seed, split])
            parts = split_by_group(cases.y, cases.groups, shares, rng)
            in_train = cases.groups[parts.train] if count == "groups" else parts.train
            units = np.unique(in_train, return_inverse=True)[1]
            order, smallest = growing_order(cases.y[parts.train], units, rng)
            self._parts.append(parts)
            self._units.append(units)
            self._orders.append(order)
            self._smallest = max(self._smallest, smallest)
        self._largest = min(len(order) for order in self._orders)
        self._unit_name = "groups" if count == "groups" else "rows"

    def sizes(self, wanted: ArrayLike | None) -> list[int]:
        """The sizes to measure: those wanted that fit, or good ones."""
        if wanted is None:
            if self._largest >= PAPER_SIZES[-1]:
                good = [size for size in PAPER_SIZES if size >= self._smallest]
                return good or [self._largest]
            lowest = max(self._smallest, -(-self._largest // 6))  # the paper's five span a factor of 6, too
            return sorted(set(np.geomspace(lowest, self._largest, 5).round().astype(int).tolist()))
        given = np.unique(sizes_array("sizes", wanted))
        if (given != np.round(given)).any():
            fractions = given[given != np.round(given)]
            raise RequestError(f"must be whole numbers, got {some(fractions)}.", argument="sizes")
        if given[0] < self._smallest:
            raise RequestError(
                f"must be at least {self._smallest}, so that every training subset holds every class, got "
                f"{given[0]:g}.",
                argument="sizes",
            )
        fitting, beyond = given[given <= self._largest], given[given > self._largest]
        if not fitting.size:
            raise RequestError(
                f"All sizes are beyond the {self._largest} {self._unit_name} of the smallest training set: "
                f"{some(beyond)}. Give smaller ones."
            )
        if beyond.size:
            warn(
                f"The sizes {some(beyond)} are beyond the {self._largest} {self._unit_name} of the smallest training "
                "set and were left out.",
                SizesLeftOutWarning,
            )
        return [int(size) for size in fitting]

    def fit(self, size: int, split: int, task: str | None) -> Fit:
        """The rows of one fit."""
        parts, units = self._parts[split], self._units[split]
        within = np.zeros(len(self._orders[split]), bool)
        within[self._orders[split][:size]] = True
        own_seed = int(np.random.SeedSequence([self._seed, split, size]).generate_state(1)[0])
        return Fit(size, split, task, parts.train[within[units]], parts.validation, parts.test, own_seed)
