"""Warnings before the first fit: few test cases, identifiers among the features, leaks of the label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray, format_some
from ..errors import ClassesLeftOutWarning, FewTestCasesWarning, LeakWarning, NoFeatureWarning, UngroupedWarning, warn
from ..reading.names import metric_name

__all__ = ["auroc_standard_error", "warn_of_features", "warn_of_few_test_cases", "warn_of_rare_classes"]

_SCORE = 0.9  # at which standard errors are stated
_LARGE_ERROR = 0.05
_MANY_VALUES = 20  # distinct values, above which a column may identify rows instead of describing them
_FIRST_ROWS = 1000  # looked at first, which settles most cases
_EXPECTED_TIES = 5.0  # equal values to be expected in a column of measurements, so that none at all means identifiers
_ROWS_OF_A_TEXT = 5  # a text that stands in fewer rows, on average, is hardly a category
_ROWS_OF_A_LEAK = 5  # a value that stands in fewer may have met one class by chance

# Words in the names of columns that say to which patient a row belongs.
_GROUP_WORDS = {
    "patient",
    "patients",
    "subject",
    "participant",
    "person",
    "donor",
    "individual",
    "mrn",
    "id",
    "pid",
    "uid",
}
_IDENTIFIER_WORDS = {*_GROUP_WORDS, "uuid", "identifier", "accession", "index", "key", "rownames"}


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
    """Warn of classes without a curve, because fewer than a tenth of the rows belong to each; return the text.

    Parameters
    ----------
    rows
        Number of rows of each such class, by its task.
    measured
        Number of classes with a curve.
    """
    if not rows:
        return ""
    names = format_some([f"{task} ({number} rows)" for task, number in rows.items()], 20)
    message = (
        f"{len(rows)} of {len(rows) + measured} classes get no curve, because fewer than a tenth of the rows belong "
        f"to each: {names}. To include them, choose the classes to measure (tasks, --task), or measure all together "
        "(multiclass='macro', --multiclass macro)."
    )
    warn(message, ClassesLeftOutWarning)
    return message


def warn_of_few_test_cases(metric: str, test_counts: Mapping[str | None, NDArray[np.int64]]) -> None:
    """Warn of test sets so small that a single score is uncertain.

    Parameters
    ----------
    metric
        The metric that is measured first.
    test_counts
        Test cases of each class, by task.
    """
    errors = {task: _score_standard_error(metric, counts) for task, counts in test_counts.items()}
    few = {task: error for task, error in errors.items() if error >= _LARGE_ERROR}
    if not few:
        return
    worst = max(few, key=lambda task: few[task])
    counts = test_counts[worst]
    case_counts = (
        f"{counts[1]} positive and {counts[0]} negative cases"
        if len(counts) == 2
        else f"{counts.sum()} cases, {counts.min()} of the rarest class"
    )
    of_task = "" if worst is None else f" of {worst!r}"
    others = f", and {len(few) - 1} more tasks have few" if len(few) > 1 else ""
    warn(
        f"The test sets are small: {case_counts}{of_task}{others}. A single {metric_name(metric)} of {_SCORE:g} then "
        f"has a standard error of about {few[worst]:.2f}. More splits (n_splits, --splits) or a larger share for "
        "the test set (ratio, --ratio) make the curve smoother.",
        FewTestCasesWarning,
    )


def _score_standard_error(metric: str, counts: NDArray[np.int64]) -> float:
    """Standard error of a score of `_SCORE` on so many cases of each class; 0 for a metric without a formula."""
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
    """Warn of features that look like row identifiers, like names of patients, or like the label.

    Parameters
    ----------
    X
        The cases; only arrays and data frames with one row per case are looked into.
    labels
        Codes of the classes, by name of the label.
    grouped
        Whether groups were given.
    names
        Names of the columns, where X has none.
    categorical
        Columns of an array that are codes of categories.
    """
    identifiers, group_like, leaks = [], [], []
    for name, values, is_text in _iterate_columns(X, names, categorical):
        determined = [relation for label in labels.values() if (relation := _relate_to_label(values, label, is_text))]
        if "leak" in determined:
            leaks.append(name)
        elif _is_identifier(name, values, is_text):
            identifiers.append(name)
        elif not grouped and (determined or _looks_like_group(name, values, is_text)):
            group_like.append(name)
    if leaks:
        warn(
            f"Leaks? A single feature determines the class in every row: {format_some(leaks, 10)}. If it is known "
            "only once the class is, leave it out (--drop).",
            LeakWarning,
        )
    if identifiers:
        warn(
            "Identifiers? These features have a different value in every row, or nearly: "
            f"{format_some(identifiers, 10)}. A "
            "classifier learns nothing from row names and numbers: leave them out (--drop).",
            NoFeatureWarning,
        )
    if group_like:
        warn(
            f"Whose rows are these? These features repeat as patient names do: {format_some(group_like, 10)}. Rows of "
            "one patient in both training and test data inflate the scores: say which rows belong together (groups, "
            "--group), or leave the column out (--drop).",
            UngroupedWarning,
        )


def _iterate_columns(
    X: Any, names: Sequence[str] | None, categorical: Sequence[int]
) -> Iterator[tuple[str, FloatArray, bool]]:
    """Yield name, numbers (codes of texts, NaN for gaps) and whether it holds text, of each column."""
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


def _relate_to_label(values: FloatArray, label: NDArray[np.int64], is_text: bool) -> str:
    """Whether the value determines the class in every row, as a "leak" or as a "group"; otherwise empty.

    A leak is a threshold that separates the classes, or a few values that each stand for one class. Many values, each
    in several rows, are a group: they stand for patients, all of whose rows have one class.
    """
    if len(values) < _MANY_VALUES or not _relate_rows(values[:_FIRST_ROWS], label[:_FIRST_ROWS], is_text):
        return ""
    return _relate_rows(values, label, is_text)


def _relate_rows(values: FloatArray, label: NDArray[np.int64], is_text: bool) -> str:
    """`_relate_to_label` for these rows."""
    known = np.where(np.isnan(values), np.inf, values)  # a gap is a value: it may be the one that tells
    order = np.lexsort((label, known))
    known, label = known[order], label[order]
    starts = np.append(0, np.flatnonzero(known[1:] != known[:-1]) + 1)
    ends = np.append(starts[1:], len(known))
    n_classes = len(np.unique(label))
    if n_classes < 2 or (label[starts] != label[ends - 1]).any():
        return ""  # one value, two classes
    changes = int((np.diff(label) != 0).sum())
    if (changes == n_classes - 1 and not is_text) or len(starts) <= min(_MANY_VALUES, len(known) / _ROWS_OF_A_LEAK):
        return "leak"
    return "group" if len(starts) <= len(known) / 2 else ""


def _is_identifier(name: str, values: FloatArray, is_text: bool) -> bool:
    """Whether a column has a different value in every row, as row numbers and names have."""
    number = len(values)
    glance = values[:_FIRST_ROWS]
    if number <= _MANY_VALUES or (glance != np.round(glance)).any():  # fractions and gaps are measured
        return False
    distinct = len(np.unique(values))
    if is_text:
        return distinct > max(_MANY_VALUES, 0.9 * number)
    if distinct < number:
        return False
    span = float(values.max() - values.min()) + 1
    return number**2 / (2 * span) >= _EXPECTED_TIES or bool(_split_words(name) & _IDENTIFIER_WORDS)


def _looks_like_group(name: str, values: FloatArray, is_text: bool) -> bool:
    """Whether a column has many values, in few rows each, as patients have."""
    known = values[~np.isnan(values)]
    if len(known) <= _MANY_VALUES or (known[:_FIRST_ROWS] != np.round(known[:_FIRST_ROWS])).any():
        return False
    distinct = len(np.unique(known))
    if distinct <= _MANY_VALUES or distinct == len(known):
        return False
    return bool(_split_words(name) & _GROUP_WORDS) or (is_text and len(known) / distinct < _ROWS_OF_A_TEXT)


def _split_words(name: str) -> set[str]:
    """The words of a name, in whichever way they are joined: patient_id, PatientID, patient id."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)} | {name.strip("'").lower()}
