"""What a report says about one task: the facts of each answer, as the commands' `--json` has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from ...answers.plan import CollectionPlan, plan_collection
from ...answers.required import RequiredSize
from ...design.pilot import design_pilot
from ...design.ranked import PilotDesign
from ...errors import RequestError
from ...estimators import APExGP, CurveEstimator
from ...repeated.backtest import backtest, methods_named
from ...repeated.backtest_answer import Backtest
from ..chart.facts import bands_with, chart_facts
from ..facts import backtest_facts, design_facts, forecast_facts, plan_facts
from ..words.cite import Source, sources_of, sources_of_methods
from .wanted import Wanted

__all__ = ["Findings", "findings", "own_method"]

_COMPARED = ("apexgp", "apexgp_published", "power_law", "arctan")


@dataclass(frozen=True)
class Findings:
    """The answers about one task, each with its facts."""

    model: APExGP
    forecast: dict[str, Any]
    chart: dict[str, Any]
    backtest: Backtest
    backtest_facts: dict[str, Any]
    required: RequiredSize | None
    plan: CollectionPlan | None
    plan_facts: dict[str, Any] | None
    design: PilotDesign | None
    design_facts: dict[str, Any] | None

    @property
    def cautions(self) -> list[str]:
        """Every reason for doubt, once."""
        of_plan = [] if self.plan_facts is None else self.plan_facts["cautions"]
        return list(dict.fromkeys([*self.forecast["cautions"], *of_plan]))

    @property
    def sources(self) -> list[Source]:
        """Whose work the answers rest on."""
        of_plan: list[Source] = [] if self.plan is None else ["mahmood_b"]
        of_design: list[Source] = [] if self.design is None else ["chaloner"]
        return [*sources_of(self.model), *of_plan, *of_design, *sources_of_methods(_COMPARED)]

    def as_json(self) -> dict[str, Any]:
        """The facts of all answers, for machines."""
        return {
            "forecast": self.forecast,
            "plan": self.plan_facts,
            "design": self.design_facts,
            "backtest": self.backtest_facts,
        }


def findings(model: APExGP, wanted: Wanted) -> Findings:
    """Answer everything that is wanted of a fitted model."""
    sizes = wanted.sizes_for(model.curve_)
    required = None if wanted.target is None else model.required_size(wanted.target, wanted.confidence)
    plan = None
    if wanted.target is not None and wanted.cost_per_example is not None and wanted.penalty is not None:
        plan = plan_collection(model, wanted.target, wanted.cost_per_example, wanted.penalty, wanted.rounds)
    design = _designed(model, wanted)
    judged = backtest(model.curve_, _methods(model))
    return Findings(
        model,
        forecast_facts(model, model.forecast(sizes), wanted.level, required),
        chart_facts(model, sizes, required, levels=bands_with(wanted.level)),
        judged,
        backtest_facts(judged, {}),
        required,
        plan,
        None if plan is None else plan_facts(model, plan),
        design,
        None if design is None else design_facts(design, model, model.curve_),
    )


def _designed(model: APExGP, wanted: Wanted) -> PilotDesign | None:
    """What to measure next, where that is wanted."""
    if wanted.budget == 0:
        return None
    try:
        return design_pilot(model, **wanted.design_arguments(model))
    except RequestError as problem:
        if wanted.budget is None and problem.argument == "model":
            return None  # one that cannot tell, such as the published: nobody has asked it to
        raise


def _methods(model: APExGP) -> dict[str, CurveEstimator]:
    """The model itself, as it was set up, beside some that it can be compared with."""
    chosen = methods_named(_COMPARED)
    given = model.get_params(deep=False)
    for method in chosen.values():
        known = method.get_params(deep=False)
        method.set_params(**{name: given[name] for name in ("ceiling", "floor", "seed") if name in known})
    return chosen | {own_method(model): clone(model)}


def own_method(model: APExGP) -> str:
    """The name that the model itself has among the methods."""
    return "apexgp_published" if model.inference == "map" else "apexgp"
