import re

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import apexgp
from apexgp import APExGP, CurveSet, LogisticHead, SliceHead, TunedLogistic, collect_curves, read
from apexgp.collect.cases import Cases
from apexgp.collect.fit_plan import TrainingSubsets
from apexgp.collect.slices import Scans
from apexgp.errors import (
    ClassesLeftOutWarning,
    DataError,
    FailedFitsWarning,
    RequestError,
    SizesLeftOutWarning,
    WouldOverwriteError,
)
from conftest import require

# The data of these tests are small, and some features are row numbers on purpose.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::apexgp.errors.{name}") for name in ("FewTestCasesWarning", "NoFeatureWarning")
]

X, Y = load_breast_cancer(return_X_y=True)
OF_NAIVE_BAYES = (
    "Kind of learner: naive_bayes (GaussianNB), 5 features: forecasts of these curves take both into account."
)


def collect(estimator=GaussianNB(), features=X, labels=Y, **settings):  # noqa: B008
    return collect_curves(estimator, features, labels, progress=False, **settings)


def rows(curves):
    return [{name: value for name, value in fit.items() if name != "seconds"} for fit in curves.fits]


class Watched(ClassifierMixin, BaseEstimator):
    """Remembers which rows it was given; the first feature is their number."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, *, validation):
        self.classes_ = np.unique(y)
        self.train_, self.validation_ = X[:, 0].astype(int), validation[0][:, 0].astype(int)
        return self

    def predict(self, X):
        Watched.seen.append((self.train_, self.validation_, X[:, 0].astype(int)))
        return np.full(len(X), self.classes_[0])


@pytest.mark.slow
def test_curves_of_the_paper_by_name():
    curves = collect(sizes="paper")
    assert list(curves) == [("1", "auroc")]
    curve = curves.only
    assert curve is curves["1", "auroc"]
    assert np.unique(curve.sizes).tolist() == [60, 94, 147, 230, 360]
    assert (len(curve), set(curve.split)) == (15, {0, 1, 2})
    assert "1 learning curve" in repr(curves)
    APExGP().fit(curve).forecast([720])
    (first, *_) = curves.fits
    assert list(first) == [
        *("size", "split", "task", "parameters", "train_auroc", "validation_auroc", "test_auroc"),
        *("test_cases", "seconds", "error"),
    ]
    assert (first["size"], first["split"], first["task"], first["error"]) == (60, 0, "1", "")
    assert 50 <= first["test_cases"] <= 60


def test_groups_stay_together_and_subsets_are_nested():
    Watched.seen = []
    number = np.arange(len(Y))
    groups = np.random.default_rng(0).integers(0, 150, len(Y))
    collect(Watched(), number[:, None], Y, groups=groups, sizes=[20, 50, 200], n_splits=2, metric="accuracy")
    assert len(Watched.seen) == 3 * 6  # validation, test and the training rows themselves of each fit
    by_split = {}
    for train, validation, judged in Watched.seen:
        if not np.array_equal(validation, judged) and not np.array_equal(train, judged):
            three = [set(groups[part]) for part in (train, validation, judged)]
            assert not three[0] & three[1] | three[0] & three[2] | three[1] & three[2]
            by_split.setdefault(tuple(judged), []).append(set(train))
    assert len(by_split) == 2
    for subsets in by_split.values():
        small, middle, large = sorted(subsets, key=len)
        assert [len(small), len(middle), len(large)] == [20, 50, 200]
        assert small < middle < large


def test_a_size_can_count_groups(tmp_path):
    Watched.seen = []
    groups = np.arange(len(Y)) // 4
    settings = {"groups": groups, "sizes": [10, 40], "n_splits": 1, "metric": "accuracy", "by_group": True}
    curve = collect(Watched(), np.arange(len(Y))[:, None], Y, **settings, results=tmp_path / "runs.csv").only
    assert (curve.unit, CurveSet.from_results(tmp_path / "runs.csv").only.unit) == ("groups", "groups")
    sizes = {len(set(groups[train])): len(train) for train, *_ in Watched.seen}
    assert set(sizes) == {10, 40}
    assert all(rows >= 4 * number - 3 for number, rows in sizes.items())  # whole groups of 4; the last has one row


def test_scores_are_those_of_a_plain_computation():
    """Fit again by hand on the rows that were used, and score."""
    Watched.seen = []
    number = np.arange(len(Y))[:, None]
    collect(Watched(), number, Y, sizes=[100], n_splits=1, metric="accuracy")
    train, _, test = Watched.seen[-2]
    model = GaussianNB().fit(X[train], Y[train])
    expected = roc_auc_score(Y[test], model.predict_proba(X[test])[:, 1])
    curves = collect(sizes=[100], n_splits=1, metric=["auroc", "accuracy", "f1"])
    assert curves["1", "auroc"].scores == pytest.approx([expected], abs=1e-12)
    assert curves["1", "accuracy"].scores == pytest.approx([model.score(X[test], Y[test])], abs=1e-12)
    apparent = roc_auc_score(Y[train], model.predict_proba(X[train])[:, 1])
    assert curves["1", "auroc"].train_scores == pytest.approx([apparent], abs=1e-12)
    assert curves["1", "accuracy"].train_scores == pytest.approx([model.score(X[train], Y[train])], abs=1e-12)
    assert curves["1", "f1"].train_scores == pytest.approx([f1_score(Y[train], model.predict(X[train]))], abs=1e-12)
    assert curves["1", "auroc"].n_test.tolist() == [len(test)]
    assert list(curves) == [("1", "auroc"), ("1", "accuracy"), ("1", "f1")]
    with pytest.raises(RequestError, match=r"There are 3 curves: \('1', 'auroc'\)"):
        _ = curves.only
    with pytest.raises(KeyError, match="There is no curve"):
        _ = curves["2", "auroc"]


class ForgetsTraining(GaussianNB):
    """Cannot say anything of the rows that it has seen."""

    def fit(self, X, y):
        self.rows = len(X)
        return super().fit(X, y)

    def predict_proba(self, X):
        if len(X) == self.rows:
            raise ValueError("seen")
        return super().predict_proba(X)


@pytest.mark.slow
def test_a_fit_without_a_training_score_keeps_its_test_score(tmp_path):
    curve = collect(ForgetsTraining(), sizes=[60, 100], results=tmp_path / "runs.csv").only
    plain = collect(sizes=[60, 100]).only
    assert (curve.train_scores, curve.scores.tolist()) == (None, plain.scores.tolist())
    assert CurveSet.from_results(tmp_path / "runs.csv").only.train_scores is None


def test_training_scores_of_scans_are_those_of_their_head():
    scans = [rng.normal(label, 1.5, (4, 3)) for rng in [np.random.default_rng(0)] for label in Y[:200]]
    head = SliceHead(learning_rates=[0.05], weight_decays=[0.0], n_seeds=1, max_epochs=5)
    (row,) = collect(head, scans, Y[:200], sizes=[60], n_splits=1, seed=3).fits
    subsets = TrainingSubsets(Cases.build(scans, Y[:200], None, 3), (0.8, 0.1, 0.1), 3, 1, "rows")
    fit = subsets.make_fit(60, 0, "1")
    packed = Scans(scans)
    again = SliceHead(learning_rates=[0.05], weight_decays=[0.0], n_seeds=1, max_epochs=5).fit(
        packed[fit.train], Y[fit.train], validation=(packed[fit.validation], Y[fit.validation])
    )
    expected = roc_auc_score(Y[fit.train], again.predict_proba(packed[fit.train])[:, 1])
    assert row["train_auroc"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
def test_parameters_are_tuned_on_validation():
    grid = {"max_depth": [1, 2, 3, 5, None], "min_samples_leaf": [1, 20]}
    curves = collect(DecisionTreeClassifier(), param_grid=grid, sizes=[60, 230], n_splits=2)
    for fit in curves.fits:
        single = {name: [value] for name, value in fit["parameters"].items()}
        (again,) = [
            other
            for other in collect(DecisionTreeClassifier(), param_grid=single, sizes=[60, 230], n_splits=2).fits
            if (other["size"], other["split"]) == (fit["size"], fit["split"])
        ]
        assert (again["validation_auroc"], again["test_auroc"]) == (fit["validation_auroc"], fit["test_auroc"])
    for depth in grid["max_depth"]:
        alone = collect(DecisionTreeClassifier(max_depth=depth), sizes=[60, 230], n_splits=2)
        for ours, one in zip(curves.fits, alone.fits, strict=True):
            assert ours["validation_auroc"] >= one["validation_auroc"]


@pytest.mark.slow
def test_heads_are_given_the_validation_set():
    curves = collect(LogisticHead(max_iters=[10, 100]), (X - X.mean(0)) / X.std(0), sizes=[60, 94])
    assert all(set(fit["parameters"]) == {"C", "max_iter"} for fit in curves.fits)
    assert curves.only.scores.min() > 0.9


@pytest.mark.slow
def test_scans_of_different_lengths(rng):
    y = np.arange(120) % 2
    scans = [rng.normal(size=(rng.integers(2, 9), 6)) + label for label in y]
    head = SliceHead([0.05], [0.0], 1, max_epochs=30)
    curves = collect(head, scans, y, sizes=[20, 60], n_splits=2)
    assert curves.only.scores.mean() > 0.8
    assert curves.only.n_features == 6
    assert set(curves.fits[0]["parameters"]) == {"learning_rate", "weight_decay", "seed", "epoch"}


@pytest.mark.slow
def test_several_classes_become_one_curve_each():
    features, species = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[species]
    curves = collect(labels=names, features=features, metric=["auroc", "accuracy"], sizes=[20, 60])
    assert [task for task, metric in curves if metric == "auroc"] == ["setosa", "versicolor", "virginica"]
    assert curves["setosa", "auroc"].scores.tolist() == [1.0] * 6


@pytest.mark.slow
def test_classes_that_get_no_curve_are_named_and_counted_and_may_be_chosen():
    data = load_digits(return_X_y=True)
    settings = {"sizes": [100], "n_splits": 1}
    said = (
        r"4 of 10 classes get no curve, because fewer than a tenth of the rows belong to each: 0 \(178 rows\), "
        r"2 \(177 rows\), 7 \(179 rows\), 8 \(174 rows\)\. To include them, choose the classes to measure"
    )
    with pytest.warns(ClassesLeftOutWarning, match=said):
        curves = collect(GaussianNB(), *data, **settings)
    assert {task for task, _ in curves} == {"1", "3", "4", "5", "6", "9"}
    assert any(re.match(said, note) for note in curves.notes)
    every = collect(GaussianNB(), *data, tasks=[str(digit) for digit in range(10)], **settings)  # and no warning
    assert {task for task, _ in every} == {str(digit) for digit in range(10)}
    assert all(np.array_equal(every[key].scores, curve.scores) for key, curve in curves.items())


@pytest.mark.slow
def test_of_several_tasks_the_chosen_ones_are_measured_as_with_all_the_others(tmp_path):
    record = tmp_path / "runs.csv"
    settings = {"sizes": [40, 80], "n_splits": 2}
    iris = load_iris(return_X_y=True)
    every = collect(GaussianNB(), *iris, **settings)
    chosen = collect(GaussianNB(), *iris, tasks=["2"], results=record, **settings)
    assert list(chosen) == [("2", "auroc")]
    assert np.array_equal(chosen.only.scores, every["2", "auroc"].scores)
    more = collect(GaussianNB(), *iris, tasks=["0", "2"], results=record, **settings)  # may be added, as sizes may
    assert rows(more) == [row for row in rows(every) if row["task"] != "1"]
    for wrong in (["3"], [], [2], 5):
        with pytest.raises(RequestError, match=r"^tasks must be "):
            collect(GaussianNB(), *iris, tasks=wrong, **settings)


@pytest.mark.slow
def test_several_classes_as_one_curve():
    features, species = load_iris(return_X_y=True)
    metrics = ["auroc", "accuracy", "balanced_accuracy", "average_precision"]
    estimator = LogisticRegression(max_iter=1000)
    curves = collect(estimator, features, species, metric=metrics, multiclass="macro", sizes=[20, 60])
    assert list(curves) == [(None, metric) for metric in metrics]
    assert all(curve.scores.min() > 0.7 for curve in curves.values())


class Doubled(TransformerMixin, BaseEstimator):
    """A step that nobody but its author knows."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.hstack([X, X])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "features", "settings", "seen"),
    [
        (GaussianNB(), X[:, :7], {}, 7),
        (make_pipeline(MaxAbsScaler(), LogisticRegression(max_iter=5)), csr_matrix(X[:, :7]), {}, 7),
        (make_pipeline(PCA(3), GaussianNB()), X, {}, 3),
        (make_pipeline(PolynomialFeatures(2), LogisticRegression(max_iter=5)), X[:, 1:4], {}, 10),
        (make_pipeline(StandardScaler(), make_pipeline(PCA(3), GaussianNB())), X, {}, None),
        (make_pipeline(CountVectorizer(), MultinomialNB()), np.array(["cold wind", "warm sun"])[Y], {}, 4),
        (make_pipeline(PCA(), GaussianNB()), X, {"param_grid": {"pca__n_components": [2, 3]}}, None),
        (make_pipeline(PCA(3), GaussianNB()), X, {"param_grid": {"gaussiannb__var_smoothing": [1e-9]}}, 3),
        (GridSearchCV(make_pipeline(PCA(), GaussianNB()), {"pca__n_components": [2]}, cv=2), X, {}, None),
        (GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]}, cv=2), X, {}, 30),
        (make_pipeline(Doubled(), GaussianNB()), X, {}, None),
    ],
    ids=[
        *("table", "scaled", "pca", "polynomial", "nested", "texts", "tuned pca", "tuned head", "searched pca"),
        *("search", "foreign"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_features_that_the_classifier_sees_are_counted(tmp_path, estimator, features, settings, seen):
    settings |= {"sizes": [40, 80], "n_splits": 1}
    curves = collect(estimator, features, results=tmp_path / "runs.csv", **settings)
    curves.to_csv(tmp_path / "curves.csv")
    again = read(tmp_path / "curves.csv").curves["1"], CurveSet.from_results(tmp_path / "runs.csv").only
    for curve in (curves.only, *again):
        assert (curve.n_features, curve.n_classes) == (seen, 2)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_texts_count_as_often_as_they_are_encoded(library):
    frame = require(library).DataFrame({"a": X[:, 1], "sex": np.array(["f", "m", "x"])[np.arange(len(X)) % 3]})
    assert collect(TunedLogistic([0.1]), frame, sizes=[60], n_splits=1).only.n_features == 4


@pytest.mark.slow
def test_classes_are_those_that_a_curve_is_about(tmp_path):
    iris, species = load_iris(return_X_y=True)
    settings = {"features": iris[:, :2], "sizes": [40], "n_splits": 1}
    assert {curve.n_classes for curve in collect(labels=species, **settings).values()} == {2}  # one against the rest
    record = tmp_path / "runs.csv"
    macro = collect(labels=species, multiclass="macro", results=record, **settings)
    assert macro.only.n_classes == CurveSet.from_results(record).only.n_classes == 3
    labels = {"species": species, "setosa": species == 0}
    both = collect(labels=labels, multiclass="macro", results=tmp_path / "both.csv", **settings)
    for curves in (both, CurveSet.from_results(tmp_path / "both.csv")):
        assert {task: curve.n_classes for (task, _), curve in curves.items()} == {"species": 3, "setosa": 2}


@pytest.mark.slow
def test_a_record_without_these_numbers_goes_on(tmp_path):
    record = tmp_path / "runs.csv"
    settings = {"sizes": [40, 80], "n_splits": 1, "results": record}
    first = collect(**settings)
    content = record.read_text()
    older = re.sub(r"# n_(features|classes): .*\n", "", content)
    assert len(older.splitlines()) == len(content.splitlines()) - 2
    record.write_text(older)
    alone = CurveSet.from_results(record).only
    assert (alone.n_features, alone.n_classes) == (None, None)
    more = collect(**settings | {"sizes": [40, 80, 120]})
    assert (more.only.n_features, more.only.n_classes) == (30, 2)
    assert rows(more)[:2] == rows(first)
    for damage in ("# n_features: 0", "# n_features: 2.5", "# n_classes: 1", '# n_classes: {"a": "b"}'):
        record.write_text(content.replace("# learner", f"{damage}\n# learner").replace("# n_features: 30\n", ""))
        record.write_text(re.sub(r"# n_classes: 2\n", "", record.read_text()))
        with pytest.raises(DataError, match="has lost its settings"):
            CurveSet.from_results(record)


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "sizes"), [(569, 10), (200, 7), (40, 5)])
def test_the_default_sizes_use_all_the_training_data(cases, sizes):
    curves = collect(features=X[:cases, :5], labels=Y[:cases])
    measured = np.unique(curves.only.sizes)
    assert len(measured) == sizes
    assert measured[-1] == pytest.approx(0.8 * cases, abs=1)
    assert np.ptp(np.log(measured[1:] / measured[:-1])) < 0.15  # equal ratios, but for whole numbers
    assert curves.notes == (
        f"{sizes} sizes, evenly spaced on a log scale, from {measured[0]:.0f} "
        + ("(5 or more cases of each class)" if cases > 100 else "(1/4 of the last)")
        + f" up to the {measured[-1]:.0f} rows of the smallest training set.",
        OF_NAIVE_BAYES,
    )
    assert collect(features=X[:cases, :5], labels=Y[:cases], sizes=[30]).notes == (OF_NAIVE_BAYES,)


