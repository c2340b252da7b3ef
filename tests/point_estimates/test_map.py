from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from apexgp.model.means import MEANS, PAPER_MEANS
from apexgp.model.paper_priors import PUBLISHED, WRITTEN
from apexgp.point_estimates.map import condition, fit_map
from apexgp.point_estimates.map_problem import MapProblem, log_likelihood
from apexgp.point_estimates.optimise import draw_starts

SIZES = np.array([60.0, 94, 147, 230, 360])
SCORES = np.array([0.66, 0.705, 0.722, 0.755, 0.768])


@pytest.fixture(
    params=[(m, v) for m in PAPER_MEANS for v in (PUBLISHED, WRITTEN)], ids=lambda c: f"{c[0]}-base{c[1].log_base:.0f}"
)
def problem(request):
    mean, variant = request.param
    return MapProblem(MEANS[mean], SIZES, SCORES, 0.95, variant)


@pytest.mark.slow
def test_gradient_is_that_of_finite_differences(problem):
    for point in draw_starts(problem.ranges, 5, seed=1):
        _, gradient = problem(point[None])
        steps = 1e-6 * problem.scales
        for i, step in enumerate(steps):
            up, down = point.copy(), point.copy()
            up[i] += step
            down[i] -= step
            expected = (problem(up[None])[0][0] - problem(down[None])[0][0]) / (2 * step)
            assert gradient[0, i] == pytest.approx(expected, rel=1e-4, abs=1e-4 * np.abs(gradient).max())


def test_objective_is_likelihood_times_priors(problem):
    point = draw_starts(problem.ranges, 1, seed=2)[0]
    *_, tau, sigma, lam = point
    logs = np.log(SIZES) / np.log(problem.variant.log_base)
    covariance = sigma**2 * np.exp(-((logs[:, None] - logs) ** 2) / (2 * lam**2)) + tau**2 * np.eye(5)
    expected = stats.multivariate_normal(problem.curve(point, SIZES), covariance).logpdf(SCORES)
    for value, prior in (
        (tau, (0.01, 0.01)),
        (lam, (problem.variant.lambda_prior.loc, problem.variant.lambda_prior.scale)),
    ):
        expected += stats.truncnorm(-prior[0] / prior[1], np.inf, loc=prior[0], scale=prior[1]).logpdf(value)
    s = problem.sigma_prior
    expected += stats.truncnorm(-s.loc / s.scale, np.inf, loc=s.loc, scale=s.scale).logpdf(sigma)
    assert -problem(point[None])[0][0] == pytest.approx(expected, rel=1e-10)


def test_without_priors_the_objective_is_the_likelihood_alone(problem):
    flat = replace(problem, flat=True)
    point = draw_starts(problem.ranges, 1, seed=2)[0]
    *_, tau, sigma, lam = point
    logs = np.log(SIZES) / np.log(problem.variant.log_base)
    covariance = sigma**2 * np.exp(-((logs[:, None] - logs) ** 2) / (2 * lam**2)) + tau**2 * np.eye(5)
    expected = stats.multivariate_normal(problem.curve(point, SIZES), covariance).logpdf(SCORES)
    assert -flat(point[None])[0][0] == pytest.approx(expected, rel=1e-10)
    steps = 1e-6 * flat.scales
    _, gradient = flat(point[None])
    slopes = [(flat((point + h)[None])[0][0] - flat((point - h)[None])[0][0]) / (2 * h.max()) for h in np.diag(steps)]
    np.testing.assert_allclose(gradient[0], slopes, rtol=1e-4, atol=1e-4 * np.abs(gradient).max())


@pytest.mark.slow
@pytest.mark.parametrize("mean", PAPER_MEANS)
def test_without_priors_the_most_likely_parameters_are_found(mean):
    with_priors = MapProblem(MEANS[mean], SIZES, SCORES, 0.95, PUBLISHED)
    flat = replace(with_priors, flat=True)
    found = fit_map(flat)
    assert found.converged
    assert found.objective >= -flat(fit_map(with_priors).point[None])[0][0] - 1e-9
    assert all(found.objective >= fit_map(flat, seed=seed).objective - 1e-6 for seed in (1, 2))


