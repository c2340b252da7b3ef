"""The contract of scikit-learn's estimators, kept without importing scikit-learn, which takes longer than a forecast.

Its tools know an estimator by its methods, not by its class: `clone`, searches over settings, cross-validation and
pipelines take these estimators. For tags, HTML and its own errors scikit-learn is imported when they are needed.
"""

from __future__ import annotations

import inspect
from copy import deepcopy
from functools import lru_cache
from typing import Any, Self, TypeVar

__all__ = ["SettingsEstimator", "check_is_fitted", "clone", "is_fitted"]

Estimator = TypeVar("Estimator")


class SettingsEstimator:
    """An estimator whose settings are the arguments of its constructor, kept under their names."""

    @classmethod
    @lru_cache
    def _defaults(cls) -> dict[str, Any]:
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in sorted(parameters, key=lambda one: one.name)}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name.

        Parameters
        ----------
        deep
            Makes no difference here: no setting is an estimator itself.
        """
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
        """Change settings by name; the model must be fitted again for them to take effect."""
        names = list(self._defaults())
        for name in params:
            if name not in names:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {names!r}.")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = self._defaults()
        changed = [
            f"{name}={value!r}" for name, value in self.get_params().items() if repr(value) != repr(defaults[name])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        from sklearn.utils import estimator_html_repr

        page: str = estimator_html_repr(self)
        return page

    def __sklearn_clone__(self) -> Self:
        return type(self)(**{name: deepcopy(value) for name, value in self.get_params().items()})

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        # X is sizes, not a table of features.
        sizes_only = InputTags(one_d_array=True, two_d_array=False)
        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=sizes_only)

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") for name in vars(self))


def clone(estimator: Estimator) -> Estimator:
    """Copy an estimator without its fit, as scikit-learn's `clone` does."""
    if isinstance(estimator, SettingsEstimator):
        return estimator.__sklearn_clone__()
    from sklearn.base import clone as clone_of_others

    copy: Estimator = clone_of_others(estimator)
    return copy


def is_fitted(estimator: SettingsEstimator) -> bool:
    """Whether an estimator has been fitted."""
    return estimator.__sklearn_is_fitted__()


def check_is_fitted(estimator: Any) -> None:
    """Raise scikit-learn's `NotFittedError` unless an estimator is fitted, its TypeError for other objects."""
    if not (isinstance(estimator, SettingsEstimator) and is_fitted(estimator)):
        from sklearn.utils.validation import check_is_fitted as refuse

        refuse(estimator)
