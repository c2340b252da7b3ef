"""Tables with gaps and categories made fit for any classifier, inside each fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .abilities import fit_takes
from .scores import Scorer

__all__ = ["Prepared"]


def _if_estimator_has(method: str) -> Callable[[Any], Any]:
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), method))


class Prepared(ClassifierMixin, BaseEstimator):
    """A classifier behind imputation, scaling and one-hot columns that are learned from its training rows alone.

    Numeric gaps are filled with the median; a gap in a category is a category of its own, as good as any; categories
    that were not seen in training count as none. A validation set passes through the same preparation on its way to
    an estimator that takes one, which scikit-learn's Pipeline cannot do.

    Parameters
    ----------
    estimator : scikit-learn classifier
        What to fit.
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
        """Learn the preparation from `X`, then fit the estimator to what comes out; the rest is for it, if it asks."""
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
