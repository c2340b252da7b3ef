"""Figures of merit of forecasts, averaged within a curve and horizon first, then over curves.

Standard errors are clustered by task: curves of several learners on one data set go wrong together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtri

from apexgp import Forecast, metrics
from lcdb import Case

HORIZONS = ("<=2x", "2-10x", ">10x")
EDGES = (2.05, 10.0)
"""Sizes in units of the pilot's largest at which one horizon gives way to the next; 2.05 as sizes are rounded."""
LEVELS = (np.arange(20) + 0.5) / 20
INTERVALS = (50, 80, 95)
"""Per cent that the intervals are to hold."""
WORST_LOG_SCORE = -np.log(1e-12)  # one hopeless forecast must not decide the mean
WORST_PIT = 1e-3  # nor the mean normal score

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
    """Mean figures of each curve and horizon, for each thing that is forecast; `z` is the normal score of the PIT."""
    frames = []
    for i, case in enumerate(cases):
        fitted = method(case)
        for quantity in of:
            rows = score(case, fitted(quantity), quantity)
            z = ndtri(rows.pit.clip(WORST_PIT, 1 - WORST_PIT))
            frames.append(rows.assign(z=z, of=quantity, curve=i, task=case.task, learner=case.learner))
    return pd.concat(frames, ignore_index=True).groupby(_KEYS, observed=True).mean().reset_index()


def clustered_error(values: pd.Series, task: pd.Series) -> float:
    """Standard error of a mean whose terms are correlated within a task."""
    sums = (values - values.mean()).groupby(task).sum()
    return float(np.sqrt((sums**2).sum()) / len(values))


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """Means by horizon, and how many clustered standard errors each coverage is off its level."""
    by = rows.groupby("horizon", observed=True)
    out = by[[name for name in _FORMS if name in rows]].mean()
    for level in INTERVALS:
        column = f"covers_{level}"
        error = pd.Series({where: clustered_error(own[column], own.task) for where, own in by}, dtype=float)
        # Where all curves missed alike there is no error to divide by.
        out[f"z_{level}"] = ((out[column] - level / 100) / error).where(error > 1e-9)
    out["curves"] = by.size()
    out = out.reindex(HORIZONS)
    return out.assign(curves=out.curves.fillna(0).astype(int))


_FORMS = {
    **{"crps": ".4f", "log_score": ".2f", "pit": ".2f", "z": "+.2f", "width_95": ".3f", "curves": ".0f"},
    **{f"covers_{level}": ".1%" for level in INTERVALS},
    **{f"z_{level}": ".1f" for level in INTERVALS},
}


def cell(table: pd.DataFrame, figure: str) -> str:
    """The numbers of the horizons in a table that `summarise` made; - where there are none."""
    numbers = ["-" if np.isnan(value) else f"{value:{_FORMS[figure]}}" for value in table[figure]]
    text = " ".join(numbers).replace("%", "")
    return shorten(text) if figure in ("crps", "pit", "z", "width_95") else text


def shorten(numbers: str) -> str:
    """Fractions without the nought before the point."""
    return re.sub(r"\b0\.", ".", numbers)


def describe_change(rows: pd.DataFrame, baseline: pd.DataFrame) -> str:
    """How many per cent the CRPS differs on the same curves, by horizon, each with its clustered standard error."""
    pairs = rows.merge(baseline, on=_KEYS, suffixes=("", "_before"))
    found = []
    for where in HORIZONS:
        own = pairs[pairs.horizon == where]
        if len(own):
            change, before = own.crps - own.crps_before, own.crps_before.mean() / 100
            found.append(f"{change.mean() / before:+.1f} ± {clustered_error(change, own.task) / before:.1f}")
    return ", ".join(found) or "-"


def row(*cells: str) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def titles(*cells: str) -> str:
    """The first two lines of a Markdown table."""
    return f"{row(*cells)}\n|{'---|' * len(cells)}"


def head(first: str) -> str:
    """The titles of a table whose rows `line` makes."""
    covers = [f"{level} % covers (z)" for level in INTERVALS]
    return titles(first, "CRPS", "log score", *covers, "mean PIT", "95 % width", "curves")


def line(name: str, rows: pd.DataFrame) -> str:
    """A row with all figures of a sample."""
    table = summarise(rows)
    covers = [f"{cell(table, f'covers_{level}')} ({cell(table, f'z_{level}')})" for level in INTERVALS]
    scores, others = (
        [cell(table, figure) for figure in figures]
        for figures in (("crps", "log_score"), ("pit", "width_95", "curves"))
    )
    return row(name, *scores, *covers, *others)
