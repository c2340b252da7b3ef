"""Kinds of learner: which an estimator is, what a kind does to priors, and that every surface takes the same.

What the kind and other facts count for is tested with the signs, in `inference/test_signs.py`.
"""

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
from sklearn.preprocessing import FunctionTransformer
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
    learn_beliefs,
    read,
    sensitivity,
)
from apexgp.collect.cases import count_features
from apexgp.collect.prepare import Prepared
from apexgp.errors import DataError, RequestError
from apexgp.learners import IMPROVE_WITH_FEATURES, LEARNERS, UNKNOWN, find_kind, recognise_kind
from apexgp.model.beliefs import drop_other_kinds, is_moved_by
from apexgp.priors import CALIBRATED, PUBLISHED, Beliefs, paper_beliefs, write_priors
from apexgp.question_base.wording import describe_method, say_kind
from apexgp.questions.forecast import ForecastQuestion
from conftest import pilot_table, require
from curves_to_learn_from import whole_curve
from readings import read_with_notes

SIZES, SCORES = [60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81]
PILOT = LearningCurve(SIZES, SCORES)
FAR = [720, 3600, 36000]
MOVES = {"linear": 0.5, "trees": -0.5, "many_features": 0.6, "few_features": -0.3, "few_per_class": 0.4}
OURS = replace(CALIBRATED, shifts={"share_a": MOVES | {"gap": 0.8}}, spreads={"sigma": {"linear": 0.2}})
"""Priors that two kinds move, so that tests of how they do it need no numbers that were learnt."""

BY_MODULE = {
    "linear_model": "linear",
    "naive_bayes": "naive_bayes",
    "neighbors": "neighbours",
    "tree": "trees",
    "neural_network": "neural_network",
}
"""Modules of scikit-learn that hold classifiers of one kind."""
ELSEWHERE = {
    "NearestCentroid": "linear",  # among the neighbours, but a Gaussian at each class
    "LinearDiscriminantAnalysis": "linear",
    "QuadraticDiscriminantAnalysis": "discriminant",
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


def widths(model, at=FAR):
    return np.diff(model.forecast(at).interval(0.95), axis=0)[0]


def test_an_unknown_learner_is_the_common_prior_to_the_last_digit():
    plain = APExGP(priors=OURS).fit(PILOT)
    trees = replace(PILOT, learner="trees")
    unknown, said = (
        APExGP(priors=OURS, learner=UNKNOWN).fit(trees),
        APExGP(priors=OURS).fit(replace(PILOT, learner=UNKNOWN)),
    )
    for other in (unknown, said):
        assert other.learner_ is None
        np.testing.assert_array_equal(other.forecast(FAR).mean, plain.forecast(FAR).mean)
    assert np.abs(APExGP(priors=OURS).fit(trees).forecast(FAR).mean - plain.forecast(FAR).mean).max() > 1e-3


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_kind_moves_priors_that_go_by_it_and_no_others(kind):
    plain, named = APExGP(priors=OURS).fit(PILOT), APExGP(priors=OURS, learner=kind).fit(PILOT)
    moved = kind in MOVES
    assert is_moved_by(OURS, kind) == moved
    assert (named.learner_, named.facts_) == ((kind, ("learner",)) if moved else (None, ()))
    assert np.array_equal(named.forecast(FAR).mean, plain.forecast(FAR).mean) != moved
    assert named.priors_ == OURS  # the kind says how to take them; the priors are the same


@pytest.mark.parametrize("kind", LEARNERS)
def test_beliefs_without_a_kind_are_moved_by_all_that_is_left(kind):
    less = drop_other_kinds(OURS, set(LEARNERS) - {kind})
    assert not is_moved_by(less, kind)
    assert [sign for sign in MOVES if is_moved_by(less, sign)] == [sign for sign in MOVES if sign != kind]
    assert is_moved_by(less, "gap")
    assert (less == OURS) == (kind not in MOVES)
    assert Beliefs.from_dict(json.loads(json.dumps(less.to_dict()))) == less
    none = drop_other_kinds(OURS, [None, UNKNOWN])
    assert not any(is_moved_by(none, kind) for kind in LEARNERS)
    curve = replace(PILOT, learner=kind)
    np.testing.assert_array_equal(
        APExGP(priors=less).fit(curve).forecast(FAR).mean, APExGP(priors=none).fit(curve).forecast(FAR).mean
    )


@pytest.mark.slow
def test_the_shipped_priors_know_the_kinds_that_improve_with_features():
    assert {kind for kind in LEARNERS if is_moved_by(CALIBRATED, kind)} == set(IMPROVE_WITH_FEATURES)
    for kind in IMPROVE_WITH_FEATURES:
        for features in (3, 60, 768):
            model = APExGP(learner=kind).fit(replace(PILOT, n_features=features))
            assert {"learner", "n_features"} <= set(model.facts_)
            assert np.isfinite(widths(model)).all()


def test_kinds_differ_as_their_curves_do():
    """Naive Bayes with few features is soon as good as it gets, so say the curves of the LCDB."""
    few = replace(PILOT, n_features=5)
    common, soon = (APExGP(learner=kind).fit(few).forecast([36000]).mean[0] for kind in (None, "naive_bayes"))
    assert soon < common


@pytest.mark.slow
def test_many_features_leave_more_to_be_learnt():
    few, many = (
        APExGP(learner="linear").fit(replace(PILOT, n_features=count)).forecast([3600]).mean[0] for count in (5, 768)
    )
    assert few < many


def test_what_the_model_is_told_counts_more_than_what_the_curve_says():
    curve = replace(PILOT, learner="trees")
    assert APExGP(priors=OURS).fit(curve).learner_ == "trees"
    told = APExGP(priors=OURS, learner="linear").fit(curve)
    assert told.learner_ == "linear"
    np.testing.assert_array_equal(widths(told), widths(APExGP(priors=OURS).fit(replace(PILOT, learner="linear"))))
    assert APExGP.as_published().fit(curve).learner_ is None
    assert APExGP(priors=paper_beliefs(PUBLISHED)).fit(curve).learner_ is None


@pytest.mark.parametrize(
    ("settings", "known", "said"),
    [
        ({}, {}, []),
        ({}, {"learner": UNKNOWN}, []),
        ({"learner": UNKNOWN}, {"learner": "trees"}, []),
        ({}, {"learner": "trees"}, ["The priors are those for trees and forests."]),
        ({"learner": "linear"}, {"learner": "trees"}, ["The priors are those for linear models."]),
        ({}, {"learner": "boosting"}, ["For boosting the priors are those that all kinds share."]),
        ({"learner": "boosting"}, {}, ["For boosting the priors are those that all kinds share."]),
        (
            {},
            {"learner": "boosting", "train_scores": [0.9] * 5},
            ["For boosting the priors are those that all kinds share."],
        ),
        ({}, {"learner": "linear", "train_scores": [0.9] * 5}, ["The priors are those for linear models."]),
        ({"priors": "paper"}, {"learner": "trees"}, []),
        ({"inference": "map", "priors": "flat"}, {"learner": "trees"}, []),
    ],
)
def test_a_sentence_says_what_became_of_the_kind(settings, known, said):
    assert say_kind(APExGP("power_law", **{"priors": OURS} | settings).fit(replace(PILOT, **known))) == said


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learner": "svm"}, "learner must be one of linear, naive_bayes, .* or unknown .*, got 'svm'"),
        ({"learner": "RandomForestClassifier"}, "got 'RandomForestClassifier'. That is trees"),
        ({"learner": 3}, "learner must be one of"),
        ({"learner": "trees", "priors": "paper"}, "learner applies to the calibrated priors"),
        (
            {"learner": "linear", "priors": "flat", "inference": "map", "mean": "power_law"},
            "learner applies to the calibrated priors",
        ),
    ],
)
def test_other_kinds_and_the_priors_of_the_paper_are_refused(settings, message):
    with pytest.raises(RequestError, match=message):
        APExGP(**settings).fit(PILOT)


