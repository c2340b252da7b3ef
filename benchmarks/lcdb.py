"""Learning curves of the Learning Curve Database (LCDB 1.0) and the protocol by which forecasts are judged on them.

The curves come from `lcdb_dev.csv.gz` (columns task, learner, seed, size, auroc), or from a `database-*.csv` of the
LCDB itself, which the PyPI source distribution lcdb 0.1.0 carries (`pip download lcdb==0.1.0 --no-binary :all:`); of it
only the development tasks are read.

Protocol: the pilot has six sizes, 64 to 362, and three randomly drawn seeds as splits. The target at each larger size
that at least 15 seeds measured is the mean of three other randomly drawn seeds, so forecasts are of new splits. Figures
are averaged within a curve and horizon first, then over curves; standard errors are clustered by task.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from apexgp import Forecast, LearningCurve, metrics

PILOT_SIZES = (64, 91, 128, 181, 256, 362)
LEVELS = np.linspace(0.005, 0.995, 199)
HORIZONS = ("<=2x", "2-10x", ">10x")

# OpenML ids of the development tasks, and the learners that were kept.
DEVELOPMENT_TASKS = frozenset(
    [
        "3",
        "31",
        "44",
        "351",
        "357",
        "720",
        "722",
        "723",
        "728",
        "737",
        "751",
        "761",
        "772",
        "799",
        "803",
        "806",
        "816",
        "823",
        "833",
        "845",
        "847",
        "849",
        "903",
        "910",
        "912",
        "914",
        "953",
        "971",
        "977",
        "980",
        "991",
        "995",
        "1019",
        "1021",
        "1036",
        "1040",
        "1049",
        "1056",
        "1067",
        "1068",
        "1128",
        "1138",
        "1139",
        "1142",
        "1146",
        "1166",
        "1216",
        "1235",
        "1461",
        "1479",
        "1486",
        "1487",
        "1489",
        "1494",
        "1590",
        "4134",
        "4135",
        "4137",
        "4534",
        "23512",
        "23517",
        "40701",
        "40713",
        "40910",
        "40978",
        "41142",
        "41143",
        "41145",
        "41156",
        "41158",
        "41161",
        "41228",
        "42732",
        "42742",
        "42769",
        "42810",
    ]
)
LEARNERS = frozenset(
    [
        "BernoulliNB",
        "ExtraTreesClassifier",
        "GradientBoostingClassifier",
        "KNeighborsClassifier",
        "LinearDiscriminantAnalysis",
        "LogisticRegression",
        "MLPClassifier",
        "MultinomialNB",
        "QuadraticDiscriminantAnalysis",
        "RandomForestClassifier",
    ]
)


@dataclass(frozen=True)
class Case:
    """A pilot, and what was measured later."""

    task: str
    learner: str
    curve: LearningCurve
    sizes: np.ndarray
    scores: np.ndarray
    splits: LearningCurve
    """The pilot's splits at all sizes, for simulations in which they go on."""
    truth: LearningCurve
    """The mean over all splits at each of those sizes."""


