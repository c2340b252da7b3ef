"""What is known of scores beside them: kept in line with them, whatever becomes of the curve."""

import io
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apexgp import APExGP, LearningCurve, LeastSquares, read
from apexgp.curve import build_curve_columns
from apexgp.design.designs import Design
from apexgp.design.simulated_scores import SimulatedScores
from apexgp.errors import DataError, MissingScoresWarning, RequestError
from apexgp.questions.plan.simulation import _measure_at
from apexgp.reading.files import as_csv
from apexgp.reading.score_details import BY_SCORE, interpolated
from conftest import require

SIZES, SCORES = [60, 120, 250, 500], [0.66, 0.70, 0.73, 0.75]
TRAIN = [0.99, 0.97, np.nan, 0.95]
FULL = {
    "train_scores": TRAIN,
    "n_test": [100, 100, np.nan, 120],
    "averaged_over": 25,
    "score_sd": [0.02, np.nan, 0.01, 0],
    "n_features": 1200,
    "n_classes": 10,
}
OF_THE_CURVE = ("averaged_over", "n_features", "n_classes")


def details(curve):
    """All that a curve knows, to be compared: NaN is like NaN."""
    arrays = {name: getattr(curve, name) for name in ("sizes", "scores", *BY_SCORE)}
    known = {
        name: None if array is None else [repr(value) for value in array.tolist()] for name, array in arrays.items()
    }
    split = None if curve.split is None else curve.split.tolist()
    return (
        known
        | {name: getattr(curve, name) for name in (*OF_THE_CURVE, "metric", "task", "direction", "unit")}
        | {"split": split}
    )


@st.composite
def curves(draw):
    sizes = draw(st.lists(st.integers(1, 10**6), min_size=1, max_size=6, unique=True))
    splits = draw(st.integers(1, 3))
    count = len(sizes) * splits
    column = {
        "train_scores": st.floats(0, 1) | st.just(np.nan),
        "n_test": st.integers(1, 10**6) | st.floats(1, 1e6) | st.just(np.nan),
        "score_sd": st.floats(0, 0.5) | st.just(np.nan),
    }
    known = {
        name: draw(st.none() | st.lists(values, min_size=count, max_size=count)) for name, values in column.items()
    }
    return LearningCurve(
        np.repeat(sizes, splits),
        draw(st.lists(st.floats(0, 1), min_size=count, max_size=count)),
        draw(st.sampled_from([None, list(range(splits)) * len(sizes)])),
        direction=draw(st.sampled_from(["higher", "lower"])),
        averaged_over=draw(st.none() | st.just("several") | st.integers(2, 100)),
        n_features=draw(st.none() | st.integers(1, 2**53 - 1)),
        n_classes=draw(st.none() | st.integers(2, 10**6)),
        **known,
    )


@pytest.mark.slow
@given(curves())
def test_a_file_brings_back_all_that_a_curve_knows(curve):
    again = read(io.StringIO(as_csv(build_curve_columns([curve])))).curve
    assert details(again) == details(curve)


@pytest.mark.slow
@given(curves())
def test_a_frame_and_a_pickle_bring_it_back(curve):
    assert details(read(build_curve_columns([curve])).curve) == details(curve)
    assert details(pickle.loads(pickle.dumps(curve))) == details(curve)


@pytest.mark.slow
@given(curves(), st.integers(0, 5))
def test_parts_of_a_curve_keep_what_belongs_to_their_rows(curve, which):
    at = sorted(set(curve.sizes))[min(which, len(set(curve.sizes)) - 1)]
    whole = list(
        zip(*(details(curve)[name] or [None] * len(curve) for name in ("sizes", "scores", *BY_SCORE)), strict=True)
    )
    for part, inside in ((curve.up_to(at), curve.sizes <= at), (curve.beyond(at - 1), curve.sizes > at - 1)):
        known = details(part)
        rows = list(zip(*(known[name] or ["nan"] * len(part) for name in ("sizes", "scores", *BY_SCORE)), strict=True))
        assert [tuple(x or "nan" for x in row) for row in rows] == [
            tuple(x or "nan" for x in row) for row, kept in zip(whole, inside, strict=True) if kept
        ]
        assert [known[name] for name in OF_THE_CURVE] == [details(curve)[name] for name in OF_THE_CURVE]


