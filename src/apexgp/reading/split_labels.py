"""Labels of the splits behind scores: checked, and made for a table with one column per split."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import UNUSABLE, FloatArray, format_some, format_value
from ..errors import DataError, MissingScoresWarning, RequestError, warn

__all__ = ["check_splits", "split_labels", "unstacked"]


def split_labels(split: ArrayLike) -> NDArray[Any]:
    """One label per score, each as it was given."""
    try:
        # As objects, so that 1 and "1" stay two labels.
        labels = np.array(list(np.asarray(split, dtype=object)), dtype=object)
        texts = [str(label) for label in labels if hash(label) is not None]
        if labels.ndim != 1:
            raise TypeError
    except UNUSABLE:
        raise DataError(
            f"must be a list with one label for each score, got {format_value(split)}.", argument="split"
        ) from None
    empty = [i for i, text in enumerate(texts) if text in ("", "None", "nan", "NaT", "<NA>")]
    if empty:
        raise DataError(
            f"split has no label in row {format_some(empty)} (counting from 0). Label every row, or omit split if the "
            "replicates are independent."
        )
    return labels


def check_splits(sizes: FloatArray, split: NDArray[Any]) -> None:
    """Refuse labels that are not as many as the scores, or a split that is measured twice at a size."""
    if split.shape != sizes.shape:
        raise DataError(f"Need one split label for each score, got {split.size} labels and {sizes.size} scores.")
    (size, label), count = Counter(zip(sizes.tolist(), split.tolist(), strict=True)).most_common(1)[0]
    if count > 1:
        raise DataError(
            f"Split {label!r} has {count} scores at size {size:g}. A split is measured once at each size: number the "
            "splits differently, or omit split if the replicates are independent."
        )


def unstacked(
    sizes: FloatArray, table: FloatArray, labels: NDArray[Any] | None
) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
    """Rows of a table with one row per size and one column per split."""
    height, width = table.shape
    if sizes.size != height:
        raise DataError(f"A table of scores needs one row per size, got {sizes.size} sizes and {height} rows.")
    if labels is None:
        labels = np.arange(width)
    elif labels.size != width:
        raise RequestError(
            f"A table of scores needs one split label per column, got {labels.size} for {width} columns."
        )
    measured = ~np.isnan(table)
    if not measured.all():
        warn(
            f"{(~measured).sum()} of {measured.size} scores in the table are NaN and were left out.",
            MissingScoresWarning,
        )
    row, column = np.nonzero(measured)
    if row.size == 0:
        raise DataError("The table contains no numeric score.")
    return sizes[row], table[measured], labels[column]
