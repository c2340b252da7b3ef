"""Every surface says the same number for the same question: the library's, whichever way it is asked."""

import json
import re
import shutil
import sys
from dataclasses import replace
from html import escape, unescape
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from apexgp import (
    APExGP,
    backtest,
    compare_models,
    design_pilot,
    forecast_many,
    minimum_evaluation_size,
    minimum_sample_size,
    plan_collection,
    predictive_check,
    read,
    sensitivity,
)
from apexgp.questions.forecast.curve_picture import CurvePicture
from apexgp.surfaces import output
from apexgp.surfaces.chart.svg import Drawing
from apexgp.surfaces.chart.text import TextChart
from conftest import document_in, pilot_table, request_fields, require

SIZES = [1000.0, 5640.0]  # of which the second is ten times the pilot
TARGET, SURE = 0.79, 0.6
SVG = "{http://www.w3.org/2000/svg}"


class _Terminal:
    """Standard output, as if a person sat before it."""

    def isatty(self):
        return True

    def __getattr__(self, name):
        return getattr(sys.stdout, name)


@pytest.fixture(scope="module")
def pilot(tmp_path_factory):
    path = tmp_path_factory.mktemp("pilot") / "pilot.csv"
    path.write_text(pilot_table())
    return path


@pytest.fixture(scope="module")
def model(pilot):
    return APExGP().fit(read(pilot).curve)


@pytest.fixture(scope="module")
def ask():
    """What the page's interface answers: the fields of a request, checked as the server checks them."""
    require("fastapi")
    from apexgp.surfaces.web.answers import answer

    def ask(kind, **fields):
        status, media, body = answer((kind, request_fields(kind, **fields)))
        assert status == 200, body
        return json.loads(body) if media == "application/json" else body.decode()

    return ask


@pytest.fixture
def seen(monkeypatch):
    """What a command draws: the picture on the terminal, and the one in the file of --plot."""
    pyplot = require("matplotlib.pyplot")
    from apexgp.plot import CurveDisplay

    seen, draw = {}, CurveDisplay.plot

    def kept(self, *given, **more):
        seen["plot"] = draw(self, *given, **more)
        return seen["plot"]

    monkeypatch.setattr(CurveDisplay, "plot", kept)
    monkeypatch.setattr(output, "_print_chart", lambda picture: seen.update(terminal=picture))
    monkeypatch.setenv("TERM", "dumb")  # of no colours
    monkeypatch.setattr(output, "sys", SimpleNamespace(stdout=_Terminal()))
    yield seen
    pyplot.close("all")


