"""Named cases of input that was once answered with somebody else's error."""

import json
import os
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import apexgp
from apexgp import (
    APExGP,
    LearningCurve,
    LeastSquares,
    collect_curves,
    metrics,
    minimum_sample_size,
    plan_collection,
    read,
)
from apexgp.collect.labelled import read_labelled
from apexgp.errors import ApexError, DataError, FewerProcessesWarning, NoSuchCurveError, RequestError
from apexgp.running.processes import check_n_jobs
from small_pilots import SCORES, SIZES

Y = np.arange(90) % 2
X = np.random.default_rng(0).normal(size=(90, 3)) + Y[:, None]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"split": "abc"}, "split must be a list"),
        ({"split": [[1], [2], [3], [4], [5]]}, "split must be a list"),
        ({"split": [pd.NA, 1, 2, 3, 4]}, "no label in row 0"),
        ({"sizes": [10**400, *SIZES[1:]]}, "sizes must be real numbers"),
        ({"sizes": np.longdouble("1e4000") * np.ones(5)}, "sizes must be finite"),
        ({"scores": [pd.NA, *SCORES[1:]]}, "scores must be real numbers, got <NA>"),
        ({"metric": 7}, "metric must be text"),
        ({"task": ["x"]}, "task must be text"),
        ({"task": pd.NA}, "task must be text"),
    ],
)
def test_curves(given, message):
    with pytest.raises(DataError, match=message):
        LearningCurve(**{"sizes": SIZES, "scores": SCORES} | given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y": pd.array([pd.NA, *Y[1:]], dtype="Int64")}, "y has no value in row 0"),
        ({"y": np.where(Y, "\u3000", "a")}, "look alike, or blank"),
        ({"param_grid": []}, "param_grid is empty"),
        ({"param_grid": 3}, "param_grid must map"),
        ({"n_jobs": 0}, "n_jobs must be a number of processes other than 0"),
        ({"n_jobs": 1.5}, "n_jobs must be a whole number"),
        ({"ratio": (1e308, 0, 1e-308)}, "leave something for every part"),
        ({"metric": None}, "metric must be one or more different names"),
        ({"X": None}, "X must be an array"),
        ({"X": {"a": 1}}, "X must be an array"),
        ({"X": [[1], [1, 2]]}, "X must be an array"),
        ({"seed": 10**400}, "seed must be a whole number of at most"),
        ({"results": 7}, "name of a file"),
        ({"progress": np.zeros(2)}, "progress must be True or False"),
    ],
)
def test_collection(given, message):
    with pytest.raises(ApexError, match=message):
        collect_curves(**{"estimator": GaussianNB(), "X": X, "y": Y, "sizes": [20], "n_splits": 1} | given)


