"""Laws that every family of curves obeys, and its published formula."""

from math import inf

import numpy as np
import pytest
from scipy import optimize

from apexgp.model.families import FAMILIES
from apexgp.point_estimates.least_squares import LeastSquaresFit
from apexgp.point_estimates.least_squares_problem import LeastSquaresProblem

SIZES = np.array([60.0, 94, 147, 230, 360, 900])
ANYWHERE = np.geomspace(1, 1e7, 60)


def piecewise(n, a, b, c, N):
    u = np.log(n / N)
    return 1 - np.exp(a + b * u + c * np.minimum(u, 0) ** 2)


def m4(n, alpha, beta, c, e_inf, e_0):
    """The error that solves the authors' equation, by bisection."""
    return np.array(
        [
            1
            - optimize.bisect(lambda e, t=beta * size**c: (e - e_inf) - t * (e_0 - e) ** alpha, e_inf, e_0, xtol=1e-15)
            for size in n
        ]
    )


def bnsl(n, a, b, c0, c1, d1, f1):
    return 1 - (a + b * n**-c0 * (1 + (n / d1) ** (1 / f1)) ** (-c1 * f1))


# The formulas as their authors print them, for sizes counted in examples.
FORMULAS = {
    FAMILIES["power_law"]: lambda n, t1, t2, eps: (1 - eps) - t1 * n**t2,
    FAMILIES["arctan"]: lambda n, t1, t2, eps: 2 / np.pi * np.arctan(t1 * np.pi / 2 * n + t2) - eps,
    FAMILIES["mahmood_power_law"]: lambda n, t1, t2, t3: t1 * n**t2 + t3,
    FAMILIES["mahmood_arctan"]: lambda n, t1, t2, t3: 2 / np.pi * np.arctan(t1 * np.pi / 2 * n + t2) + t3,
    FAMILIES["mahmood_logarithm"]: lambda n, t1, t2, t3: t1 * np.log(n + t2) + t3,
    FAMILIES["mahmood_root"]: lambda n, t1, t2, t3: n / (1 + np.abs(t1 * n) ** t2) ** (1 / t2) + t3,
    FAMILIES["pow4"]: lambda n, a, b, c, d: a - b * (n + d) ** -c,
    FAMILIES["mmf4"]: lambda n, a, b, c, d: (a * b + c * n**d) / (b + n**d),
    FAMILIES["wbl4"]: lambda n, a, b, c, d: c - b * np.exp(-a * n**d),
    FAMILIES["piecewise_power_law"]: piecewise,
    FAMILIES["burr"]: lambda n, t1, t2, t3, t4, eps: (1 - eps) - t1 * (1 + (n / t2) ** t3) ** -t4,
    FAMILIES["m4"]: m4,
    FAMILIES["bnsl"]: bnsl,
}


@pytest.fixture(params=FAMILIES.values(), ids=FAMILIES)
def make(request):
    return request.param


def some_fits(make, rng, count=40):
    """Curves of a family at random shapes, and at all corners of its box."""
    family = make(SIZES)
    problem = LeastSquaresProblem(family, SIZES, np.full(len(SIZES), 0.5), 1.0)
    corners = np.stack(np.meshgrid(*zip(problem.lower, problem.upper, strict=True)), axis=-1)
    shapes = [
        *rng.uniform(problem.lower, problem.upper, (count, len(family.axes))),
        *corners.reshape(-1, len(problem.lower)),
    ]
    fixed = problem.amplitude_bounds == (1.0, 1.0)
    return [
        LeastSquaresFit(problem, shape, 1.0, 1.0 if fixed else 0.3, objective=0.0, converged=True, iterations=0)
        for shape in shapes
    ]


def test_every_family_has_its_formula_here():
    assert set(FORMULAS) == set(FAMILIES.values())


@pytest.mark.slow
def test_published_parameters_reproduce_the_curve(make, rng):
    for fit in some_fits(make, rng)[:40]:
        np.testing.assert_allclose(
            FORMULAS[make](SIZES, *fit.parameters.values()), fit.curve(SIZES), rtol=1e-6, atol=1e-7
        )


def test_no_curve_falls(make, rng):
    for fit in some_fits(make, rng):
        assert (np.diff(fit.curve(ANYWHERE)) >= -1e-9).all()
        assert np.isfinite(fit.curve(SIZES)).all()


@pytest.mark.slow
def test_slopes_are_those_of_finite_differences(make, rng):
    for fit in some_fits(make, rng)[:20]:
        problem, step = fit.problem, 1e-7
        inside = np.clip(fit.shape, problem.lower + 2e-3, problem.upper - 2e-3)
        g, slopes = problem.basis_and_slopes(problem.x, inside[None])
        np.testing.assert_allclose(g[0], problem.family.basis(problem.x, *inside))
        for i, slope in enumerate(slopes[0]):
            nudge = step * (np.arange(len(inside)) == i)
            up, down = (problem.family.basis(problem.x, *(inside + sign * nudge)) for sign in (1, -1))
            np.testing.assert_allclose(slope, (up - down) / (2 * step), rtol=1e-4, atol=1e-5 * (1 + np.abs(g).max()))


