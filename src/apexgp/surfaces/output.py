"""How the commands print: the facts as JSON, a paragraph for a paper, or a table with a sentence and cautions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import typer

from ..errors import RequestError

__all__ = ["one_output", "present", "print_table"]


def one_output(as_json: bool, methods_text: bool) -> None:
    """Refuse two kinds of output at once, before any work is done."""
    if as_json and methods_text:
        raise RequestError("--json and --methods-text are two outputs. The JSON holds the text as methods_text.")


def present(
    facts: dict[str, Any],
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    as_json: bool,
    methods_text: bool,
    intro: str = "",
) -> None:
    """Print the facts as JSON, the paragraph for a paper, or a table with its sentence and reasons for doubt."""
    if as_json:
        typer.echo(json.dumps(facts, indent=1))
    elif methods_text:
        typer.echo(facts["methods_text"])
    else:
        if intro:
            typer.echo(intro)
        print_table(header, rows)
        for line in (facts["sentence"], *(f"Caution: {caution}" for caution in facts["cautions"])):
            typer.echo(line)


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    """Print a table; a first column of words is flush left, all else flush right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=None if title is None else Text(title))
    for i, name in enumerate(header):
        names_things = i == 0 and any(row[0][:1].isalpha() for row in rows)
        table.add_column(Text(name), justify="left" if names_things else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    # Numbers cut off by a narrow window would be worse than lines that wrap.
    console.width = max(console.width, Measurement.get(console, console.options.update(width=1000), table).maximum)
    console.print(table)
