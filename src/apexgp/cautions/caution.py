"""What a caution is: a reason for doubt, in full and in brief, with what to do about it."""

from __future__ import annotations

from ..vocabulary import PYTHON, Remedy, Vocabulary, add_remedy

__all__ = ["NO_ROOM", "Caution", "drop_remedy", "prefix_caution", "shorten_caution", "word_caution"]

NO_ROOM = 0.005
"""Left above the last score: whatever the curve does there hardly matters."""


class Caution(str):
    """A reason for doubt in a sentence or two, and in a few words for the cell of a table.

    What to do about it may be set by an argument, which every surface words in its own way, as those of errors are.
    """

    brief: str
    why: str
    remedy: Remedy

    def __new__(cls, text: str, brief: str = "", remedy: Remedy = ()) -> Caution:
        """Keep the few words, and what to do, beside the text."""
        caution = super().__new__(cls, add_remedy(text, remedy, PYTHON))
        caution.brief, caution.why, caution.remedy = brief or text, text, remedy
        return caution


def word_caution(vocabulary: Vocabulary, caution: str) -> str:
    """A caution in the words of a surface, as `ApexError.worded_for` has an error."""
    return add_remedy(caution.why, caution.remedy, vocabulary) if isinstance(caution, Caution) else caution


def drop_remedy(caution: str) -> str:
    """A caution for readers who can change nothing about it, such as those of a paper."""
    return caution.why if isinstance(caution, Caution) else caution


def prefix_caution(whose: str, caution: str) -> str:
    """A caution that begins with what it is about."""
    if not isinstance(caution, Caution):
        return f"{whose}{caution}"
    return type(caution)(f"{whose}{caution.why}", caution.brief, caution.remedy)


def shorten_caution(caution: str) -> str:
    """A caution in a few words."""
    return caution.brief if isinstance(caution, Caution) else caution
