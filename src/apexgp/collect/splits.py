"""Division of the data into train, validation and test, and the order in which the training set grows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import check_real_array, format_value
from ..errors import DataError, RequestError

__all__ = ["SplitParts", "check_ratio", "order_units", "split_by_group"]

Rows = NDArray[np.int64]

_DRAWS = 200


@dataclass(frozen=True)
class SplitParts:
    """Row numbers of one split, each in rising order; no group has rows in two of them."""

    train: Rows
    validation: Rows
    test: Rows


def check_ratio(ratio: ArrayLike, argument: str = "ratio") -> tuple[float, float, float]:
    """Shares of train, validation and test that sum to 1; only validation may be 0. Errors name the `argument`."""
    shares = check_real_array(argument, ratio)
    if shares.shape != (3,) or not np.isfinite(shares).all() or (shares < 0).any() or not shares[[0, 2]].all():
        raise RequestError(
            "must be three numbers for train, validation and test, such as 8, 1 and 1; only validation may be 0. Got "
            f"{format_value(ratio)}.",
            argument=argument,
        )
    shares = shares / shares.max()  # a sum of large ones would overflow
    train, validation, test = (shares / shares.sum()).tolist()
    if not (train and test and (validation or not shares[1])):
        raise RequestError(f"must leave something for every part, got {format_value(ratio)}.", argument=argument)
    return train, validation, test


def split_by_group(
    y: NDArray[np.int64], groups: NDArray[np.int64], ratio: tuple[float, float, float], rng: np.random.Generator
) -> SplitParts:
    """Divide the groups by `ratio`, class by class; a group's class is its most frequent label.

    Parameters
    ----------
    y, groups : arrays of shape (n,)
        Codes 0, 1, ... of each row's class and group.
    ratio : three shares that sum to 1
        As `check_ratio` returns them.
    rng : numpy.random.Generator
        Source of the draw.

    Notes
    -----
    Where the rows of a group have several labels, a draw can leave a class out of a part. Such a draw is thrown away
    and another made, so the split that is returned has every class in every part.
    """
    n_classes = int(y.max()) + 1
    stratum = _find_unit_classes(y, groups)
    wanted = [part for part, share in enumerate(ratio) if share > 0]
    for _ in range(_DRAWS):
        part_of_group = np.empty(len(stratum), np.int64)
        owed = np.zeros(3)
        for label in range(n_classes):
            own = rng.permutation(np.flatnonzero(stratum == label))
            counts = _apportion(len(own), ratio, owed)
            owed += len(own) * np.asarray(ratio) - counts
            part_of_group[own] = np.repeat(np.arange(3), counts)
        part = part_of_group[groups]
        if all(len(np.unique(y[part == number])) == n_classes for number in wanted):
            train, validation, test = (np.flatnonzero(part == number) for number in range(3))
            return SplitParts(train, validation, test)
    raise DataError(
        "No division into train, validation and test was found that has every class in every part: some class occurs "
        "in too few groups. Remove the rarest classes, or merge them."
    )


def order_units(y: NDArray[np.int64], units: NDArray[np.int64], rng: np.random.Generator) -> tuple[Rows, int]:
    """One order of the units whose beginnings are the nested training subsets.

    Units (rows, or groups of rows) come in random order within each class, the classes in their shares: among the
    first n units, each class has about n times its share. The very first units hold every class once.

    Parameters
    ----------
    y, units : arrays of shape (n,)
        Codes 0, 1, ... of each row's class and unit.
    rng : numpy.random.Generator
        Source of the order.

    Returns
    -------
    order : array
        The units.
    smallest : int
        How many of them it takes to hold every class.
    """
    stratum = _find_unit_classes(y, units)
    rank = rng.permutation(len(stratum))
    position = np.empty(len(stratum))
    for label in np.unique(stratum):
        own = np.flatnonzero(stratum == label)
        own = own[np.argsort(rank[own])]
        position[own] = (np.arange(len(own)) + 0.5) / len(own)
    front: list[int] = []
    covered: set[int] = set()
    for label in np.argsort(np.bincount(y), kind="stable").tolist():  # a unit with a rare class may hold others too
        if label not in covered:
            holders = units[y == label]
            front.append(int(holders[np.argmin(rank[holders])]))
            covered.update(y[units == front[-1]].tolist())
    position[front] = -1.0
    return np.lexsort((rank, position)), len(front)


def _find_unit_classes(y: NDArray[np.int64], units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Class of each unit: its most frequent label, the smaller code on a tie."""
    pairs, count = np.unique(np.stack([units, y]), axis=1, return_counts=True)
    order = np.lexsort((pairs[1], -count, pairs[0]))
    unit, first = np.unique(pairs[0][order], return_index=True)
    found = np.empty(len(unit), np.int64)
    found[unit] = pairs[1][order][first]
    return found


def _apportion(count: int, ratio: tuple[float, float, float], owed: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole numbers that sum to `count` in the given shares, by largest remainders; 0 only where unavoidable.

    `owed` is what the rounding of other classes has cost each part, so that it does not always cost the same one.
    """
    exact = count * np.asarray(ratio)
    whole = np.floor(exact).astype(np.int64)
    left = count - int(whole.sum())
    whole[np.argsort(whole - exact - owed, kind="stable")[:left]] += 1
    for part in np.flatnonzero((exact > 0) & (whole == 0)):
        if whole.max() > 1:
            whole[part] += 1
            whole[np.argmax(whole)] -= 1
    return whole
