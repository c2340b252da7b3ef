import numpy as np
import pytest
from scipy import integrate

from apexgp import Forecast, metrics
from apexgp.errors import DataError, RequestError
from conftest import require
from test_forecast import mixture, single


def brute_force_crps(forecast, q, y):
    one = Forecast(
        forecast.sizes[q : q + 1], forecast.locations[:, q : q + 1], forecast.scales[:, q : q + 1], forecast.weights
    )
    knots = one.quantile([1e-12, 1e-6, 0.01, 0.25, 0.5, 0.75, 0.99, 1 - 1e-6])[:, 0]
    below = integrate.quad(lambda z: one.cdf(z)[0] ** 2, 0, y, points=knots[knots < y], limit=2000, epsabs=1e-12)[0]
    above = integrate.quad(
        lambda z: one.prob_at_least(z)[0] ** 2, y, 1, points=knots[knots > y], limit=2000, epsabs=1e-12
    )[0]
    return below + above


@pytest.mark.slow
@pytest.mark.parametrize("forecast", [mixture(0), mixture(3, k=1), mixture(4, k=30, q=2), single(0.97, 5e-4)])
def test_crps_is_the_integral_to_1e_8(forecast):
    for y in (0.0, 0.4, 0.79, 0.97, 1.0):
        scores = np.full(len(forecast), y)
        expected = [brute_force_crps(forecast, q, y) for q in range(len(forecast))]
        np.testing.assert_allclose(metrics.crps(forecast, scores, axis=()), expected, atol=1e-8)
        assert metrics.crps(forecast, scores) == pytest.approx(np.mean(expected), abs=1e-8)


def test_crps_of_a_normal_is_the_closed_form():
    # Far from both bounds the cut does not matter (Gneiting and Raftery 2007, eq. 21).
    from scipy.stats import norm

    y, z = 0.53, 3.0
    expected = 0.01 * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))
    assert metrics.crps(single(0.5, 0.01), [y]) == pytest.approx(expected, abs=1e-9)


def test_crps_sees_spikes_between_the_quantiles():
    # A normal far from the bounds: E|X - y| and E|X - X'| have closed forms (Grimit et al. 2006).
    from scipy.stats import norm

    def mean_distance(location, scale):
        return 2 * scale * norm.pdf(location / scale) + location * (2 * norm.cdf(location / scale) - 1)

    weights, locations, scales = np.array([0.5, 0.3, 0.2]), np.array([0.3, 0.7, 0.55]), np.array([1e-4, 0.03, 1e-6])
    forecast = Forecast(np.array([1.0]), locations[:, None], scales[:, None], weights)
    for y in (0.2, 0.5, 0.7):
        pairs = mean_distance(locations[:, None] - locations, np.hypot(scales[:, None], scales))
        expected = weights @ mean_distance(y - locations, scales) - 0.5 * weights @ pairs @ weights
        assert metrics.crps(forecast, [y]) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("location", "scale"), [(0.8, 0.05), (0.97, 0.04), (1.05, 0.1), (-0.1, 0.2), (0.5, 3.0)])
def test_scores_of_a_cut_normal_are_those_of_scoringrules(location, scale):
    scoringrules = require("scoringrules")
    y = np.array([0.02, 0.5, 0.81, 0.96, 1.0])
    forecast = Forecast(np.arange(1.0, 6), np.full((1, 5), location), np.full((1, 5), scale), np.ones(1))
    theirs = scoringrules.crps_tnormal(y, location, scale, 0.0, 1.0)
    np.testing.assert_allclose(metrics.crps(forecast, y, axis=()), theirs, atol=1e-8)
    np.testing.assert_allclose(-forecast.log_pdf(y), scoringrules.logs_tnormal(y, location, scale, 0.0, 1.0), rtol=1e-9)


def test_crps_of_a_mixture_is_that_of_scoringrules(rng):
    """Far from both bounds, where cutting takes nothing away."""
    scoringrules = require("scoringrules")
    locations, scales, weights = rng.uniform(0.4, 0.6, 30), rng.uniform(0.001, 0.05, 30), rng.dirichlet(np.ones(30))
    forecast = Forecast(np.ones(1), locations[:, None], scales[:, None], weights)
    for y in (0.3, 0.5, 0.61):
        expected = scoringrules.crps_mixnorm(y, locations, scales, weights)
        assert metrics.crps(forecast, [y]) == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
