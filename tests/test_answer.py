"""Laws of every answer: columns, frames, JSON, short texts, tables for notebooks."""

import json
import subprocess
import sys
import tempfile
from dataclasses import replace

import numpy as np
import pytest

import apexgp
from apexgp import (
    APExGP,
    CurveSet,
    ForecastRecord,
    LearningCurve,
    LeastSquares,
    backtest,
    collect_curves,
    compare_models,
    forecast_many,
    minimum_evaluation_size,
    minimum_sample_size,
    plan_collection,
    predictive_check,
    sensitivity,
)
from conftest import require
from small_pilots import build_pilot

EVIL = "<script>alert('&')</script>"


def collected():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] + rng.normal(size=400) > 0, EVIL, "0")
    return collect_curves(
        LogisticRegression(),
        X,
        y,
        sizes=[20, 40],
        n_splits=2,
        metric="accuracy",
        seed=0,
        progress=False,
        ratio=(3, 0, 1),
    )


def recorded(model):
    with tempfile.TemporaryDirectory() as folder:
        record = ForecastRecord(f"{folder}/record.jsonl")
        record.add_forecast(model, [720])
        record.add_measured(LearningCurve([720], [0.8], metric="auroc", task=EVIL))
        return record.reliability()


@pytest.fixture(scope="module")
def answers():
    model = APExGP().fit(build_pilot(metric="auroc", task=EVIL))
    tasks = {EVIL: build_pilot(), "too short": LearningCurve([1, 2], [0.5, 0.6])}
    comparison = compare_models({EVIL: build_pilot(), "b": build_pilot(0.01)}, [360, 36_000])
    batch = list(forecast_many(tasks))
    return {
        "Forecast": model.forecast([720, 36_000]),
        "RequiredSize": model.required_size(0.785),
        "RequiredSize, never": model.required_size(0.95),
        "RequiredSize, met": model.required_size(0.7),
        "RequiredSize, regression": LeastSquares("power_law").fit(build_pilot()).required_size(0.9),
        "CollectionPlan": plan_collection(model, 0.78, 12, 50_000),
        "Comparison": comparison,
        "PairComparison": comparison.pairs[0],
        "Backtest": backtest(tasks, {EVIL: LeastSquares(), "apexgp": APExGP()}),
        "CurveSet": collected(),
        "MinimumSampleSize": minimum_sample_size(0.2, 40, cstatistic=0.8),
        "MinimumEvaluationSize": minimum_evaluation_size(0.2, 0.8, threshold=0.2),
        "Sensitivity": sensitivity(model, [720, 3600], target=0.78),
        "Sensitivity, failed": sensitivity(APExGP().fit([60, 120, 240], [0.6, 0.7, 0.75])),
        "PredictiveCheck": predictive_check(model),
        "Reliability": recorded(model),
        "CurveForecast": batch[0],
        "CurveForecast, failed": batch[1],
    }


