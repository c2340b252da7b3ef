"""Columns beside the scores: found by the names that people give them, and taken for nothing else."""

import io

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LearningCurveDisplay, learning_curve

from apexgp import APExGP, LearningCurve, read
from apexgp.errors import DataError, RequestError
from apexgp.reading.cells import with_spread
from apexgp.reading.layout import Table
from apexgp.reading.names import (
    counts_classes,
    counts_features,
    counts_runs,
    counts_test_cases,
    counts_training_examples,
    says_mean,
)
from readings import read_with_notes

NUMBERS = ([60, 120, 250], [0.66, 0.70, 0.73])


def read_one(text, **said):
    """The only curve of a table, and the notes without its name."""
    curves, notes = read_with_notes(io.StringIO(text), **said)
    (curve,) = curves.values()
    return curve, [note.removeprefix("the file: ") for note in notes]


def table(header, *columns):
    rows = zip(*NUMBERS, *columns, strict=True)
    return "\n".join([f"n,{header}", *(",".join(map(str, row)) for row in rows)]) + "\n"


@pytest.mark.parametrize(
    "header",
    [
        *("AUC,train AUC", "auc,train_auc", "test_auroc,train_auroc", "Test AUC,Training AUC", "score,train_score"),
        *("accuracy,training accuracy", "Accuracy,Train accuracy", "AUC,trainAUC", "test,train", "AUC,train score"),
        *("mean_test_score,mean_train_score", "validation AUC,train AUC", "AUC,AUC (train)", "acc,acc_train"),
    ],
)
def test_training_scores_by_their_names(header):
    train = [0.99, 0.97, 0.95]
    curve, _ = read_one(table(header, train))
    assert (curve.scores.tolist(), curve.train_scores.tolist()) == (NUMBERS[1], train)
    one, other = header.split(",")
    turned, _ = read_one(
        "\n".join([f"{other},n,{one}", *(f"{t},{n},{s}" for n, s, t in zip(*NUMBERS, train, strict=True))]) + "\n"
    )
    assert (turned.scores.tolist(), turned.train_scores.tolist()) == (NUMBERS[1], train)


@pytest.mark.parametrize("header", ["AUC,train accuracy", "AUC,train time", "AUC,train loss", "AUC,training set"])
def test_what_else_is_called_after_training_is_not_taken(header):
    curve, notes = read_one(table(header, [0.99, 0.97, 0.95]))
    assert curve.train_scores is None
    assert not any("training scores" in note for note in notes)


def test_of_several_columns_that_of_the_same_metric_is_taken():
    columns = ([0.99] * 3, [0.9] * 3)
    assert read_one(table("AUC,train accuracy,train AUC", *columns))[0].train_scores.tolist() == [0.9] * 3
    curve, notes = read_one(table("score,train accuracy,train AUC", *columns))
    assert curve.train_scores is None
    assert "it is not clear which of 'train accuracy', 'train AUC' holds the training scores: none was used." in notes
    assert (
        read_one(table("score,train accuracy,train AUC", *columns), train_score="train AUC")[0].train_scores is not None
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["sd", "SD", "std", "AUC sd", "auc_sd", "AUC (SD)", "std_test_score", "Standard deviation"]
)
@pytest.mark.parametrize(
    "runs", ["n_runs", "runs", "repeats", "averaged over", "Number of seeds", "# repeats", "folds"]
)
def test_spreads_and_runs_by_their_names(name, runs):
    curve, notes = read_one(table(f"AUC,{name},{runs}", [0.02, 0.01, ""], [10] * 3))
    np.testing.assert_array_equal(curve.score_sd, [0.02, 0.01, np.nan])
    assert (curve.averaged_over, curve.split) == (10, None)
    assert f"{name!r} as standard deviations of the runs" in notes[1]


