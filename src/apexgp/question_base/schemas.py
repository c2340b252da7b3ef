"""JSON Schemas (draft 2020-12) of documents, made from their types."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterable, Sequence
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

__all__ = ["Schema", "build_parts", "build_schema", "build_schema_of_any", "describe_type", "read_identifier"]

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def read_identifier(document: type) -> str | None:
    """The value of the key `schema`, which names a document and the version of its schema; None where there is none."""
    hint = get_type_hints(document).get("schema")
    return None if hint is None else str(get_args(hint)[0])


def describe_type(kind: type) -> str:
    """The docstring of a type, on one line."""
    return _descriptions_of(kind)[""]


def build_schema(document: type) -> Schema:
    """The schema of a document, with all that it refers to."""
    parts: dict[str, Schema] = {}
    whole = _object(document, "#/$defs/", parts)
    identifier = str(read_identifier(document))
    head = {"$schema": _DIALECT, "$id": identifier, "title": f"apexgp {identifier.split(':')[2]}"}
    return {**head, **whole, **({"$defs": {part: parts[part] for part in sorted(parts)}} if parts else {})}


def build_schema_of_any(title: str, documents: Sequence[type]) -> Schema:
    """The schema of what is one of several documents."""
    if len(documents) == 1:
        return build_schema(documents[0])
    return {
        "$schema": _DIALECT,
        "title": title,
        "type": "object",
        "anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in documents],
        "$defs": build_parts(documents, "#/$defs/"),
    }


def build_parts(kinds: Iterable[type], prefix: str) -> dict[str, Schema]:
    """The schemas of types and of all that they refer to, by name; references begin with `prefix`."""
    parts: dict[str, Schema] = {}
    for kind in kinds:
        _schema(kind, prefix, parts)
    return parts


def _object(kind: type, prefix: str, parts: dict[str, Schema]) -> Schema:
    """The schema of a dictionary with certain keys. Others may come with a later version."""
    described = _descriptions_of(kind)
    properties: dict[str, Schema] = {}
    hints = get_type_hints(kind, include_extras=True)
    for key in sorted(hints, key=lambda key: key != "schema"):  # which says what the rest is
        text = described.get(key)
        properties[key] = _schema(hints[key], prefix, parts) | ({} if text is None else {"description": text})
    # Where annotations are strings, Python takes every key of a class for required.
    required = [
        key
        for key in properties
        if key in kind.__required_keys__ and get_origin(hints[key]) is not NotRequired  # type: ignore[attr-defined]
    ]
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
    """Schema of a union; plain types are joined into one list, which is easier to read than `anyOf`."""
    if sum(len(one) > 1 for one in schemas) > 1 or not all("type" in one for one in schemas):
        return {"anyOf": schemas}
    joined: Schema = {"type": [one["type"] for one in schemas]}
    for one in schemas:
        joined |= {key: value for key, value in one.items() if key != "type"}
    return joined


def _descriptions_of(kind: type) -> dict[str, str]:
    """Descriptions of a type's keys, inherited ones included; under the empty name, the docstring of the type."""
    node = _class_statements(kind.__module__)[kind.__name__]
    texts: dict[str, str] = {}
    for base in node.bases:  # read there, since a TypedDict forgets them
        parent = getattr(sys.modules[kind.__module__], ast.unparse(base))
        texts |= _descriptions_of(parent) if is_typeddict(parent) else {}
    for before, after in zip(node.body, node.body[1:], strict=False):
        if isinstance(before, ast.AnnAssign) and isinstance(after, ast.Expr):
            texts[ast.unparse(before.target)] = " ".join(str(ast.literal_eval(after.value)).split())
    return texts | {"": " ".join((ast.get_docstring(node) or "").split())}


@cache
def _class_statements(module: str) -> dict[str, ast.ClassDef]:
    statements = ast.parse(inspect.getsource(sys.modules[module])).body
    return {node.name: node for node in statements if isinstance(node, ast.ClassDef)}
