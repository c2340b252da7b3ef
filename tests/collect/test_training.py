"""Any training function: order, record, resume, failures, processes, callbacks."""

import itertools
import time
from types import SimpleNamespace

import joblib
import numpy as np
import pytest

from apexgp import APExGP, CurveSet, collect_scores, read
from apexgp.errors import DataError, FailedFitsWarning, RequestError
from conftest import require

SIZES = [50, 100, 200]


def score(n, seed):
    return 0.9 - 0.8 * n**-0.5 + 0.01 * np.random.default_rng([n, seed]).normal()


def rows(curves):
    return [{name: value for name, value in fit.items() if name != "seconds"} for fit in curves.fits]


def test_a_curve_of_a_function():
    calls = []

    def train(n, seed):
        calls.append((n, seed))
        return score(n, seed)

    curve = collect_scores(train, SIZES, 2, metric="auroc").only
    assert calls == [(n, seed) for n in (200, 100, 50) for seed in (0, 1)]  # the longest first
    assert (curve.metric, curve.direction, curve.unit) == ("auroc", "higher", "rows")
    assert curve.sizes.tolist() == [50, 50, 100, 100, 200, 200]
    assert curve.split.tolist() == [0, 1, 0, 1, 0, 1]
    assert curve.scores.tolist() == [score(n, seed) for n in SIZES for seed in (0, 1)]
    assert (curve.train_scores, curve.n_test) == (None, None)


def test_several_metrics_training_scores_and_seconds(tmp_path):
    def train(n, seed):
        scores = {"auc": score(n, seed), "error_rate": 1 - score(n, seed)}
        return SimpleNamespace(test=scores, train=dict.fromkeys(scores, 0.5), seconds=7.0, n_test=30)

    curves = collect_scores(train, SIZES, 2, results=tmp_path / "runs.csv")
    assert list(curves) == [(None, "auc"), (None, "error_rate")]
    assert [curve.direction for curve in curves.values()] == ["higher", "lower"]
    assert curves[None, "auc"].train_scores.tolist() == [0.5] * 6
    assert curves[None, "auc"].n_test.tolist() == [30] * 6
    assert {fit["seconds"] for fit in curves.fits} == {7.0}
    again = CurveSet.from_results(tmp_path / "runs.csv")
    assert (again.fits, again.as_csv()) == (curves.fits, curves.as_csv())
    curves.to_csv(tmp_path / "c.csv")
    again = read(tmp_path / "c.csv", metric="error_rate").curve
    assert (again.direction, again.scores.tolist()) == ("lower", curves[None, "error_rate"].scores.tolist())


def test_a_run_resumes_and_failed_fits_are_tried_again(tmp_path):
    path, calls, broken = tmp_path / "runs.csv", [], [True]

    def train(n, seed):
        calls.append((n, seed))
        if (n, seed) in ((200, 0), (100, 1)) and broken[0]:
            raise ValueError("bad luck")
        return {"auc": score(n, seed)}

    settings = {"results": path, "progress": False}
    with pytest.warns(FailedFitsWarning, match="2 of 6 fits failed.*2 with ValueError: bad luck"):
        first = collect_scores(train, SIZES, 2, **settings)
    assert [(fit["size"], fit["split"]) for fit in first.failed] == [(100, 1), (200, 0)]
    broken[0] = False
    calls.clear()
    whole = collect_scores(train, [*SIZES, 400], 3, **settings)
    assert calls == [(400, 0), (400, 1), (400, 2), (200, 0), (200, 2), (100, 1), (100, 2), (50, 2)]
    assert len(whole.only) == 12
    calls.clear()
    held = path.read_bytes()
    assert collect_scores(train, [*SIZES, 400], 3, **settings).fits == whole.fits
    assert (calls, path.read_bytes()) == ([], held)


def test_another_function_is_refused_and_one_that_keeps_a_log_is_the_same(tmp_path):
    def make(rate, data):
        log, calls = [], 0

        def train(n, seed):
            nonlocal calls
            calls += 1
            log.append(rate * data.sum())
            return score(n, seed)

        return train

    settings = {"results": tmp_path / "runs.csv", "progress": False}
    train = make(0.1, np.ones(20))
    collect_scores(train, SIZES, 1, **settings)
    collect_scores(train, SIZES, 2, **settings)
    for other in (make(0.2, np.ones(20)), make(0.1, np.zeros(20)), score):
        with pytest.raises(RequestError, match=r"holds the fits of another run \(train: "):
            collect_scores(other, SIZES, 2, **settings)