@pytest.mark.slow
def test_several_labels_are_several_tasks(tmp_path):
    pandas = pytest.importorskip("pandas")
    labels = {"cancer": Y, "radius": np.digitize(X[:, 0], [12, 15])}
    settings = {"features": X[:, 1:4], "sizes": [60], "n_splits": 2}
    curves = collect(labels=labels, results=tmp_path / "runs.csv", **settings)
    assert [task for task, _ in curves] == ["cancer", "radius: 0", "radius: 1", "radius: 2"]
    assert curves["cancer", "auroc"].scores.tolist() == collect(labels=Y, **settings).only.scores.tolist()
    assert rows(collect(labels=pandas.DataFrame(labels), **settings)) == rows(curves)
    assert list(collect(labels=labels, multiclass="macro", metric="accuracy", **settings)) == [
        ("cancer", "accuracy"),
        ("radius", "accuracy"),
    ]
    with pytest.raises(RequestError, match=r"\(labels: different values\)"):
        collect(labels=labels | {"cancer": 1 - Y}, results=tmp_path / "runs.csv", **settings)


def test_sizes_beyond_the_training_set_are_left_out_with_a_notice():
    with pytest.warns(SizesLeftOutWarning, match=r"The sizes 5000 are beyond the 45\d rows .* were left out"):
        curves = collect(sizes=[60, 5000], n_splits=1)
    assert curves.only.sizes.tolist() == [60]


