"""Kinds of learner: which an estimator is, what a kind does to priors, and that every surface takes the same."""

import inspect
import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from apexgp import (
    APExGP,
    LearningCurve,
    LogisticHead,
    SliceHead,
    TunedLogistic,
    collect_curves,
    read_curves,
    sensitivity,
)
from apexgp.collect.cases import count_features
from apexgp.collect.prepare import Prepared
from apexgp.curve import read_curves_and_notes
from apexgp.errors import DataError, RequestError
from apexgp.inference.signs import signs_of
from apexgp.learners import LEARNERS, UNKNOWN, find_kind, recognise_kind, settle_kind
from apexgp.model.beliefs import PILOT_FEATURES, adapt_to_kind, kind_matters_with_training_scores
from apexgp.priors import CALIBRATED, Beliefs
from apexgp.reading.source import TableSettings
from conftest import pilot_table, require

SIZES, SCORES = [60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81]
PILOT = LearningCurve(SIZES, SCORES)

BY_MODULE = {
    "linear_model": "linear",
    "naive_bayes": "naive_bayes",
    "discriminant_analysis": "discriminant",
    "neighbors": "neighbours",
    "tree": "trees",
    "neural_network": "neural_network",
}
"""Modules of scikit-learn that hold classifiers of one kind."""
ELSEWHERE = {
    "NearestCentroid": "discriminant",  # among the neighbours, but a Gaussian at each class
    "LinearSVC": "linear",
    "ExtraTreesClassifier": "trees",
    "RandomForestClassifier": "trees",
    "BaggingClassifier": "trees",
    "AdaBoostClassifier": "boosting",
    "GradientBoostingClassifier": "boosting",
    "HistGradientBoostingClassifier": "boosting",
}


def kind(estimator):
    return (recognise_kind(estimator) or [None])[0]


def created(classifier):
    """The classifier with nothing said, or with a logistic regression in it where it must have one."""
    needed = [name for name, one in inspect.signature(classifier).parameters.items() if one.default is one.empty]
    inner = {"estimator": LogisticRegression(), "estimators": [("one", LogisticRegression())]}
    return classifier(**{name: inner[name] for name in needed}), "estimator" in needed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Class PassiveAggressiveClassifier is deprecated")
def test_every_classifier_of_scikit_learn_is_of_its_kind_or_none():
    kinds = {}
    for name, classifier in all_estimators(type_filter="classifier"):
        estimator, wraps = created(classifier)
        own = ELSEWHERE.get(name, BY_MODULE.get(classifier.__module__.split(".")[1]))
        kinds[name] = kind(estimator)
        assert kinds[name] == ("linear" if wraps else own), name
    assert len(kinds) > 40
    assert set(kinds.values()) == {*LEARNERS, None}


class XGBClassifier:  # as other libraries call theirs; none of them is imported
    def __init__(self, booster=None):
        self.booster = booster


class Ours(RandomForestClassifier):
    pass


class Hostile:
    @property
    def estimator(self):
        raise ValueError("not yet")


class Endless:
    @property
    def estimator(self):
        return self


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (make_pipeline(PCA(), KNeighborsClassifier()), "neighbours"),
        (GridSearchCV(make_pipeline(PCA(), GaussianNB()), {}), "naive_bayes"),
        (CalibratedClassifierCV(LinearSVC()), "linear"),
        (Prepared(TunedLogistic()), "linear"),
        (BaggingClassifier(KNeighborsClassifier()), "neighbours"),
        (SVC(kernel="linear"), "linear"),
        (SVC(), None),
        (NuSVC(kernel="sigmoid"), None),
        (XGBClassifier(), "boosting"),
        (XGBClassifier("gblinear"), "linear"),
        (Ours(), "trees"),
        (VotingClassifier([("one", GaussianNB())]), None),
        (LogisticHead(), None),  # on top of a pretrained network, of which no development curves tell
        (SliceHead(), None),
        (Hostile(), None),
        (Endless(), None),
        (None, None),
        (LogisticRegression, None),
    ],
    ids=lambda value: None if isinstance(value, str) else type(value).__name__,
)
def test_estimators_are_unwrapped_and_what_is_not_known_is_none(estimator, expected):
    assert kind(estimator) == expected


def test_the_class_that_was_recognised_is_named():
    assert recognise_kind(GridSearchCV(make_pipeline(PCA(), RandomForestClassifier()), {})) == (
        "trees",
        "RandomForestClassifier",
    )
    assert recognise_kind(Ours()) == ("trees", "Ours")


def test_kinds_go_by_several_names():
    names = {
        "Random Forest": "trees",
        "xgboost": "boosting",
        "naive Bayes": "naive_bayes",
        "MLPClassifier": "neural_network",
    }
    assert {name: find_kind(name) for name in names} == names
    assert all(find_kind(kind) == kind for kind in LEARNERS)
    assert find_kind("SVM") is find_kind("") is None


