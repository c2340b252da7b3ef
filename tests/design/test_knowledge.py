"""What nodes know of new scores, against dense Gaussian algebra and against what is drawn from them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from apexgp import APExGP, LearningCurve
from apexgp.design.knowledge import from_posterior
from apexgp.design.linear import LinearPredictor, _moments
from apexgp.design.plans import Design
from apexgp.design.prior_curves import from_priors
from apexgp.design.simulated import imagine

PILOT = np.array([60.0, 120.0, 240.0])
SIZES = np.array([60.0, 120.0, 240.0, 480.0, 960.0])
SCORES = np.array([[0.70, 0.74, 0.79], [0.72, 0.76, 0.80], [0.69, 0.75, 0.78]])


@pytest.fixture(scope="module")
def fitted():
    return APExGP("power_law").fit(PILOT, SCORES.T)


@pytest.fixture(scope="module")
def posterior(fitted):
    """Levels being numbers, as the algebra below has them."""
    return fitted.posterior.drawn(np.random.default_rng(0))


@pytest.fixture(scope="module")
def known(posterior):
    return from_posterior(posterior, SIZES)


def test_own_splits_that_go_on_agree_with_dense_algebra(posterior, known):
    """For some nodes: the mean over the pilot's splits at new sizes, given all scores of the pilot."""
    (posterior,) = posterior.posteriors
    new, splits, later = [3, 4], len(SCORES), SIZES[3:]
    for node in (0, 17, 200):
        one = {name: value[node] for name, value in posterior.nodes.parameters.items()}
        kernel = posterior.density.kernel(SIZES, SIZES, PILOT[-1], one)
        single, carried = known.single[:, node], known.carried[:, node]
        mean = posterior.curve(SIZES[:, None])[:, node]
        # All scores of the pilot, split after split; then f, then the means over splits at the later sizes.
        every = len(SIZES)
        pick = np.zeros((3, every))
        pick[range(3), range(3)] = 1
        scores = np.block([[pick @ kernel @ pick.T] * splits] * splits)
        scores += np.kron(np.eye(splits), np.outer(carried[:3], carried[:3]) + np.diag(single[:3]))
        with_f = np.vstack([pick @ kernel] * splits)
        with_new = np.vstack([pick @ kernel[:, new]] * splits)
        with_new = with_new + np.vstack([np.outer(carried[:3], carried[new]) / splits] * splits)
        f_new = kernel[:, new]
        new_new = kernel[np.ix_(new, new)] + (np.outer(carried[new], carried[new]) + np.diag(single[new])) / splits
        gain = np.linalg.solve(scores, np.hstack([with_f, with_new]))
        residual = SCORES.ravel() - np.tile(mean[:3], splits)
        expected = np.append(mean, mean[new]) + gain.T @ residual
        joint = np.block([[kernel, f_new], [f_new.T, new_new]]) - np.hstack([with_f, with_new]).T @ gain
        own = known.own
        location = known.location[:, node]
        assert_allclose(location, expected[:every], rtol=1e-8)
        assert_allclose((location + own.shift[:, node])[new], expected[every:], rtol=1e-8)
        effect, weight = own.with_curve[:, node], own.weight[new, node]
        crossed = known.covariance[:, new, node] + effect[:, None] * weight
        assert_allclose(crossed, joint[:every, every:], atol=1e-10)
        assert len(later) == len(new)
        variance = (
            known.covariance[new, new, node]
            + 2 * weight * effect[new]
            + weight**2 * own.variance[node]
            + own.single[new, node]
        )
        assert_allclose(variance, np.diag(joint)[every:], atol=1e-10)
        # What is left of f at the last size after the splits have gone on at both sizes, and at one.
        _, one_node = known._some(np.array([node]))
        predictor = LinearPredictor([(1.0, one_node)], SIZES[-1:])
        for sizes, at in (((480.0,), [every]), ((480.0, 960.0), [every, every + 1])):
            told = joint[4, at] @ np.linalg.solve(joint[np.ix_(at, at)], joint[at, 4])
            left = predictor.after(Design(sizes, splits, continued=True))
            assert_allclose(left, np.sqrt(joint[4, 4] - told), rtol=1e-5)


