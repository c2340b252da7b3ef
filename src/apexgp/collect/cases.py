"""The labelled cases of a run: checked, with classes and groups as integers, and described for the record."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import UNUSABLE, format_some, format_value
from ..errors import DataError
from ..reading.files import one_line
from .identity import describe
from .input_checks import check_column, encode_column
from .slices import Scans

__all__ = ["Cases", "count_features", "list_labels"]

_LEAST_PREVALENCE = 0.1
_SEVERAL = " Give several labels as a mapping (or a data frame) from names to columns."


@dataclass(frozen=True)
class Cases:
    """Checked cases `X`, with integer codes of their classes and groups."""

    X: Any
    y: NDArray[np.int64]
    classes: NDArray[Any]
    groups: NDArray[np.int64]
    grouped: bool

    @classmethod
    def build(cls, X: Any, y: ArrayLike, groups: ArrayLike | None, n_parts: int) -> Cases:
        """Check cases, labels and groups; of each class there must be one for each of `n_parts` parts of the data."""
        X, n_rows = _check_cases(X)
        labels = check_column("y", y, _SEVERAL)
        if labels.dtype.kind == "f" and not np.isnan(labels).any() and (labels != np.round(labels)).any():
            raise DataError(
                f"must contain classes, got numbers such as {format_some(labels[labels != np.round(labels)], 2)}. "
                "Curves of "
                "regression models cannot be collected: turn the values into classes, for instance with a threshold.",
                argument="y",
            )
        code, classes = encode_column("y", labels)
        if len(code) != n_rows:
            raise DataError(f"X and y must have one row per case, got {n_rows} and {len(code)}.")
        if len(classes) < 2:
            raise DataError(f"must contain two classes or more, got only {format_some(classes)}.", argument="y")
        group = np.arange(n_rows) if groups is None else encode_column("groups", groups)[0]
        if len(group) != n_rows:
            raise DataError(f"X and groups must have one row per case, got {n_rows} and {len(group)}.")
        pairs = np.unique(np.stack([code, group]), axis=1)
        n_units = np.bincount(pairs[0])
        if (n_units < n_parts).any():
            few = [f"{name} ({number})" for name, number in zip(classes, n_units, strict=True) if number < n_parts]
            unit = "rows" if groups is None else "groups"
            raise DataError(
                f"Each class needs {n_parts} {unit} or more, one for each part of the data. Too few {unit} have "
                f"{format_some(few)}. Remove or merge these classes; if y is a quantity, turn it into classes."
            )
        return cls(X, code, classes, group, groups is not None)

    def describe(self) -> dict[str, Any]:
        """Description of the data for the record, by which other data are recognised."""
        names = [one_line(str(name), 100) for name in self.classes]
        counts = dict(zip(names, np.bincount(self.y).tolist(), strict=True))
        return {
            "cases": len(self.y),
            "classes": counts if len(self.classes) <= 20 else len(self.classes),
            "X": describe(self.X),
            "y": describe(self.y),
            "groups": describe(self.groups) if self.grouped else None,
        }

    def make_targets(
        self, together: bool, label: str | None = None, wanted: Collection[str] | None = None
    ) -> tuple[dict[str | None, NDArray[np.int64]], dict[str, int]]:
        """Codes to learn by task (one class against the rest, or all classes), and row counts of classes left out.

        A task is called after its class, or after `label` where that has a name. Of three or more classes, those
        with a tenth of the rows are tasks, and those in `wanted`. Where `wanted` is given, no class counts as left out.
        """
        if together or (label is not None and len(self.classes) == 2):
            return {label: self.y}, {}
        count = np.bincount(self.y)
        # Tasks are cells of tables: on one line, and told apart on it.
        names = [one_line(str(name)) if label is None else f"{label}: {one_line(str(name))}" for name in self.classes]
        if len(self.classes) == 2:
            kept, rare = [1], []
        else:
            frequent = (count >= _LEAST_PREVALENCE * len(self.y)).tolist()
            chosen = [
                often or (wanted is not None and name in wanted) for often, name in zip(frequent, names, strict=True)
            ]
            kept = [code for code, taken in enumerate(chosen) if taken]
            rare = [code for code, taken in enumerate(chosen) if not taken and wanted is None]
        if not kept:
            raise DataError(
                f"None of the {len(count)} classes has a tenth of the cases (the most frequent has "
                f"{count.max() / len(self.y):.1%}), so there is no class to distinguish from the rest.",
                remedy=(
                    "Try {}, one curve over all classes, or choose classes with {}.",
                    ("multiclass", "macro"),
                    "tasks",
                ),
            )
        tasks = [names[code] for code in kept]
        if len(set(tasks)) < len(tasks) or any(not one_line(str(self.classes[code])) for code in kept):
            alike = format_some([format_value(self.classes[code]) for code in kept])
            raise DataError(
                f"contains classes that look alike, or blank, when printed: {alike}. Rename them.",
                argument="y",
            )
        return (
            {names[code]: (self.y == code).astype(np.int64) for code in kept},
            {names[code]: int(count[code]) for code in rare},
        )


def count_features(X: Any, categorical: Sequence[int] = ()) -> int | None:
    """Number of features after one-hot encoding: a column of texts counts once for each of its values.

    None for cases that are no table, such as scans. `categorical` lists columns of an array whose numbers stand for
    texts. What the first steps of a pipeline add or leave out is not known before it is fitted.
    """
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        return sum(_count_one_hot(np.asarray(X[name])) for name in X.columns)
    if not hasattr(X, "shape") or not 1 <= len(X.shape) <= 2:
        return None
    if isinstance(X, np.ndarray) and X.dtype.kind not in "biuf":
        return sum(map(_count_one_hot, X.T if X.ndim == 2 else [X]))
    width = X.shape[1] if len(X.shape) == 2 else 1
    return int(width) + sum(len(np.unique(X[:, i])) - 1 for i in categorical)


def _count_one_hot(values: NDArray[Any]) -> int:
    """Number of features a column becomes: one, or as many as it has different texts."""
    if values.dtype.kind in "biuf":
        return 1
    return max(1, len({str(value) for value in values.tolist() if not isinstance(value, Real)}))


def list_labels(y: Any) -> dict[str | None, Any]:
    """Columns of classes by name: those of a mapping or data frame; a single column has the name None."""
    if isinstance(y, Mapping):
        pairs = list(y.items())
    elif hasattr(y, "columns") and hasattr(y, "iloc"):
        pairs = [(name, y.iloc[:, i]) for i, name in enumerate(y.columns)]
    else:
        return {None: y}
    found: dict[str | None, Any] = {str(name): label for name, label in pairs}
    if not found:
        raise DataError("contains no label.", argument="y")
    if len(found) < len(pairs) or any(not name or one_line(name) != name for name in found):
        names = format_some([format_value(name) for name, _ in pairs])
        raise DataError(f"must have distinct short names for its labels, got {names}.", argument="y")
    return found


def _check_cases(X: Any) -> tuple[Any, int]:
    """Cases as they are sent to the estimator, and their number."""
    try:
        if isinstance(X, (list, tuple)):
            X = Scans(X) if len(X) and np.ndim(X[0]) == 2 else np.asarray(X)
        n_rows = int(X.shape[0]) if hasattr(X, "shape") else len(X)
        if not (hasattr(X, "__getitem__") or hasattr(X, "iloc")) or isinstance(X, (str, bytes, Mapping)):
            raise TypeError
    except DataError:
        raise
    except (*UNUSABLE, IndexError):  # a number with the shape of an array has no rows
        raise DataError(
            f"must be an array, a table or a list of scans with one row per case, got {format_value(X)}.", argument="X"
        ) from None
    return X, n_rows
