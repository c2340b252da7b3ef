import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.utils import compute_sample_weight

from apexgp import LogisticHead
from apexgp.errors import DataError, RequestError


@pytest.fixture
def cases(rng):
    """Training and validation cases of two overlapping classes, one rarer."""
    y = (rng.random(300) < 0.3).astype(int)
    X = rng.normal(size=(300, 40)) + 0.35 * y[:, None] * rng.normal(size=40)
    return X[:120], y[:120], X[120:], y[120:]


@pytest.mark.slow
@pytest.mark.parametrize("C", [1e-5, 1e-2, 1.0, 1e3])
@pytest.mark.parametrize("cap", [1, 10, 40, 5000])
def test_one_candidate_is_scikit_learns_fit(cases, C, cap):
    X, y, X_val, _ = cases
    ours = LogisticHead([C], [cap]).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = LogisticRegression(C=C, max_iter=cap, class_weight="balanced").fit(X, y)
    # Steps are the same ones, up to rounding that grows as they go on.
    assert ours.coef_ == pytest.approx(theirs.coef_, rel=1e-4, abs=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-4, abs=1e-6)
    assert ours.predict_proba(X_val) == pytest.approx(theirs.predict_proba(X_val), abs=1e-4)
    assert ours.predict(X_val).tolist() == theirs.predict(X_val).tolist()
    assert np.isnan(ours.validation_score_)


@pytest.mark.slow
def test_the_choice_is_that_of_a_loop_over_scikit_learn(cases):
    X, y, X_val, y_val = cases
    Cs, caps = (1e-4, 1e-2, 1.0, 100.0), (5, 10, 20, 500)
    best = ((-1.0, 0.0), None)
    weights = compute_sample_weight("balanced", y_val)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for C in Cs:
            for cap in caps:
                model = LogisticRegression(C=C, max_iter=cap, class_weight="balanced").fit(X, y)
                loss = log_loss(y_val, model.predict_proba(X_val), sample_weight=weights)
                score = roc_auc_score(y_val, model.decision_function(X_val)), -loss
                if score > best[0]:
                    best = score, {"C": C, "max_iter": cap}
    head = LogisticHead(Cs[::-1], caps).fit(X, y, validation=(X_val, y_val))
    assert head.validation_score_ == pytest.approx(best[0][0], abs=1e-9)
    assert head.chosen_ == best[1]
    assert roc_auc_score(y_val, head.decision_function(X_val)) == pytest.approx(best[0][0], abs=1e-9)


@pytest.mark.slow
def test_ties_go_to_the_lower_validation_loss():
    """On classes far apart every candidate ranks perfectly; the choice must still predict well."""
    X = np.r_[np.full(20, -1.0), np.full(60, 1.0)][:, None]
    y = (X[:, 0] > 0).astype(int)
    head = LogisticHead().fit(X, y, validation=(X, y))
    assert head.validation_score_ == 1
    assert head.score(X, y) == 1
    assert head.chosen_["C"] > 1e3


@pytest.mark.slow
def test_is_a_scikit_learn_estimator(cases):
    X, y, *_ = cases
    names = np.array(["healthy", "ill"])[y]
    head = clone(LogisticHead(Cs=[0.1, 1.0], max_iters=[10, 100]))
    assert head.get_params()["Cs"] == [0.1, 1.0]
    with pytest.raises(NotFittedError):
        head.predict(X)
    assert set(head.fit(X, names).predict(X)) == {"healthy", "ill"}
    assert head.score(X, names) > 0.6
    assert cross_val_score(head, X, names, scoring="roc_auc", cv=3).mean() > 0.6
    again = clone(head).fit(X, names)
    assert again.coef_.tolist() == head.coef_.tolist()


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"Cs": []}, RequestError, "at least one value"),
        ({"Cs": [0.0]}, RequestError, "Cs must be above 0"),
        ({"max_iters": [0]}, RequestError, "max_iters must be a whole number of at least 1"),
        ({"validation_fraction": 10}, RequestError, "Write 0.1 for 10 %"),
    ],
)
def test_bad_settings_are_refused(cases, settings, error, message):
    with pytest.raises(error, match=message):
        LogisticHead(**settings).fit(*cases[:2])


def test_bad_data_are_refused(cases):
    X, y, X_val, y_val = cases
    with pytest.raises(DataError, match="distinguish two classes, got 3"):
        LogisticHead().fit(X, np.arange(120) % 3)
    with pytest.raises(DataError, match="one row per case, got 120 and 119"):
        LogisticHead().fit(X, y[:-1])
    with pytest.raises(DataError, match="validation set must contain both classes"):
        LogisticHead().fit(X, y, validation=(X_val, np.zeros_like(y_val)))
    with pytest.raises(DataError, match="X has 39 features, but LogisticHead is expecting 40"):
        LogisticHead([1.0], [10]).fit(X, y).predict(X[:, 1:])
