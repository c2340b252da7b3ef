"""What surfaces call the arguments of the library: options, fields of a request, controls of a page, or as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["PYTHON", "Remedy", "Vocabulary", "add_remedy", "list_arguments"]

# A sentence, then the arguments that it names, each alone or with the value to give it.
Remedy = tuple[()] | tuple[str, *tuple[str | tuple[str, Any], ...]]


def format_keyword(name: str, value: Any = None) -> str:
    """An argument as it is set in Python; the value None is the reader's to choose."""
    return f"{name}={'...' if value is None else repr(value)}"


@dataclass(frozen=True)
class Vocabulary:
    """The words of one surface. Errors and cautions are told in them: see `ApexError.worded_for`.

    Attributes
    ----------
    words : mapping
        The surface's word for each argument that can be set there.
    assigned : callable
        Says how a word is given a value; the value None is the reader's to choose.
    switches : frozenset of str
        Arguments whose word takes no value: a flag, or a box to tick.
    phrases : mapping
        How an argument is set to a certain value, where its word and the value do not say it: a flag for each value.
    outer : Vocabulary, optional
        Where the words of other arguments are found; without one they are those of Python.
    """

    words: Mapping[str, str] = field(default_factory=dict)
    assigned: Callable[[str, Any], str] = format_keyword
    switches: frozenset[str] = frozenset()
    phrases: Mapping[tuple[str, str], str] = field(default_factory=dict)
    outer: Vocabulary | None = None

    def name(self, argument: str) -> str:
        """An argument as a sentence names it."""
        if argument in self.words:
            return self.words[argument]
        return argument if self.outer is None else self.outer.name(argument)

    def setting(self, argument: str, value: Any = None) -> str:
        """How an argument is set; the value None is the reader's to choose."""
        if isinstance(value, str) and (argument, value) in self.phrases:
            return self.phrases[argument, value]
        if argument in self.words:
            return self.assigned(self.words[argument], None if argument in self.switches else value)
        return format_keyword(argument, value) if self.outer is None else self.outer.setting(argument, value)

    def within(self, outer: Vocabulary) -> Vocabulary:
        """These words, and those of `outer` for arguments that have none here."""
        return replace(self, outer=outer if self.outer is None else self.outer.within(outer))


PYTHON = Vocabulary()
"""Every argument by its own name."""


def add_remedy(text: str, remedy: Remedy, vocabulary: Vocabulary) -> str:
    """A text that goes on with what to do."""
    if not remedy:
        return text
    return f"{text} {remedy[0].format(*(vocabulary.setting(*one) for one in list_arguments(remedy)))}"


def list_arguments(remedy: Remedy) -> list[tuple[str, Any]]:
    """Arguments that a remedy names, with the value to give each; None where the reader has to choose one."""
    return [(argument, None) if isinstance(argument, str) else argument for argument in remedy[1:]]
