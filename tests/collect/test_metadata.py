"""Sample weights and groups go where scikit-learn would send them, and nowhere else."""

import re
import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, log_loss, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from apexgp import TunedLogistic, collect_curves
from apexgp.errors import DataError, NoFeatureWarning, RequestError

pytestmark = pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")

X, Y = load_breast_cancer(return_X_y=True)
X = (X[:200, :4] - X[:200, :4].mean(axis=0)) / X[:200, :4].std(axis=0)
Y = Y[:200]
WEIGHTS = np.random.default_rng(0).integers(1, 5, len(Y)).astype(float)
GROUPS = np.arange(len(Y)) // 2
PRECISE = LogisticRegression(tol=1e-10, max_iter=1000)


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def collect(estimator=PRECISE, features=X, labels=Y, **settings):
    settings = {"sizes": [40, 100], "n_splits": 2, "progress": False} | settings
    return collect_curves(estimator, features, labels, **settings)


def scores(curves, metric=None):
    """Training, validation and test scores of each fit."""
    metrics = [name for _, name in curves] if metric is None else [metric]
    return np.array(
        [[fit[f"{part}_{name}"] for name in metrics for part in ("train", "validation", "test")] for fit in curves.fits]
    )


def weighted(name):
    return get_scorer(name).set_score_request(sample_weight=True)


class Watched(ClassifierMixin, BaseEstimator):
    """Remembers what came beside the rows; the first feature is their number."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None, groups=None):
        self.classes_ = np.unique(y)
        Watched.seen.append((X[:, 0].astype(int), sample_weight, groups))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.slow
def test_whole_weights_are_repeated_rows(routing):
    """A row of weight 3 is three rows: in the fit, and in each score."""
    metric = {"auroc": weighted("roc_auc"), "log_loss": weighted("neg_log_loss")}
    repeated = np.repeat(np.arange(len(Y)), WEIGHTS.astype(int))
    of_weights = collect(sample_weight=WEIGHTS, metric=metric)
    of_rows = collect(features=X[repeated], labels=Y[repeated], groups=repeated, by_group=True, metric=list(metric))
    assert scores(of_weights) == pytest.approx(scores(of_rows), abs=1e-6)
    assert np.abs(scores(of_weights) - scores(collect(metric=list(metric)))).max() > 1e-3


@pytest.mark.slow
def test_a_loss_of_ones_own_is_weighted_as_well(routing):
    """Also where it is turned round, because it is the smaller the better."""
    own = make_scorer(log_loss, response_method="predict_proba").set_score_request(sample_weight=True)
    by_hand = collect(sample_weight=WEIGHTS, metric={"log_loss": own})
    assert scores(by_hand) == pytest.approx(
        scores(collect(sample_weight=WEIGHTS, metric={"log_loss": weighted("neg_log_loss")}))
    )


@pytest.mark.slow
def test_scores_are_weighted_only_where_the_scorer_asks_for_it(routing):
    both = collect(sample_weight=WEIGHTS, metric={"plain": get_scorer("roc_auc"), "weighted": weighted("roc_auc")})
    assert scores(both, "plain") == pytest.approx(scores(collect(sample_weight=WEIGHTS)))
    assert np.abs(scores(both, "plain") - scores(both, "weighted")).max() > 1e-4


def what_came(estimator, **settings):
    """Rows of each fit, with the weights and the groups that came along."""
    Watched.seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoFeatureWarning)  # of row numbers
        collect(estimator, np.column_stack([np.arange(len(Y)), X]), metric="accuracy", **settings)
    assert len(Watched.seen) == 4
    return Watched.seen


@pytest.mark.parametrize("on", [False, True])
def test_fit_is_passed_the_weights_of_its_rows_if_it_takes_them(on):
    with config_context(enable_metadata_routing=on):
        for rows, weights, groups in what_came(Watched(), sample_weight=WEIGHTS, groups=GROUPS):
            assert weights.tolist() == WEIGHTS[rows].tolist()
            assert groups is None  # which nobody has requested


def test_fit_is_passed_the_groups_of_its_rows_if_it_requests_them(routing):
    for rows, weights, groups in what_came(Watched().set_fit_request(groups=True), groups=GROUPS):
        assert weights is None
        assert groups.tolist() == GROUPS[rows].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_pipeline_routes_weights_to_the_part_that_requests_them(routing, n_jobs):
    """Workers are other processes, which do not know by themselves that routing is on."""
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    pipeline = make_pipeline(scaler, LogisticRegression().set_fit_request(sample_weight=True))
    scaled = collect(pipeline, sample_weight=WEIGHTS, n_jobs=n_jobs)
    assert np.abs(scores(scaled) - scores(collect(pipeline))).max() > 1e-4
    pipeline.steps[0] = ("scaler", "passthrough")  # so that it is its last part
    alone = collect(LogisticRegression(), sample_weight=WEIGHTS)
    assert scores(collect(pipeline, sample_weight=WEIGHTS, n_jobs=n_jobs)).tolist() == scores(alone).tolist()


@pytest.mark.slow
def test_a_search_is_given_the_groups_that_its_folds_ask_for(routing):
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=GroupKFold(3))
    curves = collect(search, groups=GROUPS)
    assert not curves.failed
    asked = LogisticRegression().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    both = collect(GridSearchCV(asked, {"C": [0.01, 1.0]}, cv=GroupKFold(3)), groups=GROUPS, sample_weight=WEIGHTS)
    assert not both.failed
    assert scores(both).tolist() != scores(curves).tolist()


@pytest.mark.parametrize(
    ("estimator", "on", "said"),
    [
        (KNeighborsClassifier(), False, "fit of KNeighborsClassifier does not take it"),
        (KNeighborsClassifier(), True, "neither takes it nor routes it"),
        (TunedLogistic(), False, "fit of TunedLogistic does not take it"),
        (make_pipeline(LogisticRegression()), False, "routing is on: sklearn.set_config"),
        (make_pipeline(LogisticRegression()), True, "must request what it should be passed: [sample_weight]"),
        (make_pipeline(KNeighborsClassifier()), True, "neither takes it nor routes it"),
        (AdaBoostClassifier(), True, "scikit-learn cannot route it to AdaBoostClassifier yet"),
    ],
)
def test_weights_that_no_one_takes_are_refused_before_the_first_fit(estimator, on, said, tmp_path):
    with config_context(enable_metadata_routing=on), pytest.raises(RequestError, match=re.escape(said)):
        collect(estimator, sample_weight=WEIGHTS, results=tmp_path / "runs.csv")
    assert not list(tmp_path.iterdir())


def test_every_candidate_has_to_take_weights(routing):
    pipeline = make_pipeline(LogisticRegression().set_fit_request(sample_weight=True))
    grid = {"logisticregression": [pipeline[-1], KNeighborsClassifier()]}
    with pytest.raises(RequestError, match="neither takes it nor routes it"):
        collect(pipeline, sample_weight=WEIGHTS, param_grid=grid)


@pytest.mark.slow
def test_weights_may_be_for_the_scores_alone_which_is_noted(routing):
    """As scikit-learn's cross_validate has it."""
    metric = {"plain": get_scorer("roc_auc"), "weighted": weighted("roc_auc")}
    curves = collect(KNeighborsClassifier(), sample_weight=WEIGHTS, metric=metric)
    assert "sample_weight is passed to the scores (weighted) only, not to fit." in curves.notes
    unwilling = LogisticRegression().set_fit_request(sample_weight=False)
    found = collect(unwilling, sample_weight=WEIGHTS, metric=metric)
    assert scores(found, "plain").tolist() == scores(collect(LogisticRegression())).tolist()
    assert scores(found, "plain").tolist() != scores(found, "weighted").tolist()
    with pytest.raises(RequestError, match="neither takes it"):
        collect(unwilling, sample_weight=WEIGHTS)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (WEIGHTS[:-1], "got 200 and 199"),
        (np.where(np.arange(200) == 7, -1.0, WEIGHTS), r"got -1 in row 7"),
        (np.where(np.arange(200) == 7, np.nan, WEIGHTS), "got nan in row 7"),
        (np.where(np.arange(200) == 7, np.inf, WEIGHTS), "got inf in row 7"),
        (np.zeros(200), "is 0 in every row"),
        (np.ones((200, 1)), r"must be one column, got shape \(200, 1\)"),
        (["much"] * 200, "must be real numbers, got 'much'"),
        (3.0, "must be one column"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, said):
    with pytest.raises(DataError, match=said):
        collect(GaussianNB(), sample_weight=weights)


