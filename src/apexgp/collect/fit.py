"""One fit of a run, made in a worker: tune on validation, score on test and training rows, record errors."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from .._check import FloatArray
from ..files.writing import to_json_value
from ..reading.files import one_line
from .capabilities import GROUPS, WEIGHTS, fit_takes, requests_weights, select_fit_metadata
from .fit_record import PARTS, FitKey, FitRow
from .scores import Scorer, is_recorded_as_loss
from .splits import Rows

__all__ = ["Fit", "make_empty_row", "measure_fit", "set_seeds", "take_rows"]


@dataclass(frozen=True)
class Fit:
    """Size, split and task of a fit, the rows of each part of the data, and its seed."""

    size: int
    split: int
    task: str | None
    train: Rows
    validation: Rows
    test: Rows
    seed: int
    groups: NDArray[np.int64] | None = None
    """Groups of the training rows; None where there are none."""

    @property
    def key(self) -> FitKey:
        """Size, split and task, which identify the fit."""
        return FitKey(self.size, self.split, self.task)


def make_empty_row(fit: Fit, metrics: Iterable[str]) -> FitRow:
    """Row of a fit that has no scores yet."""
    scores = {f"{part}_{name}": None for name in metrics for part in PARTS}
    return {**fit.key._asdict(), "parameters": {}, **scores, "test_cases": len(fit.test), "seconds": 0.0, "error": ""}


def measure_fit(
    fit: Fit,
    estimator: Any,
    X: Any,
    y: NDArray[np.int64],
    candidates: Sequence[Mapping[str, Any]],
    scorers: Mapping[str, Scorer],
    weights: FloatArray | None = None,
    routing: bool = False,
) -> FitRow:
    """Fit each candidate, keep the one with the best first metric on validation, score it on test and on its own rows.

    An exception becomes the row's error, so that the other fits go on. `weights` are those of all rows; `routing` is
    whether scikit-learn's metadata routing is on where the run was started, which a worker would not know.
    """
    start = perf_counter()
    row = make_empty_row(fit, scorers)
    try:
        # One numeric thread a worker: they do not fight for cores, and sums are added in the same order everywhere.
        # An estimator's own n_jobs would start workers inside workers.
        with (
            threadpool_limits(limits=1),
            parallel_config(backend="sequential"),
            config_context(enable_metadata_routing=routing),
        ):
            row |= _fit_candidates(fit, estimator, X, y, candidates, scorers, weights)
    except (Exception, SystemExit) as problem:  # another person's estimator: what it raises is the fit's record
        row["error"] = one_line(f"{type(problem).__name__}: {problem}")
    row["seconds"] = round(perf_counter() - start, 4)
    return row


def _fit_candidates(
    fit: Fit,
    estimator: Any,
    X: Any,
    y: NDArray[np.int64],
    candidates: Sequence[Mapping[str, Any]],
    scorers: Mapping[str, Scorer],
    weights: FloatArray | None,
) -> FitRow:
    """Scores and parameters of the candidate that does best on validation."""
    train, validation, test = (_Part.select(X, y, weights, rows) for rows in (fit.train, fit.validation, fit.test))
    arguments: dict[str, Any] = {}
    if fit_takes(estimator, "validation"):  # it chooses its own settings
        own = {
            "validation": (validation.X, validation.y) if len(fit.validation) else None,
            "groups": fit.groups,
            "scorer": next(iter(scorers.values())),
        }
        arguments = {name: value for name, value in own.items() if value is not None and fit_takes(estimator, name)}
    metadata = {name: value for name, value in ((WEIGHTS, train.weights), (GROUPS, fit.groups)) if value is not None}
    best, best_scores, best_first = None, {}, -math.inf
    for candidate in candidates:
        model = set_seeds(clone(estimator).set_params(**candidate), fit.seed)
        asked = {name: metadata[name] for name in select_fit_metadata(model, metadata)}
        model = model.fit(train.X, train.y, **(arguments | asked))
        scores = _score_part(scorers, "validation", model, validation) if len(fit.validation) else {}
        first = next(iter(scores.values()), 0.0)
        if is_recorded_as_loss(next(iter(scorers))):
            first = -first
        if first > best_first:
            best, best_scores, best_first = (model, candidate), scores, first
    assert best is not None  # scores are finite, so the first candidate was better than nothing
    model, candidate = best
    chosen = {**candidate, **getattr(model, "chosen_", {})}
    return {
        "parameters": json.loads(
            json.dumps(to_json_value(chosen, repr))
        ),  # here, where what cannot be written is an error
        **best_scores,
        **_score_part(scorers, "test", model, test),
        **_score_train(scorers, model, train),
    }


@dataclass(frozen=True)
class _Part:
    """Cases, classes and sample weights of train, validation or test."""

    X: Any
    y: NDArray[np.int64]
    weights: FloatArray | None

    @classmethod
    def select(cls, X: Any, y: NDArray[np.int64], weights: FloatArray | None, rows: Rows) -> _Part:
        return cls(take_rows(X, rows), y[rows], None if weights is None else weights[rows])


def _score_train(scorers: Mapping[str, Scorer], model: Any, train: _Part) -> dict[str, float]:
    """Scores on the training rows; empty where that fails, so that the test scores are not lost."""
    try:
        return _score_part(scorers, "train", model, train)
    except Exception:  # another person's estimator or scorer
        return {}


def take_rows(X: Any, rows: Rows) -> Any:
    """Rows of an array, a sparse matrix, a data frame or Scans."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _score_part(scorers: Mapping[str, Scorer], name_of_part: str, model: Any, part: _Part) -> dict[str, float]:
    found = {}
    for name, scorer in scorers.items():
        weighted = part.weights is not None and requests_weights(scorer)
        score = float(scorer(model, part.X, part.y, **({WEIGHTS: part.weights} if weighted else {})))
        if not math.isfinite(score):
            raise ValueError(f"{name} gave {score:g} on the {name_of_part} set; a curve needs finite scores")
        found[f"{name_of_part}_{name}"] = 0.0 - score if is_recorded_as_loss(name) else score
    return found


def set_seeds(estimator: Any, seed: int) -> Any:
    """Set each random_state and seed of the estimator that is None."""
    unset = [
        name
        for name, value in estimator.get_params().items()
        if value is None and name.rpartition("__")[2] in ("random_state", "seed")
    ]
    return estimator.set_params(**dict.fromkeys(unset, seed))
