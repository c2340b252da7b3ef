"""Kinds of learner that priors are known for, and which kind an estimator is, without importing anybody's library."""

from __future__ import annotations

from typing import Any

from ._check import UNUSABLE, shown
from .errors import ApexError, RequestError

__all__ = ["LEARNERS", "UNKNOWN", "checked_learner", "kind_named", "kind_of"]

LEARNERS = {
    "linear": "linear models",
    "naive_bayes": "naive Bayes classifiers",
    "discriminant": "discriminant analysis",
    "neighbours": "nearest neighbours",
    "trees": "trees and forests",
    "boosting": "boosting",
    "neural_network": "neural networks",
}
"""The kinds, and how sentences refer to them."""
UNKNOWN = "unknown"
"""In place of a kind: whatever else is known, the priors that all kinds share."""

# By the names of classes, so that those of other libraries count too; a subclass is of the kind that it extends.
_CLASSES = {
    "linear": "LogisticRegression LinearSVC PassiveAggressiveClassifier Perceptron RidgeClassifier RidgeClassifierCV "
    "SGDClassifier TunedLogistic",
    "naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "discriminant": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis NearestCentroid",
    "neighbours": "KNeighborsClassifier RadiusNeighborsClassifier",
    "trees": "DecisionTreeClassifier ExtraTreesClassifier RandomForestClassifier XGBRFClassifier",
    "boosting": "AdaBoostClassifier CatBoostClassifier EasyEnsembleClassifier GradientBoostingClassifier "
    "HistGradientBoostingClassifier LGBMClassifier NGBClassifier XGBClassifier",
    "neural_network": "MLPClassifier RealMLP_TD_Classifier TabNetClassifier",
}
_KIND_OF_CLASS = {name: kind for kind, names in _CLASSES.items() for name in names.split()}
# Settings that make another kind of a class.
_INSTEAD = {
    ("XGBClassifier", "booster", "gblinear"): "linear",
    ("LGBMClassifier", "boosting_type", "rf"): "trees",
}
_SUPPORT_VECTORS = ("SVC", "NuSVC")
_IN_SHORT = {
    "knn": "neighbours",
    "lda": "discriminant",
    "lightgbm": "boosting",
    "mlp": "neural_network",
    "qda": "discriminant",
    "xgboost": "boosting",
}
_MOST_WRAPPED = 20  # estimators, one within the other


def checked_learner(value: Any, *, error: type[ApexError] = RequestError) -> str:
    """A kind of learner, or `unknown`."""
    if isinstance(value, str) and value in (*LEARNERS, UNKNOWN):
        return str(value)
    meant = kind_named(value) if isinstance(value, str) else None
    hint = "" if meant is None else f" That is {meant}."
    raise error(
        f"must be one of {', '.join(LEARNERS)}, or {UNKNOWN} for the priors that all of them share, got "
        f"{shown(value)}.{hint}",
        argument="learner",
    )


def kind_named(name: str) -> str | None:
    """The kind that goes by a name, or to which a class or method of that name belongs; None if none is known."""
    return _BY_NAME.get(_plain(name))


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum()).removesuffix("classifier")


_BY_NAME = {_plain(name): kind for name, kind in {**_KIND_OF_CLASS, **{kind: kind for kind in LEARNERS}}.items()}
_BY_NAME |= _IN_SHORT


def kind_of(estimator: Any) -> tuple[str, str] | None:
    """The kind of an estimator, and the class that it was recognised by; None if none is known.

    Of a pipeline the last step counts, and of a search, a calibration or a bag what it wraps.
    """
    try:
        return _kind_within(estimator, _MOST_WRAPPED)
    except (*UNUSABLE, AttributeError, LookupError, RuntimeError):  # another person's class, when it is asked
        return None


def _kind_within(estimator: Any, deeper: int) -> tuple[str, str] | None:
    names = [each.__name__ for each in type(estimator).__mro__]
    if any(name in _SUPPORT_VECTORS for name in names):
        return ("linear", names[0]) if getattr(estimator, "kernel", None) == "linear" else None
    own = next((name for name in names if name in _KIND_OF_CLASS), None)
    if own is not None:
        for (name, setting, value), kind in _INSTEAD.items():
            if name == own and getattr(estimator, setting, None) == value:
                return kind, names[0]
        return _KIND_OF_CLASS[own], names[0]
    inner = estimator.steps[-1][1] if hasattr(estimator, "steps") else getattr(estimator, "estimator", None)
    if inner is None:
        return ("trees", names[0]) if "BaggingClassifier" in names else None  # of trees unless told otherwise
    return _kind_within(inner, deeper - 1) if deeper else None