def test_the_smallest_subset_holds_every_class_however_rare():
    labels = np.zeros(300, int)
    labels[:3], labels[3:8] = 1, 2
    curves = collect(features=X[:300], labels=labels, sizes=[3, 20], metric="accuracy", multiclass="macro")
    assert not curves.failed
    with pytest.raises(RequestError, match="at least 3, so that every training subset contains every class, got 2"):
        collect(features=X[:300], labels=labels, sizes=[2, 20], multiclass="macro")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_rows_and_another_seed_others():
    forest = RandomForestClassifier(5)  # draws without a seed of its own
    first, again, other = (rows(collect(forest, sizes=[60, 94], n_splits=2, seed=seed)) for seed in (3, 3, 4))
    assert first == again
    assert first != other


@pytest.mark.slow
def test_a_row_does_not_depend_on_the_other_sizes_and_splits():
    wide = rows(collect(sizes=[60, 94, 147], n_splits=3))
    narrow = rows(collect(sizes=[94], n_splits=2))
    assert all(row in wide for row in narrow)


@pytest.mark.slow
def test_data_frames_and_sparse_matrices():
    from scipy.sparse import csr_matrix

    pandas = pytest.importorskip("pandas")
    expected = rows(collect(LogisticHead([1.0], [50]), X / X.max(0), sizes=[60]))
    frame = pandas.DataFrame(X / X.max(0))
    assert rows(collect(LogisticHead([1.0], [50]), frame, pandas.Series(Y), sizes=[60])) == expected
    sparse = collect(LogisticRegression(max_iter=1000), csr_matrix(X / X.max(0)), sizes=[60])
    assert sparse.only.scores.min() > 0.8


