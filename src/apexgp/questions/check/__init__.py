"""Whether a fitted model would have measured such a pilot: a posterior predictive check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypedDict

import numpy as np

from ..._answer import to_rows
from ..._check import FloatArray, check_whole_number
from ...cautions import Caution
from ...estimators import APExGP
from ...question_base.citations import list_sources
from ...question_base.documents import Count, Probability, Size, WithMethodsText, word_answer
from ...question_base.model_documents import ModelFacts, describe_model
from ...question_base.model_settings import BayesSettings, MethodSettings, ModelQuestion
from ...question_base.phrases import join_words
from ...question_base.question import Cells, QuestionAnswer, build_table
from ...question_base.wording import describe_pilot_and_method
from ...settings import Setting
from .predictive import DRAWS, FAILS_BELOW, PredictiveCheck, predictive_check

if TYPE_CHECKING:
    from .picture import PredictiveCheckDisplay

__all__ = [
    "CheckAnswer",
    "CheckDocument",
    "CheckQuestion",
    "explain_checks",
    "label_check_mark",
    "list_check_doubts",
    "title_check",
    "trace_band",
]

_FEWEST, _MOST = 100, 100_000  # pilots

_MEANINGS = {
    "level": "level, the mean score at the largest size",
    "slope": "slope, what doubling the size brings",
    "scatter": "scatter, the largest spread at one size over that at all sizes together, luck of splits removed",
    "split effect": "split effect, how much of a split's luck carries over from size to size",
}
_BOX = 1.1  # half the width of the band at a single size, as a factor
_OVER_SIZES, _ENOUGH_SIZES = ("slope", "scatter"), 3  # checks across sizes, and how many sizes all of them take
_SINGLE_SCATTER = "scatter, how far the scores lie from a straight line in the logarithm of the size"


@dataclass(frozen=True, kw_only=True)
class CheckQuestion(ModelQuestion):
    """Check whether the model fits the pilot: compare its level, slope, scatter and split effect with simulations."""

    has_own_place: ClassVar[bool] = True
    model_settings: ClassVar[type[MethodSettings]] = BayesSettings

    draws: Annotated[
        int,
        Setting(
            "Number of pilots to simulate from the model.", least=_FEWEST, most=_MOST, server_limits={"le": 10_000}
        ),
    ] = DRAWS

    def __post_init__(self) -> None:
        object.__setattr__(self, "draws", check_whole_number("draws", self.draws, least=_FEWEST, most=_MOST))

    def answer(self, model: APExGP) -> CheckAnswer:
        """Simulate from a fitted model, with its own seed."""
        return CheckAnswer(self, model, predictive_check(model, draws=self.draws, seed=model.seed))


@dataclass(frozen=True, eq=False)
class CheckAnswer(QuestionAnswer):
    """A predictive check, and the model that it is about."""

    question: CheckQuestion
    model: APExGP
    found: PredictiveCheck

    @property
    def introduction(self) -> str:  # type: ignore[override]
        """How to read the table."""
        return explain_checks(self.found)

    def document(self) -> CheckDocument:
        """The simulated pilots beside the measured one."""
        found, model = self.found, self.model
        columns = (one.tolist() for one in (found.sizes, found.measured, found.expected, found.lower, found.upper))
        return {
            "schema": "urn:apexgp:check:1",
            **describe_model(model),
            "draws": found.draws,
            "checks": to_rows(found.to_dict()),
            "absent": dict(found.absent),
            "sizes": [
                {"size": size, "measured": measured, "expected": expected, "lower": low, "upper": high}
                for size, measured, expected, low, high in zip(*columns, strict=True)
            ],
            **word_answer(
                say_check(found), write_check_methods(self), found.cautions, (*list_sources(model), "gelman")
            ),
        }

    def table(self) -> Cells:
        """One row per check."""
        return build_table(self.found)

    def display(self) -> PredictiveCheckDisplay:
        """The picture by matplotlib."""
        from .picture import PredictiveCheckDisplay

        return PredictiveCheckDisplay.from_check(self.found).plot()

    def svg(self, name: str = "check") -> str:
        """The picture for a page; `name` begins its identifiers."""
        from .drawing import CheckDrawing

        return CheckDrawing(self.found, name).svg()


class CheckRow(TypedDict):
    """A summary statistic of the pilot: as measured, and as simulated from the model."""

    check: str
    measured: float
    expected: float
    lower: float
    """Lower end of the 95 % interval of the simulated values."""
    upper: float
    prob_larger: Probability
    """Probability that a simulated value is larger."""
    tail_probability: Probability
    """Probability of a simulated value as extreme, on either side."""
    fails: bool


class CheckedSize(TypedDict):
    """The mean score at one of the pilot's sizes: as measured, and as simulated from the model."""

    size: Size
    measured: float
    expected: float
    lower: float
    upper: float


