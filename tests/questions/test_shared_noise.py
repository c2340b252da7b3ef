"""Two curves with shared noise: against dense Gaussian algebra, drawn curves, and known correlations."""

import dataclasses

import numpy as np
import pytest
from scipy.special import ndtr

from apexgp import APExGP
from apexgp.inference.bayes import AveragedPosterior
from apexgp.questions.compare.shared_noise import SharedNoise, average_noise, estimate_correlations, find_difference

SIZES = np.array([60.0, 94, 147, 230, 360])
AT = np.array([60.0, 147, 200, 360, 1000, 20_000])
NOTHING = SharedNoise((np.empty(0, int), np.empty(0, int)), 0.0, 0.0, 0.0)
ALL = (np.arange(5), np.arange(5))


def fitted(rng, limit, drop, sizes=SIZES, splits=4):
    table = (limit - drop * sizes**-0.5)[:, None] + rng.normal(0, 0.02, (1, splits))
    return APExGP("power_law").fit(sizes, table + rng.normal(0, 0.01, table.shape))


@pytest.fixture(scope="module")
def first():
    return fitted(np.random.default_rng(1), 0.88, 1.6)


@pytest.fixture(scope="module")
def second():
    return fitted(np.random.default_rng(2), 0.85, 1.3, SIZES[1:], splits=5)


def with_levels(model):
    """The model's posterior, the level of each node being a number: the dense algebra knows no other."""
    return model.posterior.drawn(np.random.default_rng(0))


def only_node(model, which):
    """The model's posterior with one of its nodes for the whole truth."""
    (posterior,) = with_levels(model).posteriors
    one = dataclasses.replace(posterior.some(np.array([which])), weights=np.ones(1))
    return AveragedPosterior((one,), {"power_law": 1.0}, 0.0, np.inf, one.statistics.curve, 0)


def dense_noise(average, splits):
    """Covariance of the noise of the mean over splits: diag(v) / S + e e' / S."""
    nodes = average.posteriors[0].known
    carried = nodes.carried[:, 0]
    return (np.diag(nodes.variance[:, 0]) + np.outer(carried, carried)) / splits


def dense_kernel(left, right, average):
    (posterior,) = average.posteriors
    parameters, last = posterior.nodes.parameters, posterior.statistics.sizes[-1]
    reach = posterior.density.beliefs.reach

    def clock(sizes):
        """Logarithms of sizes up to the pilot's end, from where on they run ever slower."""
        return np.where(sizes > last, reach * (1 - (sizes / last) ** (-1 / reach)), np.log(sizes / last))

    distance = clock(left)[:, None] - clock(right)[None, :]
    return parameters["sigma"] ** 2 * np.exp(-np.abs(distance) / parameters["lam"])


def dense_joint(models, averages, shared):
    """Residuals of all mean scores, and their joint covariance."""
    residuals, blocks, parts = [], [], []
    for model, average in zip(models, averages, strict=True):
        sizes, splits = np.unique(model.curve_.sizes), len(set(model.curve_.split.tolist()))
        scores = np.array([model.curve_.scores[model.curve_.sizes == n].mean() for n in sizes])
        residuals.append(scores - average.posteriors[0].curve(sizes[:, None])[:, 0])
        blocks.append(dense_kernel(sizes, sizes, average) + dense_noise(average, splits))
        nodes = average.posteriors[0].known
        parts.append((np.sqrt(nodes.variance[:, 0] / splits), nodes.carried[:, 0] / np.sqrt(splits)))
    (single_a, carried_a), (single_b, carried_b) = parts
    cross = shared.carried * np.outer(carried_a, carried_b)
    for i, j in zip(*shared.common, strict=True):
        cross[i, j] += shared.single * single_a[i] * single_b[j]
    cross *= shared.share
    return np.concatenate(residuals), np.block([[blocks[0], cross], [cross.T, blocks[1]]])


def dense_difference(models, averages, shared):
    """E and Var of f_A - f_B given all mean scores, from one joint Gaussian over everything."""
    residual, joint = dense_joint(models, averages, shared)
    curves = [average.posteriors[0].curve(AT[:, None])[:, 0] for average in averages]
    reaches = [dense_kernel(AT, np.unique(m.curve_.sizes), a) for m, a in zip(models, averages, strict=True)]
    reach = np.hstack([reaches[0], -reaches[1]])
    gain = np.linalg.solve(joint, reach.T).T
    prior = sum(dense_kernel(AT, AT, average) for average in averages)
    return curves[0] - curves[1] + gain @ residual, np.diag(prior - gain @ reach.T)


@pytest.mark.slow
@pytest.mark.parametrize("correlations", [(-0.5, -0.7), (0.0, 0.0), (0.5, 0.0), (0.0, 0.95), (0.8, 0.9)])
@pytest.mark.parametrize("equal_sizes", [True, False])
def test_one_node_each_is_a_joint_gaussian(first, second, correlations, equal_sizes, rng):
    other = fitted(np.random.default_rng(3), 0.87, 1.5) if equal_sizes else second
    # Indices of 94 to 360 among the sizes of each.
    shared = SharedNoise(ALL if equal_sizes else (np.arange(1, 5), np.arange(4)), 0.9, *correlations)
    for _ in range(3):
        averages = [only_node(m, rng.integers(len(m.posterior.posteriors[0].weights))) for m in (first, other)]
        found = find_difference(*averages, AT, shared, seed=0)
        mean, variance = dense_difference((first, other), averages, shared)
        np.testing.assert_allclose(found.mean, mean, atol=1e-7)
        np.testing.assert_allclose(found.prob_positive, ndtr(mean / np.sqrt(variance)), atol=2e-4)


