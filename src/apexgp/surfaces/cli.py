"""The command line, put together: the commands, and what becomes of errors and warnings."""

from __future__ import annotations

import io
import os
import sys
import traceback
import warnings
from typing import Annotated

import typer

from ..errors import ApexError, ApexWarning
from .command import command
from .commands.backtest import backtest
from .commands.check import check
from .commands.collect import collect
from .commands.compare import compare
from .commands.datasets import datasets
from .commands.demo import demo
from .commands.design import design
from .commands.embed import embed
from .commands.experiment import experiment
from .commands.forecast import forecast
from .commands.minimum import minimum
from .commands.plan import plan
from .commands.report import report
from .commands.sensitivity import sensitivity
from .commands.serve import serve

__all__ = ["COMMANDS", "app", "main"]

COMMANDS = (
    forecast,
    collect,
    embed,
    datasets,
    plan,
    design,
    compare,
    backtest,
    sensitivity,
    check,
    report,
    minimum,
    experiment,
    serve,
    demo,
)

app = typer.Typer(
    name="apexgp",
    help="Forecast what a classifier will score with more labelled data, and how sure to be.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for function in COMMANDS:
    app.command()(command(function))


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"apexgp {version('apexgp')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 the data or the request is at fault, 2 usage."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter shows a question mark instead of ending the program.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    # What the library warns of, as sentences for a reader, each once. What NumPy or a classifier warns of is about
    # lines of code that the reader has never seen, here and in worker processes.
    said: set[str] = set()
    os.environ.setdefault("PYTHONWARNINGS", "ignore")

    def note(message: Warning | str, *_where: object, **_more: object) -> None:
        if isinstance(message, ApexWarning) and str(message) not in said:
            said.add(str(message))
            typer.echo(f"Note: {message}", err=True)

    warnings.showwarning = note
    try:
        app(prog_name="apexgp")  # whichever way it was started: completion goes by the name
    except ApexError as problem:
        _stop(f"Error: {problem}")
    except BrokenPipeError:
        # The reader of our output has gone (`| head`); Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as problem:
        _stop(f"Error: {problem.strerror or problem}{f': {problem.filename}' if problem.filename else ''}.")
    except Exception as problem:  # the last net: nobody at a terminal wants a traceback
        if os.environ.get("APEXGP_TRACEBACK"):
            traceback.print_exc()
        _stop(
            f"Error: apexgp met something it was not prepared for: {type(problem).__name__}: {problem}\n"
            "Please report it. With APEXGP_TRACEBACK=1 in the environment the same command shows where it happened."
        )


def _stop(message: str) -> None:
    typer.echo(message, err=True)
    sys.exit(1)
