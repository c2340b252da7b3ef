"""The command `apexgp learn`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ...curve import LearningCurve
from ...errors import DataError, RequestError
from ...files.writing import check_writable
from ...learning.learn import learn_beliefs
from ...learning.lessons import cut_pilots
from ...model.beliefs import read_priors, write_priors
from ...questions.learn import LearnAnswer
from ...track_record.forecast_record import ForecastRecord
from ..command import SetsArgument
from ..curve_file import ReadingOptions, read_file
from ..output import OutputOptions
from ..workers import WorkerOptions

__all__ = ["learn"]


def learn(
    *,
    pairs: Annotated[
        Path | None,
        typer.Argument(
            help="Table of whole curves (CSV, .xlsx or JSON) with the columns size, score, task and, if known, split; "
            "- is standard input; or a folder of training runs, or mlflow:EXPERIMENT.",
            allow_dash=True,
            show_default=False,
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            help="Learn from the whole curves of this record instead, which --record of other commands has written.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="File to write the priors to, for --priors of other commands.")],
    start: Annotated[
        Path | None,
        typer.Option(help="Priors of an earlier run to start from, instead of the shipped ones.", show_default=False),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            help="Folder for intermediate results of each curve, so that an interrupted run resumes.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the integration.")] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite existing files."), SetsArgument("overwrite")
    ] = False,
    workers: WorkerOptions,
    output: OutputOptions,
    columns: ReadingOptions,
) -> None:
    """Learn priors from your own whole curves: those that best forecast the later part of each from its earlier part.

    The file has one curve per entry of its column task. A few curves move the priors a little, many as far as they
    support it; tasks are left out in turn to see whether it helps.
    """
    check_writable(out, force)
    begin = None if start is None else read_priors(start)
    curves = _find_curves(pairs, record, columns)
    with workers.at_work() as n_jobs:
        beliefs = learn_beliefs(curves, begin, folder=folder, n_jobs=n_jobs, seed=seed)
    if beliefs.learnt is None:
        raise DataError(f"{pairs or record} contains no curves to learn from.")
    write_priors(beliefs, out, overwrite=force)
    output.present(LearnAnswer(beliefs.learnt, out))
    if output.for_a_reader:
        typer.echo(f"Wrote {out}. Use it with --priors {out}.")


def _find_curves(pairs: Path | None, record: Path | None, columns: ReadingOptions) -> Mapping[Any, LearningCurve]:
    """Whole curves of a table or, as far as they are whole yet, of a record."""
    if pairs is not None and record is None:
        return read_file(pairs, columns)
    if pairs is not None or record is None:
        raise RequestError("Give a table of whole curves or --record, one of them.")
    kept = ForecastRecord(record)
    whole = {task: curve for task, curve in kept.curves(columns.metric, whole=True).items() if cut_pilots(curve)}
    count = len(kept.curves(columns.metric))
    if not whole:
        raise DataError(f"None of the {count} curves in {record} extends beyond a pilot yet.")
    if len(whole) < count:
        short = count - len(whole)
        verb = "does" if short == 1 else "do"
        typer.echo(f"Note: {short} of {count} curves in {record} {verb} not extend beyond a pilot: left out.", err=True)
    return whole