def test_a_curve_of_another_kind_is_refused():
    with pytest.raises(DataError, match="learner must be one of"):
        LearningCurve(SIZES, SCORES, learner="magic")


def test_saved_models_and_files_keep_the_kind(tmp_path):
    told = APExGP(priors=OURS, learner="trees").fit(PILOT)
    said = APExGP(priors=OURS).fit(replace(PILOT, learner="trees"))
    for i, model in enumerate((told, said)):
        model.save(tmp_path / f"{i}.json")
        again = APExGP.load(tmp_path / f"{i}.json")
        assert (again.learner_, again.facts_) == ("trees", ("learner",))
        np.testing.assert_array_equal(widths(again), widths(told))
    replace(said.curve_, test_share=0.2).to_csv(tmp_path / "curve.csv")
    curves, notes = read_with_notes(tmp_path / "curve.csv")
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
    assert {task: curve.learner for task, curve in read(path).curves.items()} == {
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
    assert read(path).curve.learner is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_collected_curves_are_of_the_kind_of_their_estimator(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), np.arange(120) % 2
    X[:, 0] += y
    settings = {"sizes": [20, 40, 60], "progress": False}
    found = collect_curves(make_pipeline(PCA(), GaussianNB()), X, y, results=tmp_path / "runs.csv", **settings)
    assert found.only.learner == "naive_bayes"
    assert type(found).from_results(tmp_path / "runs.csv").only.learner == "naive_bayes"
    nobody_knows = collect_curves(SVC(), X, y, **settings)
    assert nobody_knows.only.learner is None
    assert not any("Kind of learner" in note for note in nobody_knows.notes)


def wide(features=64):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, features)), np.arange(200) % 2
    X[:, 0] += y
    return X, y


