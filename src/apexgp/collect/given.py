"""What the heads check of the cases and classes they are given, with scikit-learn's own checks where it has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d, validate_data

from .._check import UNUSABLE, check_list, check_probability, format_value, has_masked_entries, make_generator
from ..errors import DataError, DataTypeError
from .splits import Rows, codes, column, split_by_group

__all__ = ["classes_of", "features_of", "hold_out", "positives", "two_classes", "validation_pair"]


def features_of(head: Any, X: Any, *, fitting: bool = False, **how: Any) -> Any:
    """`X` as a head takes it; its features are remembered while `fitting`, and must be the same ones afterwards.

    `how` goes to scikit-learn's `check_array`.
    """
    if has_masked_entries(X):
        raise DataError("X has masked entries. Remove those rows, or fill them in.")
    try:
        with np.errstate(over="ignore"):  # a long double may be beyond: it becomes infinite, which is refused
            return validate_data(head, X, reset=fitting, **how)
    except TypeError as problem:  # scikit-learn says what is wrong, and its own checks ask for this kind of error
        raise DataTypeError(_of_features(problem)) from None
    except UNUSABLE as problem:
        raise DataError(_of_features(problem)) from None


def _of_features(problem: Exception) -> str:
    said = str(problem)
    return said if "X" in said.split() else f"X: {said}"


def classes_of(y: ArrayLike, n_rows: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Codes and names of two classes or more."""
    try:
        labels = column_or_1d(y, warn=True)
    except UNUSABLE as problem:
        raise DataError(str(problem)) from None
    code, classes = codes("y", labels)
    if len(code) != n_rows:
        raise DataError(f"X and y must have one row per case, got {n_rows} and {len(code)}.")
    if classes.dtype.kind == "f" and (classes != np.rint(classes)).any():
        raise DataError("must contain classes, got continuous values.", argument="y")
    if len(classes) < 2:
        raise DataError("must contain two classes or more, got 1 class.", argument="y")
    return code, classes


def two_classes(y: ArrayLike, n_rows: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Codes and names of two classes, or an error that says how many there are."""
    code, classes = classes_of(y, n_rows)
    if len(classes) > 2:
        raise DataError(
            f"Only binary classification is supported. The paper's heads distinguish two classes, got {len(classes)}. "
            "With several, collect_curves(..., multiclass='one_vs_rest') fits one head per class."
        )
    return code, classes


def validation_pair(validation: tuple[Any, ArrayLike]) -> tuple[Any, ArrayLike]:
    """Cases and classes to choose by."""
    pair = check_list("validation", validation, "a pair (X, y)", error=DataError)
    if not isinstance(validation, (tuple, list)) or len(pair) != 2:
        raise DataError(f"must be a pair (X, y), got {format_value(validation)}.", argument="validation")
    return pair[0], pair[1]


def positives(y: ArrayLike, classes: NDArray[Any]) -> NDArray[np.bool_]:
    """Which validation cases are of the second class; both must be there to rank them."""
    truth = np.asarray(column("The validation set's y", y) == classes[1])
    if truth.all() or not truth.any():
        raise DataError(f"The validation set must contain both classes ({classes[0]} and {classes[1]}).")
    return truth


def hold_out(y: NDArray[np.int64], fraction: float, seed: int) -> tuple[Rows, Rows]:
    """Rows to fit to and rows to choose by, where the caller brought no validation set."""
    share = check_probability("validation_fraction", fraction)
    parts = split_by_group(y, np.arange(len(y)), (1 - share, 0.0, share), make_generator(seed))
    return parts.train, parts.test