def test_crps_is_proper(rng):
    truth, other = mixture(0), mixture(1)
    draws = truth.sample(300, seed=1)
    assert metrics.crps(truth, draws) < metrics.crps(
        Forecast(truth.sizes, other.locations, other.scales, other.weights), draws
    )


def test_pit_of_own_draws_is_uniform():
    forecast = mixture(0)
    from scipy.stats import kstest

    values = metrics.pit(forecast, forecast.sample(2000, seed=3))
    assert values.shape == (2000, 4)
    assert kstest(values[:, 1], "uniform").pvalue > 1e-3


def test_coverage_of_own_draws_is_the_level():
    forecast = mixture(0)
    draws = forecast.sample(4000, seed=3)
    for kind in ("equal_tailed", "hdi"):
        assert metrics.coverage(forecast, draws, 0.8, kind) == pytest.approx(0.8, abs=0.02)
    assert metrics.coverage(forecast, draws, 0.8, axis=0).shape == (4,)


@pytest.mark.parametrize("kind", ["equal_tailed", "hdi"])
def test_a_resolution_is_that_of_scores_that_were_rounded(kind):
    """A rounded score counts as inside where one that rounds to it is."""
    forecast, step = mixture(0), 0.02
    rounded = np.round(forecast.sample(400, seed=1) / step) * step
    lower, upper = forecast.interval(0.8, kind)
    first, last = rounded - step / 2, rounded + step / 2
    expected = ((last >= lower) & (first <= upper)).mean(axis=0)
    found = metrics.coverage(forecast, rounded, 0.8, kind, resolution=step, axis=0)
    np.testing.assert_array_equal(found, expected)
    assert metrics.coverage(forecast, rounded, 0.8, kind) < found.mean()
    with pytest.raises(RequestError, match=r"resolution must be at least 0 and below 1, got -0\.1"):
        metrics.coverage(forecast, rounded, resolution=-0.1)


def test_perfect_scores_are_held_where_the_interval_reaches_them():
    sure, vague = single(0.99999, 0.0001), single(0.9, 0.01)
    assert metrics.coverage(sure, [1.0]) == 0
    assert metrics.coverage(sure, [1.0], resolution=0.001) == 1
    assert metrics.coverage(vague, [1.0], resolution=0.001) == 0


def test_quantized_likelihood_is_the_mass_around_the_score():
    forecast = mixture(0)
    y = np.array([0.7, 0.8, 0.9, 0.999])
    expected = forecast.cdf(np.minimum(y + 0.01, 1)) - forecast.cdf(y - 0.01)
    np.testing.assert_allclose(metrics.quantized_likelihood(forecast, y, axis=()), expected, atol=1e-12)
    assert metrics.quantized_likelihood(forecast, y) == pytest.approx(expected.mean())


def test_log_score_is_minus_the_log_density_however_small():
    from scipy.stats import truncnorm

    far = single(0.9, 0.01)
    other = truncnorm(-90, 10, loc=0.9, scale=0.01)
    for y in (0.5, 0.88, 0.95):
        assert metrics.log_score(far, [y]) == pytest.approx(-other.logpdf(y), rel=1e-9)
    forecast = mixture(0)
    y = np.array([0.7, 0.8, 0.9, 0.95])
    slope = (forecast.cdf(y + 1e-5) - forecast.cdf(y - 1e-5)) / 2e-5
    assert metrics.log_score(forecast, y) == pytest.approx(-np.log(slope).mean(), abs=1e-5)


def test_errors_by_hand():
    assert metrics.rmse([0.8, 0.9], [0.7, 0.9]) == pytest.approx(np.sqrt(0.005))
    assert metrics.mae([0.8, 0.9], [0.7, 0.9]) == pytest.approx(0.05)


def test_bad_input_is_explained():
    forecast = mixture(0)
    with pytest.raises(DataError, match="one score for each of the 4 sizes"):
        metrics.crps(forecast, [0.5])
    with pytest.raises(DataError, match=r"\[0, 1\]"):
        metrics.log_score(forecast, [0.5, 0.5, 0.5, 50])
    with pytest.raises(RequestError, match="Expected a Forecast, got list"):
        metrics.coverage([0.1], [0.2])
    with pytest.raises(RequestError, match="above 0"):
        metrics.quantized_likelihood(forecast, [0.5] * 4, delta=0)
    with pytest.raises(RequestError, match="same length"):
        metrics.rmse([0.8, 0.9], [0.7])
    with pytest.raises(DataError, match="NaN"):
        metrics.mae([0.8, np.nan], [0.7, 0.8])
