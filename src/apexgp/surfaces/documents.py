"""Every document that `--json` prints or the page's interface sends, by name."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, get_type_hints, is_typeddict

from ..question_base.question import Question, list_answer_types
from ..question_base.schemas import read_identifier
from ..questions import list_rooms
from .reading_document import ReadDocument

__all__ = ["list_answer_documents", "load_documents"]


@cache
def load_documents() -> dict[str, type]:
    """The type of each document by its name: that of the command which prints it, or batch, evaluation or report."""
    found: dict[str, type] = {}
    for room in list_rooms():
        for kind in vars(import_module(f"...questions.{room}", __name__)).values():
            identifier = read_identifier(kind) if is_typeddict(kind) else None
            if identifier is not None:
                found[identifier.split(":")[2]] = kind
    return found | {"read": ReadDocument}


def list_answer_documents(question: type[Question]) -> tuple[type, ...]:
    """The documents that may answer a question, by the annotations of its answers; a report is none."""
    kinds: tuple[Any, ...] = list_answer_types(question)
    return tuple(get_type_hints(kind.document)["return"] for kind in kinds if hasattr(kind, "document"))
