"""Laws that every mean obeys; a new one is picked up from MEANS."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from apexgp.errors import RequestError
from apexgp.model.beliefs import CALIBRATED, Beliefs
from apexgp.model.means import MEANS, select_means
from apexgp.point_estimates.optimise import draw_starts

SIZES = np.geomspace(1, 1e4, 40)


@pytest.fixture(params=MEANS.values(), ids=MEANS)
def mean(request):
    return request.param


def thetas(mean, count=20):
    return draw_starts([p.start for p in mean.parameters], count, seed=3)


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
        converted = mean.rescale_theta(60.0, *theta)
        np.testing.assert_allclose(mean.drop(SIZES, *converted), mean.drop(SIZES / 60.0, *theta), rtol=1e-12)


def test_start_ranges_lie_within_the_bounds(mean):
    for parameter in mean.parameters:
        assert parameter.lower <= parameter.start[0] < parameter.start[1] <= parameter.upper


def test_states_a_prior_for_every_shape_coordinate(mean):
    assert mean.label
    assert len(mean.shapes) == len(mean.paper_shapes) == len(mean.parameters) - 1


def test_shape_and_drop_determine_the_curve_at_the_last_size(mean):
    last = np.asarray(8.0)
    for deviates in itertools.product((-1.0, 0.0, 1.0), repeat=len(mean.shapes)):
        for priors in (mean.shapes, mean.paper_shapes):
            shape = [prior.from_normal(np.array(z)) for prior, z in zip(priors, deviates, strict=True)]
            assert mean.drop(last, *mean.solve_theta(last, 0.07, *shape)) == pytest.approx(0.07)


def test_auto_averages_over_the_three_means_that_were_calibrated_together():
    assert [mean.name for mean in select_means("auto")] == ["power_law", "arctan", "burr"]
    assert [mean.name for mean in select_means("arctan")] == ["arctan"]


def test_priors_that_leave_out_a_mean_have_its_calibrated_ones():
    shapes, shares = ({"arctan": priors["arctan"]} for priors in (CALIBRATED.shapes, CALIBRATED.shares))
    assert replace(CALIBRATED, shapes=shapes, shares=shares) == CALIBRATED
    assert Beliefs.from_dict(CALIBRATED.to_dict() | {"shapes": {}, "shares": {}}) == CALIBRATED
    assert replace(CALIBRATED, shapes={}, shares=None).shares is None
    with pytest.raises(RequestError, match="shapes must hold 3 of burr"):
        replace(CALIBRATED, shapes={"burr": CALIBRATED.shapes["arctan"]})


def test_formulas_are_those_of_the_paper():
    x = np.array([60.0, 360.0])
    np.testing.assert_allclose(MEANS["power_law"](x, 0.05, 0.9, -0.4), (1 - 0.05) - 0.9 * x**-0.4)
    np.testing.assert_allclose(
        MEANS["arctan"](x, 0.05, 0.02, 1.5), 2 / np.pi * np.arctan(0.02 * np.pi / 2 * x + 1.5) - 0.05
    )


def burr(**changed):
    theta = {"theta1": 0.4, "theta2": 120.0, "theta3": 0.8, "theta4": 1.7} | changed
    return tuple(theta.values())


def test_burr_is_its_formula_and_holds_the_curve_of_morgan_mercer_and_flodin():
    x, mean = np.geomspace(1, 1e5, 30), MEANS["burr"]
    np.testing.assert_allclose(mean(x, 0.05, *burr()), 0.95 - 0.4 * (1 + (x / 120) ** 0.8) ** -1.7)
    # As it is mostly written: from begin to end, half way at theta2.
    begin, end = 0.95 - 0.4, 0.95
    mmf = (begin * 120**0.8 + end * x**0.8) / (120**0.8 + x**0.8)
    np.testing.assert_allclose(mean(x, 0.05, *burr(theta4=1.0)), mmf)


def test_burr_has_its_tail_exponent_and_drop_whatever_its_onset():
    mean, last = MEANS["burr"], np.asarray(8.0)
    for tail, offset, log_theta4 in [(0.5, -2.0, 0.0), (0.3, 3.0, 1.0), (1.5, 0.0, -1.5), (2.9, -6.0, 0.7)]:
        theta = mean.solve_theta(last, 0.07, tail, offset, log_theta4)
        assert mean.drop(last, *theta) == pytest.approx(0.07)
        log_x = np.log(last) + 60 + 60 / theta[2]  # far above theta2 whatever theta3
        assert log_x < 700
        far = mean.drop(np.exp([log_x, log_x + 1]), *theta)
        assert -np.diff(np.log(far))[0] == pytest.approx(tail, rel=1e-9)
        # Before it wakes up it is flat.
        early = mean.drop(np.exp(np.log(theta[1]) - 60 / theta[2] + np.array([0, 1])), *theta)
        assert np.diff(np.log(early))[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("sizes", [1.5, 8.0, 1e6])
def test_burr_overflows_nowhere(sizes):
    """Deviates of 60 and more: far beyond what any prior or proposal gives."""
    mean, x = MEANS["burr"], np.geomspace(1, 1e8 * sizes, 40)
    for deviates in itertools.product((-60.0, 0.0, 60.0), repeat=3):
        priors = CALIBRATED.shapes["burr"]
        shape = [p.from_normal(np.array(z)) for p, z in zip(priors, deviates, strict=True)]
        theta = mean.solve_theta(np.asarray(sizes), 0.1, *shape)
        with np.errstate(all="raise", under="ignore"):
            drop = mean.drop(x, *theta)
        assert np.isfinite(drop).all(), deviates
        assert (drop >= 0).all()
        assert (np.diff(drop) <= 1e-12 * drop[:-1]).all()
        assert mean.drop(np.asarray(sizes), *theta) == pytest.approx(0.1, rel=1e-6)
