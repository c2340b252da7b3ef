import csv
import pickle

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from apexgp import Forecast
from apexgp.errors import RequestError, WouldOverwriteError


def mixture(seed=0, k=5, q=4):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(k))
    return Forecast(
        np.geomspace(500, 5000, q), rng.uniform(0.6, 1.02, (k, q)), rng.uniform(0.005, 0.1, (k, q)), weights
    )


def single(location, scale):
    return Forecast(np.array([1000.0]), np.array([[location]]), np.array([[scale]]), np.ones(1))


@pytest.fixture(
    params=[mixture(0), mixture(1, k=1), mixture(2, k=40, q=2), single(0.98, 0.03)], ids=["5", "1", "40", "near1"]
)
def forecast(request):
    return request.param


def reference_cdf(forecast, q, y):
    parts = [
        stats.truncnorm(-m / s, (1 - m) / s, loc=m, scale=s)
        for m, s in zip(forecast.locations[:, q], forecast.scales[:, q], strict=True)
    ]
    return sum(w * part.cdf(y) for w, part in zip(forecast.weights, parts, strict=True))


@pytest.mark.slow
def test_cdf_is_the_weighted_sum_of_scipys(forecast):
    for y in (0.0, 0.5, 0.83, 0.97, 1.0):
        expected = [reference_cdf(forecast, q, y) for q in range(len(forecast))]
        np.testing.assert_allclose(forecast.cdf(y), expected, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(forecast.prob_at_least(y), 1 - np.array(expected), rtol=1e-6, atol=1e-10)


def test_pdf_is_the_slope_of_the_cdf(forecast):
    y = forecast.quantile(0.37)
    slope = (forecast.cdf(y + 1e-6) - forecast.cdf(y - 1e-6)) / 2e-6
    np.testing.assert_allclose(forecast.pdf(y), slope, rtol=1e-4)


def test_quantile_inverts_the_cdf(forecast):
    levels = np.array([1e-6, 0.025, 0.1, 0.5, 0.9, 0.975, 1 - 1e-6])
    values = forecast.quantile(levels)
    assert values.shape == (7, len(forecast))
    for level, row in zip(levels, values, strict=True):
        np.testing.assert_allclose(forecast.cdf(row), level, atol=1e-9)
    np.testing.assert_array_equal(forecast.quantile(0.5), forecast.median)


def moment(one, power, centre, knots):
    return integrate.quad(lambda y: (y - centre) ** power * one.pdf(y)[0], 0, 1, points=knots, limit=500)[0]


def test_many_levels_give_what_few_give(forecast):
    levels = np.linspace(0.005, 0.995, 199)
    few = np.stack([forecast.quantile(level) for level in levels[::20]])
    np.testing.assert_allclose(forecast.quantile(levels)[::20], few, atol=1e-6)
    np.testing.assert_allclose(
        forecast.cdf(forecast.quantile(levels)), levels[:, None] * np.ones(len(forecast)), atol=1e-8
    )


@pytest.mark.slow
def test_moments_are_the_integrals(forecast):
    for q in range(len(forecast)):
        one = Forecast(
            forecast.sizes[q : q + 1], forecast.locations[:, q : q + 1], forecast.scales[:, q : q + 1], forecast.weights
        )
        knots = one.quantile([1e-9, 0.01, 0.2, 0.5, 0.8, 0.99, 1 - 1e-9])[:, 0]
        mean = moment(one, 1, 0.0, knots)
        assert forecast.mean[q] == pytest.approx(mean, abs=1e-8)
        assert forecast.std[q] ** 2 == pytest.approx(moment(one, 2, mean, knots), rel=1e-5)
    np.testing.assert_allclose(forecast.location, forecast.weights @ forecast.locations)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_intervals_hold_their_probability(forecast, level):
    for kind in ("equal_tailed", "hdi"):
        lower, upper = forecast.interval(level, kind=kind)
        np.testing.assert_allclose(forecast.cdf(upper) - forecast.cdf(lower), level, atol=1e-8)
    tail = (1 - level) / 2
    np.testing.assert_allclose(forecast.cdf(forecast.interval(level)[0]), tail, atol=1e-9)


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.8, 0.99])
def test_a_promise_is_reached_with_its_probability(forecast, probability):
    np.testing.assert_allclose(forecast.prob_at_least(forecast.at_least(probability)), probability, atol=1e-9)
    with pytest.raises(RequestError, match="probability must be"):
        forecast.at_least(80)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_hdi_is_the_shortest_interval(forecast, level):
    lower, upper = forecast.interval(level, kind="hdi")
    for below in np.linspace(0, 1 - level, 400):
        low, high = forecast.quantile([below, min(below + level, 1.0)])
        assert (upper - lower <= high - low + 1e-9).all()


