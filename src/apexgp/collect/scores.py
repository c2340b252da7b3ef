"""Scores of fitted classifiers, by the names that apexgp uses everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import FloatArray, check_list, check_mapping, check_text, format_value
from ..errors import RequestError
from ..reading.names import is_negated, known_metric

__all__ = ["Scorer", "auroc", "find_scorers", "is_recorded_as_loss"]

Scorer = Callable[..., float]
"""(estimator, X, y) -> score; one that requests them is passed sample_weight, too."""

# Our name: scikit-learn's scorer for two classes, and for several at once.
_OURS = {
    "auroc": ("roc_auc", "roc_auc_ovr"),
    "accuracy": ("accuracy", "accuracy"),
    "balanced_accuracy": ("balanced_accuracy", "balanced_accuracy"),
    "average_precision": ("average_precision", "average_precision"),
}


def find_scorers(metric: str | Sequence[str] | Mapping[str, Scorer], *, several_classes: bool) -> dict[str, Scorer]:
    """Find scorers (estimator, X, y) -> score for one or more metrics; greater is better for all of them.

    Parameters
    ----------
    metric
        Names of ours or of scikit-learn's scorers and losses, or a mapping from names of your own to scorers.
    several_classes
        Whether the scores are over more than two classes at once (the mean over the classes).
    """
    if isinstance(metric, Mapping):
        wanted = "a mapping from names to scorers (estimator, X, y) -> score"
        scorers = check_mapping("metric", metric, wanted)
        if not scorers or not all(callable(scorer) and _is_name(name) for name, scorer in scorers.items()):
            raise RequestError(f"must be {wanted}, got {format_value(metric)}.", argument="metric")
        return {name: _orient_scorer(name, scorer) for name, scorer in scorers.items()}
    wanted = "one or more different names of metrics"
    names = [metric] if isinstance(metric, str) else check_list("metric", metric, wanted)
    names = [check_text("metric", name, wanted) for name in names]
    if not names or not all(map(_is_name, names)) or len(set(names)) < len(names):
        raise RequestError(f"must be {wanted}, got {format_value(metric)}.", argument="metric")
    found: dict[str, Scorer] = {}
    for name in names:
        ours = _OURS[name][several_classes] if name in _OURS else name
        # What scikit-learn calls neg_log_loss is also known by its own name.
        turned = (f"neg_{ours}", f"neg_{ours}_score") if is_recorded_as_loss(name) else ()
        candidates = map(_find_scorer, (ours, *turned))
        scorer = next((scorer for scorer in candidates if scorer is not None), None)
        if scorer is None:
            raise RequestError(
                f"must be one of {', '.join(map(repr, _OURS))}, or a scorer of scikit-learn such as "
                f"'matthews_corrcoef' or 'neg_log_loss' (or, as a loss, 'log_loss'), got {name!r}.",
                argument="metric",
            )
        found[name] = scorer
    return found


def _find_scorer(name: str) -> Scorer | None:
    from sklearn.metrics import cohen_kappa_score, get_scorer, make_scorer

    if name in ("kappa", "cohen_kappa"):  # of which scikit-learn has the function alone
        return make_scorer(cohen_kappa_score)
    try:
        return get_scorer("matthews_corrcoef" if name == "mcc" else name)
    except (ValueError, TypeError):
        return None


def is_recorded_as_loss(name: str) -> bool:
    """Whether a metric of that name is recorded as a loss: with the opposite sign of its scorer."""
    known = known_metric(name)
    return known is not None and known.lower_is_better and not is_negated(name)


@dataclass(frozen=True)
class _Negated:
    """A loss as a scorer: minus its value, so that greater is better."""

    loss: Scorer

    def __call__(self, estimator: Any, X: Any, y: Any, **metadata: Any) -> float:
        return -float(self.loss(estimator, X, y, **metadata))

    def get_metadata_routing(self) -> Any:
        """Metadata requests of the loss."""
        from sklearn.utils.metadata_routing import get_routing_for_object

        return get_routing_for_object(self.loss)


def _orient_scorer(name: str, scorer: Scorer) -> Scorer:
    """Turn the sign of a caller's scorer that gives a loss, so that greater is better."""
    turned = getattr(scorer, "_sign", 1) < 0
    return _Negated(scorer) if is_recorded_as_loss(name) and not turned else scorer


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