@pytest.mark.parametrize(
    "name", ["n_test", "test n", "Test size", "test cases", "# test patients", "ntest", "N (test)"]
)
def test_test_cases_by_their_names(name):
    assert counts_test_cases(name)
    assert not counts_training_examples(name)
    curve, _ = read_one(table(f"AUC,{name}", [200, "", 220]))
    np.testing.assert_array_equal(curve.n_test, [200, np.nan, 220])
    assert curve.sizes.tolist() == NUMBERS[0]


@pytest.mark.parametrize("name", ["test", "test score", "Test AUC", "tested", "n", "n_train", "test set", "tests"])
def test_other_names_count_no_test_cases(name):
    assert not counts_test_cases(name)


@pytest.mark.parametrize("name", ["run", "seed", "split", "fold", "iterations", "n_trials", "split number", "run id"])
def test_other_names_count_no_runs(name):
    assert not counts_runs(name)


def test_a_plural_tells_splits_apart_where_its_numbers_do():
    rows = [(n, s, k) for k in (1, 2) for n, s in zip(*NUMBERS, strict=True)]
    curve, _ = read_one("n,AUC,repeats\n" + "".join(f"{n},{s},{k}\n" for n, s, k in rows))
    assert (sorted(set(curve.split)), curve.averaged_over) == ([1, 2], None)


def test_of_different_numbers_of_runs_the_smallest_is_claimed():
    curve, notes = read_one(table("AUC,n_runs", [10, 10, 5]))
    assert curve.averaged_over == 5
    assert any("means of 5 to 10 runs: the smallest" in note for note in notes)


@pytest.mark.parametrize(
    ("cell", "parts"),
    [
        ("0.71 ± 0.02", ("0.71", "0.02")),
        ("0.71±.02", ("0.71", ".02")),
        ("0.71 +/- 0.02", ("0.71", "0.02")),
        ("0.71 +- 0.02", ("0.71", "0.02")),
        ("71.2% ± 2.1%", ("71.2%", "2.1%")),
        ("71.2 ± 2.1 %", ("71.2%", "2.1 %")),
        ("(71.2 ± 2.1) %", ("71.2%", "2.1%")),
        ("0,71 ± 0,02", ("0,71", "0,02")),
        (r"$0.71 \pm 0.02$", ("0.71", "0.02")),
        ("0.71", None),
        ("0.71 ±", None),
        ("-0.71", None),
        ("1e+3", None),
        ("a ± b", None),
        ("0.7 ± 0.1 ± 0.2", None),
    ],
)
def test_cells_with_a_spread(cell, parts):
    assert with_spread(cell) == parts


@pytest.mark.parametrize(
    "text",
    [
        "n,AUC\n60,0.71 ± 0.02\n120,0.74 +/- 0.01\n",
        "n;AUC\n60;0,71 ± 0,02\n120;0,74 ± 0,01\n",
        "n,AUC\n60,71 ± 2 %\n120,74% ± 1%\n",
        "n,AUC (%)\n60,71 ± 2\n120,74 ± 1\n",
        "n,AUC (%)\n60,0.71 ± 0.02\n120,0.74 ± 0.01\n",
        "n,AUC (%),sd\n60,71,2\n120,74,1\n",
        "n,AUC,AUC sd (%)\n60,0.71,2\n120,0.74,1\n",
    ],
)
def test_spreads_however_they_are_written(text):
    curve, notes = read_one(text)
    assert curve.scores == pytest.approx([0.71, 0.74])
    assert curve.score_sd == pytest.approx([0.02, 0.01])
    assert any("standard deviations of the runs" in note for note in notes)


def test_training_scores_in_per_cent_beside_scores_in_per_cent():
    curve, _ = read_one(table("Accuracy (%),train accuracy", [99, 97, 95]).replace("0.66", "66").replace("0.7", "7"))
    assert curve.train_scores == pytest.approx([0.99, 0.97, 0.95])


