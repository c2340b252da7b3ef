"""Pilots whose posterior is hard to find: seeds agree on them, or say that they do not."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from apexgp import APExGP, LearningCurve
from apexgp.errors import AccuracyWarning
from apexgp.inference import compiled_integral
from apexgp.inference.density import Density
from apexgp.inference.ends import are_uneven
from apexgp.inference.integral import _Search, integrate
from apexgp.inference.peaks import OnsetCoordinates, climb
from apexgp.inference.proposals import find_noise_mode
from apexgp.inference.rounds import ROUNDS
from apexgp.inference.statistics import Statistics
from apexgp.model.beliefs import CALIBRATED
from apexgp.model.means import MEANS

TEN = np.array([50, 80, 130, 200, 320, 500, 800, 1300, 2000, 3200])
BURR = Density(MEANS["burr"], CALIBRATED)
TAKES_OFF = LearningCurve([203, 224, 247, 272, 300, 331, 365, 402, 444, 489, 539], [0.74] * 10 + [0.75])
LEAPS = LearningCurve([277, 373, 502, 675, 909, 1223, 1646, 2216], [[0.5] * 2] * 7 + [[0.7447] * 2])


def many_splits(kind, seed=0, splits=20):
    rng = np.random.default_rng(seed)
    expected = 0.9 - 0.4 * (TEN[:, None] / 50) ** -0.4
    shape = (len(TEN), splits)
    scores = {
        "constant": lambda: expected + rng.normal(0, 0.05, shape),
        "constant, with luck": lambda: expected + rng.normal(0, 0.05, shape) + rng.normal(0, 0.03, splits),
        "shrinking": lambda: expected + (TEN[:, None] / 50) ** -0.5 * rng.normal(0, 0.08, shape),
        "growing": lambda: expected + (TEN[:, None] / 3200) ** 0.3 * rng.normal(0, 0.08, shape),
        "binomial": lambda: rng.binomial(100, expected, shape) / 100,
    }[kind]()
    return LearningCurve(TEN, np.clip(scores, 0, 1))


def ends_of(curve, seeds):
    """Ends of 95 % intervals of far forecasts, shape (seeds, 2, sizes), and the models."""
    models = [APExGP(seed=seed).fit(curve) for seed in seeds]
    return np.array([model.forecast(curve.largest * np.array([2, 10, 50])).interval(0.95) for model in models]), models


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["constant", "constant, with luck", "shrinking", "growing", "binomial"])
def test_seeds_agree_on_many_splits(kind):
    """Warnings are errors here. At 21def78 the first of these ended on one to eight nodes."""
    ends, models = ends_of(many_splits(kind), range(3))
    assert min(model.effective_size_ for model in models) > 150
    assert (np.ptp(ends, axis=0) < 0.06 * (ends[:, 1] - ends[:, 0]).mean(axis=0)).all()
    sizes = [model.required_size(0.83).size for model in models]
    assert max(sizes) < 1.25 * min(sizes)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["constant", "growing", "binomial"])
@pytest.mark.parametrize("splits", [5, 20, 50])
def test_the_noise_is_looked_for_where_prior_and_replicates_put_it(kind, splits):
    """Another optimiser finds no higher place than the first proposals start from."""
    pilot = Statistics.of(many_splits(kind, splits, splits))
    mode, _ = find_noise_mode(BURR, pilot, [0, 1, 2])

    def depth(noise):
        z = np.zeros((8, 8))
        z[:3] = noise[:, None]
        return float(0.5 * noise @ noise - BURR.log_rest(z, pilot)[0])

    best = min(minimize(depth, start, method="Nelder-Mead").fun for start in ([0.0, 0, 0], [1.0, -1, -2], mode))
    assert depth(mode) < best + 0.5


@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_onset_coordinates_and_deviates_are_inverse_and_know_their_slope(seed):
    coordinates = OnsetCoordinates(BURR, Statistics.of(TAKES_OFF))
    z = 1.5 * np.random.default_rng(seed).normal(size=(8, 64))
    v = coordinates.from_deviates(z)
    back, log_slope = coordinates.to_deviates(v)
    np.testing.assert_allclose(back, z, atol=1e-9)
    row, step = coordinates.divide.row, 1e-6
    moved = v.copy()
    moved[row] += step
    slope = (coordinates.to_deviates(moved)[0][row] - z[row]) / step
    np.testing.assert_allclose(np.log(np.abs(slope)), log_slope, atol=1e-4)


def test_coordinates_are_deviates_where_there_is_no_onset():
    coordinates = OnsetCoordinates(Density(MEANS["power_law"], CALIBRATED), Statistics.of(TAKES_OFF))
    z = np.ones((6, 3))
    np.testing.assert_array_equal(coordinates.from_deviates(z), z)
    np.testing.assert_array_equal(coordinates.to_deviates(z)[0], z)


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(1, 8))
def test_a_climb_ends_on_the_peak_and_knows_its_mass(seed, dimensions):
    """A normal density, narrow and tilted, from far away; plus a constant, which is the logarithm of its integral."""
    rng = np.random.default_rng(seed)
    root = np.linalg.qr(rng.normal(size=(dimensions, dimensions)))[0] * 10 ** rng.uniform(-2, 0, dimensions)
    place, inverse = rng.normal(size=dimensions), np.linalg.inv(root)
    constant = 7.0 - dimensions / 2 * np.log(2 * np.pi) - np.linalg.slogdet(root)[1]
    peak = climb(
        lambda v: constant - 0.5 * ((inverse @ (v - place[:, None])) ** 2).sum(axis=0),
        place + rng.normal(size=dimensions),
    )
    np.testing.assert_allclose(inverse @ (peak.place - place), 0, atol=1.5)
    assert peak.log_mass == pytest.approx(7.0, abs=0.8)


@pytest.mark.slow
@pytest.mark.parametrize("curve", [TAKES_OFF, LEAPS], ids=["takes off", "leaps"])
def test_a_curve_that_takes_off_at_the_last_size_is_found_by_every_seed(curve):
    """Upper ends at twice the size ranged over 0.848 to 0.917, and were claimed to be known to 0.001 of the width."""
    pilot = Statistics.of(curve)
    evidence = [integrate(BURR, pilot, seed).log_evidence for seed in range(4)]
    assert np.ptp(evidence) < 0.25
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        ends, _ = ends_of(curve, range(4))
    assert (np.ptp(ends, axis=0) < 0.08 * (ends[:, 1] - ends[:, 0]).mean(axis=0)).all()


def test_an_ordinary_pilot_has_no_missed_peaks_and_is_the_same_in_either_coordinates():
    rng = np.random.default_rng(3)
    sizes = np.geomspace(60, 360, 6)
    curve = LearningCurve(sizes, 0.9 - 0.25 * (sizes[:, None] / 60) ** -0.5 + rng.normal(0, 0.01, (6, 3)))
    own = _Search(BURR, Statistics.of(curve), 0)
    nodes = own.find(512)
    assert own.find_missed_peaks(nodes, everywhere=True) == []
    with pytest.MonkeyPatch.context() as patch:
        # Whatever is found counts as missed.
        patch.setattr("apexgp.inference.peaks._LEAST_NODES", np.inf)
        patch.setattr("apexgp.inference.peaks._LEAST_MASS", 1e-9)
        peaks = own.find_missed_peaks(nodes, everywhere=True)
    assert peaks
    results = []
    for one in (own, replace(own, peaks=tuple(peaks))):
        found = one.find(4096).judgement
        results.append((found.log_evidence, *found.ends.ravel()))
    np.testing.assert_allclose(results[0][0], results[1][0], atol=0.1)
    np.testing.assert_allclose(results[0][1:], results[1][1:], atol=0.02)


def test_weights_are_uneven_where_they_have_no_variance(rng):
    pareto = [rng.pareto(1 / index, 4000) + 1 for index in (0.1, 0.3, 0.8, 1.5)]
    assert [are_uneven(weights / weights.sum()) for weights in pareto] == [False, False, True, True]
    assert are_uneven(np.append(np.full(100, 1e-15), 1.0))
    assert not are_uneven(np.full(100, 0.01))


def test_errors_are_not_small_on_few_nodes(monkeypatch):
    """Whatever the search ends with: with so few nodes they cannot be known, and every surface says so."""
    few = ROUNDS._replace(first=32, searching=32, most_searching=2, least=0, least_where_hard=0, most=0)
    monkeypatch.setattr(compiled_integral, "ROUNDS", few)
    curve = many_splits("constant")
    with pytest.warns(AccuracyWarning, match="hard to integrate"):
        model = APExGP().fit(curve)
    assert model.end_error_ >= 1 / model.effective_size_ > 3 * 0.0125
    for answer in (model.forecast([10_000]), model.required_size(0.85)):
        assert any("hard to integrate" in caution for caution in answer.cautions)


@pytest.mark.filterwarnings("default::apexgp.errors.AccuracyWarning")
def test_an_inexact_integral_is_said_by_the_command_line(tmp_path, run, monkeypatch):
    monkeypatch.setattr("apexgp.cautions._INEXACT", 0.01)
    many_splits("constant", splits=3).to_csv(tmp_path / "pilot.csv")
    _, said, _ = run("forecast", tmp_path / "pilot.csv", "--json")
    (caution,) = (one for one in json.loads(said)["cautions"] if "hard to integrate" in one)
    assert "Compare several seeds" in caution