def test_the_first_score_names_the_metrics_and_failures_before_it_are_kept(tmp_path):
    def train(n, seed):
        if n == 200:
            raise ValueError("too large")
        return {"auc": 0.8, "f1": 12.0} if seed == 0 else {"auc": 0.7}

    path = tmp_path / "runs.csv"
    with pytest.warns(FailedFitsWarning, match="no f1, only auc = 0.7"):
        curves = collect_scores(train, SIZES, 2, results=path)
    assert '# metrics: ["auc", "f1"]' in path.read_text()
    assert [fit["error"] for fit in curves.fits] == [
        "", "no f1, only auc = 0.7", "", "no f1, only auc = 0.7",
        "ValueError: too large", "ValueError: too large",
    ]  # fmt: skip
    assert CurveSet.from_results(path).fits == curves.fits
    with pytest.raises(DataError, match="12"):  # any finite number is kept; a curve is made when it is asked for
        curves[None, "f1"]
    assert "12.000 to 12.000" in repr(curves)
    with pytest.warns(FailedFitsWarning):  # a record of more metrics will do
        assert list(collect_scores(train, SIZES, 2, results=path, metric="auc")) == [(None, "auc")]
    with pytest.raises(RequestError, match="metrics: auc, f1, now mcc"):
        collect_scores(train, SIZES, 2, results=path, metric="mcc")


def test_before_any_score_a_record_says_what_failed(tmp_path):
    def train(n, seed):
        raise ValueError("never")

    for _ in range(2):
        with pytest.raises(DataError, match="All 3 fits failed: 3 with ValueError: never"):
            collect_scores(train, SIZES, 1, results=tmp_path / "runs.csv")
    found = CurveSet.from_results(tmp_path / "runs.csv")
    assert (len(found), len(found.failed)) == (0, 3)


def test_scores_of_any_size_are_kept_and_may_be_named_later(tmp_path):
    settings = {"results": tmp_path / "runs.csv", "progress": False}
    curves = collect_scores(lambda n, seed: -200.0 / n, SIZES, 1, **settings)
    assert curves.as_csv().splitlines() == [
        "size,score,split,unit",
        "50,-4.0,0,rows",
        "100,-2.0,0,rows",
        "200,-1.0,0,rows",
    ]
    # The same function, under a name.
    named = collect_scores(lambda n, seed: -200.0 / n, SIZES, 1, metric="my loss", **settings)
    assert named.as_csv().splitlines()[1] == "50,-4.0,0,my loss,lower,rows"
    assert collect_scores(lambda n, seed: -200.0 / n, SIZES, 1, **settings).as_csv() == curves.as_csv()
    upward = collect_scores(lambda n, seed: -200.0 / n, SIZES, 1, metric="my loss", direction="higher", **settings)
    assert upward.as_csv().splitlines()[1] == "50,-4.0,0,my loss,higher,rows"


def test_the_range_of_a_metric_that_is_not_known_may_be_said_before_or_after(tmp_path):
    settings = {"metric": "reading age", "results": tmp_path / "r.csv", "progress": False}
    curves = collect_scores(lambda n, seed: 200.0 / n, SIZES, 1, **settings)
    assert curves.as_csv().splitlines()[1] == "50,4.0,0,reading age,higher,rows"
    with pytest.raises(DataError, match=r"must lie in \[0, 1\].*give the values it can take"):
        curves.only
    # Nothing is measured again.
    said = collect_scores(lambda n, seed: 200.0 / n, SIZES, 1, range=(0, np.inf), **settings)
    assert (said.only.range, said.only.direction) == ((0, np.inf), "lower")
    assert said.as_csv().splitlines()[1] == "50,4.0,0,reading age,lower,rows,0 to inf"
    said.to_csv(tmp_path / "c.csv")
    again = read(tmp_path / "c.csv").curve
    assert (again.range, again.direction, again.scores.tolist()) == ((0, np.inf), "lower", [4, 2, 1])
    settings |= {"results": tmp_path / "new.csv"}
    upward = collect_scores(lambda n, seed: n, SIZES, 1, range=(0, np.inf), direction="higher", **settings)
    assert CurveSet.from_results(tmp_path / "new.csv").only.range == (0, np.inf)
    assert CurveSet.from_results(tmp_path / "new.csv").as_csv() == upward.as_csv()


def test_after_every_score_the_curves_so_far_are_there():
    seen = []

    def train(n, seed):
        if (n, seed) == (100, 0):
            raise ValueError("no")
        return {"auroc": score(n, seed)}

    with pytest.warns(FailedFitsWarning):
        collect_scores(train, SIZES, 2, after=lambda curves: seen.append(len(curves.only)))
    assert seen == [1, 2, 3, 4, 5]
    forecasts = []

    def forecast(curves):
        if len(set(curves.only.sizes)) == 3:
            forecasts.append(APExGP().fit(curves.only).forecast([1000]).mean[0])

    collect_scores(score, SIZES, 1, metric="auroc", after=forecast)
    assert len(forecasts) == 1