def test_wide_tables_pair_training_scores_with_their_splits():
    text = (
        "n,fold 1,fold 2,mean,sd,train fold 1,train fold 2,folds,n_test\n"
        "60,0.6,0.7,0.65,0.05,0.99,0.98,2,30\n120,0.65,0.75,0.7,0.05,0.97,,2,31\n"
    )
    curve, _ = read_one(text)
    np.testing.assert_array_equal(curve.train_scores, [0.99, 0.98, 0.97, np.nan])
    assert curve.n_test.tolist() == [30, 30, 31, 31]
    assert (curve.score_sd, curve.averaged_over) == (None, None)  # of the folds, which tell it themselves
    named = read_one(text, score=["fold 2", "fold 1"], train_score=["train fold 2", "train fold 1"])[0]
    np.testing.assert_array_equal(named.train_scores, [0.98, 0.99, np.nan, 0.97])
    with pytest.raises(RequestError, match="train_score must name one column for each column of scores"):
        read_one(text, train_score="train fold 1")
    results, _ = read_one(
        "n,split0_test_score,split1_test_score,split0_train_score,split1_train_score\n60,.6,.7,.9,.8\n"
    )
    assert results.train_scores.tolist() == [0.9, 0.8]
    each, _ = read_one("n,fold 1,fold 2\n60,.71 ± .01,.72 ± .02\n")
    assert each.score_sd.tolist() == [0.01, 0.02]


def test_the_spread_of_the_scores_themselves_is_not_one_behind_them():
    curve, notes = read_one("n,AUC,sd,split\n60,.71,.01,1\n60,.72,.01,2\n120,.74,.02,1\n120,.75,.02,2\n")
    assert curve.score_sd is None
    assert any("the spread of those scores" in note for note in notes)
    assert not any("'sd'" in note for note in notes)
    own, _ = read_one("n,AUC,score_sd,split\n60,.71,.01,1\n60,.72,.01,2\n120,.74,.02,1\n120,.75,.02,2\n")
    assert own.score_sd.tolist() == [0.01, 0.01, 0.02, 0.02]


@pytest.mark.parametrize(
    ("header", "own", "cells", "message"),
    [
        ("test size", "n_test", [0.2] * 3, "expected a number of test cases, at least 1, got 0.2"),
        (
            "sd",
            "score_sd",
            [2.1] * 3,
            r"expected a standard deviation of scores in \[0, 1\], got 2.1. Are these percentages\?",
        ),
        (
            "train AUC",
            "train_score",
            [99] * 3,
            r"training scores must lie in \[0, 1\], got 99. Are these percentages\?",
        ),
        ("n_runs", "averaged_over", [2.5] * 3, "expected a number of runs, or several, got 2.5"),
        ("features", "n_features", ["tf-idf"] * 3, "expected a number, got 'tf-idf'"),
        ("features", "n_features", [7.5] * 3, "expected a number of features, at least 1, got 7.5"),
        ("classes", "n_classes", [1] * 3, "expected a number of classes, at least 2, got 1"),
        ("sd", "score_sd", ["a", "b", "c"], "expected a number, got 'a'"),
    ],
)
def test_what_does_not_fit_is_left_out_or_refused_where_it_is_meant(header, own, cells, message):
    curve, notes = read_one(table(f"AUC,{header}", cells))
    (note,) = [note for note in notes if "left out" in note]
    assert note.startswith(f"left out the column {header!r}: line 2, ")
    assert repr(curve) == "LearningCurve(3 scores at 3 sizes from 60 to 250, metric='AUC')"
    with pytest.raises(DataError, match=message) as found:
        read_one(table(f"AUC,{own}", cells))
    assert [(fault.line, fault.column) for fault in found.value.faults] == [(2, own), (3, own), (4, own)]
    with pytest.raises(DataError, match=message):
        read_one(table(f"AUC,{header}", cells), **{own: header})


