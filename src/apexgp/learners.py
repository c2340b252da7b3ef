"""Kinds of learner that priors are known for, and which kind an estimator is, without importing its library."""

from __future__ import annotations

from typing import Any

from ._check import UNUSABLE, format_value
from .errors import ApexError, RequestError

__all__ = ["IMPROVE_WITH_FEATURES", "LEARNERS", "UNKNOWN", "check_learner", "find_kind", "recognise_kind"]

LEARNERS = {
    "linear": "linear models",
    "naive_bayes": "naive Bayes classifiers",
    "discriminant": "quadratic discriminant analysis",
    "neighbours": "nearest neighbours",
    "trees": "trees and forests",
    "boosting": "boosting",
    "neural_network": "neural networks",
}
"""The kinds, and how sentences refer to them."""
UNKNOWN = "unknown"
"""In place of a kind: use the priors that all kinds share, whatever the curve says."""

# By class names, so that those of other libraries count, too; a subclass has the kind of its base.
_CLASSES = {
    "linear": "LogisticRegression LinearSVC PassiveAggressiveClassifier Perceptron RidgeClassifier RidgeClassifierCV "
    "SGDClassifier TunedLogistic LinearDiscriminantAnalysis NearestCentroid",
    "naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "discriminant": "QuadraticDiscriminantAnalysis",
    "neighbours": "KNeighborsClassifier RadiusNeighborsClassifier",
    "trees": "DecisionTreeClassifier ExtraTreesClassifier RandomForestClassifier XGBRFClassifier",
    "boosting": "AdaBoostClassifier CatBoostClassifier EasyEnsembleClassifier GradientBoostingClassifier "
    "HistGradientBoostingClassifier LGBMClassifier NGBClassifier XGBClassifier",
    "neural_network": "MLPClassifier RealMLP_TD_Classifier TabNetClassifier",
}
_KIND_OF_CLASS = {name: kind for kind, names in _CLASSES.items() for name in names.split()}
# Settings with which a class is of another kind.
_KIND_BY_SETTING = {
    ("XGBClassifier", "booster", "gblinear"): "linear",
    ("LGBMClassifier", "boosting_type", "rf"): "trees",
}
_SUPPORT_VECTORS = ("SVC", "NuSVC")
_ABBREVIATIONS = {
    "knn": "neighbours",
    "lda": "linear",
    "lightgbm": "boosting",
    "mlp": "neural_network",
    "qda": "discriminant",
    "xgboost": "boosting",
}
_DEEPEST = 20  # estimators wrapped in one another
IMPROVE_WITH_FEATURES = ("linear", "naive_bayes")
"""Kinds with about one coefficient per feature: they improve until examples far outnumber features."""


def check_learner(value: Any, *, error: type[ApexError] = RequestError) -> str:
    """Check a kind of learner, or `unknown`."""
    if isinstance(value, str) and value in (*LEARNERS, UNKNOWN):
        return str(value)
    meant = find_kind(value) if isinstance(value, str) else None
    hint = "" if meant is None else f" That is {meant}."
    raise error(
        f"must be one of {', '.join(LEARNERS)}, or {UNKNOWN} for the priors that all of them share, got "
        f"{format_value(value)}.{hint}",
        argument="learner",
    )


def find_kind(name: str) -> str | None:
    """Find the kind of a name, be it that of the kind, a class or a method; None if none is known."""
    return _BY_NAME.get(_normalise(name))


def _normalise(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum()).removesuffix("classifier")


_BY_NAME = {_normalise(name): kind for name, kind in {**_KIND_OF_CLASS, **{kind: kind for kind in LEARNERS}}.items()}
_BY_NAME |= _ABBREVIATIONS


def recognise_kind(estimator: Any) -> tuple[str, str] | None:
    """Recognise the kind of an estimator, and name the class that shows it; None if none is known.

    Of a pipeline the last step counts, and of a search, a calibration or a bag what it wraps.
    """
    try:
        return _recognise_within(estimator, _DEEPEST)
    except (
        *UNUSABLE,
        AttributeError,
        LookupError,
        RuntimeError,
    ):  # raised by a foreign class when its attributes are read
        return None


def _recognise_within(estimator: Any, depth: int) -> tuple[str, str] | None:
    names = [each.__name__ for each in type(estimator).__mro__]
    if any(name in _SUPPORT_VECTORS for name in names):
        return ("linear", names[0]) if getattr(estimator, "kernel", None) == "linear" else None
    known = next((name for name in names if name in _KIND_OF_CLASS), None)
    if known is not None:
        for (name, setting, value), kind in _KIND_BY_SETTING.items():
            if name == known and getattr(estimator, setting, None) == value:
                return kind, names[0]
        return _KIND_OF_CLASS[known], names[0]
    inner = estimator.steps[-1][1] if hasattr(estimator, "steps") else getattr(estimator, "estimator", None)
    if inner is None:
        return ("trees", names[0]) if "BaggingClassifier" in names else None  # bags trees by default
    return _recognise_within(inner, depth - 1) if depth else None