def widths(model, at=(720, 3600, 36000)):
    return np.diff(model.forecast(at).interval(0.95), axis=0)[0]


def test_an_unknown_learner_is_the_common_prior_to_the_last_digit():
    plain, unknown, said = (
        APExGP().fit(PILOT),
        APExGP(learner=UNKNOWN).fit(LearningCurve(SIZES, SCORES, learner="boosting")),
        APExGP().fit(LearningCurve(SIZES, SCORES, learner=UNKNOWN)),
    )
    for other in (unknown, said):
        assert other.learner_ is None
        assert other.priors_ == plain.priors_ == CALIBRATED
        np.testing.assert_array_equal(other.forecast([720, 36000]).mean, plain.forecast([720, 36000]).mean)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEARNERS)
def test_each_kind_has_proper_priors_of_its_own(kind):
    moved = adapt_to_kind(kind)
    assert moved != CALIBRATED
    assert Beliefs.from_dict(json.loads(json.dumps(moved.to_dict()))) == moved
    # Only what signs do differs: the distributions, their families and all else are the calibrated ones.
    assert {**moved.to_dict(), "shifts": 0, "spreads": 0} == {**CALIBRATED.to_dict(), "shifts": 0, "spreads": 0}
    changed = {
        (sign, place)
        for place in moved.shifts
        for sign in PILOT_FEATURES
        if moved.shifts[place].get(sign) != CALIBRATED.shifts.get(place, {}).get(sign)
    }
    assert {sign for sign, _ in changed} == {"always", "gap_known"}
    model = APExGP(learner=kind).fit(PILOT)
    assert np.isfinite(widths(model)).all()
    assert model.priors_ == moved


def test_kinds_differ_as_their_curves_do():
    """Naive Bayes is soon as good as it gets; forests and networks go on: so say the curves of the LCDB."""
    far = {kind: APExGP(learner=kind).fit(PILOT).forecast([36000]).mean[0] for kind in ("naive_bayes", "trees")}
    common = APExGP().fit(PILOT).forecast([36000]).mean[0]
    assert far["naive_bayes"] < common < far["trees"]


def summed(moves, signs):
    return {place: sum(number * signs[sign] for sign, number in by_sign.items()) for place, by_sign in moves.items()}


@pytest.mark.parametrize("kind", LEARNERS)
def test_beside_training_scores_a_kind_moves_half_as_far_or_not_at_all(kind):
    told = LearningCurve(SIZES, SCORES, train_scores=[0.9] * 5)
    common, kept = CALIBRATED.shifts, 0.5 if kind_matters_with_training_scores(kind) else 0.0
    far, near = (summed(adapt_to_kind(kind).shifts, signs_of(curve, 1.0)) for curve in (PILOT, told))
    start_far, start_near = (summed(common, signs_of(curve, 1.0)) for curve in (PILOT, told))
    for place in far:
        move = far[place] - start_far.get(place, 0.0)
        assert near[place] - start_near.get(place, 0.0) == pytest.approx(kept * move, abs=1e-12)


def test_what_the_model_is_told_counts_more_than_what_the_curve_says():
    curve = LearningCurve(SIZES, SCORES, learner="boosting")
    assert APExGP().fit(curve).learner_ == "boosting"
    assert APExGP(learner="linear").fit(curve).learner_ == "linear"
    assert APExGP(learner="linear").fit(curve).priors_ == adapt_to_kind("linear")
    assert APExGP(priors=CALIBRATED).fit(curve).learner_ is None  # priors of one's own stay as they are
    assert APExGP.as_published().fit(curve).learner_ is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learner": "svm"}, "learner must be one of linear, naive_bayes, .* or unknown .*, got 'svm'"),
        ({"learner": "RandomForestClassifier"}, "got 'RandomForestClassifier'. That is trees"),
        ({"learner": 3}, "learner must be one of"),
        ({"learner": "trees", "priors": "paper"}, "learner applies to the calibrated priors"),
        ({"learner": "trees", "priors": CALIBRATED}, "learner applies to the calibrated priors"),
    ],
)
def test_other_kinds_and_other_priors_are_refused(settings, message):
    with pytest.raises(RequestError, match=message):
        APExGP(**settings).fit(PILOT)


def test_a_curve_of_another_kind_is_refused():
    with pytest.raises(DataError, match="learner must be one of"):
        LearningCurve(SIZES, SCORES, learner="magic")


