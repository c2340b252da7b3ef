"""Columns that count, told by their names: training examples, test cases, runs behind a mean, features, classes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .cells import is_blank
from .known_metrics import plain_name
from .wide import SPLIT_WORDS, TRAINING

__all__ = [
    "PROBLEM_COUNTS",
    "counts_classes",
    "counts_features",
    "counts_runs",
    "counts_test_cases",
    "counts_training_examples",
    "numbers_of_runs",
    "unit_counted",
]

PROBLEM_COUNTS = {"n_features": 1, "n_classes": 2}
"""Numbers that describe the problem of a curve, and the least that each can be."""

_COUNTED = {
    *("example", "sample", "case", "patient", "image", "row", "observation", "instance", "subject", "scan", "item"),
    *("point", "datum", "pt"),
}
_LABELS = {"label", "annotation"}  # counted only where a word says that they are counted
_AROUND = {"set", "data", "dataset", "subset", "trainset", "in", "used"}
_NUMBER = {"n", "num", "number", "no", "nr", "nb", "amount", "count"}
_COUNTING = _NUMBER | {"total", "of", "the"}
_TEST = {"test", "testing", "testset"}
# How many of them had the outcome, in brackets: patients (events), n [deaths].
_WITH_EVENTS = re.compile(
    r"[(\[]\s*+(?:(?:n|no\.?|number|of|with|#)\s++)*+(?:events?|positives?|deaths?|outcomes?)\s*+[)\]]\s*+$",
    re.IGNORECASE,
)
# Iterations and trials are counted as well, and are often those of one training or one search.
_RUNS = {word.removesuffix("s") for word in SPLIT_WORDS} - {"iteration", "trial"}
_AVERAGED = {"averaged", "average", "mean", "over", "per"}
_FEATURES = {"feature", "predictor", "dimension"}
_BESIDE_FEATURES = {"input", "encoded", "embedding"}


def counts_training_examples(name: str) -> bool:
    """Whether a column counts training examples by its name: size, N, n_train, # samples, patients (events)."""
    words = _words(_WITH_EVENTS.sub("", name))
    if words == ["n"] or words in (["ntrain"], ["trainsize"], ["nsamples"]):
        return True
    left = [word.removesuffix("s") for word in words if word not in _COUNTING | TRAINING | _AROUND]
    if not left:  # n_train, number of training data, but neither `train` nor `no`
        return bool({"n", "num", "number", "amount"} & set(words) and TRAINING & set(words))
    things = [word for word in left if word != "size"]  # train size (patients), sample size
    if len(things) < len(left) and len(left) < 3:
        return not things or things[0] in _COUNTED
    return len(left) == 1 and (left[0] in _COUNTED or (left[0] in _LABELS and bool(_NUMBER & set(words))))


# What people count, where a name says it; samples, rows and the like are training examples by another name.
_UNITS = {"patient": "patients", "pt": "patients", "image": "images", "subject": "subjects", "scan": "scans"}


def unit_counted(name: str) -> str | None:
    """What a column counts by its name: n patients, No. of pts (train); None where it says no more than examples."""
    words = (word.removesuffix("s") for word in _words(name))
    return next((_UNITS[word] for word in words if word in _UNITS), None)


def counts_test_cases(name: str) -> bool:
    """Whether a column counts test cases by its name: n_test, test size, Test cases, # test patients, N (test)."""
    words = _words(name)
    if words in (["ntest"], ["testsize"]):
        return True
    if not _TEST & set(words):
        return False
    left = [word for word in words if word not in _TEST | _AROUND]
    things = {word.removesuffix("s") for word in left if word not in _COUNTING}
    return bool(left) and things <= _COUNTED | {"size"} and bool(things or _NUMBER & set(left))


def counts_runs(name: str) -> bool:
    """Whether a column may count the runs behind a mean by its name: averaged over, n_runs, Number of seeds, folds."""
    words = _words(name)
    if words == ["averaged", "over"] or words in (["nruns"], ["nseeds"], ["nrepeats"], ["nreps"], ["nfolds"]):
        return True
    left = [word for word in words if word not in _COUNTING | _AVERAGED]
    return len(left) == 1 and left[0].endswith("s") and left[0].removesuffix("s") in _RUNS


def counts_features(name: str) -> bool:
    """Whether a column counts features by its name: n_features, # features, Predictors, embedding dimension."""
    words = _words(name)
    if words == ["nfeatures"]:
        return True
    left = [word for word in words if word not in _COUNTING | _BESIDE_FEATURES]
    if len(left) != 1 or left[0].removesuffix("s") not in _FEATURES:
        return False
    return left[0] == "dimension" or left[0].endswith("s") or bool(_NUMBER & set(words))


def counts_classes(name: str) -> bool:
    """Whether a column counts classes by its name: n_classes, # classes, Number of classes; `class` is a label."""
    words = _words(name)
    return words == ["nclasses"] or [word for word in words if word not in _COUNTING] == ["classes"]


def numbers_of_runs(name: str, cells: Sequence[str], sizes: Sequence[object]) -> bool:
    """Whether a column named as splits are, in the plural, holds how many there were: `repeats`, and 10 in every row.

    Labels of splits would differ within a size; so this takes the same number, above 1, in every row, or one row for
    each of the `sizes`.
    """
    if not counts_runs(name):
        return False
    filled = [cell.strip() for cell in cells if not is_blank(cell)]
    whole = bool(filled) and all(re.fullmatch(r"[1-9]\d*", cell) and cell != "1" for cell in filled)
    return whole and (len(set(filled)) == 1 or len(set(sizes)) == len(sizes))


def _words(name: str) -> list[str]:
    return plain_name(name.replace("#", " number ")).split()
