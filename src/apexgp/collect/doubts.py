"""Reasons to doubt a run before its first fit: too few test cases, features that are no features, leaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray, format_some
from .._warn import warn
from ..errors import ClassesLeftOutWarning, FewTestCasesWarning, LeakWarning, NoFeatureWarning, UngroupedWarning
from ..reading.known_metrics import metric_name

__all__ = ["auroc_standard_error", "warn_of_features", "warn_of_few_test_cases", "warn_of_rare_classes"]

_SCORE = 0.9  # at which standard errors are stated
_LARGE_ERROR = 0.05
_MANY = 20  # values, above which a column may tell rows apart instead of describing them
_GLANCE = 1000  # rows that settle most questions
_SURE = 5.0  # equal values to be expected in a column of measurements, so that none at all means identifiers
_ROWS_OF_A_TEXT = 5  # a text that stands in fewer rows, on average, is hardly a category
_ROWS_OF_A_LEAK = 5  # a value that stands in fewer may have met one class by chance

# Words in the name of a column that says whose the row is.
_WHOSE = {"patient", "patients", "subject", "participant", "person", "donor", "individual", "mrn", "id", "pid", "uid"}
_WHICH = {*_WHOSE, "uuid", "identifier", "accession", "index", "key", "rownames"}


def auroc_standard_error(positives: int, negatives: int, auroc: float = _SCORE) -> float:
    """Standard error of an AUROC measured on so many cases, by Hanley and McNeil (1982)."""
    two_positives, two_negatives = auroc / (2 - auroc), 2 * auroc**2 / (1 + auroc)
    variance = (
        auroc * (1 - auroc)
        + (positives - 1) * (two_positives - auroc**2)
        + (negatives - 1) * (two_negatives - auroc**2)
    ) / (positives * negatives)
    return float(np.sqrt(variance))


def warn_of_rare_classes(rows: Mapping[str, int], measured: int) -> str:
    """Say which classes get no curve, because fewer than a tenth of the rows are of them; gives what was said.

    Parameters
    ----------
    rows
        How many are of each such class, by its task.
    measured
        How many classes get a curve.
    """
    if not rows:
        return ""
    names = format_some([f"{task} ({number} rows)" for task, number in rows.items()], 20)
    said = (
        f"{len(rows)} of {len(rows) + measured} classes get no curve, because fewer than a tenth of the rows belong "
        f"to each: {names}. To include them, choose the classes to measure (tasks, --task), or measure all together "
        "(multiclass='macro', --multiclass macro)."
    )
    warn(said, ClassesLeftOutWarning)
    return said


def warn_of_few_test_cases(metric: str, in_test: Mapping[str | None, NDArray[np.int64]]) -> None:
    """Say how uncertain a single score is where test sets are small.

    Parameters
    ----------
    metric
        The metric that is measured first.
    in_test
        Test cases of each class, by task.
    """
    errors = {task: _standard_error(metric, counts) for task, counts in in_test.items()}
    few = {task: error for task, error in errors.items() if error >= _LARGE_ERROR}
    if not few:
        return
    worst = max(few, key=lambda task: few[task])
    counts = in_test[worst]
    held = (
        f"{counts[1]} positive and {counts[0]} negative cases"
        if len(counts) == 2
        else f"{counts.sum()} cases, {counts.min()} of the rarest class"
    )
    whose = "" if worst is None else f" of {worst!r}"
    others = f", and {len(few) - 1} more tasks have few" if len(few) > 1 else ""
    warn(
        f"The test sets are small: {held}{whose}{others}. A single {metric_name(metric)} of {_SCORE:g} then has a "
        f"standard error of about {few[worst]:.2f}. More splits (n_splits, --splits) or a larger share for "
        "the test set (ratio, --ratio) make the curve smoother.",
        FewTestCasesWarning,
    )


def _standard_error(metric: str, counts: NDArray[np.int64]) -> float:
    """Of one score of `_SCORE`; 0 where the metric has no formula."""
    spread = _SCORE * (1 - _SCORE)
    name = metric_name(metric)
    if name == "accuracy":
        return float(np.sqrt(spread / counts.sum()))
    if name == "balanced accuracy":
        return float(np.sqrt((spread / counts).sum()) / len(counts))
    if name.startswith("AUROC"):
        each = [auroc_standard_error(int(count), int(counts.sum() - count)) for count in counts]
        return each[1] if len(counts) == 2 else float(np.sqrt(np.square(each).sum()) / len(each))
    return 0.0


def warn_of_features(
    X: Any,
    labels: Mapping[str | None, NDArray[np.int64]],
    grouped: bool,
    names: Sequence[str] | None = None,
    categorical: Sequence[int] = (),
) -> None:
    """Say which features look like identifiers, like names of those whom rows belong to, or like the label.

    Parameters
    ----------
    X
        The cases; only arrays and data frames with one row per case are looked into.
    labels
        Codes of the classes, by name of the label.
    grouped
        Whether groups were given.
    names
        What the columns are called, where X does not say.
    categorical
        Columns of an array that are codes of categories.
    """
    identifiers, whose, leaks = [], [], []
    for name, values, is_text in _columns(X, names, categorical):
        determined = [how for label in labels.values() if (how := _determines(values, label, is_text))]
        if "leak" in determined:
            leaks.append(name)
        elif _is_identifier(name, values, is_text):
            identifiers.append(name)
        elif not grouped and (determined or _says_whose(name, values, is_text)):
            whose.append(name)
    if leaks:
        warn(
            f"Leaks? A single feature determines the class in every row: {format_some(leaks, 10)}. If it is known only "
            "once the class is, leave it out (--drop).",
            LeakWarning,
        )
    if identifiers:
        warn(
            "Identifiers? These features have a different value in every row, or nearly: "
            f"{format_some(identifiers, 10)}. A classifier learns nothing from row names and numbers: leave them out "
            "(--drop).",
            NoFeatureWarning,
        )
    if whose:
        warn(
            f"Whose rows are these? These features repeat as patient names do: {format_some(whose, 10)}. Rows of one "
            "patient in both training and test data inflate the scores: say which rows belong together (groups, "
            "--group), or leave the column out (--drop).",
            UngroupedWarning,
        )


def _columns(X: Any, names: Sequence[str] | None, categorical: Sequence[int]) -> Iterator[tuple[str, FloatArray, bool]]:
    """Name, numbers (codes of texts, NaN for gaps) and whether it is text, of each column."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        for i, name in enumerate(X.columns):
            values = np.asarray(X.iloc[:, i])
            if values.dtype.kind in "biuf":
                yield repr(str(name)), values.astype(float), False
            else:
                text = np.array([str(value) for value in values])
                yield repr(str(name)), np.unique(text, return_inverse=True)[1].astype(float), True
    elif isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf":
        texts = set(categorical)
        for i in range(X.shape[1]):
            yield f"number {i}" if names is None else repr(names[i]), np.asarray(X[:, i], float), i in texts


