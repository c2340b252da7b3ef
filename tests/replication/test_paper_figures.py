"""Figures as the paper counts them, against closed forms and the numbers that the paper prints."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from apexgp import APExGP, Forecast, LearningCurve
from apexgp.errors import DataError, RequestError
from apexgp.experiment import Experiment, bootstrapped_likelihood, dense_coverage, judge_curves, uniform_likelihood
from harvey2023.data import DENSE_SIZES, TASKS, Results


def normal(*locations, scale=0.02):
    at = np.array(locations)
    return Forecast(
        sizes=np.arange(1.0, len(at) + 1), locations=at[None], scales=np.full((1, len(at)), scale), weights=np.ones(1)
    )


def mass(mean, location, scale=0.02, delta=0.01):
    return norm.cdf(mean + delta, location, scale) - norm.cdf(mean - delta, location, scale)


def test_without_replicates_the_bootstrap_is_the_plain_likelihood():
    found, deviation = bootstrapped_likelihood(normal(0.6, 0.7), [[0.61], [0.68]])
    assert found == pytest.approx((mass(0.61, 0.6) + mass(0.68, 0.7)) / 2, rel=1e-9)
    assert deviation == pytest.approx(0, abs=1e-12)


def test_the_bootstrap_draws_splits_at_each_size_apart():
    # All 4 x 4 equally probable draws of two splits at each of two sizes, written out.
    scores = [[0.60, 0.66], [0.71, 0.69]]
    draws = [[np.mean(draw) for draw in product(own, repeat=2)] for own in scores]
    exact = [np.mean([mass(a, 0.62), mass(b, 0.7)]) for a, b in product(*draws)]
    found, deviation = bootstrapped_likelihood(normal(0.62, 0.7), scores, rounds=40_000)
    assert found == pytest.approx(np.mean(exact), abs=5 * np.std(exact) / 200)
    assert deviation == pytest.approx(np.std(exact), rel=0.02)


def test_methods_are_judged_by_the_same_rounds():
    scores = [[0.60, 0.66, 0.7]]
    assert bootstrapped_likelihood(normal(0.62), scores) == bootstrapped_likelihood(normal(0.62), scores)
    assert bootstrapped_likelihood(normal(0.62), scores) != bootstrapped_likelihood(normal(0.62), scores, seed=1)


def test_the_baseline_is_uniform():
    assert uniform_likelihood(0.6, 1.0, 0.01) == pytest.approx(0.05)
    assert uniform_likelihood(0.995, 1.0, 0.01) == 1
    with pytest.raises(RequestError, match=r"lowest must be below the ceiling 0\.95, got 0\.96"):
        uniform_likelihood(0.96, 0.95)


def test_dense_coverage_of_single_runs_is_their_share():
    runs = np.linspace(0.5, 0.7, 21)
    assert dense_coverage((0.55, 0.65), runs, 1) == (pytest.approx(11 / 21), pytest.approx(0))


def test_dense_coverage_is_of_means_of_groups(rng):
    runs = rng.normal(0.7, 0.02, 300)
    found, deviation = dense_coverage((0.69, 0.71), runs, 3)
    # A mean of three has a standard deviation of 0.02 / sqrt(3), and the runs have their own mean.
    expected = np.diff(norm.cdf([0.69, 0.71], runs.mean(), runs.std() / np.sqrt(3)))[0]
    assert found == pytest.approx(expected, abs=0.02)
    assert 0.01 < deviation < 0.06
    with pytest.raises(DataError, match="scores must contain 3 runs or more, without NaN, got 2"):
        dense_coverage((0, 1), [0.7, 0.7], 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chestxray14", "tmed2"])
def test_judged_curves_of_the_authors_give_their_printed_tables(shared_data, name):
    """The authors' own scores, through the functions that judge an experiment, give what their paper prints."""
    experiment = replace(Experiment.read(name), methods=("gp_power_law",))
    labels = [label for label in PRINTED if PRINTED[label][0] == name]
    results = Results(shared_data / "tufts")
    curves = {label: joined(results, TASKS[label]) for label in labels}
    dense = {label: many_runs(results.dense(TASKS[label])) for label in labels}
    result = judge_curves(experiment, curves, dense)
    figures = {(one.task, one.range, one.method): one for one in result.figures}
    covered = {(one.task, one.size): one for one in result.dense if (one.method, one.level) == ("gp_power_law", 0.95)}
    for label in labels:
        _, baseline, near, near_sd, far, far_sd, at_20k = PRINTED[label]
        assert 100 * figures[label, "short", "baseline"].likelihood == pytest.approx(baseline, abs=0.1)
        for extent, value, deviation in (("short", near, near_sd), ("long", far, far_sd)):
            one = figures[label, extent, "gp_power_law"]
            assert 100 * one.likelihood == pytest.approx(value, abs=2.5)
            assert 100 * one.likelihood_sd == pytest.approx(deviation, abs=0.6)
        # Effusion moves with the authors' unseeded prior, from 30 to 58.
        assert 100 * covered[label, 20000].coverage == pytest.approx(at_20k, abs=15 if label == "Effusion" else 2)


