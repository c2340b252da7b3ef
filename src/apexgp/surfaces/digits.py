"""A pilot measured on real data that ships with scikit-learn, and the truth it is after."""

from __future__ import annotations

from dataclasses import replace

from ..collect.run import collect_curves
from ..collect.sizes import PAPER_SIZES
from ..curve import LearningCurve

__all__ = ["N_SPLITS", "PILOT_SIZES", "measure_digits"]

PILOT_SIZES = PAPER_SIZES
N_SPLITS = 5
_FULL_SIZE = 1300


def measure_digits(seed: int = 0) -> tuple[LearningCurve, LearningCurve]:
    """Accuracy of a logistic regression on handwritten digits: the pilot, and the score with 1,300 examples."""
    # Only the demonstration needs these, and they are slow to import.
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression

    X, y = load_digits(return_X_y=True)
    measured = collect_curves(
        LogisticRegression(max_iter=1000),
        X / 16.0,
        y,
        sizes=(*PILOT_SIZES, _FULL_SIZE),
        n_splits=N_SPLITS,
        metric="accuracy",
        seed=seed,
        ratio=(3, 0, 1),  # nothing is tuned, so that nothing is needed for validation
        multiclass="macro",
    ).only
    digits = replace(measured, task="digits")
    return digits.up_to(PILOT_SIZES[-1]), digits.beyond(PILOT_SIZES[-1])
