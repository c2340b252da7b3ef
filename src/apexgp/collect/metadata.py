"""Sample weights and groups on their way to `fit` and to scorers: who takes them, by name or by routing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object, process_routing

from .._check import FloatArray, real_array, some
from ..errors import DataError, RequestError
from .abilities import fit_takes
from .scores import Scorer

__all__ = [
    "GROUPS",
    "WEIGHTS",
    "check_metadata_use",
    "check_weights",
    "is_routing_on",
    "is_routing_used",
    "requests_weights",
    "select_fit_metadata",
]

WEIGHTS = "sample_weight"
GROUPS = "groups"
_ENABLE = "sklearn.set_config(enable_metadata_routing=True)"


def check_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray | None:
    """One weight per row, none of them negative and not all of them 0; None where there are no weights."""
    if sample_weight is None:
        return None
    weights = real_array(WEIGHTS, sample_weight, error=DataError)
    if weights.ndim != 1:
        raise DataError(f"must be one column, got shape {weights.shape}.", argument=WEIGHTS)
    if len(weights) != n_rows:
        raise DataError(f"X and sample_weight must have one row per case, got {n_rows} and {len(weights)}.")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        raise DataError(
            f"must be finite and not negative, got {some(weights[wrong])} in row {some(wrong)} (counting from 0). "
            "Leave out these rows, or give rows that should not count the weight 0.",
            argument=WEIGHTS,
        )
    if not weights.any():
        raise DataError("is 0 in every row, so there would be nothing to learn from.", argument=WEIGHTS)
    return weights


def is_routing_on() -> bool:
    """Whether the caller has turned scikit-learn's metadata routing on; other processes have to be told."""
    return bool(get_config()["enable_metadata_routing"])


def select_fit_metadata(estimator: Any, metadata: Iterable[str]) -> set[str]:
    """Those of the `metadata` names that `fit` is to be passed.

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
    """Whether anything that is given is passed because it was requested, so that routing decides what is measured."""
    metadata = set(metadata)
    if not metadata or not is_routing_on():
        return False
    requests = (_get_routing(estimator) for estimator in estimators)
    asked = any(routing is not None and routing.consumes("fit", metadata) for routing in requests)
    return asked or (WEIGHTS in metadata and any(map(requests_weights, scorers.values())))


def check_metadata_use(
    estimators: Iterable[Any], scorers: Mapping[str, Scorer], metadata: Mapping[str, NDArray[Any]]
) -> str | None:
    """Refuse weights that no one takes, and requests that scikit-learn would refuse; give what is to be said of it.

    Parameters
    ----------
    estimators
        The estimator with each candidate's settings.
    scorers
        By name.
    given
        Weights and groups of all rows, those that there are.
    """
    weighted = [name for name, scorer in scorers.items() if WEIGHTS in metadata and requests_weights(scorer)]
    only_scored = False
    for estimator in estimators:
        asked = select_fit_metadata(estimator, metadata)
        routing = _get_routing(estimator) if is_routing_on() else None
        if isinstance(routing, MetadataRouter):
            _check_requests(estimator, {name: metadata[name] for name in metadata if name in asked or name == WEIGHTS})
        if WEIGHTS in metadata and WEIGHTS not in asked:
            if not weighted:
                raise _make_unused_error(estimator)
            only_scored = True
    return f"{WEIGHTS} is passed to the scores ({some(weighted)}) only, not to fit." if only_scored else None


def _get_routing(estimator: Any) -> Any:
    """What scikit-learn knows of an estimator's requests; None where the estimator cannot route."""
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
    """The error of an estimator to which weights were to be passed."""
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