def test_saved_models_and_files_keep_the_kind(tmp_path):
    told = APExGP(learner="trees").fit(PILOT)
    said = APExGP().fit(LearningCurve(SIZES, SCORES, learner="trees"))
    for i, model in enumerate((told, said)):
        model.save(tmp_path / f"{i}.json")
        again = APExGP.load(tmp_path / f"{i}.json")
        assert again.learner_ == "trees"
        np.testing.assert_array_equal(widths(again), widths(told))
    replace(said.curve_, test_share=0.2).to_csv(tmp_path / "curve.csv")
    curves, notes = read_curves_and_notes(tmp_path / "curve.csv", TableSettings())
    assert (curves[None].learner, curves[None].test_share, notes) == ("trees", 0.2, ())
    PILOT.to_csv(tmp_path / "plain.csv")
    assert "learner" not in (tmp_path / "plain.csv").read_text()


def test_a_column_of_a_file_names_kinds_or_classes(tmp_path, run):
    path = tmp_path / "models.csv"
    rows = [
        f"{size},{score},{name},{name}"
        for name in ("boosting", "GaussianNB", "SVM")
        for size, score in zip(SIZES, SCORES, strict=True)
    ]
    path.write_text("\n".join(["size,score,learner,task", *rows]))
    assert {task: curve.learner for task, curve in read_curves(path).items()} == {
        "boosting": "boosting",
        "GaussianNB": "naive_bayes",
        "SVM": None,
    }
    _, _, err = run("forecast", path)
    assert "read the column 'learner' as kinds of learner: GaussianNB as naive_bayes." in err
    assert "the column 'learner' names no one kind of learner that is known: SVM." in err


def test_a_curve_of_several_learners_is_of_no_kind(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("size,score,task,learner\n60,0.7,a,linear\n94,0.74,a,trees\n147,0.77,a,trees\n")
    assert LearningCurve.from_csv(path).learner is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_collected_curves_are_of_the_kind_of_their_estimator(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), np.arange(120) % 2
    X[:, 0] += y
    settings = {"sizes": [20, 40, 60], "progress": False}
    found = collect_curves(make_pipeline(PCA(), GaussianNB()), X, y, results=tmp_path / "runs.csv", **settings)
    assert found.only.learner == "naive_bayes"
    assert found.notes[-1].startswith("Kind of learner: naive_bayes (GaussianNB)")
    assert type(found).from_results(tmp_path / "runs.csv").only.learner == "naive_bayes"
    assert collect_curves(SVC(), X, y, **settings).only.learner is None


@pytest.mark.parametrize("kind", ["linear", "discriminant", "naive_bayes"])
def test_kinds_from_tables_with_few_features_are_left_open_where_there_are_many(kind):
    assert settle_kind(kind, 180, 360) == kind
    assert settle_kind(kind, 181, 360) is settle_kind(kind, 768, 360) is None
    assert settle_kind(kind, None, 360) is None  # such as scans


def test_other_kinds_do_not_go_by_features_and_networks_are_left_open():
    for kind in ("neighbours", "trees", "boosting"):
        assert settle_kind(kind, 768, 360) == settle_kind(kind, None, 360) == kind
    assert settle_kind("neural_network", 2, 360) is settle_kind(None, 2, 360) is None


def wide(features=64):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, features)), np.arange(200) % 2
    X[:, 0] += y
    return X, y


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("estimator", "kinds", "why"),
    [
        (LogisticRegression(), (None, "linear"), "64 features at sizes up to 100"),
        (make_pipeline(PCA(), GaussianNB()), (None, "naive_bayes"), "64 features at sizes up to 100"),
        (MLPClassifier(max_iter=2), (None, None), "did not help on other tasks"),
        (DecisionTreeClassifier(), ("trees", "trees"), None),
    ],
    ids=["linear", "naive_bayes", "neural_network", "trees"],
)
def test_collected_curves_of_many_features_leave_the_kind_open(estimator, kinds, why, tmp_path, run):
    settings = {"progress": False, "results": tmp_path / "runs.csv", "n_splits": 1}
    few = collect_curves(estimator, *wide(), sizes=[40, 60, 100], **settings)
    more = collect_curves(estimator, *wide(), sizes=[40, 60, 100, 128], **settings)  # goes on with the same record
    assert (few.only.learner, more.only.learner) == kinds
    assert all("leave out of account" not in note or kinds[1] is None for note in more.notes)
    if why is None:
        assert few.notes[-1].endswith("which forecasts of these curves take into account.")
    else:
        assert "leave out of account" in few.notes[-1]
        assert why in few.notes[-1]
    assert type(few).from_results(tmp_path / "runs.csv").only.learner == kinds[1]  # by the sizes that it holds
    few.to_csv(tmp_path / "few.csv")
    assert ("learner" in (tmp_path / "few.csv").read_text()) == (kinds[0] is not None)
    assert APExGP().fit(few.only).learner_ == kinds[0]
    # What a person says is obeyed.
    assert APExGP(learner="linear").fit(few.only).learner_ == "linear"
    code, out, _ = run("forecast", tmp_path / "few.csv", "--learner", "linear", "--json")
    assert (code, json.loads(out)["learner"]) == (0, "linear")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_a_record_that_does_not_know_its_features_leaves_the_kind_open(tmp_path):
    path = tmp_path / "runs.csv"
    settings = {"sizes": [20, 40, 60], "progress": False, "results": path}
    found = collect_curves(GaussianNB(), *wide(2), **settings)
    assert "# features: 2\n" in path.read_text()
    path.write_text(path.read_text().replace("# features: 2\n", ""))
    assert type(found).from_results(path).only.learner is None
    assert collect_curves(GaussianNB(), *wide(2), **settings).only.learner == "naive_bayes"  # the same run
    path.write_text(path.read_text().replace("# learner", "# features: -1\n# learner"))
    with pytest.raises(DataError, match="has lost its settings"):
        type(found).from_results(path)


