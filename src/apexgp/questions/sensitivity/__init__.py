"""Sensitivity analysis: the question of a forecast, with one thing changed at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypedDict

from ..._numbers import format_chance, format_score, format_score_interval
from ...estimators import APExGP
from ...files.writing import to_json_value
from ...question_base.changes import name_change
from ...question_base.citations import list_sources
from ...question_base.documents import Probability, Size, WithMethodsText, word_answer
from ...question_base.model_documents import ModelFacts, RequiredFacts, describe_model, describe_required_size
from ...question_base.phrases import join_words
from ...question_base.question import Cells, QuestionAnswer, build_table
from ...question_base.wording import describe_pilot_and_method
from ..forecast import ForecastSettings
from .analysis import Sensitivity, SensitivityRow, sensitivity

if TYPE_CHECKING:
    from .picture import SensitivityDisplay

__all__ = [
    "SensitivityAnswer",
    "SensitivityDocument",
    "SensitivityQuestion",
    "analyse",
    "label_bar_group",
    "label_compared_axis",
    "say_left_out",
]

_MOST = 3  # changes that a sentence names
_TRIFLING = 0.01  # change of a probability that no reader would call one


@dataclass(frozen=True, kw_only=True)
class SensitivityQuestion(ForecastSettings):
    """Show what an answer depends on: the same question with other assumptions, and with parts of the data left out.

    The forecast, and with a target the number of examples that reach it, under other priors, curves and ceilings,
    without the first size, the last, and each split in turn. The largest changes come first.
    """

    has_own_place: ClassVar[bool] = True
    is_slow: ClassVar[bool] = True

    def answer(self, model: APExGP) -> SensitivityAnswer:
        """Ask a fitted model."""
        return analyse(self, model)


def analyse(question: ForecastSettings, model: APExGP) -> SensitivityAnswer:
    """Run a sensitivity analysis for any question that forecasts."""
    found = sensitivity(
        model,
        question.list_sizes(model.curve_),
        of=question.of,
        level=question.level,
        target=question.target,
        confidence=question.confidence,
    )
    return SensitivityAnswer(question, model, found)


@dataclass(frozen=True, eq=False)
class SensitivityAnswer(QuestionAnswer):
    """A sensitivity analysis, and the model that it is about."""

    question: ForecastSettings
    model: APExGP
    found: Sensitivity

    def document(self) -> SensitivityDocument:
        """The answer, and what becomes of it with one thing changed at a time."""
        found, model = self.found, self.model
        return {
            "schema": "urn:apexgp:sensitivity:1",
            **describe_model(model),
            "level": found.level,
            "target": found.target,
            "confidence": found.confidence,
            "compared_at": found.compared_at,
            "unchanged": _change_facts(found.unchanged, found),
            "changes": [_change_facts(row, found) for row in found.rows],
            **word_answer(say_sensitivity(self), write_sensitivity_methods(self), found.cautions, list_sources(model)),
        }

    def table(self) -> Cells:
        """One row per change."""
        return build_table(self.found)

    def display(self) -> SensitivityDisplay:
        """The picture by matplotlib."""
        from .picture import SensitivityDisplay

        return SensitivityDisplay.from_sensitivity(self.found).plot()

    def svg(self, name: str = "bars") -> str:
        """The picture for a page; `name` begins its identifiers."""
        from .bars import BarDrawing

        return BarDrawing(self.found, name).svg()


class ScoreRow(TypedDict):
    """Expected score and the ends of its interval at one size."""

    size: Size
    mean: float
    lower: float
    upper: float


class ChangeFacts(TypedDict):
    """The answer with one thing changed; `error` says why there is none."""

    name: str
    """What was changed."""
    kind: Literal["none", "prior", "curve", "limit", "data", "question"]
    forecast: list[ScoreRow]
    required: RequiredFacts | None
    prob_target: Probability | None
    """Probability that the size `compared_at` reaches the target."""
    effect: float | None
    """How far the answer moves: the change in `prob_target` if there is a target, else in the expected score."""
    error: str | None


class SensitivityDocument(ModelFacts, WithMethodsText):
    """`apexgp sensitivity --json`."""

    schema: Literal["urn:apexgp:sensitivity:1"]
    level: Probability
    """Probability of the intervals."""
    target: float | None
    confidence: Probability
    compared_at: Size
    """Size at which effects are compared."""
    unchanged: ChangeFacts
    changes: list[ChangeFacts]
    """The largest effect first."""


def _change_facts(row: SensitivityRow, found: Sensitivity) -> ChangeFacts:
    columns = (column.tolist() for column in (found.sizes[: len(row.mean)], row.mean, row.lower, row.upper))
    return {
        "name": row.name,
        "kind": row.kind,
        "forecast": [
            {"size": size, "mean": mean, "lower": low, "upper": high}
            for size, mean, low, high in zip(*columns, strict=True)
        ],
        "required": None if row.required is None else describe_required_size(row.required),
        "prob_target": to_json_value(row.prob_target),
        "effect": to_json_value(row.effect),
        "error": row.error,
    }


def say_sensitivity(answer: SensitivityAnswer) -> str:
    """Say what moves the answer most, what comes next, and how much of it is the data's."""
    found = answer.found
    noise = max(2 * found.numerical_error, 10.0**-found.decimals if found.target is None else _TRIFLING)
    moving = [row for row in found.answered if abs(row.effect) > noise]
    said = [_say_unchanged(found)]
    if moving:
        named = [
            f"{name_change(row.name, row.kind)} it is {_format_compared(found, row)}{_say_takes(found, row)}"
            for row in moving[:_MOST]
        ]
        said.append(f"What moves it most: {'; '.join(named)}.")
        said.append(_say_shares(found))
    else:
        said.append(f"No change moves it beyond the numerical error of the computation{_say_exactness(found)}.")
    if found.failed:
        names = join_words([row.name for row in found.failed[:_MOST]])
        more = len(found.failed) - _MOST
        rest = f" and {more} more changes" if more > 0 else ""
        said.append(f"Not answered: {names}{rest} ({found.failed[0].error})")
    if found.rough:
        worst = max(found.rough, key=lambda row: row.end_error)
        said.append(
            f"Least precise: {worst.name}, where the ends of the interval may be off by "
            f"{format_chance(worst.end_error)} of its width."
        )
    return " ".join(said)