class Doubled(FunctionTransformer):
    """A step that is not scikit-learn's, so that nobody knows what it does."""


SAY_WHETHER = "Forecasts of these curves say whether their priors go by it."


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("estimator", "kind", "note"),
    [
        (LogisticRegression(), "linear", "linear (LogisticRegression), 64 features: forecasts"),
        (make_pipeline(PCA(1), GaussianNB()), "naive_bayes", "naive_bayes (GaussianNB), 1 feature: forecasts"),
        (make_pipeline(Doubled(), GaussianNB()), None, "naive_bayes (GaussianNB): the number of features that it sees"),
        (MLPClassifier(max_iter=2), "neural_network", f"neural_network (MLPClassifier). {SAY_WHETHER}"),
        (make_pipeline(Doubled(), DecisionTreeClassifier()), "trees", f"trees (DecisionTreeClassifier). {SAY_WHETHER}"),
    ],
    ids=["linear", "reduced", "unknown features", "neural_network", "trees"],
)
def test_collected_curves_name_the_kind_unless_its_priors_need_features_that_are_not_known(
    estimator, kind, note, tmp_path
):
    settings = {"progress": False, "results": tmp_path / "runs.csv", "n_splits": 1, "sizes": [40, 60, 100]}
    found = collect_curves(estimator, *wide(), **settings)
    assert found.notes[-1].startswith(f"Kind of learner: {note}")
    assert found.notes[-1].endswith(".")
    found.to_csv(tmp_path / "curves.csv")
    again = read(tmp_path / "curves.csv").curves["1"]
    for curve in (found.only, type(found).from_results(tmp_path / "runs.csv").only, again):
        assert curve.learner == kind
    assert ("learner" in (tmp_path / "curves.csv").read_text()) == (kind is not None)
    assert APExGP(priors=OURS, learner="linear").fit(found.only).learner_ == "linear"  # what a person says is obeyed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_a_record_that_does_not_know_its_features_leaves_the_kind_open(tmp_path):
    path = tmp_path / "runs.csv"
    settings = {"sizes": [20, 40, 60], "progress": False, "results": path}
    found = collect_curves(GaussianNB(), *wide(2), **settings)
    content = path.read_text()
    assert "# n_features: 2\n" in content
    assert "# features" not in content
    # As it was written once: with the features of the data, not those that the classifier sees.
    path.write_text(content.replace("# n_features: 2\n", "# features: 2\n"))
    assert type(found).from_results(path).only.learner is None
    again = collect_curves(GaussianNB(), *wide(2), **settings)  # the same run
    assert again.only.learner == "naive_bayes"
    assert again.fits == found.fits


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


# What answers say.


def ask(model, **settings):
    return ForecastQuestion(**settings).answer(model)


def test_answers_hold_the_forecasts_without_each_fact_that_counts():
    curve = replace(PILOT, learner="linear", n_features=768, n_classes=60, n_test=300, train_scores=[0.9] * 5)
    answer = ask(APExGP(priors=OURS).fit(curve))
    assert answer.model.facts_ == ("train_scores", "learner", "n_features", "n_classes")
    assert list(answer.without) == ["train_scores", "n_features", "n_classes"]  # the kind has a sentence of its own
    document, sentence = answer.document(), answer.document()["sentence"]
    assert list(document["without"]) == list(answer.without)
    begins = {
        "train_scores": "Without the training scores",
        "n_features": "768 features: without this number",
        "n_classes": "60 classes: without this number",
    }
    for fact, rows in document["without"].items():
        less = APExGP(priors=OURS).fit(replace(curve, **{fact: None})).forecast(answer.sizes)
        assert [row["mean"] for row in rows] == less.mean.tolist()
        (lower, upper) = (end[-1] for end in less.interval(0.95))
        assert f"{begins[fact]} it would be {less.mean[-1]:.3f}, between {lower:.3f} and {upper:.3f}." in sentence
    assert "The priors are those for linear models." in sentence


def test_answers_are_silent_on_facts_that_do_not_count():
    document = ask(APExGP(priors=OURS).fit(replace(PILOT, n_features=768, n_classes=2, n_test=300))).document()
    assert document["without"] == {}
    assert "without" not in document["sentence"].lower()


def test_a_forecast_without_a_fact_keeps_what_related_curves_taught():
    curve = replace(PILOT, learner="linear", n_features=768, metric="auroc")
    model = APExGP(priors=OURS).fit(curve, related=[whole_curve(i, 0.75) for i in range(2)])
    less = APExGP(priors=model.priors_).fit(replace(curve, n_features=None))
    np.testing.assert_array_equal(ask(model).without["n_features"].mean, less.forecast(ask(model).sizes).mean)


