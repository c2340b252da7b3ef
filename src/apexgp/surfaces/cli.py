"""The command line, put together: the commands, and what becomes of errors and warnings.

A command's module is imported when the command is run, completed or asked for help, so that the list of all commands is
there at once.
"""

from __future__ import annotations

import ast
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import ApexError, ApexWarning
from ..running.terminal import CleanStream

__all__ = ["COMMANDS", "app", "function_of", "main"]

COMMANDS = (
    "forecast",
    "collect",
    "run",
    "embed",
    "datasets",
    "plan",
    "design",
    "compare",
    "backtest",
    "learn",
    "record",
    "sensitivity",
    "check",
    "report",
    "minimum",
    "experiment",
    "schema",
    "serve",
    "mcp",
    "demo",
)


def function_of(name: str) -> Callable[..., None]:
    """What a command runs: the function in `commands/` that is called as it is."""
    function: Callable[..., None] = getattr(import_module(f".commands.{name}", __package__), name)
    return function


class Deferred(TyperCommand):
    """A command that is known by its name and its help until it is needed."""

    def __init__(self, name: str) -> None:
        super().__init__(name, help=_help_of(name), rich_markup_mode=None)

    def loaded(self) -> Any:
        """The command with its options."""
        from .command import command

        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(self.name)(command(function_of(str(self.name))))
        return typer.main.get_command(alone)

    def make_context(self, *given: Any, **more: Any) -> Any:
        """Whatever is asked of a command begins here."""
        return self.loaded().make_context(*given, **more)


class Commands(TyperGroup):
    """All commands, in the order in which they are listed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": {name: Deferred(name) for name in COMMANDS}})


def _help_of(name: str) -> str | None:
    """The docstring of a command's function, read from its file."""
    module = ast.parse((Path(__file__).with_name("commands") / f"{name}.py").read_text(encoding="utf-8"))
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == name]
    return ast.get_docstring(functions[0])


app = typer.Typer(
    name="apexgp",
    cls=Commands,
    help="Forecast what a classifier will score with more labelled data, and with what uncertainty.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"apexgp {version('apexgp')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 the data or the request is at fault, 2 usage."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter shows a question mark instead of ending the program.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    # Names of tasks, columns and files come from anywhere, and a terminal obeys some signs.
    with redirect_stdout(CleanStream(sys.stdout)), redirect_stderr(CleanStream(sys.stderr)):
        _run()


def _run() -> None:
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
            f"Error: apexgp hit an unexpected problem: {type(problem).__name__}: {problem}\nPlease report it. Run the "
            "same command with APEXGP_TRACEBACK=1 in the environment to see where it happened."
        )


def _stop(message: str) -> None:
    typer.echo(message, err=True)
    sys.exit(1)
