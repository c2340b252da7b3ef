"""Answers as documents for JSON: types that they share, and functions that fill these.

A document is a `TypedDict`, which stands in the room of its question. Its JSON Schema is made from it (`schemas`): the
docstring of a type, and the text below a key, describe it there. Every document names its schema under `schema`; the
number at its end rises when a key is removed or renamed, or means something else, and not when one is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, TypedDict

from ..cautions import prefix_caution
from .citations import say_how_to_cite
from .phrases import add_cautions, name_tasks

__all__ = [
    "CellsFacts",
    "Count",
    "Interval",
    "Json",
    "Keywords",
    "NonNegative",
    "Probability",
    "Size",
    "Versioned",
    "WithCautions",
    "WithMethodsText",
    "WithSentence",
    "name_owners",
    "word_answer",
]


class Keywords:
    """Beside a type: what its JSON Schema says of the values beyond their type."""

    def __init__(self, **keywords: float) -> None:
        self.keywords = keywords


Json = str | int | float | bool | list["Json"] | dict[str, "Json"] | None
"""What JSON can hold."""
Probability = Annotated[float, Keywords(minimum=0, maximum=1)]
Size = Annotated[float, Keywords(exclusiveMinimum=0)]
"""A training-set size."""
Count = Annotated[int, Keywords(minimum=0)]
NonNegative = Annotated[float, Keywords(minimum=0)]
"""A standard deviation, the width of an interval, a cost: never negative."""
Interval = Annotated[list[float | None], Keywords(minItems=2, maxItems=2)]
"""The two ends of an interval; None is infinite."""


class WithCautions(TypedDict):
    """Reasons to doubt an answer."""

    cautions: list[str]
    """Reasons to doubt the answer, a sentence or more each; empty where there are none."""


class WithSentence(WithCautions):
    """An answer in words: a sentence or more, and reasons for doubt."""

    sentence: str
    """The answer in plain words."""


class WithMethodsText(WithSentence):
    """An answer in words, with a paragraph for the methods section of a paper."""

    methods_text: str
    """A paragraph for the methods section of a paper, with what to cite."""


class Versioned(TypedDict):
    """The version of the program that made a document."""

    apexgp: str
    """Version of apexgp that made the document."""


class CellsFacts(TypedDict):
    """A table as it is shown."""

    header: list[str]
    rows: list[list[str]]


def name_owners(cautions: Iterable[tuple[str, Sequence[str]]], count: int) -> list[str]:
    """Each caution once, opened with the names that it is about where it is not about all `count` of them."""
    by_caution: dict[str, list[str]] = {}
    for name, own in cautions:
        for caution in own:
            by_caution.setdefault(caution, []).append(name)
    return [prefix_caution(name_tasks(names, count), caution) for caution, names in by_caution.items()]


def word_answer(sentence: str, paragraph: str, cautions: Sequence[str], sources: Sequence[str]) -> WithMethodsText:
    """The part of a document that is words; the paragraph for a paper repeats the cautions and says what to cite."""
    return {
        "sentence": sentence,
        "methods_text": add_cautions(paragraph, cautions, say_how_to_cite(*sources)),
        "cautions": list(cautions),
    }
