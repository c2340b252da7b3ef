"""JSON Schemas made from types: what they allow, what they refuse, and that there is one for every document."""

import copy
import json
import re
from typing import Annotated, Literal, NotRequired, TypedDict

import pytest
from jsonschema import Draft202012Validator

from apexgp.question_base import schemas
from apexgp.question_base.documents import Json, Keywords
from apexgp.question_base.schemas import build_schema, read_identifier
from apexgp.surfaces.cli import list_commands, load_command
from apexgp.surfaces.command import build_options_vocabulary
from apexgp.surfaces.documents import load_documents
from conftest import REPOSITORY, pilot_table, require
from documents import closed, faults, validator_of

DOCUMENTS = load_documents()
WITH_JSON = [name for name in list_commands() if "as_json" in build_options_vocabulary(load_command(name)).words]


@pytest.mark.parametrize("name", WITH_JSON)
def test_every_command_with_json_has_a_schema(name):
    assert name in DOCUMENTS, "a TypedDict in its room with schema: Literal['urn:apexgp:NAME:1']"


def test_every_document_has_a_name_and_a_version_of_its_own():
    assert {*WITH_JSON, "batch", "evaluation", "report"} == set(DOCUMENTS)
    said = [read_identifier(DOCUMENTS[name]) for name in DOCUMENTS]
    assert len(set(said)) == len(said)
    for name, identifier in zip(DOCUMENTS, said, strict=True):
        assert identifier.rpartition(":")[0] == f"urn:apexgp:{name}"
        assert build_schema(DOCUMENTS[name])["$id"] == identifier


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
def test_schemas_are_sound_and_say_what_things_are(name):
    schema = build_schema(DOCUMENTS[name])
    Draft202012Validator.check_schema(schema)
    for part in (schema, *schema.get("$defs", {}).values()):
        assert part["description"].endswith(".")
        for key, value in part["properties"].items():
            assert value.get("description", ".")[-1] in ".)", key


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_files_of_the_site_are_those_of_the_program(run, name):
    code, out, err = run("schema", name)
    assert (code, err) == (0, "")
    assert json.loads(out) == build_schema(DOCUMENTS[name])
    file = REPOSITORY / "docs" / "schemas" / f"{name}.json"
    assert file.is_file(), "python docs/make.py schemas"
    assert file.read_text(encoding="utf-8") == out, "python docs/make.py schemas"


def test_the_command_lists_all_and_refuses_others(run):
    code, out, _ = run("schema")
    assert code == 0
    listed = [[name, read_identifier(kind)] for name, kind in DOCUMENTS.items()]
    assert [line.split()[:2] for line in out.splitlines()] == listed
    code, out, err = run("schema", "serve")
    assert (code, out) == (1, "")
    assert "'forecast'" in err


@pytest.fixture(scope="module")
def document():
    from apexgp import APExGP, LearningCurve
    from apexgp.questions.forecast import ForecastQuestion

    rows = [row.split(",") for row in pilot_table().splitlines()[1:]]
    curve = LearningCurve([int(row[0]) for row in rows], [float(row[1]) for row in rows], [row[2] for row in rows])
    answer = ForecastQuestion(target=0.8).answer(APExGP("power_law").fit(curve))
    return json.loads(json.dumps(answer.document()))


def places(value, path=()):
    """Where every value of a document stands."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in items:
        yield from places(inside, (*path, key))


def changed(document, path, value):
    copied = copy.deepcopy(document)
    held = copied
    for key in path[:-1]:
        held = held[key]
    held[path[-1]] = value
    return copied


@pytest.mark.slow
def test_what_is_not_of_its_type_is_refused(document):
    assert faults(document, "forecast") == []
    tried = [path for path in places(document) if path and path[0] not in ("settings", "schema")]
    assert len(tried) > 80
    for path in tried:
        assert faults(changed(document, path, {"no": [None]})), path
    assert faults(changed(document, ("forecast", 0, "lower_95"), 0.3)) == [
        "$.forecast[0]: Additional properties are not allowed ('lower_95' was unexpected)"
    ]
    assert faults(changed(document, ("forecast", 0, "prob_target"), 1.1))
    assert faults(changed(document, ("required", "size"), None)) == []  # infinite


def test_what_must_be_there_is_asked_for(document):
    for key in document:
        less = {name: value for name, value in document.items() if name != key}
        assert (key == "schema") or bool(faults(less)) == (key not in ("required", "total")), key
    assert list(validator_of("forecast").iter_errors({**document, "schema": "urn:apexgp:forecast:0"}))


def test_a_reader_forgives_keys_that_come_later(document):
    assert Draft202012Validator(build_schema(DOCUMENTS["forecast"])).is_valid(document | {"new": 1})


def test_each_kind_of_type_becomes_what_json_schema_has_for_it(monkeypatch):
    class Part(TypedDict):
        share: Annotated[float, Keywords(minimum=0)]

    class Whole(TypedDict):
        schema: Literal["urn:apexgp:whole:3"]
        parts: dict[str, Part]
        kind: Literal["a", "b"] | None
        counts: NotRequired[list[int | None]]
        either: Part | str
        anything: Json

    described = {"Part": {"": "A part."}, "Whole": {"": "All.", "counts": "How many."}}
    monkeypatch.setattr(schemas, "_descriptions_of", lambda kind: described[kind.__name__])
    share = {"type": "number", "minimum": 0}
    assert build_schema(Whole) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:apexgp:whole:3",
        "title": "apexgp whole",
        "description": "All.",
        "type": "object",
        "properties": {
            "schema": {"const": "urn:apexgp:whole:3"},
            "parts": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Part"}},
            "kind": {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]},
            "counts": {"type": "array", "items": {"type": ["integer", "null"]}, "description": "How many."},
            "either": {"anyOf": [{"$ref": "#/$defs/Part"}, {"type": "string"}]},
            "anything": {},
        },
        "required": ["schema", "parts", "kind", "either", "anything"],
        "$defs": {
            "Part": {"description": "A part.", "type": "object", "properties": {"share": share}, "required": ["share"]}
        },
    }
    assert closed(build_schema(Whole))["$defs"]["Part"]["additionalProperties"] is False


@pytest.mark.slow
def test_the_interface_describes_its_answers_by_the_same_schemas():
    require("fastapi")
    from apexgp.surfaces.web.app import build_application

    described = build_application().openapi()
    parts = described["components"]["schemas"]
    for name, kind in DOCUMENTS.items():
        if f"/api/{name}" in described["paths"] and name not in ("report", "read"):  # a page, and what the page draws
            answered = described["paths"][f"/api/{name}"]["post"]["responses"]["200"]["content"]["application/json"]
            assert {"$ref": f"#/components/schemas/{kind.__name__}"} in answered["schema"].get(
                "anyOf", [answered["schema"]]
            )
            assert parts[kind.__name__]["properties"].keys() == build_schema(DOCUMENTS[name])["properties"].keys()
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(described)))
    assert named <= set(parts)
