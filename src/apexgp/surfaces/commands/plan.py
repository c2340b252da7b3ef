"""The command `apexgp plan`."""

from __future__ import annotations

from typing import Annotated

import typer

from ...answers.plan import ROUNDS
from ...questions.plan import PlanQuestion
from ..command import Sets
from ..curve_file import CurveFile
from ..facts import plan_facts
from ..options import ModelOptions, share_option
from ..output import OutputOptions, PictureOptions
from ..plot.plan import PlanDisplay
from ..tables import table_of

__all__ = ["plan"]


def plan(
    *,
    target: Annotated[float, share_option(help="Score to reach.")],
    cost: Annotated[float, typer.Option(help="Cost of a labelled example."), Sets("cost_per_example")],
    penalty: Annotated[float, typer.Option(help="Cost of missing the target, in the same currency.")],
    rounds: Annotated[int, typer.Option(help="Number of rounds of collection.")] = ROUNDS,
    start: Annotated[
        int | None,
        typer.Option(help="Examples at hand.", show_default="the largest size in the file"),
    ] = None,
    settings: ModelOptions,
    picture: PictureOptions,
    output: OutputOptions,
    source: CurveFile,
) -> None:
    """Plan how many examples to collect, round by round, when both labels and missing the target cost money.

    After each round, measure, add the scores to the file and plan again with the remaining rounds.
    """
    question = PlanQuestion(target=target, cost_per_example=cost, penalty=penalty, rounds=rounds, start=start)
    answer = question.answer(settings.model().fit(source.only_curve()))
    output.present(plan_facts(answer), *table_of(answer.plan))
    picture.draw(lambda: PlanDisplay.from_plan(answer.model, answer.plan).plot(), output)