class Moody(GaussianNB):
    """Fails on the training sets of one size, while its mood is bad."""

    def __init__(self, bad=None):
        super().__init__()
        self.bad = bad

    def fit(self, X, y):
        if self.bad is not None and self.bad.exists() and len(X) == 94:
            raise ValueError("not\ntoday")
        return super().fit(X, y)


@pytest.mark.slow
def test_a_fit_that_raises_is_recorded_and_tried_again(tmp_path):
    mood, path = tmp_path / "mood", tmp_path / "runs.csv"
    mood.touch()
    settings = {"sizes": [60, 94, 147], "n_splits": 2, "results": path}
    with pytest.warns(FailedFitsWarning, match="2 of 6 fits failed .* 2 with ValueError: not today"):
        curves = collect(Moody(mood), **settings)
    assert np.unique(curves.only.sizes).tolist() == [60, 147]
    assert [fit["size"] for fit in curves.failed] == [94, 94]
    mood.unlink()
    again = collect(Moody(mood), **settings)
    assert not again.failed
    assert rows(again) == rows(collect(Moody(mood), sizes=[60, 94, 147], n_splits=2))


def test_when_every_fit_fails_that_is_an_error(tmp_path):
    (tmp_path / "mood").touch()
    with pytest.raises(DataError, match="All 3 fits failed: 3 with ValueError: not today"):
        collect(Moody(tmp_path / "mood"), sizes=[94])