@pytest.mark.slow
@given(curves())
def test_turned_twice_a_curve_is_what_it_was(curve):
    turned = LearningCurve(
        curve.sizes, curve.scores, curve.split, direction="lower", **{name: getattr(curve, name) for name in BY_SCORE}
    ).upward
    assert turned.direction == "higher"
    again = LearningCurve(
        turned.sizes,
        turned.scores,
        turned.split,
        direction="lower",
        **{name: getattr(turned, name) for name in BY_SCORE},
    ).upward
    for name in ("scores", *BY_SCORE):
        before, after = getattr(curve, name), getattr(again, name)
        assert (before is None) == (after is None)
        if before is not None:
            np.testing.assert_allclose(after, before, atol=1e-15)
    if curve.score_sd is not None:
        np.testing.assert_array_equal(turned.score_sd, curve.score_sd)


def test_a_training_error_is_turned_as_the_test_error_is():
    curve = LearningCurve(
        [60, 120], [0.3, 0.2], direction="lower", train_scores=[0.01, np.nan], score_sd=0.02, averaged_over=3
    )
    assert curve.upward.train_scores == pytest.approx([0.99, np.nan], nan_ok=True)
    assert curve.upward.score_sd.tolist() == [0.02, 0.02]


@pytest.mark.parametrize("model", [APExGP(), LeastSquares("power_law")])
def test_a_saved_model_keeps_them(tmp_path, model):
    curve = LearningCurve(SIZES, SCORES, **FULL)
    model.fit(curve).save(tmp_path / "model.json")
    assert details(type(model).load(tmp_path / "model.json").curve_) == details(curve)


def test_a_workbook_brings_them_back(tmp_path):
    openpyxl = require("openpyxl")
    curve = LearningCurve(SIZES, SCORES, **FULL)
    columns = build_curve_columns([curve])
    book = openpyxl.Workbook()
    for row in [list(columns), *zip(*columns.values(), strict=True)]:
        book.active.append(row)
    book.save(tmp_path / "curve.xlsx")
    assert details(read(tmp_path / "curve.xlsx").curve) == details(curve)


@given(curves())
@settings(max_examples=20)
def test_json_brings_it_back(curve):
    columns = build_curve_columns([curve])
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert details(read(io.StringIO(json.dumps(rows))).curve) == details(curve)


def test_curves_that_know_different_things_share_a_file():
    curves = [LearningCurve(SIZES, SCORES, task="a", **FULL), LearningCurve(SIZES, SCORES, task="b", n_test=50)]
    curves.append(LearningCurve(SIZES, SCORES, task="c", n_features=7))
    again = read(io.StringIO(as_csv(build_curve_columns(curves)))).curves
    assert [details(curve) for curve in again.values()] == [details(curve) for curve in curves]


def test_arrays_are_of_the_rows_and_cannot_be_changed():
    table = np.array([[0.66, 0.67], [0.70, np.nan], [0.73, 0.74]])
    with pytest.warns(MissingScoresWarning):
        curve = LearningCurve([60, 120, 250], table, train_scores=table + 0.2, n_test=80)
    np.testing.assert_array_equal(curve.train_scores, curve.scores + 0.2)
    assert curve.n_test.tolist() == [80] * 5
    with pytest.raises(ValueError, match="read-only"):
        curve.n_test[0] = 5
    assert "with train_scores, n_test)" in repr(curve)
    assert "averaged_over=25, n_features=1200, n_classes=10, with train_scores, n_test, score_sd)" in repr(
        LearningCurve(SIZES, SCORES, **FULL)
    )


def test_features_and_classes_belong_to_the_curve():
    curve = LearningCurve(SIZES, SCORES, direction="lower", n_features=np.int64(30), n_classes=3)
    for same in (curve, replace(curve), curve.upward, curve.up_to(120), curve.beyond(120), curve.on(curve.scale)):
        assert (same.n_features, same.n_classes) == (30, 3)
        assert "n_features=30, n_classes=3)" in repr(same)
    assert type(curve.n_features) is int
    unknown = LearningCurve(SIZES, SCORES)
    assert (unknown.n_features, unknown.n_classes) == (None, None)
    assert "n_" not in repr(unknown)


def test_what_is_known_nowhere_is_none():
    curve = LearningCurve(SIZES, SCORES, train_scores=[np.nan] * 4, n_test=np.nan, score_sd=[None] * 4)
    assert [getattr(curve, name) for name in BY_SCORE] == [None] * 3
    late = LearningCurve(SIZES, SCORES, train_scores=[np.nan, np.nan, 0.9, 0.9])
    assert late.up_to(120).train_scores is None