class Said:
    """What the library says: means, ends and chances as surfaces write them, and where they lie in pictures."""

    def __init__(self, model, of, level):
        self.level, self.forecast = level, model.forecast(SIZES, of=of)
        self.required = model.required_size(TARGET, SURE)
        self.ends = self.forecast.interval(level)
        self.chances = model.forecast(SIZES, of="expected").prob_at_least(TARGET)

    def in_document(self, document):
        """Exactly, as JSON."""
        assert document["level"] == self.level
        columns = {"size": SIZES, "mean": self.forecast.mean, "median": self.forecast.median, "std": self.forecast.std}
        columns |= {"lower": self.ends[0], "upper": self.ends[1], "prob_target": self.chances}
        assert [row["size"] for row in document["forecast"]] == SIZES
        for name, column in columns.items():
            np.testing.assert_allclose([row[name] for row in document["forecast"]], column, rtol=1e-12)
        required = document["required"]
        assert (required["size"], required["median"]) == (self.required.size, self.required.median)
        assert required["prob_reachable"] == self.required.prob_reachable

    def in_text(self, text):
        """At three decimals, in tables and sentences."""
        flat = " ".join(text.split())
        for mean, low, high in zip(self.forecast.mean, *self.ends, strict=True):
            assert f"{mean:.3f} {low:.3f} to {high:.3f}" in flat
        assert f"{100 * self.level:g} % interval" in flat
        last = (self.forecast.mean[-1], 100 * self.level, self.ends[0][-1], self.ends[1][-1])
        sentence = "of {:.3f}; the chance is {:g} % that it lies between {:.3f} and {:.3f}, and "
        assert sentence.format(*last) in flat

    def in_readings(self, figure):
        """At three decimals, where a chart is read off."""
        (block,) = re.findall(r'<script type="application/json">(.*?)</script>', figure, re.DOTALL)
        data = json.loads(block)
        assert data["labels"][2] == f"{100 * self.level:g} % interval"
        read = {row[0]: row[1:3] for row in data["readings"]}
        for size, mean, low, high in zip(SIZES, self.forecast.mean, *self.ends, strict=True):
            assert read[f"{size:,.0f}"] == [f"{mean:.3f}", f"{low:.3f} to {high:.3f}"]

    def in_picture(self, picture):
        """Exactly, in the arrays that are drawn."""
        assert isinstance(picture, CurvePicture)
        at = np.searchsorted(picture.sizes, SIZES)
        np.testing.assert_array_equal(picture.sizes[at], SIZES)
        np.testing.assert_allclose(picture.mean[at], self.forecast.mean, rtol=1e-9)
        np.testing.assert_allclose(np.array(picture.bands[self.level])[:, at], self.ends, rtol=1e-7)
        np.testing.assert_allclose(picture.prob_target[at], self.chances, rtol=1e-9)
        assert picture.required.size == self.required.size

    def in_svg(self, text, picture):
        """To a tenth of the picture's unit, where the lines are."""
        drawing = Drawing(picture)
        band = list(picture.bands).index(self.level)
        for kind, wanted in ((f"edge edge-{band} forecast", self.ends), ("mean forecast", [self.forecast.mean])):
            lines = [e for e in ElementTree.fromstring(text).iter(f"{SVG}polyline") if e.get("class") == kind]
            for line, scores in zip(lines, wanted, strict=True):
                points = dict(point.split(",") for point in line.get("points").split())
                for size, score in zip(SIZES, scores, strict=True):
                    assert float(points[f"{drawing.x(size):.1f}"]) == pytest.approx(drawing.y(score), abs=0.051)

    def in_plot(self, display):
        """Exactly, on the axes of matplotlib."""
        lines = {line.get_label(): line.get_xydata() for line in display.ax_.get_lines()}
        bands = {band.get_label(): band.get_paths()[0].vertices for band in display.ax_.collections}
        drawn = [(lines["forecast (mean)"], [self.forecast.mean])]
        drawn.append((bands[f"{100 * self.level:g} % interval"], self.ends))
        for points, wanted in drawn:
            for i, size in enumerate(SIZES):
                heights = np.unique(points[points[:, 0] == size][:, 1])
                np.testing.assert_allclose(heights, [scores[i] for scores in wanted], rtol=1e-7)

    def in_characters(self, picture):
        """To a line of the terminal, in the last column but one."""
        chart = TextChart(picture, 80)
        column = [line[round(chart.x(SIZES[-1]))][1] for line in chart._cells]
        shaded = [row for row, kind in enumerate(column) if kind]
        top, bottom = (chart.y(end) for end in np.array(list(picture.bands.values())[-1])[::-1, -1])
        assert abs(shaded[0] - min(top, chart.y(TARGET))) <= 1
        assert abs(shaded[-1] - max(bottom, chart.y(TARGET))) <= 1


@pytest.mark.slow
@pytest.mark.parametrize(("of", "level"), [("new_splits", 0.95), ("same_splits", 0.5), ("expected", 0.95)])
def test_a_forecast_is_the_same_everywhere(run, facts_of, seen, ask, model, pilot, tmp_path, of, level):
    said = Said(model, of, level)
    options = ("--at", 1000, "--at", "10x", "--target", TARGET, "--confidence", SURE, "--of", of, "--level", level)
    fields = {"at": ["1000", "10x"], "target": TARGET, "confidence": SURE, "of": of, "level": level}
    table = pilot.read_text()

    said.in_document(facts_of("forecast", pilot, *options))
    code, printed, _ = run("forecast", pilot, *options, "--plot", tmp_path / "plot.png")
    assert code == 0
    said.in_text(printed)
    said.in_picture(seen["terminal"])
    said.in_characters(seen["terminal"])
    said.in_picture(seen["plot"])
    said.in_plot(seen["plot"])

    said.in_document(ask("forecast", table=table, **fields))
    page = ask("page", table=table, **fields)
    said.in_document(page["forecast"])
    said.in_text(
        " ".join(" ".join(row) for row in page["tables"]["forecast"]["rows"])
        + page["forecast"]["sentence"]
        + " ".join(page["tables"]["forecast"]["header"])
    )
    said.in_readings(page["figure"])
    said.in_svg(page["svg"], seen["terminal"])

    report = tmp_path / "report.html"
    assert run("report", pilot, *options, "--budget", 0, "--out", report)[0] == 0
    for html in (report.read_text(), ask("report", table=table, **fields, budget=0.0)):
        said.in_document(document_in(html)["forecast"])
        said.in_text(re.sub(r"<[^>]+>", " ", html))
        said.in_readings(html)


def test_what_is_forecast_makes_a_difference(model):
    """Else the surfaces could agree by luck."""
    widths = {
        round(float(np.diff(Said(model, of, 0.95).ends, axis=0)[0, -1]), 3)
        for of in ("new_splits", "same_splits", "expected")
    }
    assert len(widths) == 3


