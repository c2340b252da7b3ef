"""Names and lists as sentences hold them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__all__ = ["as_typed", "listed", "with_article"]

_SPELT_WITH_A_VOWEL = "AEFHILMNORSX"  # letters, as they are said


def as_typed(path: Path) -> str:
    """A file as a command takes it: a name that begins as an option does, by its folder."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def with_article(name: str) -> str:
    """A name with "a" or "an" as it is said: an AUROC, an F1, a recall."""
    first = name.split()[0]
    vowel = first[0] in _SPELT_WITH_A_VOWEL if first.isupper() else first[0].lower() in "aeiou"
    return f"{'an' if vowel else 'a'} {name}"


def listed(items: Iterable[int | str]) -> str:
    """Items with commas and an "and"; whole numbers with their thousands apart."""
    words = [f"{item:,}" if isinstance(item, int) else str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