def default_path() -> Path:
    data = os.environ.get("APEXGP_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
    return Path(data) / "lcdb" / "lcdb_dev.csv.gz"


def read(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Columns task, learner, seed, size, score, whichever of the two files it is."""
    table = pd.read_csv(path, dtype={"seed": str, "openmlid": str})
    if "openmlid" in table:
        table = table.assign(learner=table.learner.str.rpartition(".")[2])  # without its module
        table = table[table.openmlid.isin(DEVELOPMENT_TASKS) & table.learner.isin(LEARNERS)]
        seed = table.outer_seed.astype(str) + "_" + table.inner_seed.astype(str)
        table = table.assign(seed=seed).rename(
            columns={"openmlid": "task", "size_train": "size", "score_test": "score"}
        )
    return table.rename(columns={"auroc": "score"})[["task", "learner", "seed", "size", "score"]]


def draw(table: pd.DataFrame, seed: int = 7) -> list[Case]:
    """Draw a pilot and targets from every curve that has enough of both."""
    rng = np.random.default_rng(seed)
    cases = []
    for (task, learner), rows in table.groupby(["task", "learner"]):
        grid = rows.pivot_table(index="seed", columns="size", values="score")
        measured = grid.notna().sum()
        later = [size for size in grid.columns if size > PILOT_SIZES[-1] and measured[size] >= 15]
        if not later or not set(PILOT_SIZES) <= set(grid.columns):
            continue
        complete = grid[list(PILOT_SIZES)].dropna().index
        if len(complete) < 6:
            continue
        chosen = rng.permutation(complete)[:3]
        pilot, others = grid.loc[chosen, list(PILOT_SIZES)], grid.drop(index=chosen)
        if (others[later].notna().sum() < 3).any() or pilot.mean().max() >= 0.9995:
            continue
        truth = [rng.choice(others[size].dropna().to_numpy(), 3, replace=False).mean() for size in later]
        curve = LearningCurve(PILOT_SIZES, pilot.to_numpy().T, task=str(task))
        every = [*PILOT_SIZES, *later]
        own = grid.loc[chosen, every].stack().dropna()
        splits = LearningCurve(own.index.get_level_values("size"), own, own.index.get_level_values("seed"))
        means = LearningCurve(every, grid[every].mean().to_numpy(), task=str(task))
        cases.append(Case(str(task), str(learner), curve, np.array(later, float), np.array(truth), splits, means))
    return cases


def score(case: Case, forecast: Forecast) -> pd.DataFrame:
    """One row for each later size."""
    # Twice the mean pinball loss over many levels is the CRPS to three digits, and quick.
    gap = case.scores - forecast.quantile(LEVELS)
    row = {
        "crps": 2 * np.mean(np.where(gap >= 0, LEVELS[:, None] * gap, (LEVELS[:, None] - 1) * gap), axis=0),
        "log_score": np.minimum(metrics.log_score(forecast, case.scores, axis=()), -np.log(1e-12)),
        "error": np.abs(forecast.median - case.scores),
    }
    for level in (0.8, 0.95):
        lower, upper = forecast.interval(level)
        row[f"covers_{100 * level:.0f}"] = ((case.scores >= lower) & (case.scores <= upper)).astype(float)
        row[f"width_{100 * level:.0f}"] = upper - lower
    frame = pd.DataFrame(row)
    times = case.sizes / PILOT_SIZES[-1]
    frame["horizon"] = pd.cut(times, [0, 2.05, 10, np.inf], labels=list(HORIZONS))
    return frame


def evaluate(cases: Iterable[Case], forecast: Callable[[Case], Forecast]) -> pd.DataFrame:
    """Mean figures of each curve and horizon."""
    frames = [
        score(case, forecast(case)).assign(curve=i, task=case.task, learner=case.learner)
        for i, case in enumerate(cases)
    ]
    rows = pd.concat(frames, ignore_index=True)
    return rows.groupby(["horizon", "curve", "task", "learner"], observed=True).mean().reset_index()


def clustered_error(values: pd.Series, task: pd.Series) -> float:
    """Standard error of a mean whose terms are correlated within a task."""
    sums = (values - values.mean()).groupby(task).sum()
    return float(np.sqrt((sums**2).sum()) / len(values))


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """Means by horizon, and how many clustered standard errors each coverage is off its level."""
    by = rows.groupby("horizon", observed=True)
    figures = [c for c in rows if c not in ("horizon", "curve", "task", "learner")]
    out = by[figures].mean()
    for level in (80, 95):
        column = f"covers_{level}"
        error = by[["task", column]].apply(lambda own, column=column: clustered_error(own[column], own.task))
        out[f"z_{level}"] = (out[column] - level / 100) / error
    out["curves"] = by.size()
    return out
