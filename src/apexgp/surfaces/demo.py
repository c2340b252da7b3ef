"""A pilot measured on real data that ships with scikit-learn, and the truth it is after."""

from __future__ import annotations

from dataclasses import replace

from ..collect.run import PAPER_SIZES, collect_curves
from ..pairs import LearningCurve

__all__ = ["measure_digits"]

FULL_SIZE = 1300


def measure_digits(seed: int = 0, n_splits: int = 5) -> tuple[LearningCurve, LearningCurve]:
    """Accuracy of a logistic regression on handwritten digits: the pilot, and the score with 1,300 examples."""
    # Only the demonstration needs these, and they are slow to import.
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression

    X, y = load_digits(return_X_y=True)
    measured = collect_curves(
        LogisticRegression(max_iter=1000),
        X / 16.0,
        y,
        sizes=(*PAPER_SIZES, FULL_SIZE),
        n_splits=n_splits,
        metric="accuracy",
        seed=seed,
        progress=False,
        ratio=(3, 0, 1),  # nothing is tuned, so that nothing is needed for validation
        multiclass="macro",
    ).only
    return cut_at(replace(measured, task="digits"), PAPER_SIZES[-1])


def cut_at(curve: LearningCurve, size: float) -> tuple[LearningCurve, LearningCurve]:
    """The scores up to `size` and those beyond it, as two curves."""
    within = curve.sizes <= size
    pilot, beyond = (
        replace(curve, sizes=curve.sizes[rows], scores=curve.scores[rows], split=curve.split[rows])  # type: ignore[index]
        for rows in (within, ~within)
    )
    return pilot, beyond
