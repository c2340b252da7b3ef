"""Laws of the default model beyond the pilot: noise does not grow, and nothing but reversion pulls the curve down."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apexgp import APExGP, LearningCurve, read
from apexgp.errors import DataError
from apexgp.model.beliefs import CALIBRATED
from conftest import REPOSITORY

pytestmark = pytest.mark.slow

FACTORS = np.array([1.0, 1.2, 2.0, 5.0, 10.0, 50.0, 1e3, 1e6])
SHAPES = {
    "rising": 0.9 - 0.3 * np.array([1, 0.7, 0.5, 0.36, 0.25, 0.18]),
    "near one": 1 - 0.04 * np.array([1, 0.5, 0.3, 0.2, 0.12, 0.08]),
    "flat": np.full(6, 0.851),
    "falling": np.linspace(0.845, 0.752, 6),
    "hump": np.array([0.6, 0.7, 0.78, 0.8, 0.77, 0.7]),
    "late rise": np.array([0.5, 0.5, 0.5, 0.52, 0.6, 0.72]),
    "three sizes": np.array([0.6, 0.66, 0.7]),
    "two sizes": np.array([0.6, 0.7]),
    "two sizes that fall": np.array([0.7, 0.6]),
    "one size": np.array([0.7]),
}


def curve(name, splits, noise, span=8.0):
    scores = SHAPES[name]
    sizes = np.geomspace(50, 50 * span, len(scores))
    rng = np.random.default_rng(len(name))
    # Noise that grows within the pilot must not grow beyond it.
    grown = noise * np.linspace(0.2, 2, len(scores))[:, None]
    table = scores[:, None] + rng.normal(0, noise, splits) + grown * rng.normal(size=(len(scores), splits))
    return LearningCurve(sizes, np.clip(table, 0, 1))


def check(model):
    last = model.curve_.largest
    at = last * FACTORS
    expected, new = model.forecast(at, of="expected"), model.forecast(at, of="new_splits")
    np.testing.assert_array_equal(expected.weights, new.weights)
    np.testing.assert_array_equal(expected.locations, new.locations)
    noise = new.scales**2 - expected.scales**2
    assert (noise <= noise[:, :1] * (1 + 1e-9) + 1e-12).all()
    upward = expected.locations if model.curve_.direction == "higher" else 1 - expected.locations
    residual = upward[:, 0] - np.concatenate([p.curve(np.array([[last]]))[0] for p in model.posterior.posteriors])
    assert (upward[:, 1:] >= upward[:, :1] - np.maximum(residual, 0)[:, None] - 1e-9).all()


@pytest.mark.filterwarnings("ignore::apexgp.errors.AccuracyWarning")  # the law holds for nodes, few or many
@pytest.mark.parametrize("splits", [1, 3, 10])
@pytest.mark.parametrize("noise", [0.001, 0.02])
@pytest.mark.parametrize("name", SHAPES)
def test_noise_does_not_grow_and_only_reversion_pulls_down(name, noise, splits):
    check(APExGP().fit(curve(name, splits, noise)))


@pytest.mark.parametrize("name", ["rising", "hump"])
def test_the_laws_hold_for_every_mean_and_over_huge_spans(name):
    check(APExGP("auto").fit(curve(name, 3, 0.01)))
    check(APExGP().fit(curve(name, 3, 0.01, span=1000.0)))
    scores = curve(name, 3, 0.01)
    check(APExGP().fit(LearningCurve(scores.sizes, 1 - scores.scores, scores.split, direction="lower")))


@pytest.mark.filterwarnings("ignore::apexgp.errors.AccuracyWarning")
@settings(max_examples=25, derandomize=True)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=7), st.floats(1.3, 30.0))
def test_the_laws_hold_for_any_scores(scores, ratio):
    check(APExGP().fit(20.0 * ratio ** np.arange(len(scores)), scores))


def test_the_first_data_that_anyone_tries():
    # Of sklearn.datasets.load_breast_cancer, by collect_curves(LogisticHead(), X, y, sizes=[60, ..., 360], seed=seed).
    for pilot in read(REPOSITORY / "tests" / "reference" / "breast_cancer.csv").curves.values():
        forecast = APExGP().fit(pilot).forecast(360 * np.array([2, 10, 50]))
        assert (forecast.mean >= pilot.replicates.mean[-1] - 0.02).all()
        assert (forecast.interval(0.95)[0] >= 0.85).all()


@pytest.mark.parametrize("floor", [0.3, 0.5])
def test_a_floor_warns_of_nothing_and_bounds_the_curve(floor):
    model = APExGP("auto", floor=floor).fit(curve("rising", 3, 0.01))
    assert all((p.nodes.level >= floor).all() for p in model.posterior.posteriors)


def test_a_floor_above_a_score_is_refused_unless_noise_explains_it():
    noisy = curve("late rise", 3, 0.02)
    APExGP(floor=0.49).fit(noisy)
    with pytest.raises(DataError, match=r"floor is 0.6, but the mean score at size 114.87 is 0\.\d+\. Give a floor"):
        APExGP(floor=0.6).fit(noisy)


def test_size_counts_and_counts_for_no_more_than_was_learnt():
    base, priors = curve("rising", 3, 0.01), replace(CALIBRATED, shifts={"share_a": {"size": -0.3}}, spreads={})

    def share_of(scale):
        model = APExGP(priors=priors).fit(base.sizes * scale, base.scores, base.split)
        return model.forecast([10 * model.curve_.largest], of="expected").mean[0]

    assert share_of(1) > share_of(10) + 1e-3
    assert share_of(1e4) == pytest.approx(share_of(1e6), abs=1e-4)  # beyond what was learnt sizes are ratios
    paper = [APExGP("power_law", priors="paper").fit(base.sizes * s, base.scores).predict([4000 * s]) for s in (1, 50)]
    np.testing.assert_allclose(paper[0], paper[1], atol=1e-9)


def drawn_pilot(kind, rng):
    """Scores of the sort that people bring."""
    six, ten, three = np.geomspace(50, 400, 6), np.geomspace(16, 362, 10), np.geomspace(60, 360, 3)
    two, one = np.array([60.0, 360.0]), np.array([200.0])
    limit = rng.uniform(0.7, 0.98)
    sizes, scores, splits, noise = {
        "ordinary": (six, limit - 0.25 * (six / 50) ** -0.5, 3, 0.01),
        "flat": (six, np.full(6, limit), 5, 0.005),
        "steep": (ten, 0.5 + 0.1 * np.log(ten / 16), 5, 0.01),
        "three sizes": (three, limit - 0.25 * (three / 60) ** -0.5, 3, 0.01),
        "two sizes": (two, limit - 0.25 * (two / 60) ** -0.5, 3, 0.01),
        "one size": (one, np.array([limit - 0.1]), 3, 0.01),
        "one run": (six, limit - 0.25 * (six / 50) ** -0.5, 1, 0.01),
        "one run of two sizes": (two, limit - 0.25 * (two / 60) ** -0.5, 1, 0.01),
        "one score": (one, np.array([limit - 0.1]), 1, 0.01),
        "falling": (six, np.linspace(0.85, 0.75, 6), 3, 0.01),
        "near one": (six, 1 - 0.05 * (six / 50) ** -0.8, 5, 0.003),
        "peak": (six, np.array([0.6, 0.7, 0.78, 0.8, 0.77, 0.7]), 3, 0.01),
    }[kind]
    table = scores[:, None] + rng.normal(0, noise, splits) + rng.normal(0, noise, (len(sizes), splits))
    table = np.clip(table, 0, 1)
    return LearningCurve(sizes, table[:, 0] if splits == 1 else table)


@pytest.mark.filterwarnings("ignore::apexgp.errors.AccuracyWarning")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "kind",
    [
        *("ordinary", "flat", "steep", "three sizes", "two sizes", "one size"),
        *("one run", "one run of two sizes", "one score", "falling", "near one", "peak"),
    ],
)
def test_what_no_pilot_score_has_reached_is_ever_likelier_with_more_data(kind, seed):
    """The probability of a target at or above the best mean hardly falls beyond the pilot, and its limit is its top."""
    pilot = drawn_pilot(kind, np.random.default_rng(seed))
    best, largest = pilot.replicates.mean.max(), pilot.largest
    at = [*largest * np.array([1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 200, 1e3, 1e5, 1e8]), 1e300]
    forecast = APExGP(seed=seed).fit(pilot).forecast(at, of="expected")
    for share in (0.0, 0.05, 0.1, 0.3, 0.6, 0.9):
        chance = forecast.prob_at_least(best + share * (1 - best))
        assert (np.maximum.accumulate(chance) - chance).max() < 0.005
        assert chance[-1] == pytest.approx(chance.max(), abs=0.002)
