"""Two curves with shared noise: against dense Gaussian algebra, drawn curves, and known correlations."""

import dataclasses

import numpy as np
import pytest
from scipy.special import ndtr

from apexgp import APExGP
from apexgp.inference.averaging import Average
from apexgp.inference.pairing import difference, noise_of, shared_correlation

SIZES = np.array([60.0, 94, 147, 230, 360])
AT = np.array([60.0, 147, 200, 360, 1000, 20_000])
NOTHING = (np.empty(0, int), np.empty(0, int))


def fitted(rng, limit, drop, sizes=SIZES, splits=4):
    table = (limit - drop * sizes**-0.5)[:, None] + rng.normal(0, 0.02, (1, splits))
    return APExGP("power_law").fit(sizes, table + rng.normal(0, 0.01, table.shape))


@pytest.fixture(scope="module")
def first():
    return fitted(np.random.default_rng(1), 0.88, 1.6)


@pytest.fixture(scope="module")
def second():
    return fitted(np.random.default_rng(2), 0.85, 1.3, SIZES[1:], splits=5)


def only_node(model, which):
    """The model's posterior with one of its nodes for the whole truth."""
    (posterior,) = model.posterior.posteriors
    one = dataclasses.replace(posterior.some(np.array([which])), weights=np.ones(1))
    return Average((one,), {"power_law": 1.0}, 0.0)


def dense_noise(average, splits):
    """Covariance of the noise of the mean over splits: diag(v) / S + e e' / S."""
    nodes = average.posteriors[0].nodes
    carried = nodes.carried[:, 0]
    return (np.diag(nodes.variance[:, 0]) + np.outer(carried, carried)) / splits


def dense_kernel(left, right, average):
    parameters = average.posteriors[0].nodes.parameters
    distance = np.log(left)[:, None] - np.log(right)[None, :]
    return parameters["sigma"] ** 2 * np.exp(-0.5 * (distance / parameters["lam"]) ** 2)


def dense_difference(models, averages, correlation, common):
    """E and Var of f_A - f_B given all mean scores, from one joint Gaussian over everything."""
    sizes = [np.unique(model.curve_.sizes) for model in models]
    means, curves, blocks, reaches, noises = [], [], [], [], []
    for model, average, own in zip(models, averages, sizes, strict=True):
        splits = len(set(model.curve_.split.tolist()))
        scores = np.array([model.curve_.scores[model.curve_.sizes == n].mean() for n in own])
        means.append(scores - average.posteriors[0].curve(own[:, None])[:, 0])
        curves.append(average.posteriors[0].curve(AT[:, None])[:, 0])
        noises.append(dense_noise(average, splits))
        blocks.append(dense_kernel(own, own, average) + noises[-1])
        reaches.append(dense_kernel(AT, own, average))
    # Noise that both share: correlated between the common sizes as within each model; passed on to the other sizes.
    roots = []
    for noise, rows in zip(noises, common, strict=True):
        root = np.linalg.cholesky(noise[np.ix_(rows, rows)])
        roots.append(np.linalg.solve(root, noise[rows]).T)
    cross = correlation * roots[0] @ roots[1].T
    joint = np.block([[blocks[0], cross], [cross.T, blocks[1]]])
    reach = np.hstack([reaches[0], -reaches[1]])
    gain = np.linalg.solve(joint, reach.T).T
    mean = curves[0] - curves[1] + gain @ np.concatenate(means)
    prior = sum(dense_kernel(AT, AT, average) for average in averages)
    return mean, np.diag(prior - gain @ reach.T)


@pytest.mark.parametrize("correlation", [-0.7, 0.0, 0.5, 0.85])
@pytest.mark.parametrize("equal_sizes", [True, False])
def test_one_node_each_is_a_joint_gaussian(first, second, correlation, equal_sizes, rng):
    other = fitted(np.random.default_rng(3), 0.87, 1.5) if equal_sizes else second
    # Indices of 94 to 360 among the sizes of each.
    common = (np.arange(5), np.arange(5)) if equal_sizes else (np.arange(1, 5), np.arange(4))
    for _ in range(3):
        averages = [only_node(m, rng.integers(len(m.posterior.posteriors[0].weights))) for m in (first, other)]
        found = difference(*averages, AT, correlation, common, seed=0)
        mean, variance = dense_difference((first, other), averages, correlation, common)
        np.testing.assert_allclose(found.mean, mean, atol=1e-7)
        np.testing.assert_allclose(found.prob_positive, ndtr(mean / np.sqrt(variance)), atol=2e-4)


