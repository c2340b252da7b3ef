"""What a pilot shows besides its scores: what is not known moves nothing, and what is known moves what it says."""

from dataclasses import replace

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve
from apexgp.inference.signs import signs_of
from apexgp.model.beliefs import CALIBRATED, PILOT_FEATURES

SIZES = np.geomspace(50, 400, 5)
SCORES = 0.85 - 0.2 * np.geomspace(1, 8, 5)[:, None] ** -0.5 + np.random.default_rng(4).normal(0, 0.01, (5, 3))
FAR = np.array([800.0, 40_000.0])
ALL = replace(
    CALIBRATED,
    shifts={name: dict.fromkeys(PILOT_FEATURES, 0.3) for name in ("tau_e", "sigma", "shape0", "share_a")},
    spreads={name: dict.fromkeys(PILOT_FEATURES, -0.2) for name in ("tau_e", "sigma")},
)


def told(priors=ALL, scores=SCORES, sizes=SIZES, **known):
    forecast = (
        APExGP("power_law", priors=priors).fit(LearningCurve(sizes, scores, **known)).forecast(FAR, of="expected")
    )
    return np.stack([forecast.mean, *forecast.interval(0.95)])


@pytest.mark.parametrize("name", ["train_scores", "n_test"])
def test_what_is_not_known_moves_nothing(name):
    plain = told()
    np.testing.assert_array_equal(told(**{name: np.full((5, 3), np.nan)}), plain)
    known = np.full((5, 3), 250.0 if name == "n_test" else 0.9)
    assert np.abs(told(**{name: known}) - plain).max() > 1e-3


def test_training_scores_at_smaller_sizes_alone_move_nothing():
    train = np.full((5, 3), 0.95)
    train[-1] = np.nan
    np.testing.assert_array_equal(told(train_scores=train), told())


def test_beliefs_that_go_by_no_sign_take_details_for_nothing():
    plain = replace(CALIBRATED, shifts={}, spreads={})
    details = {"metric": "accuracy", "n_test": 300, "train_scores": np.full((5, 3), 0.97)}
    np.testing.assert_array_equal(told(plain, **details), told(plain))


@pytest.mark.parametrize("factor", [0.5, 30.0])
def test_sizes_count_as_ratios_but_for_the_sign_of_size(factor):
    """In other units of size, all but `size` stays."""
    known = {"metric": "auroc", "n_test": 300, "train_scores": np.full((5, 3), 0.97)}
    one, other = (LearningCurve(SIZES * scale, SCORES, **known) for scale in (1, factor))
    before, after = (signs_of(curve, 1.0) for curve in (one, other))
    assert before.pop("size") != after.pop("size")
    assert before == pytest.approx(after)

    unsized = {
        place: {sign: value for sign, value in moves.items() if sign != "size"} for place, moves in ALL.shifts.items()
    }
    beliefs = replace(ALL, shifts=unsized, spreads={})
    fits = [
        APExGP("power_law", priors=beliefs).fit(curve).forecast(FAR * s) for curve, s in ((one, 1), (other, factor))
    ]
    np.testing.assert_allclose(fits[0].mean, fits[1].mean, atol=1e-4)  # rounding moves nodes


def test_an_error_rate_shows_what_its_accuracy_does():
    train = np.full((5, 3), 0.93)
    up = LearningCurve(SIZES, SCORES, metric="accuracy", n_test=300, train_scores=train)
    down = LearningCurve(SIZES, 1 - SCORES, metric="error rate", n_test=300, train_scores=1 - train, direction="lower")
    assert signs_of(up, 1.0) == pytest.approx(signs_of(down.upward, 1.0))


def test_every_sign_is_what_it_says():
    curve = LearningCurve(SIZES, SCORES, metric="accuracy", n_test=125, train_scores=np.full((5, 3), 0.9))
    test = SCORES[-1].mean()
    assert signs_of(curve, 0.95) == pytest.approx(
        dict.fromkeys(PILOT_FEATURES, 0.0)
        | {
            "size": np.log(400 / 362),
            "accuracy": 1.0,
            "test_known": 1.0,
            "test_noise": np.log(np.sqrt(test * (1 - test) / 125) / np.sqrt(0.8 * 0.2 / 500)),
            "gap_known": 1.0,
            "gap": (0.9 - test) / (0.95 - test),
            "always": 1.0,
        }
    )
    perfect = replace(curve, metric="roc_auc", train_scores=np.ones(15), n_test=None)
    signs = signs_of(perfect, 1.0)
    assert (signs["separable"], signs["gap"], signs["accuracy"]) == (1.0, pytest.approx(1.0), 0.0)
    assert signs["test_known"] == signs["test_noise"] == 0.0


def test_only_one_score_a_size_that_nobody_explains_is_unlabelled():
    one = LearningCurve(SIZES, SCORES[:, 0])
    assert signs_of(one, 1.0)["unlabelled"] == 1.0
    explained = (replace(one, averaged_over=1), replace(one, averaged_over=5), replace(one, split=["a"] * 5))
    for curve in (*explained, LearningCurve(SIZES, SCORES)):
        assert signs_of(curve, 1.0)["unlabelled"] == 0.0


def test_one_score_a_size_is_single_unless_it_is_a_mean():
    one = LearningCurve(SIZES, SCORES[:, 0])
    curves = (one, replace(one, split=["a"] * 5), replace(one, averaged_over=5), LearningCurve(SIZES, SCORES))
    assert [signs_of(curve, 1.0)["single"] for curve in curves] == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize(("count", "dense"), [(3, 0.0), (6, 0.0), (12, np.log(2)), (60, np.log(10))])
def test_only_many_unlabelled_sizes_are_dense(count, dense):
    one = LearningCurve(np.geomspace(50, 400, count), np.linspace(0.6, 0.8, count))
    assert signs_of(one, 1.0)["dense"] == pytest.approx(dense)
    assert signs_of(replace(one, split=["a"] * count), 1.0)["dense"] == 0.0


def test_a_larger_gap_promises_more_where_it_is_believed_to():
    """Training scores far above the test's leave more to be won, if the share's prior goes up with the gap."""
    beliefs = replace(CALIBRATED, shifts={"share_a": {"gap": 1.0}}, spreads={})
    far = [told(beliefs, train_scores=np.full((5, 3), train))[0, 1] for train in (0.81, 0.88, 0.95)]
    assert far == sorted(far)
    assert far[-1] > far[0] + 0.002


@pytest.mark.skipif("gap" not in CALIBRATED.shifts.get("share_a", {}), reason="priors that do not go by the gap")
def test_the_default_expects_more_of_a_classifier_that_fits_its_training_rows_better():
    rising = [
        [told(CALIBRATED, SCORES + shift, train_scores=np.full((5, 3), train))[0, 1] for train in (0.81, 0.88, 0.95)]
        for shift in (-0.15, -0.05, 0.0)
    ]
    assert (np.diff(rising, axis=1) > 0).all()
