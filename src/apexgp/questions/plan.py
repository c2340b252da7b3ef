"""How many examples to collect, round by round, when labels and a missed target cost money."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .._check import check_positive, check_real_number, check_whole_number
from ..answers.plan import MOST_ROUNDS, ROUNDS, CollectionPlan, plan_collection
from ..answers.required import RequiredSize
from ..errors import RequestError
from ..estimators import APExGP

__all__ = ["PlanAnswer", "PlanQuestion"]


@dataclass(frozen=True, kw_only=True)
class PlanQuestion:
    """The arguments of `plan_collection`, checked."""

    target: float
    cost_per_example: float
    penalty: float
    rounds: int = ROUNDS
    start: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", check_real_number("target", self.target))
        for name in ("cost_per_example", "penalty"):
            object.__setattr__(self, name, check_positive(name, getattr(self, name)))
        object.__setattr__(self, "rounds", check_whole_number("rounds", self.rounds, least=1, most=MOST_ROUNDS))
        if self.start is not None:
            object.__setattr__(self, "start", check_whole_number("start", self.start, least=1))

    @classmethod
    def if_priced(
        cls,
        *,
        target: float | None,
        cost_per_example: float | None,
        penalty: float | None,
        rounds: int = ROUNDS,
    ) -> PlanQuestion | None:
        """The question where costs are stated; None where they are not, an error where half of it is."""
        if cost_per_example is None and penalty is None:
            return None
        if cost_per_example is None or penalty is None:
            missing = "cost_per_example" if cost_per_example is None else "penalty"
            raise RequestError("is missing: a plan needs both the cost per example and the penalty.", argument=missing)
        if target is None:
            raise RequestError("is missing: a plan needs a score to reach.", argument="target")
        return cls(target=target, cost_per_example=cost_per_example, penalty=penalty, rounds=rounds)

    def answer(self, model: APExGP) -> PlanAnswer:
        """The plan by a fitted model."""
        plan = plan_collection(model, self.target, self.cost_per_example, self.penalty, self.rounds, self.start)
        return PlanAnswer(self, model, plan)


@dataclass(frozen=True, eq=False)
class PlanAnswer:
    """A plan, and the model that it was made with."""

    question: PlanQuestion
    model: APExGP
    plan: CollectionPlan

    @cached_property
    def required(self) -> RequiredSize:
        """The size that the target takes with the usual confidence."""
        return self.model.required_size(self.plan.target)
