"""How commands print an answer: as JSON, as a paragraph, or as a table with a sentence and cautions, and draw it."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._extras import import_extra
from .._numbers import format_score, format_size
from ..cautions import word_caution
from ..errors import RequestError
from ..files.writing import check_writable, write_atomically
from ..question_base.column_settings import ColumnSettings
from ..question_base.markup import keep_per_cent
from ..question_base.question import Cells, QuestionAnswer
from ..running.terminal import escape_controls, unwrap_stream
from .command import SetsArgument, build_options_vocabulary

if TYPE_CHECKING:
    from ..curve import LearningCurve
    from ..question_base.picture_style import Display
    from ..questions.forecast.curve_picture import CurvePicture

__all__ = ["OutputOptions", "PictureOptions", "build_curve_table", "print_table", "quote_path"]

_WIDEST = 100  # letters of a line that is read with ease
_PICTURES = (".png", ".pdf", ".svg")
_BETWEEN = 3  # letters between the columns of a table


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """How to print an answer; two ways at once are refused before any work is done."""

    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON instead.")] = False
    methods_text: Annotated[
        bool, typer.Option("--methods-text", help="Print a paragraph for the methods section of a paper instead.")
    ] = False

    def __post_init__(self) -> None:
        if self.as_json and self.methods_text:
            raise RequestError(
                "--json and --methods-text are alternatives. The JSON contains the text as methods_text."
            )

    @property
    def for_a_reader(self) -> bool:
        """Whether tables and sentences are wanted."""
        return not (self.as_json or self.methods_text)

    def present(self, answer: QuestionAnswer, chart: Callable[[], CurvePicture] | None = None) -> None:
        """Print the document as JSON, the paragraph for a paper, or a table with its sentence and reasons for doubt.

        The picture of a `chart` is drawn in characters, only where a reader sits before a terminal.
        """
        document = answer.document()
        if self.as_json:
            typer.echo(json.dumps(document, indent=1))
            return
        if self.methods_text:
            typer.echo(document["methods_text"])  # a batch, which has none, is refused before
            return
        if answer.introduction:
            typer.echo(_wrap(answer.introduction))
        if chart is not None and sys.stdout.isatty():
            _print_chart(chart())
        print_table(*answer.table())
        options = build_options_vocabulary(ColumnSettings)  # cautions are about how scores were read
        cautions = (f"Caution: {word_caution(options, one)}" for one in document["cautions"])
        for line in (document["sentence"], *cautions):
            typer.echo(_wrap(line))


@dataclass(frozen=True, kw_only=True)
class PictureOptions:
    """A picture of the answer. One that could not be written at the end is refused before any work is done."""

    plot: Annotated[Path | None, typer.Option(help="Draw the answer to this file (png, pdf, svg).")] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files."), SetsArgument("overwrite")] = False

    def __post_init__(self) -> None:
        if self.plot is None:
            return
        check_writable(self.plot, self.force)
        if self.plot.suffix.lower() not in _PICTURES:
            raise RequestError(
                f"{self.plot} must end in one of {', '.join(_PICTURES)}, which sets the kind of picture."
            )

    def draw(self, picture: Callable[[], Display], output: OutputOptions | None) -> None:
        """Draw, if a picture was asked for, what `picture` makes, and say where it is, unless there is no `output`.

        Comes after the answer has been printed: without matplotlib that is there all the same.
        """
        if self.plot is None:
            return
        pyplot = import_extra("matplotlib.pyplot", "--plot", "plot")
        pyplot.switch_backend("Agg")  # a file needs no window, nor a machine that has one
        display = picture()
        with write_atomically(self.plot, overwrite=self.force) as draft:
            display.figure_.savefig(draft, dpi=150)
        pyplot.close(display.figure_)
        if output is not None and output.for_a_reader:
            typer.echo(f"\nThe picture is in {self.plot}.")


def _wrap(line: str) -> str:
    """A line that a terminal need not break within a word; what goes elsewhere stays one line."""
    if not sys.stdout.isatty():
        return line
    kept = keep_per_cent(line)
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return textwrap.fill(kept, width, break_long_words=False).replace("\N{NO-BREAK SPACE}", " ")


def _print_chart(picture: CurvePicture) -> None:
    """Draw a chart on the terminal."""
    from rich.console import Console

    from .chart.text import TextChart

    console = Console(highlight=False, file=unwrap_stream(sys.stdout))
    console.print()
    console.print(TextChart(picture, console.width, plain=not _can_show("━▒●")), soft_wrap=True)


def _can_show(signs: str) -> bool:
    """Whether the terminal has these characters."""
    try:
        signs.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    """Print a table; a first or last column of words is flush left, all else flush right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, file=unwrap_stream(sys.stdout))
    if sys.stdout.isatty():
        header = _fit_headers(header, rows, console.width)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=None if title is None else Text(escape_controls(title)))
    for i, name in enumerate(header):
        names_things = i == 0 and any(row[0][:1].isalpha() for row in rows)
        remarks = i == len(header) - 1 and _holds_remarks([row[i] for row in rows])
        table.add_column(
            Text(escape_controls(name)), justify="left" if names_things or remarks else "right", no_wrap=True
        )
    for row in rows:
        table.add_row(*(Text(escape_controls(cell)) for cell in row))
    # Numbers cut off by a narrow window would be worse than lines that wrap.
    console.width = max(console.width, Measurement.get(console, console.options.update(width=1000), table).maximum)
    console.print(table)


def _holds_remarks(cells: Sequence[str]) -> bool:
    """Whether cells are sentences rather than numbers, of which some are said in words, as in "less than 1 %"."""
    sentences = any(" " in cell and cell[:1].isalpha() and not cell.endswith("%") for cell in cells)
    return sentences and not any(cell[:1].isdigit() for cell in cells)


def _fit_headers(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Sequence[str]:
    """Headers over several lines, where on one line they would make a table wider than the terminal."""
    cells = [max((len(row[i]) for row in rows), default=0) for i in range(len(header))]
    if sum(max(len(name), cell) + _BETWEEN for name, cell in zip(header, cells, strict=True)) <= width:
        return header
    return [
        textwrap.fill(keep_per_cent(name), max([cell, *map(len, name.split())]), break_long_words=False)
        for name, cell in zip(header, cells, strict=True)
    ]


def build_curve_table(curve: LearningCurve) -> Cells:
    """A table of measurements, one row per size; the spread of a single score is not known."""
    measured, decimals = curve.replicates, curve.decimals
    return ["size", "mean", "spread", "splits"], [
        [
            format_size(size),
            format_score(mean, decimals),
            format_score(std, decimals) if splits > 1 else "-",
            str(splits),
        ]
        for size, mean, std, splits in zip(measured.sizes, measured.mean, measured.std, measured.count, strict=True)
    ]


def quote_path(path: Path) -> str:
    """A file as a command takes it: a name that begins as an option does, by its folder."""
    return f"./{path}" if str(path).startswith("-") else str(path)
