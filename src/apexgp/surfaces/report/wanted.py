"""What a report is asked to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from numpy.typing import ArrayLike

from ..._check import probability, real_number, sizes_array
from ...curve import LearningCurve
from ...errors import RequestError
from ...estimators import APExGP
from ..advice import advice_arguments

__all__ = ["Wanted"]

_TIMES = (2.0, 10.0, 50.0)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The arguments of `write_report` that say what stands in it, checked."""

    sizes: tuple[float, ...] = ()
    times: tuple[float, ...] = ()
    target: float | None = None
    confidence: float = 0.8
    level: float = 0.95
    cost_per_example: float | None = None
    penalty: float | None = None
    rounds: int = 3
    budget: float | None = None
    available: float | None = None

    @classmethod
    def checked(cls, *, sizes: ArrayLike | None, times: ArrayLike | None, **others: Any) -> Self:
        """Refuse, before any work is done, what would not make a report."""
        costs = {name: others[name] for name in ("cost_per_example", "penalty")}
        missing = [name for name, value in costs.items() if value is None]
        if len(missing) == 1:
            raise RequestError(
                "is missing: a plan takes both the cost of an example and the penalty.", argument=missing[0]
            )
        if not missing and others["target"] is None:
            raise RequestError("is missing: a plan takes the score to reach.", argument="target")
        for name in ("confidence", "level"):
            others[name] = probability(name, others[name])
        for name in ("budget", "available"):
            others[name] = None if others[name] is None else real_number(name, others[name])
        if others["budget"] is not None and others["budget"] < 0:
            raise RequestError(
                f"must be a number of fits, or 0 for no advice on what to measure next, got {others['budget']:g}.",
                argument="budget",
            )
        return cls(
            sizes=() if sizes is None else tuple(sizes_array("sizes", sizes).tolist()),
            times=() if times is None else tuple(sizes_array("times", times).tolist()),
            **others,
        )

    def sizes_for(self, curve: LearningCurve) -> list[float]:
        """The sizes to forecast, in rising order."""
        times = self.times if self.times or self.sizes else _TIMES
        return sorted({*self.sizes, *(n * curve.largest for n in times)})

    def design_arguments(self, model: APExGP) -> dict[str, Any]:
        """What `design_pilot` is asked; by default it chooses the sizes itself."""
        sizes = self.sizes_for(model.curve_) if self.sizes or self.times else []
        return advice_arguments(model, self.budget, sizes, self.target, self.confidence, self.available)

    @property
    def plans(self) -> bool:
        """Whether there is to be a plan."""
        return self.cost_per_example is not None

    def as_arguments(self) -> Mapping[str, Any]:
        """Those that were asked for, as `write_report` takes them."""
        idle = [name for name, used in (("rounds", self.plans), ("confidence", self.target is not None)) if not used]
        asked = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in idle}
        defaults = {f.name: f.default for f in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asked.items()
            if value != defaults[name]
        }
