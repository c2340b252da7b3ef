"""How well each method would have done on the curves at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from .._check import check_probability, check_real_number, check_whole_number
from ..answers.required import CONFIDENCE, RequiredSize
from ..curve import LearningCurve
from ..errors import DataError
from ..estimators import APExGP, CurveEstimator
from ..estimators.contract import clone
from ..estimators.least_squares import METHODS
from ..repeated.backtest import backtest, methods_named, sizes_required
from ..repeated.backtest_answer import Backtest

__all__ = ["BacktestAnswer", "BacktestQuestion", "own_method"]


@dataclass(frozen=True, kw_only=True)
class BacktestQuestion:
    """Methods to judge, how many sizes to hold out, and perhaps a target, of which each says what it takes.

    Make one with `named` or `beside`. Both judge every method by default, so that whoever asks about a curve is told of
    the same winner.
    """

    methods: Mapping[str, CurveEstimator]
    holdout: int | None = None
    target: float | None = None
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        if self.holdout is not None:
            check_whole_number("holdout", self.holdout, least=1)
        if self.target is not None:
            object.__setattr__(self, "target", check_real_number("target", self.target))
        object.__setattr__(self, "confidence", check_probability("confidence", self.confidence))

    @classmethod
    def named(
        cls,
        names: Sequence[str] | None = None,
        *,
        ceiling: float = 1.0,
        floor: float = 0.0,
        seed: int = 0,
        holdout: int | None = None,
        target: float | None = None,
        confidence: float = CONFIDENCE,
    ) -> Self:
        """The methods of these names, all where there are none, each with those of the settings that it knows."""
        methods = methods_named(names or list(METHODS))
        settings = {"ceiling": ceiling, "floor": floor, "seed": seed}
        for method in methods.values():
            known = method.get_params(deep=False)
            method.set_params(**{name: value for name, value in settings.items() if name in known})
        return cls(methods=methods, holdout=holdout, target=target, confidence=confidence)

    @classmethod
    def beside(cls, model: APExGP) -> Self:
        """A model as it was set up, beside all others with its ceiling, floor and seed."""
        others = cls.named(ceiling=model.ceiling, floor=model.floor, seed=model.seed)
        return cls(methods={**others.methods, own_method(model): clone(model)})

    def answer(
        self, curve: LearningCurve | Mapping[str | None, LearningCurve], *, n_jobs: int | None = None
    ) -> BacktestAnswer:
        """Figures of each method on one curve or, pooled, on several; a target goes with one."""
        required: dict[str, RequiredSize | str] = {}
        if self.target is not None:
            (only,) = [curve] if isinstance(curve, LearningCurve) else curve.values()
            required = sizes_required(only, self.methods, self.target, self.confidence)
        return BacktestAnswer(self, backtest(curve, self.methods, self.holdout, n_jobs=n_jobs), required)


@dataclass(frozen=True, eq=False)
class BacktestAnswer:
    """A backtest, and the size that each method asks for to reach a target."""

    question: BacktestQuestion
    result: Backtest
    required: Mapping[str, RequiredSize | str]

    @property
    def is_judged(self) -> bool:
        """Whether any method could be judged."""
        return any(score.curves for score in self.result.pooled)

    def refuse_unjudged(self, source: str = "") -> None:
        """Say why, where no method could be judged."""
        if not self.is_judged:
            raise DataError(f"{source}{self.result.pooled[0].failed}")


def own_method(model: APExGP) -> str:
    """The name that a model itself has among the methods."""
    return "apexgp_published" if model.inference == "map" else "apexgp"