def test_huge_labels_stay_two_classes(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(
        "a,label\n" + "".join(f"{x:.3f},{['1e300', '2e300'][y]}\n" for x, y in zip(X[:, 0], Y, strict=True))
    )
    assert np.unique(read_labelled(path, "label").y).tolist() == [1e300, 2e300]


@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_shares_whose_sum_overflows_are_shares():
    even = collect_curves(GaussianNB(), X, Y, sizes=[20], n_splits=1, ratio=(1e308, 1e308, 1e308), progress=False)
    assert even.fits[0]["test_cases"] == 30


def test_a_bar_separated_file_is_read(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("size|score\n" + "".join(f"{a}|{b}\n" for a, b in zip(SIZES, SCORES, strict=True)))
    assert read(path).curve.scores.tolist() == SCORES


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_arrays_that_are_cut_off_or_empty_are_named(tmp_path, suffix):
    path, labels = tmp_path / f"data{suffix}", tmp_path / "labels.csv"
    labels.write_text("label\n" + "".join(f"{y}\n" for y in Y))
    np.save(path, X) if suffix == ".npy" else np.savez(path, X=X)
    whole = path.read_bytes()
    for end in (*range(0, 140, 7), len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:end])
        with pytest.raises(DataError, match="cannot be read as arrays"):
            read_labelled(path, "label", labels=labels)


def test_what_arrays_are_is_said_by_the_file_and_not_by_its_name(tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text("label\n" + "".join(f"{y}\n" for y in Y))
    np.save(tmp_path / "a.npy", X)
    np.savez(tmp_path / "b.npz", X=X)
    os.rename(tmp_path / "a.npy", tmp_path / "a.npz")
    os.rename(tmp_path / "b.npz", tmp_path / "b.npy")
    for name in ("a.npz", "b.npy"):
        np.testing.assert_array_equal(read_labelled(tmp_path / name, "label", labels=labels).X, X)


def nested(depth):
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(
    ("part", "tampered"),
    [
        (None, nested(100_000)),
        (None, "9" * 5000),
        (None, '{"format": "apexgp-model"}'),
        ("curve", nested(500)),
        ("curve", '{"sizes": "x"}'),
        ("settings", "[1]"),
        ("settings", '{"mean": ["auto"]}'),
        ("settings", '{"seed": 1e308}'),
        ("settings", '{"ceiling": {"a": 1}}'),
        ("settings", '{"variant": {"lambda_prior": 3}}'),
        ("settings", '{"priors": {"tau_e": {"kind": "Normal", "loc": "x", "scale": []}}}'),
        ("settings", '{"priors": {"tau_e": {"kind": "nothing"}}}'),
        ("settings", '{"no_such": 1}'),
        ("parameters", "[1, 2]"),
        ("parameters", '{"sigma": "x"}'),
        ("parameters", '{"sigma": [[1]]}'),
    ],
)
def test_tampered_models_are_named(model, tmp_path, part, tampered):
    path = tmp_path / "model.json"
    model.save(path)
    content = json.loads(path.read_text())
    if part is None:
        path.write_text(tampered)
    else:
        content[part] = "HERE"
        path.write_text(json.dumps(content).replace('"HERE"', tampered))
    with pytest.raises(ApexError, match=r"model\.json (is damaged|is not a (saved )?model|holds a model)"):
        APExGP.load(path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"start": int("9" * 310)}, "start must be a whole number of at most"),
        ({"rounds": 150}, "rounds must be a whole number of at most 30"),
        ({"rounds": 1.5}, "rounds must be a whole number"),
        ({"model": None}, "fitted model"),
        ({"target": "x"}, "target must be real"),
    ],
)
def test_plans(model, given, message):
    with pytest.raises(RequestError, match=message):
        plan_collection(**{"model": model, "target": 0.8, "cost_per_example": 1.0, "penalty": 100.0} | given)


def test_a_tiny_r2_asks_for_many_patients_and_not_for_a_division_by_zero():
    many = minimum_sample_size(0.2, 10, 1e-12)
    # ln(1 - R2 / S) is -R2 / S for so small an R2.
    assert many.criteria["shrinkage"] == pytest.approx(10 * 0.9 / (0.1 * 1e-12), rel=1e-6)
    for given in ({"r2": 1e-17}, {"r2": 5e-324}, {"r2": 0.1, "margin": 1e-200}, {"r2": 0.1, "error": 1e-300}):
        with pytest.raises(RequestError, match=r"asks for more than 1e\+15 patients"):
            minimum_sample_size(0.2, 10, **given)
    with pytest.raises(RequestError, match="nagelkerke must be True or False"):
        minimum_sample_size(0.2, 10, 0.1, nagelkerke=np.zeros(2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.rmse([0.5], [0.5], axis="x"), "axis must be None"),
        (lambda: metrics.rmse([0.5], [0.5], axis=7), "axis must be None"),
        (lambda: metrics.rmse([0.5], [0.5], axis=2**40), "axis must be None"),
        (lambda: metrics.rmse(np.zeros((2, 3)), np.zeros((4, 3))), "must fit together"),
        (lambda: metrics.mae([np.inf], [np.inf]), "NaN or infinite"),
        (lambda: metrics.pit(None, [0.5]), "Expected a Forecast"),
        (lambda: apexgp.simulation.true_requirement(None, 0.5), "curve must be a LearningCurve"),
        (lambda: apexgp.simulation.tune_correction([1, 2], LeastSquares(), 3), "must be pairs"),
        (lambda: apexgp.backtest(LearningCurve(SIZES, SCORES), methods=3), "methods must be names"),
        (lambda: apexgp.backtest(LearningCurve(SIZES, SCORES), methods=[[1]]), "methods must be names"),
        (lambda: apexgp.read(None).curves, "name of a file"),
        (lambda: apexgp.read(os.devnull).curves, "is a device"),
        (lambda: apexgp.read("x.csv", size=["a"]).curves, "size must be the name of a column"),
        (lambda: apexgp.read("x.csv", score=3).curves, "score must be the name of a column, or a list"),
        (lambda: LearningCurve(SIZES, SCORES).up_to("x"), "size must be real"),
    ],
)
def test_other_functions(call, message):
    with pytest.raises(ApexError, match=message):
        call()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kernel": "x"}, "kernel must be one of 'rbf', 'ou'"),
        ({"stay": 2}, "stay must be from 0 to 1"),
        ({"reach": 0}, "reach must be from 0.01"),
        ({"shifts": {"x": {}}}, "shifts must be one of 'tau_e'"),
        ({"shifts": {"tau_e": {"x": 1}}}, "shifts must be one of 'size'"),
        ({"shifts": {"tau_e": {"size": 1e9}}}, "shifts must be from -10 to 10"),
        ({"spreads": {"share_a": {"size": 1}}}, "spreads must be one of 'tau_e'"),
        ({"spreads": {"tau_e": 1}}, "spreads must be"),
        ({"tau_e": 3}, "tau_e must be a distribution"),
        ({"tau_e": apexgp.priors.Normal(-9, 1)}, "tau_e must be of positive values"),
        ({"lam": apexgp.priors.LogNormal(np.nan, 1)}, "lam must be a distribution"),
        ({"shapes": apexgp.priors.CALIBRATED.shapes | {"burr": ()}}, "shapes must hold 3 of burr"),
        ({"shares": apexgp.priors.CALIBRATED.shares | {"burr": 3}}, "shares must be a Beta distribution for burr"),
        ({"log_base": 1.0}, "log_base must be from"),
    ],
)
def test_priors_that_cannot_be_meant_are_named_and_not_the_curve(given, message):
    with pytest.raises(RequestError, match=message):
        replace(apexgp.priors.CALIBRATED, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"log_base": 1.0}, "log_base must be from 1.001"),
        ({"noise_floor": -1}, "noise_floor must be from 0 to 1"),
        ({"lambda_prior": 2.0}, "lambda_prior must be a distribution"),
        ({"sigma_upper": 1e-4}, "sigma_upper must be from 0.002"),
        ({"sigma_steps": 1.5}, "sigma_steps must be a whole number"),
        ({"sigma_steps": 10**6}, "sigma_steps must be a whole number of at most 300"),
        ({"window_to_ceiling": 1}, "window_to_ceiling must be True or False"),
    ],
)
def test_constants_that_cannot_be_meant_are_named(given, message):
    with pytest.raises(RequestError, match=message):
        replace(apexgp.priors.PUBLISHED, **given)


