"""The training subsets of a run: how far they can grow, and the rows of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .cases import Cases
from .fit import Fit
from .sizes import SizeLimits
from .splits import SplitParts, order_units, split_by_group

__all__ = ["TrainingSubsets"]


class TrainingSubsets:
    """Splits and training subsets; each split follows from the seed and its own number alone."""

    def __init__(
        self,
        cases: Cases,
        shares: tuple[float, float, float],
        seed: int,
        n_splits: int,
        unit: str,
    ) -> None:
        self._seed = seed
        self._groups = cases.groups if cases.grouped else None
        self._rarest = float(np.bincount(cases.y).min() / len(cases.y))
        self._parts: list[SplitParts] = []
        self._units: list[NDArray[np.int64]] = []
        self._orders: list[NDArray[np.int64]] = []
        self._smallest = 0
        for split in range(n_splits):
            rng = np.random.default_rng([seed, split])
            parts = split_by_group(cases.y, cases.groups, shares, rng)
            in_train = cases.groups[parts.train] if unit == "groups" else parts.train
            units = np.unique(in_train, return_inverse=True)[1]
            order, smallest = order_units(cases.y[parts.train], units, rng)
            self._parts.append(parts)
            self._units.append(units)
            self._orders.append(order)
            self._smallest = max(self._smallest, smallest)
        self._largest = min(len(order) for order in self._orders)
        self._unit = unit

    @property
    def size_limits(self) -> SizeLimits:
        """How small and how large training subsets can be."""
        return SizeLimits(self._smallest, self._largest, self._rarest, self._unit)

    def count_test_cases(self, target: NDArray[np.int64]) -> NDArray[np.int64]:
        """Test cases of each class of a target, in the split that has the fewest of the rarest."""
        counts = [np.bincount(target[parts.test], minlength=int(target.max()) + 1) for parts in self._parts]
        return min(counts, key=lambda count: int(count.min()))

    def make_fit(self, size: int, split: int, task: str | None) -> Fit:
        """The rows of one fit."""
        parts, units = self._parts[split], self._units[split]
        within = np.zeros(len(self._orders[split]), bool)
        within[self._orders[split][:size]] = True
        own_seed = int(np.random.SeedSequence([self._seed, split, size]).generate_state(1)[0])
        train = parts.train[within[units]]
        groups = None if self._groups is None else self._groups[train]
        return Fit(size, split, task, train, parts.validation, parts.test, own_seed, groups)
