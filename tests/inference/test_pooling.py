"""Independent integrals, pooled."""

from dataclasses import replace

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve
from apexgp.inference.pooling import PooledPosterior, pool
from apexgp.inference.rounds import POOLING

CURVE = LearningCurve([60, 94, 147, 230, 360], [[0.66, 0.67], [0.70, 0.71], [0.72, 0.73], [0.75, 0.76], [0.76, 0.77]])
SIZES, SCORES = np.array([500.0, 3600.0, 1e5]), np.array([0.79, 0.8, 0.85])


@pytest.fixture(scope="module")
def fit():
    return APExGP("auto").fit(CURVE).posterior


def chances(posterior):
    return posterior.node_weights @ posterior.chances(SIZES, SCORES, "expected")


def test_one_integral_is_pooled_to_itself(fit):
    for posterior in fit.posteriors:
        one = pool([posterior])
        for name in ("weights", "masses", "log_evidence", "effective_size", "end_bounds", "evaluations"):
            np.testing.assert_allclose(getattr(one, name), getattr(posterior, name), rtol=1e-12, err_msg=name)
    np.testing.assert_allclose(chances(fit.pool_integrals(1).whole), chances(fit), rtol=1e-12)
    told = fit.standard_error(SIZES, SCORES, "expected")
    np.testing.assert_allclose(fit.pool_integrals(1).standard_error(SIZES, SCORES, "expected"), told)


def test_evidence_is_the_mean_and_probabilities_are_weighted_by_it(fit):
    """Whichever is done first: averaging over means, or over integrals."""
    pooled = fit.pool_integrals(3)
    evidence = np.exp([one.log_evidence for one in pooled.integrals])
    assert np.exp(pooled.whole.log_evidence) == pytest.approx(evidence.mean())
    weighted = evidence @ [chances(one) for one in pooled.integrals] / evidence.sum()
    np.testing.assert_allclose(chances(pooled.whole), weighted, rtol=1e-9)
    for number, mean in enumerate(pooled.whole.posteriors):
        own = np.exp([one.posteriors[number].log_evidence for one in pooled.integrals])
        assert np.exp(mean.log_evidence) == pytest.approx(own.mean())


def test_a_pool_grows_by_the_same_integrals_and_is_the_same_again(fit):
    at_once, grown = fit.pool_integrals(4), fit.pool_integrals(2).pool_integrals(4)
    np.testing.assert_array_equal(chances(grown.whole), chances(at_once.whole))
    assert len({one.log_evidence for one in at_once.integrals}) == 4
    assert at_once.integrals[0] is fit


def test_equal_integrals_leave_only_the_error_that_one_tells_of_itself(fit):
    count, worth = 5, POOLING.told_worth
    told = fit.standard_error(SIZES, SCORES, "expected")
    error = PooledPosterior((fit,) * count).standard_error(SIZES, SCORES, "expected")
    np.testing.assert_allclose(error, told * np.sqrt(worth / count / (worth + count - 1)), rtol=1e-6)


def test_the_scatter_of_equal_evidence_is_that_of_a_mean():
    fit = APExGP().fit(CURVE).posterior
    same = [
        replace(one, posteriors=tuple(replace(p, log_evidence=0.0) for p in one.posteriors))
        for one in fit.pool_integrals(4).integrals
    ]
    count, worth = len(same), POOLING.told_worth
    told = fit.standard_error(SIZES, SCORES, "expected")
    of_mean = np.var([chances(one) for one in same], axis=0, ddof=1) / count
    expected = np.sqrt((worth * told**2 / count + (count - 1) * of_mean) / (worth + count - 1))
    error = PooledPosterior(tuple(same)).standard_error(SIZES, SCORES, "expected")
    np.testing.assert_allclose(error, expected, rtol=1e-6)


@pytest.mark.slow
def test_the_error_of_a_pool_is_that_over_seeds():
    pools = [APExGP(seed=seed).fit(CURVE).posterior.pool_integrals(4) for seed in range(16)]
    told = np.median([one.standard_error(SIZES, SCORES, "expected") for one in pools], axis=0)
    scatter = np.std([chances(one.whole) for one in pools], axis=0, ddof=1)
    assert ((told / scatter > 0.5) & (told / scatter < 2)).all()


def test_the_number_of_integrals_is_bounded_by_what_they_cost(fit):
    assert POOLING.count_affordable(1) == POOLING.most
    assert POOLING.count_affordable(10**9) == POOLING.fewest
    assert POOLING.fewest <= fit.most_integrals <= POOLING.most
