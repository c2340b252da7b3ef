"""The default classifier: logistic regression on scaled features, with a tuned penalty."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.special import expit, softmax
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._check import FloatArray, check_list, check_positive, check_seed, check_whole_number, format_value
from ..errors import DataError, RequestError
from .capabilities import list_response_methods
from .input_checks import check_column, check_features, check_validation, encode_classes, encode_column
from .prepare import FrameFeatures
from .scores import Scorer
from .splits import Rows

__all__ = ["TunedLogistic"]

STRENGTHS = tuple(10.0**power for power in range(-4, 5))
_MANY_ROWS = 5000  # above, tuning on a validation set is as good as cross-validation, at a fifth of the cost
_MANY_VALIDATION = 500  # rows that such a validation set must have
_LEAST_PROBABILITY = 1e-12

Fold = tuple[Rows, list[tuple[Any, NDArray[np.int64]]]]
"""Rows to fit to, and the parts, cases and classes, on each of which the fit is scored."""


class TunedLogistic(ClassifierMixin, BaseEstimator):
    """Logistic regression on standardised features, for two classes or more; its L2 penalty is tuned.

    Features that are 0 or 1 throughout, such as categories, are left on that scale. In a data frame, each text or
    category becomes a separate column, as does a gap among them; gaps among numbers are filled with the median of the
    training rows.

    Each candidate is fitted to the training rows without one of five folds, and judged on that fold together with the
    validation set. Candidates that the measured metric cannot distinguish (their mean difference from the best is
    within one standard error of it over the folds) are ranked by their log loss, to which every row contributes. What
    is chosen is then fitted to all training rows; validation rows are never fitted to. With more than 5,000 training
    rows, and a validation set of 500 or more, that set alone is judged on, in five parts.

    Parameters
    ----------
    Cs : sequence of float
        Inverse strengths of the L2 penalty, as in scikit-learn.
    n_folds : int
        Number of folds; fewer where a class has fewer rows (or groups).
    max_iter : int
        Cap on the number of iterations.
    seed : int, optional
        Seed of the folds; None is 0. The fit itself has nothing random.

    Attributes
    ----------
    classes_ : array of shape (k,)
    coef_ : array of shape (1, n_features) for two classes, (k, n_features) for more
        Coefficients of the features as they came, not as they were scaled; of a data frame with texts or gaps, of the
        columns that were made of it, in the order of `columns_`.
    columns_ : list of str, or None
        Names of the columns that were made of a data frame, such as age and sex=f; None where X was taken as it is.
    intercept_ : array of shape (1,) or (k,)
    chosen_ : dict
        The chosen C, and class_weight where the metric is based on predicted classes.
    n_iter_ : array of shape (1,)
        Iterations of the last fit, with what was chosen.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> TunedLogistic().fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        Cs: Sequence[float] = STRENGTHS,
        *,
        n_folds: int = 5,
        max_iter: int = 1000,
        seed: int | None = None,
    ) -> None:
        self.Cs = Cs
        self.n_folds = n_folds
        self.max_iter = max_iter
        self.seed = seed

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        validation: tuple[Any, ArrayLike] | None = None,
        groups: ArrayLike | None = None,
        scorer: Scorer | None = None,
    ) -> Self:
        """Choose the penalty, and fit with it.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, n_features)
        y : array of shape (n,)
        validation : (X, y), optional
            Further cases to tune on.
        groups : array of shape (n,), optional
            Rows that belong together, and so into one fold.
        scorer : (estimator, X, y) -> score, optional
            What is measured, of an estimator that knows the classes as 0, 1, ...; the log loss, if None.
        """
        strengths = sorted(check_positive("Cs", C) for C in check_list("Cs", self.Cs))
        n_folds = check_whole_number("n_folds", self.n_folds, least=2)
        max_iter = check_whole_number("max_iter", self.max_iter, least=1)
        if not strengths:
            raise RequestError("must have at least one value.", argument="Cs")
        features = self._prepare_features(X, fitting=True)
        code, self.classes_ = encode_classes(y, features.shape[0])
        scaler = _Scaler(features)
        tuning_set = None if validation is None else self._prepare_validation(validation, scaler)
        if scorer is not None and not callable(scorer):
            raise RequestError(
                f"must be a function (estimator, X, y) -> score, got {format_value(scorer)}.", argument="scorer"
            )
        weights = [None, "balanced"] if scorer is not None and list_response_methods(scorer) == ("predict",) else [None]
        candidates = [{"C": C, "class_weight": weight} for weight in weights for C in strengths]
        best = 0
        if len(candidates) > 1:
            seed = 0 if self.seed is None else check_seed(self.seed)
            folds = list(_make_folds(scaler.X, code, groups, tuning_set, n_folds, seed))
            best = _choose_candidate(*_score_candidates(scaler.X, code, folds, candidates, scorer, max_iter))
        chosen = candidates[best]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an optimum that is not quite reached is good enough
            fitted = _make_logistic(max_iter, **chosen).fit(scaler.X, code)
        self.coef_, self.intercept_ = scaler.unscale(fitted.coef_, fitted.intercept_)
        self.n_iter_ = fitted.n_iter_
        self.chosen_ = chosen if len(weights) > 1 else {"C": chosen["C"]}
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Log-odds of the second class; of more than two, the logits of each."""
        check_is_fitted(self)
        logits = self._prepare_features(X) @ self.coef_.T + self.intercept_
        return logits[:, 0] if len(self.classes_) == 2 else logits

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes."""
        logits = self.decision_function(X)
        if logits.ndim == 1:
            second = expit(logits)
            return np.column_stack([1 - second, second])
        return softmax(logits, axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class."""
        logits = self.decision_function(X)
        return self.classes_[(logits > 0).astype(int) if logits.ndim == 1 else logits.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _prepare_features(self, X: Any, *, fitting: bool = False) -> Any:
        if fitting:
            self._preparation = FrameFeatures(X) if FrameFeatures.is_needed(X) else None
            self.columns_ = None if self._preparation is None else self._preparation.names
        if self._preparation is not None:
            X = self._preparation(X)
        return check_features(self, X, fitting=fitting, accept_sparse="csr", dtype=[np.float64, np.float32])

    def _prepare_validation(self, validation: tuple[Any, ArrayLike], scaler: _Scaler) -> tuple[Any, NDArray[np.int64]]:
        X, y = check_validation(validation)
        labels = check_column("The validation set's y", y)
        if not np.isin(labels, self.classes_).all():
            raise DataError("The validation set contains classes that the training set does not.")
        return scaler(self._prepare_features(X)), np.searchsorted(self.classes_, labels)


class _Scaler:
    """Scales features to mean 0 and standard deviation 1, except those that are 0 or 1, in the fewest coordinates.

    With fewer rows than features the rows lie in a space of as many dimensions as there are rows. A penalised solution
    lies in it, too, so that turning the axes changes nothing but the cost.
    """

    def __init__(self, X: Any) -> None:
        from sklearn.preprocessing import StandardScaler

        self._scaler = StandardScaler(with_mean=not issparse(X)).fit(X)
        if not issparse(X):
            # Scaling what is there or not would blow up what is rarely there: one category among many, seen twice.
            self._scaler.scale_[((X == 0) | (X == 1)).all(axis=0)] = 1.0
        self._axes = None
        if not issparse(X) and X.shape[0] < X.shape[1]:
            self._axes = np.linalg.svd(self._scaler.transform(X), full_matrices=False)[2].T
        self.X = self(X)

    def __call__(self, X: Any) -> Any:
        scaled = self._scaler.transform(X)
        return scaled if self._axes is None else scaled @ self._axes

    def unscale(self, coef: FloatArray, intercept: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coefficients and intercepts for features that are not scaled."""
        coef = (coef if self._axes is None else coef @ self._axes.T) / self._scaler.scale_
        return coef, intercept if not self._scaler.with_mean else intercept - coef @ self._scaler.mean_


def _make_folds(
    X: Any,
    y: NDArray[np.int64],
    groups: ArrayLike | None,
    tuning_set: tuple[Any, NDArray[np.int64]] | None,
    wanted: int,
    seed: int,
) -> Iterator[Fold]:
    """Yield folds to fit to and score on; none where a class has too few rows to be divided."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    n_classes = int(y.max()) + 1
    if tuning_set is not None and len(y) > _MANY_ROWS and len(tuning_set[1]) >= _MANY_VALIDATION:
        rows_per_class = np.bincount(tuning_set[1], minlength=n_classes)
        parts = StratifiedKFold(max(2, min(wanted, int(rows_per_class.min()))), shuffle=True, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes with fewer rows than parts
            scored = [(tuning_set[0][part], tuning_set[1][part]) for _, part in parts.split(*tuning_set)]
            yield np.arange(len(y)), scored
        return
    units = np.arange(len(y)) if groups is None else encode_column("groups", groups)[0]
    rows_per_class = np.bincount(np.unique(np.stack([y, units]), axis=1)[0], minlength=n_classes)
    n_folds = min(wanted, int(rows_per_class.min()))
    if n_folds >= 2:
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        divided = kind(n_folds, shuffle=True, random_state=seed).split(X, y, None if groups is None else units)
        for kept, left in divided:
            if len(np.unique(y[kept])) == n_classes:
                scored_fold = X[left], y[left]
                yield kept, [scored_fold if tuning_set is None else _join_sets(scored_fold, tuning_set)]
    elif tuning_set is not None:
        yield np.arange(len(y)), [tuning_set]


def _join_sets(one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, NDArray[np.int64]]:
    from scipy.sparse import vstack

    return (vstack if issparse(one[0]) else np.concatenate)([one[0], other[0]]), np.concatenate([one[1], other[1]])


def _score_candidates(
    X: Any,
    y: NDArray[np.int64],
    folds: Sequence[Fold],
    candidates: Sequence[dict[str, Any]],
    scorer: Scorer | None,
    max_iter: int,
) -> tuple[FloatArray, FloatArray]:
    """Scores and log losses, a row for each part that was scored, a column for each candidate."""
    scores, losses = [], []
    # What is the same for all candidates has been checked; most of the time of so small fits would go into checks.
    with warnings.catch_warnings(), config_context(assume_finite=True, skip_parameter_validation=True):
        warnings.simplefilter("ignore")  # an iteration that was capped, a class that a part lacks: it is judged anyway
        for rows, parts in folds:
            model, by_candidate = _make_logistic(max_iter, warm_start=True), []
            for candidate in candidates:
                model.set_params(**candidate).fit(X[rows], y[rows])
                by_candidate.append([_score_model(model, *part, scorer) for part in parts])
            for by_part in np.swapaxes(by_candidate, 0, 1):
                scores.append(by_part[:, 0])
                losses.append(by_part[:, 1])
    return np.array(scores), np.array(losses)


def _score_model(model: Any, X: Any, y: NDArray[np.int64], scorer: Scorer | None) -> tuple[float, float]:
    probability = model.predict_proba(X)[np.arange(len(y)), y]
    loss = -float(np.log(np.maximum(probability, _LEAST_PROBABILITY)).mean())
    if scorer is None:
        return -loss, loss
    try:
        return float(scorer(model, X, y)), loss
    except ValueError:  # a part of the data without a class that the metric asks for
        return float("nan"), loss


def _choose_candidate(scores: FloatArray, losses: FloatArray) -> int:
    """The candidate with the lowest loss among those whose scores are within a standard error of the best."""
    judged = scores[np.isfinite(scores).all(axis=1)] if scores.size else scores
    if not losses.size:
        return 0
    loss = losses.mean(axis=0)
    if not judged.size:
        return int(np.argmin(loss))
    behind = judged[:, [int(np.argmax(judged.mean(axis=0)))]] - judged
    error = behind.std(axis=0, ddof=1) / np.sqrt(len(behind)) if len(behind) > 1 else np.zeros(behind.shape[1])
    return int(np.argmin(np.where(behind.mean(axis=0) <= error + 1e-12, loss, np.inf)))


def _make_logistic(max_iter: int, **settings: Any) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=max_iter, **settings)
