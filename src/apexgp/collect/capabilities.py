"""Capabilities of an estimator, checked before any fit: classes, methods, sample weights and groups."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import is_regressor
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object, process_routing

from .._check import FloatArray, check_real_array, format_some, format_value, has_attributes
from ..errors import DataError, RequestError
from .scores import Scorer

__all__ = [
    "GROUPS",
    "WEIGHTS",
    "check_capabilities",
    "check_classifier",
    "check_metadata_use",
    "check_weights",
    "fit_takes",
    "is_routing_on",
    "is_routing_used",
    "list_response_methods",
    "requests_weights",
    "select_fit_metadata",
]

WEIGHTS = "sample_weight"
GROUPS = "groups"
_ENABLE = "sklearn.set_config(enable_metadata_routing=True)"


def check_classifier(estimator: Any) -> None:
    """Refuse what is not an instance of a scikit-learn classifier."""
    if isinstance(estimator, type) or not has_attributes(estimator, "fit", "get_params"):
        hint = " Add parentheses to make it an instance." if isinstance(estimator, type) else ""
        raise RequestError(
            f"must be a scikit-learn classifier, got {format_value(estimator)}.{hint}", argument="estimator"
        )
    try:
        estimator.get_params()
        regressor = is_regressor(estimator)
    except Exception as problem:  # another person's class, which may do anything when it is asked
        raise RequestError(
            f"must be a scikit-learn classifier; {type(estimator).__name__} does not say what it is "
            f"({type(problem).__name__}: {problem}).",
            argument="estimator",
        ) from None
    if regressor:
        raise RequestError(f"must be a classifier, got the regressor {type(estimator).__name__}.", argument="estimator")


def check_capabilities(estimator: Any, scorers: Mapping[str, Scorer], n_classes: int) -> None:
    """Refuse an estimator that lacks a method that the metrics call, or that cannot handle so many classes."""
    name_of_class = type(_find_innermost(estimator)).__name__
    if n_classes > 2 and _is_binary_only(estimator):
        raise RequestError(
            f"cannot be {name_of_class}: it handles two classes only, and there are {n_classes} here.",
            argument="estimator",
            remedy=("Try {}, one curve per class, or another classifier.", ("multiclass", "one_vs_rest")),
        )
    for name, scorer in scorers.items():
        wanted = list_response_methods(scorer)
        if wanted and not any(hasattr(estimator, method) for method in wanted):
            raise RequestError(
                f"cannot be {name_of_class}: {name} needs its {' or '.join(wanted)}, which it does not have.",
                argument="estimator",
                remedy=(
                    "Use another classifier, or a metric based on predicted classes: {}.",
                    ("metric", "accuracy"),
                ),
            )


def fit_takes(estimator: Any, name: str) -> bool:
    """Whether the estimator's `fit` has an argument of that name."""
    try:
        return name in inspect.signature(estimator.fit).parameters
    except (TypeError, ValueError):  # compiled code does not tell what it takes
        return False


def _find_innermost(estimator: Any) -> Any:
    """The classifier at the end of a pipeline, or inside a wrapper, whose name people recognise."""
    if hasattr(estimator, "steps"):
        return _find_innermost(estimator.steps[-1][1])
    inner = getattr(estimator, "estimator", None)
    return estimator if inner is None else _find_innermost(inner)


def _is_binary_only(estimator: Any) -> bool:
    try:
        tags = get_tags(estimator).classifier_tags
    except (AttributeError, TypeError):  # an estimator that is none of scikit-learn's kin does not say
        return False
    return tags is not None and not tags.multi_class


def list_response_methods(scorer: Scorer) -> tuple[str, ...]:
    """Methods of an estimator of which a scorer calls one, such as predict_proba; empty if it does not say."""
    thing: Any = scorer
    requested = thing._response_method if has_attributes(thing, "_response_method") else ()
    if requested == "default":
        return ("predict",)
    return (requested,) if isinstance(requested, str) else tuple(requested)


def check_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray | None:
    """Check that there is one weight per row, none negative and not all 0; None is returned as it is."""
    if sample_weight is None:
        return None
    weights = check_real_array(WEIGHTS, sample_weight, error=DataError)
    if weights.ndim != 1:
        raise DataError(f"must be one column, got shape {weights.shape}.", argument=WEIGHTS)
    if len(weights) != n_rows:
        raise DataError(f"X and sample_weight must have one row per case, got {n_rows} and {len(weights)}.")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        raise DataError(
            f"must be finite and not negative, got {format_some(weights[wrong])} in row {format_some(wrong)} "
            "(counting from 0). Leave out these rows, or give rows that should not count the weight 0.",
            argument=WEIGHTS,
        )
    if not weights.any():
        raise DataError("is 0 in every row, so there would be nothing to learn from.", argument=WEIGHTS)
    return weights


