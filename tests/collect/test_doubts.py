"""What is said before the first fit, and what is not: through `collect_curves`, with fits that cost nothing."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from apexgp import LogisticHead, SliceHead, collect_curves
from apexgp.collect.doubts import auroc_standard_error
from apexgp.errors import (
    ClassesLeftOutWarning,
    FewTestCasesWarning,
    LeakWarning,
    NoFeatureWarning,
    RequestError,
    UngroupedWarning,
)

RNG = np.random.default_rng(0)
N = 600
Y = np.arange(N) % 2
FEATURE = RNG.normal(size=N).round(3) + Y


class Never(DummyClassifier):
    """Is not to be fitted."""

    def fit(self, X, y):
        raise AssertionError("fitted before everything was said")


def said(X, y=Y, estimator=None, **settings):
    """Everything that the library warns of, with a classifier that costs nothing."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        settings = {"sizes": [40], "n_splits": 1, "progress": False} | settings
        collect_curves(estimator or DummyClassifier(), X, y, **settings)
    return {warning.category: str(warning.message) for warning in found}


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits, load_wine, load_iris])
@pytest.mark.parametrize("as_frame", [False, True])
def test_no_false_alarm_on_the_data_of_scikit_learn(load, as_frame):
    X, y = load(return_X_y=True, as_frame=as_frame)
    few = {FewTestCasesWarning} if load in (load_wine, load_iris) else set()  # 15 and 18 test cases are few
    rare = {ClassesLeftOutWarning} if load is load_digits else set()  # four digits
    assert set(said(X, y)) == few | rare
    assert set(said(X, y, metric="accuracy", multiclass="macro")) == few


@pytest.mark.slow
def test_few_test_cases_and_the_standard_error_they_give():
    y = (np.arange(1500) < 150).astype(int)
    X = RNG.normal(size=(1500, 2))
    message = said(X, y)[FewTestCasesWarning]
    assert "15 positive and 135 negative cases of '1'" in message
    assert "A single AUROC of 0.9 then has a standard error of about 0.05" in message
    assert "(n_splits, --splits)" in message
    assert not said(X, np.arange(1500) % 2)
    assert said(X, y, metric="roc_auc") == said(X, y)
    rarer = (np.arange(1500) < 80).astype(int)
    assert "standard error of about 0.05" in said(X, rarer, metric="balanced_accuracy")[FewTestCasesWarning]
    by_chance = y[:350] | (RNG.random(350) < 0.3)
    assert "standard error of about 0.05" in said(X[:350], by_chance, metric="accuracy")[FewTestCasesWarning]


@pytest.mark.parametrize(("positives", "negatives"), [(15, 135), (40, 60)])
def test_the_standard_error_is_that_of_repeated_test_sets(positives, negatives):
    """Against simulation with exponential scores, for which the formula is exact; their AUROC is 0.9."""
    ranks = 9 * RNG.exponential(size=(4000, positives, 1)) > RNG.exponential(size=(4000, 1, negatives))
    assert auroc_standard_error(positives, negatives) == pytest.approx(ranks.mean(axis=(1, 2)).std(), rel=0.05)


def test_shuffled_identifiers_and_near_unique_texts():
    frame = pd.DataFrame({"x": FEATURE, "row": RNG.permutation(N), "number": RNG.choice(10**4, N, replace=False)})
    frame["record_id"] = RNG.choice(10**9, N, replace=False)
    frame["income"] = RNG.choice(10**9, N, replace=False)  # large whole numbers may all differ
    frame["note"] = [f"note {i}" for i in RNG.permutation(N)]
    frame["count"] = RNG.poisson(300, N)
    found = said(frame)
    assert set(found) == {NoFeatureWarning}
    assert "'row', 'number', 'record_id', 'note'. A classifier" in found[NoFeatureWarning]
    assert "number 1." in said(np.column_stack([FEATURE, RNG.permutation(N)]))[NoFeatureWarning]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["patient", "PatientID", "subject_id", "MRN", "patient no."])
