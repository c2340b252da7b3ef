"""`collect_curves`: learning curves of a classifier on labelled data, by the protocol of the paper."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from .._check import check_bool
from ..files.writing import check_writable
from ..running.processes import check_n_jobs
from .curves import CurveSet
from .fit_plan import FitPlan
from .runner import run_fits
from .scores import Scorer

__all__ = ["collect_curves"]


def collect_curves(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    sizes: ArrayLike | str | None = None,
    n_splits: int = 3,
    metric: str | Sequence[str] | Mapping[str, Scorer] = "auroc",
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    results: str | os.PathLike[str] | None = None,
    progress: bool = True,
    ratio: tuple[float, float, float] = (8, 1, 1),
    multiclass: Literal["one_vs_rest", "macro"] = "one_vs_rest",
    by_group: bool = False,
    tasks: Sequence[str] | None = None,
) -> CurveSet:
    """Measure learning curves of a classifier with the paper's protocol.

    Each split divides the groups into train, validation and test, class by class, and orders the training set once; the
    training subsets are its leading parts. On each subset the estimator is fitted, tuned on validation, and scored on
    test, and on the subset itself: training scores show how much is still to be gained. What a row of the result
    contains depends on its size, split and task and on `seed`, not on the other sizes and splits or on how many
    processes there are.

    Parameters
    ----------
    estimator : scikit-learn classifier
        It sees the classes as 0, 1, ... `TunedLogistic()` is a good one to start with. One whose `fit` takes
        `validation=(X, y)`, as `TunedLogistic` and the paper's heads do, is given the validation set to choose its own
        settings by; if it takes `groups` and `scorer`, also the groups of the training rows and the first metric. Where
        a `random_state` or `seed` in it is None, it gets one that follows from `seed`.
    X : array, sparse matrix, data frame of shape (n, features), or for SliceHead a sequence of n scans
        The cases.
    y : array of shape (n,), or a mapping or data frame of several
        Their classes. Of several labels each is a task of its own, with splits that are stratified by it.
    groups : array of shape (n,), optional
        Which rows belong together, such as those of a patient; a group is in exactly one of train, validation, test. An
        estimator that requests them by scikit-learn's metadata routing, as a search with GroupKFold does, is passed
        those of the training rows.
    sample_weight : array of shape (n,), optional
        Weights of the rows, none of them negative. Those of the training rows are passed to `fit` if it takes
        `sample_weight`, or to the parts of a pipeline that request it by scikit-learn's metadata routing; those of the
        rows that are scored to each scorer that requests it (`set_score_request(sample_weight=True)`). If nothing takes
        them, that is an error.
    sizes : sequence of int or "paper", optional
        Sizes of the training subsets; larger ones than the smallest training set are left out with a warning. By
        default 5 to 10, evenly spaced on a log scale, from one that contains 5 cases of each class, or from a 32nd of
        the largest, up to the whole training set, or to as much of it as 200,000 rows in all fits of a split allow; the
        `notes` of the result say which and why. "paper" is 60, 94, 147, 230 and 360.
    n_splits : int
        Number of splits.
    metric : str, list of str, or mapping from names to scorers
        "auroc", "accuracy", "balanced_accuracy", "average_precision", or scikit-learn's name of a scorer, or of a loss
        such as "log_loss". Several are measured on the same fits; the first one is tuned on.
    param_grid : mapping or list of mappings, optional
        Settings of the estimator to choose from on validation, as for scikit-learn's ParameterGrid.
    n_jobs : int, optional
        Number of processes, -1 for all cores; no more than four per core are started. None is 1, unless
        `joblib.parallel_config` says otherwise; within `joblib.parallel_config(backend="dask")` the fits run on the
        Dask cluster of the current client.
    seed : int
        Seed of the splits, subsets and estimators.
    results : path, optional
        CSV file to which each fit is appended when it is done. A call with the same settings and data resumes from it:
        finished fits are kept, failed ones retried. Sizes and splits may be added.
    progress : bool
        Show a progress bar, where there is a terminal.
    ratio : three numbers
        Shares of train, validation and test. Validation may be 0 where nothing is tuned.
    multiclass : {"one_vs_rest", "macro"}
        With three or more classes: one curve for each class to which at least a tenth of the rows belong, against the
        rest (a warning names the others); or one curve of the mean over the classes, for an estimator that handles
        several.
    by_group : bool
        Let a size count whole groups with all their rows, instead of rows of whichever groups.
    tasks : sequence of str, optional
        Which of several labels or classes to measure, however rare; by default all that `multiclass` implies. The
        splits are the same whichever are chosen.

    Returns
    -------
    CurveSet
        Mapping from (task, metric) to LearningCurve, with `.only` for a single one, `.fits`, the table of fits, and
        `.notes`, what was chosen and why.

    Warns
    -----
    ClassesLeftOutWarning
        Classes are too rare to get a curve by default.
    SizesLeftOutWarning
        Sizes were larger than a training set.
    FewTestCasesWarning, LeakWarning, NoFeatureWarning, UngroupedWarning
        Reasons to look at the data again, before the first fit.
    FailedFitsWarning
        Some fits raised errors.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> curve = collect_curves(GaussianNB(), X, y, progress=False).only
    >>> len(curve), curve.metric, curve.learner
    (30, 'auroc', 'naive_bayes')
    """
    n_jobs, progress = check_n_jobs(n_jobs), check_bool("progress", progress)
    # Here, before there is anything to say about the data.
    record = None if results is None else check_writable(results, overwrite=True)
    plan = FitPlan.build(
        estimator,
        X,
        y,
        groups=groups,
        sample_weight=sample_weight,
        sizes=sizes,
        n_splits=n_splits,
        metric=metric,
        param_grid=param_grid,
        seed=seed,
        ratio=ratio,
        multiclass=multiclass,
        by_group=by_group,
        tasks=tasks,
    )
    return run_fits(plan, n_jobs=n_jobs, results=record, progress=progress)
