"""Figures of merit of forecasts, averaged within a curve and horizon first, then over curves.

Standard errors are clustered by task: curves of several learners on one data set go wrong together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from apexgp import Forecast, metrics
from lcdb import Case

HORIZONS = ("<=2x", "2-10x", ">10x")
EDGES = (2.05, 10.0)
"""Sizes in units of the pilot's largest at which one horizon gives way to the next; 2.05 as sizes are rounded."""
LEVELS = (np.arange(20) + 0.5) / 20
INTERVALS = (50, 80, 95)
"""Per cent that the intervals are to hold."""
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
    ends = [tail for level in INTERVALS for tail in (0.5 - level / 200, 0.5 + level / 200)]
    quantiles = forecast.quantile([*LEVELS, 0.5, *ends])
    median, *ends = quantiles[len(LEVELS) :]
    # Twice the mean pinball loss over many levels is the CRPS to half a per cent, and quick.
    gap = y - quantiles[: len(LEVELS)]
    row = {
        "crps": 2 * np.mean(np.where(gap >= 0, LEVELS[:, None] * gap, (LEVELS[:, None] - 1) * gap), axis=0),
        "log_score": np.minimum(metrics.log_score(forecast, y, axis=()), WORST_LOG_SCORE),
        "error": np.abs(median - y),
        "pit": metrics.pit(forecast, y),
    }
    for level, lower, upper in zip(INTERVALS, ends[::2], ends[1::2], strict=True):
        row |= {f"covers_{level}": ((y >= lower) & (y <= upper)).astype(float), f"width_{level}": upper - lower}
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
    out = by[["crps", "log_score", "error", "covers_50", "covers_80", "covers_95", "pit", "width_95"]].mean()
    for level in INTERVALS:
        column = f"covers_{level}"
        error = by[["task", column]].apply(lambda own, column=column: clustered_error(own[column], own.task))
        # Where nothing was missed there is no error to divide by.
        out[f"z_{level}"] = ((out[column] - level / 100) / error).where(error > 0)
    out["curves"] = by.size()
    return out


def head(first: str, levels: Sequence[int] = (80, 95)) -> str:
    """The first two lines of a Markdown table whose others `line` makes."""
    covers = [f"{level} % covers (z)" for level in levels]
    titles = [first, "CRPS", "log score", *covers, "mean PIT", "95 % width", "curves"]
    return f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"


def line(name: str, rows: pd.DataFrame, levels: Sequence[int] = (80, 95)) -> str:
    """A row of a Markdown table: in each cell the numbers of the horizons."""
    table = summarise(rows).reindex(HORIZONS)

    def three(column: str, form: str, times: float = 1.0) -> str:
        return " ".join("-" if np.isnan(value) else f"{times * value:{form}}" for value in table[column])

    covers = [f"{three(f'covers_{level}', '.1f', 100)} ({three(f'z_{level}', '.1f')})" for level in levels]
    figures = [_short(three("crps", ".4f")), three("log_score", ".2f"), *covers, _short(three("pit", ".2f"))]
    figures += [_short(three("width_95", ".3f")), three("curves", ".0f")]
    return f"| {name} | " + " | ".join(figures) + " |"


def _short(numbers: str) -> str:
    """Fractions without the nought before the point."""
    return re.sub(r"\b0\.", ".", numbers)
