"""The file: appended to whole or not at all, nothing twice, and nothing that was changed since."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from recorded import forecast_line, measured_line

from apexgp import APExGP, ForecastRecord, LearningCurve, LeastSquares, learn_beliefs
from apexgp.errors import DataError, NoForecastError, RequestError
from apexgp.track_record.comparisons import compared
from apexgp.track_record.file import append_lines, read_lines
from apexgp.track_record.lines import ForecastLine, _checksum
from curves_to_learn_from import whole_curve


@pytest.fixture(scope="module")
def model():
    return APExGP().fit(whole_curve(1, 0.9).up_to(256))


@pytest.fixture
def record(tmp_path):
    return ForecastRecord(tmp_path / "record.jsonl")


def test_what_is_recorded_is_what_the_model_says(record, model):
    assert record.add_forecast(model, [1024, 512], date="2026-11-17") == 1
    (line,) = read_lines(record.path)
    assert line.sizes.tolist() == [512, 1024]
    assert (line.of, line.n_splits, line.date, line.method) == ("new_splits", 3, "2026-11-17T00:00:00", "APExGP")
    assert line.priors["name"] == "calibrated"
    np.testing.assert_allclose(line.quantiles, model.forecast([512, 1024]).quantile(line.shares), rtol=1e-9)
    single = model.forecast([512, 1024], n_splits=1)
    np.testing.assert_allclose(line.single, single.quantile(line.shares), rtol=1e-9)
    np.testing.assert_array_equal(line.curve.scores, model.curve_.scores)
    assert line.curve.split.tolist() == model.curve_.split.tolist()


def test_coverage_and_pit_are_those_of_the_forecast(record, model):
    whole = whole_curve(1, 0.9)
    record.add_forecast(model, [512, 2048], of="same_splits")
    record.add_measured(whole)
    found = record.reliability()
    forecast = model.forecast([512, 2048], of="same_splits")
    measured = [whole.scores[whole.sizes == size].mean() for size in (512, 2048)]
    for i, one in enumerate(found.comparisons):
        assert one.measured == pytest.approx(measured[i])
        assert one.pit == pytest.approx(forecast[i].cdf(measured[i]).item(), abs=0.02)
        assert (one.lower_95, one.upper_95) == pytest.approx([end[i] for end in forecast.interval(0.95)], rel=1e-9)


def test_nothing_is_recorded_twice(record, model):
    assert record.add_forecast(model, [512], date="2026-11-17") == 1
    assert record.add_forecast(model, [512]) == 0  # on another day
    assert record.add_forecast(model, [1024]) == 1
    assert record.add_forecast(model, [512], of="same_splits") == 1
    assert record.add_measured(model.curve_) == 0  # the pilot of the forecasts
    assert record.add_measured([whole_curve(1, 0.9), whole_curve(1, 0.9)]) == 1
    assert record.add_measured(whole_curve(1, 0.9)) == 0
    assert record.add_measured(whole_curve(1, 0.9), name="another study") == 1
    assert len(read_lines(record.path)) == 5


def test_curves_are_matched_by_name_or_task(record, model):
    bare = LearningCurve([60, 94, 147, 230], [0.7, 0.74, 0.77, 0.79])
    with pytest.raises(RequestError, match=r"^name must be given"):
        record.add_measured(bare)
    assert not record.path.exists()
    assert record.add_measured(bare, name="liver") == 1
    record.add_measured(whole_curve(3, 0.9), name="study")
    assert list(record.curves()) == ["liver", "study, task 3"]
    assert list(record.curves("roc_auc")) == ["study, task 3"]
    record.add_measured(whole_curve(3, 0.9, metric="accuracy"), name="study")
    assert list(record.curves()) == ["liver (score)", "study, task 3 (AUROC)", "study, task 3 (accuracy)"]
    record.add_measured(replace(bare, unit="patients"), name="liver")
    assert list(record.curves())[-1] == "liver (score, patients)"


@pytest.mark.slow
def test_pilot_and_later_scores_make_a_whole_curve_to_learn_from(record):
    whole = [whole_curve(i, 0.8, train_scores=np.full((7, 3), 0.99)) for i in range(3)]
    for curve in whole:
        record.add_measured(curve.up_to(256))
        record.add_measured(curve.beyond(256))
    again = record.curves()
    for curve in whole:
        np.testing.assert_array_equal(again[curve.task].replicates.mean, curve.replicates.mean)
        assert again[curve.task].split.tolist() == curve.split.tolist()
        np.testing.assert_array_equal(again[curve.task].train_scores, curve.train_scores)
    learnt = learn_beliefs(again).learnt
    assert (learnt.curves, learnt.tasks) == (3, 3)
    assert learnt.moved == learn_beliefs(whole).learnt.moved


def test_a_curve_is_whole_once_it_goes_beyond_a_pilot_that_was_forecast_from(record, model):
    record.add_forecast(model, [512])
    record.add_measured(whole_curve(5, 0.9).up_to(128))  # never forecast
    assert list(record.curves()) == ["task 1", "task 5"]
    assert list(record.curves(whole=True)) == ["task 5"]
    record.add_measured(whole_curve(1, 0.9))
    assert list(record.curves(whole=True)) == ["task 1", "task 5"]


def test_what_cannot_be_measured_is_not_recorded(record, model):
    with pytest.raises(RequestError, match=r"cannot be 'expected' in a record"):
        record.add_forecast(model, [512], of="expected")
    with pytest.raises(RequestError, match="must be a date"):
        record.add_forecast(model, [512], date="yesterday")
    with pytest.raises(RequestError, match="model must be a fitted model"):
        record.add_forecast("model", [512])
    assert not record.path.exists()


@pytest.mark.slow
def test_any_method_with_a_distribution_is_recorded(record):
    ours = learn_beliefs([whole_curve(1, 0.9)])
    for settings in (LeastSquares("piecewise_power_law"), APExGP.as_published(), APExGP(priors=ours)):
        record.add_forecast(settings.fit(whole_curve(2, 0.9).up_to(1024)), [2048])
    names = [line.priors["name"] for line in read_lines(record.path)]
    assert names == ["own", "paper", "learnt from 1 curves"]
    with pytest.raises(NoForecastError):
        record.add_forecast(LeastSquares().fit(whole_curve(2, 0.9).up_to(1024)), [2048])


def test_a_loss_comes_back_as_it_was(record):
    loss = LearningCurve([60, 94, 147, 230, 460], [1.9, 1.6, 1.4, 1.3, 1.2], metric="log_loss", task="a")
    record.add_forecast(APExGP().fit(loss.up_to(230)), [460])
    record.add_measured(loss)
    (one,) = record.reliability().comparisons
    assert (one.metric, one.measured) == ("log loss", 1.2)
    assert record.curves()["a"].range == (0.0, np.inf)


def changed(record, place, change):
    rows = record.path.read_text().splitlines(keepends=True)
    rows[place] = change(rows[place])
    record.path.write_text("".join(rows))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: row.replace("0.7", "0.8"), "was edited after it was written"),
        (lambda row: row[:-40], "is damaged or cut off in the middle"),
        (lambda row: "size,score\n", "is not a line of a record"),
        (lambda row: '{"a": 1}\n', "is not a line of a record"),
    ],
)
def test_a_line_that_was_changed_is_named(record, change, said):
    append_lines(record.path, [forecast_line("a"), forecast_line("b"), measured_line("b")])
    changed(record, 2, change)
    held = record.path.read_bytes()
    again = partial(record.add_measured, whole_curve(1, 0.9))
    for asked in (partial(read_lines, record.path), record.reliability, record.curves, again):
        with pytest.raises(DataError, match=f"record.jsonl, line 3, {said}") as problem:
            asked()
        assert "\n" not in str(problem.value)
    assert record.path.read_bytes() == held


def test_lines_of_another_version_are_named(record):
    append_lines(record.path, [forecast_line("a")])
    content = json.loads(record.path.read_text())
    del content["checksum"], content["quantiles"]
    record.path.write_text(json.dumps({**content, "checksum": _checksum(content)}))
    with pytest.raises(DataError, match=r"line 1, is from another version of apexgp, or damaged: KeyError"):
        read_lines(record.path)


def test_an_editor_may_leave_the_last_end_of_line_out_and_empty_lines_in(record):
    append_lines(record.path, [forecast_line("a")])
    record.path.write_text("\n" + record.path.read_text().rstrip("\n"))
    assert append_lines(record.path, [forecast_line("b")]) == 1
    assert [line.curve.task for line in read_lines(record.path)] == ["a", "b"]
    record.path.write_bytes(b"\xef\xbb\xbf" + record.path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(read_lines(record.path)) == 2


def test_what_contradicts_the_record_is_not_appended(record):
    append_lines(record.path, [forecast_line("a")])
    with pytest.raises(DataError, match="direction='lower'"):
        append_lines(record.path, [measured_line("b"), measured_line("a", direction="lower")])
    assert len(read_lines(record.path)) == 1


def test_files_that_cannot_be_a_record_are_refused(tmp_path):
    with pytest.raises(DataError, match="There is no file"):
        ForecastRecord(tmp_path / "none.jsonl").reliability()
    with pytest.raises(RequestError, match="is a folder"):
        ForecastRecord(tmp_path).add_measured(whole_curve(1, 0.9))
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(DataError, match="is no text"):
        read_lines(tmp_path / "picture")
    with pytest.raises(RequestError, match="name of a file"):
        ForecastRecord(3)


WRITER = """
import sys
sys.path.insert(0, sys.argv[3])
from recorded import measured_line
from pathlib import Path
from apexgp.track_record.file import append_lines
for i in range(20):
    append_lines(Path(sys.argv[1]), [measured_line(f"{sys.argv[2]} {i}")])
"""


@pytest.mark.slow
def test_several_processes_append_to_one_record(record, request):
    folder = str(request.path.parent)
    call = [sys.executable, "-c", WRITER, str(record.path)]
    writers = [subprocess.Popen([*call, name, folder]) for name in "abc"]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0]
    tasks = [line.curve.task for line in read_lines(record.path)]
    assert sorted(tasks) == sorted(f"{name} {i}" for name in "abc" for i in range(20))


def test_a_line_is_the_same_after_it_was_written(record):
    line = forecast_line(splits=2, single=(0.5, 0.9))
    append_lines(record.path, [line])
    (again,) = read_lines(record.path)
    assert isinstance(again, ForecastLine)
    assert again.as_text() == line.as_text()
    assert compared([again, measured_line()]).made == compared([line, measured_line()]).made
