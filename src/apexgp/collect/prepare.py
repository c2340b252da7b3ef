"""Tables with gaps, texts and categories as numbers for any classifier, learnt from training rows alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._check import FloatArray, format_some
from ..errors import DataError
from .capabilities import fit_takes
from .scores import Scorer

__all__ = ["FrameFeatures", "Prepared"]

_MISSING = ("<NA>", "NaT", "nan")
_GAP = ""  # a category of its own, as good as any


def _if_estimator_has(method: str) -> Callable[[Any], Any]:
    """Decorator of a method that exists only if the estimator has it, too."""
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), method))


class Prepared(ClassifierMixin, BaseEstimator):
    """A classifier behind imputation, scaling and one-hot columns that are learned from its training rows alone.

    Numeric gaps are filled with the median; a gap in a category is a category of its own, as good as any; categories
    that were not seen in training count as none. A validation set passes through the same preparation on its way to
    an estimator that takes one, which scikit-learn's Pipeline cannot do.

    Parameters
    ----------
    estimator : scikit-learn classifier
        The classifier to fit.
    categorical : sequence of int
        Columns whose numbers are codes of categories.
    """

    def __init__(self, estimator: Any, categorical: Sequence[int] = ()) -> None:
        self.estimator = estimator
        self.categorical = categorical

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        validation: tuple[ArrayLike, ArrayLike] | None = None,
        groups: ArrayLike | None = None,
        scorer: Scorer | None = None,
    ) -> Self:
        """Learn the preparation from `X`, then fit the estimator, with those of the other arguments that it takes."""
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        X = np.asarray(X)
        numeric = [column for column in range(X.shape[1]) if column not in set(self.categorical)]
        self.preparation_ = ColumnTransformer(
            [
                (
                    "numeric",
                    make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()),
                    numeric,
                ),
                ("categories", OneHotEncoder(handle_unknown="ignore", sparse_output=False), list(self.categorical)),
            ]
        )
        prepared = self.preparation_.fit_transform(X)
        self.estimator_ = clone(self.estimator)
        passed_on: dict[str, Any] = {}
        if fit_takes(self.estimator_, "validation"):
            judged = validation and (self.preparation_.transform(np.asarray(validation[0])), validation[1])
            own = {"validation": judged, "groups": groups, "scorer": scorer}
            passed_on = {
                name: value for name, value in own.items() if value is not None and fit_takes(self.estimator_, name)
            }
        self.estimator_.fit(prepared, y, **passed_on)
        self.classes_ = self.estimator_.classes_
        self.chosen_ = getattr(self.estimator_, "chosen_", {})
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = get_tags(self.estimator).classifier_tags
        return tags

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Classes, by the fitted estimator."""
        return self._call_estimator("predict", X)

    @_if_estimator_has("predict_proba")
    def predict_proba(self, X: ArrayLike) -> NDArray[Any]:
        """Probabilities, by the fitted estimator."""
        return self._call_estimator("predict_proba", X)

    @_if_estimator_has("decision_function")
    def decision_function(self, X: ArrayLike) -> NDArray[Any]:
        """Decision values, by the fitted estimator."""
        return self._call_estimator("decision_function", X)

    def _call_estimator(self, method: str, X: ArrayLike) -> NDArray[Any]:
        check_is_fitted(self)
        return getattr(self.estimator_, method)(self.preparation_.transform(np.asarray(X)))


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
        for name, values in _read_columns(frame).items():
            if values.dtype.kind == "f":
                known = values[~np.isnan(values)]
                self._medians[name] = float(np.median(known)) if known.size else 0.0
            else:
                self._categories[name] = sorted(set(values.tolist()))
        self.names = [*self._medians, *(f"{name}={one}" for name, own in self._categories.items() for one in own)]

    @classmethod
    def is_needed(cls, X: Any) -> bool:
        """Whether scikit-learn would refuse the cases: a data frame with texts, categories or gaps."""
        if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
            return False
        return any(values.dtype.kind != "f" or np.isnan(values).any() for values in _read_columns(X).values())

    def __call__(self, frame: Any) -> FloatArray:
        """Features of other rows with the same columns."""
        if not hasattr(frame, "columns") or [str(name) for name in frame.columns] != self.columns:
            got = format_some(list(frame.columns)) if hasattr(frame, "columns") else f"a {type(frame).__name__}"
            raise DataError(
                f"must be a data frame with the columns {format_some(self.columns)}, got {got}.", argument="X"
            )
        numbers, codes = [], []
        cells = _read_columns(frame, texts=self._categories)
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


def _read_columns(frame: Any, texts: Sequence[str] | dict[str, Any] = ()) -> dict[str, NDArray[Any]]:
    """Columns as numbers with NaN for gaps, or as texts; those named in `texts` always as texts."""
    return {str(name): _read_column(frame[name], str(name), as_text=str(name) in texts) for name in frame.columns}


def _read_column(column: Any, name: str, *, as_text: bool) -> NDArray[Any]:
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
