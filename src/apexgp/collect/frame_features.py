"""Data frames with texts, categories and gaps as numbers, learnt from training rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray, format_some
from ..errors import DataError

__all__ = ["FrameFeatures"]

_MISSING = ("<NA>", "NaT", "nan")
_GAP = ""  # a category of its own, as good as any


class FrameFeatures:
    """The columns of a data frame as features: numbers with gaps filled by the median, one column per category.

    Categories that were not seen in training count as none.

    Parameters
    ----------
    frame : data frame of pandas or polars
        The training rows.
    """

    def __init__(self, frame: Any) -> None:
        self.columns = [str(name) for name in frame.columns]
        self._medians: dict[str, float] = {}
        self._categories: dict[str, list[str]] = {}
        for name, values in _columns(frame).items():
            if values.dtype.kind == "f":
                known = values[~np.isnan(values)]
                self._medians[name] = float(np.median(known)) if known.size else 0.0
            else:
                self._categories[name] = sorted(set(values.tolist()))
        self.names = [*self._medians, *(f"{name}={one}" for name, own in self._categories.items() for one in own)]

    @classmethod
    def needed(cls, X: Any) -> bool:
        """Whether these are cases that scikit-learn would refuse: a data frame with texts, categories or gaps."""
        if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
            return False
        return any(values.dtype.kind != "f" or np.isnan(values).any() for values in _columns(X).values())

    def __call__(self, frame: Any) -> FloatArray:
        """The features of other rows."""
        if not hasattr(frame, "columns") or [str(name) for name in frame.columns] != self.columns:
            got = format_some(list(frame.columns)) if hasattr(frame, "columns") else f"a {type(frame).__name__}"
            raise DataError(
                f"must be a data frame with the columns {format_some(self.columns)}, got {got}.", argument="X"
            )
        numbers, codes = [], []
        cells = _columns(frame, texts=self._categories)
        for name, median in self._medians.items():
            values = cells[name]
            if values.dtype.kind != "f":
                raise DataError(
                    f"column {name!r} held numbers in training, got {format_some(values, 2)}.", argument="X"
                )
            numbers.append(np.where(np.isnan(values), median, values))
        for name, categories in self._categories.items():
            codes += [(cells[name] == one).astype(float) for one in categories]
        return np.column_stack([*numbers, *codes]) if numbers or codes else np.empty((len(frame), 0))


def _columns(frame: Any, texts: Sequence[str] | dict[str, Any] = ()) -> dict[str, NDArray[Any]]:
    """Each column as numbers with NaN for gaps, or as texts; as texts those that are named."""
    return {str(name): _values(frame[name], str(name), as_text=str(name) in texts) for name in frame.columns}


def _values(column: Any, name: str, *, as_text: bool) -> NDArray[Any]:
    kind = getattr(getattr(column, "dtype", None), "kind", None)
    if kind in ("M", "m"):
        raise DataError(
            f"column {name!r} holds dates, which no classifier can use. Turn them into numbers, such as days since an "
            "event, or leave the column out.",
            argument="X",
        )
    cells = list(column)
    missing = [cell is None or str(cell) in _MISSING for cell in cells]
    if not as_text and all(gap or isinstance(cell, Real) for cell, gap in zip(cells, missing, strict=True)):
        return np.array([np.nan if gap else float(cell) for cell, gap in zip(cells, missing, strict=True)])
    return np.array([_GAP if gap else str(cell) for cell, gap in zip(cells, missing, strict=True)], dtype=object)
