"""How many patients a prediction model needs, before any pilot."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ..answers.minimum import MinimumSampleSize, minimum_sample_size

__all__ = ["MinimumQuestion"]


@dataclass(frozen=True, kw_only=True)
class MinimumQuestion:
    """The arguments of `minimum_sample_size`, which checks them all before it counts."""

    prevalence: float
    parameters: int
    r2: float | None = None
    cstatistic: float | None = None
    nagelkerke: bool = False
    margin: float = 0.05
    shrinkage: float = 0.9
    optimism: float = 0.05
    error: float = 0.05

    def answer(self) -> MinimumSampleSize:
        """The number of patients, and what each criterion asks for."""
        return minimum_sample_size(**{field.name: getattr(self, field.name) for field in fields(self)})
