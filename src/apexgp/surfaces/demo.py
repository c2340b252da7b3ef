"""A pilot measured on real data that ships with scikit-learn, and the truth it is after."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..pairs import LearningCurve

__all__ = ["measure_digits"]

PILOT_SIZES = (60, 94, 147, 230, 360)
FULL_SIZE = 1300


def measure_digits(seed: int = 0, n_splits: int = 5) -> tuple[LearningCurve, LearningCurve]:
    """Accuracy of a logistic regression on handwritten digits: the pilot, and the score with 1,300 examples.

    Each split sets aside a test set and puts the other examples into one order; training sets are its beginnings.
    """
    # Only the demonstration needs these, and they are slow to import.
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    rows = []
    for split in range(n_splits):
        train, test = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed + split)
        train = _classes_in_turn(train, y, np.random.default_rng([seed, split]))
        for size in (*PILOT_SIZES, FULL_SIZE):
            classifier = LogisticRegression(max_iter=1000).fit(X[train[:size]], y[train[:size]])
            rows.append((size, float(classifier.score(X[test], y[test])), split))
    sizes, scores, splits = (np.array(column) for column in zip(*rows, strict=True))
    pilot = sizes <= PILOT_SIZES[-1]
    about = {"metric": "accuracy", "task": "digits"}
    return (
        LearningCurve(sizes[pilot], scores[pilot], splits[pilot], **about),  # type: ignore[arg-type]
        LearningCurve(sizes[~pilot], scores[~pilot], splits[~pilot], **about),  # type: ignore[arg-type]
    )


def _classes_in_turn(rows: NDArray[np.int64], y: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Shuffle `rows` so that every beginning of the order holds the classes in equal shares."""
    rows = rng.permutation(rows)
    turn = np.empty(len(rows))
    for label in np.unique(y[rows]):
        own = y[rows] == label
        turn[own] = np.arange(own.sum())
    return rows[np.argsort(turn, kind="stable")]
