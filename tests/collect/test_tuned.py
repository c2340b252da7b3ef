import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from apexgp import TunedLogistic, collect_curves
from apexgp.errors import DataError, RequestError

CANCER = load_breast_cancer(return_X_y=True)
DIGITS = load_digits(return_X_y=True)
DIGITS = 0.3 * DIGITS[0], DIGITS[1]  # so that no pixel is 0 or 1 throughout, and scaled otherwise than by scikit-learn


@pytest.mark.slow
@pytest.mark.parametrize("rows", [40, 300])  # fewer than the 64 features, and more
@pytest.mark.parametrize("several", [False, True])
def test_what_is_chosen_is_scikit_learns_fit(rows, several):
    X, y = DIGITS
    y = y if several else y % 2
    ours = TunedLogistic([0.01, 1.0]).fit(X[:rows], y[:rows], validation=(X[1000:1400], y[1000:1400]))
    theirs = make_pipeline(StandardScaler(), LogisticRegression(C=ours.chosen_["C"], max_iter=1000))
    theirs.fit(X[:rows], y[:rows])
    near = 1e-9 if rows > 64 else 0.01  # turned axes end elsewhere within the tolerance
    assert ours.predict_proba(X[500:]) == pytest.approx(theirs.predict_proba(X[500:]), abs=near)
    assert ours.decision_function(X[500:]) == pytest.approx(theirs.decision_function(X[500:]), abs=10 * near)
    assert (ours.predict(X[500:]) == theirs.predict(X[500:])).mean() > 0.99
    assert ours.coef_.shape == (10 if several else 1, 64)


def test_rare_categories_are_not_blown_up():
    """Thirty categories say nothing, each in few rows: scaled to one standard deviation they would say much."""
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    number = rng.normal(size=60) + y
    category = np.eye(30)[rng.integers(0, 30, 60)]
    model = TunedLogistic([1.0]).fit(np.column_stack([number, category]), y)
    plain = LogisticRegression(C=1.0).fit(np.column_stack([(number - number.mean()) / number.std(), category]), y)
    assert model.coef_[0, 1:] == pytest.approx(plain.coef_[0, 1:], abs=0.01)


def test_sparse_features_stay_sparse():
    X, y = DIGITS
    full, sparse = (TunedLogistic([0.1]).fit(features, y % 2) for features in (X, csr_matrix(X)))
    assert sparse.predict_proba(csr_matrix(X)) == pytest.approx(full.predict_proba(X), abs=0.05)


@pytest.mark.slow
def test_validation_rows_choose_and_are_never_fitted_to():
    X, y = CANCER
    one = TunedLogistic([1.0]).fit(X[:100], y[:100], validation=(X[100:], y[100:]))
    assert one.coef_.tolist() == TunedLogistic([1.0]).fit(X[:100], y[:100]).coef_.tolist()
    noise = np.random.default_rng(0).permutation(y[100:])  # tells nothing, so that the least that is fitted is best
    assert (
        TunedLogistic().fit(X[:100], y[:100], validation=(X[100:], noise)).chosen_["C"]
        < TunedLogistic().fit(X[:100], y[:100], validation=(X[100:], y[100:])).chosen_["C"]
    )


@pytest.mark.slow
def test_the_measured_metric_has_the_say():
    """With one case in ten positive, only balanced weights find them; only balanced accuracy asks for that."""
    rng = np.random.default_rng(1)
    y = (np.arange(600) % 10 == 0).astype(int)
    X = rng.normal(size=(600, 3)) + 0.8 * y[:, None]
    by_class = TunedLogistic().fit(X[:300], y[:300], scorer=get_scorer("balanced_accuracy"))
    assert by_class.chosen_["class_weight"] == "balanced"
    assert set(TunedLogistic().fit(X[:300], y[:300], scorer=get_scorer("roc_auc")).chosen_) == {"C"}
    settings = {"sizes": [300], "n_splits": 1, "ratio": (3, 1, 1), "progress": False}
    measured = collect_curves(TunedLogistic(), X, y, metric="balanced_accuracy", **settings)
    assert measured.fits[0]["parameters"]["class_weight"] == "balanced"
    assert measured.only.scores[0] > 0.6


@pytest.mark.slow
def test_rows_of_one_patient_are_in_one_fold():
    """Twenty noisy features and six rows a patient: if the rows were apart, each would be known from the others."""
    rng = np.random.default_rng(2)
    patients = np.repeat(np.arange(40), 6)
    label = rng.permutation(np.arange(40) % 2)
    X = (rng.normal(size=(40, 20)) + 0.3 * label[:, None])[patients] + 0.01 * rng.normal(size=(240, 20))
    apart = TunedLogistic().fit(X, label[patients]).chosen_["C"]
    together = TunedLogistic().fit(X, label[patients], groups=patients).chosen_["C"]
    assert together < apart


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_breast_cancer_is_as_good_as_scikit_learn_has_it():
    ours = collect_curves(TunedLogistic(), *CANCER, sizes=[40, 455], progress=False).only
    theirs = make_pipeline(StandardScaler(), LogisticRegressionCV(cv=3, scoring="roc_auc", max_iter=1000))
    other = collect_curves(theirs, *CANCER, sizes=[40, 455], progress=False).only
    assert ours.replicates.mean[-1] > 0.985
    assert (ours.replicates.mean > other.replicates.mean - 0.005).all()


@pytest.mark.slow
def test_is_a_scikit_learn_estimator():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = clone(TunedLogistic([0.1, 1.0]))
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert set(model.fit(X, names).predict(X)) == set(names)
    assert cross_val_score(model, X, names, cv=3).mean() > 0.9
    assert roc_auc_score(y, model.predict_proba(X), multi_class="ovr") > 0.95


def test_a_class_with_a_single_row_can_be_learnt():
    X, y = CANCER
    rows = np.r_[np.flatnonzero(y == 1)[:20], np.flatnonzero(y == 0)[:1]]
    assert TunedLogistic().fit(X[rows], y[rows]).chosen_["C"] == 1e-4  # nothing to choose by: the most penalised
    TunedLogistic().fit(X[rows], y[rows], validation=(X[300:], y[300:]), scorer=get_scorer("roc_auc"))


@pytest.mark.parametrize(
    ("settings", "data", "error", "message"),
    [
        ({"Cs": []}, (), RequestError, "Cs must have at least one value"),
        ({"Cs": [-1.0]}, (), RequestError, "Cs must be above 0"),
        ({"n_folds": 1}, (), RequestError, "n_folds must be a whole number of at least 2"),
        ({}, (CANCER[0][:5], CANCER[1]), DataError, "one row per case, got 5 and 569"),
        ({}, (CANCER[0][:9], np.zeros(9)), DataError, "y must contain two classes or more"),
        ({}, ([["a"]] * 9, np.arange(9) % 2), DataError, "X: "),
    ],
)
def test_bad_settings_and_data_are_refused(settings, data, error, message):
    with pytest.raises(error, match=message):
        TunedLogistic(**settings).fit(*(data or CANCER))


def test_other_features_and_classes_later_are_refused():
    with pytest.raises(DataError, match="X has 2 features, but TunedLogistic is expecting 30"):
        TunedLogistic([1.0]).fit(*CANCER).predict(CANCER[0][:, :2])
    with pytest.raises(DataError, match="contains classes that the training set does not"):
        TunedLogistic().fit(*CANCER, validation=(CANCER[0], CANCER[1] + 1))