def test_what_is_said_goes_before_what_is_found():
    text = table("AUC,n_test,runs,x", [100] * 3, [5] * 3, [0.9] * 3)
    curve, _ = read_one(text, n_test=200, averaged_over="25", train_score="X")
    assert (curve.n_test.tolist(), curve.averaged_over, curve.train_scores.tolist()) == ([200] * 3, 25, [0.9] * 3)
    assert read_one(text, averaged_over="runs")[0].averaged_over == 5
    for said, message in (
        ({"n_test": "cases"}, "has no column 'cases'.*Name yours with n_test="),
        ({"train_score": "y"}, "has no column 'y'.*Name yours with train_score="),
        ({"averaged_over": "2.5"}, "averaged_over must be a whole number"),
        ({"averaged_over": 0}, "averaged_over must be a whole number of at least 1"),
        ({"n_features": "width"}, "has no column 'width'.*Name yours with n_features="),
        ({"n_features": 0}, "n_features must be a whole number of at least 1"),
        ({"n_classes": "1"}, "n_classes must be a whole number of at least 2"),
        ({"n_test": 0.5}, "n_test must be a number of test cases, at least 1"),
        ({"n_test": [3]}, "n_test must be one finite number"),
        ({"score_sd": 0.1}, "score_sd must be the name of a column"),
    ):
        with pytest.raises((DataError, RequestError), match=message):
            read_one(text, **said)


@pytest.mark.parametrize(
    "name",
    [
        *("n_features", "features", "N features", "# features", "Number of features", "num_features", "nfeatures"),
        *("predictors", "No. of predictors", "dimensions", "dimension", "Embedding dimension", "feature count"),
    ],
)
def test_features_are_counted_by_such_names(name):
    assert counts_features(name)
    curve, notes = read_one(table(f"AUC,{name}", [30, "", 30]))
    assert (curve.metric, curve.scores.tolist(), curve.n_features) == ("AUC", NUMBERS[1], 30)
    told = f"read the column {name!r} as the number of features."
    assert (told in notes) == (name not in ("n_features", "N features"))


@pytest.mark.parametrize("name", ["n_classes", "classes", "# classes", "Number of classes", "num_classes", "nclasses"])
def test_classes_are_counted_by_such_names(name):
    assert counts_classes(name)
    curve, _ = read_one(table(f"AUC,{name}", [3, 3, 3]))
    assert (curve.metric, curve.scores.tolist(), curve.n_classes) == ("AUC", NUMBERS[1], 3)


@pytest.mark.parametrize(
    "name", ["feature", "feature set", "features and labels", "feature importance", "class", "n_labels", "class 1", "n"]
)
def test_other_names_count_neither_features_nor_classes(name):
    assert not counts_features(name)
    assert not counts_classes(name)


def test_features_and_classes_are_no_scores():
    text = "n,n_features,classes,resnet,vit\n60,768,3,0.5,0.6\n120,768,3,0.6,0.7\n"
    curves, _ = read_with_notes(io.StringIO(text), each_column="model")
    assert {task: (curve.n_features, curve.n_classes) for task, curve in curves.items()} == {
        "resnet": (768, 3),
        "vit": (768, 3),
    }


def test_one_column_per_size_can_have_them_too():
    curves, _ = read_with_notes(io.StringIO("task,n_features,60,120\na,7,0.5,0.6\nb,9,0.6,0.7\n"))
    assert [curve.n_features for curve in curves.values()] == [7, 9]


def test_a_curve_has_one_number_of_features():
    rows = "n,AUC,task,{}\n60,0.6,a,7\n120,0.7,a,7\n60,0.6,b,8\n120,0.7,b,9\n250,0.8,b,9\n"
    message = "one number of features, got 8 in line 4, 9 in line 5"
    with pytest.raises(DataError, match=message) as found:
        read_with_notes(io.StringIO(rows.format("n_features")))
    assert [(fault.line, fault.column) for fault in found.value.faults] == [(5, "n_features")]
    with pytest.raises(DataError, match=message):
        read_with_notes(io.StringIO(rows.format("width")), n_features="width")
    curves, notes = read_with_notes(io.StringIO(rows.format("dimensions")))
    assert [curve.n_features for curve in curves.values()] == [None, None]
    (note,) = [note for note in notes if "dimensions" in note]
    assert "left out the column 'dimensions'" in note
    assert message in note
    (said,) = {
        curve.n_features for curve in read_with_notes(io.StringIO(rows.format("n_features")), n_features=12)[0].values()
    }
    assert said == 12


