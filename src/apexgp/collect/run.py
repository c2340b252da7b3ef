"""The whole run: the paper's protocol over sizes, splits and tasks, in parallel, recorded as it goes."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import choice, sizes_array, some, whole_number
from .._warn import warn
from ..errors import DataError, FailedFitsWarning, RequestError, SizesLeftOutWarning
from .curves import CurveSet
from .fit import Fit, check_classifier, measure
from .results import Record, resumed
from .scores import Scorer, scorers_by_name
from .slices import Scans
from .splits import Parts, check_ratio, codes, growing_order, split_by_group

__all__ = ["collect_curves"]

PAPER_SIZES = (60, 94, 147, 230, 360)
_LEAST_PREVALENCE = 0.1


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
    n_splits, seed = whole_number("n_splits", n_splits, least=1), whole_number("seed", seed, least=0)
    shares = check_ratio(ratio)
    choice("multiclass", multiclass, ("one_vs_rest", "macro"))
    choice("count", count, ("rows", "groups"))
    check_classifier(estimator)
    candidates = _candidates(param_grid, estimator, shares)
    data = _Data.checked(X, y, groups, parts_wanted=sum(share > 0 for share in shares))
    together = multiclass == "macro" and len(data.classes) > 2
    targets = _targets(data, together)
    scorers = scorers_by_name(metric, several_classes=together)
    plan = _Plan(data, shares, seed, n_splits, count)
    chosen_sizes = plan.sizes(sizes)
    fits = [
        plan.fit(size, split, task)
        for size in reversed(chosen_sizes)  # the longest first, so that no worker is left with one at the end
        for split in range(n_splits)
        for task in targets
    ]
    settings = {
        "metrics": list(scorers),
        "estimator": _description(estimator),
        "param_grid": _without_addresses(repr(param_grid)),
        "seed": seed,
        "ratio": shares,
        "multiclass": multiclass,
        "count": count,
        **({"scorers": _without_addresses(repr(metric))} if isinstance(metric, Mapping) else {}),
        **data.facts(),
    }
    opened = nullcontext(Record(list(scorers))) if results is None else resumed(results, settings, list(scorers))
    with opened as record:
        done = record.finished()
        left = [fit for fit in fits if (fit.size, fit.split, fit.task) not in done]
        work = (joblib.delayed(measure)(estimator, data.X, targets[f.task], f, candidates, scorers) for f in left)
        # Batches would hold back finished fits from the record.
        parallel = joblib.Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
        with _bar(len(fits), len(fits) - len(left), progress) as advance:
            for row in parallel(work) if left else ():
                record.add(row)
                advance()
    asked_for = {(fit.size, fit.split, fit.task) for fit in fits}
    return _curves(record, asked_for)


@dataclass(frozen=True)
class _Data:
    """The cases, checked: codes of classes and groups beside X."""

    X: Any
    y: NDArray[np.int64]
    classes: NDArray[Any]
    groups: NDArray[np.int64]
    grouped: bool

    @classmethod
    def checked(cls, X: Any, y: ArrayLike, groups: ArrayLike | None, parts_wanted: int) -> _Data:
        if isinstance(X, (list, tuple)):
            X = Scans(X) if len(X) and np.ndim(X[0]) == 2 else np.asarray(X)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        labels = np.asarray(y)
        if labels.dtype.kind == "f" and not np.isnan(labels).any() and (labels != np.round(labels)).any():
            raise DataError(
                f"must hold classes, got numbers such as {some(labels[labels != np.round(labels)], 2)}. Curves of "
                "regressions cannot be collected: make classes of them, by a threshold for instance.",
                argument="y",
            )
        code, classes = codes("y", labels)
        if len(code) != n_rows:
            raise DataError(f"X and y must have one row a case, got {n_rows} and {len(code)}.")
        if len(classes) < 2:
            raise DataError(f"must hold two classes or more, got only {some(classes)}.", argument="y")
        group = np.arange(n_rows) if groups is None else codes("groups", groups)[0]
        if len(group) != n_rows:
            raise DataError(f"X and groups must have one row a case, got {n_rows} and {len(group)}.")
        pairs = np.unique(np.stack([code, group]), axis=1)
        held = np.bincount(pairs[0])
        if (held < parts_wanted).any():
            few = [f"{name} ({number})" for name, number in zip(classes, held, strict=True) if number < parts_wanted]
            unit = "rows" if groups is None else "groups"
            raise DataError(
                f"Each class needs {parts_wanted} {unit} or more, one for each part of the data. Too few {unit} have "
                f"{some(few)}. Leave these classes out or join them; if y is a quantity, turn it into classes."
            )
        return cls(X, code, classes, group, groups is not None)

    def facts(self) -> dict[str, Any]:
        """What tells these data from others, for the record of a run."""
        counts = dict(zip(map(str, self.classes), np.bincount(self.y).tolist(), strict=True))
        return {
            "cases": len(self.y),
            "classes": counts if len(counts) <= 20 else len(counts),
            "X": joblib.hash(self.X),
            "y": joblib.hash(self.y),
            "groups": joblib.hash(self.groups) if self.grouped else None,
        }


class _Plan:
    """Splits and training subsets; each split follows from the seed and its own number alone."""

    def __init__(
        self,
        data: _Data,
        shares: tuple[float, float, float],
        seed: int,
        n_splits: int,
        count: str,
    ) -> None:
        self._seed = seed
        self._parts: list[Parts] = []
        self._units: list[NDArray[np.int64]] = []
        self._orders: list[NDArray[np.int64]] = []
        self._smallest = 0
        for split in range(n_splits):
            rng = np.random.default_rng([seed, split])
            parts = split_by_group(data.y, data.groups, shares, rng)
            in_train = data.groups[parts.train] if count == "groups" else parts.train
            units = np.unique(in_train, return_inverse=True)[1]
            order, smallest = growing_order(data.y[parts.train], units, rng)
            self._parts.append(parts)
            self._units.append(units)
            self._orders.append(order)
            self._smallest = max(self._smallest, smallest)
        self._largest = min(len(order) for order in self._orders)
        self._unit_name = "groups" if count == "groups" else "rows"

    def sizes(self, wanted: ArrayLike | None) -> list[int]:
        """The sizes to measure: those wanted that fit, or good ones."""
        if wanted is None:
            if self._largest >= PAPER_SIZES[-1]:
                good = [size for size in PAPER_SIZES if size >= self._smallest]
                return good or [self._largest]
            lowest = max(self._smallest, -(-self._largest // 6))  # the paper's five span a factor of 6, too
            return sorted(set(np.geomspace(lowest, self._largest, 5).round().astype(int).tolist()))
        given = np.unique(sizes_array("sizes", wanted))
        if (given != np.round(given)).any():
            fractions = given[given != np.round(given)]
            raise RequestError(f"must be whole numbers, got {some(fractions)}.", argument="sizes")
        if given[0] < self._smallest:
            raise RequestError(
                f"must be at least {self._smallest}, so that every training subset holds every class, got "
                f"{given[0]:g}.",
                argument="sizes",
            )
        fitting, beyond = given[given <= self._largest], given[given > self._largest]
        if not fitting.size:
            raise RequestError(
                f"All sizes are beyond the {self._largest} {self._unit_name} of the smallest training set: "
                f"{some(beyond)}. Give smaller ones."
            )
        if beyond.size:
            warn(
                f"The sizes {some(beyond)} are beyond the {self._largest} {self._unit_name} of the smallest training "
                "set and were left out.",
                SizesLeftOutWarning,
            )
        return [int(size) for size in fitting]

    def fit(self, size: int, split: int, task: str | None) -> Fit:
        """The rows of one fit."""
        parts, units = self._parts[split], self._units[split]
        within = np.zeros(len(self._orders[split]), bool)
        within[self._orders[split][:size]] = True
        own_seed = int(np.random.SeedSequence([self._seed, split, size]).generate_state(1)[0])
        return Fit(size, split, task, parts.train[within[units]], parts.validation, parts.test, own_seed)


def _candidates(param_grid: Any, estimator: Any, shares: tuple[float, float, float]) -> list[dict[str, Any]]:
    if param_grid is None:
        return [{}]
    from sklearn.model_selection import ParameterGrid

    try:
        candidates = list(ParameterGrid(param_grid))
    except (TypeError, ValueError) as problem:
        raise RequestError(f"must map parameters to lists of values: {problem}", argument="param_grid") from None
    unknown = sorted({name for candidate in candidates for name in candidate} - set(estimator.get_params()))
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


def _targets(data: _Data, together: bool) -> dict[str | None, NDArray[np.int64]]:
    """What the estimator is to learn, by task: one class against the rest, or all classes."""
    if together:
        return {None: data.y}
    share = np.bincount(data.y) / len(data.y)
    told_apart = [1] if len(data.classes) == 2 else np.flatnonzero(share >= _LEAST_PREVALENCE).tolist()
    if not told_apart:
        raise DataError(
            f"None of the {len(share)} classes has a tenth of the cases (the most frequent has {share.max():.1%}), "
            "so there is no class to tell apart from the rest.",
            remedy=("Try {}, one curve over all classes.", ("multiclass", "macro")),
        )
    return {" ".join(str(data.classes[code]).split()): (data.y == code).astype(np.int64) for code in told_apart}


def _description(estimator: Any) -> str:
    """Class and settings of an estimator, the same whenever they are the same."""
    settings = {name: value for name, value in estimator.get_params().items() if not hasattr(value, "get_params")}
    kind = type(estimator)
    return _without_addresses(f"{kind.__module__}.{kind.__qualname__} {dict(sorted(settings.items()))!r}")


def _without_addresses(text: str) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", text)


@contextmanager
def _bar(total: int, done: int, shown: bool) -> Iterator[Callable[[], None]]:
    """A progress bar over the fits; gives the function that counts one more."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not (shown and (console.is_terminal or console.is_jupyter)):
        yield lambda: None
        return
    columns = (TextColumn("fits"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("fits", total=total, completed=done)
        yield lambda: bar.advance(task)


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
