"""The command line, put together: the commands, and what becomes of errors and warnings.

A command is a module of `commands/`, or a question that needs no options beyond its settings. Its module is imported
when the command is run, completed or asked for help, so that the list of all commands is there at once.
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
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import ApexError, ApexWarning
from ..questions import list_questions, load_question, read_room
from ..running.terminal import CleanStream

__all__ = ["app", "list_commands", "load_command", "main"]

_COMMANDS = Path(__file__).with_name("commands")

_FIRST = (
    "forecast",
    "read",
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
)  # in the list of commands; others follow by name


@cache
def list_commands() -> tuple[str, ...]:
    """The names of all commands, as they are listed."""
    own = {entry.name.removesuffix(".py") for entry in _COMMANDS.iterdir() if not entry.name.startswith("_")}
    known = own | set(list_questions())
    return (*(name for name in _FIRST if name in known), *sorted(known - set(_FIRST)))


def load_command(name: str) -> Callable[..., None]:
    """The function that a command runs: the one in `commands/` that is called as it is, or that of the question."""
    if (_COMMANDS / f"{name}.py").is_file():
        function: Callable[..., None] = getattr(import_module(f".commands.{name}", __package__), name)
        return function
    from .question_command import build_question_command

    return build_question_command(load_question(name))


class DeferredCommand(TyperCommand):
    """A command that is known by its name and its help until it is needed."""

    def __init__(self, name: str) -> None:
        super().__init__(name, rich_markup_mode=None)

    def get_short_help_str(self, limit: int = 45) -> str:
        """The first sentence of its help, for the list of commands."""
        self.help = _read_help(str(self.name))
        return super().get_short_help_str(limit)

    def load(self) -> Any:
        """The command with its options."""
        from .command import build_command

        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(self.name)(build_command(load_command(str(self.name))))
        return typer.main.get_command(alone)

    def make_context(self, *given: Any, **more: Any) -> Any:
        """Load the command: whatever is asked of one begins here."""
        return self.load().make_context(*given, **more)


class CommandGroup(TyperGroup):
    """All commands, in the order in which they are listed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": {name: DeferredCommand(name) for name in list_commands()}})


def _read_help(name: str) -> str | None:
    """The docstring of a command's function, or of its question, read from the file."""
    file = _COMMANDS / f"{name}.py"
    source = file.read_text(encoding="utf-8") if file.is_file() else read_room(name)
    wanted = {name, f"{name.capitalize()}Question"}
    (node,) = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in wanted
    ]
    return ast.get_docstring(node)


app = typer.Typer(
    name="apexgp",
    cls=CommandGroup,
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
    """Run the command line.

    Exit codes: 0 fine, 1 the data or the request is at fault, 2 usage, 3 a probability is below --fail-below.
    """
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
