"""Sample weights and groups on their way to `fit` and to scorers: who takes them, by name or by routing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object, process_routing

from .._check import FloatArray, check_real_array, format_some
from ..errors import DataError, RequestError
from .abilities import fit_takes
from .scores import Scorer

__all__ = [
    "GROUPS",
    "WEIGHTS",
    "asked_in_fit",
    "asks_for_weights",
    "check_takers",
    "checked_weights",
    "is_routed",
    "routing_is_on",
]

WEIGHTS = "sample_weight"
GROUPS = "groups"
_ON = "sklearn.set_config(enable_metadata_routing=True)"


def checked_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray | None:
    """One weight per row, none of them negative and not all of them 0; None where there are no weights."""
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
            f"must be finite and not negative, got {format_some(weights[wrong])} in row {format_some(wrong)} (counting "
            "from 0). Leave out these rows, or give rows that should not count the weight 0.",
            argument=WEIGHTS,
        )
    if not weights.any():
        raise DataError("is 0 in every row, so there would be nothing to learn from.", argument=WEIGHTS)
    return weights


def routing_is_on() -> bool:
    """Whether the caller has turned scikit-learn's metadata routing on; other processes have to be told."""
    return bool(get_config()["enable_metadata_routing"])


def asked_in_fit(estimator: Any, given: Iterable[str]) -> set[str]:
    """Those of the `given` names that `fit` is to be passed.

    With routing on, these are the ones that the estimator, or any part of it, requests. Weights are also passed to an
    estimator that has no parts and names them as an argument, unless it requests not to get them.
    """
    given = set(given)
    by_name = {WEIGHTS} & given if fit_takes(estimator, WEIGHTS) else set()
    if not routing_is_on():
        return by_name
    routing = _routing(estimator)
    if routing is None:
        return set()
    if not isinstance(routing, MetadataRouter) and routing.fit.requests.get(WEIGHTS) is not False:
        return by_name | routing.consumes("fit", given)
    return set(routing.consumes("fit", given))


def asks_for_weights(scorer: Scorer) -> bool:
    """Whether a scorer requests sample weights by routing."""
    return routing_is_on() and WEIGHTS in get_routing_for_object(scorer).consumes("score", {WEIGHTS})


def is_routed(estimators: Iterable[Any], scorers: Mapping[str, Scorer], given: Iterable[str]) -> bool:
    """Whether anything that is given is passed because it was requested, so that routing decides what is measured."""
    given = set(given)
    if not given or not routing_is_on():
        return False
    requests = (_routing(estimator) for estimator in estimators)
    asked = any(routing is not None and routing.consumes("fit", given) for routing in requests)
    return asked or (WEIGHTS in given and any(map(asks_for_weights, scorers.values())))


def check_takers(
    estimators: Iterable[Any], scorers: Mapping[str, Scorer], given: Mapping[str, NDArray[Any]]
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
    weighted = [name for name, scorer in scorers.items() if WEIGHTS in given and asks_for_weights(scorer)]
    only_scored = False
    for estimator in estimators:
        asked = asked_in_fit(estimator, given)
        routing = _routing(estimator) if routing_is_on() else None
        if isinstance(routing, MetadataRouter):
            _check_requests(estimator, {name: given[name] for name in given if name in asked or name == WEIGHTS})
        if WEIGHTS in given and WEIGHTS not in asked:
            if not weighted:
                raise _not_taken(estimator)
            only_scored = True
    return f"{WEIGHTS} is passed to the scores ({format_some(weighted)}) only, not to fit." if only_scored else None


def _routing(estimator: Any) -> Any:
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


def _not_taken(estimator: Any) -> RequestError:
    """The error of an estimator to which weights were to be passed."""
    name = type(estimator).__name__
    if routing_is_on() and _routing(estimator) is None:
        return RequestError(
            f"is given, but scikit-learn cannot route it to {name} yet. Turn metadata routing off, or use another "
            "classifier.",
            argument=WEIGHTS,
        )
    if routing_is_on():
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
            f"if routing is on: {_ON}, and set_fit_request(sample_weight=True) on the part that should get it.",
            WEIGHTS,
        ),
    )
