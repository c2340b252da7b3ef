import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, balanced_accuracy_score, get_scorer_names, log_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB

from apexgp import collect_curves
from apexgp.collect.scores import auroc, scorers_by_name
from apexgp.errors import RequestError


@pytest.mark.parametrize("levels", [3, 1000])
def test_auroc_is_that_of_scikit_learn_with_ties_and_without(rng, levels):
    y = rng.random(200) < 0.3
    scores = rng.integers(0, levels, (200, 7)) / levels + 0.1 * y[:, None]
    expected = [roc_auc_score(y, column) for column in scores.T]
    assert auroc(y, scores) == pytest.approx(expected, abs=1e-14)


def test_our_names_are_those_metrics(rng):
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X[:, :1], y)
    chances = model.predict_proba(X[:, :1])
    names = ["auroc", "balanced_accuracy", "accuracy", "average_precision"]
    found = [scorer(model, X[:, :1], y) for scorer in scorers_by_name(names, several_classes=True).values()]
    guess = model.predict(X[:, :1])
    assert found == pytest.approx(
        [
            roc_auc_score(y, chances, multi_class="ovr"),
            balanced_accuracy_score(y, guess),
            (guess == y).mean(),
            average_precision_score(y, model.decision_function(X[:, :1])),
        ]
    )


def test_other_scorers_by_name_or_as_functions():
    assert list(scorers_by_name(["f1", "auroc"], several_classes=False)) == ["f1", "auroc"]
    assert scorers_by_name({"mine": len}, several_classes=False) == {"mine": len}


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("auc", "'auroc', 'accuracy', 'balanced_accuracy', 'average_precision', or a scorer .* got 'auc'"),
        ([], "one or more"),
        (["auroc", "auroc"], "different"),
        ("our_loss", "got 'our_loss'"),
        ([3], "names of metrics, got 3"),
        (3, "one or more"),
        ({"two\nlines": max}, "must be a mapping from names to scorers"),
        ({}, "must be a mapping from names to scorers"),
        ({"a": "auroc"}, "must be a mapping from names to scorers"),
    ],
)
def test_bad_metrics_are_refused(metric, message):
    with pytest.raises(RequestError, match=message):
        scorers_by_name(metric, several_classes=False)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_nothing_is_dropped_for_its_value():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
    names = ["matthews_corrcoef", "log_loss", "neg_log_loss", "kappa"]
    newer = {"d2_log_loss_score"} & set(get_scorer_names())  # which the oldest scikit-learn does not have yet
    names += newer
    curves = collect_curves(GaussianNB(), X, y, sizes=[20, 40, 80], n_splits=6, metric=names)
    measured = {metric: curve for (_, metric), curve in curves.items()}
    assert curves.failed == ()
    assert {len(curve) for curve in measured.values()} == {18}
    assert measured["matthews_corrcoef"].scores.min() < 0 < measured["matthews_corrcoef"].scores.max()
    assert all(measured[name].scores.min() < 0 for name in newer)
    np.testing.assert_array_equal(measured["log_loss"].scores, -measured["neg_log_loss"].scores)
    assert [measured[name].direction for name in names[:4]] == ["higher", "lower", "higher", "higher"]
    assert all(measured[name].direction == "higher" for name in newer)


@pytest.mark.slow
def test_settings_are_chosen_by_the_lowest_loss():
    X, y = load_breast_cancer(return_X_y=True)
    for metric in ("log_loss", "neg_log_loss", {"log loss": lambda model, X, y: log_loss(y, model.predict_proba(X))}):
        grid = {"var_smoothing": [1e-9, 1e6]}
        curves = collect_curves(GaussianNB(), X, y, sizes=[100], n_splits=1, metric=metric, param_grid=grid)
        (fit,) = curves.fits
        name = next(iter(metric)) if isinstance(metric, dict) else metric
        both = [
            collect_curves(GaussianNB(var_smoothing=one), X, y, sizes=[100], n_splits=1, metric=metric).fits[0]
            for one in grid["var_smoothing"]
        ]
        losses = [abs(one[f"validation_{name}"]) for one in both]
        assert fit["parameters"]["var_smoothing"] == grid["var_smoothing"][int(np.argmin(losses))]
        assert fit[f"test_{name}"] == both[int(np.argmin(losses))][f"test_{name}"]