NAMES = [
    "Forecast", "RequiredSize", "RequiredSize, never", "RequiredSize, met", "RequiredSize, regression",
    "CollectionPlan", "Comparison", "PairComparison", "Backtest", "CurveSet", "MinimumSampleSize", "CurveForecast",
    "MinimumEvaluationSize",
    "CurveForecast, failed", "Sensitivity", "Sensitivity, failed", "PredictiveCheck", "Reliability",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_columns_are_plain_and_of_one_length(answers, name):
    columns = answers[name].to_dict()
    assert len({len(cells) for cells in columns.values()}) == 1
    assert all(isinstance(cells, list) for cells in columns.values())
    assert json.loads(json.dumps(columns, allow_nan=False)) == columns


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_frame_is_the_same_table(answers, name):
    require("pandas")
    answer = answers[name]
    frame, columns = answer.to_frame(), answer.to_dict()
    assert len(frame) == len(next(iter(columns.values())))
    assert frame.attrs["cautions"] == list(answer.cautions)
    for column, cells in columns.items():
        if column in frame.columns:
            for inside, cell in zip(frame[column].tolist(), cells, strict=True):
                finite = not (isinstance(inside, float) and not np.isfinite(inside))
                assert (inside == cell) if finite and inside is not None else cell is None
        elif cells:  # a pair, or a mapping, is spread out
            parts = [f"{column}_{key}" for key in (cells[0] if isinstance(cells[0], dict) else ("lower", "upper"))]
            assert set(parts) <= set(frame.columns)


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_short_and_say_the_cautions(answers, name):
    answer = answers[name]
    lines = repr(answer).splitlines()
    assert 2 <= len(lines) <= 28  # a table of 20 rows, its head and its cautions
    assert "array(" not in repr(answer)
    assert len(lines[0]) < 120
    for caution in answer.cautions:
        assert f"Caution: {caution}" in lines


@pytest.mark.parametrize("name", NAMES)
def test_tables_for_notebooks_are_escaped(answers, name):
    page = answers[name]._repr_html_()
    assert page.startswith("<div><table>")
    assert page.endswith("</div>")
    assert "<script>" not in page
    if name in ("Comparison", "PairComparison", "Backtest", "CurveSet", "CurveForecast"):
        assert "&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;" in page


def test_what_is_shown_of_many_rows_is_short_and_the_frame_holds_them_all():
    forecast = APExGP("power_law").fit(build_pilot()).forecast(np.arange(400, 600))
    assert len(repr(forecast).splitlines()) < 30
    assert "..." in repr(forecast)
    assert len(forecast.to_dict()["size"]) == 200


def test_a_forecast_has_the_levels_that_are_asked_for(answers):
    forecast = answers["Forecast"]
    columns = forecast.to_dict(levels=(0.5,))
    assert list(columns) == ["size", "mean", "median", "std", "lower_50", "upper_50"]
    lower, upper = forecast.interval(0.5)
    assert (columns["lower_50"], columns["upper_50"]) == (lower.tolist(), upper.tolist())


def test_a_backtest_has_a_row_a_method_a_curve_or_a_size(answers):
    result = answers["Backtest"]
    assert result.to_dict("method")["method"] == [score.method for score in result.pooled]
    assert result.to_dict("curve")["task"] == [score.task for score in result.by_curve]
    by_size = result.to_dict("size")
    whole = build_pilot()
    assert by_size["size"] == [360.0, 360.0]
    assert by_size["measured"] == [pytest.approx(whole.replicates.mean[-1])] * 2
    assert by_size["times"] == [pytest.approx(360 / 230)] * 2
    gp = APExGP().fit(whole.up_to(230)).forecast([360], of="same_splits")
    which = by_size["method"].index("apexgp")
    assert by_size["forecast"][which] == pytest.approx(gp.mean[0])
    assert (by_size["lower_95"][which], by_size["upper_95"][which]) == tuple(end[0] for end in gp.interval(0.95))
    assert by_size["lower_95"][1 - which] is None
    with pytest.raises(apexgp.errors.RequestError, match="by must be one of 'method', 'curve', 'size'"):
        result.to_dict("task")


def test_a_backtest_on_one_size_says_how_little_that_is():
    one = backtest(build_pilot(), ["power_law", "arctan"])
    assert one.cautions[0].startswith("Only one size was held out, 360, 1.57 times the largest that was fitted")
    two = backtest(build_pilot(), ["power_law", "arctan"], 2)
    assert two.cautions[0].startswith("Only 2 sizes were held out, at most 2.45 times the largest that was fitted")
    many = backtest([build_pilot(0.001 * i) for i in range(5)], ["power_law"])
    assert [one.is_ranked for one in (one, two, many)] == [False, False, True]
    assert many.cautions == ()


def test_sizes_are_said_to_as_many_digits_as_are_known(answers):
    assert answers["RequiredSize"].relative_error > 0
    needed = replace(answers["RequiredSize"], size=26_713)
    assert "26,713" not in repr(needed)
    assert "27,000" in repr(replace(needed, digits=2))
    assert "at best" in repr(answers["RequiredSize, never"])
    assert needed.to_dict()["size"] == [needed.size]


@pytest.mark.slow
def test_beyond_50_times_the_pilot_every_answer_carries_the_caution(answers):
    warned = "as far as the method has been tested."
    flat = APExGP().fit(build_pilot())
    needed = next(r for t in np.linspace(0.78, 0.9, 25) if (r := flat.required_size(t, 0.5)).size > 50 * 360)
    plan = plan_collection(flat, needed.target, 1e-6, 1e6, 1)
    assert plan.sizes[-1] > 50 * 360
    far = [answers["Forecast"], answers["Comparison"], answers["PairComparison"], needed, plan]
    far += list(forecast_many([build_pilot()], [36_000])) + list(forecast_many([build_pilot()], times=[60]))
    for answer in far:
        assert any(warned in caution for caution in answer.cautions), answer
        assert warned in repr(answer)
        assert warned in answer._repr_html_()


@pytest.mark.slow
def test_without_pandas_columns_are_there_and_the_extra_is_named(tmp_path):
    code = """
import sys
import tempfile

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import apexgp
found = apexgp.minimum_sample_size(0.2, 12, 0.15)
print(found.to_dict()["size"])
try:
    found.to_frame()
except apexgp.errors.MissingExtraError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    size = minimum_sample_size(0.2, 12, 0.15).size
    assert done.stdout == f"[{size}]\nMinimumSampleSize.to_frame needs pandas: pip install 'apexgp[pandas]'\n"


def test_a_set_of_curves_is_still_a_mapping(answers):
    curves = answers["CurveSet"]
    assert isinstance(curves, CurveSet)
    assert set(curves) == {(curves.only.task, "accuracy")}
    assert curves.to_dict()["score"] == curves.only.scores.tolist()
