"""A run before its first fit: everything checked and decided, and what there is to say about it said."""

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
from ..errors import RequestError
from ..learners import recognise_kind, settle_kind
from .abilities import check_abilities, check_classifier
from .cases import Cases, count_features, labels_by_name
from .differences import CALLED, FEATURES, LEARNER
from .doubts import warn_of_features, warn_of_few_test_cases, warn_of_rare_classes
from .fit import Fit, measure, unmeasured
from .identity import described
from .metadata import GROUPS, WEIGHTS, check_takers, checked_weights, is_routed, routing_is_on
from .results import FitRow, Record
from .scores import Scorer, scorers_by_name
from .sizes import MOST_SPLITS, Sizes, cases_of_each_class
from .splits import check_ratio
from .subsets import Subsets
from .workers import Call

__all__ = ["Agenda"]


@dataclass(frozen=True)
class Agenda:
    """What is to be fitted, and to what.

    Attributes
    ----------
    weights : array or None
        Of all rows.
    routing : bool
        Whether scikit-learn's metadata routing is on.
    fits : list of Fit
        In the order in which to begin.
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
    def drawn_up(
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
        called: str | None = None,
        embedded: bool = False,
    ) -> Agenda:
        """Check and decide; the arguments are those of `collect_curves`.

        `names` and `categorical` say what the columns of X are called, and which are codes of texts, where X itself
        does not; `called` is the estimator's name, where that of its class says less; `embedded` says that a pretrained
        network has made X: then the estimator is no more than its last layer, and what kind the whole is is not known.
        """
        n_splits, seed = check_whole_number("n_splits", n_splits, least=1, most=MOST_SPLITS), check_seed(seed)
        shares = check_ratio(ratio)
        check_choice("multiclass", multiclass, ("one_vs_rest", "macro"))
        unit = "groups" if check_bool("by_group", by_group) else "rows"
        check_classifier(estimator)
        candidates = _candidates(param_grid, estimator, shares)
        parts = sum(share > 0 for share in shares)
        by_label = {name: Cases.checked(X, label, groups, parts) for name, label in labels_by_name(y).items()}
        first = next(iter(by_label.values()))
        at_once = max(len(cases.classes) for cases in by_label.values()) if multiclass == "macro" else 2
        scorers = scorers_by_name(metric, several_classes=at_once > 2)
        check_abilities(estimator, scorers, at_once)
        weights = checked_weights(sample_weight, len(first.y))
        coded = first.groups if first.grouped else None
        beside = {name: value for name, value in ((WEIGHTS, weights), (GROUPS, coded)) if value is not None}
        models = _models(estimator, candidates) if beside else []
        where_weights_go = check_takers(models, scorers, beside)
        targets: dict[str | None, NDArray[np.int64]] = {}
        subsets: dict[str | None, Subsets] = {}
        in_test: dict[str | None, NDArray[np.int64]] = {}
        listed = None if tasks is None else _listed(tasks)
        rare: dict[str, int] = {}
        for name, cases in by_label.items():
            own = Subsets(cases, shares, seed, n_splits, unit)
            to_learn, left_out = cases.targets(at_once > 2, name, listed)
            rare |= left_out
            for task, target in to_learn.items():
                targets[task], subsets[task], in_test[task] = target, own, own.in_test(target)
        for task in set() if listed is None else set(targets) - _among(listed, targets):
            del targets[task], subsets[task], in_test[task]
        rare_classes = warn_of_rare_classes(rare, len(targets))
        room = reduce(and_, (own.room for own in subsets.values()))
        chosen = (
            Sizes.chosen(room, cases_of_each_class(estimator), len(targets) * len(candidates))
            if sizes is None
            else Sizes.asked_for(sizes, room)
        )
        warn_of_few_test_cases(next(iter(scorers)), in_test)
        warn_of_features(
            first.X, {name: cases.y for name, cases in by_label.items()}, first.grouped, names, categorical
        )
        fits = [
            subsets[task].fit(size, split, task)
            for size in reversed(chosen.sizes)  # the longest first, so that no worker is left with one at the end
            for split in range(n_splits)
            for task in targets
        ]
        recognised = None if embedded else recognise_kind(estimator)
        features = None if recognised is None else count_features(first.X, categorical)
        settings = {
            "metrics": list(scorers),
            CALLED: called or type(estimator).__name__,
            **({} if recognised is None else {LEARNER: recognised[0], FEATURES: features}),
            "estimator": described(estimator),
            "param_grid": described(param_grid),
            "seed": seed,
            "ratio": shares,
            "multiclass": multiclass,
            "unit": unit,
            **({"scorers": described(scorers)} if isinstance(metric, Mapping) else {}),
            **({WEIGHTS: described(weights)} if weights is not None else {}),
            **({"metadata_routing": "on"} if is_routed(models, scorers, beside) else {}),
            **_facts(by_label),
        }
        of_kind = _of_kind(recognised, features, chosen.sizes[-1])
        notes = tuple(filter(None, (chosen.reason, rare_classes, where_weights_go, of_kind)))
        return cls(estimator, first.X, targets, candidates, scorers, weights, routing_is_on(), fits, settings, notes)

    any_metrics = False
    """The first metric is tuned on, so that a record of others holds other fits."""

    def notes_on(self, rows: Sequence[FitRow]) -> tuple[str, ...]:
        """Those of the plan, whatever came of it."""
        return self.notes

    def calls(self) -> list[Call]:
        """What workers do, in the order in which to begin."""
        rest = self.candidates, self.scorers, self.weights, self.routing
        return [
            Call(
                unmeasured(fit, self.scorers),
                measure,
                (fit, self.estimator, self.X, self.targets[fit.task], *rest),
            )
            for fit in self.fits
        ]

    def entered(self, row: FitRow, record: Record) -> FitRow:
        """A row as the record takes it: as the worker has given it."""
        return row


def _of_kind(recognised: tuple[str, str] | None, features: int | None, largest: int) -> str:
    """Say whether forecasts of the curves will go by the kind of learner that was recognised, and if not, why."""
    if recognised is None:
        return ""
    kind, name = recognised
    said = f"Kind of learner: {kind} ({name}), which forecasts of these curves"
    if settle_kind(kind, features, largest) is not None:
        return f"{said} take into account."
    if kind == "neural_network":
        why = "the priors for that kind did not help on other tasks"
    else:
        number = "an unknown number of features" if features is None else f"{features:,} features"
        why = f"its priors come from tables with few features, here there are {number} at sizes up to {largest:,}"
    return f"{said} leave out of account: {why}. If you name the kind as you forecast, it is used."


def _models(estimator: Any, candidates: list[dict[str, Any]]) -> list[Any]:
    """The estimator with the settings of each candidate, as fits will make it."""
    try:
        return [clone(estimator).set_params(**candidate) for candidate in candidates]
    except (*UNUSABLE, AttributeError, RuntimeError):  # scikit-learn cannot copy it, which the fits will record
        return [estimator]


def _listed(tasks: Sequence[str]) -> set[str]:
    """The tasks that were asked for."""
    listed = [tasks] if isinstance(tasks, str) else check_list("tasks", tasks, "a list of tasks")
    return {check_text("tasks", task, "names of tasks") for task in listed}


def _among(wanted: set[str], known: Mapping[str | None, Any]) -> set[str]:
    """The tasks that were asked for, if all of them are there."""
    unknown = wanted - set(known)
    if unknown or not wanted:
        there = format_some([format_value(task) for task in known], 20)
        came = format_some([format_value(task) for task in unknown]) if unknown else "none"
        raise RequestError(f"must be among {there}, got {came}.", argument="tasks")
    return wanted


def _facts(by_label: Mapping[str | None, Cases]) -> dict[str, Any]:
    """What tells these data from others, for the record of a run."""
    first = next(iter(by_label.values()))
    if None in by_label:
        return first.facts()
    each = {name: cases.facts() for name, cases in by_label.items()}
    return first.facts() | {fact: {name: facts[fact] for name, facts in each.items()} for fact in ("classes", "y")}


def _candidates(param_grid: Any, estimator: Any, shares: tuple[float, float, float]) -> list[dict[str, Any]]:
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