@pytest.mark.slow
def test_crossing_is_where_the_curve_reaches_the_level(make, rng):
    met = 0
    for fit in some_fits(make, rng):
        low, high = fit.curve(np.array([1.0, 1e9]))
        for share in (0.01, 0.3, 0.9, 0.999):
            level = low + share * (high - low)
            if not low < level < high:
                continue
            found = fit.crossing(level)
            expected = np.exp(
                optimize.brentq(lambda t, f=fit, y=level: f.curve(np.exp([t]))[0] - y, 0, np.log(1e9), xtol=1e-13)
            )
            # Where the curve is steep the size is sharp, where it is flat the score is.
            assert found == pytest.approx(expected, rel=1e-6) or fit.curve(np.array([found]))[0] == pytest.approx(
                level, abs=1e-12
            )
            met += 1
    assert met > 100


@pytest.mark.slow
def test_crossing_knows_what_was_always_and_what_is_never_reached(make, rng):
    for fit in some_fits(make, rng):
        assert fit.crossing(fit.curve(np.ones(1))[0]) == 1.0
        assert fit.crossing(1.01 * fit.curve(np.array([1e300]))[0] + 1e-6) == inf


def test_bounds_on_the_shape_hold_the_whole_grid(make):
    assert all((np.diff(axis) > 0).all() and len(axis) > 5 for axis in make.axes)


def test_limits_lie_between_the_best_score_and_the_ceiling(make):
    offset, amplitude = make(SIZES).bounds(0.7, 0.9)
    if make.__name__.startswith("Mahmood"):
        assert offset == (-inf, inf)
    elif make is FAMILIES["piecewise_power_law"]:
        assert offset == (0.9, 0.9)
    else:
        assert offset == (0.7, 0.9)
    assert amplitude[0] >= 0


def test_a_logarithm_lies_between_power_laws():
    # Mahmood's power law passes through the logarithm where its exponent changes sign.
    family = FAMILIES["mahmood_power_law"](SIZES)
    x = SIZES / SIZES[0]
    np.testing.assert_allclose(family.basis(x, 0.0), np.log(x) / np.log(x[-1]), rtol=1e-9)
    below, above = family.basis(x[1:-1], -0.1), family.basis(x[1:-1], 0.1)
    assert (above < family.basis(x[1:-1], 0.0)).all()
    assert (below > family.basis(x[1:-1], 0.0)).all()


def test_the_parts_of_the_piecewise_law_meet_in_value_and_slope(rng):
    for fit in some_fits(FAMILIES["piecewise_power_law"], rng)[:20]:
        switch = fit.parameters["N"]
        assert SIZES[1] * (1 - 1e-12) <= switch <= SIZES[-1] * (1 + 1e-12)
        log_error = np.log(1 - fit.curve(switch * np.exp([-2e-4, -1e-4, 0, 1e-4, 2e-4])))
        slopes = np.diff(log_error) / 1e-4
        np.testing.assert_allclose(slopes, fit.parameters["b"], atol=2e-3 * (1 + abs(fit.parameters["c"])))
        far = np.log(1 - fit.curve(switch * np.array([2.0, 4.0, 8.0])))
        assert np.diff(far, 2) == pytest.approx(0, abs=1e-6)


def same_curve(one, shape, other, other_shape):
    """Whether two families have one basis but for its amplitude."""
    x = ANYWHERE / SIZES[0]
    ratio = one.basis(x, *shape) / other.basis(x, *other_shape)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)


def test_burr_and_m4_are_mmf4_where_their_last_exponent_is_one(rng):
    mmf4, burr, m4 = (FAMILIES[name](SIZES) for name in ("mmf4", "burr", "m4"))
    for d, fraction in zip(rng.uniform(0.1, 3, 10), rng.random(10), strict=True):
        same_curve(burr, (d, 0.0, fraction), mmf4, (d, fraction))
        same_curve(m4, (d, fraction, 1.0), mmf4, (d, fraction))


def test_m4_is_a_power_law_long_after_its_beginning(rng):
    # Where e_0 is far away, (e_0 - e)^alpha is a constant.
    m4, power = FAMILIES["m4"](SIZES), FAMILIES["power_law"](SIZES)
    x = SIZES[-1] / SIZES[0] * np.geomspace(100, 1e6, 10)
    for c, alpha in zip(rng.uniform(0.5, 1, 10), rng.uniform(0.1, 4, 10), strict=True):
        ratio = m4.basis(x, c, 0.0, alpha) / power.basis(x, c)
        np.testing.assert_allclose(ratio, ratio[0], rtol=0.03)


def test_a_broken_law_without_a_break_is_a_power_law_and_without_a_beginning_is_burrs(rng):
    bnsl, power, burr = (FAMILIES[name](SIZES) for name in ("bnsl", "power_law", "burr"))
    for c, f, fraction in zip(rng.uniform(0.1, 1, 10), rng.uniform(0.2, 2, 10), rng.random(10), strict=True):
        same_curve(bnsl, (c, c, f, fraction), power, (c,))
        # theta3 = 1 / f and theta4 = c1 f.
        same_curve(bnsl, (0.0, c, f, fraction), burr, (c, np.log(c * f), fraction))


def test_a_broken_law_has_both_its_exponents(rng):
    family = FAMILIES["bnsl"](SIZES)
    for early, late, gradual, fraction in rng.uniform((0, 0, 0.05, 0), (2, 2, 0.5, 1), (20, 4)):
        log_break = np.log(family.to_published(1.0, 0.3, early, late, gradual, fraction)[4])
        for side, exponent in ((-1, early), (1, late)):
            x = np.exp(log_break + side * 25 * gradual + np.array([0, 0.01])) / SIZES[0]
            slope = np.diff(np.log(-family.basis(x, early, late, gradual, fraction)))[0] / 0.01
            assert -slope == pytest.approx(exponent, abs=1e-6)
