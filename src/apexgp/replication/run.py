"""`run_experiment`: curves from embeddings by the protocol of the paper, then forecasts and figures."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from .._check import check_bool, check_path, format_value
from ..collect.curves import CurveSet
from ..collect.labelled import LabelledData, MappedScans, read_labelled
from ..collect.prepare import Prepared
from ..collect.run import collect_curves
from ..curve import LearningCurve
from ..errors import ApexError, DataError, FewTestCasesWarning
from ..vocabulary import Vocabulary
from .configuration import Experiment
from .judge import judge_curves
from .result import ExperimentResult

__all__ = ["run_experiment"]


def run_experiment(
    experiment: Experiment | str | os.PathLike[str],
    embeddings: str | os.PathLike[str] | None = None,
    *,
    results: str | os.PathLike[str] | None = None,
    dense: bool = True,
    n_jobs: int | None = None,
    progress: bool = True,
) -> ExperimentResult:
    """Run the paper's experiment on embeddings: splits, subsets, heads, curves, forecasts of all methods, figures.

    Parameters
    ----------
    experiment
        What to run: an Experiment, the name of one that ships with apexgp, or a configuration file.
    embeddings
        What `apexgp embed` wrote, an .npy or .npz file, or a table of features, in place of what the configuration
        names.
    results
        CSV file to which each fit is appended when it is done; the same experiment resumes from it.
    dense
        Whether to do the many runs at large sizes that a configuration may ask for, which take most of the time.
    n_jobs, progress
        As for `collect_curves`, which does the fits; so is a Dask cluster.

    Returns
    -------
    ExperimentResult
    """
    wanted = experiment if isinstance(experiment, Experiment) else Experiment.read(experiment)
    if not check_bool("dense", dense):
        wanted = replace(wanted, dense=None)
    if embeddings is not None:
        wanted = replace(wanted, embeddings=check_path(embeddings))  # so that the result says what was read
    settings: dict[str, Any] = {"results": results, "n_jobs": n_jobs, "progress": progress}
    sizes = sorted({*wanted.pilot, *wanted.short, *wanted.long})
    dense_fits = None
    with _name_errors_by_keys():
        data = _read_data(wanted)
        fits = _collect(wanted, data, sizes, wanted.n_splits, settings)
        if wanted.dense is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FewTestCasesWarning)  # said already, of the pilot's splits
                dense_fits = _collect(wanted, data, wanted.dense.sizes, wanted.dense.runs, settings)
    dense_curves = None if dense_fits is None else _title_curves(wanted, dense_fits)
    found = judge_curves(wanted, _title_curves(wanted, fits), dense_curves)
    failed = [caution for run in (fits, dense_fits) if run is not None for caution in run.cautions]
    return replace(found, fits=fits, dense_fits=dense_fits, notes=data.notes, cautions=(*failed, *found.cautions))


def _use_key(name: str, _value: Any) -> str:
    return name


KEYS = Vocabulary(
    {
        "label": "data.labels",
        "y": "data.labels",
        "tasks": "data.tasks",
        "group": "data.patients",
        "groups": "data.patients",
        "labels": "data.table",
        "drop": "data.drop",
        "metric": "classifier.metric",
        "sizes": "sizes",
        "n_splits": "splits.number",
        "ratio": "splits.ratio",
        "seed": "splits.seed",
    },
    _use_key,
)
"""Keys of a configuration for the arguments of `read_labelled` and `collect_curves`."""


@contextmanager
def _name_errors_by_keys() -> Iterator[None]:
    """Let errors about settings of a configuration name its keys."""
    try:
        yield
    except ApexError as problem:
        problem.worded_for(KEYS)
        raise


def _read_data(experiment: Experiment) -> LabelledData:
    """Read the data, and check that they are of the kind that the head takes."""
    path = experiment.embeddings
    if path is None:
        raise DataError(
            f"The configuration of {experiment.name} names no embeddings.",
            remedy=("Name them with {}, or in the configuration as data.embeddings.", "embeddings"),
        )
    if not os.path.exists(path):
        raise DataError(
            f"There are no embeddings at {path}. Create them with apexgp embed,",
            remedy=("or name existing ones with {}.", "embeddings"),
        )
    data = read_labelled(path, experiment.labels, experiment.patients, labels=experiment.table, drop=experiment.drop)
    scans = isinstance(data.X, MappedScans) or np.ndim(data.X) == 3
    if scans != (experiment.head == "3D"):
        data_kind, matching_heads = ("scans", "'3D'") if scans else ("one row of features per case", "'2D' or 'tuned'")
        raise DataError(
            f"{path} holds {data_kind}, which classifier.head = {format_value(experiment.head)} cannot use. Set it to "
            f"{matching_heads}."
        )
    return data


def _collect(
    experiment: Experiment, data: LabelledData, sizes: Any, n_splits: int, settings: dict[str, Any]
) -> CurveSet:
    head = experiment.classifier()
    return collect_curves(
        Prepared(head, data.categorical) if data.needs_preparation else head,
        data.X,
        _choose_labels(experiment, data),
        groups=data.groups,
        sizes=sizes,
        n_splits=n_splits,
        metric=experiment.metric,
        seed=experiment.seed,
        ratio=experiment.ratio,
        tasks=list(experiment.tasks) or None,
        **settings,
    )


def _choose_labels(experiment: Experiment, data: LabelledData) -> Any:
    """The labels; a single one of two classes keeps its name, which becomes that of its task."""
    if isinstance(data.y, dict) or len(np.unique(data.y)) > 2:
        return data.y
    return {experiment.labels[0]: data.y}


def _title_curves(experiment: Experiment, curves: CurveSet) -> dict[str, LearningCurve]:
    """Curves by the titles of their tasks, in the order of the configuration."""
    found = {str(task): curve for (task, _), curve in curves.items()}
    order = [task for task in (*experiment.tasks, *experiment.labels) if task in found]
    return {experiment.tasks.get(task, task): found[task] for task in dict.fromkeys([*order, *found])}