@pytest.mark.parametrize(
    ("known", "error", "message"),
    [
        ({"train_scores": [0.9, 0.8]}, DataError, r"train_scores must have the shape of scores, \(4,\), got \(2,\)"),
        ({"train_scores": 0.9}, DataError, r"train_scores must have the shape"),
        (
            {"train_scores": [99.0] * 4},
            DataError,
            r"train_scores must lie in \[0, 1\], got 99.* Are these percentages\?",
        ),
        ({"n_test": [10] * 3}, DataError, r"n_test must be one number, or have the shape of scores"),
        ({"n_test": 0}, DataError, r"n_test must be numbers of test cases, at least 1"),
        ({"n_test": np.inf}, DataError, r"n_test must be numbers of test cases"),
        ({"n_test": "many"}, DataError, r"n_test must be real numbers, got 'many'"),
        (
            {"score_sd": 2.1},
            DataError,
            r"score_sd must be standard deviations .* Are these percentages\? .* 2.1 becomes 0.021",
        ),
        ({"score_sd": -0.1}, DataError, r"score_sd must be standard deviations of scores in \[0, 1\], got -0.1\.$"),
        ({"averaged_over": 0}, RequestError, r"averaged_over must be a whole number of at least 1, got 0"),
        ({"averaged_over": 2.5}, RequestError, r"averaged_over must be a whole number, got 2.5"),
        ({"n_features": 0}, DataError, r"n_features must be a whole number of at least 1, got 0"),
        ({"n_features": 7.5}, DataError, r"n_features must be a whole number, got 7.5"),
        ({"n_features": True}, DataError, r"n_features must be a whole number"),
        ({"n_classes": 1}, DataError, r"n_classes must be a whole number of at least 2, got 1"),
        ({"n_classes": "two"}, DataError, r"n_classes must be a whole number, got 'two'"),
        ({"averaged_over": 1, "score_sd": 0.1}, DataError, r"score_sd applies to means over 2 or more runs"),
    ],
)
def test_what_cannot_be_is_explained(known, error, message):
    with pytest.raises(error, match=message):
        LearningCurve(SIZES, SCORES, **known)


def test_a_spread_of_an_unknown_number_of_runs_is_asked_about():
    asks = "the number of runs behind each is not known"
    sure = LearningCurve(SIZES, SCORES, score_sd=0.02, averaged_over=10)
    doubtful = LearningCurve(SIZES, SCORES, score_sd=0.02)
    assert not any(asks in caution for caution in APExGP().fit(sure).forecast([1000]).cautions)
    (caution,) = [caution for caution in APExGP().fit(doubtful).forecast([1000]).cautions if asks in caution]
    assert caution.endswith("Give the number with averaged_over=..., or in a column averaged_over.")


def test_a_simulated_collection_measures_them_too():
    """At the sizes of the curve itself it gives what was measured; between them what lies between."""
    split = ["a", "b"] * 4
    curve = LearningCurve(
        np.repeat(SIZES, 2), np.repeat(SCORES, 2), split, train_scores=np.linspace(1, 0.93, 8), n_test=[100, 50] * 4
    )
    again = _measure_at(curve, np.array(SIZES, float))
    order = np.lexsort((again.split.astype(str), again.sizes))
    for name in ("sizes", "scores", "train_scores", "n_test"):
        np.testing.assert_allclose(getattr(again, name)[order], getattr(curve, name))
    middle = _measure_at(curve, np.array([60.0, np.sqrt(60 * 120), 120.0]))
    own = middle.train_scores[middle.split == "a"]
    assert own[1] == pytest.approx((own[0] + own[2]) / 2)
    unlabelled = LearningCurve(curve.sizes, curve.scores, n_test=curve.n_test, averaged_over=5, score_sd=0.02)
    mean = _measure_at(unlabelled, np.array(SIZES, float))
    assert (mean.n_test.tolist(), mean.averaged_over, mean.score_sd.tolist()) == ([75] * 4, 10, [0.02] * 4)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.floats(0, 1) | st.just(np.nan), min_size=3, max_size=3))
def test_interpolation_goes_through_what_is_known(values):
    sizes, known = np.array([10.0, 20.0, 40.0]), np.array(values)
    found = interpolated(sizes, sizes, known)
    inside = ~np.isnan(known)
    np.testing.assert_allclose(found[inside], known[inside], atol=1e-12)
    assert np.isnan(found).all() == np.isnan(known).all()


def test_scores_that_may_come_are_measured_on_as_many_cases():
    pilot = LearningCurve(SIZES, SCORES, ["a"] * 4, train_scores=TRAIN, n_test=100)
    coming = SimulatedScores(np.array([1000.0, 2000.0]), np.full((1, 2, 2), 0.8), None, ["a"], np.ones(1))
    both = coming.curve(0, Design((1000.0, 2000.0), 2), pilot)
    assert len(both) == 8
    assert both.n_test.tolist() == [100] * 8
    np.testing.assert_array_equal(both.train_scores, [*TRAIN, *[np.nan] * 4])
