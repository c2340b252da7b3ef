"""The pooled variance of scores at a size, on pilots that are complete and on those that lack some scores."""

from dataclasses import replace

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve
from apexgp.inference.density import Density
from apexgp.inference.statistics import MOST_SIZES, Statistics
from apexgp.model.beliefs import CALIBRATED
from apexgp.model.means import MEANS

NEAR_THE_TOP = np.array([[0.970, 0.982, 0.990], [0.976, 0.990, 0.994], [0.984, 0.992, 1.0], [0.984, 1.0, 1.0]])
SIZES = [60, 120, 240, 480]


def pilot(rng, sizes=5, splits=4, **details):
    at = np.geomspace(30, 480, sizes)
    scores = (
        0.85 - 0.3 * (at / 30)[:, None] ** -0.5 + rng.normal(0, 0.01, splits) + rng.normal(0, 0.01, (sizes, splits))
    )
    return LearningCurve(at, scores, **details)


def without(curve, rows):
    kept = np.setdiff1d(np.arange(len(curve)), rows)
    return LearningCurve(curve.sizes[kept], curve.scores[kept], curve.split[kept])


def pooled(curve):
    """Variance around the mean at each size, and degrees of freedom, from the definition."""
    groups = [curve.scores[curve.sizes == size] for size in np.unique(curve.sizes)]
    freedom = sum(len(group) - 1 for group in groups)
    return sum(((group - group.mean()) ** 2).sum() for group in groups) / freedom, freedom


def window(curve):
    return Density(MEANS["burr"], CALIBRATED).window(Statistics.of(curve))


@pytest.mark.parametrize("sizes", [5, 2 * MOST_SIZES], ids=["apart", "merged"])
@pytest.mark.parametrize("missing", [0, 7])
def test_spread_is_the_variance_at_each_size_pooled(sizes, missing, rng):
    curve = pilot(rng, sizes)
    curve = without(curve, rng.choice(len(curve), missing, replace=False))
    for labelled in (curve, LearningCurve(curve.sizes, curve.scores)):
        assert Statistics.of(labelled).spread == pytest.approx(pooled(curve))


def test_spread_of_a_complete_pilot_is_the_trace_of_its_scatter(rng):
    statistics = Statistics.of(pilot(rng))
    (pattern,) = statistics.patterns
    assert statistics.spread[0] == pytest.approx(np.trace(pattern.scatter) / (5 * 3), rel=1e-12)


def test_a_few_scores_more_or_less_change_the_spread_little(rng):
    for _ in range(50):
        curve = pilot(rng)
        fewer = without(curve, rng.choice(len(curve), 3, replace=False))
        assert Statistics.of(fewer).spread[0] == pytest.approx(Statistics.of(curve).spread[0], rel=0.6)


def test_spread_is_not_zero_where_two_scores_of_a_size_differ():
    """Every split was measured at sizes of its own; only one size has two scores."""
    curve = LearningCurve([30, 60, 60, 120], [0.6, 0.7, 0.72, 0.75], ["a", "a", "b", "b"])
    assert Statistics.of(curve).spread == pytest.approx((0.0002, 1.0))


def test_spread_is_of_single_runs_where_scores_are_means(rng):
    curve = pilot(rng)
    one = Statistics.of(curve).spread
    assert Statistics.of(replace(curve, averaged_over=4)).spread == pytest.approx((4 * one[0], one[1]))
    known = replace(curve, averaged_over=4, score_sd=np.full(len(curve), 0.03))
    freedom = one[1] + 3 * len(curve)
    squares = 4 * one[0] * one[1] + 3 * len(curve) * 0.03**2
    assert Statistics.of(known).spread == pytest.approx((squares / freedom, freedom))


def test_a_pilot_that_lacks_a_score_in_every_split_is_forecast_as_the_complete_one():
    """W once collapsed to the resolution: no two splits had been measured at the same sizes."""
    complete = LearningCurve(SIZES, NEAR_THE_TOP)
    ragged = without(complete, [0, 4, 9])
    assert len({tuple(ragged.sizes[ragged.split == split]) for split in range(3)}) == 3
    assert window(ragged) == pytest.approx(window(complete), rel=0.5)
    (width, other) = (
        np.subtract(*APExGP().fit(curve).forecast([4800], of="expected").interval()[::-1])
        for curve in (ragged, complete)
    )
    assert width == pytest.approx(other, rel=0.5)  # the mean at the last size, near the top, differs too
