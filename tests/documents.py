"""Documents held against their JSON Schemas by somebody else's validator."""

from functools import cache

from jsonschema import Draft202012Validator

from apexgp.question_base.schemas import build_parts, build_schema
from apexgp.surfaces.documents import load_documents


def closed(schema):
    """The same schema, by which keys that it does not name are wrong: readers forgive them, we do not."""
    if isinstance(schema, dict):
        inside = {key: closed(value) for key, value in schema.items()}
        is_object = schema.get("type") == "object" and "properties" in schema
        return inside | ({"additionalProperties": False} if is_object else {})
    return [closed(one) for one in schema] if isinstance(schema, list) else schema


@cache
def validator_of(name):
    schema = build_schema(load_documents()[name])
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(closed(schema))


@cache
def validator_of_type(kind):
    parts = build_parts([kind], "#/$defs/")
    return Draft202012Validator(closed({"$ref": f"#/$defs/{kind.__name__}", "$defs": parts}))


def faults(document, name=None):
    """Where a document is not what its schema says, in words: the schema that it names, or must name."""
    said = document["schema"].split(":")[2]
    assert name in (None, said), f"{said}, not {name}"
    return worded(validator_of(said).iter_errors(document))


def faults_of_type(value, kind):
    return worded(validator_of_type(kind).iter_errors(value))


def worded(errors):
    return [f"{error.json_path}: {error.message[-500:]}" for error in errors]
