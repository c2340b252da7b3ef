"""Data frames of any library, and what scikit-learn returns, taken as they are."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import LearningCurveDisplay, ShuffleSplit, learning_curve
from sklearn.naive_bayes import GaussianNB

from apexgp import APExGP, LearningCurve, LeastSquares, read
from apexgp.errors import DataError, MissingScoresWarning, RequestError
from conftest import require

COLUMNS = {
    "n": [60, 60, 94, 94, 147, 147],
    "AUC": [0.1 + 0.2, 0.55, 1 / 3, 0.6, 0.65, 0.66],
    "seed": [1, 2, 1, 2, 1, 2],
    "note": ["x", None, "y", None, "z", None],
}


def frames():
    return {
        "mapping": lambda columns: columns,
        "pandas": lambda columns: require("pandas").DataFrame(columns),
        "polars": lambda columns: require("polars").DataFrame(columns),
        "lazy": lambda columns: require("polars").LazyFrame(columns),
    }


@pytest.fixture(params=["mapping", "pandas", "polars", "lazy"])
def frame(request):
    return frames()[request.param]


@pytest.mark.slow
def test_a_frame_of_any_library_is_a_curve(frame):
    curve = read(frame(COLUMNS)).curve
    assert curve.sizes.tolist() == COLUMNS["n"]
    assert curve.scores.tolist() == COLUMNS["AUC"]  # to the last digit
    assert curve.split.tolist() == COLUMNS["seed"]
    assert curve.metric_name == "AUROC"
    named = read(frame(COLUMNS), size="n", score="AUC", split="seed", metric="f1", unit="groups").curve
    assert (named.metric_name, named.unit, named.scores.tolist()) == ("F1", "groups", COLUMNS["AUC"])


@pytest.mark.slow
def test_an_estimator_is_fitted_to_a_frame(frame):
    expected = LeastSquares("power_law").fit(COLUMNS["n"], COLUMNS["AUC"], COLUMNS["seed"])
    found = LeastSquares("power_law").fit(frame(COLUMNS))
    assert found.predict([500]) == expected.predict([500])
    assert found.curve_.metric_name == "AUROC"


def test_gaps_of_a_wide_frame_are_left_out_with_a_word(frame):
    wide = {"size": [60, 94], "1": [0.7, None], "2": [0.71, 0.8]}
    with pytest.warns(MissingScoresWarning, match=r"The data frame: 1 of 4 score cells are empty.*row 1"):
        curve = read(frame(wide)).curve
    assert (curve.scores.tolist(), curve.split.tolist()) == ([0.7, 0.71, 0.8], [1, 2, 2])


def test_pandas_own_ways():
    pandas = require("pandas")
    wide = pandas.DataFrame([[0.7, 0.71], [0.8, 0.81]], index=pandas.Index([60, 94], name="n"))
    assert read(wide).curve.sizes.tolist() == [60, 60, 94, 94]
    twice = pandas.DataFrame([[60, 0.7, 0.8]], columns=["n", "auc", "auc"])
    with pytest.raises(DataError, match="names column 'auc' more than once"):
        read(twice).curve
    nullable = pandas.DataFrame({"n": pandas.array([60, 94], "Int64"), "auc": pandas.array([0.7, 0.8], "Float64")})
    assert read(nullable).curve.scores.tolist() == [0.7, 0.8]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"n": [60, 94], "auc": [0.7, 1.8]}, r"The data frame, row 1, column 'auc': scores must lie in \[0, 1\]"),
        ({"n": [60, None], "auc": [0.7, 0.8]}, r"The data frame, row 1, column 'n': the cell is empty"),
        ({"a": [60], "auc": [0.7]}, "The data frame has no column called size"),
        ({"n": [], "auc": []}, "has no rows"),
        ({}, "has no rows"),
    ],
)
def test_bad_frames_are_explained(frame, columns, message):
    with pytest.raises(DataError, match=message):
        read(frame(columns)).curve


def test_what_is_no_frame_is_refused():
    for thing in (None, 3, "n,auc", [[60, 0.7]], object()):
        with pytest.raises((DataError, RequestError), match=r"Expected the name of a file|There is no file n,auc"):
            read(thing)
    with pytest.raises(DataError, match=r"The data frame holds 2 tasks \(a, b\)"):
        read({"n": [60, 60], "auc": [0.7, 0.8], "task": ["a", "b"]}).curve
    assert list(read({"n": [60, 60], "auc": [0.7, 0.8], "task": ["a", "b"]}).curves) == ["a", "b"]


@pytest.fixture(scope="module")
def data():
    return load_breast_cancer(return_X_y=True)


SETTINGS = {"train_sizes": [40, 80, 160], "cv": ShuffleSplit(3, random_state=0)}


@pytest.mark.slow
@pytest.mark.parametrize("times", [False, True])
def test_a_learning_curve_of_scikit_learn_is_taken_as_it_is(data, times):
    result = learning_curve(GaussianNB(), *data, return_times=times, **SETTINGS)
    curve = LearningCurve.from_sklearn(result, metric="accuracy")
    assert curve.scores.tolist() == result[2].ravel().tolist()
    assert curve.sizes.tolist() == [40] * 3 + [80] * 3 + [160] * 3
    assert curve.split.tolist() == [0, 1, 2] * 3
    assert curve.metric_name == "accuracy"
    fitted = LeastSquares("power_law").fit(result)
    assert fitted.curve_.scores.tolist() == curve.scores.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("scoring", "metric"), [(None, "score"), ("roc_auc", "AUROC"), ("accuracy", "accuracy")])
def test_a_display_of_scikit_learn_is_taken_with_its_metric(data, scoring, metric):
    pyplot = require("matplotlib.pyplot")
    display = LearningCurveDisplay.from_estimator(GaussianNB(), *data, scoring=scoring, **SETTINGS)
    pyplot.close(display.figure_)
    model = LeastSquares("power_law").fit(display)
    assert model.curve_.scores.tolist() == display.test_scores.ravel().tolist()
    assert model.curve_.metric_name == metric


def test_negated_losses_are_turned_round(data):
    result = learning_curve(GaussianNB(), *data, scoring="neg_brier_score", **SETTINGS)
    curve = LearningCurve.from_sklearn(result, metric="brier")
    assert (curve.direction, curve.metric_name) == ("lower", "Brier score")
    np.testing.assert_array_equal(curve.scores, -result[2].ravel())


def test_what_scikit_learn_does_not_return_is_refused():
    for thing in (None, (1, 2, 3), ([60], [0.7], [0.8]), "curve", np.ones((3, 2))):
        with pytest.raises(DataError, match="what scikit-learn's learning_curve returns"):
            LearningCurve.from_sklearn(thing)
    with pytest.raises(RequestError, match="fit\\(curve\\) with a LearningCurve, a data frame or"):
        APExGP().fit([60, 94, 147])
