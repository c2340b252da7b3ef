"""Data frames and scikit-learn's learning curves, as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._check import UNUSABLE, FloatArray, check_real_array, format_value, has_attributes
from ..errors import DataError, RequestError
from .files import Sheet, one_line

__all__ = ["is_frame", "load_frame", "scikit_learn_curve"]


def is_frame(thing: Any) -> bool:
    """Whether something is a data frame: of pandas, polars, Arrow or their kin, or a mapping from names to columns."""
    kind = type(thing)  # a lazy frame may have to work to tell its own columns
    return (
        isinstance(thing, Mapping)
        or hasattr(kind, "to_pydict")
        or (hasattr(kind, "columns") and hasattr(kind, "dtypes"))
    )


def load_frame(frame: Any) -> Sheet:
    """A data frame as a grid of text cells, from which every number comes back to the last digit.

    What is needed of a frame, its names and its columns as lists, all libraries give in the same words; so none of them
    has to be there, and none is preferred.
    """
    try:
        if hasattr(frame, "collect") and hasattr(frame, "lazy"):
            frame = frame.collect()
        texts = {name: [_text(value) for value in column] for name, column in _columns(frame).items()}
        heights = {len(column) for column in texts.values()}
    except DataError:
        raise
    except Exception as problem:  # whatever pandas, polars or another library raises: it is no table
        said = one_line(f"{type(problem).__name__}: {problem}", 500)
        raise DataError(f"The data frame cannot be read ({said}).") from problem
    if len(heights) != 1 or not max(heights):
        what = "has no rows" if heights <= {0} else "has columns of different lengths"
        raise DataError(f"The data frame {what}. Give one row per measurement.")
    rows = [(-1, list(texts)), *enumerate(map(list, zip(*texts.values(), strict=True)))]
    return Sheet.build("The data frame", rows, place="row", is_named=True)


def _columns(frame: Any) -> dict[str, Sequence[Any]]:
    if isinstance(frame, Mapping):
        found = {name: list(column) for name, column in frame.items()}
    elif hasattr(frame, "to_pydict"):
        found = frame.to_pydict()
    else:
        index = getattr(frame, "index", None)
        if any(name is not None for name in getattr(index, "names", ())):
            frame = frame.reset_index()  # sizes often are the index of a pandas frame
        names = list(frame.columns)
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"The data frame names column {format_value(twice)} more than once. Rename one of them.")
        found = {name: frame[name].to_list() for name in names}
    return {str(name): column for name, column in found.items()}


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    text = str(value)
    return "" if text in ("<NA>", "NaT") else text.strip()


def scikit_learn_curve(result: Any) -> tuple[Any, FloatArray, FloatArray | None, str | None, bool] | None:
    """Sizes, test and training scores, the score's name and whether it is a loss; None if this is no such curve.

    What scikit-learn calls neg_... is a loss below 0; it is turned round again.
    """
    if has_attributes(result, "train_sizes", "test_scores"):
        sizes, scores, name = result.train_sizes, result.test_scores, getattr(result, "score_name", None)
        train = getattr(result, "train_scores", None)
    elif isinstance(result, tuple) and len(result) in (3, 5) and all(map(_is_table, result[1:])):
        sizes, train, scores, name = result[0], result[1], result[2], None
    else:
        return None
    if sizes is None or scores is None:
        raise RequestError("The learning curve of scikit-learn holds no scores.")
    values = check_real_array("scores", scores, error=DataError)
    measured = values[~np.isnan(values)]
    loss = bool((measured <= 0).all() and (measured < 0).any())
    known = isinstance(name, str) and name not in ("Score", "Negative score")
    named = str(name).removeprefix("Negative ") if known else None
    sign = -1 if loss else 1
    return (
        sizes,
        sign * values,
        None if train is None else sign * check_real_array("train_scores", train, error=DataError),
        named,
        loss,
    )


def _is_table(thing: Any) -> bool:
    try:
        return np.ndim(thing) == 2
    except UNUSABLE:
        return False
