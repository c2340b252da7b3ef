"""The documents that surfaces give are of the types that they are said to be: those keys, those values."""

import json
import types
import typing
from typing import Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from apexgp import APExGP, LearningCurve, write_report
from apexgp.surfaces import fact_types
from conftest import document_in, pilot_table, require


def faults(value, kind, place="document"):
    """Where a value is not of a type, in words."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (NotRequired, Required):
        return faults(value, inside[0], place)
    if origin in (Union, types.UnionType):
        every = [faults(value, one, place) for one in inside]
        return [] if [] in every else min(every, key=len)
    if origin is Literal:
        return [] if value in inside else [f"{place} is {value!r}"]
    if is_typeddict(kind):
        if not isinstance(value, dict):
            return [f"{place} is {value!r}"]
        hints = get_type_hints(kind)
        missing, unknown = kind.__required_keys__ - value.keys(), value.keys() - hints.keys()
        wrong = [f"{place} has no {name}" for name in missing] + [f"{place} has {name}" for name in unknown]
        return wrong + [
            f for name in value.keys() & hints.keys() for f in faults(value[name], hints[name], f"{place}.{name}")
        ]
    if origin is list or (origin is dict):
        if not isinstance(value, origin):
            return [f"{place} is {value!r}"]
        items = value.items() if origin is dict else enumerate(value)
        return [f for name, one in items for f in faults(one, inside[-1], f"{place}[{name}]")]
    if isinstance(kind, typing.ForwardRef):
        return faults(value, fact_types.Json, place)
    allowed = (int, float) if kind is float else kind
    is_kind = isinstance(value, allowed) and (kind is bool or not isinstance(value, bool))
    return [] if is_kind else [f"{place} is {value!r}, not {kind}"]


def test_what_is_not_of_a_type_is_found():
    row = {"size": 1.0, "mean": 0.5, "median": 0.5, "std": 0.1, "lower": 0.3, "upper": 0.7}
    assert faults(row, fact_types.ForecastRow) == []
    assert faults(row | {"lower_95": 0.3}, fact_types.ForecastRow) == ["document has lower_95"]
    assert faults(row | {"std": None}, fact_types.ForecastRow) == ["document.std is None, not <class 'float'>"]
    assert faults({"size": 1}, fact_types.ForecastRow)


BENEFIT = ("--cstatistic", 0.8, "--threshold", 0.2)
PLAN = ("--target", 0.8, "--cost", 12, "--penalty", 50_000)
COMMANDS = {
    "a forecast": (fact_types.ForecastFacts, "forecast", "PAIRS"),
    "a target": (fact_types.ForecastFacts, "forecast", "PAIRS", "--target", 0.8, "--mean", "auto"),
    "out of reach": (fact_types.ForecastFacts, "forecast", "PAIRS", "--target", 0.99, "--metric", "auroc"),
    "the published": (fact_types.ForecastFacts, "forecast", "PAIRS", "--published", "--target", 0.8),
    "a batch": (fact_types.BatchFacts, "forecast", "TASKS", "--target", 0.8),
    "a plan": (fact_types.PlanFacts, "plan", "PAIRS", *PLAN),
    "a design": (fact_types.DesignFacts, "design", "PAIRS", "--budget", 2, "--target", 0.8, "--confirm", 0),
    "a first design": (fact_types.DesignFacts, "design", "--budget", 9, "--at", 5000, "--confirm", 0),
    "a comparison": (fact_types.CompareFacts, "compare", "PAIRS", "BETTER", "--at", 5000),
    "a backtest": (fact_types.BacktestFacts, "backtest", "PAIRS", "--target", 0.8),
    "a backtest of tasks": (fact_types.BacktestFacts, "backtest", "TASKS", "--method", "apexgp", "--method", "arctan"),
    "what it depends on": (fact_types.SensitivityFacts, "sensitivity", "PAIRS", "--target", 0.8),
    "without a target": (fact_types.SensitivityFacts, "sensitivity", "PAIRS", "--published", "--at", 5000),
    "too few sizes": (fact_types.SensitivityFacts, "sensitivity", "SHORT", "--target", 0.8),
    "a check": (fact_types.CheckFacts, "check", "PAIRS"),
    "a study": (
        fact_types.ForecastFacts,
        "forecast",
        "PAIRS",
        "--target",
        0.8,
        "--prevalence",
        0.2,
        "--metric",
        "auroc",
    ),
    "an evaluation": (fact_types.EvaluationFacts, "minimum", "--for", "evaluation", "--prevalence", 0.2, *BENEFIT),
    "a minimum": (fact_types.MinimumFacts, "minimum", "--prevalence", 0.2, "--parameters", 9, "--cstatistic", 0.8),
}


SLOW = ("a comparison", "a first design", "a backtest", "the published")


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] if case in SLOW else []) for case in COMMANDS]
)
def test_documents_of_commands_are_of_their_types(facts_of, pairs, better, tasks, tmp_path, case):
    kind, *words = COMMANDS[case]
    short = tmp_path / "short.csv"
    short.write_text("size,score\n60,0.7\n94,0.72\n147,0.74\n")
    files = {"PAIRS": pairs, "BETTER": better, "TASKS": tasks, "SHORT": short}
    assert faults(facts_of(*(files.get(word, word) for word in words)), kind) == []


@pytest.mark.slow
def test_documents_of_report_and_page_are_of_their_types(tmp_path):
    require("fastapi")
    from apexgp.surfaces.web.answers import answer
    from apexgp.surfaces.web.requests import AdviceRequest, PageRequest

    (tmp_path / "pilot.csv").write_text(pilot_table())
    model = APExGP().fit(LearningCurve.from_csv(tmp_path / "pilot.csv"))
    write_report(model, tmp_path / "report.html", target=0.8, cost_per_example=12, penalty=9e4, budget=1)
    assert faults(document_in((tmp_path / "report.html").read_text()), fact_types.ReportFacts) == []
    short = "size,score\n60,0.7\n94,0.72\n147,0.74\n"
    for kind, asked, of in (
        (
            "page",
            PageRequest(
                table=pilot_table(),
                target=0.8,
                prevalence=0.2,
                cstatistic=0.8,
                cost=12.0,
                penalty=9e4,
                backtest=True,
                doubts=True,
            ),
            "PageFacts",
        ),
        ("page", PageRequest(table=short, backtest=True, doubts=True), "PageFacts"),
        ("page", PageRequest(table=short, published=True, doubts=True), "PageFacts"),
        ("advice", AdviceRequest(table=pilot_table(), budget=1.0), "AdviceFacts"),
    ):
        status, _, body = answer((kind, asked))
        assert status == 200, body
        assert faults(json.loads(body), getattr(fact_types, of)) == []
