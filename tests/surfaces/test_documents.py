"""The documents that surfaces give follow the schemas that they name: those keys, those values."""

import json

import pytest

from apexgp import APExGP, read, write_report
from conftest import document_in, pilot_table, request_fields, require
from documents import faults, faults_of_type

BENEFIT = ("--cstatistic", 0.8, "--threshold", 0.2)
PLAN = ("--target", 0.8, "--cost", 12, "--penalty", 50_000)
COMMANDS = {
    "a forecast": ("forecast", "forecast", "PAIRS"),
    "a target": ("forecast", "forecast", "PAIRS", "--target", 0.8, "--mean", "auto"),
    "out of reach": ("forecast", "forecast", "PAIRS", "--target", 0.99, "--metric", "auroc"),
    "the published": ("forecast", "forecast", "PAIRS", "--published", "--target", 0.8),
    "a batch": ("batch", "forecast", "TASKS", "--target", 0.8),
    "a plan": ("plan", "plan", "PAIRS", *PLAN),
    "a design": ("design", "design", "PAIRS", "--budget", 2, "--target", 0.8, "--confirm", 0),
    "a first design": ("design", "design", "--budget", 9, "--at", 5000, "--confirm", 0),
    "a comparison": ("compare", "compare", "PAIRS", "BETTER", "--at", 5000),
    "a backtest": ("backtest", "backtest", "PAIRS", "--target", 0.8),
    "a backtest of tasks": ("backtest", "backtest", "TASKS", "--method", "apexgp", "--method", "arctan"),
    "what it depends on": ("sensitivity", "sensitivity", "PAIRS", "--target", 0.8),
    "without a target": ("sensitivity", "sensitivity", "PAIRS", "--published", "--at", 5000),
    "too few sizes": ("sensitivity", "sensitivity", "SHORT", "--target", 0.8),
    "a check": ("check", "check", "PAIRS"),
    "a study": ("forecast", "forecast", "PAIRS", "--target", 0.8, "--prevalence", 0.2, "--metric", "auroc"),
    "an evaluation": ("evaluation", "minimum", "--for", "evaluation", "--prevalence", 0.2, *BENEFIT),
    "a minimum": ("minimum", "minimum", "--prevalence", 0.2, "--parameters", 9, "--cstatistic", 0.8),
}


SLOW = ("a comparison", "a first design", "a backtest", "the published")


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] if case in SLOW else []) for case in COMMANDS]
)
def test_documents_of_commands_follow_their_schemas(facts_of, pairs, better, tasks, tmp_path, case):
    document, *words = COMMANDS[case]
    short = tmp_path / "short.csv"
    short.write_text("size,score\n60,0.7\n94,0.72\n147,0.74\n")
    files = {"PAIRS": pairs, "BETTER": better, "TASKS": tasks, "SHORT": short}
    assert faults(facts_of(*(files.get(word, word) for word in words)), document) == []


@pytest.mark.slow
def test_documents_of_report_and_page_follow_their_schemas(tmp_path):
    require("fastapi")
    from apexgp.surfaces.web.answers import answer
    from apexgp.surfaces.web.page import AdviceFacts, PageFacts

    (tmp_path / "pilot.csv").write_text(pilot_table())
    model = APExGP().fit(read(tmp_path / "pilot.csv").curve)
    write_report(model, tmp_path / "report.html", target=0.8, cost_per_example=12, penalty=9e4, budget=1)
    assert document_in((tmp_path / "report.html").read_text())["design"]
    short = "size,score\n60,0.7\n94,0.72\n147,0.74\n"
    for kind, asked, of in (
        (
            "page",
            request_fields(
                "page",
                table=pilot_table(),
                target=0.8,
                prevalence=0.2,
                cstatistic=0.8,
                cost=12.0,
                penalty=9e4,
                backtest=True,
                doubts=True,
            ),
            PageFacts,
        ),
        ("page", request_fields("page", table=short, backtest=True, doubts=True), PageFacts),
        ("page", request_fields("page", table=short, published=True, doubts=True), PageFacts),
        ("advice", request_fields("advice", table=pilot_table(), budget=1.0), AdviceFacts),
    ):
        status, _, body = answer((kind, asked))
        assert status == 200, body
        assert faults_of_type(json.loads(body), of) == []
