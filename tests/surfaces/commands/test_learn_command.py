"""`apexgp learn`, and what other commands do with the priors that it writes."""

import json
import re

import pytest

from apexgp import APExGP, learn_beliefs
from apexgp.curve import build_curve_columns
from apexgp.priors import CALIBRATED, read_priors, write_priors
from apexgp.questions.forecast import ForecastQuestion
from apexgp.reading.files import as_csv
from apexgp.surfaces.report.text import list_assumptions
from curves_to_learn_from import whole_curve
from documents import faults


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.csv"
    path.write_text(as_csv(build_curve_columns([whole_curve(i, 0.75) for i in range(3)])))
    return path


@pytest.fixture
def pilot(tmp_path):
    whole_curve(9, 0.75).up_to(256).to_csv(tmp_path / "pilot.csv")
    return tmp_path / "pilot.csv"


@pytest.mark.slow
def test_priors_are_learnt_written_and_used(run, old, pilot, tmp_path):
    out = tmp_path / "ours.json"
    code, said, err = run("learn", old, "--out", out, "--jobs", 1, "--json")
    assert (code, err) == (0, "")
    facts = json.loads(said)
    assert faults(facts, "learn") == []
    assert (facts["curves"], facts["tasks"], facts["priors"]) == (3, 3, str(out))
    assert read_priors(out).learnt.curves == 3
    code, said, _ = run("learn", old, "--out", out, "--jobs", 1)
    assert code == 1  # nothing is overwritten unasked
    code, held, _ = run("forecast", pilot, "--priors", out, "--json")
    code, at_once, note = run("forecast", pilot, "--related", old, "--json")
    assert json.loads(held)["forecast"] == json.loads(at_once)["forecast"]
    assert "Learnt from 3 whole curves (AUROC)" in note
    assert "were learnt from 3 whole curves (AUROC)" in json.loads(held)["methods_text"]


@pytest.mark.slow
def test_files_that_are_no_priors_are_refused(run, old, pilot, tmp_path):
    code, _, err = run("forecast", pilot, "--priors", old)
    assert (code, "is not a file of priors" in err) == (1, True)
    code, _, err = run("forecast", pilot, "--published", "--related", old)
    assert (code, err.strip()) == (1, "Error: --related cannot be used with the published method.")
    short = tmp_path / "short.csv"
    short.write_text("size,auroc,task\n10,0.5,a\n20,0.6,a\n25,0.7,a\n")
    code, _, err = run("forecast", pilot, "--related", short)
    assert (code, "--related must extend beyond a pilot: 1 of 1 (a)" in err) == (1, True)
    code, _, err = run("learn", short, "--out", tmp_path / "x.json", "--jobs", 1)
    assert (code, "curves must extend beyond a pilot" in err) == (1, True)


_WHOLE = "10,0.5,{0}\n20,0.6,{0}\n40,0.7,{0}\n80,0.75,{0}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("size,auroc,task\n10,0.5,a\n10,0.6,a\n10,0.7,a\n", "must extend beyond a pilot: 1 of 1 (a)"),
        ("size,auroc,task\n" + _WHOLE.format("a") + "5,0.5,b\n6,0.6,b\n", "must extend beyond a pilot: 1 of 2 (b)"),
        ("size,score,task,metric\n" + _WHOLE.format("a,auroc") + _WHOLE.format("b,accuracy"), "holds 2 metrics"),
        ("size,auroc,task,unit\n" + _WHOLE.format("a,images") + _WHOLE.format("b,patients"), "units that differ"),
        ("size,auroc,task\n", "no rows"),
    ],
)
def test_what_cannot_teach_is_refused_in_one_line(run, tmp_path, text, said):
    (tmp_path / "old.csv").write_text(text)
    code, _, err = run("learn", tmp_path / "old.csv", "--out", tmp_path / "x.json", "--jobs", 1)
    *notes, error = err.strip().splitlines()
    assert (code, said in error, error.startswith("Error: ")) == (1, True, True)
    assert all(note.startswith("Note: ") for note in notes)
    assert not (tmp_path / "x.json").exists()


def test_priors_that_were_edited_are_refused_in_one_line(run, old, pilot, tmp_path):
    ours = tmp_path / "ours.json"
    write_priors(CALIBRATED, ours)
    ours.write_text(re.sub(r"(\d)(?=,)", lambda last: str((int(last[0]) + 1) % 10), ours.read_text(), count=1))
    for arguments in (
        ["forecast", pilot, "--priors", ours],
        ["learn", old, "--start", ours, "--out", tmp_path / "x.json"],
    ):
        code, _, err = run(*arguments)
        assert (code, "was edited after it was written" in err, err.strip().count("\n")) == (1, True, 0)


@pytest.mark.slow
def test_related_curves_of_another_metric_are_doubted(run, old, tmp_path):
    whole_curve(9, 0.75, metric="accuracy").up_to(256).to_csv(tmp_path / "pilot.csv")
    code, said, _ = run("forecast", tmp_path / "pilot.csv", "--related", old, "--json")
    assert code == 0
    (caution,) = [one for one in json.loads(said)["cautions"] if "another kind" in one]
    assert "AUROC, where this one has accuracy" in caution


@pytest.mark.slow
def test_a_report_on_several_tasks_learns_once(run, old, tmp_path):
    table = tmp_path / "pilots.csv"
    table.write_text(as_csv(build_curve_columns([whole_curve(i, 0.75).up_to(256) for i in (8, 9)])))
    code, _, err = run("report", table, "--related", old, "--out", tmp_path / "report.html")
    assert (code, err.count("Learnt from 3 whole curves")) == (0, 1)


@pytest.mark.slow
def test_a_report_says_what_priors_were_learnt_from():
    ours = learn_beliefs([whole_curve(i, 0.75) for i in range(2)])
    answer = ForecastQuestion().answer(APExGP(priors=ours).fit(whole_curve(9, 0.75).up_to(256)))
    assert list_assumptions(answer)["Priors"].startswith(
        "Learnt from 2 whole curves (AUROC); they are among the settings"
    )
