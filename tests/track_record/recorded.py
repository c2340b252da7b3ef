"""Forecasts whose distribution is known: even between two scores."""

import numpy as np

from apexgp import LearningCurve
from apexgp.track_record.lines import ForecastLine, RecordLine

SHARES = np.unique(np.r_[0.005, 0.025, np.linspace(0.05, 0.95, 19), 0.975, 0.995].round(3))
PILOT = ([50, 100, 200], [0.6, 0.65, 0.7])


def forecast_line(task="liver", sizes=(400,), between=(0.6, 0.8), *, of="new_splits", splits=1, single=None, **about):
    """A forecast that is even between two scores, and between two others for a single split."""

    def even(ends):
        return np.repeat((ends[0] + (ends[1] - ends[0]) * SHARES)[:, None], len(sizes), axis=1)

    labels = {} if splits == 1 and of == "new_splits" else {"split": np.tile(np.arange(splits), 3)}
    at, scores = np.repeat(PILOT[0], splits), np.repeat(PILOT[1], splits)
    return ForecastLine(
        name=None,
        curve=LearningCurve(at, scores, task=task, metric="auroc", **labels, **about),
        date="2026-11-17",
        version="0.1.0",
        of=of,
        n_splits=splits if of == "new_splits" else None,
        sizes=np.array(sizes, float),
        shares=SHARES,
        quantiles=even(between),
        single=None if single is None else even(single),
        method="APExGP",
        settings={"seed": 0},
        priors={"name": "calibrated", "checksum": "0"},
    )


def measured_line(task="liver", sizes=(400,), scores=(0.7,), **about):
    """Scores that were measured."""
    curve = LearningCurve(sizes, scores, task=task, **{"metric": "auroc", **about})
    return RecordLine.from_curve(curve, day="2026-11-18")
