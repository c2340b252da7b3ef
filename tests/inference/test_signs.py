"""What a pilot shows besides its scores: what is not known moves nothing, and what is known moves what it says."""

from dataclasses import replace

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve
from apexgp.inference.signs import FACTS, signs_of
from apexgp.learners import IMPROVE_WITH_FEATURES, LEARNERS, UNKNOWN
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
    return far_forecast(APExGP("power_law", priors=priors).fit(LearningCurve(sizes, scores, **known)))


def far_forecast(model):
    forecast = model.forecast(FAR, of="expected")
    return np.stack([forecast.mean, *forecast.interval(0.95)])


def signs_with(**known):
    return signs_of(LearningCurve(SIZES, SCORES, **known), 1.0)


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


def test_only_one_mean_a_size_over_an_unknown_number_of_runs_is_of_several():
    one = LearningCurve(SIZES, SCORES[:, 0])
    for curve in (replace(one, averaged_over="several"), replace(one, score_sd=np.full(5, 0.01))):
        assert (signs_of(curve, 1.0)["several"], signs_of(curve, 1.0)["single"]) == (1.0, 1.0)
    explained = (replace(one, averaged_over=1), replace(one, averaged_over=5), replace(one, split=["a"] * 5))
    several = LearningCurve(SIZES, SCORES)
    for curve in (one, *explained, several, replace(several, averaged_over="several")):
        assert signs_of(curve, 1.0)["several"] == 0.0


def test_one_score_a_size_is_single_unless_it_is_a_mean():
    one = LearningCurve(SIZES, SCORES[:, 0])
    curves = (one, replace(one, split=["a"] * 5), replace(one, averaged_over=5), LearningCurve(SIZES, SCORES))
    assert [signs_of(curve, 1.0)["single"] for curve in curves] == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize(("sizes", "signs"), [(1, (1.0, 0.0)), (2, (0.0, 1.0)), (3, (0.0, 0.0))])
def test_sizes_are_counted_however_many_scores_each_has(sizes, signs):
    for scores in (SCORES[:sizes], SCORES[:sizes, 0]):
        found = signs_of(LearningCurve(SIZES[:sizes], scores), 1.0)
        assert (found["one_size"], found["two_sizes"]) == signs


def test_a_pilot_is_near_the_top_by_the_room_that_is_left():
    def nearness(room, ceiling=1.0):
        return signs_of(LearningCurve(SIZES, np.linspace(0.5, ceiling - room, 5)), ceiling)["top"]

    assert nearness(0.3) == nearness(0.05) == pytest.approx(0.0, abs=1e-9)
    assert nearness(0.01) == pytest.approx(np.log(5))
    assert nearness(0.01, 0.9) == pytest.approx(np.log(5))
    assert nearness(1e-4) == nearness(0.0) == 3.0


@pytest.mark.parametrize("metric", ["average_precision", "f1"])
def test_scores_whose_chance_level_is_low_are_low_below_a_half(metric):
    levels = np.array([0.9, 0.5, 0.4, 0.1])
    found = [signs_of(LearningCurve(SIZES, np.full(5, level), metric=metric), 1.0) for level in levels]
    assert [signs["precision"] for signs in found] == [1.0] * 4
    np.testing.assert_allclose([signs["low"] for signs in found], [0.0, 0.0, 0.2, 0.8], atol=1e-9)
    others = [signs_of(LearningCurve(SIZES, np.full(5, 0.1), metric=name), 1.0) for name in ("auroc", "accuracy")]
    assert all(signs["precision"] == signs["low"] == 0.0 for signs in others)


# Facts about the problem: the kind of learner, the numbers of features and of classes.


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_curve_is_of_its_own_kind_and_of_no_other(kind):
    plain, named = signs_with(), signs_with(learner=kind)
    assert named == plain | {kind: 1.0}
    assert signs_with(learner=UNKNOWN) == plain
    assert not any(plain[other] for other in LEARNERS)


@pytest.mark.parametrize("kind", LEARNERS)
def test_beside_training_scores_a_kind_counts_half(kind):
    train = {"train_scores": np.full((5, 3), 0.9)}
    assert signs_with(learner=kind, **train) == signs_with(**train) | {kind: 0.5}


