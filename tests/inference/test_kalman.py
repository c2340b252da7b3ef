"""Forecasts at a node against a Kalman filter: the kernel of Ornstein and Uhlenbeck makes of a curve a Markov process.

The filter takes the scores one after the other and never sees a covariance of two sizes. Written out here, it is
shorter than the matrices of a state-space package would be.
"""

from dataclasses import replace

import numpy as np
import pytest
from test_bayes import SIZES, clock, curve, labels_of, runs_of, shrinkage

from apexgp.inference.density import Density
from apexgp.inference.integral import integrate
from apexgp.inference.statistics import Statistics
from apexgp.model.beliefs import CALIBRATED
from apexgp.model.means import MEANS


class Filter:
    """Belief about the curve's departure from its mean at the present size, and about the effect of each split."""

    def __init__(self, p, splits, runs):
        self.p, self.splits = p, splits
        self.mean = np.zeros(1 + len(splits))
        self.covariance = np.diag([p["sigma"] ** 2, *[p["tau_b"] ** 2 / runs] * len(splits)])

    def move(self, distance):
        stay = np.ones(len(self.mean))
        stay[0] = np.exp(-distance / self.p["lam"])
        self.mean = stay * self.mean
        self.covariance = np.outer(stay, stay) * self.covariance
        self.covariance[0, 0] += self.p["sigma"] ** 2 * (1 - stay[0] ** 2)

    def see(self, residual, split, w, noise):
        looks = np.zeros(len(self.mean))
        looks[0], looks[1 + self.splits.index(split)] = 1, w
        gain = self.covariance @ looks / (looks @ self.covariance @ looks + noise)
        self.mean = self.mean + gain * (residual - looks @ self.mean)
        self.covariance = self.covariance - np.outer(gain, looks @ self.covariance)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["balanced", "unbalanced", "single", "one run", "means"])
def test_forecasts_at_a_node_are_those_of_a_kalman_filter(kind, rng):
    assert CALIBRATED.kernel == "ou"
    c, mean, new = curve(kind, rng), MEANS["burr"], np.array([700.0, 5000.0])
    model = Density(mean, replace(CALIBRATED, early=0.0))  # the filter sees one score after the other
    posterior = integrate(model, Statistics.of(c), 0).drawn(rng)  # the filter knows levels as numbers
    expected, same = (posterior.predict(new, of, 3.0) for of in ("expected", "same_splits"))
    n, labels, runs = posterior.nodes, labels_of(c).tolist(), runs_of(c)
    for i in np.argsort(posterior.weights)[-3:]:
        p = {name: float(value[i]) for name, value in n.parameters.items()}
        theta = mean.solve_theta(SIZES[-1] / SIZES[0], n.drop[i], *(s[i] for s in n.shape))

        def own_noise(x, p=p):
            w, kept = (shrinkage(model, at, p["kappa"]) for at in (x, max(x, SIZES[-1] / 8)))
            luck_lost = p["tau_b"] ** 2 * (w**2 - kept**2)
            return kept, ((p["tau_e"] * w) ** 2 + luck_lost + CALIBRATED.resolution**2) / runs

        def m(x, theta=theta, i=i):
            return n.level[i] + n.drop[i] - mean.drop(x / SIZES[0], *theta)

        def moved(here, x):
            return float(clock(model, x, SIZES[-1]) - clock(model, here, SIZES[-1]))

        belief = Filter(p, sorted(set(labels)), runs)
        here = c.sizes[0]
        for x, y, split in zip(c.sizes, c.scores, labels, strict=True):
            belief.move(moved(here, x))
            belief.see(y - m(x), split, *own_noise(x))
            here = x
        for q, x in enumerate(new):
            belief.move(moved(here, x))
            here = x
            w, noise = own_noise(x)
            assert expected[0][i, q] == pytest.approx(m(x) + belief.mean[0], abs=1e-6)
            assert expected[1][i, q] == pytest.approx(np.sqrt(belief.covariance[0, 0]), abs=2e-6)
            count = len(belief.splits)
            looks = np.array([1, *[w / count] * count])
            spread = np.sqrt(looks @ belief.covariance @ looks + noise / count)
            assert same[0][i, q] == pytest.approx(m(x) + looks @ belief.mean, abs=1e-6)
            assert same[1][i, q] == pytest.approx(spread, abs=2e-6)