def test_a_shift_of_what_a_mean_has_not_moves_nothing():
    moves = {"shape1": {"size": 1.0}}
    model = APExGP("power_law", priors=replace(apexgp.priors.CALIBRATED, shifts=moves, spreads=moves))
    without = APExGP("power_law", priors=replace(apexgp.priors.CALIBRATED, shifts={}, spreads={}))
    found = [m.fit(SIZES, SCORES).forecast([720]).mean for m in (model, without)]
    np.testing.assert_array_equal(*found)


def test_priors_of_ones_own_give_the_same_forecast_as_the_same_ones_by_name():
    own = APExGP(priors=replace(apexgp.priors.CALIBRATED)).fit(SIZES, SCORES).forecast([720])
    np.testing.assert_array_equal(own.mean, APExGP().fit(SIZES, SCORES).forecast([720]).mean)


def test_more_processes_than_the_machine_can_use_are_not_started():
    most = 4 * joblib.cpu_count()
    with pytest.warns(FewerProcessesWarning, match=f"{most} are started"):
        assert check_n_jobs(most + 1) == most
    assert (check_n_jobs(most), check_n_jobs(-1), check_n_jobs(None)) == (most, -1, None)


def test_what_would_fill_the_memory_is_bounded(model):
    forecast = model.forecast([720, 3600])
    for call in (lambda: forecast.sample(10**7), lambda: model.sample_curves(10**7, [720, 3600])):
        with pytest.raises(RequestError, match="n must be a whole number of at most 5,000,000"):
            call()
    with pytest.raises(RequestError, match="sizes must be at most 10,000 in one forecast, got 10,001"):
        model.forecast(np.arange(1, 10_002))
    with pytest.raises(RequestError, match="index must be a whole number of at most 1"):
        forecast[2]
    assert forecast[-1].sizes == [3600]


@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_a_curve_that_is_not_there_is_an_error_of_ours_and_of_mappings(model):
    curves = collect_curves(GaussianNB(), X, Y, sizes=[20], n_splits=1, progress=False)
    for missing in ("auroc", ("2", "auroc"), [1]):
        with pytest.raises(NoSuchCurveError, match=r"choose from \('1', 'auroc'\)"):
            curves[missing]
    assert curves.get(("2", "auroc")) is None
