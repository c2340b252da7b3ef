"""Tables of a configuration file, read key by key: each is checked, and none may be left over."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .._check import check_probability, check_real_number, check_text, check_whole_number, format_value
from ..errors import ApexError, DataError, RequestError

__all__ = ["Keys", "a_number_of", "fraction", "names", "numbers", "positive_fraction", "sizes", "word"]

Found = TypeVar("Found")
Check = Callable[[str, Any], Found]
"""Gives the value of a key as it is used, or raises an error that goes on from the key's name."""


class Keys:
    """One table of a file.

    Parameters
    ----------
    where : str
        The file, for messages.
    table : mapping
        What `tomllib` made of it.
    name : str
        The table's name in the file; empty for the file itself.
    """

    def __init__(self, where: str, table: Mapping[str, Any], name: str = "") -> None:
        self._where, self._table, self._name = where, dict(table), name
        self._asked: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def take(self, key: str, check: Check[Found], *otherwise: Any) -> Found:
        """The value of a key, checked; where there is none, `otherwise`, without which the key must be there."""
        self._asked.append(key)
        if key not in self._table:
            self._refuse_misspelt(key)
            if otherwise:
                found: Found = otherwise[0]
                return found
            raise self.error(key, "is missing.")
        try:
            return check(self.called(key), self._table[key])
        except ApexError as problem:
            raise DataError(
                problem.message, argument=problem.argument, remedy=problem.remedy, where=self._where
            ) from None

    def table(self, key: str) -> Keys:
        """A table within this one; an empty one where there is none."""
        return Keys(self._where, self.take(key, _table, {}), self.called(key))

    def rest(self) -> dict[str, Any]:
        """The keys that were not asked for."""
        return {key: value for key, value in self._table.items() if key not in self._asked}

    def refuse_others(self) -> None:
        """Refuse a key that nothing was asked of: mostly one that is misspelt."""
        for key in self.rest():
            near = difflib.get_close_matches(key, self._asked, 1)
            known = f"Did you mean {self.called(near[0])}?" if near else f"Choose from {', '.join(self._asked)}."
            raise self.error(key, f"is not a key of the configuration. {known}")

    def _refuse_misspelt(self, key: str) -> None:
        """Refuse what is there instead of a key that is not: what is missing within it would only puzzle."""
        for near in difflib.get_close_matches(key, self.rest(), 1, cutoff=0.8):
            raise self.error(near, f"is not a key of the configuration. Did you mean {self.called(key)}?")

    def called(self, key: str) -> str:
        """A key as messages have it."""
        return f"{self._name}.{key}" if self._name else key

    def error(self, key: str, message: str) -> DataError:
        """What is wrong with a key, and where it is."""
        return DataError(message, argument=self.called(key), where=self._where)


def _table(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RequestError(f"must be a table, [{name}], got {format_value(value)}.", argument=name)
    return value


def word(name: str, value: Any) -> str:
    """A text with something in it, on one line."""
    found = check_text(name, value, 'text, such as "patient"')
    if not found.strip() or "\n" in found:
        raise RequestError(f"must be text on one line, got {format_value(value)}.", argument=name)
    return found


def names(name: str, value: Any) -> tuple[str, ...]:
    """A list of texts, all different."""
    if not isinstance(value, list) or not value:
        raise RequestError(f'must be a list of strings, such as ["a", "b"], got {format_value(value)}.', argument=name)
    found = tuple(word(name, one) for one in value)
    if len(set(found)) < len(found):
        raise RequestError(f"contains a duplicate: {format_value(value)}.", argument=name)
    return found


def sizes(name: str, value: Any) -> tuple[int, ...]:
    """Training-set sizes in ascending order; there may be none."""
    if not isinstance(value, list):
        raise RequestError(f"must be a list of sizes, such as [60, 94, 147], got {format_value(value)}.", argument=name)
    found = [check_whole_number(name, one, least=1) for one in value]
    if found != sorted(set(found)):
        raise RequestError(f"must be ascending, got {format_value(value)}.", argument=name)
    return tuple(found)


def numbers(name: str, value: Any) -> tuple[float, ...]:
    """A list of numbers."""
    if not isinstance(value, list) or not value:
        raise RequestError(f"must be a list of numbers, such as [8, 1, 1], got {format_value(value)}.", argument=name)
    return tuple(check_real_number(name, one) for one in value)


def a_number_of(least: int, most: int) -> Check[int]:
    """A check for whole numbers between two."""
    return lambda name, value: check_whole_number(name, value, least=least, most=most)


def fraction(name: str, value: Any) -> float:
    """A number of at least 0 and below 1."""
    found = check_real_number(name, value)
    if not 0 <= found < 1:
        raise RequestError(f"must be at least 0 and below 1, got {found:g}.", argument=name)
    return found


def positive_fraction(name: str, value: Any) -> float:
    """A number between 0 and 1."""
    return check_probability(name, value)