def is_routing_on() -> bool:
    """Whether the caller has turned scikit-learn's metadata routing on; other processes have to be told."""
    return bool(get_config()["enable_metadata_routing"])


def select_fit_metadata(estimator: Any, metadata: Iterable[str]) -> set[str]:
    """Names of the metadata that are passed to `fit`.

    With routing on, these are the ones that the estimator, or any part of it, requests. Weights are also passed to an
    estimator that has no parts and names them as an argument, unless it requests not to get them.
    """
    metadata = set(metadata)
    by_name = {WEIGHTS} & metadata if fit_takes(estimator, WEIGHTS) else set()
    if not is_routing_on():
        return by_name
    routing = _get_routing(estimator)
    if routing is None:
        return set()
    if not isinstance(routing, MetadataRouter) and routing.fit.requests.get(WEIGHTS) is not False:
        return by_name | routing.consumes("fit", metadata)
    return set(routing.consumes("fit", metadata))


def requests_weights(scorer: Scorer) -> bool:
    """Whether a scorer requests sample weights by routing."""
    return is_routing_on() and WEIGHTS in get_routing_for_object(scorer).consumes("score", {WEIGHTS})


def is_routing_used(estimators: Iterable[Any], scorers: Mapping[str, Scorer], metadata: Iterable[str]) -> bool:
    """Whether an estimator or scorer requests any of the metadata, so that routing decides what is measured."""
    metadata = set(metadata)
    if not metadata or not is_routing_on():
        return False
    requests = (_get_routing(estimator) for estimator in estimators)
    requested = any(routing is not None and routing.consumes("fit", metadata) for routing in requests)
    return requested or (WEIGHTS in metadata and any(map(requests_weights, scorers.values())))


def check_metadata_use(
    estimators: Iterable[Any], scorers: Mapping[str, Scorer], metadata: Mapping[str, NDArray[Any]]
) -> str | None:
    """Refuse weights that nothing takes, and requests that scikit-learn would refuse; return a note, or None.

    Parameters
    ----------
    estimators
        The estimator with each candidate's settings.
    scorers
        Scorers by name.
    metadata
        Weights and groups of all rows, by name, where they are given.
    """
    weighted = [name for name, scorer in scorers.items() if WEIGHTS in metadata and requests_weights(scorer)]
    only_scored = False
    for estimator in estimators:
        requested = select_fit_metadata(estimator, metadata)
        routing = _get_routing(estimator) if is_routing_on() else None
        if isinstance(routing, MetadataRouter):
            _check_requests(estimator, {name: metadata[name] for name in metadata if name in {*requested, WEIGHTS}})
        if WEIGHTS in metadata and WEIGHTS not in requested:
            if not weighted:
                raise _make_unused_error(estimator)
            only_scored = True
    return f"{WEIGHTS} is passed to the scores ({format_some(weighted)}) only, not to fit." if only_scored else None


def _get_routing(estimator: Any) -> Any:
    """An estimator's metadata requests, as scikit-learn has them; None where the estimator cannot route."""
    try:
        return get_routing_for_object(estimator)
    except NotImplementedError:
        return None


def _check_requests(estimator: Any, passed: Mapping[str, NDArray[Any]]) -> None:
    """Let scikit-learn refuse, before the first fit, what it would refuse in each."""
    try:
        process_routing(estimator, "fit", **passed)
    except UnsetMetadataPassedError as problem:
        raise RequestError(f"must request what it should be passed: {problem}", argument="estimator") from None
    except TypeError:  # no part of it could take them, and so none is passed them
        pass


def _make_unused_error(estimator: Any) -> RequestError:
    """Error for sample weights that the estimator does not take."""
    name = type(estimator).__name__
    if is_routing_on() and _get_routing(estimator) is None:
        return RequestError(
            f"is given, but scikit-learn cannot route it to {name} yet. Turn metadata routing off, or use another "
            "classifier.",
            argument=WEIGHTS,
        )
    if is_routing_on():
        return RequestError(
            f"is given, but fit of {name} neither takes it nor routes it to a part that requests it.",
            argument=WEIGHTS,
            remedy=(
                "Omit {}, use another classifier, or let the part that should get it request it: "
                "set_fit_request(sample_weight=True).",
                WEIGHTS,
            ),
        )
    return RequestError(
        f"is given, but fit of {name} does not take it.",
        argument=WEIGHTS,
        remedy=(
            f"Omit {{}}, or use another classifier. A pipeline, or another estimator with parts, passes it on "
            f"if routing is on: {_ENABLE}, and set_fit_request(sample_weight=True) on the part that should get it.",
            WEIGHTS,
        ),
    )
