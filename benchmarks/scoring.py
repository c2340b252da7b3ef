"""Figures of merit of forecasts, averaged within a curve and horizon first, then over curves.

Standard errors are clustered by task: curves of several learners on one data set go wrong together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from apexgp import Forecast, metrics
from lcdb import Case

HORIZONS = ("<=2x", "2-10x", ">10x")
EDGES = (2.05, 10.0)
"""Sizes in units of the pilot's largest at which one horizon gives way to the next; 2.05 as sizes are rounded."""
LEVELS = (np.arange(20) + 0.5) / 20
WORST_LOG_SCORE = -np.log(1e-12)  # one hopeless forecast must not decide the mean

Fitted = Callable[[str], Forecast]
"""What a method makes of a case: the forecast at its sizes, by what is forecast (`of`)."""
_KEYS = ["of", "horizon", "curve", "task", "learner"]


def horizon(case: Case) -> np.ndarray:
    """Which of `HORIZONS` each later size belongs to."""
    return np.digitize(case.sizes / case.curve.largest, EDGES, right=True)


def score(case: Case, forecast: Forecast, of: str) -> pd.DataFrame:
    """One row for each later size at which the truth is known."""
    truth = case.truths[of]
    known = ~np.isnan(truth)
    y = np.where(known, truth, 0.5)
    quantiles = forecast.quantile([*LEVELS, 0.025, 0.1, 0.5, 0.9, 0.975])
    lower, low, median, high, upper = quantiles[len(LEVELS) :]
    # Twice the mean pinball loss over many levels is the CRPS to half a per cent, and quick.
    gap = y - quantiles[: len(LEVELS)]
    row = {
        "crps": 2 * np.mean(np.where(gap >= 0, LEVELS[:, None] * gap, (LEVELS[:, None] - 1) * gap), axis=0),
        "log_score": np.minimum(metrics.log_score(forecast, y, axis=()), WORST_LOG_SCORE),
        "error": np.abs(median - y),
        "covers_80": ((y >= low) & (y <= high)).astype(float),
        "covers_95": ((y >= lower) & (y <= upper)).astype(float),
        "pit": metrics.pit(forecast, y),
        "width_95": upper - lower,
    }
    frame = pd.DataFrame(row).assign(horizon=pd.Categorical.from_codes(horizon(case), HORIZONS))
    return frame[known]


def evaluate(
    cases: Iterable[Case], method: Callable[[Case], Fitted], of: Sequence[str] = ("new_splits",)
) -> pd.DataFrame:
    """Mean figures of each curve and horizon, for each thing that is forecast."""
    frames = []
    for i, case in enumerate(cases):
        fitted = method(case)
        for quantity in of:
            rows = score(case, fitted(quantity), quantity)
            frames.append(rows.assign(of=quantity, curve=i, task=case.task, learner=case.learner))
    return pd.concat(frames, ignore_index=True).groupby(_KEYS, observed=True).mean().reset_index()


def clustered_error(values: pd.Series, task: pd.Series) -> float:
    """Standard error of a mean whose terms are correlated within a task."""
    sums = (values - values.mean()).groupby(task).sum()
    return float(np.sqrt((sums**2).sum()) / len(values))


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """Means by horizon, and how many clustered standard errors each coverage is off its level."""
    by = rows.groupby("horizon", observed=True)
    out = by[["crps", "log_score", "error", "covers_80", "covers_95", "pit", "width_95"]].mean()
    for level in (80, 95):
        column = f"covers_{level}"
        error = by[["task", column]].apply(lambda own, column=column: clustered_error(own[column], own.task))
        # Where nothing was missed there is no error to divide by.
        out[f"z_{level}"] = ((out[column] - level / 100) / error).where(error > 0)
    out["curves"] = by.size()
    return out
