"""Cautions that the failure study led to (docs/failures.md): what a pilot must look like to call for each, and not."""

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve
from apexgp.cautions import find_pilot_cautions, shorten_caution

SIZES = [64, 91, 128, 181, 256, 362]
RISING = np.array([0.701, 0.734, 0.757, 0.782, 0.793, 0.806])


def said(scores, split=None, **more):
    return {shorten_caution(caution) for caution in find_pilot_cautions(LearningCurve(SIZES, scores, split, **more))}


def test_a_healthy_pilot_calls_for_none():
    assert said(RISING) == set()
    assert said(RISING[:, None] + [-0.011, 0.002, 0.009]) == set()


@pytest.mark.parametrize("value", [0.5, 0.6347, 0.0])
def test_a_classifier_that_never_changes_its_answer_is_noticed(value):
    assert "exactly equal scores" in said(np.full(6, value))


def test_single_scores_that_are_equal_twice_may_be_chance():
    equal = RISING.copy()
    equal[3] = equal[2]
    assert "exactly equal scores" not in said(equal)
    equal[4] = equal[2]
    assert "exactly equal scores" in said(equal)
    assert "exactly equal scores" not in said(np.round(equal, 2))  # so would be any scores that are near
    perfect = np.array([0.91, 0.954, 0.987, 1.0, 1.0, 1.0])
    assert said(perfect) == {"perfect scores"}  # one reason is enough


def test_splits_that_are_all_equal_twice_are_not():
    scores = RISING[:, None] + np.array([-0.011, 0.002, 0.009])
    scores[3] = scores[2][::-1]  # whichever is which
    assert "exactly equal scores" in said(scores)
    assert "exactly equal scores" in said(1 - scores, direction="lower")
    scores[3] = scores[2] + [0.004, -0.006, 0.002]  # only the means are equal
    assert "exactly equal scores" not in said(scores)


@pytest.mark.slow
def test_accuracies_of_a_few_hundred_cases_are_seldom_called_equal():
    rng = np.random.default_rng(0)
    for splits, often in ((1, 0.05), (3, 0.01)):
        drawn = rng.binomial(300, RISING[:, None], (200, 6, splits)) / 300
        assert np.mean(["exactly equal scores" in said(scores) for scores in drawn]) < often


def test_one_size_at_which_splits_disagree_is_named():
    noise = np.array([-0.004, 0.001, 0.003])
    scores = RISING[:, None] + noise
    scores[4] = RISING[4] + 20 * noise
    (caution,) = find_pilot_cautions(LearningCurve(SIZES, scores))
    assert caution.startswith("At 256 examples the splits differ 20 times")
    assert said(RISING[:, None] + 20 * noise) == set()  # they always do


def test_guessing_depends_on_the_metric():
    scores = np.array([0.503, 0.496, 0.511, 0.507, 0.513, 0.521])
    assert "no better than guessing" in said(scores)
    assert "no better than guessing" in said(scores, metric="roc_auc")
    assert "no better than guessing" not in said(scores, metric="accuracy")  # with ten classes that is a lot
    assert "no better than guessing" not in said(scores + 0.05)


def test_one_run_without_a_label_is_asked_about():
    jumpy = RISING + np.array([0.02, -0.02, 0.02, -0.02, 0.02, -0.02])
    assert said(jumpy) == {"one run without a label?"}
    assert said(jumpy, split=["run 3"] * 6) == set()
    assert said(jumpy[:, None] + np.array([-0.02, 0.02])) == set()


def test_a_forecast_carries_them():
    forecast = APExGP().fit(SIZES, np.full(6, 0.5)).forecast([1000])
    assert any("always gave the same answer" in caution for caution in forecast.cautions)
    assert any("guessing" in caution for caution in forecast.cautions)
