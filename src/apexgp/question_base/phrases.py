"""Lists, articles and closing sentences, as answers write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..cautions import drop_remedy

__all__ = ["add_article", "add_cautions", "join_words", "list_some", "name_tasks"]

_SPELT_WITH_A_VOWEL = "AEFHILMNORSX"  # letters, as they are said
_MOST_NAMED = 5


def add_article(name: str) -> str:
    """A name with "a" or "an" as it is said: an AUROC, an F1, a recall."""
    first = name.split()[0]
    vowel = first[0] in _SPELT_WITH_A_VOWEL if first.isupper() else first[0].lower() in "aeiou"
    return f"{'an' if vowel else 'a'} {name}"


def join_words(items: Iterable[int | str]) -> str:
    """Items with commas and an "and"; whole numbers with their thousands apart."""
    words = [f"{item:,}" if isinstance(item, int) else str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def list_some(names: Sequence[str]) -> str:
    """Names with commas and an "and", the first few where there are many."""
    shown = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED:,} more"] if len(names) > _MOST_NAMED else [*names]
    return join_words(shown)


def name_tasks(names: Sequence[str], count: int) -> str:
    """Name the tasks that a caution is about, to open it with; empty where it is about all of them."""
    return "" if len(names) == count else f"{list_some(names)}: "


def add_cautions(paragraph: str, cautions: Sequence[str], citation: str) -> str:
    """A paragraph, the reasons to doubt what it says, and how to cite it."""
    doubts = [f"The following cautions apply. {' '.join(map(drop_remedy, cautions))}"] if cautions else []
    return " ".join([paragraph, *doubts, citation])
