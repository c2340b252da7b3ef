import numpy as np
import pytest
from scipy import stats

from apexgp.numerics.truncated_normal import TruncatedNormal, TruncatedStandardNormal

CASES = [(0.5, 0.1), (0.95, 0.05), (1.02, 0.01), (-0.2, 0.1), (0.3, 5.0), (1.2, 0.02), (0.999, 1e-4), (0.0, 1e-3)]


def reference(location, scale):
    return stats.truncnorm(-location / scale, (1 - location) / scale, loc=location, scale=scale)


@pytest.mark.parametrize(("location", "scale"), CASES)
def test_agrees_with_scipy(location, scale):
    other = reference(location, scale)
    ours = TruncatedNormal(np.array(location), np.array(scale))
    y = np.concatenate([[0.0, 1.0], other.ppf([1e-6, 0.01, 0.3, 0.5, 0.9, 0.999])])
    p = np.array([1e-9, 0.025, 0.5, 0.8, 0.999])
    np.testing.assert_allclose(ours.cdf(y), other.cdf(y), rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(ours.pdf(y), other.pdf(y), rtol=1e-9)
    np.testing.assert_allclose(ours.quantile(p), other.ppf(p), rtol=1e-9, atol=1e-12)
    mean, variance = ours.mean_and_variance()
    assert mean == pytest.approx(other.mean(), rel=1e-9)
    assert variance == pytest.approx(other.var(), rel=1e-5)


def test_nothing_lies_outside():
    ours = TruncatedNormal(np.array(0.5), np.array(0.3))
    assert (ours.pdf(np.array([-0.01, 1.01])) == 0).all()
    np.testing.assert_allclose(ours.cdf(np.array([-0.5, 0.0, 1.0, 1.5])), [0, 0, 1, 1], atol=1e-15)


@pytest.mark.parametrize("location", [-3.0, 4.0])
def test_a_location_far_outside_ends_at_the_near_bound(location):
    ours = TruncatedNormal(np.array(location), np.array(1e-3))
    bound = 0.0 if location < 0 else 1.0
    assert ours.quantile(np.array([0.01, 0.99])) == pytest.approx([bound, bound], abs=1e-3)
    assert ours.mean_and_variance()[0] == pytest.approx(bound, abs=1e-3)
    assert ours.cdf(np.array([0.0, 1.0])) == pytest.approx([0.0, 1.0])


def test_mass_that_is_too_small_for_a_number_has_its_logarithm_still():
    from scipy.special import log_ndtr

    low, high = np.array([-60.0, 45.0, -41.0]), np.array([-50.0, 80.0, -40.5])
    expected = [log_ndtr(-50.0), log_ndtr(-45.0), log_ndtr(-40.5)]
    np.testing.assert_allclose(TruncatedStandardNormal(low, high).log_mass, expected, rtol=1e-3)
    np.testing.assert_allclose(
        TruncatedStandardNormal(low, high).quantile(np.full(3, 0.5)), [-50, 45, -40.5], atol=0.03
    )
    assert TruncatedStandardNormal(np.array([3.0]), np.array([2.0])).log_mass[0] == -np.inf
