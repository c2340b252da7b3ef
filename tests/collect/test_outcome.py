"""Scores in what programs print, and in what training functions give."""

from types import SimpleNamespace

import numpy as np
import pytest

from apexgp.collect.outcome import NoScoreError, parse_scores, to_outcome


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("0.83\n", 0.83),
        ("epoch 1: 0.7\nepoch 2: 0.81\n", 0.81),
        ("F1 of model2: .5", 0.5),
        ("acc=0.83.", 0.83),
        ("loss -1.5e-3 after 12.3s", -0.0015),
        ("accuracy 83.1 %\n", 0.831),
        ("\x1b[32m0.83\x1b[0m\n", 0.83),
        (" 50%|#####\r100%|##########\r0.25", 0.25),
        ("60,0,0.81", 0.81),
        ("version 1.2.3 gives 1", 1.0),
        ("[0.81, 0.83]", 0.83),
        ("2.79", 2.79),
        ('{"auc": 0.8} in the end 0.9', 0.9),  # not a line of its own
        ("{'auc': 0.8}", 0.8),  # Python's, not JSON
    ],
)
def test_the_last_number_is_the_score(text, score):
    assert parse_scores(text) == score


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ('{"auc": 0.8}', {"auc": 0.8}),
        ('{"lr": 1}\n{"auc": 0.8, "f1": 0.7}\nDone after 3 s: 12\n', {"auc": 0.8, "f1": 0.7}),
        ('log\n{\n "auc": 0.8,\n "each": [\n  {"a": 1}\n ]\n}\n', {"auc": 0.8, "each": [{"a": 1}]}),
        ('{"auc": 0.8}\r\n{broken\n', {"auc": 0.8}),
        ("  {}\n", {}),
    ],
)
def test_the_last_json_object_comes_before_any_number(text, scores):
    assert parse_scores(text) == scores


@pytest.mark.parametrize("text", ["0.7 nan", "-inf", "score: NaN", "Infinity %"])
def test_what_is_not_finite_is_not_passed_over(text):
    with pytest.raises(NoScoreError, match="instead of a finite number"):
        to_outcome(parse_scores(text), 60, 0)


@pytest.mark.parametrize("text", ["", "no number", "v1.2.3", "model2", "12.3s"])
def test_a_text_without_a_number_is_no_score(text):
    with pytest.raises(NoScoreError, match="no number and no JSON object"):
        parse_scores(text)


@pytest.mark.parametrize("text", ["AUC 0,83", "1,234", "1,234.5"])
def test_a_comma_that_may_be_a_decimal_one_is_asked_about(text):
    with pytest.raises(NoScoreError, match=r"could be one number or two"):
        parse_scores(text)


def parts(**given):
    found = to_outcome(SimpleNamespace(**given), 60, 1)
    return found.scores, found.n_test, found.seconds


def test_a_number_a_mapping_and_an_object_are_scores():
    assert to_outcome(np.float32(0.5), 60, 1, "auroc").scores == {"test": {"auroc": 0.5}}
    found = to_outcome({"auc": 0.8, "loss": 2.5, "n": 60, "seed": 1, "model": "x", "seconds": 9, "n_test": 50}, 60, 1)
    assert found.scores == {"test": {"auc": 0.8, "loss": 2.5}}
    assert found.extras == {"n": 60, "seed": 1, "model": "x"}
    assert (found.n_test, found.seconds) == (50, 9.0)
    assert to_outcome({"n": 7}, 60, 1).metrics == ["n"]  # does not repeat the size
    assert parts(test=0.8) == ({"test": {"score": 0.8}}, None, None)
    everything = {"train": {"auc": 1}, "validation": {"auc": 0.9}, "test": {"auc": 0.8}}
    assert parts(**everything, seconds=3, n_test=10) == (everything, 10, 3.0)
    assert to_outcome(everything, 60, 1).scores == everything


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (None, "None instead of a number"),
        ("0.8", "'0.8' instead"),
        (True, "True instead"),
        ([0.8], r"\[0.8\] instead"),
        ({}, "no number under the name of a metric"),
        ({"auc": "high"}, "no number under the name of a metric"),
        ({"auc": float("nan")}, r"nan instead of a finite number \(auc\)"),
        ({"test": {"auc": 0.8}, "train": {"f1": 1}}, "f1 for train or validation, but not for test"),
        ({"test": 0.8, "seconds": -1}, "-1 seconds"),
        ({"test": 0.8, "n_test": 0.2}, "0.2 as n_test"),
        ({"test": {}}, "empty mapping"),
        (SimpleNamespace(test=None), "no test score"),
    ],
)
def test_what_is_no_score_is_said(given, why):
    with pytest.raises(NoScoreError, match=why):
        to_outcome(given, 60, 1)
