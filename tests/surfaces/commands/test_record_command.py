"""`apexgp record`, and the commands that keep a record or learn from it."""

import json
import sys

import pytest

from apexgp import APExGP, ForecastRecord, LearningCurve
from apexgp.curve import build_curve_columns
from apexgp.priors import read_priors
from apexgp.reading.files import as_csv
from apexgp.track_record.forecast_record import read_lines
from conftest import require
from curves_to_learn_from import whole_curve
from documents import faults

WHOLE = [whole_curve(i, 0.9 - 0.05 * i) for i in range(3)]


def table(path, curves):
    path.write_text(as_csv(build_curve_columns(curves)))
    return path


@pytest.fixture
def pilots(tmp_path):
    return table(tmp_path / "pilots.csv", [curve.up_to(256) for curve in WHOLE])


@pytest.fixture
def whole(tmp_path):
    return table(tmp_path / "whole.csv", WHOLE)


@pytest.fixture
def record(tmp_path):
    return tmp_path / "record.jsonl"


@pytest.mark.slow
def test_forecasts_are_recorded_compared_and_learnt_from(run, pilots, whole, record, tmp_path):
    code, out, err = run("forecast", pilots, "--at", "2x", "--at", 2048, "--record", record, "--json")
    assert (code, err.splitlines()[-1]) == (0, f"Note: Recorded these 3 forecasts in {record}.")
    forecast = {(task["task"], row["size"]): row for task in json.loads(out)["tasks"] for row in task["forecast"]}
    code, out, err = run("forecast", pilots, "--at", "2x", "--at", 2048, "--record", record)
    assert err.splitlines()[-1] == f"Note: {record} already has these 3 forecasts: nothing was appended."
    code, out, err = run("learn", "--record", record, "--out", tmp_path / "none.json")
    assert (code, err) == (1, f"Error: None of the 3 curves in {record} extends beyond a pilot yet.\n")

    code, out, err = run("record", record, whole, "--json")
    assert (code, err) == (0, f"Note: Recorded the scores of {whole} in {record}.\n")
    facts = json.loads(out)
    assert faults(facts, "record") == []
    assert (facts["record"], facts["curves"], facts["waiting"], facts["known"]) == (str(record), 3, 0, 0)
    assert [row["compared"] for row in facts["levels"]] == [6] * 4
    for row in facts["comparisons"]:
        said = forecast[row["task"], row["size"]]  # then
        ends = (said["median"], said["lower"], said["upper"])
        assert (row["median"], row["lower_95"], row["upper_95"]) == pytest.approx(ends, rel=1e-9)
    code, out, err = run("record", record, whole, "--task", "task 1")
    assert err == f"Note: {record} already has the scores of {whole}: nothing was appended.\n"
    assert "80 % intervals covered" in out
    assert "later scores on 1 curve:" in out
    assert "Caution: The later scores come from 1 curve only" in out

    short = table(tmp_path / "short.csv", [whole_curve(7, 0.9).up_to(128)])
    run("record", record, short)
    code, out, err = run("learn", "--record", record, "--out", tmp_path / "ours.json", "--jobs", 1)
    assert (code, err) == (0, f"Note: 1 of 4 curves in {record} does not extend beyond a pilot: left out.\n")
    run("learn", whole, "--out", tmp_path / "same.json", "--jobs", 1)
    assert read_priors(tmp_path / "ours.json") == read_priors(tmp_path / "same.json")


@pytest.mark.slow
def test_a_single_curve_needs_a_name(run, pairs, record, tmp_path):
    code, out, err = run("forecast", pairs, "--record", record)
    assert (code, out) == (1, "")
    assert err.startswith("Error: --record also needs --record-as, a name")
    assert not record.exists()
    code, _, err = run("forecast", pairs, "--record", record, "--record-as", "liver", "--at", 1000)
    assert (code, err) == (0, f"Note: Recorded this forecast in {record}.\n")
    (line,) = read_lines(record)
    assert (line.name, line.sizes.tolist()) == ("liver", [1000])
    code, _, err = run("forecast", pairs, "--record", record, "--record-as", "liver", "--of", "expected")
    assert (code, err.startswith("Error: --of cannot be 'expected' in a record")) == (1, True)
    code, _, err = run("forecast", pairs, "--record-as", "liver")
    assert (code, err) == (1, "Error: --record-as needs --record, the file to record in.\n")
    code, out, _ = run("record", record)
    assert "Nothing can be compared yet. 1 forecast is still to be measured." in out
    (tmp_path / "later.csv").write_text("size,score\n1000,0.8\n")
    code, out, err = run("record", record, tmp_path / "later.csv")
    assert (code, err.startswith("Error: --record-as must be given")) == (1, True)


