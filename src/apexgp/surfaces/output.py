"""How the commands print: the facts as JSON, a paragraph for a paper, or a table with a sentence and cautions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import typer

from ..errors import RequestError

__all__ = ["one_output", "print_table", "show"]


def one_output(as_json: bool, methods_text: bool) -> None:
    """Refuse two kinds of output at once, before any work is done."""
    if as_json and methods_text:
        raise RequestError("--json and --methods-text are two outputs. The JSON holds the text as methods_text.")


def show(facts: dict[str, Any], as_json: bool) -> None:
    """Print the facts, or the paragraph for a paper alone."""
    typer.echo(json.dumps(facts, indent=1) if as_json else facts["methods_text"])


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], facts: dict[str, Any], intro: str = "") -> None:
    """Print a table, the sentence that says what it means, and reasons for doubt."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(header):
        names_things = i == 0 and any(row[0][:1].isalpha() for row in rows)
        table.add_column(Text(name), justify="left" if names_things else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    # Numbers cut off by a narrow window would be worse than lines that wrap.
    console.width = max(console.width, Measurement.get(console, console.options.update(width=1000), table).maximum)
    lines = [facts["sentence"], *(f"Caution: {caution}" for caution in facts["cautions"])]
    if intro:
        console.print(intro, markup=False, soft_wrap=True)
    console.print(table)
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
