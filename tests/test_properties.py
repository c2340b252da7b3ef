"""Laws over random valid curves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from apexgp import APExGP, LearningCurve, LeastSquares, read
from apexgp.model.means import PAPER_MEANS

MODELS = [
    APExGP(),
    APExGP("power_law", priors="paper"),
    *(make(mean) for make in (APExGP.as_published, APExGP.as_written) for mean in PAPER_MEANS),
]
LEVELS = np.array([0.001, 0.025, 0.1, 0.5, 0.9, 0.975, 0.999])


@st.composite
def curves(draw, fewest=3, most=8):
    sizes = draw(st.lists(st.integers(1, 10**12), min_size=fewest, max_size=most, unique=True))
    counts = draw(st.lists(st.integers(1, 3), min_size=len(sizes), max_size=len(sizes)))
    rows = np.repeat(np.array(sizes, float), counts)
    score = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])
    scores = draw(st.lists(score, min_size=len(rows), max_size=len(rows)))
    return rows, np.array(scores)


# Some curves are so odd that a search or an integral says, by a warning, that it is not done. The law here is about the
# forecast that they give all the same.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::apexgp.errors.AccuracyWarning")
@settings(max_examples=60, derandomize=True)
@given(curves(), st.sampled_from(range(len(MODELS))), st.randoms(use_true_random=False))
def test_any_valid_curve_gets_a_proper_forecast(curve, which, random):
    check_forecast(*curve, clone(MODELS[which]), random)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.AccuracyWarning")
@settings(max_examples=30, derandomize=True)
@given(curves(fewest=1, most=2), st.sampled_from(["burr", "power_law", "auto"]), st.randoms(use_true_random=False))
def test_any_curve_of_one_or_two_sizes_gets_a_proper_forecast(curve, mean, random):
    check_forecast(*curve, APExGP(mean), random)


def check_forecast(sizes, scores, model, random):
    """Check that a forecast is a distribution over [0, 1] at every size, and that the order of rows does not matter."""
    model.fit(sizes, scores)
    at = np.array([sizes.min(), sizes.max(), 2 * sizes.max(), 50 * sizes.max(), 1e12])
    forecast = model.forecast(at)
    quantiles = forecast.quantile(LEVELS)
    assert (np.diff(quantiles, axis=0) >= 0).all()
    assert ((quantiles >= 0) & (quantiles <= 1)).all()
    cdf = forecast.cdf(np.linspace(0, 1, 21)[:, None] * np.ones(len(at)))
    assert (np.diff(cdf, axis=0) >= -1e-12).all()
    assert np.allclose(cdf[0], 0)
    assert np.allclose(cdf[-1], 1)
    for value in (forecast.mean, forecast.median, *forecast.interval(0.8), *forecast.interval(0.8, kind="hdi")):
        assert ((value >= 0) & (value <= 1)).all()
    assert (forecast.std >= 0).all()
    assert ((forecast.prob_at_least(0.9) >= 0) & (forecast.prob_at_least(0.9) <= 1)).all()

    order = list(range(len(sizes)))
    random.shuffle(order)
    shuffled = clone(model).fit(sizes[order], scores[order])
    assert shuffled.parameters_ == model.parameters_


@pytest.mark.slow
@settings(max_examples=60, derandomize=True)
@given(curves())
def test_a_fitted_curve_never_falls(curve):
    sizes, scores = curve
    model = LeastSquares("power_law").fit(sizes, scores)
    at = np.geomspace(sizes.min(), 1e3 * sizes.max(), 30)
    assert (np.diff(model.predict(at)) >= -1e-12).all()


@pytest.mark.slow
@settings(max_examples=60, derandomize=True)
@given(curves(fewest=1))
def test_csv_keeps_every_digit(tmp_path_factory, curve):
    path = tmp_path_factory.mktemp("csv") / "c.csv"
    original = LearningCurve(*curve)
    original.to_csv(path)
    again = read(path).curve
    assert again.sizes.tolist() == original.sizes.tolist()
    assert again.scores.tolist() == original.scores.tolist()
