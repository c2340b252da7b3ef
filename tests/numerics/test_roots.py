import numpy as np

from apexgp.numerics.roots import rising_root


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
