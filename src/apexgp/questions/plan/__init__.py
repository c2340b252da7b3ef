"""How many examples to collect, round by round, when labels cost money and missing the target costs more.

The objective is that of Learn-Optimize-Collect (Mahmood et al. 2022b). With F(q) the probability that q examples meet
the target, sizes q_1 <= ... <= q_T are chosen to minimise

    c sum_t (q_t - q_(t-1)) (1 - F(q_(t-1))) + P (1 - F(q_T)):

round t is paid for only if no round before it met the target, the penalty only if none did. F comes from a forecast
and need not reach 1: the probability that no amount of data will do stays in the penalty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypedDict

import numpy as np

from ..._answer import Answer, ColumnData, SummaryTable, to_rows
from ..._check import FloatArray, check_positive, check_real_number, check_whole_number
from ..._numbers import format_chance, format_money, format_size, round_up
from ...curve import LearningCurve
from ...estimators import APExGP
from ...files.writing import to_json_value
from ...forecast import Quantity
from ...question_base.citations import list_sources
from ...question_base.documents import Count, NonNegative, Probability, WithMethodsText, word_answer
from ...question_base.model_documents import ModelFacts, describe_model
from ...question_base.model_settings import ModelQuestion
from ...question_base.phrases import join_words
from ...question_base.question import Cells, QuestionAnswer, build_table
from ...question_base.wording import add_held_out, describe_pilot_and_method, say_share_kept
from ...required import Forecaster, RequiredSize, Success, prob_met, success_of
from ...settings import Setting

if TYPE_CHECKING:
    from .picture import PlanDisplay

__all__ = [
    "COST",
    "PENALTY",
    "ROUNDS",
    "ROUNDS_SETTING",
    "CollectionPlan",
    "PlanAnswer",
    "PlanDocument",
    "PlanQuestion",
    "cheapest_sizes",
    "plan_collection",
]

COST = Setting(
    "Cost of a labelled example.",
    name="cost",
    control="Cost per labelled example",
    arguments=("cost_per_example",),
    above=0,
)
PENALTY = Setting("Cost of missing the target, in the same currency.", control="Cost of missing the target", above=0)

MOST_ROUNDS = 30  # the memory for the steps between all sizes of a draft grows with the square of the rounds
ROUNDS = 3
"""How often one can collect, where nothing else is said."""
_KNOTS = 40  # sizes at which F is asked for at first
_FINE = 600  # sizes that the first draft of a plan may be made of
_WINDOW = 81  # sizes around each of the draft's that the next one may be made of
_NARROWER = (1.0, 0.3, 0.08)  # half-widths of those windows, in gaps between the first knots
_MOST_SHOWN = 6  # sizes of a plan that are spelt out
ROUNDS_SETTING = Setting("Number of rounds of collection.", control="Rounds of collection", least=1, most=MOST_ROUNDS)


@dataclass(frozen=True, kw_only=True)
class PlanQuestion(ModelQuestion):
    """Plan how many examples to collect, round by round, when both labels and missing the target cost money.

    After each round, measure, add the scores to the file and plan again with the remaining rounds.
    """

    has_own_place: ClassVar[bool] = True

    target: Annotated[float, Setting("Score to reach.", accepts_percent=True)]
    cost_per_example: Annotated[float, COST]
    penalty: Annotated[float, PENALTY]
    rounds: Annotated[int, ROUNDS_SETTING] = ROUNDS
    start: Annotated[
        int | None,
        Setting("Examples at hand.", default="the largest size measured", least=1, server_limits={"le": 2**53}),
    ] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", check_real_number("target", self.target))
        for name in ("cost_per_example", "penalty"):
            object.__setattr__(self, name, check_positive(name, getattr(self, name)))
        object.__setattr__(self, "rounds", check_whole_number("rounds", self.rounds, least=1, most=MOST_ROUNDS))
        if self.start is not None:
            object.__setattr__(self, "start", check_whole_number("start", self.start, least=1))

    def answer(self, model: APExGP, required: RequiredSize | None = None) -> PlanAnswer:
        """Ask a fitted model; the size that the target takes is computed unless it is known already."""
        plan = plan_collection(model, self.target, self.cost_per_example, self.penalty, self.rounds, self.start)
        return PlanAnswer(self, model, plan, required or model.required_size(self.target))


@dataclass(frozen=True, eq=False)
class PlanAnswer(QuestionAnswer):
    """A plan, the model that it was made with, and the size that the target takes."""

    question: PlanQuestion
    model: APExGP
    plan: CollectionPlan
    required: RequiredSize

    def document(self) -> PlanDocument:
        """The plan, and the model behind it."""
        model, plan = self.model, self.plan
        sources: tuple[str, ...] = (*list_sources(model), "mahmood_b")
        return {
            "schema": "urn:apexgp:plan:1",
            **describe_model(model),
            "plan": to_json_value({name: value for name, value in vars(plan).items() if name != "cautions"}),
            "rounds": to_rows(plan.to_dict()),
            **word_answer(
                say_plan(plan, model.curve_, self.required), write_plan_methods(plan, model), plan.cautions, sources
            ),
        }

    def table(self) -> Cells:
        """One row per round."""
        return build_table(self.plan)

    def display(self) -> PlanDisplay:
        """The picture by matplotlib."""
        from .picture import PlanDisplay

        return PlanDisplay.from_plan(self.model, self.plan).plot()


@dataclass(frozen=True, repr=False)
class CollectionPlan(Answer):
    """Sizes to collect up to in each round, and what that is expected to cost.

    Attributes
    ----------
    target : float
        The score to reach.
    cost_per_example, penalty : float
        Cost of an example, and cost of never reaching the target.
    start : int
        Examples at hand, q_0.
    sizes : tuple of int
        Total examples after each round, q_1 <= ... <= q_T, as long as the target is not met. Rounds in which nothing is
        worth collecting repeat the size before.
    prob_now : float
        Probability that the examples at hand already meet the target, F(q_0).
    prob_met : tuple of float
        Probability that the target is met by the end of each round, F(q_t).
    expected_cost : float
        Expected cost of the examples plus the penalty times the failure probability: what the plan minimises.
    expected_spend : float
        Its first part, the expected cost of the examples only.
    failure_probability : float
        Probability that the target is not met at the end of the plan.
    cautions : tuple of str
        Reasons to doubt the plan.
    """

    target: float
    cost_per_example: float
    penalty: float
    start: int
    sizes: tuple[int, ...]
    prob_now: float
    prob_met: tuple[float, ...]
    expected_cost: float
    expected_spend: float
    failure_probability: float
    cautions: tuple[str, ...] = ()

    def _columns(self) -> ColumnData:
        more = np.diff([self.start, *self.sizes]).tolist()
        return {
            "round": list(range(1, len(self.sizes) + 1)),
            "collect": more,
            "size": list(self.sizes),
            "cost": [count * self.cost_per_example for count in more],
            "prob_met": list(self.prob_met),
        }

    @property
    def stops(self) -> tuple[int, ...]:
        """The sizes as they are reported: what each round collects is rounded up to two digits.

        What a plan costs hardly changes near its best, and another seed would move the sizes by more.
        """
        more = [int(round_up(count)) for count in np.diff([self.start, *self.sizes]).tolist()]
        return tuple((self.start + np.cumsum(more)).tolist())

    def shown(self) -> SummaryTable:
        """One row per round."""
        rows, before = [], self.start
        for number, (size, met) in enumerate(zip(self.stops, self.prob_met, strict=True), start=1):
            more, before = size - before, size
            cost = format_size(more * self.cost_per_example)  # to the penny: what is shown adds up
            rows.append((str(number), format_size(more), format_size(size), cost, format_chance(met)))
        spend = (
            f"From {self.start:,} examples, sufficient with a probability of {format_chance(self.prob_now)}. Labels "
            f"are expected to cost {format_money(self.expected_spend)}; the target is missed with a probability of "
            f"{format_chance(self.failure_probability)}."
        )
        header = ("round", "collect", "total", "cost", "target reached by then")
        return SummaryTable(f"Collection plan: a target of {self.target:g}", header, rows, self._all_notes(spend))


def plan_collection(
    model: Forecaster,
    target: float,
    cost_per_example: float,
    penalty: float,
    rounds: int = ROUNDS,
    start: int | None = None,
    of: Quantity = "expected",
) -> CollectionPlan:
    """Plan how many examples to collect, round by round, until a target is met.

    Parameters
    ----------
    model
        A fitted model that forecasts.
    target
        Score to reach; where lower is better, the error rate to come down to.
    cost_per_example
        Cost of a labelled example.
    penalty
        Cost of not having met the target at the end, in the same currency.
    rounds
        Number of rounds of collection, T. After each round the score is measured, and collection stops if the target is
        met. If not, refit with the new scores and plan the remaining rounds from there: that is cheaper than following
        the first plan blindly.
    start
        Examples at hand, q_0; by default the largest pilot size.
    of
        What should meet the target, as for `forecast`.

    Returns
    -------
    CollectionPlan

    Examples
    --------
    >>> from apexgp import APExGP, plan_collection
    >>> model = APExGP().fit([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81])
    >>> plan = plan_collection(model, target=0.83, cost_per_example=12, penalty=50_000)
    >>> plan.sizes
    (657, 890, 1540)
    """
    success = success_of(model, target, of)
    cost, loss = check_positive("cost_per_example", cost_per_example), check_positive("penalty", penalty)
    rounds = check_whole_number("rounds", rounds, least=1, most=MOST_ROUNDS)
    at_hand = int(model.curve_.largest) if start is None else check_whole_number("start", start, least=1)
    sizes = cheapest_sizes(success, float(at_hand), cost, loss, rounds)
    forecast = model.forecast(sizes, of=of)
    met = np.maximum.accumulate(prob_met(forecast, float(target), model.curve_.direction))
    spend = cost * float((np.diff(sizes) * (1 - met[:-1])).sum())
    return CollectionPlan(
        target=float(target),
        cost_per_example=cost,
        penalty=loss,
        start=at_hand,
        sizes=tuple(int(size) for size in sizes[1:]),
        prob_now=float(met[0]),
        prob_met=tuple(met[1:].tolist()),
        expected_cost=spend + loss * float(1 - met[-1]),
        expected_spend=spend,
        failure_probability=float(1 - met[-1]),
        cautions=forecast.cautions,
    )


def cheapest_sizes(success: Success, start: float, cost: float, penalty: float, rounds: int) -> FloatArray:
    """Whole sizes (q_0, ..., q_T) that minimise the expected cost."""
    # A round that costs more than the penalty it may avert is never worth it. Where that leaves less than a millionth
    # of what is at hand, F would have to leap within it.
    farthest = start + rounds * penalty / cost
    if farthest < start + max(1.0, 1e-6 * start):
        return np.full(rounds + 1, start)
    low, high = np.log([start, farthest]).round(9).tolist()
    knots = np.linspace(low, high, _KNOTS).round(9)
    chance = success(np.exp(knots))
    gap = knots[1] - knots[0]
    grid = np.linspace(low, high, _FINE)
    for half in _NARROWER:
        logs = _draft(grid, _between(knots, chance, grid), cost, penalty, rounds)
        # Ask for F where the draft is, and draft again from there.
        asked = np.setdiff1d(_nearby(logs[1:], half * gap, 5).clip(low, high), knots)
        knots, order = np.unique(np.append(knots, asked), return_index=True)
        chance = np.append(chance, success(np.exp(asked)))[order]
        grid = np.union1d(low, _nearby(logs[1:], half * gap, _WINDOW).clip(low, high))
    logs = _draft(grid, _between(knots, chance, grid), cost, penalty, rounds)
    # Up to whole examples, but not for the rounding of the logarithms: staying is not to collect one more.
    return np.maximum(np.ceil(np.exp(logs) * (1 - 1e-9) - 1e-6), start)


def _between(knots: FloatArray, chance: FloatArray, logs: FloatArray) -> FloatArray:
    """F between the sizes at which it is known.

    A curve that has met the target is taken to go on meeting it, so F does not fall.
    """
    from scipy.interpolate import PchipInterpolator

    # Rounded: differences that are no more than rounding would have slopes that overflow.
    value: FloatArray = PchipInterpolator(knots, np.maximum.accumulate(chance).round(13))(logs)
    return value


def _nearby(logs: FloatArray, half: float, count: int) -> FloatArray:
    """Logarithms of sizes in windows around the given ones, rounded so that none nearly coincide."""
    return (logs[:, None] + np.linspace(-half, half, count)).round(9).ravel()


def _draft(logs: FloatArray, chance: FloatArray, cost: float, penalty: float, rounds: int) -> FloatArray:
    """The best plan of sizes on a grid that begins at q_0: dynamic programming, from the last round back."""
    grid, remaining = np.exp(logs), 1 - chance
    # Row: where we are; column: how far to collect.
    spend = cost * (grid[None, :] - grid[:, None]) * remaining[:, None]
    spend[np.tril_indices(len(grid), -1)] = np.inf
    value, choices = penalty * remaining, []
    for _ in range(rounds):
        total = spend + value
        choices.append(total.argmin(axis=1))
        value = total.min(axis=1)
    path = [0]
    for choice in reversed(choices):
        path.append(int(choice[path[-1]]))
    return logs[path]


class PlannedFacts(TypedDict):
    """A plan as a whole."""

    target: float
    cost_per_example: NonNegative
    penalty: NonNegative
    """Cost of missing the target."""
    start: Count
    """Examples at hand."""
    sizes: list[Count]
    """Total examples after each round, as long as the target is not reached."""
    prob_now: Probability
    """Probability that the target is already met."""
    prob_met: list[Probability]
    """Probability that the target is met after each round."""
    expected_cost: NonNegative
    """Expected cost of the examples, plus the penalty times the failure probability."""
    expected_spend: NonNegative
    """Expected cost of the examples alone."""
    failure_probability: Probability
    """Probability that the target is missed after the last round."""


class RoundRow(TypedDict):
    """One round of a plan."""

    round: Count
    collect: Count
    """Examples to collect in this round."""
    size: Count
    """Training-set size after it."""
    cost: NonNegative
    prob_met: Probability


class PlanDocument(ModelFacts, WithMethodsText):
    """`apexgp plan --json`."""

    schema: Literal["urn:apexgp:plan:1"]
    plan: PlannedFacts
    rounds: list[RoundRow]


def say_plan(plan: CollectionPlan, curve: LearningCurve, required: RequiredSize) -> str:
    """Say what to collect, what comes on top, and how that differs from the required size, if there is one."""
    told = (_what_to_collect(plan, curve), say_held_out_of_plan(plan, curve))
    text = f"{' '.join(filter(None, told))} The plan is the cheapest course at these costs and stops as soon as the "
    if required.already_met or not required.is_realistic:
        return f"{text}target is met."
    return (
        f"{text}target is met; the number to put in a protocol is the required size from the forecast, which reaches "
        "the target with a stated probability."
    )


def _what_to_collect(plan: CollectionPlan, curve: LearningCurve) -> str:
    goal = f"{curve.metric_name} of {plan.target:g}"
    worth = sorted({size for size in plan.stops if size > plan.start})
    met = (
        f"The {plan.start:,} {curve.unit_name} at hand already reach a mean {goal} with a probability of "
        f"{format_chance(plan.prob_now)}. "
        if plan.prob_now >= 0.5
        else ""
    )
    missed = f"the probability of missing the {goal} in the end is {format_chance(plan.failure_probability)}"
    if not worth:
        return (
            f"{met}At {format_size(plan.cost_per_example)} per label and a penalty of {format_size(plan.penalty)}, "
            f"collecting more than the {plan.start:,} {curve.unit_name} at hand is not worth it; {missed}."
        )
    opening = "If they turn out not to, collect" if met else "Collect"
    text = f"{opening} {_more(worth[0] - plan.start, curve.unit_name)}, for a total of {worth[0]:,.12g}"
    if len(worth) > 1:
        shown = [f"{size:,.12g}" for size in worth[1:_MOST_SHOWN]]
        later = ", then ".join(shown) + (f" and so on to {worth[-1]:,.12g}" if len(worth) > _MOST_SHOWN else "")
        text += f"; as long as the {goal} is not reached, go on to {later}"
    return f"{met}{text}. The labels are expected to cost {format_money(plan.expected_spend)}, and {missed}."


def _more(count: int, what: str) -> str:
    return f"1 more {what.removesuffix('s')}" if count == 1 else f"{count:,.12g} more {what}"


def write_plan_methods(plan: CollectionPlan, model: APExGP) -> str:
    """Paragraph about a plan."""
    what = model.curve_.unit_name
    rounds = "one round" if len(plan.sizes) == 1 else f"{len(plan.sizes)} rounds"
    return (
        f"{describe_pilot_and_method(model)} Data collection was planned over {rounds} by minimising the expected cost "
        "of labels plus a penalty for missing the target (Learn-Optimize-Collect, Mahmood et al. 2022), with the "
        "probability that a training-set size suffices taken from the posterior. With a target "
        f"{model.curve_.metric_name} of {plan.target:g}, a cost of {format_size(plan.cost_per_example)} per "
        f"{what.removesuffix('s')} and a penalty of {format_size(plan.penalty)}, starting from {plan.start:,} {what} "
        f"(sufficient with a probability of {format_chance(plan.prob_now)}), the planned training-set sizes were "
        f"{join_words(plan.stops)}; "
        f"the expected cost of labels was {format_money(plan.expected_spend)}, the expected total cost "
        f"{format_money(plan.expected_cost)}, and the probability of missing the target "
        f"{format_chance(plan.failure_probability)}."
    )


def say_held_out_of_plan(plan: CollectionPlan, curve: LearningCurve) -> str:
    """Say that validation and test cases come on top of the first size to collect, and the total if it is known."""
    worth = [size for size in plan.stops if size > plan.start]
    if not worth:
        return ""
    first, in_all = min(worth), ""
    if curve.test_share is not None:
        total = add_held_out(first, curve.test_share, 15)
        in_all = f": {total:,.0f} in all to train on {first:,.12g}, {say_share_kept(curve)}"
    return f"{curve.unit_name.capitalize()} for validation and test come on top{in_all}."