@pytest.mark.parametrize("kind", IMPROVE_WITH_FEATURES)
def test_features_are_few_or_many_by_their_number_per_example(kind):
    found = [signs_with(learner=kind, n_features=count) for count in (1, 28, 40, 100, 200, 240, 768, 10**6)]
    few, many = (np.array([signs[name] for signs in found]) for name in ("few_features", "many_features"))
    np.testing.assert_allclose(few + many, 1)
    assert (np.diff(many) >= 0).all()
    assert (np.diff(many[1:6]) > 0).all()  # from 0.07 to 0.6 per example of the largest size, 400
    np.testing.assert_allclose(many[[0, 1, 5, 6, 7]], [0, 0, 1, 1, 1], atol=1e-9)
    # More examples make the same features few.
    by_size = [
        signs_of(LearningCurve(SIZES * factor, SCORES, learner=kind, n_features=100), 1.0)["many_features"]
        for factor in (0.25, 1, 2, 10)
    ]
    assert by_size == sorted(by_size, reverse=True)
    assert (by_size[0], by_size[-1]) == (1.0, 0.0)


def test_features_count_for_kinds_that_improve_with_them_alone():
    for kind in (None, UNKNOWN, *(set(LEARNERS) - set(IMPROVE_WITH_FEATURES))):
        assert signs_with(learner=kind, n_features=768) == signs_with(learner=kind)
    assert signs_with(learner="linear") == signs_with() | {"linear": 1.0}


def test_examples_per_class_count_where_they_are_few():
    few = [signs_with(n_classes=count)["few_per_class"] for count in (2, 10, 40, 41, 80, 400, 487, 5000)]
    assert few[:3] == [0.0] * 3  # 400 examples: 10 or more of each class
    assert few == sorted(few)
    assert few[3] > 0
    assert few[4] == pytest.approx(np.log(10 / 5))
    assert few[-1] == 2.5
    assert signs_with(n_classes=80) == signs_with() | {"few_per_class": few[4]}


KNOWN = {"train_scores": np.full((5, 3), 0.9), "n_test": 300, "learner": "linear", "n_features": 100, "n_classes": 80}
NO_GAP = {name: value for name, value in KNOWN.items() if name != "train_scores"}
BY_SIGN = {
    "no sign": ((), KNOWN, set()),
    "size": (("size", "always", "single"), KNOWN, set()),
    "gap": (("gap",), KNOWN, {"train_scores"}),
    "noise": (("test_noise",), KNOWN, {"n_test"}),
    "kind": (("linear",), KNOWN, {"train_scores", "learner"}),
    "kind alone": (("linear",), NO_GAP, {"learner"}),
    "another kind": (("trees",), KNOWN, set()),
    "features": (("many_features",), KNOWN, {"learner", "n_features"}),
    "features of trees": (("many_features", "trees"), NO_GAP | {"learner": "trees"}, {"learner"}),
    "classes": (("few_per_class",), KNOWN, {"n_classes"}),
    "few classes": (("few_per_class",), KNOWN | {"n_classes": 2}, set()),
    "all": (PILOT_FEATURES, KNOWN, set(FACTS)),
}
"""Signs that move priors, what is known of a curve, and the facts that count then."""


@pytest.mark.parametrize(("signs", "known", "facts"), BY_SIGN.values(), ids=BY_SIGN)
def test_the_facts_that_count_are_those_without_which_the_forecast_is_another(signs, known, facts):
    priors = replace(CALIBRATED, shifts={"share_a": dict.fromkeys(signs, 0.4)}, spreads={})
    curve = LearningCurve(SIZES, SCORES, **known)
    model = APExGP("power_law", priors=priors).fit(curve)
    assert set(model.facts_) == facts
    assert model.facts_ == tuple(fact for fact in FACTS if fact in facts)
    whole = far_forecast(model)
    for fact in FACTS:
        less = far_forecast(APExGP("power_law", priors=priors).fit(replace(curve, **{fact: None})))
        if fact in facts:
            assert np.abs(less - whole).max() > 1e-5, fact
        else:
            np.testing.assert_array_equal(less, whole, err_msg=fact)


def test_a_kind_that_the_model_is_told_counts_as_that_of_the_curve():
    curve = LearningCurve(SIZES, SCORES, n_features=100, n_classes=80)
    told_here, told_there = (
        APExGP("power_law", priors=ALL, learner="linear").fit(curve),
        APExGP("power_law", priors=ALL).fit(replace(curve, learner="linear")),
    )
    np.testing.assert_array_equal(far_forecast(told_here), far_forecast(told_there))
    assert told_here.facts_ == told_there.facts_ == ("learner", "n_features", "n_classes")
    unknown = APExGP("power_law", priors=ALL, learner=UNKNOWN).fit(replace(curve, learner="linear"))
    np.testing.assert_array_equal(far_forecast(unknown), told(n_features=100, n_classes=80))
    assert unknown.facts_ == ("n_classes",)


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