@pytest.mark.slow
def test_other_weights_are_other_data(tmp_path):
    runs = tmp_path / "runs.csv"
    first = collect(GaussianNB(), sample_weight=WEIGHTS, results=runs)
    assert collect(GaussianNB(), sample_weight=WEIGHTS.tolist(), results=runs).fits == first.fits
    with pytest.raises(RequestError, match="sample weights: different values"):
        collect(GaussianNB(), sample_weight=WEIGHTS + (np.arange(200) == 7), results=runs)
    with pytest.raises(RequestError, match="sample weights: given, now none"):
        collect(GaussianNB(), results=runs)


@pytest.mark.slow
def test_other_requests_are_another_run(routing, tmp_path):
    runs = tmp_path / "runs.csv"

    def pipeline(scaler):
        return make_pipeline(
            StandardScaler().set_fit_request(sample_weight=scaler),
            LogisticRegression().set_fit_request(sample_weight=True),
        )

    first = collect(pipeline(True), sample_weight=WEIGHTS, results=runs)
    assert collect(pipeline(True), sample_weight=WEIGHTS, results=runs).fits == first.fits
    with pytest.raises(RequestError, match="estimator: Pipeline"):
        collect(pipeline(False), sample_weight=WEIGHTS, results=runs)


@pytest.mark.slow
def test_the_same_scorer_with_routing_off_is_another_run(tmp_path):
    runs = tmp_path / "runs.csv"
    with config_context(enable_metadata_routing=True):
        metric = {"auroc": weighted("roc_auc")}
        collect(sample_weight=WEIGHTS, metric=metric, results=runs)
    with pytest.raises(RequestError, match="metadata_routing: on, now none"):
        collect(sample_weight=WEIGHTS, metric=metric, results=runs)
