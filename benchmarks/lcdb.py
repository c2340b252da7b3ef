"""Learning curves of the Learning Curve Database (LCDB), and the main protocol by which forecasts are judged on them.

AUROC of single runs comes from LCDB 1.0: `lcdb_dev.csv.gz` (columns task, learner, seed, size, auroc), or a
`database-*.csv` of the LCDB itself, which the PyPI source distribution lcdb 0.1.0 carries (`pip download lcdb==0.1.0
--no-binary :all:`); of it only the development tasks are read. Mean accuracies over 25 splits come from LCDB 1.1:
`lcdb11_dev.csv.gz` (columns data_set, learner, size, accuracy, standard_error). Tasks go by their OpenML ids in both.

Protocol: the pilot has six sizes, 64 to 362, and three randomly drawn seeds as splits. The target at each larger size
that at least 15 seeds measured is the mean of three other randomly drawn seeds, so forecasts are of new splits. Other
designs are in `pilots.py`, figures of merit in `scoring.py`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from apexgp import LearningCurve

PILOT_SIZES = (64, 91, 128, 181, 256, 362)
LEAST_RUNS = 15
"""A size with fewer runs says too little of the expected score to be a target."""
NOTHING_LEFT = 0.9995
"""A pilot that scores more has nothing to forecast."""

# OpenML ids of the development tasks, and the learners that were kept.
DEVELOPMENT_TASKS = frozenset(
    """
    3 31 44 351 357 720 722 723 728 737 751 761 772 799 803 806 816 823 833 845 847 849 903 910 912 914 953 971
    977 980 991 995 1019 1021 1036 1040 1049 1056 1067 1068 1128 1138 1139 1142 1146 1166 1216 1235 1461 1479
    1486 1487 1489 1494 1590 4134 4135 4137 4534 23512 23517 40701 40713 40910 40978 41142 41143 41145 41156
    41158 41161 41228 42732 42742 42769 42810
    """.split()  # noqa: SIM905 (a list would take a line for each)
)
LEARNERS = frozenset(
    """
    BernoulliNB ExtraTreesClassifier GradientBoostingClassifier KNeighborsClassifier LinearDiscriminantAnalysis
    LogisticRegression MLPClassifier MultinomialNB QuadraticDiscriminantAnalysis RandomForestClassifier
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Case:
    """A pilot, and what was measured later."""

    task: str
    """OpenML id."""
    learner: str
    curve: LearningCurve
    sizes: np.ndarray
    truths: Mapping[str, np.ndarray]
    """Scores at the sizes by what is forecast (`of`); NaN where it was not measured."""
    splits: LearningCurve | None = None
    """The pilot's splits at all sizes, for simulations in which they go on."""
    truth: LearningCurve | None = None
    """The mean over all splits at each size from the pilot's first on."""


# Third-party data that this repository does not hold.
ORIGINS = {
    "lcdb11_dev.csv.gz": "mean accuracies of the Learning Curve Database 1.1 (Yan, Mohr and Viering 2025, CC BY 4.0), "
    "made from the summaries on its site",
    "lcdb_tasks.csv": "numbers of features and classes of the tasks of both databases, from OpenML",
    "average_precision_dev.csv.gz": "average precisions of few-shot learners on patients' records (EHRSHOT) and "
    "molecules (FS-Mol)",
    "tufts": "the results that Harvey et al. (2023) published with their code (MIT), one CSV file a data set and range",
}
_RUNS = (
    "AUROC of single runs of the Learning Curve Database 1.0 (MIT), or its own database-*.csv, which is in the sources "
    "on PyPI (pip download lcdb==0.1.0 --no-binary :all: --no-deps)"
)


def default_path(file: str = "lcdb_dev.csv.gz") -> Path:
    """Where a file of the LCDB is looked for."""
    return data_folder() / "lcdb" / file