def test_scores_that_may_be_anything_are_a_question_and_no_faults():
    with pytest.raises(DataError, match=r"got 7, 7, 7\. What was measured\?"):
        _ = collect(sizes=[60], metric={"mine": lambda *_: 7.0}).only


class Counting(GaussianNB):
    fits = 0

    def fit(self, X, y):
        Counting.fits += 1
        return super().fit(X, y)


@pytest.mark.slow
def test_finished_fits_are_not_repeated_and_sizes_and_splits_may_be_added(tmp_path):
    path = tmp_path / "runs.csv"
    Counting.fits = 0
    first = collect(Counting(), sizes=[60, 94], n_splits=2, results=path)
    assert Counting.fits == 4
    assert rows(collect(Counting(), sizes=[60, 94], n_splits=2, results=path)) == rows(first)
    assert Counting.fits == 4
    more = collect(Counting(), sizes=[60, 94, 147], n_splits=3, results=path)
    assert Counting.fits == 9
    assert rows(more) == rows(collect(sizes=[60, 94, 147], n_splits=3))
    fewer = collect(Counting(), sizes=[94], n_splits=1, results=path)
    assert [(fit["size"], fit["split"]) for fit in fewer.fits] == [(94, 0)]
    assert rows(CurveSet.from_results(path)) == rows(more)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "(seed: 0, now 1)"),
        ({"metric": "accuracy"}, "(metrics: auroc, now accuracy)"),
        ({"estimator": DecisionTreeClassifier()}, "(estimator: GaussianNB, now DecisionTreeClassifier)"),
        (
            {"estimator": GaussianNB(var_smoothing=1e-3)},
            "(estimator: GaussianNB with var_smoothing 1e-09, now 0.001)",
        ),
        ({"param_grid": {"var_smoothing": [1.0]}}, "(param_grid: None, now {'var_smoothing': [1.0]})"),
        ({"ratio": (7, 1, 2)}, "(ratio: 0.8, 0.1, 0.1, now 0.7, 0.1, 0.2)"),
        ({"features": X + 1}, "(features: different values)"),
        ({"labels": 1 - Y}, "(labels: different values)"),
        ({"features": X[:500], "labels": Y[:500]}, "(cases: 569, now 500)"),
        ({"groups": np.arange(len(Y)) // 2}, "(groups: none, now given)"),
        ({"by_group": True}, "(unit: rows, now groups)"),
    ],
)
def test_a_record_of_other_settings_or_data_is_refused(tmp_path, change, message):
    path = tmp_path / "runs.csv"
    collect(sizes=[60], n_splits=1, results=path)
    before = path.read_bytes()
    with pytest.raises(RequestError) as refused:
        collect(**{"sizes": [60], "n_splits": 1, "results": path} | change)
    said = str(refused.value)
    assert message in said
    assert said.endswith("Start another record with results='other.csv', or go back to those settings.")
    assert len(said) < len(str(path)) + 250
    assert path.read_bytes() == before