def test_hdi_of_a_cut_normal_is_the_closed_form():
    # The mode lies at the bound: the shortest interval ends there.
    lower, upper = single(1.01, 0.05).interval(0.9, kind="hdi")
    assert upper[0] == pytest.approx(1.0, abs=1e-7)
    assert lower[0] == pytest.approx(single(1.01, 0.05).quantile(0.1)[0], abs=1e-7)
    # The mode lies inside, the cut takes only the upper tail: symmetric about the mode.
    lower, upper = single(0.9, 0.05).interval(0.8, kind="hdi")
    assert (lower[0] + upper[0]) / 2 == pytest.approx(0.9, abs=1e-5)


@pytest.mark.slow
def test_samples_have_the_distribution(forecast):
    draws = forecast.sample(4000, seed=5)
    assert draws.shape == (4000, len(forecast))
    for q in range(len(forecast)):
        assert stats.kstest(draws[:, q], lambda y, q=q: reference_cdf(forecast, q, y)).pvalue > 1e-3
    np.testing.assert_array_equal(draws, forecast.sample(4000, seed=5))
    assert (draws != forecast.sample(4000, seed=6)).any()


def test_one_value_per_size_and_rows_of_them(forecast):
    y = np.linspace(0.7, 0.9, len(forecast))
    rows = np.stack([y, y + 0.05])
    np.testing.assert_allclose(forecast.cdf(rows), [forecast.cdf(y), forecast.cdf(y + 0.05)])
    np.testing.assert_allclose(forecast.prob_between(y, y + 0.05), forecast.cdf(y + 0.05) - forecast.cdf(y), atol=1e-12)


def test_bad_requests_are_explained(forecast):
    with pytest.raises(RequestError, match="one for each"):
        forecast.cdf(np.zeros(len(forecast) + 1))
    with pytest.raises(RequestError, match=r"strictly between 0 and 1, got 95\. Write 0.95"):
        forecast.interval(95)
    with pytest.raises(RequestError, match="'equal_tailed', 'hdi'"):
        forecast.interval(0.9, kind="shortest")
    with pytest.raises(RequestError, match=r"level in \[0, 1\]"):
        forecast.quantile([0.5, 1.2])
    with pytest.raises(RequestError, match="at least 1"):
        forecast.sample(0)
    with pytest.raises(RequestError, match="NaN"):
        forecast.cdf(np.nan)


def test_a_forecast_that_was_printed_can_be_pickled(forecast):
    untouched = len(pickle.dumps(forecast[0]))
    one = forecast[0]
    assert repr(one) == repr(pickle.loads(pickle.dumps(one)))
    one.quantile(np.linspace(0, 1, 50))
    assert len(pickle.dumps(one)) == untouched
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(one)).median, one.median)


def test_csv_has_the_numbers_and_is_not_overwritten(forecast, tmp_path):
    path = tmp_path / "forecast.csv"
    forecast.to_csv(path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    np.testing.assert_array_equal([float(r["size"]) for r in rows], forecast.sizes)
    np.testing.assert_array_equal([float(r["lower_95"]) for r in rows], forecast.interval(0.95)[0])
    with pytest.raises(WouldOverwriteError, match="exists"):
        forecast.to_csv(path)
    forecast.to_csv(path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["forecast.csv"]


def test_two_modes_far_apart_are_both_found():
    two = Forecast(np.array([1.0]), np.array([[0.2], [0.8]]), np.array([[0.01], [0.01]]), np.array([0.3, 0.7]))
    root = optimize.brentq(lambda y: reference_cdf(two, 0, y) - 0.3001, 0.1, 0.9)
    assert two.quantile(0.3001)[0] == pytest.approx(root, abs=1e-8)
    lower, upper = two.interval(0.6, kind="hdi")
    assert 0.75 < lower[0] < upper[0] < 0.85


def test_ends_that_cannot_be_told_from_the_best_or_worst_score_are_that_score():
    at = {"sizes": [10], "locations": [[0.98]], "scales": [[0.01]], "weights": [1.0]}
    exact, counted = Forecast(**at), Forecast(**at, resolution=0.02)
    for kind in ("equal_tailed", "hdi"):
        (lower,), (upper,) = exact.interval(0.95, kind)
        assert 0.96 < lower < 0.99 < upper < 1
        (same,), (best,) = counted.interval(0.95, kind)
        assert best == 1
        assert same == (lower if kind == "equal_tailed" else pytest.approx(lower, abs=0.005))  # no end moves inwards
    assert counted.quantile(0.975) == exact.quantile(0.975)
    low = Forecast([10], [[0.02]], [[0.01]], [1.0], resolution=0.02).interval(0.95)
    assert low[0] == 0
    assert low[1] < 0.05
    with pytest.raises(RequestError, match="resolution must be between 0 and 1"):
        Forecast(**at, resolution=2)
