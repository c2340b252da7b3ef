"""The command `apexgp report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...errors import ApexError, DataError
from ...estimators import APExGP
from ...files.writing import check_writable
from ...running.progress import progress_bar
from ..command import Sets
from ..options import Confidence, CurveFile, ModelOptions, share_option, sizes_and_times
from ..report.write import write_report
from ..words.report import written_line

__all__ = ["report"]


def report(
    *,
    out: Annotated[Path, typer.Option(help="File for the report (HTML)."), Sets()],
    at: Annotated[
        list[str] | None,
        typer.Option(
            help="Training-set size to forecast, or a multiple of the largest in the file such as 10x. "
            "Repeat for several.  [default: 2x 10x 50x]",
            show_default=False,
        ),
        Sets("sizes", "times"),
    ] = None,
    target: Annotated[
        float | None, share_option(help="Score to reach: say how many examples it takes.", show_default=False)
    ] = None,
    confidence: Confidence = 0.8,
    level: Annotated[float, share_option(help="Probability that the interval should hold the score.")] = 0.95,
    cost: Annotated[
        float | None,
        typer.Option(help="What a labelled example costs: plan what to collect.", show_default=False),
        Sets("cost_per_example"),
    ] = None,
    penalty: Annotated[
        float | None,
        typer.Option(help="What it costs not to reach the target, in the same currency.", show_default=False),
    ] = None,
    rounds: Annotated[int, typer.Option(help="How often one can collect.")] = 3,
    budget: Annotated[
        float | None,
        typer.Option(
            help="How many models you could still train, for the advice on what to measure next; 0: no advice.  "
            "[default: 12]",
            show_default=False,
        ),
    ] = None,
    available: Annotated[
        float | None,
        typer.Option(
            help="Most examples that can be trained on.  [default: twice the largest size in the file]",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the report if it exists."), Sets("overwrite")
    ] = False,
    settings: ModelOptions,
    source: CurveFile,
) -> None:
    """Write a report to hand in: answers in words, chart, tables, backtest, assumptions and data in one HTML file.

    It opens offline and prints. A file with several tasks gets a summary and a section on each.
    """
    check_writable(out, force)
    curves = source.curves()
    sizes, times = sizes_and_times(at or ())
    models: dict[str | None, APExGP | ApexError] = {}
    with progress_bar("fits", len(curves)) as advance:
        for task, curve in curves.items():
            try:
                models[task] = settings.model().fit(curve)
            except DataError as problem:
                if len(curves) == 1:
                    raise
                models[task] = problem
            advance()
    write_report(
        models,
        out,
        sizes or None,
        times=times or None,
        target=target,
        confidence=confidence,
        level=level,
        cost_per_example=cost,
        penalty=penalty,
        rounds=rounds,
        budget=budget,
        available=available,
        overwrite=force,
    )
    typer.echo(written_line(out))
    failed = sum(isinstance(model, ApexError) for model in models.values())
    if failed:
        raise DataError(f"{failed} of {len(curves)} tasks could not be forecast; the report says why.")
