import numpy as np
import pytest
from scipy import optimize

from apexgp.point_estimates.optimise import minimise


def rosenbrock(points):
    x = points
    value = (100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2).sum(axis=1)
    gradient = np.array([optimize.rosen_der(row) for row in x])
    return value, gradient


def identity(points):
    return np.broadcast_to(np.eye(points.shape[1]), (len(points), points.shape[1], points.shape[1])).copy()


def test_finds_the_free_minimum_of_rosenbrocks_function(rng):
    found = minimise(
        rosenbrock,
        rng.uniform(-2, 2, (6, 4)),
        np.full(4, -np.inf),
        np.full(4, np.inf),
        curvature=identity,
        scales=np.ones(4),
    )
    assert found.converged
    np.testing.assert_allclose(found.x, 1.0, atol=1e-5)


@pytest.mark.slow
def test_agrees_with_scipy_on_random_boxed_quadratics(rng):
    for _ in range(30):
        d = 5
        root = rng.normal(size=(d, d))
        hessian = root @ root.T + 0.1 * np.eye(d)
        centre = rng.normal(size=d) * 2
        lower, upper = -rng.random(d), rng.random(d)

        def quadratic(points, hessian=hessian, centre=centre):
            gap = points - centre
            return 0.5 * np.einsum("bi,ij,bj->b", gap, hessian, gap), gap @ hessian

        found = minimise(
            quadratic,
            rng.uniform(lower, upper, (3, d)),
            lower,
            upper,
            curvature=identity,
            scales=rng.uniform(0.2, 2, d),
        )
        other = optimize.minimize(
            lambda x, f=quadratic: (lambda v, g: (v[0], g[0]))(*f(x[None])),
            np.zeros(d),
            jac=True,
            method="L-BFGS-B",
            bounds=list(zip(lower, upper, strict=True)),
            options={"ftol": 1e-15, "gtol": 1e-10},
        )
        assert found.converged
        assert found.value == pytest.approx(other.fun, abs=1e-7)


def test_one_start_of_several_that_reaches_the_deepest_valley_wins():
    def double_well(points):
        x = points[:, 0]
        return (x**2 - 1) ** 2 + 0.3 * x, (4 * x * (x**2 - 1) + 0.3)[:, None]

    found = minimise(
        double_well,
        np.array([[0.9], [1.1], [-0.8]]),
        np.array([-2.0]),
        np.array([2.0]),
        curvature=identity,
        scales=np.ones(1),
    )
    assert found.x[0] < -0.9


def test_says_when_it_did_not_settle():
    found = minimise(
        rosenbrock,
        np.array([[-1.5, 2.0]]),
        np.full(2, -np.inf),
        np.full(2, np.inf),
        curvature=identity,
        scales=np.ones(2),
        max_iterations=3,
    )
    assert not found.converged
    assert found.value <= rosenbrock(np.array([[-1.5, 2.0]]))[0][0]
