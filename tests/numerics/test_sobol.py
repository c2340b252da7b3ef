import numpy as np
import pytest
from scipy.stats import qmc

from apexgp.numerics.sobol import MOST_DIMENSIONS, sobol_points


@pytest.mark.parametrize("count", [1, 2, 64, 512, 1000])
@pytest.mark.filterwarnings("ignore:The balance properties")
def test_plain_and_scrambled_points_are_scipys(count):
    plain = qmc.Sobol(MOST_DIMENSIONS, scramble=False).random(count)
    np.testing.assert_array_equal(sobol_points(count, MOST_DIMENSIONS).T, plain)
    for seed in range(5):
        scrambled = qmc.Sobol(MOST_DIMENSIONS, rng=np.random.default_rng([seed, 3])).random(count)
        ours = sobol_points(count, MOST_DIMENSIONS, np.random.default_rng([seed, 3]).spawn(1)[0])
        np.testing.assert_array_equal(ours.T, scrambled)


def test_fewer_dimensions_and_fewer_points_are_the_first_of_more():
    np.testing.assert_array_equal(sobol_points(100, 3), sobol_points(256, MOST_DIMENSIONS)[:3, :100])


def test_scrambled_points_keep_their_balance():
    # One point in each of 256 equal intervals of every dimension, and in each of 256 equal boxes of the first two.
    points = sobol_points(256, MOST_DIMENSIONS, np.random.default_rng(8))
    np.testing.assert_array_equal(np.sort(np.floor(256 * points).astype(int)), np.arange(256) * np.ones((16, 1)))
    for bits in range(9):
        first, second = np.floor(points[0] * 2**bits), np.floor(points[1] * 2 ** (8 - bits))
        assert len(set(zip(first, second, strict=True))) == 256


@pytest.mark.slow
def test_scrambled_points_are_uniform_over_seeds():
    means = [sobol_points(4, 5, np.random.default_rng(seed))[:, 3].mean() for seed in range(400)]
    assert abs(np.mean(means) - 0.5) < 4 * np.sqrt(1 / 12 / 5 / 400)