@pytest.mark.slow
def test_drawn_scores_have_the_moments_that_designs_are_judged_by(fitted, known):
    count = 2000
    data = imagine(known, fitted.curve_, count, splits=4, ceiling=1.0, seed=3)
    moments = _moments(1.0, known)
    new = data.new.mean(axis=1)
    expected = moments.covariance[:5, :5] + moments.carried / 4 + np.diag(moments.single) / 4
    centre = known.mean(known.location)
    assert_allclose(data.shares @ new, centre, atol=4 * np.sqrt(expected.max() / count))
    # Scores end at 1, which cuts a little of the largest ones.
    assert_allclose(np.cov(new.T, aweights=data.shares), expected, rtol=0.2, atol=0.05 * expected.max())
    own = data.own.mean(axis=1)
    own_expected = moments.covariance[5:, 5:] + np.diag(moments.own_noise)
    assert_allclose((data.shares @ own)[3:], known.mean(known.location + known.own.shift)[3:], atol=0.004)
    assert_allclose(
        np.cov(own.T, aweights=data.shares)[3:, 3:], own_expected[3:, 3:], rtol=0.2, atol=0.05 * own_expected.max()
    )


def test_a_split_that_goes_on_keeps_its_luck():
    """Splits 0.05 apart and hardly any other noise: what is drawn for each lies where its scores so far do."""
    jitter = 0.001 * np.array([[1, -1, 0], [0, 1, -1], [-1, 0, 1]])
    apart = np.add.outer([-0.05, 0.0, 0.05], [0.70, 0.75, 0.79]) + jitter
    model = APExGP("power_law").fit(PILOT, apart.T)
    data = imagine(from_posterior(model.posterior, SIZES), model.curve_, 800, splits=1, ceiling=1.0, seed=1)
    assert_allclose(np.average(data.own, axis=0, weights=data.shares)[:, 2], apart[:, 2], atol=0.006)


def test_designs_see_the_same_luck(fitted, known):
    data = imagine(known, fitted.curve_, 3, splits=5, ceiling=1.0, seed=0)
    small, large = Design((480.0,), 2), Design((480.0, 960.0), 5)
    one, other = (data.curve(1, design, fitted.curve_) for design in (small, large))
    kept = other._rows(np.isin(other.sizes, one.sizes) & np.isin(other.split.astype(str), one.split.astype(str)))
    assert sorted(zip(kept.sizes, kept.scores, strict=True)) == sorted(zip(one.sizes, one.scores, strict=True))
    going_on = data.curve(1, Design((480.0,), 3, continued=True), fitted.curve_)
    assert set(going_on.split) == set(fitted.curve_.split)


def test_new_labels_are_nobody_elses(fitted):
    pilot = LearningCurve(np.tile(PILOT, 2), SCORES[:2].ravel(), ["new 0"] * 3 + ["new' 1"] * 3)
    model = APExGP("power_law").fit(pilot)
    data = imagine(from_posterior(model.posterior, SIZES), pilot, 2, splits=2, ceiling=1.0, seed=0)
    assert len(set(data.curve(0, Design((480.0,), 2), pilot).split)) == 4


@pytest.mark.slow
@pytest.mark.parametrize("mean", ["burr", "power_law", "arctan", "auto"])
def test_curves_drawn_from_the_priors_are_curves(mean):
    engine = APExGP(mean, floor=0.5)._engine("higher")
    known = from_priors(engine, np.array([50.0, 200, 800, 1600, 16000]), np.array([50.0, 200, 800]), 0)
    assert known.location.shape[1] > 300
    assert ((known.location >= 0) & (known.location <= 1)).all()
    assert known.weights.sum() == pytest.approx(1)
    at_the_end = known.mean(known.location)[2]
    assert 0.7 < at_the_end < 0.85  # anywhere between 0.5 and 1, but for curves that leave [0, 1] elsewhere
    rise = known.mean(known.location[-1] - known.location[0])
    assert rise > 0.02
