"""The tools: what each takes, which is a request of the page's interface or the name of a file, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from ...question_base.column_settings import ColumnSettings
from ...question_base.schemas import Schema, build_schema_of_any
from ...questions import load_question
from ...settings import list_settings
from ..documents import list_answer_documents
from ..requests import MOST_CHARACTERS, build_field, list_served_questions, load_request

__all__ = ["Tool", "list_tools", "load_tool"]

_MOST_FILES = 6
_LONGEST_PATH = 4_000
_TABLE = (
    "The measurements as CSV text with a header line: size (number of training examples), score and, if known, split "
    "(the random split or seed); one row per measurement."
)


def list_tools() -> tuple[str, ...]:
    """Names of the tools: those of the questions that are answered by a document."""
    return tuple(name for name in list_served_questions() if list_answer_documents(load_question(name)))


@dataclass(frozen=True)
class Tool:
    """One question that an assistant can ask."""

    name: str
    takes: type[BaseModel]

    @property
    def about(self) -> str:
        """Its purpose: the docstring of the question."""
        return " ".join((load_question(self.name).__doc__ or "").split())

    @property
    def input_schema(self) -> Schema:
        """The arguments that it takes, the measurements first; as short as it can be, since assistants read it all."""
        schema = self.takes.model_json_schema()
        fields: dict[str, Schema] = schema["properties"]
        for field in fields.values():
            field.pop("title", None)
        first = [name for name in ("table", "file", "tables", "files") if name in fields]
        return {**schema, "title": self.name, "properties": {name: fields[name] for name in [*first, *fields]}}

    @property
    def output_schema(self) -> Schema:
        """The document that it gives: that of the command."""
        return build_schema_of_any(f"apexgp {self.name}", list_answer_documents(load_question(self.name)))


@cache
def load_tool(name: str, *, with_files: bool) -> Tool:
    """A tool; whether files may be named depends on the folders that the server was told."""
    return Tool(name, create_model(f"{name}_arguments", __base__=load_request(name), **_fields(name, with_files)))


def _fields(name: str, with_files: bool) -> dict[str, Any]:
    """Fields that differ from those of the page's interface, which knows no files."""
    known, without_pilot = load_request(name).model_fields, load_question(name).pilots == "one or none"
    changed: dict[str, Any] = {}
    if "table" in known:
        about = f"{_TABLE} Omit it before the first pilot." if without_pilot else _TABLE
        if with_files or without_pilot:
            changed["table"] = str | None, Field(None, description=about, min_length=1, max_length=MOST_CHARACTERS)
        else:
            changed["table"] = str, Field(description=about, min_length=1, max_length=MOST_CHARACTERS)
        about = "Instead of table: the path of a file with the measurements (CSV, .xlsx or JSON)."
        changed["file"] = str | None, Field(None, description=about, max_length=_LONGEST_PATH)
    if "tables" in known:
        about = f"The table of each model, by the model's name. {_TABLE}"
        changed["tables"] = dict[str, str], Field(default_factory=dict, description=about, max_length=_MOST_FILES)
        about = (
            "Instead: the path of a file with the measurements (CSV, .xlsx or JSON) of each model, by the model's name."
        )
        changed["files"] = dict[str, str], Field(default_factory=dict, description=about, max_length=_MOST_FILES)
    if changed:
        (sheet,) = [one for one in list_settings(ColumnSettings) if one.name == "sheet"]
        changed["sheet"] = build_field(sheet)
    return {key: value for key, value in changed.items() if with_files or key not in ("file", "files", "sheet")}