class Interrupted(GaussianNB):
    """Found by its name, so that what it counts while it works makes it no other estimator."""

    fits = 0

    def fit(self, X, y):
        Interrupted.fits += 1
        if Interrupted.fits == 3:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.mark.slow
def test_ctrl_c_leaves_a_valid_file(tmp_path):
    path = tmp_path / "runs.csv"
    with pytest.raises(KeyboardInterrupt):
        collect(Interrupted(), sizes=[60, 94], n_splits=2, results=path)
    assert len(CurveSet.from_results(path).fits) == 2
    assert rows(collect(Interrupted(), sizes=[60, 94], n_splits=2, results=path)) == rows(
        collect(sizes=[60, 94], n_splits=2)
    )


@pytest.mark.slow
def test_curves_are_written_for_the_forecast(tmp_path):
    collect(sizes=[60, 94, 147]).to_csv(tmp_path / "one.csv")
    header, first, *_ = (tmp_path / "one.csv").read_text().splitlines()
    about = "task,metric,direction,unit,test_share,learner,n_features,n_classes"
    assert header == f"size,score,split,train_score,n_test,{about}"
    assert first.startswith("60,")
    assert first.endswith(",30,2")
    features, species = load_iris(return_X_y=True)
    several = collect(features=features, labels=species, metric=["auroc", "accuracy"], sizes=[20, 60])
    several.to_csv(tmp_path / "all.csv")
    again = read(tmp_path / "all.csv", metric="accuracy").curves
    for name in ("scores", "train_scores", "n_test"):
        assert getattr(again["2"], name).tolist() == getattr(several["2", "accuracy"], name).tolist()
    assert (again["2"].metric_name, again["2"].unit) == ("accuracy", "rows")
    with pytest.raises(WouldOverwriteError):
        several.to_csv(tmp_path / "all.csv")


