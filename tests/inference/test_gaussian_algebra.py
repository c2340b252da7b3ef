"""Gaussian algebra over many nodes, against plain matrices."""

import numpy as np
import pytest

from apexgp.inference.gaussian_algebra import by_factor, by_filter, cholesky, log_product


def ornstein_uhlenbeck(left, right, variance, lam):
    return variance * np.exp(-np.abs(np.log(left)[:, None] - np.log(right)[None, :]) / lam)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("count", [1, 2, 9, 24])
def test_the_filter_gives_what_plain_matrices_give(count, shared, rng):
    sizes, ahead = np.sort(rng.uniform(20, 5000, count)), np.array([1.0, 2.0, 30.0])
    variance, lam = rng.lognormal(-4, 2, (1, 5)), rng.lognormal(0, 1, (1, 5))
    columns, own = rng.normal(size=(count, 3, 1, 5)), rng.lognormal(-8, 2, (count, 1, 5))
    common = 0.05 * rng.normal(size=(count, 1, 5)) if shared else None
    kept = np.exp(-np.diff(np.log(sizes))[:, None, None] / lam)
    left = np.exp(-np.log(ahead)[:, None, None] / lam)
    ours = by_filter(columns.copy(), own, common, variance, kept, left)
    for node in range(5):
        at = 0, node
        total = ornstein_uhlenbeck(sizes, sizes, variance[at], lam[at]) + np.diag(own[:, *at])
        if common is not None:
            total += np.outer(common[:, *at], common[:, *at])
        a, k = columns[:, :, *at], ornstein_uhlenbeck(sizes, ahead * sizes[-1], variance[at], lam[at])
        np.testing.assert_allclose(ours.gram[:, :, *at], a.T @ np.linalg.solve(total, a), rtol=1e-7)
        np.testing.assert_allclose(ours.log_determinant[at], 0.5 * np.linalg.slogdet(total)[1], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(ours.pulls[:, :, *at], k.T @ np.linalg.solve(total, a), rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(
            ours.explained[:, *at], np.diag(k.T @ np.linalg.solve(total, k)), rtol=1e-7, atol=1e-12
        )


def test_the_factor_gives_what_plain_matrices_give(rng):
    root = rng.normal(size=(6, 6))
    total = root @ root.T + np.eye(6)
    a, k = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    ours = by_factor(a[:, :, None, None], cholesky(total[:, :, None, None]), k[:, :, None, None])
    np.testing.assert_allclose(ours.gram[:, :, 0, 0], a.T @ np.linalg.solve(total, a))
    np.testing.assert_allclose(ours.log_determinant[0, 0], 0.5 * np.linalg.slogdet(total)[1])
    np.testing.assert_allclose(ours.pulls[:, :, 0, 0], k.T @ np.linalg.solve(total, a))
    np.testing.assert_allclose(ours.explained[:, 0, 0], np.diag(k.T @ np.linalg.solve(total, k)))


@pytest.mark.parametrize("power", [0, 39, -39, -100])
def test_a_product_that_no_float_holds_has_its_logarithm(power):
    usual, far = np.geomspace(0.5, 40, 11), np.geomspace(0.5, 40, 11) * 10.0**power
    found = log_product(np.stack([usual, far], axis=1))
    np.testing.assert_allclose(found, [np.log(usual).sum(), np.log(far).sum()], rtol=1e-13)