@pytest.mark.parametrize(
    "name",
    ["mean AUC", "avg accuracy", "AUC (mean)", "mean_test_score", "Mean accuracy (%)", "mean AUC (95% CI)", "average"],
)
def test_a_header_says_that_scores_are_means_over_an_unknown_number_of_runs(name):
    curve, notes = read_one(table(name))
    assert curve.averaged_over == "several"
    assert f"read the scores under {name!r} as means over an unknown number of runs." in notes
    assert read_one(table(name), averaged_over=1)[0].averaged_over == 1
    curve, notes = read_one(table(f"{name},n_runs", [5, 5, ""]))
    assert curve.averaged_over == 5
    assert not any("unknown number" in note for note in notes)


@pytest.mark.parametrize(
    "name",
    [
        *("AUC", "score", "average precision", "mean squared error", "neg_mean_absolute_error", "macro avg F1"),
        *("macro averaged AUC", "weighted average F1", "mean IoU", "avg loss", "mean average precision"),
    ],
)
def test_other_headers_are_those_of_single_runs(name):
    assert not says_mean(name)


def test_several_is_a_number_of_runs_wherever_one_is_asked_for(tmp_path):
    assert read_one(table("AUC,averaged_over", ["several"] * 3))[0].averaged_over == "several"
    assert read_one(table("AUC,n_runs", [5, "Several", 5]))[0].averaged_over == "several"
    assert read_one(table("AUC"), averaged_over="several")[0].averaged_over == "several"
    assert (
        read_one(table("AUC,several", [5] * 3), averaged_over="several")[0].averaged_over == 5
    )  # a column goes before
    with pytest.raises(DataError, match="expected a number, got 'many'"):
        read_one(table("AUC,averaged_over", ["many"] * 3))
    with pytest.raises(RequestError, match="averaged_over must be a whole number, or 'several'"):
        LearningCurve([60, 120], [0.7, 0.8], averaged_over="many")
    saved = tmp_path / "curve.csv"
    LearningCurve([60], [0.7], averaged_over="several").to_csv(saved)
    assert read(saved).curve.averaged_over == "several"


def test_a_frame_is_read_as_a_file_is():
    frame = {"n": NUMBERS[0], "AUC": NUMBERS[1], "train AUC": [0.99, None, 0.95], "x": [30, 40, 50]}
    curve = read(frame, n_test="x", averaged_over=5).curve
    np.testing.assert_array_equal(curve.train_scores, [0.99, np.nan, 0.95])
    assert (curve.n_test.tolist(), curve.averaged_over) == ([30, 40, 50], 5)


@pytest.mark.slow
def test_scikit_learn_gives_its_training_scores():
    X, y = load_breast_cancer(return_X_y=True)
    model = LogisticRegression(max_iter=10_000)
    arguments = {"train_sizes": [60, 120, 240], "cv": 2, "scoring": "neg_brier_score"}
    result = learning_curve(model, X[:, :3], y, **arguments)
    display = LearningCurveDisplay(train_sizes=result[0], train_scores=result[1], test_scores=result[2])
    for found in (LearningCurve.from_sklearn(result), LearningCurve.from_sklearn(display), APExGP().fit(result).curve_):
        assert found.direction == "lower"
        np.testing.assert_array_equal(found.scores, -result[2].ravel())
        np.testing.assert_array_equal(found.train_scores, -result[1].ravel())


def test_sizes_are_never_parted_at_a_sign():
    with pytest.raises(DataError, match="expected a number, got '60 ± 2'"):
        read_one("n,AUC\n60 ± 2,0.7\n120,0.8\n")
    assert Table("t", {}, []).spreads == {}
