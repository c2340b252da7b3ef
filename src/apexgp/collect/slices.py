"""The paper's head for scans: the mean over slices of a logistic regression, many settings trained at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._check import (
    UNUSABLE,
    FloatArray,
    check_list,
    check_positive,
    check_real_number,
    check_seed,
    check_whole_number,
    format_value,
)
from ..errors import DataError, RequestError
from .input_checks import check_validation, encode_two_classes, find_positives, hold_out
from .labelled import MappedScans
from .scores import auroc

__all__ = ["Scans", "SliceHead"]

_MOMENTUM = 0.9
_LONGEST_GRADIENT = 1.0
_STILL = 1e-6  # a training loss that moves less than this ...
_PATIENCE = 3  # ... for so many epochs has settled
_LEAST_PROBABILITY = 1e-7  # keeps the logarithm finite, in single precision too


class Scans(Sequence[NDArray[Any]]):
    """Scans with different numbers of slices, packed into one array that workers can share.

    Parameters
    ----------
    scans : sequence of arrays of shape (n_slices, n_features)
        The embeddings of each scan's slices, in order.
    """

    def __init__(self, scans: Sequence[ArrayLike] | NDArray[Any]) -> None:
        try:
            arrays = [np.asarray(scan) for scan in scans]
        except UNUSABLE:
            raise DataError(f"Scans must be arrays of shape (slices, features), got {format_value(scans)}.") from None
        shapes = {array.shape[1:] for array in arrays}
        if not arrays or len(shapes) != 1 or any(array.ndim != 2 or not array.size for array in arrays):
            raise DataError(
                "Scans must be arrays of shape (slices, features), each with one slice or more and all with the same "
                f"features, got shapes {', '.join(str(array.shape) for array in arrays[:5])}."
            )
        self.slices = np.concatenate(arrays)
        self.starts = np.cumsum([0] + [len(array) for array in arrays])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __sizeof__(self) -> int:
        # Dask asks for it, and sends what is large to each worker once.
        return object.__sizeof__(self) + int(self.slices.nbytes)

    def __getitem__(self, which: Any) -> Any:
        """One scan by its number, or the Scans of several numbers."""
        if np.ndim(which) == 0 and not isinstance(which, slice):
            return self.slices[self.starts[which] : self.starts[which + 1]] if which >= 0 else self[len(self) + which]
        return Scans([self[int(i)] for i in np.arange(len(self))[which]])

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[i] for i in range(len(self)))


class SliceHead(ClassifierMixin, BaseEstimator):
    """Two-class head for scans: P(y = 1) is the mean over slices of sigmoid(w.h + b).

    Full-batch gradient descent with momentum 0.9 on the mean cross-entropy, gradients clipped to length 1, weight
    decay as in torch's SGD. All settings (learning rates x weight decays x seeds) are columns of one weight matrix
    and take each step together. A setting ends when its training loss has moved less than 1e-6 for three epochs. The
    setting and epoch with the best validation AUROC are kept: on ties the lower validation loss.

    Parameters
    ----------
    learning_rates, weight_decays : sequences of float
        The settings to choose from.
    n_seeds : int
        Number of random starts per setting.
    max_epochs : int
        Steps after which training ends.
    max_slices : int
        Scans with more slices are represented by that many, evenly spaced.
    validation_fraction : float
        Share of the training data that is held out, stratified, where `fit` is given no validation set.
    seed : int
        Seed of the starts, and of that division.

    Attributes
    ----------
    classes_ : array of shape (2,)
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
    chosen_ : dict
        The chosen learning_rate, weight_decay, seed and epoch.
    validation_score_ : float
        Their AUROC on the validation set.
    """

    def __init__(
        self,
        learning_rates: Sequence[float] = (0.05, 0.01),
        weight_decays: Sequence[float] = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 0.0),
        n_seeds: int = 5,
        *,
        max_epochs: int = 1000,
        max_slices: int = 50,
        validation_fraction: float = 0.1,
        seed: int = 0,
    ) -> None:
        self.learning_rates = learning_rates
        self.weight_decays = weight_decays
        self.n_seeds = n_seeds
        self.max_epochs = max_epochs
        self.max_slices = max_slices
        self.validation_fraction = validation_fraction
        self.seed = seed

    def fit(self, X: Any, y: ArrayLike, *, validation: tuple[Any, ArrayLike] | None = None) -> Self:
        """Train every setting, and keep what does best on `validation` = (X, y).

        Parameters
        ----------
        X : Scans, sequence of arrays of shape (slices, features), or array of shape (scans, slices, features)
        y : array of shape (scans,)
        validation : (X, y), optional
            Cases to tune on.
        """
        settings = self._list_settings()
        epochs = check_whole_number("max_epochs", self.max_epochs, least=1)
        check_whole_number("max_slices", self.max_slices, least=1)
        scans = to_scans(X, self.max_slices)
        code, self.classes_ = encode_two_classes(y, len(scans))
        self.n_features_in_ = scans.slices.shape[1]
        if validation is None:
            fit_rows, tuning_rows = hold_out(code, self.validation_fraction, self.seed)
            validation = scans[tuning_rows], self.classes_[code[tuning_rows]]
            scans, code = scans[fit_rows], code[fit_rows]
        validation = check_validation(validation)
        truth = find_positives(validation[1], self.classes_)
        train, tuning_batch = self._make_batch(scans), self._make_batch(validation[0])
        if len(truth) != tuning_batch.n_scans:
            raise DataError(
                f"The validation set must have one label per scan, got {len(truth)} and {tuning_batch.n_scans}."
            )
        start = np.stack([self._draw_start(seed) for _, _, seed in settings], axis=1)
        rate, decay = (np.array([setting[i] for setting in settings]) for i in (0, 1))
        with np.errstate(all="ignore"):  # a setting whose steps are too long goes beyond all numbers, and is not chosen
            best = _descend(start, train, code, rate, decay, epochs, tuning_batch, truth)
        winner = int(np.lexsort((best.loss, -best.score))[0])
        self.coef_, self.intercept_ = best.weights[None, :-1, winner], best.weights[-1:, winner]
        self.chosen_ = {
            **dict(zip(("learning_rate", "weight_decay", "seed"), settings[winner], strict=True)),
            "epoch": int(best.epoch[winner]),
        }
        self.validation_score_ = float(best.score[winner])
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the two classes."""
        check_is_fitted(self)
        batch = self._make_batch(X)
        weights = np.append(self.coef_[0], self.intercept_)[:, None]
        second = batch.mean_over_slices(expit(batch.features @ weights))[:, 0].astype(np.float64)
        return np.column_stack([1 - second, second])

    def predict(self, X: Any) -> NDArray[Any]:
        """The more probable class."""
        second = self.predict_proba(X)[:, 1] > 0.5
        return self.classes_[second.astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.two_d_array = False  # so that scikit-learn's own checks, all on two dimensions, are not for it
        tags.input_tags.three_d_array = True
        return tags

    def _list_settings(self) -> list[tuple[float, float, int]]:
        """All combinations of learning rate, weight decay and seed."""
        rates = [check_positive("learning_rates", rate) for rate in check_list("learning_rates", self.learning_rates)]
        decays = [
            check_real_number("weight_decays", decay) for decay in check_list("weight_decays", self.weight_decays)
        ]
        if not rates or not decays or min(decays) < 0:
            raise RequestError(
                "learning_rates and weight_decays must have at least one value each, and no decay below 0."
            )
        return list(product(rates, decays, range(check_whole_number("n_seeds", self.n_seeds, least=1))))

    def _draw_start(self, seed: int) -> FloatArray:
        """Weights and intercept as torch draws them for a linear layer."""
        edge = 1 / np.sqrt(self.n_features_in_)
        return np.random.default_rng([check_seed(self.seed), seed]).uniform(-edge, edge, self.n_features_in_ + 1)

    def _make_batch(self, X: Any) -> _Batch:
        scans = to_scans(X, self.max_slices)
        if scans.slices.shape[1] != self.n_features_in_:
            raise DataError(f"SliceHead was fitted to {self.n_features_in_} features, got {scans.slices.shape[1]}.")
        return _Batch.from_scans(scans, self.max_slices)


def to_scans(X: Any, most: int) -> Scans:
    """Convert `X` to Scans; of scans on disk, only the slices that are used are read."""
    if isinstance(X, MappedScans):
        return Scans([scan[_pick_slices(len(scan), most)] for scan in X])
    return X if isinstance(X, Scans) else Scans(X)


def _pick_slices(n_slices: int, most: int) -> NDArray[np.int64]:
    """Numbers of the slices that represent a scan: all, or `most` of them evenly spaced."""
    return np.linspace(0, n_slices - 1, min(n_slices, most)).round().astype(np.int64)


@dataclass(frozen=True)
class _Batch:
    """Slices of several scans in one array, with a constant feature for the intercept."""

    features: NDArray[np.float32]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def from_scans(cls, scans: Scans, most: int) -> _Batch:
        used = []
        for start, end in zip(scans.starts[:-1], scans.starts[1:], strict=True):
            used.append(start + _pick_slices(int(end - start), most))
        counts = np.array([len(rows) for rows in used])
        rows = np.concatenate(used)
        # Single precision: the products are nearly all of the time, and settings are compared by rank.
        features = np.ones((len(rows), scans.slices.shape[1] + 1), np.float32)
        try:
            with np.errstate(all="ignore"):  # what is beyond single precision becomes infinite
                features[:, :-1] = scans.slices[rows]
        except (TypeError, ValueError):
            raise DataError(f"Scans must be numbers, got {scans.slices.dtype}.") from None
        if not np.isfinite(features).all():
            raise DataError("Scans must be finite numbers, got NaN or infinity. Leave such slices out.")
        return cls(features, np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)

    @property
    def n_scans(self) -> int:
        return len(self.counts)

    def mean_over_slices(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.add.reduceat(values, self.starts, axis=0) / self.counts[:, None].astype(values.dtype)


@dataclass
class _Best:
    """The best epoch of every setting so far."""

    weights: NDArray[Any]
    score: FloatArray
    loss: FloatArray
    epoch: NDArray[np.int64]


def _descend(
    weights: FloatArray,
    train: _Batch,
    y: NDArray[np.int64],
    rate: FloatArray,
    decay: FloatArray,
    epochs: int,
    tuning_batch: _Batch,
    truth: NDArray[np.bool_],
) -> _Best:
    """Step all settings, the columns of `weights`, together; those that have settled leave the product."""
    n_settings = weights.shape[1]
    best = _Best(weights.copy(), np.full(n_settings, -1.0), np.full(n_settings, np.inf), np.zeros(n_settings, int))
    moving = np.arange(n_settings)
    velocity = np.zeros_like(weights)
    last, unchanged = np.full(n_settings, np.inf), np.zeros(n_settings, int)
    for epoch in range(1, epochs + 1):
        loss, gradient = cross_entropy(weights, train, y)
        length = np.linalg.norm(gradient, axis=0)
        gradient *= np.minimum(1.0, _LONGEST_GRADIENT / np.maximum(length, 1e-12))
        velocity = _MOMENTUM * velocity + gradient + decay[moving] * weights
        weights = weights - rate[moving] * velocity

        judged = tuning_batch.mean_over_slices(expit(tuning_batch.features @ weights.astype(np.float32)))
        score, judged_loss = auroc(truth, judged), _mean_cross_entropy(judged, truth)
        score[~np.isfinite(judged).all(axis=0)] = -1.0
        better = (score > best.score[moving]) | ((score == best.score[moving]) & (judged_loss < best.loss[moving]))
        improved = moving[better]
        best.weights[:, improved], best.epoch[improved] = weights[:, better], epoch
        best.score[improved], best.loss[improved] = score[better], judged_loss[better]

        unchanged = np.where(np.abs(loss - last) < _STILL, unchanged + 1, 0)
        is_moving = unchanged < _PATIENCE
        moving, weights, velocity = moving[is_moving], weights[:, is_moving], velocity[:, is_moving]
        last, unchanged = loss[is_moving], unchanged[is_moving]
        if not moving.size:
            break
    return best


def cross_entropy(weights: FloatArray, batch: _Batch, y: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Mean cross-entropy of the scans under each column of `weights`, and its gradient."""
    slice_probability = expit(batch.features @ weights.astype(batch.features.dtype))
    probability = batch.mean_over_slices(slice_probability)
    safe = np.clip(probability, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    by_scan = (safe - y[:, None]) / (safe * (1 - safe)) / (len(y) * batch.counts[:, None])
    by_slice = np.repeat(by_scan.astype(slice_probability.dtype), batch.counts, axis=0)
    by_slice *= slice_probability * (1 - slice_probability)
    return _mean_cross_entropy(probability, y), (batch.features.T @ by_slice).astype(np.float64)


def _mean_cross_entropy(probability: NDArray[Any], y: NDArray[Any]) -> FloatArray:
    safe = np.clip(probability.astype(np.float64), _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    return -np.where(np.asarray(y, bool)[:, None], np.log(safe), np.log1p(-safe)).mean(axis=0)