def test_nodes_are_weighed_by_how_well_they_explain_both_curves(first, rng):
    """Two nodes each: the weights of the pairs are those of the joint likelihood of the scores."""
    other = fitted(np.random.default_rng(3), 0.87, 1.5)
    common, correlation, models = (np.arange(5), np.arange(5)), 0.9, (first, other)
    which = [np.argsort(m.posterior.posteriors[0].weights)[-2:] for m in models]
    averages = []
    for model, nodes in zip(models, which, strict=True):
        (posterior,) = model.posterior.posteriors
        both = dataclasses.replace(posterior.some(nodes), weights=np.array([0.3, 0.7]))
        averages.append(Average((both,), {"power_law": 1.0}, 0.0))
    total, mean = 0.0, 0.0
    for i in range(2):
        for j in range(2):
            pair = [only_node(first, which[0][i]), only_node(other, which[1][j])]
            inside = dense_log_likelihood(models, pair, correlation) - dense_log_likelihood(models, pair, 0.0)
            weight = [0.3, 0.7][i] * [0.3, 0.7][j] * np.exp(inside)
            total += weight
            mean = mean + weight * dense_difference(models, pair, correlation, common)[0]
    found = difference(*averages, AT, correlation, common, seed=0)
    np.testing.assert_allclose(found.mean, mean / total, atol=3e-4)


def dense_log_likelihood(models, averages, correlation):
    residual, blocks, roots = [], [], []
    for model, average in zip(models, averages, strict=True):
        noise = dense_noise(average, len(set(model.curve_.split.tolist())))
        scores = np.array([model.curve_.scores[model.curve_.sizes == n].mean() for n in SIZES])
        residual.append(scores - average.posteriors[0].curve(SIZES[:, None])[:, 0])
        blocks.append(dense_kernel(SIZES, SIZES, average) + noise)
        roots.append(np.linalg.cholesky(noise))
    cross = correlation * roots[0] @ roots[1].T
    joint, together = np.block([[blocks[0], cross], [cross.T, blocks[1]]]), np.concatenate(residual)
    return -0.5 * (together @ np.linalg.solve(joint, together) + np.linalg.slogdet(joint)[1])


def test_without_correlation_the_curves_are_independent(first, second):
    at = np.array([60.0, 360, 1000, 3000])
    found = difference(first.posterior, second.posterior, at, 0.0, NOTHING, seed=0)
    a, b = (model.sample_curves(20_000, at, seed=s) for s, model in enumerate((first, second)))
    error = 0.5 / np.sqrt(20_000) + 0.5 / np.sqrt(4096)
    np.testing.assert_allclose(found.prob_positive, (a > b).mean(axis=0), atol=3 * error)
    np.testing.assert_allclose(found.mean, (a - b).mean(axis=0), atol=2e-3)
    unpaired = difference(first.posterior, second.posterior, at, 0.0, (np.arange(1, 5), np.arange(4)), seed=0)
    np.testing.assert_allclose(unpaired.mean, found.mean, atol=1e-9)


def test_noise_is_that_of_the_mean_over_splits(first):
    # The nodes' own noise, averaged by weight.
    (posterior,) = first.posterior.posteriors
    nodes = posterior.nodes
    expected = sum(
        w * (np.diag(nodes.variance[:, n]) + np.outer(nodes.carried[:, n], nodes.carried[:, n])) / 4
        for n, w in enumerate(posterior.weights)
    )
    np.testing.assert_allclose(noise_of(first.posterior), expected, rtol=1e-5, atol=1e-12)


def noisy_scores(rng, rho, splits, covariances):
    z = rng.standard_normal((2, splits, len(covariances[0])))
    z[1] = rho * z[0] + np.sqrt(1 - rho**2) * z[1]
    return [0.7 + 0.01 * z[i] @ np.linalg.cholesky(c).T for i, c in enumerate(covariances)]


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.3, 0.9])
def test_many_splits_tell_their_correlation(rng, rho):
    shape = rng.standard_normal((2, 3, 3))
    covariances = tuple(s @ s.T + np.eye(3) for s in shape)
    scores = noisy_scores(rng, rho, 3000, covariances)
    assert shared_correlation(*scores, covariances) == pytest.approx(rho, abs=0.03)
    # Covariances matter up to a factor only.
    scaled = (covariances[0] * 1e-4, covariances[1] * 7)
    assert shared_correlation(*scores, scaled) == pytest.approx(shared_correlation(*scores, covariances), abs=1e-9)


def test_few_splits_say_little(rng):
    one = (np.eye(1), np.eye(1))
    few, many = (
        [shared_correlation(*noisy_scores(rng, 0.9, splits, one), one) for _ in range(200)] for splits in (2, 20)
    )
    # Of two splits the plain correlation is always 1 or -1.
    assert np.abs(few).max() < 0.6
    assert np.mean(few) < 0.5 < np.mean(many) < 0.9
    assert shared_correlation(*noisy_scores(rng, 0.9, 1, one), one) == 0.0
    same = np.full((5, 1), 0.7)
    assert shared_correlation(same, same, one) == 0.0
