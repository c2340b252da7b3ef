import numpy as np
import pytest
from scipy import optimize

from apexgp.numerics.roots import bracketed_root, rising_root


def test_finds_known_roots_from_bad_starts():
    wanted = np.array([-2.0, 0.1, 3.0])

    def cubic(x, which):
        return x**3 - wanted[which] ** 3, 3 * x**2

    found = rising_root(cubic, np.full(3, -10.0), np.full(3, 10.0), np.zeros(3), tolerance=1e-12)
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_steps_and_flat_slopes_fall_back_to_bisection():
    def step(x, _):
        return np.where(x < 0.3, -1.0, 1.0), np.zeros_like(x)

    found = rising_root(step, np.zeros(1), np.ones(1), np.array([0.9]), tolerance=1e-12)
    np.testing.assert_allclose(found, 0.3, atol=1e-11)


def test_no_root_inside_gives_the_nearer_end():
    def line(x, which):
        return x + np.array([5.0, -5.0])[which], np.ones_like(x)

    found = rising_root(line, np.zeros(2), np.ones(2), np.full(2, 0.5), tolerance=1e-12)
    np.testing.assert_allclose(found, [0.0, 1.0], atol=1e-11)


def random_monotone_functions(rng, count):
    """Smooth and kinked ones, steps, plateaus, and values of very different magnitude on the two sides."""
    centre, steep = rng.uniform(-5, 5, count), 10 ** rng.uniform(-2, 3, count)
    kind, sign = rng.integers(0, 6, count), rng.choice([-1.0, 1.0], count)

    def function(x, which):
        d, k = x - centre[which], steep[which]
        shapes = [
            np.tanh(k * d),  # equal values on both sides: the secant begins in the middle
            d**3 + 1e-3 * d,
            np.expm1(np.minimum(k, 3) * d),
            np.where(d < 0, -1.0, k),
            np.where(d < 0, -k, 1e-12),
            np.where(d < 0, k * d, d),
        ]
        return sign[which] * np.choose(kind[which], shapes)

    return centre, function


@pytest.mark.slow
def test_bracketed_roots_agree_with_brentq(rng):
    everything = np.arange(600)
    _, function = random_monotone_functions(rng, 600)
    low, high = rng.uniform(-9, -6, 600), rng.uniform(6, 9, 600)
    found = bracketed_root(function, low, high, function(low, everything), function(high, everything), tolerance=1e-9)
    for i in everything:
        expected = optimize.brentq(lambda x, i=i: float(function(np.array([x]), np.array([i]))[0]), low[i], high[i])
        assert found[i] == pytest.approx(expected, abs=3e-9)


def test_bracketed_roots_end_where_the_function_is_not_below_zero(rng):
    everything = np.arange(300)
    centre, function = random_monotone_functions(rng, 300)
    low, high = np.full(300, -7.0), np.full(300, 7.5)
    found = bracketed_root(function, low, high, function(low, everything), function(high, everything), tolerance=1e-7)
    assert (function(found, everything) >= 0).all()
    np.testing.assert_allclose(found, centre, rtol=0, atol=2e-7)


def test_a_plateau_of_exact_zeros_begins_at_its_near_end():
    def plateau(x, _):
        return np.where(x < 1.7, -1.0, 0.0)

    low, high = np.zeros(1), np.full(1, 5.0)
    found = bracketed_root(plateau, low, high, plateau(low, 0), plateau(high, 0), tolerance=1e-9)
    np.testing.assert_allclose(found, 1.7, atol=1e-8)


def test_bracketed_roots_ask_for_few_values_and_none_of_what_has_arrived():
    asked = []

    def nearly_straight(x, which):
        asked.append(which.copy())
        return (x - 0.3) * (1 + 0.1 * x)

    low, high = np.array([-1.0, 0.3 - 1e-12]), np.array([1.0, 0.3])
    at_low, at_high = (x - 0.3 for x in (low, high))
    found = bracketed_root(nearly_straight, low, high, at_low, at_high, tolerance=1e-9)
    np.testing.assert_allclose(found, 0.3, atol=1e-8)
    assert all(which.tolist() == [0] for which in asked)
    assert len(asked) <= 7