def test_the_methods_text_names_the_kind_and_the_numbers_that_have_moved_the_priors(monkeypatch):
    monkeypatch.setattr("apexgp.estimators.gp.CALIBRATED", OURS)
    moved = {
        "linear models with 768 features and 60 classes": {"learner": "linear", "n_features": 768, "n_classes": 60},
        "linear models": {"learner": "linear", "n_classes": 2},
        "classifiers with 60 classes": {"learner": "boosting", "n_classes": 60},
    }
    for what, known in moved.items():
        text = describe_method(APExGP().fit(replace(PILOT, **known)))
        assert f"LCDB 1.0 and 1.1, and moved to what curves of {what} do;" in text
    assert "moved to what curves" not in describe_method(APExGP().fit(replace(PILOT, learner="boosting")))


# Every surface.


@pytest.fixture
def said(tmp_path):
    path = tmp_path / "said.csv"
    path.write_text(
        pilot_table().replace("split\n", "split,learner\n").replace("a\n", "a,trees\n").replace("b\n", "b,trees\n")
    )
    return path


@pytest.fixture
def ours(tmp_path):
    write_priors(OURS, tmp_path / "ours.json")
    return tmp_path / "ours.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "named"), [([], "trees"), (["--learner", "boosting"], "boosting"), (["--learner", UNKNOWN], None)]
)
def test_commands_say_whose_priors_they_use(run, said, ours, options, named):
    code, out, _ = run("forecast", said, *options, "--priors", ours, "--at", 2000, "--json")
    assert code == 0
    facts = json.loads(out)
    model = APExGP(priors=OURS, learner=named or UNKNOWN).fit(read(said).curve)
    assert facts["learner"] == model.learner_ == (named if named in MOVES else None)
    assert facts["forecast"][0]["mean"] == model.forecast([2000]).mean[0]
    assert [sentence for sentence in say_kind(model) if sentence not in facts["sentence"]] == []
    assert len(say_kind(model)) == (named is not None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learner", "svm"], "--learner must be one of linear"),
        (["--learner", "trees", "--published"], "--learner cannot be used with the published method"),
    ],
)
def test_commands_refuse_what_the_library_does(run, pairs, options, message):
    code, out, err = run("forecast", pairs, *options)
    assert (code, out) == (1, "")
    assert message in err


# Learning from curves that may name their kind.


@pytest.mark.parametrize(
    ("kinds", "kept"),
    [(("linear", "linear"), {"linear"}), (("trees", "boosting"), {"trees"}), ((None, UNKNOWN), set())],
)
def test_priors_learnt_from_curves_go_by_the_kinds_of_those_alone(kinds, kept):
    learnt = learn_beliefs([whole_curve(i, 0.75, learner=kind) for i, kind in enumerate(kinds)], start=OURS)
    assert {kind for kind in LEARNERS if is_moved_by(learnt, kind)} == kept
    assert is_moved_by(learnt, "gap")
    assert is_moved_by(learnt, "many_features")


def test_related_curves_that_name_no_kind_count_as_that_of_the_pilot():
    unnamed = [whole_curve(i, 0.75) for i in range(2)]
    trees, linear = ([replace(curve, learner=kind) for curve in unnamed] for kind in ("trees", "linear"))
    pilot = replace(PILOT, learner="trees", metric="auroc")

    def learn(related, learner=None, pilot=pilot):
        return APExGP(priors=OURS, learner=learner).fit(pilot, related=related)

    assert learn(unnamed).priors_ == learn(trees).priors_ == learn_beliefs(trees, start=OURS)
    assert learn(unnamed, "linear").priors_ == learn_beliefs(linear, start=OURS)
    assert learn(dict(enumerate(unnamed))).priors_ == learn(trees).priors_
    assert (learn(unnamed).learner_, learn(unnamed, "linear").learner_) == ("trees", "linear")
    # Those that name another kind keep it, and say nothing of the pilot's.
    of_others = learn(linear)
    assert of_others.priors_ == learn_beliefs(linear, start=OURS)
    assert of_others.learner_ is None
    assert learn(linear, "trees").learner_ is None  # which is no reason to refuse the kind
    assert learn(unnamed, UNKNOWN).priors_ == learn_beliefs(unnamed, start=OURS)


@pytest.mark.slow
def test_a_sensitivity_analysis_forgets_a_kind_that_counts():
    def rows(**settings):
        return {row.name: row for row in sensitivity(APExGP(priors=OURS, **settings).fit(PILOT), FAR).answered}

    forgotten = rows(learner="linear")["priors of all kinds"]
    np.testing.assert_array_equal(forgotten.mean, APExGP(priors=OURS).fit(PILOT).forecast(FAR).mean)
    assert "priors of all kinds" not in rows()
    assert "priors of all kinds" not in rows(learner="boosting")
