"""The command `apexgp experiment`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ..._extras import import_extra
from ...errors import RequestError
from ...replication.configuration import Experiment, shipped_experiments
from ...replication.run import run_experiment
from ..command import Sets
from ..experiment_folder import begun, rewrite_experiment
from ..facts import experiment_facts
from ..options import among
from ..output import OutputOptions, print_table
from ..words.experiment import shipped_lines, stopped_sentence, written_sentence
from ..workers import WorkerOptions, all_warnings

__all__ = ["experiment"]


def experiment(
    *,
    name: Annotated[
        str | None,
        typer.Argument(
            help="An experiment that ships with apexgp, or a configuration file (TOML). Without it, those that ship "
            "are listed.",
            autocompletion=lambda incomplete: among(*shipped_experiments())(incomplete),
        ),
    ] = None,
    embeddings: Annotated[
        Path | None,
        typer.Option(
            help="Embeddings (.npy, .npz, folder of scans) or a table of features.",
            show_default="what the configuration names",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the results; the same command resumes from it.",
            show_default="the experiment's name with -experiment",
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(help="Only write the configuration to this file, for you to edit.", show_default=False),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Only list the experiments that ship with apexgp.")] = False,
    dense: Annotated[
        bool, typer.Option(help="Do the many runs at large sizes, if the configuration asks for them.")
    ] = True,
    workers: WorkerOptions,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the file of --write if it exists."), Sets("overwrite")
    ] = False,
    output: OutputOptions,
) -> None:
    """Run the paper's experiment on your embeddings: curves, forecasts by all methods, the paper's tables."""
    if (name is None or list_ or write is not None) and not output.for_a_reader:
        raise RequestError("--json and --methods-text need an experiment to run. Name one, without --list or --write.")
    if name is None and write is not None:
        known = ", ".join(shipped_experiments())
        raise RequestError(f"needs an experiment to write: name one of {known}.", argument="write")
    if name is None or list_:
        typer.echo("\n".join(shipped_lines({one: Experiment.read(one) for one in shipped_experiments()})))
        return
    wanted = Experiment.read(name)
    if write is not None:
        wanted.write(write, overwrite=force)
        typer.echo(f"The configuration is in {write}. Next: apexgp experiment {write}")
        return
    folder = out or Path(f"{Path(name).stem}-experiment")
    with begun(folder) as record, all_warnings(), workers.at_work() as n_jobs:
        try:
            result = run_experiment(wanted, embeddings, results=record, dense=dense, n_jobs=n_jobs)
        except KeyboardInterrupt:
            typer.echo(f"\n{stopped_sentence(record)}", err=True)
            raise typer.Exit(130) from None
        except RequestError as problem:
            if "results" in dict(problem.to_set):
                problem.remedy = ("Start in another folder with {}, or go back to those settings.", ("out", "other"))
            raise
    for note in result.notes:
        typer.echo(note, err=True)
    drawn = find_spec("matplotlib") is not None
    if drawn:
        import_extra("matplotlib.pyplot", "experiment", "plot").switch_backend("Agg")  # files need no window
    rewrite_experiment(result, folder, pictures=drawn)
    *others, last = [(table.caption, table.header[1:], [row[1:] for row in table.rows]) for table in result.tables]
    if output.for_a_reader:
        typer.echo(wanted.name)
        for caption, header, rows in others:
            typer.echo(caption)
            print_table(header, rows)
    output.present(experiment_facts(result), *last[1:], intro=last[0])
    if output.for_a_reader:
        typer.echo(written_sentence(folder, drawn))
