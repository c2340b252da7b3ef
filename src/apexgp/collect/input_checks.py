"""Checks of features, labels and validation sets, by scikit-learn where it has them; labels encoded as integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import (
    UNUSABLE,
    check_list,
    check_probability,
    format_some,
    format_value,
    has_masked_entries,
    make_generator,
)
from ..errors import DataError, DataTypeError
from .splits import Rows, split_by_group

__all__ = [
    "check_column",
    "check_features",
    "check_validation",
    "encode_classes",
    "encode_column",
    "encode_two_classes",
    "find_positives",
    "hold_out",
]


def encode_column(name: str, values: ArrayLike | Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Integer codes of the values in a column, and its distinct values in order; missing values are refused."""
    array = check_column(name, values)
    if array.dtype.kind == "O":
        missing = np.flatnonzero([_is_missing(value) for value in array])
    else:
        missing = np.flatnonzero(array == "" if array.dtype.kind == "U" else array != array)
    if missing.size:
        raise DataError(
            f"has no value in row {format_some(missing)} (counting from 0). Fill it in, or leave the row out.",
            argument=name,
        )
    try:
        distinct, code = np.unique(array, return_inverse=True)
    except UNUSABLE:  # they cannot be compared
        raise DataError("mixes text and numbers. Write all its values the same way.", argument=name) from None
    return code.astype(np.int64).reshape(array.shape), distinct


def check_column(name: str, values: ArrayLike | Sequence[Any], hint: str = "") -> NDArray[Any]:
    """Check that values have one dimension; `hint` is added to the error for others."""
    if has_masked_entries(values):
        raise DataError("has masked entries. Remove those rows.", argument=name)
    try:
        array = np.asarray(values)
    except UNUSABLE:
        raise DataError(f"must be one column, got {format_value(values)}.", argument=name) from None
    if array.ndim != 1:
        raise DataError(f"must be one column, got shape {array.shape}.{hint}", argument=name)
    return array


def _is_missing(value: Any) -> bool:
    try:
        return bool(value is None or value != value or value == "")
    except UNUSABLE:  # pandas.NA is neither equal nor unequal
        return True


def check_features(head: Any, X: Any, *, fitting: bool = False, **options: Any) -> Any:
    """Check the features of a classifier as scikit-learn does; those seen while `fitting` must come again later.

    `options` are arguments of scikit-learn's `check_array`.
    """
    from sklearn.utils.validation import validate_data

    if has_masked_entries(X):
        raise DataError("X has masked entries. Remove those rows, or fill them in.")
    try:
        with np.errstate(over="ignore"):  # a long double may be beyond: it becomes infinite, which is refused
            return validate_data(head, X, reset=fitting, **options)
    except TypeError as problem:  # scikit-learn says what is wrong, and its own checks ask for this kind of error
        raise DataTypeError(_mention_features(problem)) from None
    except UNUSABLE as problem:
        raise DataError(_mention_features(problem)) from None


def _mention_features(problem: Exception) -> str:
    message = str(problem)
    return message if "X" in message.split() else f"X: {message}"


def encode_classes(y: ArrayLike, n_rows: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Integer codes and names of two classes or more."""
    from sklearn.utils.validation import column_or_1d

    try:
        labels = column_or_1d(y, warn=True)
    except UNUSABLE as problem:
        raise DataError(str(problem)) from None
    code, classes = encode_column("y", labels)
    if len(code) != n_rows:
        raise DataError(f"X and y must have one row per case, got {n_rows} and {len(code)}.")
    if classes.dtype.kind == "f" and (classes != np.rint(classes)).any():
        raise DataError("must contain classes, got continuous values.", argument="y")
    if len(classes) < 2:
        raise DataError("must contain two classes or more, got 1 class.", argument="y")
    return code, classes


def encode_two_classes(y: ArrayLike, n_rows: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Integer codes and names of two classes, or an error that says how many there are."""
    code, classes = encode_classes(y, n_rows)
    if len(classes) > 2:
        raise DataError(
            f"Only binary classification is supported. The paper's heads distinguish two classes, got {len(classes)}. "
            "With several, collect_curves(..., multiclass='one_vs_rest') fits one head per class."
        )
    return code, classes


def check_validation(validation: tuple[Any, ArrayLike]) -> tuple[Any, ArrayLike]:
    """Check that a validation set is a pair (X, y)."""
    pair = check_list("validation", validation, "a pair (X, y)", error=DataError)
    if not isinstance(validation, (tuple, list)) or len(pair) != 2:
        raise DataError(f"must be a pair (X, y), got {format_value(validation)}.", argument="validation")
    return pair[0], pair[1]


def find_positives(y: ArrayLike, classes: NDArray[Any]) -> NDArray[np.bool_]:
    """Which validation cases belong to the second class; both classes must occur."""
    truth = np.asarray(check_column("The validation set's y", y) == classes[1])
    if truth.all() or not truth.any():
        raise DataError(f"The validation set must contain both classes ({classes[0]} and {classes[1]}).")
    return truth


def hold_out(y: NDArray[np.int64], fraction: float, seed: int) -> tuple[Rows, Rows]:
    """Divide rows into those to fit to and those to tune on, where the caller has no validation set."""
    share = check_probability("validation_fraction", fraction)
    parts = split_by_group(y, np.arange(len(y)), (1 - share, 0.0, share), make_generator(seed))
    return parts.train, parts.test
