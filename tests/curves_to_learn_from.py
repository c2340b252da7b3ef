"""Whole curves of a known law."""

import numpy as np

from apexgp import LearningCurve

SIZES = np.array([32, 64, 128, 256, 512, 1024, 2048])


def whole_curve(i, limit, *, splits=3, seed=0, **about):
    """A curve that has reached its limit early, or is far from it."""
    rng = np.random.default_rng([seed, i])
    drop = (0.3 + 0.02 * (i % 8)) * (SIZES / 32.0)[:, None] ** -1.5
    scores = limit - 0.01 * (i % 8) - drop + 0.004 * rng.standard_normal((len(SIZES), splits))
    return LearningCurve(SIZES, scores, task=f"task {i}", **{"metric": "auroc", **about})
