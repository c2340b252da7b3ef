"""Every engine keeps the one contract."""

import numpy as np
import pytest

from apexgp import LearningCurve
from apexgp.errors import NoForecastError
from apexgp.inference.bayes import FullBayes
from apexgp.model.beliefs import CALIBRATED, paper_beliefs
from apexgp.model.families import FAMILIES
from apexgp.model.means import MEANS
from apexgp.model.paper_priors import PUBLISHED, WRITTEN
from apexgp.point_estimates.least_squares import LeastSquaresEngine
from apexgp.point_estimates.map import MaximumAPosteriori

pytestmark = pytest.mark.slow

ENGINES = {
    "bayes": FullBayes((MEANS["burr"],), CALIBRATED, 1.0, 0.0, 0),
    "bayes, two means": FullBayes((MEANS["power_law"], MEANS["arctan"]), CALIBRATED, 1.0, 0.0, 0),
    "bayes, paper's priors": FullBayes((MEANS["power_law"],), paper_beliefs(WRITTEN), 1.0, 0.0, 0),
    "map": MaximumAPosteriori(MEANS["power_law"], 1.0, PUBLISHED, 0),
    **{f"least squares, {name}": LeastSquaresEngine(family, 1.0) for name, family in FAMILIES.items()},
}
SIZES = np.array([60.0, 94, 147, 230, 360, 500, 650])
NEW = np.array([94.0, 800.0, 5000.0])


@pytest.fixture(params=ENGINES)
def engine(request):
    return ENGINES[request.param]


def curves(rng):
    for sizes in (SIZES, SIZES[:6], SIZES, 2 * SIZES):
        noise = rng.normal(0, 0.01, 3) + rng.normal(0, 0.008, (len(sizes), 3))
        yield LearningCurve(sizes, 0.9 - 0.2 * (sizes[:, None] / sizes[0]) ** -0.6 + noise)


def test_fits_together_are_those_made_alone(engine, rng):
    several = list(curves(rng))
    for curve in several:
        engine.check(curve)
    together = engine.fit(several)
    for curve, fit in zip(several, together, strict=True):
        (alone,) = engine.fit([curve])
        assert alone.parameters == pytest.approx(fit.parameters, rel=1e-4)
        if fit.has_distribution:
            for of in ("new_splits", "same_splits", "expected"):
                # Rounding may swap nodes that are as good as each other.
                ours, other = (moments(*one.predict(NEW, of, None)) for one in (fit, alone))
                np.testing.assert_allclose(ours, other, atol=1e-4)


def moments(locations, scales, weights):
    """Mean and standard deviation of the mixture."""
    mean = weights @ locations
    return mean, np.sqrt(weights @ (scales**2 + (locations - mean) ** 2))


def test_predictions_and_draws_have_their_shapes_or_are_refused(engine, rng):
    (fit,) = engine.fit([next(curves(rng))])
    assert set(fit.parameters)
    assert set(fit.diagnostics)
    assert isinstance(fit.cautions(NEW), tuple)
    assert (fit.posterior is None) is not isinstance(engine, FullBayes)
    if not fit.has_distribution:
        with pytest.raises(NoForecastError):
            fit.predict(NEW, "expected", None)
        with pytest.raises(NoForecastError):
            fit.sample(2, NEW, "expected", None, rng)
        return
    locations, scales, weights = fit.predict(NEW, "new_splits", None)
    assert locations.shape == scales.shape == (len(weights), len(NEW))
    assert weights.sum() == pytest.approx(1)
    assert (scales > 0).all()
    drawn = fit.sample(4000, NEW, "new_splits", None, rng)
    assert drawn.shape == (4000, len(NEW))
    np.testing.assert_allclose(drawn.mean(axis=0), weights @ locations, atol=0.01)


def test_more_splits_leave_less_noise_and_none_is_that_of_the_pilot(engine, rng):
    (fit,) = engine.fit([next(curves(rng))])
    if not fit.has_distribution:
        return
    widths = [fit.predict(NEW, "new_splits", n).scales for n in (1, 3, 300)]
    assert (widths[0] > widths[1]).all()
    assert (widths[1] > widths[2]).all()
    np.testing.assert_allclose(fit.predict(NEW, "new_splits", None).scales, widths[1], rtol=1e-9)
    assert (fit.predict(NEW, "expected", None).scales <= widths[2] + 1e-12).all()


def test_a_posterior_predicts_what_its_fit_does(engine, rng):
    (fit,) = engine.fit([next(curves(rng))])
    if fit.posterior is not None:
        for ours, other in zip(fit.posterior.predict(NEW, "expected"), fit.predict(NEW, "expected", None), strict=True):
            np.testing.assert_array_equal(ours, other)
