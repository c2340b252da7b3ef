"""Comparison of models: which will be best with more data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypedDict

import numpy as np

from ..._numbers import format_chance, format_score
from ...curve import LearningCurve
from ...estimators import APExGP
from ...question_base.citations import list_sources
from ...question_base.documents import Count, Keywords, Probability, Size, Versioned, WithMethodsText, word_answer
from ...question_base.model_documents import PilotFacts, describe_pilot
from ...question_base.model_settings import BayesSettings, MethodSettings
from ...question_base.phrases import join_words
from ...question_base.question import Cells, Question, QuestionAnswer, build_table
from ...question_base.sizes import SizeSpec, build_sizes_setting, format_multiples
from ...question_base.wording import describe_method
from .comparison import Comparison, PairComparison, compare_models

if TYPE_CHECKING:
    from .picture import ComparisonDisplay

__all__ = ["CompareAnswer", "CompareDocument", "CompareQuestion", "Comparison", "PairComparison", "compare_models"]

COMPARED_TIMES = (1.0, 2.0, 10.0)
"""Multiples of the largest size measured, where nothing else is asked for: who leads now, and later."""


@dataclass(frozen=True, kw_only=True)
class CompareQuestion(Question):
    """Predict which model will be better with more data.

    Scores from the same split (equal labels) are paired.
    """

    pilots: ClassVar[Literal["several"]] = "several"
    model_settings: ClassVar[type[MethodSettings]] = BayesSettings
    is_slow: ClassVar[bool] = True

    at: Annotated[
        SizeSpec,
        build_sizes_setting(
            "Training-set sizes to compare at: 20000, 20k, or 10x for ten times the largest measured.",
            control="Forecast at sizes",
            default=format_multiples(COMPARED_TIMES),
            arguments=("sizes",),
        ),
    ] = field(default_factory=SizeSpec)

    def answer(self, curves: Mapping[str, LearningCurve], model: APExGP) -> CompareAnswer:
        """Compare the models by their curves, each fitted with the settings of `model`."""
        largest = max(curve.largest for curve in curves.values())
        at = SizeSpec(times=COMPARED_TIMES) if self.at.is_open else self.at
        return CompareAnswer(self, compare_models(curves, at.list_sizes(largest), model))


@dataclass(frozen=True, eq=False)
class CompareAnswer(QuestionAnswer):
    """A comparison, and the question that it answers."""

    question: CompareQuestion
    found: Comparison

    def document(self) -> CompareDocument:
        """Every pair of models."""
        models = self.found.models
        first = next(iter(models.values()))
        pairs = [_pair_facts(pair, first.curve_) for pair in self.found.pairs]
        return {
            "schema": "urn:apexgp:compare:1",
            "apexgp": version("apexgp"),
            "sizes": self.found.sizes.tolist(),
            "pilots": {name: describe_pilot(model.curve_) for name, model in models.items()},
            "pairs": pairs,
            **word_answer(
                " ".join([*(pair["sentence"] for pair in pairs), *self.found.notes]),
                write_compare_methods(self.found),
                self.found.cautions,
                list_sources(first),
            ),
        }

    def table(self) -> Cells:
        """One row per pair and size."""
        return build_table(self.found)

    def display(self) -> ComparisonDisplay:
        """The picture by matplotlib."""
        from .picture import ComparisonDisplay

        return ComparisonDisplay.from_comparison(self.found).plot()


class PairFacts(TypedDict):
    """Two models at the sizes of a comparison."""

    first: str
    second: str
    sizes: list[Size]
    prob_first_better: list[Probability]
    difference: list[float]
    """Expected score of the first minus that of the second, at each size."""
    crossing: Size | None
    """Size at which the lead changes for the last time; null where the same model leads throughout."""
    shared_splits: Count
    """Number of splits on which both were measured; their scores are paired."""
    correlation: Annotated[float, Keywords(minimum=-1, maximum=1)]
    """Correlation of the two models' noise on those splits."""
    sentence: str


class CompareDocument(Versioned, WithMethodsText):
    """`apexgp compare --json`."""

    schema: Literal["urn:apexgp:compare:1"]
    sizes: list[Size]
    pilots: dict[str, PilotFacts]
    """By the name of the model."""
    pairs: list[PairFacts]


def _pair_facts(pair: PairComparison, curve: LearningCurve) -> PairFacts:
    """A pair's own facts; the grid is for drawing."""
    return {
        "first": pair.first,
        "second": pair.second,
        "sizes": pair.sizes.tolist(),
        "prob_first_better": pair.prob_first_better.tolist(),
        "difference": pair.difference.tolist(),
        "crossing": pair.crossing,
        "shared_splits": pair.shared_splits,
        "correlation": pair.correlation,
        "sentence": say_comparison(pair, curve),
    }


def say_comparison(pair: PairComparison, curve: LearningCurve) -> str:
    """Say which of two models leads at the largest size asked for."""
    at = int(np.argmax(pair.sizes))
    size, first = pair.sizes[at], float(pair.prob_first_better[at])
    ahead, behind, sure = (pair.first, pair.second, first) if first >= 0.5 else (pair.second, pair.first, 1 - first)
    gap = abs(float(pair.difference[at]))
    text = (
        f"With {size:,.10g} training {curve.unit_name} {ahead} beats {behind} with a probability of "
        f"{format_chance(sure)}; the expected difference in {curve.metric_name} is "
    )
    least = 10.0**-pair.decimals
    if gap < least / 2:  # it would be shown as 0.000
        return f"{text}less than {format_score(least, pair.decimals)}, too small to choose by."
    text += format_score(gap, pair.decimals)
    if pair.crossing is None:
        return f"{text}. The lead is not expected to change between the pilot's sizes and this one."
    return f"{text}. The lead changes at about {float(f'{pair.crossing:.2g}'):,.0f} {curve.unit_name}."


def write_compare_methods(comparison: Comparison) -> str:
    """Paragraph about a comparison."""
    model, *others = comparison.models.values()
    parts = []
    for pair in comparison.pairs:
        chances = join_words([f"{p:.2f} at {n:,.10g}" for n, p in zip(pair.sizes, pair.prob_first_better, strict=True)])
        paired = (
            f" (scores on {pair.shared_splits} shared splits paired; correlation of their noise {pair.correlation:.2f})"
            if pair.shared_splits
            else " (no shared splits)"
        )
        parts.append(
            f"{pair.first} was better than {pair.second} with a probability of {chances} training "
            f"{model.curve_.unit_name}{paired}"
        )
    return f"{describe_method(model, *others)} Each model's learning curve was fitted separately. {'; '.join(parts)}."