def _say_unchanged(found: Sensitivity) -> str:
    """The number that is compared, as the model has it."""
    value = _format_compared(found, found.unchanged)
    if found.target is None:
        return f"The expected {found.metric} at {found.compared_size} {found.unit} is {value}."
    return (
        f"The probability that {found.compared_size} {found.unit} reach {found.target:g} is {value}"
        f"{_say_takes(found, found.unchanged)}."
    )


def _format_compared(found: Sensitivity, row: SensitivityRow) -> str:
    value = row.compared
    return format_score(value, found.decimals) if found.target is None else format_chance(value)


def _say_takes(found: Sensitivity, row: SensitivityRow) -> str:
    """The size that a target takes, in brackets."""
    required = row.required
    if required is None or required.already_met:
        return ""
    sure = f"{100 * required.confidence:g} %"
    if required.is_out_of_reach:
        return f" (no number of {found.unit} reaches {sure}: {required.at_best} at best)"
    if row.kind == "none" and found.compared_at == required.size and required.is_known:
        return ""
    return f" ({row.takes} {found.unit} for {sure})"


def _say_shares(found: Sensitivity) -> str:
    """How much assumptions and parts of the data move the answer, and how exact it is."""
    effects = found.largest_effects
    assumed = max((effects.get(kind, 0.0) for kind in ("prior", "curve", "limit")), default=0.0)
    without = f", less data by {_format_most(found, effects['data'])}" if "data" in effects else ""
    return f"Other assumptions move it by {_format_most(found, assumed)}{without}{_say_exactness(found)}."


def _format_most(found: Sensitivity, effect: float) -> str:
    amount = _format_amount(found, effect)
    return amount if amount.startswith("less than") else f"up to {amount}"


def _say_exactness(found: Sensitivity) -> str:
    """The numerical error of the answer, where it has one."""
    if not found.numerical_error:
        return ""
    required = found.unchanged.required
    of_size = ""
    if required is not None and not required.already_met and math.isfinite(required.relative_error):
        share = 100 * required.relative_error
        of_size = f", that of the required size {f'{share:.0f}' if share >= 1 else 'less than 1'} %"
    return f"; its numerical standard error is {_format_amount(found, found.numerical_error)}{of_size}"


def _format_amount(found: Sensitivity, effect: float) -> str:
    if found.target is None:
        return format_score(effect, found.decimals)
    points = f"{100 * effect:.0f}" if effect >= 0.01 else "less than 1"
    return f"{points} point{'' if points in ('1', 'less than 1') else 's'}"


def write_sensitivity_methods(answer: SensitivityAnswer) -> str:
    """Paragraph about what was changed, and what became of the answer."""
    found = answer.found
    values = [row.compared for row in found.answered]
    low, high = min([*values, found.unchanged.compared]), max([*values, found.unchanged.compared])
    if found.target is None:
        what = f"the expected {found.metric} at {found.compared_size} training {found.unit}"
        span = _format_compared(found, found.unchanged)
        span += f", and ranged from {format_score_interval(low, high, found.decimals)}"
    else:
        what = (
            f"the probability that the expected {found.metric} with {found.compared_size} training {found.unit} meets "
            f"{found.target:g}"
        )
        span = f"{found.unchanged.compared:.2f}, and ranged from {low:.2f} to {high:.2f}"
    return (
        f"{describe_pilot_and_method(answer.model)} In a sensitivity analysis, one thing was changed at a time: "
        f"{_list_changed(found)}. Under the model itself, {what} was {span} over {len(values)} changes."
    )


def _list_changed(found: Sensitivity) -> str:
    kinds = {row.kind for row in found.answered}
    words = {
        "prior": "the priors, or the whole method",
        "curve": "the shape of the curve",
        "limit": "the best possible score",
        "data": "the data, parts of which were left out",
        "question": "what is forecast",
    }
    return join_words([text for kind, text in words.items() if kind in kinds])


def label_compared_axis(found: Sensitivity) -> str:
    """Label of the axis of a picture."""
    if found.target is None:
        return f"expected {found.metric} at {found.compared_size} {found.unit}"
    return f"probability that {found.compared_size} {found.unit} reach {found.target:g}"


def say_left_out(count: int) -> str:
    """Say how many changes a picture does not show."""
    return f"{count} smaller change{'s' * (count > 1)} not shown" if count else ""


def label_bar_group(group: str) -> str:
    """Legend of a group of bars."""
    return {"assumed": "another assumption", "data": "less data", "other": "another question"}[group]
