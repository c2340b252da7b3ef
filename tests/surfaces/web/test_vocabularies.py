"""The words of the server: every field that sets an argument of the library, and every control of the page."""

import inspect
import json
import re
from importlib.resources import files

import pytest

from apexgp import (
    APExGP,
    Forecast,
    backtest,
    compare_models,
    design_pilot,
    minimum_evaluation_size,
    minimum_sample_size,
    plan_collection,
    predictive_check,
    read,
    sensitivity,
    write_report,
)
from apexgp.curve.reader import TableOptions
from apexgp.errors import DataError, Fault, RequestError
from apexgp.question_base.column_settings import ColumnSettings
from apexgp.settings import list_settings
from apexgp.surfaces.requests import list_request_settings
from apexgp.surfaces.web import answers
from apexgp.surfaces.web.answers import list_requests
from apexgp.surfaces.web.page import PRIORS_CONTROL
from apexgp.surfaces.web.reading import Upload
from conftest import request_fields

READING = (read, APExGP)
FORECASTING = (APExGP.forecast, APExGP.required_size, Forecast.interval, minimum_evaluation_size)
CALLED = {
    "advice": (*READING, design_pilot),
    "backtest": (*READING, backtest, APExGP.required_size),
    "compare": (*READING, compare_models),
    "design": (*READING, design_pilot),
    "forecast": (*READING, *FORECASTING),
    "minimum": (minimum_sample_size, minimum_evaluation_size),
    "page": (*READING, *FORECASTING, plan_collection),
    "plan": (*READING, plan_collection),
    "read": (read,),
    "report": (*READING, write_report),
    "sensitivity": (*READING, sensitivity),
    "check": (*READING, predictive_check),
}
# Arguments that no field sets.
NOT_READ = {"source", "sheet", "reading", "inference", "variant"}
USUAL = {"threshold", "oe_width", "slope_width", "cstatistic_width", "net_benefit_width"}  # beside a forecast
WITHOUT_FIELD = {
    "advice": NOT_READ | {"model", "cost", "sizes", "n_splits", "confirm"},
    "backtest": NOT_READ
    | {"self", "curve", "mean", "noise", "learner", "precision", "priors", "of", "n_jobs", "progress"},
    "compare": NOT_READ | {"model"},
    "design": NOT_READ | {"model", "cost"},
    "forecast": NOT_READ | USUAL | {"self", "n_splits", "kind"},
    "minimum": set(),
    "page": NOT_READ | USUAL | {"self", "n_splits", "kind", "model", "start"},
    "plan": NOT_READ | {"model", "of"},
    "read": {"source", "reading"},
    "report": NOT_READ | {"path", "model", "overwrite", "progress"},
    "sensitivity": NOT_READ | {"model", "n_jobs"},
    "check": NOT_READ | {"model"},
}
# Fields that set no argument: the measurements themselves, and what the surfaces do with them.
NO_ARGUMENT = {"table", "task", "cells", "published", "backtest", "doubts", "purpose", "quick"}

BY_LETTER = {"roles", "cells"}  # which the sheet itself sets
OF_COLUMNS = {*BY_LETTER, *(f"{name}_column" for name in ("size", "score", "split", "task", "train", "sd")), "n_test"}


def page_settings():
    """The settings of everything that the page asks."""
    of_questions = (one for question in answers.PAGE_QUESTIONS.values() for one in list_request_settings(question))
    return (*of_questions, *list_settings(ColumnSettings))


KINDS = (*list_requests(), "read")


def fields_of(kind):
    return set(list_requests()[kind].model_fields if kind != "read" else ColumnSettings.__annotations__)


