"""Numbers and lists as sentences hold them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..._numbers import at_least, chance, money

__all__ = ["as_typed", "at_least", "chance", "listed", "money"]


def as_typed(path: Path) -> str:
    """A file as a command takes it: a name that begins as an option does, by its folder."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def listed(items: Iterable[int | str]) -> str:
    """Items with commas and an "and"; whole numbers with their thousands apart."""
    words = [f"{item:,}" if isinstance(item, int) else str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
