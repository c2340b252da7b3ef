"""The command `apexgp report`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ...errors import ApexError, DataError
from ...estimators import APExGP
from ...estimators.contract import clone
from ...files.writing import check_writable
from ...question_base.model_settings import ModelSettings
from ...questions.report import ReportQuestion
from ...running.terminal import progress_bar
from ..command import SetsArgument
from ..curve_file import CurveFile
from ..options import PriorsOptions
from ..report.write import answer_report

__all__ = ["report"]


def report(
    *,
    out: Annotated[Path, typer.Option(help="File for the report (HTML)."), SetsArgument()] = Path("report.html"),
    asked: ReportQuestion,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the report if it exists."), SetsArgument("overwrite")
    ] = False,
    settings: ModelSettings,
    priors: PriorsOptions,
    source: CurveFile,
) -> None:
    """Write a report to share: answers in words, chart, tables, backtest, assumptions and data in one HTML file.

    It works offline and prints well. A file with several tasks gets a summary and a section on each.
    """
    check_writable(out, force)
    curves, model = source.curves, priors.build_model(settings)
    if asked.title is None and source.title is not None:
        asked = replace(asked, title=source.title)
        typer.echo(f"Note: titled {source.title!r}, after the sheet. Choose another with --title.", err=True)
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
    answer_report(asked, models, out, overwrite=force)
    typer.echo(f"The report is in {out}. Open it in any browser; from there it prints to PDF.")
    failed = sum(isinstance(one, ApexError) for one in models.values())
    if failed:
        raise DataError(f"{failed} of {len(curves)} tasks could not be forecast; the report says why.")