def words_of(kind):
    """The words of who asks, and the fields."""
    return answers._vocabularies(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_that_sets_an_argument_is_in_the_table(kind):
    words = words_of(kind)[1].words
    arguments = {argument for called in CALLED[kind] for argument in inspect.signature(called).parameters}
    if "settings" in arguments:  # of a table
        arguments = arguments - {"settings"} | set(TableOptions.__annotations__)
    assert arguments - set(words) == WITHOUT_FIELD[kind]
    assert {words[name] for name in arguments & set(words)} == fields_of(kind) - NO_ARGUMENT
    assert set(words.values()) == fields_of(kind)  # none is hidden by another that sets the same


def test_fields_of_one_name_set_what_the_request_is_about():
    assert (words_of("design")[1].name("sizes"), words_of("design")[1].name("at")) == ("sizes", "at")
    assert words_of("forecast")[1].name("sizes") == "at"
    assert (words_of("forecast")[1].name("task"), words_of("forecast")[1].name("chosen_task")) == (
        "task_column",
        "task",
    )


def test_every_control_of_the_page_that_sets_an_argument_is_in_its_table():
    static = files("apexgp.surfaces.web") / "static"
    page, sheet = ((static / name).read_text() for name in ("index.html", "sheet.js"))
    labels = dict(re.findall(r'<label for="(?:read-)?(\w+)">([^<]+)</label>', page))
    fields = {field for kind in ("advice", "page", "read") for field in words_of(kind)[1].words.values()}
    controls = {one.name: one.setting.control for one in page_settings() if one.setting.control}
    of_columns = {field: controls.pop(field) for field in OF_COLUMNS}
    assert {field: text for field, text in labels.items() if field in fields} == {**controls, "priors": PRIORS_CONTROL}
    # What a column may hold is said above it, in the same words.
    assert [text for field, text in of_columns.items() if field not in BY_LETTER and f'"{text}"' not in sheet] == []


def made(kind, given, problem, monkeypatch):
    def refuse(*_):
        raise problem

    monkeypatch.setattr(answers, "answer_request", refuse)
    status, _, body = answers.answer((kind, given))
    assert status == 422
    return json.loads(body)["error"]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("forecast", 'at is odd. See score_column ["a", "b"], lower_is_better true and nothing=1.'),
        ("page", "“Forecast at sizes” is odd. See “Scores” (a, b), “Better scores are” (lower) and nothing=1."),
    ],
)
def test_an_error_speaks_the_words_of_who_asks_and_keeps_what_it_carries(kind, message, monkeypatch):
    faults = [Fault(3, "score", "is odd.")]
    remedy = ("See {}, {} and {}.", ("score", ["a", "b"]), ("direction", "lower"), ("nothing", 1))
    problem = DataError("is odd.", argument="sizes", remedy=remedy, where="The table, line 3", faults=faults)
    error = made(kind, {"table": "size,score"}, problem, monkeypatch)
    assert error["message"] == f"The table, line 3: {message}"
    assert error["argument"] == "at"
    assert error["rows"] == [{"line": 3, "column": "score", "message": "is odd."}]
    assert (problem.argument, problem.remedy, problem.faults) == ("sizes", remedy, tuple(faults))


def test_a_field_without_a_control_goes_by_its_own_name(monkeypatch):
    assert made("page", {}, RequestError("is odd.", argument="noise"), monkeypatch)["message"] == "noise is odd."
    assert words_of("page")[0].name("noise") == "noise"


def test_a_table_is_parsed_once(monkeypatch):
    from apexgp.curve import reader

    parsed = []
    read = reader.load_sheet
    monkeypatch.setattr(reader, "load_sheet", lambda *a, **k: parsed.append(a) or read(*a, **k))
    for raw in (
        b"size,score,metric\n60,0.6,auc\n94,0.7,auc\n60,0.6,f1\n94,0.7,f1\n",
        b"60,0.6\n94,0.7\n",
        b"size,score\n60,0.6\n94,x\n",
        b"cases,a,b\n60,0.6,1\n94,x,1\n",
    ):
        parsed.clear()
        assert answers.answer(("read", Upload(raw, ColumnSettings())))[0] == 200
        assert len(parsed) == 1
    parsed.clear()
    asked = request_fields("backtest", table="size,score\n60,x\n")
    assert answers.answer(("backtest", asked))[0] == 422
    assert len(parsed) == 1
