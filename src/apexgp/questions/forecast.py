"""What the score will be with more data, and how much a target takes: of one curve, or of each of a batch."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from .._check import FloatArray, check_choice, check_probability, check_real_number
from ..answers.evaluation import MinimumEvaluationSize, minimum_evaluation_size
from ..answers.minimum import discrimination
from ..answers.required import CONFIDENCE, RequiredSize, success_of
from ..curve import LearningCurve
from ..errors import RequestError
from ..estimators import APExGP
from ..estimators.contract import clone
from ..forecast import LEVEL, Forecast, Quantity
from ..repeated.many import DEFAULT_TIMES, CurveForecast, forecast_many
from ..running.progress import progress_bar
from .reach import Reach

__all__ = ["BatchAnswer", "ForecastAnswer", "ForecastQuestion"]

_CSTATISTICS = ("AUROC", "c-statistic")  # metrics, by the names of `known_metrics`, that are one for a binary outcome


@dataclass(frozen=True, kw_only=True)
class ForecastQuestion:
    """Scores at larger sizes and, where there is a target, how many examples reach it.

    Parameters
    ----------
    at
        Where: sizes, or multiples of a curve's largest; by default 2, 10 and 50 times.
    of
        What is forecast, as for `APExGP.forecast`. A target is always about the true expected score.
    level
        Probability that the intervals should hold the score.
    target, confidence
        Score to reach, and the probability with which it should be.
    prevalence, cstatistic
        Share of patients with the outcome, and the C statistic (AUROC) that the model is expected to have: with them,
        how many patients it takes to evaluate the model that reaches the target. Where the scores are AUROCs, the C
        statistic is the target unless it is stated.
    """

    at: Reach = field(default_factory=Reach)
    of: Quantity = "new_splits"
    level: float = LEVEL
    target: float | None = None
    confidence: float = CONFIDENCE
    prevalence: float | None = None
    cstatistic: float | None = None

    def __post_init__(self) -> None:
        check_choice("of", self.of, get_args(Quantity))
        object.__setattr__(self, "level", check_probability("level", self.level))
        object.__setattr__(self, "confidence", check_probability("confidence", self.confidence))
        if self.target is not None:
            object.__setattr__(self, "target", check_real_number("target", self.target))
        if self.cstatistic is not None:
            object.__setattr__(self, "cstatistic", discrimination("cstatistic", self.cstatistic))
            if self.prevalence is None:
                raise RequestError(
                    "applies only with a prevalence.", argument="cstatistic", remedy=("Give {}.", "prevalence")
                )
        if self.prevalence is not None:
            object.__setattr__(self, "prevalence", check_probability("prevalence", self.prevalence))
            if self.target is None:
                raise RequestError("applies only with a target.", argument="prevalence", remedy=("Give {}.", "target"))

    @property
    def at_or_default(self) -> Reach:
        """Where, whether it was asked for or not."""
        return Reach(times=DEFAULT_TIMES) if self.at.is_open else self.at

    def sizes_for(self, curve: LearningCurve) -> list[float]:
        """The sizes to forecast, in rising order."""
        return self.at_or_default.beyond(curve.largest)

    @property
    def bands(self) -> tuple[float, float]:
        """Probabilities of the bands of a picture: the one that was asked for, and another to compare it with."""
        return (0.8, self.level) if self.level > 0.8 else (self.level, 0.95)

    def answer(self, model: APExGP) -> ForecastAnswer:
        """The answer of a fitted model."""
        evaluation = self._evaluation(model.curve_)
        sizes = self.sizes_for(model.curve_)
        required = None if self.target is None else model.required_size(self.target, self.confidence)
        forecast = model.forecast(sizes, of=self.of)
        chances = None if required is None else success_of(model, required.target, "expected")(forecast.sizes)
        untold = self._without_training(model, sizes)
        return ForecastAnswer(
            self, model, forecast, forecast.interval(self.level), required, chances, untold, evaluation
        )

    def _evaluation(self, curve: LearningCurve) -> MinimumEvaluationSize | None:
        """How many patients it takes to evaluate the model that reaches the target, where a prevalence is given."""
        if self.prevalence is None or self.target is None:
            return None
        if self.cstatistic is not None:
            return minimum_evaluation_size(self.prevalence, self.cstatistic)
        if curve.metric_name not in _CSTATISTICS:
            raise RequestError(
                f"must be given with a prevalence: the scores are {curve.metric_name}, not AUROCs.",
                argument="cstatistic",
                remedy=("Give {}, or {} if they are AUROCs.", "cstatistic", ("metric", "auroc")),
            )
        return minimum_evaluation_size(self.prevalence, discrimination("target", self.target))

    def _without_training(self, model: APExGP, sizes: list[float]) -> Forecast | None:
        """What the forecast would be if training scores were not known; None where they are not, or move nothing."""
        curve = model.curve_
        if curve.train_scores is None or model.inference != "bayes" or model.priors == "paper":
            return None
        return clone(model).fit(replace(curve, train_scores=None)).forecast(sizes, of=self.of)

    def answer_batch(self, curves: Mapping[str | None, LearningCurve], settings: APExGP) -> BatchAnswer:
        """The answer for each of several curves, by models with these settings."""
        if self.prevalence is not None:
            raise RequestError(
                f"applies to one curve, whose outcome it describes; there are {len(curves)}.",
                argument="prevalence",
                remedy=("Choose one with {}, or leave it out.", "task"),
            )
        every = forecast_many(
            curves,
            self.at.sizes or None,
            settings,
            levels=(self.level,),
            times=self.at.times or None,
            of=self.of,
            target=self.target,
            confidence=self.confidence,
        )
        found = []
        with progress_bar("tasks", len(curves)) as advance:
            for one in every:
                found.append(one)
                advance()
        return BatchAnswer(self, tuple(sorted(found, key=lambda one: _sorting_key(str(one.task)))))


@dataclass(frozen=True, eq=False)
class ForecastAnswer:
    """What a model says: the forecast, the ends of its intervals and, where there is a target, what that takes.

    `chances` are the probabilities that each of the sizes reaches the target, as the required size counts them.
    `without_training` is the forecast that there would be without the training scores, where those are known.
    `evaluation` is how many patients it takes to evaluate the model, where a prevalence was given.
    """

    question: ForecastQuestion
    model: APExGP
    forecast: Forecast
    ends: tuple[FloatArray, FloatArray]
    required: RequiredSize | None
    chances: FloatArray | None
    without_training: Forecast | None = None
    evaluation: MinimumEvaluationSize | None = None

    @property
    def sizes(self) -> list[float]:
        """The sizes that were forecast."""
        return self.forecast.sizes.tolist()

    @property
    def cautions(self) -> tuple[str, ...]:
        """Reasons to doubt the forecast or the required size, each once."""
        of_target = () if self.required is None else self.required.cautions
        return tuple(dict.fromkeys((*self.forecast.cautions, *of_target)))


@dataclass(frozen=True, eq=False)
class BatchAnswer:
    """The forecast of each curve of a batch, or why there is none, by their names as people sort them."""

    question: ForecastQuestion
    found: tuple[CurveForecast, ...]

    @property
    def failed(self) -> int:
        """How many curves could not be forecast."""
        return sum(one.error is not None for one in self.found)


def _sorting_key(name: str) -> tuple[tuple[float, str], ...]:
    """Order of names as people sort them: task 2 before task 10, a before B."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return tuple((float(part), "") if part.isdecimal() else (math.inf, part) for part in parts)
