"""The distribution function and the quantiles of a mixture are inverse to each other, however wild it is."""

import numpy as np
import pytest
from scipy import stats

from apexgp import Forecast

TAILS = 10.0 ** -np.arange(1, 16)
LEVELS = np.unique(np.concatenate([TAILS, 1 - TAILS, np.linspace(0.02, 0.98, 25)]))
KINDS = ("tiny and wide", "few places", "points", "moderate", "alike")


def wild(kind, seed):
    """Components that no fit would give all at once: spikes, nearly uniform ones, some far outside [0, 1]."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    shape = (int(rng.choice([1, 2, 3, 70])), 3)
    locations, scales = rng.uniform(-0.3, 1.3, shape), 10.0 ** rng.uniform(-14, 5, shape)
    if kind == "few places":
        locations = rng.choice([0, 0.3, 0.5, 1, 1.5, -2, 40, -1e5], size=shape)
    elif kind == "points":
        scales = 10.0 ** rng.uniform(-300, 2, shape)
    elif kind == "moderate":
        scales = 10.0 ** rng.uniform(-4, 0, shape)
    elif kind == "alike":
        scales = np.full(shape, 0.02)
    weights = rng.dirichlet(np.full(shape[0], rng.choice([0.05, 1.0])))
    return Forecast(np.arange(3) + 1.0, locations, scales, weights / weights.sum())


def assert_inverse(forecast, levels, values):
    """To 1e-6, or as near as neighbouring numbers allow where the distribution function jumps."""
    before, after = forecast.cdf(np.nextafter(values, -1)), forecast.cdf(np.nextafter(values, 2))
    assert (before <= levels[:, None] + 1e-6).all()
    assert (after >= levels[:, None] - 1e-6).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_quantiles_rise_and_invert_the_cdf(kind, seed):
    forecast, some = wild(kind, seed), LEVELS[::4]
    together, alone = forecast.quantile(LEVELS), np.stack([forecast.quantile(level) for level in some])
    assert (np.diff(together, axis=0) >= 0).all()
    assert (np.diff(alone, axis=0) >= -np.spacing(1.0)).all()
    assert_inverse(forecast, LEVELS, together)
    assert_inverse(forecast, some, alone)


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_are_nested_by_their_level(kind):
    forecast = wild(kind, 9)
    levels = [0.1, 0.5, 0.8, 0.95, 1 - 2e-6, 1 - 2e-9, 1 - 2e-12, 1 - 2e-15]
    lower, upper = np.array([forecast.interval(level) for level in levels]).swapaxes(0, 1)
    assert (np.diff(lower, axis=0) <= np.spacing(1.0)).all()
    assert (np.diff(upper, axis=0) >= -np.spacing(1.0)).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_shortest_interval_holds_its_probability_and_grows_with_it(kind):
    forecast, widths = wild(kind, 9), []
    for level in (0.5, 0.8, 0.95):
        lower, upper = forecast.interval(level, kind="hdi")
        assert (forecast.cdf(np.nextafter(upper, 2)) - forecast.cdf(np.nextafter(lower, -1)) >= level - 1e-6).all()
        equal_tailed = np.subtract(*forecast.interval(level)[::-1])
        assert (upper - lower <= equal_tailed + 1e-9).all()
        widths.append(upper - lower)
    assert (np.diff(widths, axis=0) >= -1e-9).all()


def test_far_tails_are_scipys():
    # A hundred components, so that the search is what finds them; all are the same.
    location, scale = 0.6, 0.04
    forecast = Forecast([1.0], np.full((100, 1), location), np.full((100, 1), scale), np.full(100, 0.01))
    other = stats.truncnorm(-location / scale, (1 - location) / scale, loc=location, scale=scale)
    np.testing.assert_allclose(forecast.quantile(TAILS)[:, 0], other.ppf(TAILS), rtol=1e-9)
    np.testing.assert_allclose(forecast.cdf(other.ppf(TAILS)[:, None])[:, 0], TAILS, rtol=1e-9)
    ends = np.array([forecast.interval(1 - 2 * tail) for tail in TAILS[1:9]])[:, :, 0]
    np.testing.assert_allclose(ends.sum(axis=1), 2 * location, atol=1e-6)  # as far above as below


def test_few_levels_and_many_give_the_same():
    forecast = wild("moderate", 3)
    many = forecast.quantile(LEVELS)
    few = np.concatenate([forecast.quantile(some) for some in np.array_split(LEVELS, 12)])
    np.testing.assert_allclose(forecast.cdf(few), forecast.cdf(many), rtol=1e-7, atol=1e-14)


def test_the_ends_are_the_bounds():
    forecast = wild("alike", 1)
    np.testing.assert_array_equal(forecast.quantile([1.0, 0.0]), [[1.0] * 3, [0.0] * 3])
    np.testing.assert_array_equal(
        forecast.cdf(np.array([[-0.1], [1.0], [1.5]]) * np.ones(3)), [[0] * 3, [1] * 3, [1] * 3]
    )
