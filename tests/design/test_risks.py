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


@pytest.mark.slow
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
    yes, no = risks.verdicts_after(prob, left, 0.8)
    assert (yes, no) == (
        pytest.approx((later >= 0.8).mean(), abs=0.005),
        pytest.approx((later <= 0.2).mean(), abs=0.005),
    )
    right = risks.right_after(prob, left)
    assert right == pytest.approx(np.maximum(later, 1 - later).mean(), abs=0.004)
    assert right > max(prob, 1 - prob) - 1e-12


def test_nothing_learnt_decides_nothing_and_everything_learnt_decides_all():
    assert risks.verdicts_after(0.5, 1.0, 0.8) == (0, 0)
    assert risks.verdicts_after(0.9, 1.0, 0.8) == (1, 0)
    assert risks.verdicts_after(0.1, 1.0, 0.8) == (0, 1)
    assert sum(risks.verdicts_after(0.5, 1e-9, 0.8)) == pytest.approx(1)
    assert risks.right_after(0.7, 1.0) == pytest.approx(0.7)
    assert risks.right_after(0.7, 1e-9) == pytest.approx(1, abs=1e-6)


def test_the_sizes_that_will_be_required():
    sizes, prob = np.array([100.0, 200, 400, 800]), np.array([0.2, 0.5, 0.8, 0.95])
    now = risks.later_sizes(sizes, prob, np.ones(4), 0.8)
    assert now == (pytest.approx(400), pytest.approx(400))  # nothing learnt: what it is now
    good, bad = risks.later_sizes(sizes, prob, np.full(4, 0.7), 0.8)
    assert 100 < good < 400 < bad < 800
    sure = risks.later_sizes(sizes, prob, np.full(4, 1e-6), 0.8)  # all learnt: the size itself, 10 to 90 %
    assert sure[0] == 100
    assert 400 < sure[1] < 800
    assert risks.later_sizes(sizes, np.full(4, 0.999), np.ones(4), 0.8) == (100, 100)
    assert risks.later_sizes(sizes, np.full(4, 0.01), np.ones(4), 0.8) == (math.inf, math.inf)
