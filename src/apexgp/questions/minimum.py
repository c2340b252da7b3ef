"""How many patients a prediction model needs, before any pilot: to develop it, or to evaluate it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

from .._check import check_choice
from ..answers.evaluation import MinimumEvaluationSize, minimum_evaluation_size
from ..answers.minimum import MinimumSampleSize, minimum_sample_size
from ..errors import RequestError

__all__ = ["MinimumQuestion", "Purpose"]

Purpose = Literal["development", "evaluation"]
"""What patients are needed for."""

_OWN: dict[str, tuple[str, ...]] = {
    "development": ("parameters", "r2", "nagelkerke", "margin", "shrinkage", "optimism", "error"),
    "evaluation": ("threshold", "oe_width", "slope_width", "cstatistic_width", "net_benefit_width"),
}
_SHARED = ("prevalence", "cstatistic")
_NEEDED = {
    "development": {"parameters": "the number of candidate coefficients for the model"},
    "evaluation": {"cstatistic": "the C statistic (AUROC) that the model is expected to have"},
}


@dataclass(frozen=True, kw_only=True)
class MinimumQuestion:
    """The arguments of `minimum_sample_size` and `minimum_evaluation_size`, which check them before they count.

    Those of the other purpose are refused, where they are not as they are by default.
    """

    purpose: Purpose = "development"
    prevalence: float
    cstatistic: float | None = None
    parameters: int | None = None
    r2: float | None = None
    nagelkerke: bool = False
    margin: float = 0.05
    shrinkage: float = 0.9
    optimism: float = 0.05
    error: float = 0.05
    threshold: float | None = None
    oe_width: float = 0.2
    slope_width: float = 0.2
    cstatistic_width: float = 0.1
    net_benefit_width: float = 0.2

    def __post_init__(self) -> None:
        check_choice("purpose", self.purpose, get_args(Purpose))
        usual = {field.name: field.default for field in fields(self)}
        for other in set(get_args(Purpose)) - {self.purpose}:
            for name in _OWN[other]:
                if getattr(self, name) != usual[name]:
                    raise RequestError(
                        f"applies to {other}, not to {self.purpose}.",
                        argument=name,
                        remedy=("Leave it out, or set {}.", ("purpose", other)),
                    )
        for name, what in _NEEDED[self.purpose].items():
            if getattr(self, name) is None:
                raise RequestError(f"must be given for {self.purpose}: {what}.", argument=name)

    def answer(self) -> MinimumSampleSize | MinimumEvaluationSize:
        """The number of patients, and what each criterion asks for."""
        settings = {name: getattr(self, name) for name in (*_SHARED, *_OWN[self.purpose])}
        return minimum_evaluation_size(**settings) if self.purpose == "evaluation" else minimum_sample_size(**settings)
