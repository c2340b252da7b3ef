"""The plan of a run on labelled data: input checked, sizes and splits chosen, every fit listed, warnings given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from .._check import (
    UNUSABLE,
    FloatArray,
    check_bool,
    check_choice,
    check_list,
    check_seed,
    check_text,
    check_whole_number,
    format_some,
    format_value,
)
from .._numbers import format_count
from ..errors import RequestError
from ..learners import IMPROVE_WITH_FEATURES, recognise_kind
from .capabilities import (
    GROUPS,
    WEIGHTS,
    check_capabilities,
    check_classifier,
    check_metadata_use,
    check_weights,
    is_routing_on,
    is_routing_used,
)
from .cases import Cases, list_labels
from .data_warnings import warn_of_features, warn_of_few_test_cases, warn_of_rare_classes
from .feature_count import count_features_seen
from .fit import Fit, make_empty_row, measure_fit
from .fit_record import ESTIMATOR_NAME, LEARNER, N_CLASSES, N_FEATURES, FitRecord, FitRow
from .identity import describe
from .runner import FitCall
from .scores import Scorer, find_scorers
from .sizes import MOST_SPLITS, SizeChoice, SizeLimits, count_cases_needed
from .splits import SplitParts, check_ratio, order_units, split_by_group

__all__ = ["FitPlan", "TrainingSubsets"]


@dataclass(frozen=True)
class FitPlan:
    """A run on labelled data that is ready to start: the `RunPlan` of `collect_curves`.

    Attributes
    ----------
    weights : array or None
        Sample weights of all rows.
    routing : bool
        Whether scikit-learn's metadata routing is on.
    fits : list of Fit
        In the order in which to start them.
    settings : dict
        Everything that decides what a row of the record holds.
    notes : tuple of str
        What was chosen, and why.
    """

    estimator: Any
    X: Any
    targets: dict[str | None, NDArray[np.int64]]
    candidates: list[dict[str, Any]]
    scorers: dict[str, Scorer]
    weights: FloatArray | None
    routing: bool
    fits: list[Fit]
    settings: dict[str, Any]
    notes: tuple[str, ...]

    @classmethod
    def build(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        groups: ArrayLike | None,
        sample_weight: ArrayLike | None = None,
        sizes: ArrayLike | str | None,
        n_splits: int,
        metric: str | Sequence[str] | Mapping[str, Scorer],
        param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | None,
        seed: int,
        ratio: tuple[float, float, float],
        multiclass: str,
        by_group: bool,
        tasks: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        categorical: Sequence[int] = (),
        estimator_name: str | None = None,
        embedded: bool = False,
    ) -> FitPlan:
        """Check the input and decide what to fit; the arguments are those of `collect_curves`.

        `names` and `categorical` are the names of the columns of X, and the numbers of those that are codes of texts,
        where X itself does not say. `estimator_name` replaces the name of the estimator's class in the record.
        `embedded` says that X comes from a pretrained network: the estimator is then only its last layer, so its kind
        is not recorded.
        """
        n_splits, seed = check_whole_number("n_splits", n_splits, least=1, most=MOST_SPLITS), check_seed(seed)
        shares = check_ratio(ratio)
        check_choice("multiclass", multiclass, ("one_vs_rest", "macro"))
        unit = "groups" if check_bool("by_group", by_group) else "rows"
        check_classifier(estimator)
        candidates = _list_candidates(param_grid, estimator, shares)
        parts = sum(share > 0 for share in shares)
        by_label = {name: Cases.build(X, label, groups, parts) for name, label in list_labels(y).items()}
        first = next(iter(by_label.values()))
        n_classes = max(len(cases.classes) for cases in by_label.values()) if multiclass == "macro" else 2
        scorers = find_scorers(metric, several_classes=n_classes > 2)
        check_capabilities(estimator, scorers, n_classes)
        weights = check_weights(sample_weight, len(first.y))
        group_codes = first.groups if first.grouped else None
        metadata = {name: value for name, value in ((WEIGHTS, weights), (GROUPS, group_codes)) if value is not None}
        models = _configure_candidates(estimator, candidates) if metadata else []
        weights_note = check_metadata_use(models, scorers, metadata)
        targets: dict[str | None, NDArray[np.int64]] = {}
        subsets: dict[str | None, TrainingSubsets] = {}
        test_counts: dict[str | None, NDArray[np.int64]] = {}
        wanted_tasks = None if tasks is None else _check_task_names(tasks)
        rare: dict[str, int] = {}
        for name, cases in by_label.items():
            own = TrainingSubsets(cases, shares, seed, n_splits, unit)
            to_learn, left_out = cases.make_targets(n_classes > 2, name, wanted_tasks)
            rare |= left_out
            for task, target in to_learn.items():
                targets[task], subsets[task], test_counts[task] = target, own, own.count_test_cases(target)
        for task in set() if wanted_tasks is None else set(targets) - _check_known_tasks(wanted_tasks, targets):
            del targets[task], subsets[task], test_counts[task]
        rare_note = warn_of_rare_classes(rare, len(targets))
        limits = reduce(and_, (own.size_limits for own in subsets.values()))
        chosen = (
            SizeChoice.choose(limits, count_cases_needed(estimator), len(targets) * len(candidates))
            if sizes is None
            else SizeChoice.from_request(sizes, limits)
        )
        warn_of_few_test_cases(next(iter(scorers)), test_counts)
        warn_of_features(
            first.X, {name: cases.y for name, cases in by_label.items()}, first.grouped, names, categorical
        )
        fits = [
            subsets[task].make_fit(size, split, task)
            for size in reversed(chosen.sizes)  # the longest first, so that no worker is left with one at the end
            for split in range(n_splits)
            for task in targets
        ]
        learner_kind = None if embedded else recognise_kind(estimator)
        n_features = count_features_seen(estimator, first.X, targets[fits[0].task], fits[0], candidates, categorical)
        settings = {
            "metrics": list(scorers),
            ESTIMATOR_NAME: estimator_name or type(estimator).__name__,
            **({} if learner_kind is None else {LEARNER: learner_kind[0]}),
            N_FEATURES: n_features,
            N_CLASSES: {name or "": len(cases.classes) for name, cases in by_label.items()} if n_classes > 2 else 2,
            "estimator": describe(estimator),
            "param_grid": describe(param_grid),
            "seed": seed,
            "ratio": shares,
            "multiclass": multiclass,
            "unit": unit,
            **({"scorers": describe(scorers)} if isinstance(metric, Mapping) else {}),
            **({WEIGHTS: describe(weights)} if weights is not None else {}),
            **({"metadata_routing": "on"} if is_routing_used(models, scorers, metadata) else {}),
            **_describe_data(by_label),
        }
        kind_note = _note_kind(learner_kind, n_features)
        notes = tuple(filter(None, (chosen.reason, rare_note, weights_note, kind_note)))
        return cls(estimator, first.X, targets, candidates, scorers, weights, is_routing_on(), fits, settings, notes)

    accepts_other_metrics = False
    """False: fits are tuned on the first metric, so a record of other metrics holds other fits."""

    def make_notes(self, rows: Sequence[FitRow]) -> tuple[str, ...]:
        """Notes on what was chosen; they do not depend on the rows."""
        return self.notes

    def list_calls(self) -> list[FitCall]:
        """Function calls that make the fits, in the order in which to start them."""
        rest = self.candidates, self.scorers, self.weights, self.routing
        return [
            FitCall(
                make_empty_row(fit, self.scorers),
                measure_fit,
                (fit, self.estimator, self.X, self.targets[fit.task], *rest),
            )
            for fit in self.fits
        ]

    def to_record_row(self, row: FitRow, record: FitRecord) -> FitRow:
        """Return the row as it is: workers make complete rows."""
        return row


def _note_kind(learner_kind: tuple[str, str] | None, n_features: int | None) -> str:
    """Name the kind of learner that was recognised, and say what forecasts of the curves do with it."""
    if learner_kind is None:
        return ""
    kind, name = learner_kind
    named = f"Kind of learner: {kind} ({name})"
    if kind not in IMPROVE_WITH_FEATURES:
        return f"{named}. Forecasts of these curves say whether their priors go by it."
    if n_features is None:
        return f"{named}: the number of features that it sees is not known, so forecasts leave it out of account."
    return f"{named}, {format_count(n_features, 'feature')}: forecasts of these curves take both into account."


def _configure_candidates(estimator: Any, candidates: list[dict[str, Any]]) -> list[Any]:
    """Copies of the estimator with the settings of each candidate."""
    try:
        return [clone(estimator).set_params(**candidate) for candidate in candidates]
    except (*UNUSABLE, AttributeError, RuntimeError):  # scikit-learn cannot copy it, which the fits will record
        return [estimator]


def _check_task_names(tasks: Sequence[str]) -> set[str]:
    """Check that the requested tasks are texts."""
    wanted_tasks = [tasks] if isinstance(tasks, str) else check_list("tasks", tasks, "a list of tasks")
    return {check_text("tasks", task, "names of tasks") for task in wanted_tasks}


def _check_known_tasks(wanted: set[str], known: Mapping[str | None, Any]) -> set[str]:
    """Refuse requested tasks that the data do not have."""
    unknown = wanted - set(known)
    if unknown or not wanted:
        known_names = format_some([format_value(task) for task in known], 20)
        unknown_names = format_some([format_value(task) for task in unknown]) if unknown else "none"
        raise RequestError(f"must be among {known_names}, got {unknown_names}.", argument="tasks")
    return wanted


def _describe_data(by_label: Mapping[str | None, Cases]) -> dict[str, Any]:
    """Description of the data for the record, by which other data are recognised."""
    first = next(iter(by_label.values()))
    if None in by_label:
        return first.describe()
    each = {name: cases.describe() for name, cases in by_label.items()}
    return first.describe() | {fact: {name: facts[fact] for name, facts in each.items()} for fact in ("classes", "y")}


def _list_candidates(param_grid: Any, estimator: Any, shares: tuple[float, float, float]) -> list[dict[str, Any]]:
    """All combinations of the parameters in `param_grid`, checked."""
    if param_grid is None:
        return [{}]
    from sklearn.model_selection import ParameterGrid

    try:
        candidates = list(ParameterGrid(param_grid))
    except (*UNUSABLE, RecursionError) as problem:  # which a deep nest raises as it is shown
        raise RequestError(f"must map parameters to lists of values: {problem}", argument="param_grid") from None
    if not candidates:
        raise RequestError("is empty. Omit it if nothing is to be tuned.", argument="param_grid")
    unknown = sorted({str(name) for candidate in candidates for name in candidate} - set(estimator.get_params()))
    if unknown:
        raise RequestError(
            f"names {format_some(unknown)}, which {type(estimator).__name__} does not have; it has "
            f"{format_some(sorted(estimator.get_params()), 12)}.",
            argument="param_grid",
        )
    if shares[1] == 0 and len(candidates) > 1:
        raise RequestError(
            "needs a validation set to tune on, but validation has no share of the data.",
            argument="param_grid",
            remedy=("Try {}.", ("ratio", (8, 1, 1))),
        )
    return candidates


class TrainingSubsets:
    """The splits of a run and their nested training subsets; a split depends on the seed and its number alone."""

    def __init__(
        self,
        cases: Cases,
        shares: tuple[float, float, float],
        seed: int,
        n_splits: int,
        unit: str,
    ) -> None:
        self._seed = seed
        self._groups = cases.groups if cases.grouped else None
        self._rarest = float(np.bincount(cases.y).min() / len(cases.y))
        self._parts: list[SplitParts] = []
        self._units: list[NDArray[np.int64]] = []
        self._orders: list[NDArray[np.int64]] = []
        self._smallest = 0
        for split in range(n_splits):
            rng = np.random.default_rng([seed, split])
            parts = split_by_group(cases.y, cases.groups, shares, rng)
            in_train = cases.groups[parts.train] if unit == "groups" else parts.train
            units = np.unique(in_train, return_inverse=True)[1]
            order, smallest = order_units(cases.y[parts.train], units, rng)
            self._parts.append(parts)
            self._units.append(units)
            self._orders.append(order)
            self._smallest = max(self._smallest, smallest)
        self._largest = min(len(order) for order in self._orders)
        self._unit = unit

    @property
    def size_limits(self) -> SizeLimits:
        """How small and how large training subsets can be."""
        return SizeLimits(self._smallest, self._largest, self._rarest, self._unit)

    def count_test_cases(self, target: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of test cases of each class, in the split that has the fewest of the rarest class."""
        counts = [np.bincount(target[parts.test], minlength=int(target.max()) + 1) for parts in self._parts]
        return min(counts, key=lambda count: int(count.min()))

    def make_fit(self, size: int, split: int, task: str | None) -> Fit:
        """The rows and the seed of one fit."""
        parts, units = self._parts[split], self._units[split]
        within = np.zeros(len(self._orders[split]), bool)
        within[self._orders[split][:size]] = True
        own_seed = int(np.random.SeedSequence([self._seed, split, size]).generate_state(1)[0])
        train = parts.train[within[units]]
        groups = None if self._groups is None else self._groups[train]
        return Fit(size, split, task, train, parts.validation, parts.test, own_seed, groups)