def test_patients_with_many_rows_and_no_groups(name):
    whose = RNG.permutation(np.arange(N) // 4)
    frame = pd.DataFrame({"x": FEATURE, name: whose})
    found = said(frame)
    assert set(found) == {UngroupedWarning}
    assert repr(name) in found[UngroupedWarning]
    assert "(groups, --group)" in found[UngroupedWarning]
    assert not said(frame, groups=whose)
    assert not said(pd.DataFrame({"x": FEATURE, "visits": whose, "subjective_pain": whose % 100}))
    by_text = pd.DataFrame({"x": FEATURE, "ward": [f"w{i}" for i in whose]})
    assert set(said(by_text)) == {UngroupedWarning}


@pytest.mark.slow
@pytest.mark.parametrize(
    "leak",
    [
        Y,
        Y * 3.5,
        Y + 0.3 * RNG.random(N),  # a cut of the range
        np.where(Y == 1, RNG.integers(0, 8, N), RNG.integers(0, 8, N) + 0.5),  # value by value
        np.where(Y == 1, RNG.normal(size=N), np.nan),  # known for one class only
        np.where(Y == 1, "treated", "not yet"),
    ],
)
def test_leaks(leak):
    frame = pd.DataFrame({"x": FEATURE, "y?": leak})
    found = said(frame)
    assert set(found) == {LeakWarning}
    assert "'y?'" in found[LeakWarning]
    broken = frame.copy()
    broken["y?"] = broken["y?"].to_numpy()[RNG.permutation(N)]
    assert not said(broken)


def test_what_is_known_of_patients_with_one_class_each_is_no_leak():
    patients = RNG.permutation(np.arange(N) // 6)
    y = RNG.permutation(np.arange(100) % 2)[patients]
    age = RNG.uniform(20, 90, 100)[patients]
    frame = pd.DataFrame({"x": FEATURE, "id": patients, "age": age})
    found = said(frame, y)
    assert set(found) == {UngroupedWarning}
    assert "'id', 'age'" in found[UngroupedWarning]
    assert not said(frame[["x", "age"]], y, groups=patients, ratio=(6, 2, 2))


def test_a_leak_among_several_classes():
    y = np.arange(N) % 3
    assert set(said(pd.DataFrame({"x": FEATURE, "code": (y + 1) % 3}), y, multiclass="macro")) == {LeakWarning}
    assert not said(pd.DataFrame({"x": FEATURE, "first": y == 0}), y, multiclass="macro")  # tells one class, not all


def test_everything_is_said_before_the_first_fit():
    frame = pd.DataFrame({"x": FEATURE, "row": RNG.permutation(N)})
    with pytest.warns(NoFeatureWarning), pytest.raises(Exception, match="fitted before everything"):
        collect_curves(Never(), frame, Y, sizes=[40], n_splits=1, progress=False)


@pytest.mark.parametrize(
    ("estimator", "settings", "message"),
    [
        (LogisticHead(), {}, "estimator cannot be LogisticHead: it handles two classes only, and there are 3 here"),
        (SliceHead(), {}, "cannot be SliceHead"),
        (make_pipeline(StandardScaler(), LinearSVC()), {}, "cannot be LinearSVC: auroc needs its predict_proba"),
        (SVC(), {}, "SVC: auroc needs its predict_proba, which it does not have. Use another classifier, or"),
        (LinearSVC(), {"metric": ["accuracy", "neg_log_loss"]}, "neg_log_loss needs its predict_proba"),
    ],
)
def test_what_an_estimator_cannot_do_is_said_before_the_first_fit(estimator, settings, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(RequestError, match=message):
        collect_curves(estimator, X, y, **{"multiclass": "macro", "progress": False} | settings)


def test_what_it_can_do_is_done():
    X, y = load_iris(return_X_y=True)
    assert set(said(X, y, LinearSVC(), metric="accuracy", multiclass="macro")) == {FewTestCasesWarning}
    assert set(said(X, y, LinearSVC())) == {FewTestCasesWarning}  # one class against the rest needs no probabilities


def sizes_of(curves):
    return np.unique(next(iter(curves.values())).sizes)


@pytest.mark.slow
def test_three_thousand_rows_are_used():
    X = RNG.normal(size=(3000, 2))
    curves = collect_curves(GaussianNB(), X, np.arange(3000) % 2, n_splits=1, progress=False)
    assert (sizes_of(curves)[0], sizes_of(curves)[-1], len(sizes_of(curves))) == (75, 2400, 10)


@pytest.mark.slow
def test_the_cost_of_many_rows_tasks_and_candidates_is_bounded_and_that_is_said():
    X, y = RNG.normal(size=(20_000, 1)), np.arange(20_000) % 8
    curves = collect_curves(DummyClassifier(), X, y, n_splits=1, progress=False, metric="accuracy")
    assert sizes_of(curves)[-1] == 12_500
    assert "up to 12,500 of the 16,000 rows available, to limit the cost (name larger" in curves.notes[0]
    grid = {"strategy": ["prior", "uniform"] * 10}
    settings = {"metric": "accuracy", "n_splits": 1, "progress": False}
    fewer = collect_curves(DummyClassifier(), X, y % 2, param_grid=grid, **settings)
    assert sizes_of(fewer)[-1] == 5000


@pytest.mark.slow
def test_rare_classes_and_estimators_that_cross_validate_begin_later():
    y = (np.arange(2000) % 20 == 0).astype(int)
    X = RNG.normal(size=(2000, 1))
    with pytest.warns(FewTestCasesWarning):
        rare = collect_curves(DummyClassifier(), X, y, n_splits=1, progress=False)
    assert sizes_of(rare)[0] == 100
    with pytest.warns(FewTestCasesWarning):
        folds = collect_curves(Folded(cv=20), X, y, n_splits=1, progress=False)
    assert sizes_of(folds)[0] == 400
    assert "from 400 (20 or more cases of each class)" in folds.notes[0]


class Folded(DummyClassifier):
    """Says that it cross-validates."""

    def __init__(self, cv=5):
        super().__init__()
        self.cv = cv


@pytest.mark.slow
def test_a_resumed_run_asks_for_the_same_sizes(tmp_path):
    X = RNG.normal(size=(300, 2))
    settings = {"results": tmp_path / "runs.csv", "n_splits": 1, "progress": False, "ratio": (3, 1, 1)}
    first = collect_curves(GaussianNB(), X, np.arange(300) % 2, **settings)
    again = collect_curves(GaussianNB(), X, np.arange(300) % 2, **settings)
    assert first.fits == again.fits
    assert first.notes == again.notes