def plan_of(model, curve):
    plan = plan_collection(model, TARGET, 12, 50_000, 2)
    return lambda facts: (
        facts["plan"]["sizes"] == list(plan.sizes) and (facts["plan"]["expected_cost"] == plan.expected_cost)
    )


def design_of(model, curve):
    found = design_pilot(model, 3, at=SIZES, target=TARGET, confidence=SURE, confirm=0)
    return lambda facts: (
        [(row["sizes"], row["n_splits"], row["risk"]) for row in facts["designs"]]
        == [(list(one.sizes), one.n_splits, one.risk) for one in found.designs]
    )


def backtest_of(model, curve):
    found = backtest(curve)
    return lambda facts: (
        [(row["method"], row["crps"]) for row in facts["methods"]]
        == [(score.method, score.crps if score.failed is None else None) for score in found.pooled]
    )


def sensitivity_of(model, curve):
    found = sensitivity(model, SIZES, target=TARGET, confidence=SURE, level=0.5, of="expected")
    return lambda facts: (
        facts["compared_at"] == found.compared_at
        and facts["unchanged"]["required"]["size"] == model.required_size(TARGET, SURE).size
        and [(row["name"], row["effect"]) for row in facts["changes"]] == [(row.name, row.effect) for row in found.rows]
        and [[one["upper"] for one in row["forecast"]] for row in facts["changes"]]
        == [row.upper.tolist() for row in found.rows]
    )


def check_of(model, curve):
    found = predictive_check(model, draws=500)
    return lambda facts: (
        [(row["check"], row["tail_probability"]) for row in facts["checks"]]
        == [(one.name, one.tail_probability) for one in found.checks]
    )


def compare_of(model, curve):
    (pair,) = compare_models({"pilot": curve, "better": curve}, SIZES).pairs
    return lambda facts: facts["pairs"][0]["prob_first_better"] == pair.prob_first_better.tolist()


def minimum_of(model, curve):
    found = minimum_sample_size(0.2, 12, cstatistic=0.75)
    return lambda facts: facts["minimum"]["size"] == found.size and facts["minimum"]["criteria"] == found.criteria


def evaluation_of(model, curve):
    found = minimum_evaluation_size(0.2, 0.75, threshold=0.3)
    return lambda facts: facts["minimum"]["size"] == found.size and facts["minimum"]["criteria"] == found.criteria


COSTS = {"target": TARGET, "cost": 12.0, "penalty": 50_000.0, "rounds": 2}
SIZED = {"at": ["1000", "10x"], "target": TARGET, "confidence": SURE}
QUESTIONS = {
    "plan": (plan_of, COSTS),
    "design": (design_of, SIZED | {"budget": 3.0, "confirm": 0}),
    "backtest": (backtest_of, {}),
    "sensitivity": (sensitivity_of, SIZED | {"level": 0.5, "of": "expected"}),
    "check": (check_of, {"draws": 500}),
    "compare": (compare_of, {"at": ["1000", "10x"]}),
    "minimum": (minimum_of, {"prevalence": 0.2, "parameters": 12, "cstatistic": 0.75}),
    "evaluation": (evaluation_of, {"purpose": "evaluation", "prevalence": 0.2, "cstatistic": 0.75, "threshold": 0.3}),
}
FACTS = {"n_features": 30, "n_classes": 3}
OPTIONS = {
    "purpose": "for",
    "n_features": "features",
    "n_classes": "classes",
}  # where an option has another name than the field


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_has_one_answer(facts_of, ask, model, pilot, tmp_path, question):
    by_library, fields = QUESTIONS[question]
    says_the_same = by_library(model, model.curve_)
    options = [
        part
        for name, value in fields.items()
        for one in (value if isinstance(value, list) else [value])
        for part in (f"--{OPTIONS.get(name, name)}", one)
    ]
    table, files = pilot.read_text(), [pilot]
    given = {"table": table}
    if question == "compare":
        files = [pilot, tmp_path / "better.csv"]
        files[1].write_text(table)
        given = {"tables": {"pilot": table, "better": table}}
    if question in ("minimum", "evaluation"):
        question, files, given = "minimum", [], {}
    command = facts_of(question, *files, *options)
    assert says_the_same(command)
    assert ask(question, **given, **fields) == command


