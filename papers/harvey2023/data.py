"""The authors' own results: scores by task, training-set size and data split."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from apexgp import LearningCurve

Extent = Literal["short", "long"]

LARGEST_PILOT_SIZE = 360
DENSE_SIZES = (5000, 10000, 20000)
SPLITS_AVERAGED = 3  # of which the mean is one accuracy of the dense evaluation
SOURCE = "https://github.com/tufts-ml/extrapolating-classifier-accuracy-to-larger-datasets"


@dataclass(frozen=True)
class Task:
    """A label of a data set."""

    dataset: str
    label: str
    file: str
    """How the names of its files begin."""
    column: int
    """Which of the numbers in a row is its."""
    ceiling: float
    """1 - eps_min, as the text states it."""


def _tasks() -> Iterable[Task]:
    known = (
        ("ChestX-ray14", "ChestX-ray14", 1.0, ("Atelectasis", "Effusion", "Infiltration")),
        ("Chest X-Ray", "Chest_X-Ray", 1.0, ("Bacterial", "Viral")),
        ("BUSI", "BUSI", 1.0, ("Normal", "Benign", "Malignant")),
        ("TMED-2", "TMED-2", 1.0, ("PLAX", "PSAX", "A4C", "A2C")),
        ("OASIS-3", "OASIS-3", 0.95, ("Alzheimer's",)),
        ("Pilot neuroimaging", "Pilot", 0.95, ("WMD", "CBI")),
    )
    for dataset, file, ceiling, labels in known:
        for column, label in enumerate(labels):
            yield Task(dataset, label, file, column, ceiling)


TASKS = {task.label: task for task in _tasks()}
LARGE = ("ChestX-ray14", "Chest X-Ray", "TMED-2")
"""Data sets with more than 720 training samples."""
DENSE = ("ChestX-ray14", "TMED-2")
"""Data sets with the dense evaluation."""


def tasks_of(extent: Extent) -> list[Task]:
    """Tasks that have scores in that range, in the order of the tables."""
    return [task for task in TASKS.values() if extent == "short" or task.dataset in LARGE]


class MissingDataError(Exception):
    """A file of the authors' results is not where it was looked for."""


def default_folder() -> Path:
    """Where the results are: in `tufts` of the folder that APEXGP_DATA names, or beside the repository."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    return Path(os.environ.get("APEXGP_DATA") or beside) / "tufts"


@dataclass(frozen=True)
class Results:
    """The authors' results in a folder."""

    folder: Path

    def check(self) -> None:
        """Raise where a file is missing, before any work is done."""
        stems = dict.fromkeys((task.file, task.dataset) for task in TASKS.values())
        wanted = [f"{file}_short_range.csv" for file, _ in stems]
        wanted += [f"{file}_long_range.csv" for file, dataset in stems if dataset in LARGE]
        wanted += [_dense_name(file, size) for file, dataset in stems if dataset in DENSE for size in DENSE_SIZES]
        missing = [name for name in wanted if not (self.folder / name).is_file()]
        if missing:
            others = f" and {len(missing) - 1} more files" if len(missing) > 1 else ""
            raise MissingDataError(
                f"There is no {missing[0]}{others} in {self.folder}. Take them from the folder experiments/ of "
                f"{SOURCE}, and name theirs with --data, or with APEXGP_DATA the folder that holds them as tufts/."
            )

    @cache  # noqa: B019 - a run has one of these
    def curve(self, task: Task, extent: Extent) -> LearningCurve:
        """The whole curve: the pilot, and what was measured later in that range."""
        sizes, splits, scores = self._read(f"{task.file}_{extent}_range.csv")
        return LearningCurve(sizes, scores[:, task.column], splits, metric="auroc", task=task.label)

    def pilot(self, task: Task) -> LearningCurve:
        """What the forecasts are made from.

        Those of the file of the short range, as in the released code. The pilots in the files of the long range are the
        same but for four scores of TMED-2, which differ by up to 0.001.
        """
        return self.curve(task, "short").up_to(LARGEST_PILOT_SIZE)

    def later(self, task: Task, extent: Extent) -> LearningCurve:
        """What the forecasts are judged by."""
        return self.curve(task, extent).beyond(LARGEST_PILOT_SIZE)

    def dense(self, task: Task) -> np.ndarray:
        """Scores of single runs, shape (300, number of `DENSE_SIZES`)."""
        columns = [self._read(_dense_name(task.file, size))[2][:, task.column] for size in DENSE_SIZES]
        return np.stack(columns, axis=1)

    @cache  # noqa: B019
    def _read(self, name: str) -> tuple[list[int], list[str], np.ndarray]:
        with (self.folder / name).open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        scores = np.array([row["test_auroc"].strip("[]").split() for row in rows], float)
        return [int(row["n"]) for row in rows], [row["random_state"] for row in rows], scores


def _dense_name(file: str, size: int) -> str:
    return f"{file}_{size // 1000}k.csv"
