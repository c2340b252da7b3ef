"""The command `apexgp plan`."""

from __future__ import annotations

from typing import Annotated

import typer

from ...answers.plan import plan_collection
from ..command import Sets
from ..facts import plan_facts
from ..options import CurveFile, ModelOptions, share_option
from ..output import OutputOptions, PictureOptions
from ..plot import PlanDisplay
from ..tables import table_of

__all__ = ["plan"]


def plan(
    *,
    target: Annotated[float, share_option(help="Score to reach.")],
    cost: Annotated[float, typer.Option(help="What a labelled example costs."), Sets("cost_per_example")],
    penalty: Annotated[float, typer.Option(help="What it costs not to reach the target, in the same currency.")],
    rounds: Annotated[int, typer.Option(help="How often one can collect.")] = 3,
    start: Annotated[
        int | None,
        typer.Option(help="Examples at hand.  [default: the largest size in the file]", show_default=False),
    ] = None,
    settings: ModelOptions,
    picture: PictureOptions,
    output: OutputOptions,
    source: CurveFile,
) -> None:
    """Plan how many examples to collect, round by round, when labels and a missed target cost money.

    After each round, measure, add the scores to the file and plan again with the rounds that are left.
    """
    model = settings.model().fit(source.only_curve())
    found = plan_collection(model, target, cost, penalty, rounds, start)
    output.present(plan_facts(model, found), *table_of(found))
    picture.draw(lambda: PlanDisplay.from_plan(model, found).plot(), output)