@pytest.mark.slow
def test_nodes_are_weighed_by_how_well_they_explain_both_curves(first, rng):
    """Two nodes each: the weights of the pairs are those of the joint likelihood of the scores."""
    other = fitted(np.random.default_rng(3), 0.87, 1.5)
    shared, models = SharedNoise(ALL, 1.0, 0.7, 0.9), (first, other)
    shares = [with_levels(m).posteriors[0].drop_share for m in models]
    which = [np.argsort(share)[len(share) // 2 :][:2] for share in shares]
    averages = []
    for model, nodes in zip(models, which, strict=True):
        (posterior,) = with_levels(model).posteriors
        both = dataclasses.replace(posterior.some(nodes), weights=np.array([0.3, 0.7]))
        averages.append(AveragedPosterior((both,), {"power_law": 1.0}, 0.0, np.inf, both.statistics.curve, 0))
    total, mean = 0.0, 0.0
    for i in range(2):
        for j in range(2):
            pair = [only_node(first, which[0][i]), only_node(other, which[1][j])]
            inside = dense_log_likelihood(models, pair, shared) - dense_log_likelihood(models, pair, NOTHING)
            weight = [0.3, 0.7][i] * [0.3, 0.7][j] * np.exp(inside)
            total += weight
            mean = mean + weight * dense_difference(models, pair, shared)[0]
    found = np.mean([find_difference(*averages, AT, shared, seed=seed).mean for seed in range(8)], axis=0)
    np.testing.assert_allclose(found, mean / total, atol=3e-4)


def dense_log_likelihood(models, averages, shared):
    residual, joint = dense_joint(models, averages, shared)
    return -0.5 * (residual @ np.linalg.solve(joint, residual) + np.linalg.slogdet(joint)[1])


@pytest.mark.slow
def test_without_correlation_the_curves_are_independent(first, second):
    at = np.array([60.0, 360, 1000, 3000])
    found = find_difference(first.posterior, second.posterior, at, NOTHING, seed=0)
    a, b = (model.sample_curves(20_000, at, seed=s) for s, model in enumerate((first, second)))
    error = 0.5 / np.sqrt(20_000) + 0.5 / np.sqrt(4096)
    np.testing.assert_allclose(found.prob_positive, (a > b).mean(axis=0), atol=3 * error)
    np.testing.assert_allclose(found.mean, (a - b).mean(axis=0), atol=2e-3)
    nothing = SharedNoise((np.arange(1, 5), np.arange(4)), 1.0, 0.0, 0.0)
    unpaired = find_difference(first.posterior, second.posterior, at, nothing, seed=0)
    np.testing.assert_allclose(unpaired.mean, found.mean, atol=1e-9)


def test_noise_is_the_nodes_own_averaged_by_weight(first):
    (posterior,) = first.posterior.posteriors
    single, carried = average_noise(first.posterior)
    np.testing.assert_allclose(single, posterior.known.variance @ posterior.weights)
    np.testing.assert_allclose(carried, posterior.known.carried @ posterior.weights)


NOISE = ((np.array([1.0, 0.5, 0.3]), np.array([1.2, 1.0, 0.9])), (np.array([0.6, 0.6, 0.2]), np.array([0.5, 0.7, 0.8])))


def noisy_scores(rng, single, carried, splits, noise=NOISE):
    def pair(shape, rho):
        z = rng.standard_normal((2, *shape))
        z[1] = rho * z[0] + np.sqrt(1 - rho**2) * z[1]
        return z

    e, b = pair((splits, len(noise[0][0])), single), pair((splits, 1), carried)
    return [0.7 + 0.01 * (np.sqrt(v) * e[i] + c * b[i]) for i, (v, c) in enumerate(noise)]


@pytest.mark.parametrize(("single", "carried"), [(0.0, 0.0), (0.0, 0.9), (0.8, 0.0), (-0.5, 0.6), (0.9, 0.95)])
def test_many_splits_tell_both_correlations(rng, single, carried):
    scores = noisy_scores(rng, single, carried, 3000)
    found = estimate_correlations(*scores, NOISE)
    np.testing.assert_allclose(found, (single, carried), atol=0.05)
    # The noise matters up to a factor only.
    scaled = [(v * k**2, c * k) for (v, c), k in zip(NOISE, (0.01, 7.0), strict=True)]
    np.testing.assert_allclose(estimate_correlations(*scores, scaled), found, atol=1e-9)


@pytest.mark.slow
def test_few_splits_say_little(rng):
    few, many = (
        [estimate_correlations(*noisy_scores(rng, 0.0, 0.9, splits), NOISE)[1] for _ in range(40)] for splits in (2, 20)
    )
    assert 0 < np.mean(few) < 0.6 < np.mean(many) < 0.95
    assert estimate_correlations(*noisy_scores(rng, 0.0, 0.9, 1), NOISE) == (0.0, 0.0)
    same = np.full((5, 3), 0.7)
    assert estimate_correlations(same, same, NOISE) == (0.0, 0.0)
