"""The whole run: the paper's protocol over sizes, splits and tasks, in parallel, recorded as it goes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal

from numpy.typing import ArrayLike

from .._check import checked_seed, choice, jobs, some, truth, whole_number
from .._progress import bar
from .._warn import warn
from ..errors import DataError, FailedFitsWarning, RequestError
from .cases import Cases
from .curves import CurveSet
from .fit import Fit, check_classifier
from .identity import described
from .results import Record, resumed
from .scores import Scorer, scorers_by_name
from .splits import check_ratio
from .subsets import Subsets
from .workers import Task, in_workers

__all__ = ["collect_curves"]

_MOST_SPLITS = 1000


def collect_curves(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    sizes: ArrayLike | None = None,
    n_splits: int = 3,
    metric: str | Sequence[str] | Mapping[str, Scorer] = "auroc",
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    results: str | os.PathLike[str] | None = None,
    progress: bool = True,
    ratio: tuple[float, float, float] = (8, 1, 1),
    multiclass: Literal["one_vs_rest", "macro"] = "one_vs_rest",
    count: Literal["rows", "groups"] = "rows",
) -> CurveSet:
    """Measure learning curves of a classifier by the paper's protocol.

    Each split divides the groups into train, validation and test, class by class, and puts the training set into one
    order, whose beginnings are the training subsets. On each subset the estimator is fitted, tuned on validation, and
    scored on test. What a row of the result holds depends on its size, split and task and on `seed`, not on the
    other sizes and splits or on how many processes there are.

    Parameters
    ----------
    estimator : scikit-learn classifier
        It sees the classes as 0, 1, ... One whose `fit` takes `validation=(X, y)`, as `LogisticHead` and `SliceHead`
        do, is given the validation set to choose its own settings by. Where a `random_state` in it is None, it
        gets one that follows from `seed`.
    X : array, sparse matrix, data frame of shape (n, features), or for SliceHead a sequence of n scans
        The cases.
    y : array of shape (n,)
        Their classes.
    groups : array of shape (n,), optional
        Which rows belong together, a patient's for instance; a group is in exactly one of train, validation, test.
    sizes : sequence of int, optional
        Sizes of the training subsets. By default 60, 94, 147, 230 and 360 where the training sets are that large,
        otherwise five log-spaced ones up to the smallest training set. Larger ones are left out with a warning.
    n_splits : int
        Number of splits.
    metric : str, list of str, or mapping from names to scorers
        "auroc", "accuracy", "balanced_accuracy", "average_precision", or scikit-learn's name of a scorer with values
        in [0, 1]. Several are measured on the same fits; the first one is tuned on.
    param_grid : mapping or list of mappings, optional
        Settings of the estimator to choose from on validation, as for scikit-learn's ParameterGrid.
    n_jobs : int, optional
        Number of processes, -1 for all cores. None is 1, unless `joblib.parallel_config` says otherwise; within
        `joblib.parallel_config(backend="dask")` the fits run on the Dask cluster of the current client.
    seed : int
        Seed of the splits, subsets and estimators.
    results : path, optional
        CSV file that each fit is added to when it is done. A call with the same settings and data goes on from it:
        finished fits are kept, failed ones tried again. Sizes and splits may be added.
    progress : bool
        Show a progress bar, where there is a terminal.
    ratio : three numbers
        Shares of train, validation and test. Validation may be 0 where nothing is tuned.
    multiclass : {"one_vs_rest", "macro"}
        With three or more classes: a curve for each class that at least a tenth of the rows are of, telling it apart
        from the rest; or one curve of the mean over the classes, for an estimator that knows several.
    count : {"rows", "groups"}
        What a size counts: rows, of whichever groups; or whole groups with all their rows.

    Returns
    -------
    CurveSet
        Mapping from (task, metric) to LearningCurve, with `.only` for a single one and `.fits`, the table of fits.

    Warns
    -----
    SizesLeftOutWarning
        Sizes were larger than a training set.
    FailedFitsWarning
        Some fits raised errors.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> collect_curves(GaussianNB(), X, y, progress=False).only
    LearningCurve(15 scores at 5 sizes from 60 to 360, 3 splits, metric='auroc', task='1')
    """
    n_splits, seed = whole_number("n_splits", n_splits, least=1, most=_MOST_SPLITS), checked_seed(seed)
    n_jobs, progress = jobs(n_jobs), truth("progress", progress)
    shares = check_ratio(ratio)
    choice("multiclass", multiclass, ("one_vs_rest", "macro"))
    choice("count", count, ("rows", "groups"))
    check_classifier(estimator)
    candidates = _candidates(param_grid, estimator, shares)
    cases = Cases.checked(X, y, groups, parts_wanted=sum(share > 0 for share in shares))
    together = multiclass == "macro" and len(cases.classes) > 2
    targets = cases.targets(together)
    scorers = scorers_by_name(metric, several_classes=together)
    subsets = Subsets(cases, shares, seed, n_splits, count)
    chosen_sizes = subsets.sizes(sizes)
    fits = [
        subsets.fit(size, split, task)
        for size in reversed(chosen_sizes)  # the longest first, so that no worker is left with one at the end
        for split in range(n_splits)
        for task in targets
    ]
    settings = {
        "metrics": list(scorers),
        "estimator": described(estimator),
        "param_grid": described(param_grid),
        "seed": seed,
        "ratio": shares,
        "multiclass": multiclass,
        "count": count,
        **({"scorers": described(scorers)} if isinstance(metric, Mapping) else {}),
        **cases.facts(),
    }
    opened = nullcontext(Record(list(scorers))) if results is None else resumed(results, settings, list(scorers))
    with opened as record:
        done = record.finished()
        left = [fit for fit in fits if (fit.size, fit.split, fit.task) not in done]

        def task_of(fit: Fit) -> Task:
            return fit, estimator, cases.X, targets[fit.task], candidates, scorers

        with bar("fits", len(fits), len(fits) - len(left), progress) as advance:
            for row in in_workers(task_of, left, n_jobs):
                record.add(row)
                advance()
    asked_for = {(fit.size, fit.split, fit.task) for fit in fits}
    return _curves(record, asked_for)


def _candidates(param_grid: Any, estimator: Any, shares: tuple[float, float, float]) -> list[dict[str, Any]]:
    if param_grid is None:
        return [{}]
    from sklearn.model_selection import ParameterGrid

    try:
        candidates = list(ParameterGrid(param_grid))
    except Exception as problem:
        raise RequestError(f"must map parameters to lists of values: {problem}", argument="param_grid") from None
    if not candidates:
        raise RequestError("is empty. Leave it out where nothing is to be tuned.", argument="param_grid")
    unknown = sorted({str(name) for candidate in candidates for name in candidate} - set(estimator.get_params()))
    if unknown:
        raise RequestError(
            f"names {some(unknown)}, which {type(estimator).__name__} does not have; it has "
            f"{some(sorted(estimator.get_params()), 12)}.",
            argument="param_grid",
        )
    if shares[1] == 0 and len(candidates) > 1:
        raise RequestError(
            "is tuned on validation, which has no share of the data.",
            argument="param_grid",
            remedy=("Try {}.", ("ratio", (8, 1, 1))),
        )
    return candidates


def _curves(record: Record, asked_for: set[tuple[int, int, str | None]]) -> CurveSet:
    """The curves of what was asked for; says what failed."""
    rows = [row for row in record.rows if (row["size"], row["split"], row["task"]) in asked_for]
    curves = CurveSet(Record(record.metrics, rows))
    if curves.failed:
        reasons = Counter(row["error"] for row in curves.failed)
        told = "; ".join(f"{number} with {reason.rstrip('.')}" for reason, number in reasons.most_common(3))
        if not len(curves):
            raise DataError(f"All {len(curves.failed)} fits failed: {told}.")
        warn(
            f"{len(curves.failed)} of {len(curves.fits)} fits failed and are missing from the curves: {told}. "
            "They are tried again when the run is repeated with the same results file.",
            FailedFitsWarning,
        )
    return curves
