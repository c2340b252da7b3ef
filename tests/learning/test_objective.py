"""What moves are chosen by: the CRPS of mixtures over nodes, and the slopes of the whole."""

import numpy as np
import pytest

from apexgp.learning.cuts import lessons_of
from apexgp.learning.moves import names_of
from apexgp.learning.nodes import coordinates_of, nodes_of_lesson, stacked
from apexgp.learning.objective import Objective, weights_under
from apexgp.learning.ranked import Ranked
from apexgp.numerics.cut_mixture import CutMixture
from apexgp.priors import CALIBRATED
from curves_to_learn_from import whole_curve


@pytest.fixture(scope="module")
def nodes():
    lessons = lessons_of([whole_curve(i, 0.75) for i in range(2)])
    return stacked([nodes_of_lesson(lesson, CALIBRATED, 3) for lesson in lessons])


def test_crps_of_points_is_the_energy_form():
    rng = np.random.default_rng(0)
    location, scale = rng.uniform(0.4, 0.8, (2, 30, 3)), np.full((2, 30, 3), 0.01)
    weight = rng.dirichlet(np.ones(30), 2)
    truth = rng.uniform(0.5, 0.7, (2, 3))
    points = np.concatenate([location - scale, location + scale], axis=1)
    half = np.concatenate([weight, weight], axis=1) / 2
    spread = np.abs(points[:, :, None] - points[:, None])
    energy = np.einsum("pnq,pn->pq", np.abs(points - truth[:, None]), half)
    energy -= 0.5 * np.einsum("pnmq,pn,pm->pq", spread, half, half)
    found, _ = Ranked.of(location, scale, truth).crps(weight)
    np.testing.assert_allclose(found, energy, rtol=1e-5)


@pytest.mark.slow
def test_crps_of_nodes_is_that_of_their_mixture(nodes):
    weight, _ = weights_under(nodes, np.zeros(len(names_of(coordinates_of(CALIBRATED)))))
    found, _ = nodes.ranked.crps(weight)
    x = np.linspace(0, 1, 4001)
    for i in range(len(nodes)):
        for q in np.flatnonzero(~np.isnan(nodes.times[i])):
            mixture = CutMixture(nodes.location[i][:, [q]], nodes.scale[i][:, [q]], weight[i])
            exact = np.trapezoid((mixture.cdf(x[:, None])[:, 0] - (x >= nodes.truth[i, q])) ** 2, x)
            assert found[i, q] == pytest.approx(exact, rel=0.15, abs=5e-4)


def test_slopes_are_those_of_the_value(nodes):
    size = len(names_of(coordinates_of(CALIBRATED)))
    objective = Objective(nodes, np.full(size, 0.7))
    at = 0.2 * np.random.default_rng(1).standard_normal(size)
    _, gradient = objective(at)
    step = 1e-3
    for i, one in enumerate(np.eye(size)):
        slope = (objective(at + step * one)[0] - objective(at - step * one)[0]) / (2 * step)
        assert gradient[i] == pytest.approx(slope, rel=0.02, abs=3e-3)


def test_pilots_are_taken_some_at_a_time(nodes, monkeypatch):
    size = len(names_of(coordinates_of(CALIBRATED)))
    at, which = np.full(size, 0.1), np.array([3, 0, 2])
    value, gradient = Objective(nodes.take(which), np.ones(size))(at)
    monkeypatch.setattr("apexgp.learning.objective._AT_ONCE", 2)
    in_parts, its_gradient = Objective(nodes, np.ones(size), which)(at)
    assert in_parts == pytest.approx(value)
    np.testing.assert_allclose(its_gradient, gradient, rtol=1e-6)
