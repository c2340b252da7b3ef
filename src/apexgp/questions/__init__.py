"""The questions that can be asked, one room each: settings, computation, answer, document, sentences, picture.

A room is a module, or a small package where a picture or a long computation has a file of its own. The class
`<Name>Question` in the room `<name>` is found by its name, without a list to keep.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..question_base.question import Question

__all__ = ["list_questions", "list_rooms", "load_question", "read_room"]


_FIRST = ("forecast", "plan", "design", "compare", "backtest", "sensitivity", "check", "minimum")


@cache
def list_rooms() -> tuple[str, ...]:
    """The names of all rooms: the questions that people ask most, then the others by name."""
    found = (entry.name.removesuffix(".py") for entry in files(__name__).iterdir())
    names = sorted(name for name in found if name.isidentifier() and not name.startswith("_"))
    return (*_FIRST, *(name for name in names if name not in _FIRST))


def read_room(name: str) -> str:
    """The source of the room's main module."""
    folder = files(__name__)
    module = folder / f"{name}.py"
    return (module if module.is_file() else folder / name / "__init__.py").read_text(encoding="utf-8")


@cache
def list_questions() -> tuple[str, ...]:
    """The names of the questions, without importing them."""
    return tuple(name for name in list_rooms() if f"\nclass {_class_name(name)}(" in read_room(name))


def load_question(name: str) -> type[Question]:
    """The class of a question."""
    question: type[Question] = getattr(import_module(f".{name}", __name__), _class_name(name))
    return question


def _class_name(name: str) -> str:
    return f"{name.capitalize()}Question"