@pytest.mark.slow
def test_a_record_that_cannot_be_used_is_refused_before_any_work(run, pairs, record, tmp_path, monkeypatch):
    record.write_text("size,score\n")
    monkeypatch.setattr(APExGP, "fit", lambda *_: pytest.fail("fitted"))
    code, _, err = run("forecast", pairs, "--record", record, "--record-as", "a")
    assert (code, err) == (
        1,
        f"Error: {record}, line 1, is not a line of a record that apexgp has written. Name another file.\n",
    )
    code, _, err = run("forecast", pairs, "--record", tmp_path, "--record-as", "a")
    assert (code, "cannot be read: Is a directory" in err) == (1, True)
    code, _, err = run("record", tmp_path / "none.jsonl")
    assert (code, err) == (1, f"Error: There is no file {tmp_path / 'none.jsonl'}. Check the name and the folder.\n")
    code, _, err = run("record", tmp_path / "none.jsonl", pairs, "--record-as", "a")
    assert (code, (tmp_path / "none.jsonl").exists()) == (1, False)
    for given in ((), (pairs, "--record", record)):
        code, _, err = run("learn", *given, "--out", tmp_path / "p.json")
        assert (code, err) == (1, "Error: Give a table of whole curves or --record, one of them.\n")


@pytest.mark.slow
def test_what_commands_measure_is_recorded(run, record, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ForecastRecord(record).add_forecast(
        APExGP().fit(LearningCurve([20, 40, 80], [0.6, 0.7, 0.75], metric="auroc")), [160], name="mine"
    )
    program = f"{sys.executable} -c print(0.8-2/{{n}}-0.01*{{seed}})"
    asked = ("run", program, "--sizes", "80,160", "--splits", 1, "--metric", "auroc")
    code, _, err = run(*asked, "--record", record)
    assert (code, err.startswith("Error: --record also needs --record-as")) == (1, True)
    code, _, err = run(*asked, "--record", record, "--record-as", "mine")
    assert (code, err.splitlines()[-1]) == (0, f"Note: Recorded this curve in {record}.")
    (one,) = ForecastRecord(record).reliability().comparisons
    assert (one.size, one.measured) == (160, pytest.approx(0.7875))

    rows = "".join(f"{i % 7},{i % 5},{'ab'[(i % 7 > 3) ^ (i % 11 == 0)]}\n" for i in range(200))
    (tmp_path / "data.csv").write_text(f"x,z,label\n{rows}")
    collect = ("collect", "data.csv", "--label", "label", "--sizes", "20,40,80", "--jobs", 1, "--out", "c.csv")
    code, _, err = run(*collect, "--record", record)
    assert (code, err.startswith("Error: --record also needs --record-as")) == (1, True)
    code, _, err = run(*collect, "--record", record, "--record-as", "table")
    assert (code, err.splitlines()[-1]) == (0, f"Note: Recorded this curve in {record}.")
    assert [line.name for line in read_lines(record)] == ["mine", "mine", "table"]


@pytest.mark.slow
def test_the_picture_shows_each_level_and_its_interval(run, pilots, whole, record, tmp_path):
    pyplot = require("matplotlib.pyplot")
    from apexgp.plot import ReliabilityDisplay

    run("forecast", pilots, "--at", "2x", "--record", record)
    code, _, _ = run("record", record, whole, "--plot", tmp_path / "r.png")
    assert (code, (tmp_path / "r.png").stat().st_size > 5000) == (0, True)
    found = ForecastRecord(record).reliability()
    display = ReliabilityDisplay.from_reliability(found).plot(pyplot.figure().add_subplot())
    (points,) = [line for line in display.ax_.lines if line.get_marker() == "o"]
    assert points.get_ydata().tolist() == [row.share for row in found.levels]
    ends = [segment[:, 1].tolist() for segment in display.ax_.collections[0].get_segments()]
    assert ends == [[row.lower, row.upper] for row in found.levels]
    assert repr(display) == "ReliabilityDisplay(3 later scores on 3 curves)"
    pyplot.close("all")
