"""Comparison of models: which will be best with more data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypedDict

import numpy as np

from ..._numbers import format_chance, format_multiple, format_score, format_size
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
from .comparison import LEAD_PROBABILITY, Comparison, LeadChange, PairComparison, compare_models

if TYPE_CHECKING:
    from .picture import ComparisonDisplay

__all__ = [
    "CompareAnswer",
    "CompareDocument",
    "CompareQuestion",
    "Comparison",
    "LeadChange",
    "PairComparison",
    "compare_models",
]

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


class LeadChangeFacts(TypedDict):
    """A size at which one model takes the lead over from another."""

    size: Size
    """Size at which both are equally likely to be better."""
    before: str
    """Model that leads at smaller sizes."""
    after: str
    """Model that leads at larger sizes."""
    prob_before: Probability
    """Highest probability, since the change before, with which the model that leads at smaller sizes is better."""
    prob_after: Probability
    """Highest probability, up to the next change, with which the model that leads at larger sizes is better."""


class PairFacts(TypedDict):
    """Two models at the sizes of a comparison."""

    first: str
    second: str
    sizes: list[Size]
    prob_first_better: list[Probability]
    difference: list[float]
    """Expected score of the first minus that of the second, at each size."""
    lead_changes: list[LeadChangeFacts]
    """Changes of lead, by size. One is listed only where both models are better with a probability of 80 % or more at
    some size on their side of it."""
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
    """Facts of a pair at the sizes asked for, and its changes of lead."""
    return {
        "first": pair.first,
        "second": pair.second,
        "sizes": pair.sizes.tolist(),
        "prob_first_better": pair.prob_first_better.tolist(),
        "difference": pair.difference.tolist(),
        "lead_changes": [
            {
                "size": change.size,
                "before": change.before,
                "after": change.after,
                "prob_before": change.prob_before,
                "prob_after": change.prob_after,
            }
            for change in pair.lead_changes
        ],
        "shared_splits": pair.shared_splits,
        "correlation": pair.correlation,
        "sentence": say_comparison(pair, curve),
    }


def say_comparison(pair: PairComparison, curve: LearningCurve) -> str:
    """Say which of two models is better at the largest size asked for, and where the lead changes."""
    at = int(np.argmax(pair.sizes))
    size, first = pair.sizes[at], float(pair.prob_first_better[at])
    ahead, behind, sure = (pair.first, pair.second, first) if first >= 0.5 else (pair.second, pair.first, 1 - first)
    gap = abs(float(pair.difference[at]))
    least = 10.0**-pair.decimals
    if gap < least / 2:  # it would be shown as 0.000
        difference = f"less than {format_score(least, pair.decimals)}, too small to choose by"
    else:
        difference = format_score(gap, pair.decimals)
    return (
        f"With {format_size(size)} training {curve.unit_name} {ahead} beats {behind} with a probability of "
        f"{format_chance(sure, LEAD_PROBABILITY)}; the expected difference in {curve.metric_name} is {difference}. "
        f"{say_leads(pair, curve.unit_name)}"
    )


def say_leads(pair: PairComparison, unit: str) -> str:
    """Say where the lead of two models changes, or who leads at no size."""
    if pair.lead_changes:
        first, *later = pair.lead_changes
        steps = [f"from {first.before} to {first.after} at about {_round_change(first)} {unit}"]
        steps += [f"back to {change.after} at about {_round_change(change)}" for change in later]
        chances = [first.prob_before, *(change.prob_after for change in pair.lead_changes)]
        return (
            f"The lead passes {join_words(steps)}; the highest probabilities of being ahead are, in turn, "
            f"{join_words(map(format_chance, chances))}."
        )
    sure, span = format_chance(LEAD_PROBABILITY), f"{format_size(pair.grid[0])} to {format_size(pair.grid[-1])} {unit}"
    if not pair.leaders:
        return (
            f"Neither of {pair.first} and {pair.second} is ahead with a probability of {sure} or more at any size from "
            f"{span}."
        )
    (ahead,) = pair.leaders
    behind = pair.second if ahead == pair.first else pair.first
    return f"From {span}, {ahead} is ahead with a probability of {sure} or more at some sizes, {behind} at none."


def _round_change(change: LeadChange) -> str:
    return format_multiple(change.size, 2)


def write_compare_methods(comparison: Comparison) -> str:
    """Paragraph about a comparison."""
    model, *others = comparison.models.values()
    unit = model.curve_.unit_name
    parts = []
    for pair in comparison.pairs:
        chances = join_words(
            f"{format_chance(p, LEAD_PROBABILITY)} at {format_size(n)}"
            for n, p in zip(pair.sizes, pair.prob_first_better, strict=True)
        )
        paired = (
            f" (scores on {pair.shared_splits} shared splits paired; correlation of their noise {pair.correlation:.2f})"
            if pair.shared_splits
            else " (no shared splits)"
        )
        parts.append(
            f"{pair.first} was better than {pair.second} with a probability of {chances} training {unit}{paired}. "
            f"{say_leads(pair, unit)}"
        )
    return f"{describe_method(model, *others)} Each model's learning curve was fitted separately. {' '.join(parts)}"
