"""Scores that are means over runs: what they say of the curve is what the runs themselves say."""

from dataclasses import replace

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve
from apexgp.inference.density import Density
from apexgp.inference.statistics import Statistics, pseudo_scores
from apexgp.model.beliefs import CALIBRATED, LogNormal
from apexgp.model.means import MEANS

SIZES = np.geomspace(50, 400, 5)
RUNS = 6
NO_LUCK = replace(CALIBRATED, tau_ratio=LogNormal(1e-9, 0.1))


@pytest.fixture
def runs(rng):
    """Curves of the runs, and of their means with their spread."""
    curve = 0.85 - 0.2 * np.geomspace(1, 8, 5)[:, None] ** -0.5
    table = curve + rng.normal(0, 0.01, RUNS) + rng.normal(0, 0.01, (5, RUNS))
    means = LearningCurve(SIZES, table.mean(axis=1), averaged_over=RUNS, score_sd=table.std(axis=1, ddof=1))
    return LearningCurve(SIZES, table), means


def told(curve, priors=CALIBRATED, of="new_splits"):
    forecast = APExGP("power_law", priors=priors).fit(curve).forecast([500, 20_000], of=of)
    return np.stack([forecast.mean, *forecast.interval(0.95)])


def test_a_mean_over_one_run_is_that_run(runs):
    every, _ = runs
    np.testing.assert_array_equal(told(replace(every, averaged_over=1)), told(every))
    # Without labels it says more: that a size's only score is one run and no mean, of which the luck goes on.
    alone = every._rows(every.split == every.split[0])
    unlabelled = LearningCurve(alone.sizes, alone.scores, averaged_over=1)
    np.testing.assert_array_equal(told(unlabelled), told(alone))


def given_noise(curve, beliefs, rng):
    """Pseudo-scores and what is left, at noise drawn from the prior."""
    density, pilot = Density(MEANS["power_law"], beliefs), Statistics.of(curve)
    parameters = density.parameters(rng.normal(size=(len(density.names), 5)), pilot)
    at = pilot.sizes[:, None]
    return pseudo_scores(*density.noise(parameters, at, at), pilot)


def test_given_the_noise_means_say_of_the_curve_what_their_runs_say(runs):
    ours, theirs = (given_noise(curve, CALIBRATED, np.random.default_rng(7)) for curve in runs)
    np.testing.assert_allclose(ours.scores, theirs.scores)
    np.testing.assert_allclose(ours.covariance, theirs.covariance)


def test_runs_without_luck_of_their_own_are_told_in_full_by_means_and_spreads(runs):
    """Where sizes are independent given the curve, means and spreads are sufficient, and the forecast is the same."""
    ours, theirs = (given_noise(curve, NO_LUCK, np.random.default_rng(7)).log_rest for curve in runs)
    assert np.ptp(ours) > 1
    assert np.ptp(ours - theirs) < 1e-6
    np.testing.assert_allclose(*(told(curve, NO_LUCK) for curve in runs), atol=1e-4)
    np.testing.assert_allclose(*(told(curve, NO_LUCK, "expected") for curve in runs), atol=1e-4)


def test_runs_with_luck_are_told_nearly_in_full(runs):
    """What a spread does not tell is how much of it runs carry along."""
    every, means = (told(curve, of="expected") for curve in runs)
    width = every[2] - every[1]
    assert (np.abs(every - means) < 0.25 * width).all()


def test_means_in_several_splits_have_the_noise_of_a_run_over_their_number(runs):
    every, _ = runs
    averaged = replace(every, averaged_over=4)
    one, other = (given_noise(curve, CALIBRATED, np.random.default_rng(7)) for curve in (every, averaged))
    np.testing.assert_allclose(other.scores, one.scores)
    np.testing.assert_allclose(other.covariance, one.covariance / 4)


def test_more_runs_behind_the_same_means_are_believed_more(runs):
    _, means = runs
    few, many = (told(replace(means, averaged_over=count), of="expected") for count in (2, 40))
    assert many[2, 0] - many[1, 0] < few[2, 0] - few[1, 0]


def test_a_spread_that_nobody_knows_the_runs_of_tells_nothing(runs):
    _, means = runs
    unknown = replace(means, averaged_over=None)
    bare = replace(unknown, score_sd=None, averaged_over="several")
    np.testing.assert_array_equal(told(unknown), told(bare))
