"""Cautions that the failure study led to (docs/failures.md): what a pilot must look like to call for each, and not."""

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, LeastSquares
from apexgp.cautions import find_pilot_cautions, find_single_run_cautions, shorten_caution

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


@pytest.mark.parametrize(
    ("known", "asks"),
    [
        ({}, True),
        ({"split": ["run 3"] * 6}, False),
        ({"averaged_over": 1}, False),
        ({"averaged_over": 5}, False),
        ({"averaged_over": "several"}, False),
        ({"score_sd": 0.01}, False),
    ],
)
def test_one_score_per_size_counts_as_one_run_and_says_how_to_tell_otherwise(known, asks):
    found = find_single_run_cautions(LearningCurve(SIZES, RISING, **known))
    assert bool(found) == asks
    for caution in found:
        assert caution.startswith("Each score counts as one run.")
        assert "averaged_over=..." in caution
        assert "averaged_over='several'" in caution


def test_only_methods_that_tell_runs_from_means_say_that_scores_count_as_runs():
    for model, says in ((APExGP(), True), (APExGP.as_published(), False), (LeastSquares(), False)):
        cautions = model.fit(SIZES, RISING).required_size(0.82).cautions
        assert any("counts as one run" in caution for caution in cautions) == says
    replicated = APExGP().fit(SIZES, RISING[:, None] + [-0.01, 0.01]).forecast([1000])
    assert not any("counts as one run" in caution for caution in replicated.cautions)


@pytest.mark.parametrize(("known", "asks"), [("several", True), (10, False), (1, False), (None, False)])
def test_means_over_an_unknown_number_of_runs_are_asked_about(known, asks):
    assert ("means of how many runs?" in said(RISING, averaged_over=known)) == asks
    assert "means of how many runs?" not in said(RISING[:, None] + [-0.01, 0.01], averaged_over=known)


@pytest.mark.parametrize("scores", [[0.78], [0.78, 0.75, 0.80], [0.5], [1.0], [0.2, 0.6, 0.9]])
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_one_size_is_said_to_show_no_trend_and_nothing_else_is_said_of_a_trend(scores, direction):
    curve = LearningCurve([200] * len(scores), scores, direction=direction)
    cautions = APExGP().fit(curve).forecast([400, 10_000]).cautions
    assert sum("One size shows no trend" in caution for caution in cautions) == 1
    for word in ("different sizes", "times its smallest", "falls", "does not rise", "improves", "other curves", "nan"):
        assert not any(word in caution for caution in cautions)


def test_two_sizes_show_no_fall_that_noise_explains():
    said_of_two = {
        (high, low): [shorten_caution(c) for c in find_pilot_cautions(LearningCurve([100] * 3 + [300] * 3, high + low))]
        for high, low in (((0.75, 0.80, 0.85), (0.74, 0.79, 0.84)), ((0.84, 0.85, 0.86), (0.64, 0.65, 0.66)))
    }
    assert list(said_of_two.values()) == [["only 2 sizes"], ["only 2 sizes", "falls"]]


def test_a_forecast_carries_them():
    forecast = APExGP().fit(SIZES, np.full(6, 0.5)).forecast([1000])
    assert any("always gave the same answer" in caution for caution in forecast.cautions)
    assert any("guessing" in caution for caution in forecast.cautions)
