"""What a size counts is called as the sheet calls it, everywhere; what is not trained on comes on top."""

import json
import re

import pytest

from apexgp import APExGP, LearningCurve, read
from apexgp.plot import CurveDisplay
from apexgp.question_base.wording import count_total
from apexgp.questions.forecast import ForecastQuestion
from conftest import pilot_table, require

TARGET = ("--target", 0.79)


@pytest.fixture
def sheet(tmp_path):
    """A sheet with any name of its sizes, or a column `unit`."""

    def sheet(size="size", unit=None):
        lines = pilot_table().splitlines()
        lines[0] = lines[0].replace("size", size) + ("" if unit is None else ",unit")
        rows = [line if unit is None else f"{line},{unit}" for line in lines[1:]]
        path = tmp_path / "sheet.csv"
        path.write_text("\n".join([lines[0], *rows, ""]))
        return path

    return sheet


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "unit", "options", "called"),
    [
        ("n patients", None, (), "patients"),
        ("No. of pts (train)", None, (), "patients"),
        ("Training images", None, (), "images"),
        ("# scans", None, (), "scans"),
        ("n_samples", None, (), "examples"),
        ("size", None, ("--unit", "knees"), "knees"),
        ("n patients", None, ("--unit", "knees"), "knees"),
        ("size", "rows", (), "examples"),
        ("size", "groups", (), "groups"),
        ("size", "groups", ("--unit", "patients"), "patients"),  # the label is better known, nothing is recounted
        ("size", "eyes", (), "eyes"),
    ],
)
def test_the_answer_counts_what_the_sheet_counts(run, sheet, size, unit, options, called):
    code, out, err = run("forecast", sheet(size, unit), "--json", *TARGET, *options)
    assert code == 0, err
    facts = json.loads(out)
    for text in (facts["sentence"], facts["methods_text"]):
        counted = set(re.findall(r"training (\w+)", text)) - {"set", "sets"}
        assert counted == {called}
    assert facts["pilot"]["unit_name"] == called


@pytest.mark.slow
def test_every_surface_says_patients(run, sheet, tmp_path):
    require("jinja2")
    path, report = sheet("n patients"), tmp_path / "report.html"
    plain = pilot_table()
    other = tmp_path / "other.csv"
    other.write_text(plain.replace("size", "patients", 1))
    said = {
        "forecast": run("forecast", path, *TARGET),
        "plan": run("plan", path, *TARGET, "--cost", 5, "--penalty", 5000),
        "compare": run("compare", path, other),
        "design": run("design", path, "--budget", 1, "--confirm", 0),
        "report": run("report", path, *TARGET, "--budget", 0, "--out", report),
    }
    for name, (code, out, err) in said.items():
        assert code == 0, err
        if name != "report":
            assert "patients" in out, name
        assert "examples" not in out, name
    page = report.read_text()
    assert "training patients" in page
    assert "examples" not in page.partition("How to reproduce this report")[0]
    model = APExGP().fit(read(path).curve)
    axes = CurveDisplay.from_estimator(model).plot().ax_
    assert axes.get_xlabel() == "training patients"


@pytest.mark.slow
def test_files_of_two_units_are_asked_about(run, sheet, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(pilot_table())
    code, _, err = run("compare", sheet("n patients"), other)
    assert code == 1
    assert "examples (other)" in err
    assert "Name it for all of them with --unit" in err
    assert run("compare", sheet("n patients"), other, "--unit", "patients")[0] == 0


@pytest.mark.slow
def test_test_cases_come_on_top_and_the_total_is_said_where_it_can_be(run, sheet):
    path = sheet("n patients")
    without = run("forecast", path, *TARGET)[1]
    assert (
        "Sizes count training patients only, the pilot's among them; those for validation and test come on top."
        in " ".join(without.split())
    )
    facts = json.loads(run("forecast", path, *TARGET, "--test-share", "20%", "--json")[1])
    (planned,) = re.findall(r"plan for (?:about )?([\d,]+) training", facts["sentence"])
    (total,) = re.findall(r"on top: ([\d,]+) in all, if 20 % are kept", facts["sentence"])
    planned, total = (float(number.replace(",", "")) for number in (planned, total))
    assert facts["total"] == total
    assert planned / 0.8 <= total <= 1.1 * planned / 0.8
    assert f"{total:,.0f} in all" in facts["methods_text"]
    assert run("forecast", path, *TARGET, "--test-share", 2)[0] == 1


def test_a_collected_pilot_knows_its_share(run, tmp_path):
    require("pandas")
    data, out = tmp_path / "data.csv", tmp_path / "curve.csv"
    rows = [f"{i % 7},{(i * i) % 11},{i % 2},{i // 3}" for i in range(120)]
    data.write_text("\n".join(["a,b,y,patient", *rows, ""]))
    settings = ("--label", "y", "--group", "patient", "--splits", 1, "--sizes", "10,15,20", "--out", out)
    code, _, err = run("collect", data, *settings, "--by-group")
    assert code == 0, err
    curve = read(out).curve
    assert (curve.unit, curve.test_share) == ("groups", 0.2)
    assert read(out, unit="patients", test_share=0.5).curve.test_share == 0.5


def test_no_total_where_there_is_nothing_to_plan_for():
    curve = LearningCurve([60, 94, 147, 230], [0.7, 0.74, 0.77, 0.79], test_share=0.1)
    model = APExGP().fit(curve)
    for target in (0.5, 0.9999):
        answer = ForecastQuestion(target=target).answer(model)
        assert count_total(answer.required, curve) is None
