"""The picture of a collection plan: what labels cost, and how probable success is then."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..._check import FloatArray, check_instance
from ..._extras import import_extra
from ..._numbers import format_chance, format_size
from ...cautions import FARTHEST_FACTOR
from ...estimators import APExGP, CurveEstimator
from ...estimators.contract import check_is_fitted
from ...forecast import Quantity
from ...question_base.picture_style import (
    FORECAST,
    MEASURED,
    Display,
    add_legend,
    check_axes,
    make_axes,
    mark_tested,
    style_axes,
    style_percent_axis,
)
from ...required import success_of
from . import CollectionPlan

__all__ = ["PlanDisplay"]

_BEYOND = 1.6  # how much farther than the last round the curve is drawn


@dataclass(eq=False, repr=False)
class PlanDisplay(Display):
    """The probability that a target is met, by what the labels cost, with the rounds of a plan on it.

    Make one with `PlanDisplay.from_plan(model, plan)` and draw it with `plot`.

    Parameters
    ----------
    sizes, prob : arrays of shape (Q,)
        Training-set sizes, and the probability that the target is met by then.
    plan : CollectionPlan
        The plan.
    metric : str
        What the target is about.
    unit : str
        What a size counts.
    tested : float
        Size up to which forecasts were tested.
    """

    sizes: FloatArray
    prob: FloatArray
    plan: CollectionPlan
    metric: str = "score"
    unit: str = "examples"
    tested: float = math.inf

    @classmethod
    def from_plan(cls, model: APExGP, plan: CollectionPlan, of: Quantity = "expected") -> Self:
        """Ask the model behind a plan for the probabilities between its rounds."""
        check_is_fitted(check_instance("model", model, CurveEstimator, "a fitted model"))
        check_instance("plan", plan, CollectionPlan, "a result of apexgp.plan_collection")
        collected = plan.sizes[-1] - plan.start
        # Where nothing is worth collecting: what the penalty would pay for.
        farthest = plan.start + (_BEYOND * collected if collected else max(plan.penalty / plan.cost_per_example, 1.0))
        grid = np.linspace(plan.start, farthest, 200)
        prob = np.maximum.accumulate(success_of(model, plan.target, of)(grid))
        curve = model.curve_
        return cls(grid, prob, plan, curve.metric_name, curve.unit_name, FARTHEST_FACTOR * curve.largest)

    def _about(self) -> str:
        rounds = sorted(set(self.plan.stops))
        return f"{self.metric} of {self.plan.target:g}, rounds to {', '.join(map(format_size, rounds))} {self.unit}"

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, a matplotlib Axes, or on a new figure."""
        ours = ax is None
        ax = make_axes("PlanDisplay.plot") if ours else check_axes("ax", ax)
        plan = self.plan
        spend = (self.sizes - plan.start) * plan.cost_per_example
        ax.plot(
            spend,
            self.prob,
            color=FORECAST,
            linewidth=2,
            label=f"probability of a mean {self.metric} of {plan.target:g}",
        )
        ax.plot([0], [plan.prob_now], "D", color=MEASURED, markersize=6, label=f"at hand: {plan.start:,}", zorder=4)
        self._draw_rounds(ax)
        mark_tested(ax, max(self.tested - plan.start, 0) * plan.cost_per_example, spend[-1])
        missed = f"missed in the end: {format_chance(plan.failure_probability)}"
        ax.axhline(plan.prob_met[-1], color="0.4", linewidth=1, linestyle="-.", label=missed)
        ax.set_xlim(-0.03 * spend[-1], 1.03 * spend[-1])
        style_percent_axis(ax, "target reached by then")
        self._name_costs(ax)
        style_axes(ax)
        add_legend(ax, below=ours)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_rounds(self, ax: Any) -> None:
        """Numbered rounds, each once: where nothing is collected, a round adds nothing."""
        seen = {self.plan.start}
        for number, (size, stop, met) in enumerate(
            zip(self.plan.sizes, self.plan.stops, self.plan.prob_met, strict=True), start=1
        ):
            if size in seen:
                continue
            seen.add(size)
            at = (size - self.plan.start) * self.plan.cost_per_example
            ax.vlines(at, 0, met, color="0.6", linewidth=0.8, linestyle=(0, (4, 4)))
            ax.plot(at, met, "o", color=MEASURED, markersize=13, zorder=4)
            ax.plot([], [], "o", color=MEASURED, markersize=6, label=f"round {number}: total {format_size(stop)}")
            ax.text(at, met, str(number), color="white", ha="center", va="center", fontsize="small", zorder=5)
        if len(seen) == 1:
            ax.plot([], [], " ", label="collecting more is not worth it")

    def _name_costs(self, ax: Any) -> None:
        """Costs below, numbers of examples above: one axis in two units."""
        ticker = import_extra("matplotlib.ticker", "PlanDisplay.plot", "plot")
        start, cost = self.plan.start, self.plan.cost_per_example
        ax.set_xlabel("cost of the labels")
        above = ax.secondary_xaxis("top", functions=(lambda x: start + x / cost, lambda n: (n - start) * cost))
        above.set_xlabel(f"training {self.unit}")
        for axis in (ax.xaxis, above.xaxis):
            axis.set_major_locator(ticker.MaxNLocator(6, integer=axis is above.xaxis))
            axis.set_major_formatter(ticker.FuncFormatter(lambda x, _: format_size(x)))