class CheckDocument(ModelFacts, WithMethodsText):
    """`apexgp check --json`."""

    schema: Literal["urn:apexgp:check:1"]
    draws: Count
    """Number of pilots simulated from the model."""
    checks: list[CheckRow]
    absent: dict[str, str]
    """Checks that are impossible with this pilot, and why."""
    sizes: list[CheckedSize]


def say_check(found: PredictiveCheck) -> str:
    """Whether the model would have measured such a pilot."""
    names = [check.name for check in found.checks]
    too_few_sizes = [f" No check of the {name}: {found.absent[name]}" for name in _OVER_SIZES if name in found.absent]
    unchecked = "".join(too_few_sizes) if len(found.sizes) < _ENOUGH_SIZES else ""
    if not found.failed:
        are = {1: "is", 2: "are both"}.get(len(names), "are all")
        return (
            f"The pilot looks like data from the fitted model: {join_words(names)} {are} within the expected range. "
            f"That rules out a gross misfit; it says nothing about sizes far beyond the pilot.{unchecked}"
        )
    failed = [check.name for check in found.failed]
    passed = [name for name in names if name not in failed]
    rest = f" {join_words(passed).capitalize()} {'are' if len(passed) > 1 else 'is'} as expected." if passed else ""
    are = "are" if len(failed) > 1 else "is"
    return (
        f"The pilot does not look like data from the fitted model: its {join_words(failed)} {are} unexpected.{rest}"
        f"{unchecked}"
    )


def list_check_doubts(found: PredictiveCheck) -> list[Caution]:
    """Caution for the first page of a report where a check fails."""
    if not found.failed:
        return []
    text = f"the fitted model does not reproduce the pilot's {join_words([check.name for check in found.failed])}"
    return [Caution(f"T{text[1:]}: see “Does the model fit this pilot?”.", text)]


def explain_checks(found: PredictiveCheck) -> str:
    """Explain the columns of the table."""
    words = _MEANINGS | ({"scatter": _SINGLE_SCATTER} if found.scatter_at is None else {})
    checks = "; ".join(words[check.name] for check in found.checks)
    return (
        f"{found.draws:,} pilots with the same sizes and splits were simulated from the fitted model. The checks "
        f"compare: {checks}. A tail probability below {100 * FAILS_BELOW:g} % means that the model rarely produces "
        "what was measured."
    )


def write_check_methods(answer: CheckAnswer) -> str:
    """Paragraph about a posterior predictive check."""
    found = answer.found
    tails = join_words([f"{check.name} {check.tail_probability:.3f}" for check in found.checks])
    return (
        f"{describe_pilot_and_method(answer.model)} In a posterior predictive check, {found.draws:,} pilots of the "
        "same design were simulated from the fitted curve and its noise; tail probabilities of the measured pilot "
        f"were: {tails}."
    )


def trace_band(found: PredictiveCheck) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Sizes, lower ends, medians and upper ends of the band of simulations; that of a single size is drawn as a box."""
    edges = found.sizes
    if len(edges) == 1:
        edges = np.array([edges[0] / _BOX, edges[0] * _BOX])
    lower, expected, upper = (np.broadcast_to(one, edges.shape) for one in (found.lower, found.expected, found.upper))
    return edges, lower, expected, upper


def title_check(found: PredictiveCheck) -> str:
    """Title of the picture."""
    return f"Mean {found.metric}: measured, and simulated from the fitted model"


def label_check_mark(kind: str) -> str:
    """Legend of a mark in the picture."""
    return {
        "measured": "measured (mean)",
        "drawn": "simulated from the fitted model (median, 95 %)",
    }[kind]