def _determines(values: FloatArray, label: NDArray[np.int64], is_text: bool) -> str:
    """Whether the class follows from the value in all rows: "leak", "whose" or no text.

    It does where a cut of the range tells the classes apart, or each of a few values stands for one class. Where many
    values do, each in several rows, they stand for patients: all rows of a patient have one class.
    """
    if len(values) < _MANY or not _separates(values[:_GLANCE], label[:_GLANCE], is_text):
        return ""
    return _separates(values, label, is_text)


def _separates(values: FloatArray, label: NDArray[np.int64], is_text: bool) -> str:
    known = np.where(np.isnan(values), np.inf, values)  # a gap is a value: it may be the one that tells
    order = np.lexsort((label, known))
    known, label = known[order], label[order]
    starts = np.append(0, np.flatnonzero(known[1:] != known[:-1]) + 1)
    ends = np.append(starts[1:], len(known))
    n_classes = len(np.unique(label))
    if n_classes < 2 or (label[starts] != label[ends - 1]).any():
        return ""  # one value, two classes
    changes = int((np.diff(label) != 0).sum())
    if (changes == n_classes - 1 and not is_text) or len(starts) <= min(_MANY, len(known) / _ROWS_OF_A_LEAK):
        return "leak"
    return "whose" if len(starts) <= len(known) / 2 else ""


def _is_identifier(name: str, values: FloatArray, is_text: bool) -> bool:
    number = len(values)
    glance = values[:_GLANCE]
    if number <= _MANY or (glance != np.round(glance)).any():  # fractions and gaps are measured
        return False
    distinct = len(np.unique(values))
    if is_text:
        return distinct > max(_MANY, 0.9 * number)
    if distinct < number:
        return False
    span = float(values.max() - values.min()) + 1
    return number**2 / (2 * span) >= _SURE or bool(_words(name) & _WHICH)


def _says_whose(name: str, values: FloatArray, is_text: bool) -> bool:
    """Whether a column has many values, in few rows each, as patients have."""
    known = values[~np.isnan(values)]
    if len(known) <= _MANY or (known[:_GLANCE] != np.round(known[:_GLANCE])).any():
        return False
    distinct = len(np.unique(known))
    if distinct <= _MANY or distinct == len(known):
        return False
    return bool(_words(name) & _WHOSE) or (is_text and len(known) / distinct < _ROWS_OF_A_TEXT)


def _words(name: str) -> set[str]:
    """The words of a name, in whichever way they are joined: patient_id, PatientID, patient id."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)} | {name.strip("'").lower()}
