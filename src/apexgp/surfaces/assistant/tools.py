"""The tools: what each takes, which is a request of the page's interface or the name of a file, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from ..curve_file import ColumnOptions
from ..schemas import DOCUMENTS, Schema, schema_of_answer
from ..web.requests import MOST_CHARACTERS, REQUESTS, option_field

__all__ = ["TOOLS", "WITHOUT_PILOT", "Tool", "tool"]

TOOLS = tuple(kind for kind in DOCUMENTS if kind in REQUESTS and kind != "report")
"""Names of the tools: those of the commands that give the same answers."""

WITHOUT_PILOT = frozenset(
    kind
    for kind, request in REQUESTS.items()
    if "table" in request.model_fields and not request.model_fields["table"].is_required()
)
"""Tools that have an answer before anything is measured."""

_MOST_FILES = 6
_LONGEST_PATH = 4_000
_TABLE = (
    "The measurements as CSV text with a header line: size (number of training examples), score and, if known, split "
    "(the random split or seed); one row per measurement."
)


@dataclass(frozen=True)
class Tool:
    """One question that an assistant can ask."""

    name: str
    takes: type[BaseModel]

    @property
    def about(self) -> str:
        """What it is for."""
        text = " ".join((REQUESTS[self.name].__doc__ or "").split()).rpartition("--json`: ")[2]
        return text[:1].upper() + text[1:]

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
        return schema_of_answer(self.name)


@cache
def tool(name: str, *, with_files: bool) -> Tool:
    """A tool; whether files may be named depends on the folders that the server was told."""
    return Tool(name, create_model(f"{name}_arguments", __base__=REQUESTS[name], **_fields(name, with_files)))


def _fields(name: str, with_files: bool) -> dict[str, Any]:
    """What is taken otherwise than by the page's interface, which knows no files."""
    known = REQUESTS[name].model_fields
    changed: dict[str, Any] = {}
    if "table" in known:
        about = f"{_TABLE} Omit it before the first pilot." if name in WITHOUT_PILOT else _TABLE
        if with_files or name in WITHOUT_PILOT:
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
        changed["sheet"] = str | None, option_field(ColumnOptions, "sheet", max_length=200)
    return {key: value for key, value in changed.items() if with_files or key not in ("file", "files", "sheet")}
