"""Laws that every mean obeys; a new one is picked up from MEANS."""

import numpy as np
import pytest

from apexgp.inference.curve_problem import spread
from apexgp.model.means import MEANS

SIZES = np.geomspace(1, 1e4, 40)


@pytest.fixture(params=MEANS.values(), ids=MEANS)
def mean(request):
    return request.param


def thetas(mean, count=20):
    return spread([p.start for p in mean.parameters], count, seed=3)


def test_never_falls_and_tends_to_its_limit(mean):
    for theta in thetas(mean):
        curve = mean(SIZES, 0.07, *theta)
        assert (np.diff(curve) >= -1e-15).all()
        far = mean(np.array([1e100]), 0.07, *theta)
        assert far[0] == pytest.approx(0.93, abs=1e-9)


def test_slopes_are_those_of_finite_differences(mean):
    for theta in thetas(mean):
        _, slopes = mean.drop_and_slopes(SIZES, *theta)
        for i, slope in enumerate(slopes):
            step = 1e-6 * max(abs(theta[i]), 1)
            up, down = theta.copy(), theta.copy()
            up[i] += step
            down[i] -= step
            expected = (mean.drop(SIZES, *up) - mean.drop(SIZES, *down)) / (2 * step)
            np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-7)


def test_changing_the_unit_of_size_keeps_the_curve(mean):
    for theta in thetas(mean):
        converted = mean.with_sizes_in(60.0, *theta)
        np.testing.assert_allclose(mean.drop(SIZES, *converted), mean.drop(SIZES / 60.0, *theta), rtol=1e-12)


def test_start_ranges_lie_within_the_bounds(mean):
    for parameter in mean.parameters:
        assert parameter.lower <= parameter.start[0] < parameter.start[1] <= parameter.upper


def test_formulas_are_those_of_the_paper():
    x = np.array([60.0, 360.0])
    np.testing.assert_allclose(MEANS["power_law"](x, 0.05, 0.9, -0.4), (1 - 0.05) - 0.9 * x**-0.4)
    np.testing.assert_allclose(
        MEANS["arctan"](x, 0.05, 0.02, 1.5), 2 / np.pi * np.arctan(0.02 * np.pi / 2 * x + 1.5) - 0.05
    )
