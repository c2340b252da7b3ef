"""JSON Schemas (draft 2020-12) of the documents, made from the types in `fact_types`."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from . import fact_types

__all__ = [
    "DOCUMENTS",
    "Schema",
    "about_document",
    "documents_of",
    "identifier_of",
    "schema_of",
    "schema_of_answer",
    "schemas_of_types",
]

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_OF_A_DOCUMENT = re.compile(r"urn:apexgp:([a-z]+):\d+")


def _types() -> Iterator[type]:
    return (kind for kind in vars(fact_types).values() if is_typeddict(kind))


def _by_name() -> Iterator[tuple[str, type]]:
    for kind in _types():
        said = get_type_hints(kind).get("schema")
        match = None if said is None else _OF_A_DOCUMENT.fullmatch(get_args(said)[0])
        if match is not None:
            yield match[1], kind


DOCUMENTS: Mapping[str, type] = dict(_by_name())
"""The type of each document by its name: that of the command which prints it, or `batch`, or `report`."""


def identifier_of(name: str) -> str:
    """What a document says under `schema`: its name, and the version that it follows."""
    identifier: str = get_args(get_type_hints(DOCUMENTS[name])["schema"])[0]
    return identifier


def about_document(name: str) -> str:
    """What a document is, in a line."""
    return _described()[DOCUMENTS[name].__name__][""]


def schema_of(name: str) -> Schema:
    """The schema of a document, with all that it refers to."""
    parts: dict[str, Schema] = {}
    whole = _object(DOCUMENTS[name], "#/$defs/", parts)
    head = {"$schema": _DIALECT, "$id": identifier_of(name), "title": f"apexgp {name}"}
    return {**head, **whole, **({"$defs": {part: parts[part] for part in sorted(parts)}} if parts else {})}


def documents_of(question: str) -> tuple[type, ...]:
    """The documents that may answer a question, which has the name of the first."""
    names = ("minimum", "evaluation") if question == "minimum" else (question,)
    return tuple(DOCUMENTS[name] for name in names)


def schema_of_answer(question: str) -> Schema:
    """The schema of what answers a question: of its document, or of any that it may be."""
    kinds = documents_of(question)
    if len(kinds) == 1:
        return schema_of(question)
    return {
        "$schema": _DIALECT,
        "title": f"apexgp {question}",
        "type": "object",
        "anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in kinds],
        "$defs": schemas_of_types(kinds, "#/$defs/"),
    }


def schemas_of_types(kinds: Iterable[type], prefix: str) -> dict[str, Schema]:
    """The schemas of types and of all that they refer to, each by its name; references begin with `prefix`."""
    parts: dict[str, Schema] = {}
    for kind in kinds:
        _schema(kind, prefix, parts)
    return parts


def _object(kind: type, prefix: str, parts: dict[str, Schema]) -> Schema:
    """The schema of a dictionary with certain keys. Others may come with a later version."""
    described = _described()[kind.__name__]
    properties: dict[str, Schema] = {}
    hints = get_type_hints(kind, include_extras=True)
    for key in sorted(hints, key=lambda key: key != "schema"):  # which says what the rest is
        text = described.get(key)
        properties[key] = _schema(hints[key], prefix, parts) | ({} if text is None else {"description": text})
    required = [key for key in properties if key in kind.__required_keys__]  # type: ignore[attr-defined]
    return {
        "description": described[""],
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _schema(hint: Any, prefix: str, parts: dict[str, Schema]) -> Schema:
    origin, inside = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        if hint.__name__ not in parts:
            parts[hint.__name__] = {}  # begun
            parts[hint.__name__] = _object(hint, prefix, parts)
        return {"$ref": f"{prefix}{hint.__name__}"}
    if origin in (NotRequired, Required):
        return _schema(inside[0], prefix, parts)
    if origin is Annotated:
        more = {key: value for note in inside[1:] for key, value in note.keywords.items()}
        return _schema(inside[0], prefix, parts) | more
    if origin is Literal:
        return {"const": inside[0]} if len(inside) == 1 else {"enum": list(inside)}
    if origin in (Union, UnionType):
        if {list, dict} <= set(map(get_origin, inside)):
            return {}  # whatever JSON can hold
        return _either([_schema(one, prefix, parts) for one in inside])
    if origin is list:
        return {"type": "array", "items": _schema(inside[0], prefix, parts)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(inside[1], prefix, parts)}
    return {"type": _NAMES[hint]}


def _either(schemas: list[Schema]) -> Schema:
    """Of several schemas one: types of which only one is said more are listed, as is easier to read."""
    if sum(len(one) > 1 for one in schemas) > 1 or not all("type" in one for one in schemas):
        return {"anyOf": schemas}
    joined: Schema = {"type": [one["type"] for one in schemas]}
    for one in schemas:
        joined |= {key: value for key, value in one.items() if key != "type"}
    return joined


@cache
def _described() -> dict[str, dict[str, str]]:
    """What stands below each key of each type, its bases' included; under the empty name, the docstring of the type."""
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(fact_types)).body:
        if isinstance(node, ast.ClassDef):
            texts: dict[str, str] = {}
            for base in node.bases:
                texts |= found.get(ast.unparse(base), {})
            for before, after in zip(node.body, node.body[1:], strict=False):
                if isinstance(before, ast.AnnAssign) and isinstance(after, ast.Expr):
                    texts[ast.unparse(before.target)] = " ".join(str(ast.literal_eval(after.value)).split())
            found[node.name] = texts | {"": " ".join((ast.get_docstring(node) or "").split())}
    return found
