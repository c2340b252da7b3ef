"""Names that surfaces give the library's arguments: options, fields of a request, controls of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["PYTHON", "Remedy", "Vocabulary", "add_remedy", "list_arguments"]

# A sentence, then the arguments that it names, each alone or with the value to give it.
Remedy = tuple[()] | tuple[str, *tuple[str | tuple[str, Any], ...]]


def format_keyword(name: str, value: Any = None) -> str:
    """Write an argument as it is set in Python; for the value None the reader has to choose one."""
    return f"{name}={'...' if value is None else repr(value)}"


@dataclass(frozen=True)
class Vocabulary:
    """The words of one surface, in which errors and cautions are worded: see `ApexError.worded_for`.

    Attributes
    ----------
    words : mapping
        The surface's word for each argument that can be set there.
    assign : callable
        Writes how a word is given a value; for None the reader has to choose one.
    switches : frozenset of str
        Arguments whose word takes no value: a flag, or a box to tick.
    phrases : mapping
        How an argument is set to a certain value, where its word and the value do not say it: a flag for each value.
    outer : Vocabulary, optional
        Where the words of other arguments are found; without one they are those of Python.
    """

    words: Mapping[str, str] = field(default_factory=dict)
    assign: Callable[[str, Any], str] = format_keyword
    switches: frozenset[str] = frozenset()
    phrases: Mapping[tuple[str, str], str] = field(default_factory=dict)
    outer: Vocabulary | None = None

    def name(self, argument: str) -> str:
        """The name of an argument in a sentence."""
        if argument in self.words:
            return self.words[argument]
        return argument if self.outer is None else self.outer.name(argument)

    def setting(self, argument: str, value: Any = None) -> str:
        """How an argument is set to a value; for None the reader has to choose one."""
        if isinstance(value, str) and (argument, value) in self.phrases:
            return self.phrases[argument, value]
        if argument in self.words:
            return self.assign(self.words[argument], None if argument in self.switches else value)
        return format_keyword(argument, value) if self.outer is None else self.outer.setting(argument, value)

    def within(self, outer: Vocabulary) -> Vocabulary:
        """These words, and those of `outer` for arguments that have none here."""
        return replace(self, outer=outer if self.outer is None else self.outer.within(outer))


PYTHON = Vocabulary()
"""Every argument by its own name."""


def add_remedy(text: str, remedy: Remedy, vocabulary: Vocabulary) -> str:
    """Append to a text what to do, in the words of a surface."""
    if not remedy:
        return text
    return f"{text} {remedy[0].format(*(vocabulary.setting(*one) for one in list_arguments(remedy)))}"


def list_arguments(remedy: Remedy) -> list[tuple[str, Any]]:
    """List the arguments that a remedy names, with the value to give each; None where the reader has to choose one."""
    return [(argument, None) if isinstance(argument, str) else argument for argument in remedy[1:]]
