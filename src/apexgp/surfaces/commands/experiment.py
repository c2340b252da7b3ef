"""The command `apexgp experiment`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ..._extras import import_extra
from ...errors import RequestError
from ...questions.experiment import ExperimentAnswer
from ...questions.experiment.folder import open_experiment_folder, rewrite_experiment
from ...replication.configuration import Experiment, shipped_experiments
from ...replication.run import run_experiment
from ..command import SetsArgument, complete
from ..output import OutputOptions, print_table
from ..workers import WorkerOptions, show_all_warnings

__all__ = ["experiment"]


def experiment(
    *,
    name: Annotated[
        str | None,
        typer.Argument(
            help="An experiment that ships with apexgp, or a configuration file (TOML). Without it, those that ship "
            "are listed.",
            autocompletion=lambda incomplete: complete(*shipped_experiments())(incomplete),
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
        bool, typer.Option("--force", help="Overwrite the file of --write if it exists."), SetsArgument("overwrite")
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
        typer.echo("\n".join(list_shipped({one: Experiment.read(one) for one in shipped_experiments()})))
        return
    wanted = Experiment.read(name)
    if write is not None:
        wanted.write(write, overwrite=force)
        typer.echo(f"The configuration is in {write}. Next: apexgp experiment {write}")
        return
    folder = out or Path(f"{Path(name).stem}-experiment")
    with open_experiment_folder(folder) as record, show_all_warnings(), workers.at_work() as n_jobs:
        try:
            result = run_experiment(wanted, embeddings, results=record, dense=dense, n_jobs=n_jobs)
        except KeyboardInterrupt:
            typer.echo(f"\nStopped. The finished fits are in {record}; the same command resumes from there.", err=True)
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
    if output.for_a_reader:
        typer.echo(wanted.name)
        for table in result.tables[:-1]:
            typer.echo(table.caption)
            print_table(table.header[1:], [row[1:] for row in table.rows])
    output.present(ExperimentAnswer(result))
    if output.for_a_reader:
        typer.echo(say_written(folder, drawn))


def say_written(folder: Path, pictures: bool) -> str:
    """Where everything is."""
    drawn = "" if pictures else " Pictures need matplotlib: pip install 'apexgp[plot]'."
    return f"Tables, curves{', pictures' if pictures else ''} and all figures are in {folder}.{drawn}"


def list_shipped(experiments: dict[str, Experiment]) -> list[str]:
    """The experiments that ship, one per line, and what to do with them."""
    width = max(map(len, experiments))
    lines = []
    for name, one in experiments.items():
        tasks = list(one.tasks.values()) or list(one.labels)
        lines.append(f"{name:{width}}  {one.name}: {', '.join(tasks)} ({one.head} head, {one.n_splits} splits)")
    return [
        *lines,
        "`apexgp experiment NAME --embeddings FILE` runs one; `apexgp experiment NAME --write my.toml` writes it to a "
        "file for you to edit.",
    ]
