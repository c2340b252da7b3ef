"""The best linear predictor against textbook regression, and the laws of Bayes risks."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from apexgp.design.knowledge import Knowledge, from_posterior
from apexgp.design.linear import LinearPredictor
from apexgp.design.plans import Design

SIZES = np.array([50.0, 100.0, 200.0, 400.0, 800.0, 8000.0])
ASKED = SIZES[[3, 5]]


def line_through_noise(labelled=True, nodes=1):
    """f = a + b log(x), (a, b) normal, noise of both kinds that shrinks: known in closed form."""
    basis = np.stack([np.ones(6), np.log(SIZES / 200)], axis=1)
    prior = np.array([[0.01, 0.002], [0.002, 0.004]])
    single, carried = 0.02 * (SIZES / 200) ** -0.3, 0.03 * (SIZES / 200) ** -0.3
    covariance = basis @ prior @ basis.T
    known = Knowledge(
        SIZES,
        np.full(nodes, 1 / nodes),
        np.full((6, nodes), 0.8),
        np.repeat(covariance[:, :, None], nodes, axis=2),
        np.repeat(single[:, None] ** 2, nodes, axis=1),
        np.repeat(carried[:, None], nodes, axis=1),
        labelled,
    )
    return known, basis, prior, single, carried


def regression(design, labelled):
    """Spread of f at the asked sizes after single scores y[s, r], by the information that each split adds."""
    _, basis, prior, single, carried = line_through_noise()
    at = np.searchsorted(SIZES, design.sizes)
    noise = np.diag(single[at] ** 2) + (np.outer(carried[at], carried[at]) if labelled else np.diag(carried[at] ** 2))
    precision = np.linalg.inv(prior)
    for _ in range(design.n_splits):
        precision += basis[at].T @ np.linalg.inv(noise) @ basis[at]
    asked = basis[np.searchsorted(SIZES, ASKED)]
    return np.sqrt(np.diag(asked @ np.linalg.inv(precision) @ asked.T))


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("nodes", [1, 7])
@pytest.mark.parametrize("design", [Design((50.0,), 1), Design((100.0, 800.0), 4), Design((50.0, 100.0, 200.0), 12)])
def test_a_line_through_noise_agrees_with_regression(design, nodes, labelled):
    known, *_ = line_through_noise(labelled, nodes)
    predictor = LinearPredictor(known.by_noise(), ASKED)
    assert_allclose(predictor.after(design), regression(design, labelled), rtol=1e-6)


def test_nodes_that_are_draws_give_what_one_gaussian_gives():
    known, basis, prior, *_ = line_through_noise()
    rng = np.random.default_rng(0)
    count = 40_000
    drawn = Knowledge(
        SIZES,
        np.full(count, 1 / count),
        0.8 + basis @ np.linalg.cholesky(prior) @ rng.standard_normal((2, count)),
        np.broadcast_to(0.0, (6, 6, count)),
        np.repeat(known.single, count, axis=1),
        np.repeat(known.carried, count, axis=1),
    )
    design = Design((50.0, 800.0), 3)
    one, many = (LinearPredictor([(1.0, some)], ASKED) for some in (known, drawn))
    assert_allclose(many.now(), one.now(), rtol=0.02)
    assert_allclose(many.after(design), one.after(design), rtol=0.02)


@pytest.fixture(scope="module")
def predictor(model):
    known = from_posterior(model.posterior, np.array([60, 94, 147, 230, 360, 510, 720, 1000, 3600.0]))
    return LinearPredictor(known.by_noise(), np.array([720.0, 3600.0]))


@pytest.mark.slow
@pytest.mark.parametrize("continued", [False, True])
def test_a_design_that_holds_another_leaves_no_more(predictor, continued):
    rng = np.random.default_rng(1)
    sizes = np.array([510, 720, 1000.0]) if continued else np.array([60, 94, 147, 230, 360, 510, 720, 1000.0])
    for _ in range(30):
        order = rng.permutation(sizes)
        grown = [Design(tuple(sorted(order[: k + 1])), 3, continued) for k in range(len(order))]
        left = [predictor.now(), *map(predictor.after, grown)]
        assert all((later <= earlier * (1 + 1e-9)).all() for earlier, later in pairwise(left))


def test_more_splits_leave_no_more(predictor):
    for sizes in ((360.0,), (60.0, 360.0), (94.0, 720.0, 1000.0)):
        left = [predictor.after(Design(sizes, count)) for count in (1, 2, 3, 10, 100, 10_000)]
        assert all((later <= earlier * (1 + 1e-9)).all() for earlier, later in pairwise(left))
    # At the size itself, many splits leave next to nothing.
    assert predictor.after(Design((720.0,), 10**9))[0] < 0.01 * predictor.now()[0]