@pytest.mark.parametrize(
    ("X", "categorical", "features"),
    [
        (np.zeros((6, 768)), (), 768),
        (csr_matrix(np.zeros((6, 768))), (), 768),
        (np.array([[0, 0, 1.5], [1, 0, 2], [2, 1, np.nan]]), (0, 1), 3 + 2 + 1),
        (np.array([["a", 1.5], ["b", None], ["a", 2.5]], dtype=object), (), 2 + 1),
        (np.array(["some text", "more", "less"]), (), 3),
        ([np.zeros((2, 4))] * 3, (), None),
    ],
    ids=["array", "sparse", "codes", "objects", "texts", "scans"],
)
def test_features_are_counted_after_one_hot_encoding(X, categorical, features):
    assert count_features(X, categorical) == features


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_texts_of_a_data_frame_are_counted_by_their_values(library):
    frame = require(library).DataFrame({"a": [1, 2, None], "b": ["x", "y", "x"], "c": [0.5, 0.1, 0.2]})
    assert count_features(frame) == 1 + 2 + 1


# Every surface.


@pytest.fixture
def said(tmp_path):
    path = tmp_path / "said.csv"
    path.write_text(
        pilot_table().replace("split\n", "split,learner\n").replace("a\n", "a,trees\n").replace("b\n", "b,trees\n")
    )
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "kind"), [([], "trees"), (["--learner", "boosting"], "boosting"), (["--learner", UNKNOWN], None)]
)
def test_commands_say_whose_priors_they_use(run, said, options, kind):
    code, out, _ = run("forecast", said, *options, "--at", 2000, "--json")
    assert code == 0
    facts = json.loads(out)
    model = APExGP(learner=kind or UNKNOWN).fit(LearningCurve.from_csv(said))
    assert facts["learner"] == kind
    assert facts["forecast"][0]["mean"] == model.forecast([2000]).mean[0]
    sentence = "" if kind is None else f"The priors are those for {LEARNERS[kind]}."
    assert sentence in facts["sentence"]
    assert ("The priors are those for" in facts["sentence"]) == (kind is not None)
    moved = "" if kind is None else f", and moved to what curves of {LEARNERS[kind]} do"
    assert moved in facts["methods_text"]
    assert ("moved to what curves" in facts["methods_text"]) == (kind is not None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learner", "svm"], "--learner must be one of linear"),
        (["--learner", "trees", "--published"], "--learner cannot be used with the published method"),
        (["--learner", "trees", "--priors", "ours.json"], "--learner moves the shipped priors, not those of a file"),
    ],
)
def test_commands_refuse_what_the_library_does(run, pairs, options, message):
    code, out, err = run("forecast", pairs, *options)
    assert (code, out) == (1, "")
    assert message in err


@pytest.mark.slow
def test_related_curves_start_from_the_kind():
    curves = [
        LearningCurve([50, 100, 200, 400, 800], np.array([0.7, 0.75, 0.79, 0.82, 0.84]) - i / 100) for i in range(2)
    ]
    common, trees = (APExGP(learner=kind).fit(PILOT, related=curves) for kind in (None, "trees"))
    moved = "exponent of the tail"
    # Both learnt from the same two curves, so that they differ by what they started from.
    assert trees.priors_.learnt.moved[moved][0] < common.priors_.learnt.moved[moved][0]


@pytest.mark.slow
def test_a_sensitivity_analysis_forgets_the_kind():
    names = {row.name: row for row in sensitivity(APExGP(learner="naive_bayes").fit(PILOT)).answered}
    assert "priors of all kinds" in names
    assert "priors of all kinds" not in {row.name for row in sensitivity(APExGP().fit(PILOT)).answered}