def test_a_callback_that_raises_ends_the_run_and_loses_nothing(tmp_path):
    def after(curves):
        if len(curves.fits) == 2:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        collect_scores(score, SIZES, 1, results=tmp_path / "r.csv", after=after)
    assert len(CurveSet.from_results(tmp_path / "r.csv").fits) == 2
    assert len(collect_scores(score, SIZES, 1, results=tmp_path / "r.csv").fits) == 3


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_stop_rule_ends_it_and_is_asked_first_when_it_resumes(tmp_path, jobs):
    settings = {"results": tmp_path / "r.csv", "metric": "auroc", "n_jobs": jobs}

    def stop(curves):
        return "four will do" if len(curves.fits) >= 4 else ""

    curves = collect_scores(score, SIZES, 5, stop=stop, **settings)
    assert (len(curves.fits), curves.notes) == (4, ("four will do",))
    if jobs == 1:  # one split after the other
        assert [(fit["size"], fit["split"]) for fit in curves.fits] == [(50, 0), (100, 0), (200, 0), (200, 1)]
    called = []
    again = collect_scores(score, SIZES, 5, stop=stop, after=called.append, **settings)
    assert (again.fits, called) == (curves.fits, [])
    assert len(collect_scores(score, SIZES, 5, **settings).fits) == 15


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Dask warns of a port that another test's cluster has, and while shutting down
def test_the_same_rows_in_processes_and_on_a_cluster():
    alone = rows(collect_scores(score, SIZES, 2))
    assert rows(collect_scores(score, SIZES, 2, n_jobs=2)) == alone
    distributed = require("distributed")
    settings = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with (
        distributed.LocalCluster(**settings) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        assert rows(collect_scores(score, SIZES, 2)) == alone


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.8, SIZES), r"train must be a function of \(n, seed\), got 0.8"),
        ((score, []), "sizes"),
        ((score, [1.5]), "sizes must be whole numbers, got 1.5"),
        ((score, [0]), "sizes must be numbers of training examples, at least 1, got 0"),
        ((score, SIZES, 0), "n_splits must be a whole number of at least 1"),
        ((score, SIZES, 1, {"metric": ["a", "a"]}), "metric must be one or more different names"),
        ((score, SIZES, 1, {"direction": "down"}), "direction must be one of"),
        ((score, SIZES, 1, {"range": (1, 0)}), "range must be the lowest and the highest possible score"),
        ((score, SIZES, 1, {"unit": " "}), "unit must be what a size counts in a word or two, such as patients"),
        ((score, SIZES, 1, {"after": 3}), "after must be a function of the curves so far"),
        ((score, SIZES, 1, {"stop": 3}), "stop must be a function of the curves so far"),
    ],
)
def test_what_cannot_be_run_is_refused(arguments, message):
    train, sizes, *more = arguments
    named = more.pop() if more and isinstance(more[-1], dict) else {}
    with pytest.raises(RequestError, match=message):
        collect_scores(train, sizes, *more, **named)


def test_numbers_beside_a_metric_are_not_taken_for_scores(tmp_path):
    def train(n, seed):
        return {"epochs": 30, "lr": 1e-3, "val_loss": 0.4, "AUC": score(n, seed), "train_auc": 1.0, "n": n}

    curves = collect_scores(train, SIZES, 2, results=tmp_path / "runs.csv")
    assert list(curves) == [(None, "val_loss"), (None, "AUC")]
    assert curves.fits[0]["parameters"] == {"epochs": 30, "lr": 1e-3, "train_auc": 1.0, "n": 50}
    note = "Not read as scores, judging by name: epochs, lr, train_auc. The record has them; to measure them, name the "
    note += "metrics."
    assert curves.notes == (note,)
    again = collect_scores(train, SIZES, 2, results=tmp_path / "runs.csv")
    assert again.notes == curves.notes
    chosen = collect_scores(train, SIZES, 2, metric=["AUC", "lr"])
    assert (list(chosen), chosen.notes) == ([(None, "AUC"), (None, "lr")], ())


def test_all_numbers_are_scores_where_no_name_is_that_of_a_metric_or_all_came_as_scores():
    named = collect_scores(lambda n, seed: {"liver": 0.5, "lung": score(n, seed)}, SIZES, 1)
    assert (list(named), named.notes) == ([(None, "liver"), (None, "lung")], ())
    stated = collect_scores(lambda n, seed: {"test": {"auc": score(n, seed), "liver": 0.5}}, SIZES, 1)
    assert (list(stated), stated.notes) == ([(None, "auc"), (None, "liver")], ())


def test_a_clock_that_goes_back_changes_nothing(tmp_path, monkeypatch):
    path, now = tmp_path / "runs.csv", itertools.count(2_000_000_000, -3600)
    monkeypatch.setattr(time, "time", lambda: float(next(now)))
    first = collect_scores(score, SIZES[:2], 2, results=path)
    whole = collect_scores(score, SIZES, 2, results=path)  # goes on from a record of the future
    assert [fit for fit in whole.fits if fit["size"] < 200] == list(first.fits)
    assert all(fit["seconds"] >= 0 for fit in whole.fits)
    assert len(whole.only) == 6
