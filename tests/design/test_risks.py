"""Closed forms of risks against simulation."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr

from apexgp import Forecast, metrics
from apexgp.design import risks


def test_expected_crps_of_a_gaussian():
    forecast = Forecast(np.array([100.0, 200.0]), np.array([[0.5, 0.6]]), np.array([[0.01, 0.03]]), np.ones(1))
    assert_allclose(risks.expected_crps(forecast), np.array([0.01, 0.03]) / math.sqrt(math.pi), rtol=2e-3)


def test_expected_crps_is_the_mean_score_of_what_the_forecast_draws():
    forecast = Forecast(np.array([100.0]), np.array([[0.7], [0.95]]), np.array([[0.1], [0.02]]), np.array([0.3, 0.7]))
    drawn = forecast.sample(400, seed=1)
    assert risks.expected_crps(forecast)[0] == pytest.approx(float(metrics.crps(forecast, drawn)), rel=0.08)


@pytest.mark.parametrize("prob", [0.02, 0.4, 0.9])
@pytest.mark.parametrize("left", [0.99, 0.7, 0.1])
def test_what_will_be_known_of_a_target(prob, left):
    z = np.random.default_rng(0).standard_normal(200_000)
    later = ndtr((risks.deviate(np.array(prob)) + np.sqrt(1 - left**2) * z) / left)
    assert later.mean() == pytest.approx(prob, abs=0.005)  # what is expected now
    assert float(risks.brier_after(np.array(prob), np.array(left))) == pytest.approx(
        (later * (1 - later)).mean(), abs=0.002
    )
    settled = ((later >= 0.8) | (later <= 0.2)).mean()
    assert risks.settled_after(prob, left, 0.8) == pytest.approx(settled, abs=0.005)


def test_nothing_learnt_settles_nothing_and_everything_learnt_settles_all():
    assert risks.settled_after(0.5, 1.0, 0.8) == 0
    assert risks.settled_after(0.9, 1.0, 0.8) == 1
    assert risks.settled_after(0.5, 1e-9, 0.8) == pytest.approx(1)


def test_the_interval_of_a_required_size():
    sizes = np.array([100.0, 200, 400, 800])
    low, high = risks.size_interval(sizes, risks.deviate(np.array([0.05, 0.1, 0.5, 0.9])))
    assert (low, high) == (pytest.approx(200), pytest.approx(800))
    assert risks.size_interval(sizes, risks.deviate(np.array([0.95] * 4))) == (100, 100)
    assert risks.size_interval(sizes, risks.deviate(np.array([0.01] * 4))) == (math.inf, math.inf)
