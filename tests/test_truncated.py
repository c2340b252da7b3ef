import numpy as np
import pytest
from scipy import stats

from apexgp import _truncated

CASES = [(0.5, 0.1), (0.95, 0.05), (1.02, 0.01), (-0.2, 0.1), (0.3, 5.0), (1.2, 0.02), (0.999, 1e-4), (0.0, 1e-3)]


def reference(location, scale):
    return stats.truncnorm(-location / scale, (1 - location) / scale, loc=location, scale=scale)


@pytest.mark.parametrize(("location", "scale"), CASES)
def test_agrees_with_scipy(location, scale):
    other = reference(location, scale)
    m, s = np.array(location), np.array(scale)
    y = np.concatenate([[0.0, 1.0], other.ppf([1e-6, 0.01, 0.3, 0.5, 0.9, 0.999])])
    p = np.array([1e-9, 0.025, 0.5, 0.8, 0.999])
    np.testing.assert_allclose(_truncated.mass_between(0 * y, y, m, s), other.cdf(y), rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(_truncated.mass_between(y, 0 * y + 1, m, s), other.sf(y), rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(_truncated.pdf(y, m, s), other.pdf(y), rtol=1e-9)
    np.testing.assert_allclose(_truncated.quantile(p, m, s), other.ppf(p), rtol=1e-9, atol=1e-12)
    mean, variance = _truncated.mean_and_variance(m, s)
    assert mean == pytest.approx(other.mean(), rel=1e-9)
    assert variance == pytest.approx(other.var(), rel=1e-5)


def test_density_is_zero_outside():
    assert (_truncated.pdf(np.array([-0.01, 1.01]), np.array(0.5), np.array(0.3)) == 0).all()


@pytest.mark.parametrize("location", [-3.0, 4.0])
def test_a_location_far_outside_ends_at_the_near_bound(location):
    m, s = np.array(location), np.array(1e-3)
    bound = 0.0 if location < 0 else 1.0
    assert _truncated.quantile(np.array([0.01, 0.99]), m, s) == pytest.approx([bound, bound], abs=1e-3)
    assert _truncated.mean_and_variance(m, s)[0] == pytest.approx(bound, abs=1e-3)
    assert _truncated.mass_between(np.array(0.0), np.array(1.0), m, s) == 1.0