@pytest.mark.slow
def test_a_progress_bar_where_there_is_a_terminal(capfd, monkeypatch):
    collect_curves(GaussianNB(), X, Y, sizes=[60])
    assert capfd.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    collect_curves(GaussianNB(), X, Y, sizes=[60])
    assert "3/3" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"labels": Y + 0.5}, DataError, "must contain classes, got numbers such as .* regression models"),
        ({"labels": np.arange(len(Y))}, DataError, "Each class needs 3 rows or more.*if y is a quantity"),
        ({"labels": np.zeros(len(Y))}, DataError, "two classes or more, got only 0"),
        ({"labels": Y[:-1]}, DataError, "one row per case, got 569 and 568"),
        (
            {"labels": np.stack([Y, Y], 1)},
            DataError,
            r"y must be one column, got shape .* several labels as a mapping",
        ),
        ({"labels": {}}, DataError, "y contains no label"),
        ({"labels": {"": Y}}, DataError, "y must have distinct short names for its labels, got ''"),
        ({"labels": {"a": Y, "b": Y[:9]}}, DataError, "one row per case, got 569 and 9"),
        ({"sizes": "papers"}, RequestError, "sizes must be numbers, or 'paper' for the paper's five, got 'papers'"),
        ({"labels": np.where(Y == 1, 1.0, np.nan)}, DataError, "y has no value in row 0"),
        ({"groups": Y}, DataError, "Each class needs 3 groups or more"),
        ({"groups": [1, 2]}, DataError, "X and groups must have one row per case, got 569 and 2"),
        ({"labels": np.arange(len(Y)) % 12}, DataError, "None of the 12 classes has a tenth"),
        ({"sizes": [0.5]}, RequestError, "fractions of a data set"),
        ({"sizes": [60.5]}, RequestError, "whole numbers, got 60.5"),
        ({"sizes": []}, RequestError, "sizes is empty"),
        ({"sizes": [1]}, RequestError, "at least 2"),
        ({"sizes": [9999]}, RequestError, "All sizes are beyond"),
        ({"n_splits": 0}, RequestError, "n_splits must be a whole number of at least 1"),
        ({"seed": -1}, RequestError, "seed must be"),
        ({"ratio": (8, 1)}, RequestError, "ratio must be three numbers"),
        (
            {"ratio": (8, 0, 2), "param_grid": {"var_smoothing": [1, 2]}},
            RequestError,
            "needs a validation set to tune on",
        ),
        ({"multiclass": "both"}, RequestError, "'one_vs_rest', 'macro', got 'both'"),
        ({"by_group": "patients"}, RequestError, "by_group must be True or False"),
        ({"metric": "auc"}, RequestError, "got 'auc'"),
        ({"param_grid": {"depth": [1]}}, RequestError, "names depth, which GaussianNB does not have; it has priors"),
        ({"param_grid": {"var_smoothing": 1}}, RequestError, "param_grid must map"),
        ({"estimator": GaussianNB}, RequestError, "Add parentheses"),
        ({"estimator": "logistic"}, RequestError, "must be a scikit-learn classifier, got 'logistic'"),
        ({"estimator": LinearRegression()}, RequestError, "got the regressor LinearRegression"),
        ({"results": "no/such/folder/runs.csv"}, RequestError, "does not exist"),
    ],
)
def test_bad_input_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        collect(**arguments)


def test_no_validation_where_nothing_is_tuned():
    curves = collect(DummyClassifier(), ratio=(3, 0, 1), sizes=[60], metric="accuracy")
    assert curves.fits[0]["validation_accuracy"] is None
    assert curves.fits[0]["test_cases"] == pytest.approx(len(Y) / 4, abs=2)


def test_the_record_is_checked_once_before_anything_else(tmp_path, calls_of):
    checks = calls_of(apexgp.files.writing.tempfile, "TemporaryFile")  # to try is how it is checked
    collect(sizes=[60], n_splits=1, results=tmp_path / "runs.csv")
    assert len(checks) == 1
    with pytest.raises(RequestError, match="is a folder"):
        collect("no classifier", sizes=[60], n_splits=1, results=tmp_path)
