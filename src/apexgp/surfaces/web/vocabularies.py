"""What the server calls the arguments of the library: fields of a request, or the page's controls to who reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, get_type_hints

from pydantic import BaseModel

from ...vocabulary import Vocabulary
from ..command import arguments_set, phrases_of
from ..curve_file import ColumnOptions
from ..options import ModelOptions
from ..words.controls import CONTROLS, control, set_in_control
from .requests import REQUESTS

__all__ = ["FIELDS", "OF_THE_PAGE", "vocabulary_of", "vocabulary_of_request"]

OF_THE_PAGE = frozenset({"advice", "page", "read"})
"""Asked by the page, whose reader knows no fields."""

# What stands beside the options of commands that are fields, too.
_BESIDE_OPTIONS = {
    name: (hint.__origin__, hint.__metadata__)
    for group in (ColumnOptions, ModelOptions)
    for name, hint in get_type_hints(group, include_extras=True).items()
}


def _in_field(field: str, value: Any) -> str:
    return field if value is None else f"{field} {json.dumps(value, default=str)}"


def _vocabulary(fields: Iterable[tuple[str, Any, Iterable[Any]]]) -> Vocabulary:
    """From the name and kind of every field, and what stands beside it."""
    words: dict[str, str] = {}
    switches: set[str] = set()
    phrases: dict[tuple[str, str], str] = {}
    for name, kind, about in fields:
        arguments = arguments_set(name, about)
        words |= dict.fromkeys(arguments, name)
        phrases |= phrases_of(arguments, about, _in_field(name, True), _in_field(name, False))
        if kind is bool:
            switches.update(arguments)
    return Vocabulary(words, _in_field, frozenset(switches), phrases)


def vocabulary_of_request(request: type[BaseModel]) -> Vocabulary:
    """The field that sets each argument of the library."""
    return _vocabulary(
        (name, info.annotation, (*info.metadata, *_BESIDE_OPTIONS.get(name, (None, ()))[1]))
        for name, info in request.model_fields.items()
    )


def _of_page(fields: Vocabulary) -> Vocabulary:
    words = {argument: control(field) for argument, field in fields.words.items() if field in CONTROLS}
    return Vocabulary(words, set_in_control, fields.switches, outer=fields)


FIELDS: Mapping[str, Vocabulary] = {kind: vocabulary_of_request(request) for kind, request in REQUESTS.items()} | {
    "read": _vocabulary((name, *_BESIDE_OPTIONS[name]) for name in ColumnOptions.__annotations__)
}
"""By the kind of a request: the field that sets each argument of the library."""

_OF_PAGE = {kind: _of_page(FIELDS[kind]) for kind in OF_THE_PAGE}


def vocabulary_of(kind: str) -> Vocabulary:
    """The words of who asks."""
    return _OF_PAGE.get(kind, FIELDS[kind])
