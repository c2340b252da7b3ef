import numpy as np

from apexgp.numerics.roots import find_crossings, find_rising_root


def test_finds_known_roots_from_bad_starts():
    wanted = np.array([-2.0, 0.1, 3.0])

    def cubic(x, which):
        return x**3 - wanted[which] ** 3, 3 * x**2

    found = find_rising_root(cubic, np.full(3, -10.0), np.full(3, 10.0), np.zeros(3), tolerance=1e-12)
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_steps_and_flat_slopes_fall_back_to_bisection():
    def step(x, _):
        return np.where(x < 0.3, -1.0, 1.0), np.zeros_like(x)

    found = find_rising_root(step, np.zeros(1), np.ones(1), np.array([0.9]), tolerance=1e-12)
    np.testing.assert_allclose(found, 0.3, atol=1e-11)


def test_no_root_inside_gives_the_nearer_end():
    def line(x, which):
        return x + np.array([5.0, -5.0])[which], np.ones_like(x)

    found = find_rising_root(line, np.zeros(2), np.ones(2), np.full(2, 0.5), tolerance=1e-12)
    np.testing.assert_allclose(found, [0.0, 1.0], atol=1e-11)


def test_crossings_are_just_above_the_roots(rng):
    """Of curves of all shapes: as SciPy finds them, from above."""
    root, power = rng.uniform(0.05, 0.95, 40), rng.choice([0.2, 1.0, 3.0, 9.0], 40)

    def value(x, which):
        return np.sign(x - root[which]) * np.abs(x - root[which]) ** power[which] + 1e-300

    ends = np.zeros(40), np.ones(40)
    at_ends = (value(end, np.arange(40)) for end in ends)
    found = find_crossings(value, *ends, *at_ends, tolerance=1e-7)
    assert (found >= root).all()
    np.testing.assert_allclose(found, root, atol=1e-7)


def test_few_values_are_asked_for_where_a_function_is_nearly_straight():
    asked = []

    def value(x, which):
        asked.append(x)
        return np.log(x) - np.log([2.0, 5.0])[which]

    found = find_crossings(value, np.ones(2), np.full(2, 9.0), -np.log([2.0, 5.0]), np.log([4.5, 1.8]), tolerance=1e-7)
    np.testing.assert_allclose(found, [2.0, 5.0], atol=1e-7)
    assert len(asked) <= 9