@pytest.mark.slow
@pytest.mark.parametrize("question", ["forecast", "plan", "design", "sensitivity", "check", "compare"])
def test_features_and_classes_are_the_same_everywhere(facts_of, ask, pilot, tmp_path, question):
    """Whether they are options, fields, or columns of the table."""
    _, fields = QUESTIONS.get(question, (None, SIZED))
    options = [
        part
        for name, value in fields.items()
        for one in (value if isinstance(value, list) else [value])
        for part in (f"--{name}", one)
    ]
    bare, table = pilot.read_text(), tmp_path / "pilot.csv"
    replace(read(pilot).curve, **FACTS).to_csv(table)
    other_table = shutil.copy(table, tmp_path / "other table.csv")
    files, given = [pilot], {"table": bare}
    if question == "compare":
        files, given = [pilot, tmp_path / "other.csv"], {"tables": {"pilot": bare, "other": bare}}
        files[1].write_text(bare)
    stated = [part for name, value in FACTS.items() for part in (f"--{OPTIONS[name]}", value)]
    by_option = facts_of(question, *files, *options, *stated)
    documents = [
        by_option,
        facts_of(question, *[table, other_table][: len(files)], *options),
        ask(question, **given, **fields, **FACTS),
    ]
    for document in documents:
        pilots = document["pilots"].values() if question == "compare" else [document["pilot"]]
        assert [{name: one[name] for name in FACTS} for one in pilots] == [FACTS] * len(files)
    assert documents[2] == documents[0]


@pytest.mark.slow
def test_page_and_report_depend_on_what_the_commands_say(facts_of, ask, pilot):
    table = pilot.read_text()
    changes = facts_of("sensitivity", pilot, "--at", "1000,10x", "--target", TARGET, "--confidence", SURE)
    check = facts_of("check", pilot)
    page = ask("page", table=table, **SIZED, doubts=True)
    report = ask("report", table=table, **SIZED, budget=0.0)
    for other in (page["doubts"], document_in(report)):
        assert other["sensitivity"] == changes
        assert other["check"] == check
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", report)).split())
    assert changes["sentence"] in text
    assert check["sentence"] in text
    for svg in (page["doubts"]["sensitivity_svg"], report):
        for row in changes["changes"][:5]:
            assert f">{escape(row['name'])}</text>" in svg


@pytest.mark.slow
def test_page_and_report_name_the_winner_that_the_command_names(facts_of, ask, pilot):
    table = pilot.read_text()
    for settings in ({}, {"ceiling": 0.9, "floor": 0.5, "seed": 2}):
        command = facts_of("backtest", pilot, *(part for name in settings for part in (f"--{name}", settings[name])))
        page = ask("page", table=table, backtest=True, **settings)["backtest"]
        report = document_in(ask("report", table=table, budget=0.0, **settings))["backtest"]
        for other in (page, report):
            assert other["methods"] == command["methods"]
            assert other["sentence"] == command["sentence"]


@pytest.mark.slow
def test_page_and_report_give_the_plan_and_the_advice_of_the_commands(facts_of, ask, pilot):
    table = pilot.read_text()
    costs = [part for name, value in COSTS.items() for part in (f"--{name}", value)]
    plan = facts_of("plan", pilot, *costs)
    sized = ("--at", "1000,10x", "--target", TARGET, "--confidence", SURE, "--budget", 3)
    design = facts_of("design", pilot, *sized)
    report = document_in(ask("report", table=table, **(SIZED | COSTS), budget=3.0))
    assert report["plan"] == plan == ask("page", table=table, **(SIZED | COSTS))["plan"]
    assert report["design"] == design == ask("advice", table=table, **SIZED, budget=3.0)["design"]


@pytest.mark.slow
@pytest.mark.parametrize("of", ["new_splits", pytest.param("same_splits", marks=pytest.mark.slow), "expected"])
def test_a_batch_is_the_same_in_the_command_and_in_the_library(facts_of, pilot, tmp_path, of):
    header, *rows = pilot.read_text().splitlines()
    tasks = tmp_path / "tasks.csv"
    tasks.write_text("\n".join([f"{header},task", *(f"{row},{task}" for task in "ab" for row in rows), ""]))
    curve = read(pilot).curve
    facts = facts_of("forecast", tasks, "--of", of, "--level", 0.7, "--target", TARGET, "--confidence", SURE)
    library = forecast_many({"a": curve, "b": curve}, of=of, levels=(0.7,), target=TARGET, confidence=SURE)
    for task, found in zip(facts["tasks"], library, strict=True):
        assert [row["size"] for row in task["forecast"]] == found.sizes.tolist()
        assert [row["mean"] for row in task["forecast"]] == found.mean.tolist()
        assert [(row["lower"], row["upper"]) for row in task["forecast"]] == list(
            zip(*(end.tolist() for end in found.intervals[0.7]), strict=True)
        )
        assert task["required"]["size"] == found.required.size