def data_folder() -> Path:
    """Where third-party data are looked for."""
    return Path(os.environ.get("APEXGP_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def present(path: str | os.PathLike[str]) -> Path:
    """The path, if there is something; or else the program ends with a line that says where to have it from."""
    if not Path(path).exists():
        raise SystemExit(
            f"There is no {path}: {ORIGINS.get(Path(path).name, _RUNS)}. It is not part of this repository. "
            "APEXGP_DATA names the folder that holds lcdb/ and tufts/."
        )
    return Path(path)


def read(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Columns task, learner, seed, size, score of LCDB 1.0, whichever of the two files it is."""
    table = pd.read_csv(present(path), dtype={"seed": str, "openmlid": str})
    if "openmlid" in table:
        table = table.assign(learner=table.learner.str.rpartition(".")[2])  # without its module
        table = table[table.openmlid.isin(DEVELOPMENT_TASKS) & table.learner.isin(LEARNERS)]
        seed = table.outer_seed.astype(str) + "_" + table.inner_seed.astype(str)
        table = table.assign(seed=seed).rename(
            columns={"openmlid": "task", "size_train": "size", "score_test": "score"}
        )
    return table.rename(columns={"auroc": "score"})[["task", "learner", "seed", "size", "score"]]


def read_with_training(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Columns task, learner, seed, size, test, train, n_test of LCDB 1.0: scores on test and on training rows."""
    return pd.read_csv(present(path), dtype={"seed": str})


def read_means(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Columns task, learner, size, accuracy, standard_error of LCDB 1.1."""
    return pd.read_csv(present(path)).rename(columns={"data_set": "task"})


def read_problems() -> dict[str, dict[str, int]]:
    """Numbers of features, after one-hot encoding where that is known, and of classes, by OpenML id."""
    table = pd.read_csv(present(default_path("lcdb_tasks.csv")), dtype={"openml_id": str})
    features = table.n_encoded.fillna(table.n_features).astype(int)
    columns = zip(table.openml_id, features, table.n_classes, strict=True)
    return {task: {"n_features": int(d), "n_classes": int(classes)} for task, d, classes in columns}


def openml_id(task: object) -> str:
    """`1019` of `1019:pendigits`, as one file names its tasks, and of 1019."""
    return str(task).partition(":")[0]


def draw(table: pd.DataFrame, seed: int = 7, metric: str = "score") -> list[Case]:
    """Draw a pilot and targets from every curve that has enough of both."""
    about = {"metric": metric}
    rng = np.random.default_rng(seed)
    cases = []
    for (task, learner), rows in table.groupby(["task", "learner"]):
        grid = rows.pivot_table(index="seed", columns="size", values="score")
        measured = grid.notna().sum()
        later = [size for size in grid.columns if size > PILOT_SIZES[-1] and measured[size] >= LEAST_RUNS]
        if not later or not set(PILOT_SIZES) <= set(grid.columns):
            continue
        complete = grid[list(PILOT_SIZES)].dropna().index
        if len(complete) < 6:
            continue
        chosen = rng.permutation(complete)[:3]
        pilot, others = grid.loc[chosen, list(PILOT_SIZES)], grid.drop(index=chosen)
        if (others[later].notna().sum() < 3).any() or (metric == "score" and pilot.mean().max() >= NOTHING_LEFT):
            continue
        new = [rng.choice(others[size].dropna().to_numpy(), 3, replace=False).mean() for size in later]
        every = [*PILOT_SIZES, *later]
        own = grid.loc[chosen, every].stack().dropna()
        cases.append(
            Case(
                task=openml_id(task),
                learner=str(learner),
                curve=LearningCurve(PILOT_SIZES, pilot.to_numpy().T, task=str(task), **about),
                sizes=np.array(later, float),
                truths={
                    "new_splits": np.array(new),
                    "expected": grid[later].mean().to_numpy(),
                    "same_splits": grid.loc[chosen, later].mean(skipna=False).to_numpy(),
                },
                splits=LearningCurve(
                    own.index.get_level_values("size"), own, own.index.get_level_values("seed"), **about
                ),
                truth=LearningCurve(every, grid[every].mean().to_numpy(), task=str(task), **about),
            )
        )
    return cases
