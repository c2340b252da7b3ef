"""Questions as requests: pydantic types derived from their settings, for the page's interface and for assistants."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from types import NoneType
from typing import Any, Literal, Protocol, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..curve import LearningCurve
from ..estimators import APExGP
from ..model.beliefs import parse_priors
from ..question_base.column_settings import ColumnSettings
from ..question_base.model_settings import BayesSettings
from ..question_base.question import Question
from ..questions import list_questions, load_question
from ..settings import REQUIRED, DeclaredSetting, build_vocabulary, list_settings, read_settings
from ..vocabulary import Vocabulary

__all__ = [
    "MOST_CHARACTERS",
    "ReadCurve",
    "answer_request",
    "assign_field",
    "build_field",
    "build_fields_vocabulary",
    "build_request",
    "list_other_questions",
    "list_request_settings",
    "list_served_questions",
    "load_request",
]

MOST_CHARACTERS = 1_000_000  # of a table
_MOST_PRIORS = 100_000  # characters, of which learnt ones take a few thousand
_MOST_MODELS = 6  # to compare
_EXAMPLE = "size,score\n60,0.66\n94,0.70\n147,0.72\n230,0.75\n360,0.76\n"


class Request(BaseModel):
    """Strict: a number is a number, and a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class ReadCurve(Protocol):
    """Reads a table as it came with a request, and says how."""

    def __call__(self, table: Any, columns: ColumnSettings, /) -> tuple[LearningCurve, tuple[str, ...]]:
        """The only curve of a table, or the one that was chosen, and how it was read."""


@cache
def list_served_questions() -> tuple[str, ...]:
    """The names of the questions that a server answers."""
    return tuple(name for name in list_questions() if load_question(name).is_served)


@cache
def list_other_questions() -> tuple[str, ...]:
    """The questions about one curve that the page has no place made for."""
    every = ((name, load_question(name)) for name in list_served_questions())
    return tuple(name for name, question in every if question.pilots == "one" and not question.has_own_place)


@cache
def load_request(name: str) -> type[Request]:
    """The request of a question, by the question's name."""
    return build_request(name, load_question(name))


def build_request(name: str, question: type[Question]) -> type[Request]:
    """A request whose fields are the settings of a question, of its model, and of its table, by their names."""
    fields: dict[str, Any] = {}
    if question.pilots == "several":
        about = "The table of each model, by the model's name."
        fields["tables"] = dict[str, str], Field(description=about, min_length=2, max_length=_MOST_MODELS)
    elif question.pilots != "none":
        kind, default = (str, ...) if question.pilots == "one" else (str | None, None)
        fields["table"] = (
            kind,
            Field(
                default,
                description="The measurements as delimited text with a header line, as commands read it from a file.",
                min_length=1,
                max_length=MOST_CHARACTERS,
                examples=[_EXAMPLE],
            ),
        )
    fields |= {one.name: build_field(one) for one in list_request_settings(question)}
    if _takes_priors(question):
        about = "Priors instead of the shipped ones: the text of a JSON file that apexgp learn has written."
        fields["priors"] = str | None, Field(None, description=about, max_length=_MOST_PRIORS)
    request: type[Request] = create_model(
        f"{name.capitalize()}Request", __base__=Request, __doc__=question.__doc__, **fields
    )
    return request


def list_request_settings(question: type[Question]) -> tuple[DeclaredSetting, ...]:
    """The settings of a question, of its model, and of its table, which is text and has no sheets."""
    groups = [question, *([] if question.model_settings is None else [question.model_settings])]
    columns = () if question.pilots == "none" else list_settings(ColumnSettings)
    settings = [one for group in groups for one in list_settings(group)]
    return (*settings, *(one for one in columns if one.name != "sheet"))


def _takes_priors(question: type[Question]) -> bool:
    return question.model_settings is not None and issubclass(question.model_settings, BayesSettings)


def build_field(one: DeclaredSetting) -> tuple[Any, Any]:
    """The field of a request for a setting: its type, default and description, and what a server accepts at most."""
    about, kind = one.setting, one.written_type
    if one.choices:
        words: Any = Literal.__getitem__(one.choices)
        alternatives = get_args(kind) or (kind,)
        word_type: Any = list[words] if list[str] in alternatives else words
        kind = word_type | None if NoneType in alternatives else word_type
    description = f"{about.help} By default {about.default}." if about.default else about.help
    default = ... if one.default is REQUIRED else one.written_default
    # Bounds are described here and checked by the question, which says better what is wrong.
    return kind, Field(default, description=description, json_schema_extra=dict(about.bounds), **about.server_limits)


def build_fields_vocabulary(question: type[Question]) -> Vocabulary:
    """The field of a request that sets each argument of the library."""
    fields = build_vocabulary(list_request_settings(question), lambda one: one.name, assign_field)
    own = (
        {"curves": "tables"}
        if question.pilots == "several"
        else {}
        if question.pilots == "none"
        else {"table": "table"}
    )
    own |= {"priors": "priors"} if _takes_priors(question) else {}
    return Vocabulary({**fields.words, **own}, assign_field, fields.switches, fields.phrases)


def assign_field(field: str, value: Any) -> str:
    """A field with its value, as JSON has it; the value None is the reader's to choose."""
    return field if value is None else f"{field} {json.dumps(value, default=str)}"


def answer_request(
    question: type[Question], written: Mapping[str, Any], read_curve: ReadCurve
) -> tuple[Any, list[str]]:
    """The answer to a request, and notes on how its tables were read.

    Parameters
    ----------
    question
        The question that it asks.
    written
        The fields of the request, which has checked their types.
    read_curve
        Reads a table of the request.
    """
    put, model = read_settings(question, written), _build_model(question, written)
    curves: dict[str, LearningCurve] = {}
    notes: list[str] = []
    columns = read_settings(ColumnSettings, written)
    for name, table in _list_tables(written):
        curves[name], said = read_curve(table, columns)
        notes += said
    return put.ask(curves, model), list(dict.fromkeys(notes))


def _list_tables(written: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    if written.get("table") is not None:
        yield "", written["table"]
    yield from (written.get("tables") or {}).items()


def _build_model(question: type[Question], written: Mapping[str, Any]) -> APExGP | None:
    """The model that a request describes, with the priors that were sent, if any were."""
    if question.model_settings is None or not issubclass(question.model_settings, BayesSettings):
        return None
    sent = written.get("priors")
    priors = None if sent is None else parse_priors(sent, "priors")
    return read_settings(question.model_settings, written).build_model(priors)
