"""Small pilots that many tests use. Models fitted to them, which tests only read, are fixtures of conftest.py."""

import numpy as np

from apexgp import LearningCurve

SIZES = [60, 94, 147, 230, 360]
SCORES = [0.66, 0.705, 0.722, 0.755, 0.768]

THREE_SPLITS = LearningCurve(
    np.repeat(SIZES, 3),
    [0.66, 0.67, 0.65, 0.70, 0.72, 0.70, 0.73, 0.72, 0.74, 0.75, 0.76, 0.74, 0.77, 0.76, 0.78],
    ["a", "b", "c"] * 5,
    metric="auroc",
)


def build_pilot(lift=0.0, **about):
    """Build a curve of two splits, whose means are SCORES, all raised by `lift`."""
    means = np.array(SCORES) + lift
    return LearningCurve(SIZES, np.stack([means - 0.01, means + 0.01], axis=1), **about)
