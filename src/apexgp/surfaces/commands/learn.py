"""The command `apexgp learn`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...errors import DataError
from ...files.writing import check_writable
from ...learning.learn import learn_beliefs
from ...model.beliefs import CALIBRATED
from ...model.priors_file import read_priors, write_priors
from ..command import Sets
from ..curve_file import CurveFile
from ..facts import learn_facts
from ..output import OutputOptions
from ..tables import table_of
from ..words.learn import written_line
from ..workers import WorkerOptions

__all__ = ["learn"]


def learn(
    *,
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
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files."), Sets("overwrite")] = False,
    workers: WorkerOptions,
    output: OutputOptions,
    source: CurveFile,
) -> None:
    """Learn priors from your own whole curves: those that best forecast the later part of each from its earlier part.

    The file has one curve per entry of its column task. A few curves move the priors a little, many as far as they
    support it; tasks are left out in turn to see whether it helps.
    """
    check_writable(out, force)
    begin = CALIBRATED if start is None else read_priors(start)
    curves = source.curves()
    with workers.at_work() as n_jobs:
        beliefs = learn_beliefs(curves, begin, folder=folder, n_jobs=n_jobs, seed=seed)
    if beliefs.learnt is None:
        raise DataError(f"{source.pairs} contains no curves to learn from.")
    write_priors(beliefs, out, overwrite=force)
    output.present(learn_facts(beliefs.learnt, out), *table_of(beliefs.learnt))
    if output.for_a_reader:
        typer.echo(written_line(out))
