"""How many features the final classifier of an estimator sees: after encoding, and after a pipeline's first steps."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, clone

from .._check import UNUSABLE
from .cases import count_features
from .fit import Fit, set_seeds, take_rows
from .labelled import MappedScans
from .slices import Scans, SliceHead

__all__ = ["count_features_seen"]

_DEEPEST = 20  # estimators wrapped in one another


def count_features_seen(
    estimator: Any,
    X: Any,
    y: NDArray[np.int64],
    fit: Fit,
    candidates: Sequence[Mapping[str, Any]] = ({},),
    categorical: Sequence[int] = (),
) -> int | None:
    """Number of features that the final classifier sees in a fit; None where it cannot be known before the fit.

    Steps of a pipeline that keep the features apart, such as scaling, keep their number. Others, such as PCA, are
    fitted to the training rows of `fit` if they are scikit-learn's; the number stays unknown where they are not, where
    a search or a preparation around the pipeline decides what they see, and of a pipeline in a pipeline.

    Parameters
    ----------
    estimator
        The estimator, as it is fitted.
    X, y
        All cases, and the codes of their classes.
    fit
        The fit, preferably of the largest size.
    candidates
        Parameters that are tried.
    categorical
        Columns of X whose numbers stand for texts.
    """
    try:
        return _count(estimator, X, y, fit, candidates, categorical) or None
    except (*UNUSABLE, AttributeError, LookupError, RuntimeError):  # the fits will record what is wrong
        return None


def _count(
    estimator: Any,
    X: Any,
    y: NDArray[np.int64],
    fit: Fit,
    candidates: Sequence[Mapping[str, Any]],
    categorical: Sequence[int],
) -> int | None:
    inner = _unwrap(estimator)
    if hasattr(inner, "steps") and hasattr(_unwrap(inner.steps[-1][1]), "steps"):
        return None  # a pipeline in a pipeline
    steps = [(name, step) for name, step in getattr(inner, "steps", [])[:-1] if step not in (None, "passthrough")]
    if all(isinstance(step, OneToOneFeatureMixin) for _, step in steps):
        if isinstance(X, Scans | MappedScans) or isinstance(inner, SliceHead):
            return int(X[0].shape[-1])
        return count_features(X, categorical) if len(getattr(X, "shape", ())) == 2 else None
    first_steps = {name for name, _ in steps}
    tuned = any(name.partition("__")[0] in first_steps for candidate in candidates for name in candidate)
    foreign = any(type(step).__module__.partition(".")[0] != "sklearn" for _, step in steps)
    if inner is not estimator or tuned or foreign:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fits warn
        seen = set_seeds(clone(inner[:-1]), fit.seed).fit_transform(take_rows(X, fit.train), y[fit.train])
    return int(seen.shape[1])


def _unwrap(estimator: Any) -> Any:
    """The pipeline or classifier inside a search, a calibration or a preparation."""
    for _ in range(_DEEPEST):
        if hasattr(estimator, "steps") or getattr(estimator, "estimator", None) is None:
            break
        estimator = estimator.estimator
    return estimator
