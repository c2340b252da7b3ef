"""Scores of fitted classifiers, by the names that apexgp uses everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import FloatArray, mapped, several, shown, text
from ..errors import RequestError
from ..reading.known_metrics import unbounded_metric

__all__ = ["Scorer", "auroc", "scorers_by_name"]

Scorer = Callable[[Any, Any, Any], float]

# Our name: scikit-learn's scorer for two classes, and for several at once.
_OURS = {
    "auroc": ("roc_auc", "roc_auc_ovr"),
    "accuracy": ("accuracy", "accuracy"),
    "balanced_accuracy": ("balanced_accuracy", "balanced_accuracy"),
    "average_precision": ("average_precision", "average_precision"),
}


def scorers_by_name(metric: str | Sequence[str] | Mapping[str, Scorer], *, several_classes: bool) -> dict[str, Scorer]:
    """Functions (estimator, X, y) -> score for one or more metrics.

    Parameters
    ----------
    metric
        Names of ours or of scikit-learn's scorers, or a mapping from names of your own to scorers.
    several_classes
        Whether the scores are over more than two classes at once (the mean over the classes).
    """
    from sklearn.metrics import get_scorer

    if isinstance(metric, Mapping):
        wanted = "a mapping from names to scorers (estimator, X, y) -> score"
        scorers = mapped("metric", metric, wanted)
        if not scorers or not all(callable(scorer) and _is_name(name) for name, scorer in scorers.items()):
            raise RequestError(f"must be {wanted}, got {shown(metric)}.", argument="metric")
        _refuse_unbounded(scorers)
        return scorers
    wanted = "one or more different names of metrics"
    names = [metric] if isinstance(metric, str) else several("metric", metric, wanted)
    names = [text("metric", name, wanted) for name in names]
    if not names or not all(map(_is_name, names)) or len(set(names)) < len(names):
        raise RequestError(f"must be {wanted}, got {shown(metric)}.", argument="metric")
    _refuse_unbounded(names)
    found: dict[str, Scorer] = {}
    for name in names:
        try:
            scorer = get_scorer(_OURS[name][several_classes] if name in _OURS else name)
        except (ValueError, TypeError):
            raise RequestError(
                f"must be one of {', '.join(map(repr, _OURS))}, or a scorer of scikit-learn that gives values in "
                f"[0, 1], got {name!r}.",
                argument="metric",
            ) from None
        if getattr(scorer, "_sign", 1) < 0:
            raise RequestError(
                f"{name!r} is a loss. Only scores in [0, 1] with 1 as the perfect value will do.", argument="metric"
            )
        found[name] = scorer
    return found


def _refuse_unbounded(names: Iterable[str]) -> None:
    """Refuse, before any fit, metrics of which no curve can be made."""
    for name in filter(unbounded_metric, names):
        raise RequestError(
            f"must be scores in [0, 1] with 1 as the perfect value; {name!r} is not confined to [0, 1].",
            argument="metric",
        )


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and name != "" and name.isprintable()


def auroc(y: ArrayLike, scores: ArrayLike) -> FloatArray:
    """Area under the ROC curve of each column of `scores`, ties counting one half.

    Parameters
    ----------
    y : array of shape (n,)
        True or 1 for the positive cases; both kinds must be there.
    scores : array of shape (n, k)
        One column a classifier.
    """
    positive = np.asarray(y, bool)
    columns = np.asarray(scores)
    wins = np.empty(columns.shape[1])
    for k, column in enumerate(columns.T):
        below: NDArray[Any] = np.sort(column[~positive])
        above = column[positive]
        wins[k] = np.searchsorted(below, above, "left").sum() + np.searchsorted(below, above, "right").sum()
    return wins / (2.0 * positive.sum() * (~positive).sum())
