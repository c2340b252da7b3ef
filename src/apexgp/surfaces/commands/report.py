"""The command `apexgp report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...answers.plan import ROUNDS
from ...errors import ApexError, DataError
from ...estimators import APExGP
from ...estimators.contract import clone
from ...files.writing import check_writable
from ...questions.design import BUDGET
from ...running.terminal import progress_bar
from ..command import Sets
from ..curve_file import CurveFile
from ..options import ModelOptions, StudyOptions
from ..report.write import write_report
from ..words.report import titled_as_sheet, written_line

__all__ = ["report"]


def report(
    *,
    out: Annotated[Path, typer.Option(help="File for the report (HTML)."), Sets()] = Path("report.html"),
    title: Annotated[
        str | None,
        typer.Option(help="Title.", show_default="that of the sheet, or what the report is about"),
    ] = None,
    author: Annotated[str | None, typer.Option(help="Author of the report.")] = None,
    project: Annotated[str | None, typer.Option(help="What it is for, such as a protocol or a grant.")] = None,
    asked: StudyOptions,
    cost: Annotated[
        float | None,
        typer.Option(help="Cost of a labelled example: plan what to collect.", show_default=False),
        Sets("cost_per_example"),
    ] = None,
    penalty: Annotated[
        float | None,
        typer.Option(help="Cost of missing the target, in the same currency.", show_default=False),
    ] = None,
    rounds: Annotated[int, typer.Option(help="Number of rounds of collection.")] = ROUNDS,
    budget: Annotated[
        float | None,
        typer.Option(
            help="Number of models you could still train, for the advice on what to measure next; 0 for no advice.",
            show_default=f"{BUDGET:g}",
        ),
    ] = None,
    available: Annotated[
        float | None,
        typer.Option(
            help="Most examples available for training.",
            show_default="twice the largest size in the file",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the report if it exists."), Sets("overwrite")
    ] = False,
    settings: ModelOptions,
    source: CurveFile,
) -> None:
    """Write a report to share: answers in words, chart, tables, backtest, assumptions and data in one HTML file.

    It works offline and prints well. A file with several tasks gets a summary and a section on each.
    """
    check_writable(out, force)
    question, curves, model = asked.question(), source.curves(), settings.model()
    if title is None and source.title is not None:
        title = source.title
        typer.echo(titled_as_sheet(title), err=True)
    models: dict[str | None, APExGP | ApexError] = {}
    with progress_bar("fits", len(curves)) as advance:
        for task, curve in curves.items():
            try:
                models[task] = clone(model).fit(curve)
            except DataError as problem:
                if len(curves) == 1:
                    raise
                models[task] = problem
            advance()
    write_report(
        models,
        out,
        question.at.sizes or None,
        times=question.at.times or None,
        target=question.target,
        confidence=question.confidence,
        prevalence=question.prevalence,
        cstatistic=question.cstatistic,
        of=question.of,
        level=question.level,
        cost_per_example=cost,
        penalty=penalty,
        rounds=rounds,
        budget=budget,
        available=available,
        title=title,
        author=author,
        project=project,
        overwrite=force,
    )
    typer.echo(written_line(out))
    failed = sum(isinstance(model, ApexError) for model in models.values())
    if failed:
        raise DataError(f"{failed} of {len(curves)} tasks could not be forecast; the report says why.")
