"""The paper's head for pictures: logistic regression on embeddings, tuned and stopped early on a validation set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._check import FloatArray, check_list, check_positive, check_whole_number
from ..errors import RequestError
from .input_checks import check_features, check_validation, encode_two_classes, find_positives, hold_out
from .scores import auroc

__all__ = ["LogisticHead"]

STRENGTHS = tuple(10.0**power for power in range(-5, 6))
CAPS = (10, 20, 40, 79, 158, 316, 630, 1257, 2507, 5000)  # log-spaced


class LogisticHead(ClassifierMixin, BaseEstimator):
    """Two-class logistic regression with balanced class weights; strength and early stopping chosen on validation.

    One L-BFGS run for each C records its iterates; stopping it at a cap is taking the iterate of that number, so all
    caps together cost no more than the last. The pair (C, cap) with the best validation AUROC is kept: on ties the
    one with the lower validation loss, then the smaller C, then the lower cap.

    Parameters
    ----------
    Cs : sequence of float
        Inverse strengths of the L2 penalty, as in scikit-learn.
    max_iters : sequence of int
        Caps on the number of iterations.
    tol : float
        The run ends where no component of the gradient is above this.
    validation_fraction : float
        Share of the training data that is held out, stratified, where `fit` is given no validation set.
    seed : int
        Seed of that division; the fit itself has nothing random.

    Attributes
    ----------
    classes_ : array of shape (2,)
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
    chosen_ : dict
        The chosen C and max_iter.
    validation_score_ : float
        Their AUROC on the validation set; NaN where there was one candidate and nothing to choose.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> LogisticHead().fit(X, y, validation=(X, y)).predict([[0.2], [2.8]])
    array(['no', 'yes'], dtype='<U3')
    """

    def __init__(
        self,
        Cs: Sequence[float] = STRENGTHS,
        max_iters: Sequence[int] = CAPS,
        *,
        tol: float = 1e-4,
        validation_fraction: float = 0.1,
        seed: int = 0,
    ) -> None:
        self.Cs = Cs
        self.max_iters = max_iters
        self.tol = tol
        self.validation_fraction = validation_fraction
        self.seed = seed

    def fit(self, X: ArrayLike, y: ArrayLike, *, validation: tuple[ArrayLike, ArrayLike] | None = None) -> Self:
        """Fit every C, and keep the iterate that does best on `validation` = (X, y)."""
        strengths = sorted(check_positive("Cs", C) for C in check_list("Cs", self.Cs))
        caps = sorted(check_whole_number("max_iters", cap, least=1) for cap in check_list("max_iters", self.max_iters))
        check_positive("tol", self.tol)
        if not strengths or not caps:
            raise RequestError("Cs and max_iters must have at least one value each.")
        features = self._check_features(X, fitting=True)
        code, self.classes_ = encode_two_classes(y, len(features))
        tuning_set = None
        if validation is not None:
            X_val, y_val = check_validation(validation)
            tuning_set = self._check_features(X_val), find_positives(y_val, self.classes_)
        elif len(strengths) > 1 or len(caps) > 1:
            fit_rows, tuning_rows = hold_out(code, self.validation_fraction, self.seed)
            tuning_set = features[tuning_rows], code[tuning_rows] == 1
            features, code = features[fit_rows], code[fit_rows]
        paths = [_fit_path(features, code, C, caps, self.tol) for C in strengths]
        candidates = np.concatenate(paths)
        best, self.validation_score_ = 0, float("nan")
        if tuning_set is not None:
            held_out, truth = tuning_set
            log_odds = held_out @ candidates[:, :-1].T + candidates[:, -1]
            score, loss = auroc(truth, log_odds), _balanced_weights(truth) @ _losses(truth, log_odds.T).T
            best = int(np.lexsort((loss, -score))[0])
            self.validation_score_ = float(score[best])
        self.coef_, self.intercept_ = candidates[best, None, :-1], candidates[best, -1:]
        C_index, cap_index = divmod(best, len(caps))
        self.chosen_ = {"C": strengths[C_index], "max_iter": caps[cap_index]}
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Log-odds of the second class."""
        check_is_fitted(self)
        return self._check_features(X) @ self.coef_[0] + self.intercept_[0]

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Probabilities of the two classes."""
        second = expit(self.decision_function(X))
        return np.column_stack([1 - second, second])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The more probable class."""
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _check_features(self, X: ArrayLike, *, fitting: bool = False) -> FloatArray:
        features: FloatArray = check_features(self, X, fitting=fitting, dtype=np.float64)
        return features


def _fit_path(X: FloatArray, y: NDArray[np.int64], C: float, caps: Sequence[int], tol: float) -> FloatArray:
    """Iterates at each cap of one L-BFGS run from zero: rows of coefficients and intercept.

    Objective, scaling and options are those of scikit-learn's LogisticRegression, so that stopping early here and
    there is the same thing.
    """
    sign = 2.0 * y - 1.0
    weight = _balanced_weights(y)
    penalty = 1.0 / (C * len(y))
    n_features = X.shape[1]

    def objective(parameters: FloatArray) -> tuple[float, FloatArray]:
        coef = parameters[:n_features]
        log_odds = X @ coef + parameters[n_features]
        pull = sign * weight * expit(-sign * log_odds)
        gradient = np.empty_like(parameters)
        gradient[:n_features] = penalty * coef - pull @ X
        gradient[n_features] = -pull.sum()
        return float(weight @ _losses(y, log_odds) + 0.5 * penalty * (coef @ coef)), gradient

    iterates: list[FloatArray] = []
    at_caps = dict.fromkeys(caps)
    done = 0

    def record(intermediate: FloatArray) -> None:
        nonlocal done
        done += 1
        if done in at_caps:
            iterates.append(intermediate.copy())

    options = {"maxiter": caps[-1], "maxls": 50, "gtol": tol, "ftol": 64 * np.finfo(float).eps, "maxfun": 10**9}
    start = np.zeros(n_features + 1)
    end = minimize(objective, start, jac=True, method="L-BFGS-B", callback=record, options=options).x
    iterates += [end] * (len(caps) - len(iterates))  # a run that has converged stays where it is
    return np.array(iterates)


def _balanced_weights(y: NDArray[Any]) -> FloatArray:
    """Weights of the cases that sum to 1, with equal sums for the two classes."""
    code = y.astype(np.int64)
    return (0.5 / np.bincount(code, minlength=2))[code]


def _losses(y: NDArray[Any], log_odds: FloatArray) -> FloatArray:
    """Cross-entropy of each case; the last axis of `log_odds` runs over the cases."""
    return np.logaddexp(0.0, np.where(y, -log_odds, log_odds))