# Baseline; quantized likelihood of GP pow, short and long, each with its deviation; dense 95 % coverage at 20k.
PRINTED = {
    "Atelectasis": ("chestxray14", 6.1, 45.2, 4.5, 29.2, 2.6, 100.0),
    "Effusion": ("chestxray14", 6.2, 37.7, 4.8, 15.3, 1.9, 48.9),
    "Infiltration": ("chestxray14", 4.6, 44.7, 3.8, 25.2, 2.4, 100.0),
    "PLAX": ("tmed2", 20.8, 65.6, 1.5, 64.8, 1.0, 100.0),
    "PSAX": ("tmed2", 9.6, 62.6, 1.5, 63.2, 1.1, 100.0),
    "A4C": ("tmed2", 14.3, 62.8, 2.4, 58.2, 3.2, 100.0),
    "A2C": ("tmed2", 8.5, 18.0, 2.5, 24.9, 2.8, 100.0),
}


def joined(results, task):
    near, far = results.curve(task, "short"), results.later(task, "long")
    return LearningCurve(
        np.r_[near.sizes, far.sizes], np.r_[near.scores, far.scores], [*near.split, *far.split], metric="auroc"
    )


def many_runs(scores):
    runs = np.arange(len(scores))
    return LearningCurve(np.repeat(DENSE_SIZES, len(runs)), scores.T.ravel(), np.tile(runs, len(DENSE_SIZES)))


def test_each_method_forecasts_once_for_all_ranges_and_once_for_all_dense_runs(calls_of):
    experiment = replace(Experiment.read("chestxray14"), methods=("gp_power_law",), rounds=5)
    sizes = np.array(sorted({*experiment.pilot, *(size for own in experiment.ranges.values() for size in own)}))
    curve = LearningCurve(sizes, 0.85 - sizes[:, None] ** -0.4 + [[-0.004, 0.0, 0.004]])
    at = np.array(experiment.dense.sizes)
    dense = LearningCurve(at, 0.85 - at[:, None] ** -0.4 + 0.005 * np.cos(np.arange(12))[None])
    forecasts = calls_of(APExGP, "forecast")
    result = judge_curves(experiment, {"one": curve}, {"one": dense})
    assert len(forecasts) == 2
    assert {one.range for one in result.figures} == set(experiment.ranges)
    assert {one.size for one in result.dense} == set(experiment.dense.sizes)
    # The same as asking for each range, and for each size, alone.
    model = result.models["one", "gp_power_law"]
    for extent, own in experiment.ranges.items():
        (found,) = (one for one in result.figures if (one.range, one.method) == (extent, "gp_power_law"))
        alone = model.forecast(own, of="same_splits")
        scores = [curve.scores[curve.sizes == size] for size in own]
        likelihood = bootstrapped_likelihood(alone, scores, experiment.delta, rounds=5)
        assert (found.likelihood, found.likelihood_sd) == pytest.approx(likelihood, rel=1e-9)
