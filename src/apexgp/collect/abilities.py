"""What an estimator is and can do, asked of the unfitted one: what it cannot do is said before any work is done."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from sklearn.base import is_regressor
from sklearn.utils import get_tags

from .._check import format_value, has_attributes
from ..errors import RequestError
from .scores import Scorer

__all__ = ["check_abilities", "check_classifier", "fit_takes", "methods_asked_for"]


def check_classifier(estimator: Any) -> None:
    """Refuse what cannot be fitted and scored."""
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


def check_abilities(estimator: Any, scorers: Mapping[str, Scorer], n_classes: int) -> None:
    """Refuse an estimator that lacks what the metrics ask of it, or that knows fewer classes at once."""
    name_of_class = type(_innermost(estimator)).__name__
    if n_classes > 2 and _only_two_classes(estimator):
        raise RequestError(
            f"cannot be {name_of_class}: it handles two classes only, and there are {n_classes} here.",
            argument="estimator",
            remedy=("Try {}, one curve per class, or another classifier.", ("multiclass", "one_vs_rest")),
        )
    for name, scorer in scorers.items():
        wanted = methods_asked_for(scorer)
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


def _innermost(estimator: Any) -> Any:
    """The classifier that a pipeline ends in, or that is wrapped in another; a person knows it by its name."""
    if hasattr(estimator, "steps"):
        return _innermost(estimator.steps[-1][1])
    inner = getattr(estimator, "estimator", None)
    return estimator if inner is None else _innermost(inner)


def _only_two_classes(estimator: Any) -> bool:
    try:
        tags = get_tags(estimator).classifier_tags
    except (AttributeError, TypeError):  # an estimator that is none of scikit-learn's kin does not say
        return False
    return tags is not None and not tags.multi_class


def methods_asked_for(scorer: Scorer) -> tuple[str, ...]:
    """Methods of the estimator, any of which would do; none where the scorer does not say."""
    thing: Any = scorer
    asked = thing._response_method if has_attributes(thing, "_response_method") else ()
    if asked == "default":
        return ("predict",)
    return (asked,) if isinstance(asked, str) else tuple(asked)
