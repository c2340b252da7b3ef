"""The heads keep scikit-learn's contract, by scikit-learn's own checks of it."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, SkipTestWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

from apexgp import LogisticHead, SliceHead, TunedLogistic
from apexgp.errors import DataError, DataTypeError

HEADS = [TunedLogistic([0.1, 10.0]), LogisticHead()]  # the contract does not depend on how many strengths are tried


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the checks provoke warnings, and judge them
@pytest.mark.parametrize(
    ("estimator", "check"),
    [pair for head in HEADS for pair in estimator_checks_generator(head)],
    ids=lambda part: part.func.__name__ if isinstance(part, partial) else type(part).__name__,
)
def test_every_check_of_scikit_learn_holds(estimator, check):
    check(estimator)


@pytest.fixture
def cases(rng):
    y = np.arange(60) % 2
    return rng.normal(size=(60, 3)) + y[:, None], y


@pytest.mark.slow
@pytest.mark.parametrize("head", HEADS, ids=lambda head: type(head).__name__)
def test_columns_of_a_frame_are_remembered(head, cases):
    pandas = pytest.importorskip("pandas")
    X, y = cases
    frame = pandas.DataFrame(X, columns=["age", "weight", "dose"])
    fitted = clone(head).fit(frame, y, validation=(frame, y))
    assert fitted.feature_names_in_.tolist() == ["age", "weight", "dose"]
    of_arrays = clone(head).fit(X, y, validation=(X, y)).predict_proba(X)
    assert fitted.predict_proba(frame) == pytest.approx(of_arrays, abs=1e-12)
    with pytest.raises(DataError, match="feature names should match"):
        fitted.predict(frame[["dose", "weight", "age"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(head).fit(frame, y)  # what is held out of it has the names, too


@pytest.mark.parametrize("head", HEADS, ids=lambda head: type(head).__name__)
def test_faults_are_said_in_one_kind_of_error(head, cases):
    X, y = cases
    with pytest.raises(DataTypeError, match="must be a string or a real number"):
        clone(head).fit(np.full(X.shape, {}, object), y)
    with pytest.raises(DataError, match="continuous"):
        clone(head).fit(X, y + 0.5 * X[:, 0])
    with pytest.raises(DataError, match="got 1 class"):
        clone(head).fit(X[:1], y[:1])
    with pytest.raises(DataError, match="1d array"):
        clone(head).fit(X, None)
    with pytest.warns(DataConversionWarning, match="column-vector"):
        clone(head).fit(X, y[:, None])


def test_the_head_for_scans_says_that_the_checks_are_not_for_it():
    """They all bring arrays of two dimensions; a scan has two itself."""
    tags = get_tags(SliceHead())
    assert tags.input_tags.three_d_array
    assert not tags.input_tags.two_d_array
    assert not tags.classifier_tags.multi_class
    with pytest.warns(SkipTestWarning, match="Can't test estimator SliceHead"):
        check_estimator(SliceHead())