@pytest.mark.slow
def test_curvature_is_the_expected_hessian(problem, rng):
    point = draw_starts(problem.ranges, 1, seed=2)[0]
    *_, tau, sigma, lam = point
    logs = np.log(SIZES) / np.log(problem.variant.log_base)
    covariance = sigma**2 * np.exp(-((logs[:, None] - logs) ** 2) / (2 * lam**2)) + tau**2 * np.eye(5)
    # Fisher's information is the covariance of the score over data drawn from the model.
    draws = rng.multivariate_normal(problem.curve(point, SIZES), covariance, 4_000)
    prior = np.array(
        [0.0] * (len(point) - 3) + [p.log_pdf_slope(v) for p, v in zip(problem._priors, (tau, sigma, lam), strict=True)]
    )
    scores = []
    for y in draws:
        varied = MapProblem(problem.mean, SIZES, y, 0.95, problem.variant)
        object.__setattr__(varied, "sigma_prior", problem.sigma_prior)
        scores.append(-varied(point[None])[1][0] - prior)
    expected = np.cov(np.array(scores).T)
    index = np.arange(len(point))
    expected[index[-3:], index[-3:]] += [p.scale**-2 for p in problem._priors]
    ours = problem.curvature(point[None])[0]
    size = np.sqrt(np.diag(ours))
    np.testing.assert_allclose(ours / np.outer(size, size), expected / np.outer(size, size), atol=0.1)


@pytest.mark.slow
def test_finds_as_good_an_optimum_as_scipy_from_more_starts(problem):
    low, high = problem.bounds
    scales = problem.scales
    best = min(
        optimize.minimize(
            lambda z: (lambda v, g: (v[0], g[0] * scales))(*problem((z * scales)[None])),
            np.clip(start, low, high) / scales,
            jac=True,
            method="L-BFGS-B",
            bounds=list(zip(low / scales, high / scales, strict=True)),
            options={"maxiter": 3000, "ftol": 1e-15, "gtol": 1e-8},
        ).fun
        for start in draw_starts(problem.ranges, 16, seed=9)
    )
    found = fit_map(problem)
    assert found.converged
    assert -found.objective <= best + 1e-5


@pytest.mark.slow
def test_predictive_is_that_of_scikit_learn(problem):
    found = fit_map(problem)
    *_, tau, sigma, lam = found.point
    new = np.array([40.0, 100, 720, 5000])

    def features(sizes):
        return (np.log(sizes) / np.log(problem.variant.log_base))[:, None]

    other = GaussianProcessRegressor(
        ConstantKernel(sigma**2, "fixed") * RBF(lam, "fixed"), alpha=tau**2, optimizer=None
    ).fit(features(SIZES), SCORES - found.curve(SIZES))
    mean, covariance = other.predict(features(new), return_cov=True)
    (location,), (scale,), _ = found.predict(new)
    np.testing.assert_allclose(location, found.curve(new) + mean, rtol=1e-9)
    np.testing.assert_allclose(scale**2, np.diag(covariance) + tau**2, rtol=1e-7)


def test_conditional_mean_and_covariance_are_that_of_scikit_learn(rng):
    x, new = np.sort(rng.uniform(1, 3, 6))[:, None], np.sort(rng.uniform(1, 5, 4))[:, None]
    y = rng.normal(size=6)

    def kernel(a, b):
        return 0.3**2 * np.exp(-((a - b.T) ** 2) / (2 * 0.7**2))

    mean, half = condition(y, kernel(x, x) + 0.1**2 * np.eye(6), kernel(x, new))
    other = GaussianProcessRegressor(ConstantKernel(0.3**2, "fixed") * RBF(0.7, "fixed"), alpha=0.1**2, optimizer=None)
    expected, expected_covariance = other.fit(x, y).predict(new, return_cov=True)
    np.testing.assert_allclose(mean, expected, rtol=1e-9)
    np.testing.assert_allclose(kernel(new, new) - half.T @ half, expected_covariance, rtol=1e-7, atol=1e-12)


def test_log_likelihood_agrees_with_scipy(rng):
    root = rng.normal(size=(3, 4, 4))
    covariance = root @ root.swapaxes(1, 2) + 0.1 * np.eye(4)
    residual = rng.normal(size=(3, 4))
    value, _, _ = log_likelihood(residual, covariance)
    expected = [stats.multivariate_normal(np.zeros(4), c).logpdf(r) for c, r in zip(covariance, residual, strict=True)]
    np.testing.assert_allclose(value, expected, rtol=1e-10)
