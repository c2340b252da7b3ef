"""The file of measured scores that a command starts from."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer

from .._check import format_some
from ..curve import LearningCurve, Reading, ask_for_direction
from ..errors import DataError, RequestError
from ..question_base.column_settings import ColumnSettings, write_fields
from ..reading.files import keep_content
from ..reading.saved import NO_READING, find_place, load_saved
from .doubts import can_ask, settle_doubts, write_options

__all__ = [
    "CurveFile",
    "OptionalCurveFile",
    "ReadingOptions",
    "choose_only_curve",
    "read_file",
    "read_only_curve",
    "read_table",
]

_LONGEST_TITLE = 120
_ABOUT = (
    "Table (CSV, .xlsx or JSON) with the columns size, score and, if known, split; - is standard input; or a folder of "
    "training runs, or mlflow:EXPERIMENT."
)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(ColumnSettings):
    """How to read a table of measured scores: settings, a reading that was saved, and whether to ask."""

    reading: Annotated[
        str | None,
        typer.Option(
            help="Saved reading to go by, such as that of an earlier export; none to ignore the one beside the file.",
            show_default="FILE.reading.json, if there is one",
            metavar="<file>",
        ),
    ] = None
    save_reading: Annotated[
        bool,
        typer.Option(
            "--save-reading", help="Save how the file is read beside it, as FILE.reading.json, for the next time."
        ),
    ] = False
    no_input: Annotated[
        bool,
        typer.Option("--no-input", help="Never ask at the terminal: what the file leaves open is an error."),
    ] = False


def read_file(path: Path, columns: ReadingOptions) -> dict[str | None, LearningCurve]:
    """Read the curves of a file, or the one of them that was asked for; - is standard input."""
    curves = _choose_curves(read_table(path, columns), path, columns)
    ask_for_direction(curves, _name(path))
    return curves


def read_only_curve(path: Path, columns: ReadingOptions) -> LearningCurve:
    """Read the only curve of a file."""
    return choose_only_curve(read_file(path, columns), path)


def choose_only_curve(curves: Mapping[str | None, LearningCurve], path: Path) -> LearningCurve:
    """The only curve of a file; an error where it holds several."""
    if len(curves) > 1:
        names = format_some([str(name) for name in curves], 20)
        raise RequestError(
            f"{path} holds {len(curves)} tasks ({names}).", remedy=("Choose one with {}.", "chosen_task")
        )
    (curve,) = curves.values()
    return curve


def read_table(path: Path, options: ReadingOptions, *, ask: bool = True) -> Reading:
    """Read a file by a saved reading and by what is said of it, ask about doubts at a terminal, and save the outcome.

    Parameters
    ----------
    path
        The file; - is standard input.
    options
        What is said of it.
    ask
        Whether to ask at all, where somebody can answer.
    """
    place = find_place(path)
    if options.save_reading and place is None:
        raise RequestError("needs a file, beside which the reading is saved.", argument="save_reading")
    reading = _read(path, options, place)
    answers: dict[str, Any] = {}
    if ask and reading.doubts and not options.no_input and str(path) != "-" and can_ask():
        reading, answers = settle_doubts(reading, options.task)
    if reading.doubts:
        if options.save_reading:
            typer.echo("Note: nothing is saved while something is in doubt.", err=True)
        return reading
    if options.save_reading and place is not None:
        replaced = reading.save(place)
        again = ", over the reading saved before" if replaced else ""
        typer.echo(f"Note: saved how {path} is read in {place}{again}; it is used from now on.", err=True)
    elif answers:
        if "roles" in answers:
            answers["roles"] = {**dict(options.table.roles or {}), **answers["roles"]}
        typer.echo(f"Note: next time, say this with: {write_options(answers)}", err=True)
        if place is not None:
            typer.echo("Note: or add --save-reading once, and the file is read like this from then on.", err=True)
    return reading


def _read(path: Path, options: ReadingOptions, place: Path | None) -> Reading:
    """Read a file by what is said of it, and by a saved reading, if there is one, in all else."""
    source = keep_content(sys.stdin.buffer) if str(path) == "-" else str(path)
    where = _find_saved(options, place)
    if where is None:
        return Reading.of(source, options.table, options.corrected_cells)
    try:
        reading = Reading.of_saved(source, where, options.table, options.corrected_cells)
    except DataError:
        if not options.save_reading or options.reading is not None:
            raise
        load_saved(where)  # one that is damaged is not overwritten
        reading = Reading.of(source, options.table, options.corrected_cells)
        typer.echo(f"Note: {where} was saved for a table with other columns: not used.", err=True)
        return reading
    if options.reading is None:
        rows = reading.interpretation.said.rows
        only = f", {reading.sheet.place}s {write_fields({'rows': rows})['rows']} alone" if rows else ""
        typer.echo(f"Note: {path}: read as saved in {where}{only}. --reading none ignores it.", err=True)
    return reading


def _find_saved(options: ReadingOptions, place: Path | None) -> Path | None:
    """The saved reading that was named, or the one beside the file; None where there is none, or none is wanted."""
    if options.reading is None:
        return place if place is not None and place.is_file() else None
    return None if options.reading.casefold() == NO_READING else Path(options.reading)


def _name(path: Path) -> str:
    return "standard input" if str(path) == "-" else str(path)


def _choose_curves(reading: Reading, path: Path, columns: ColumnSettings) -> dict[str | None, LearningCurve]:
    """The curves of a reading, or the one of them that was asked for; what was done to cells is noted."""
    curves = reading.find_curves()
    for note in reading.notes:
        typer.echo(f"Note: {note}", err=True)
    if columns.task is None:
        return curves
    if columns.task not in curves:
        raise RequestError(
            f"{path} has no task {columns.task!r}; found {format_some([str(name) for name in curves], 20)}."
        )
    return {columns.task: curves[columns.task]}


@dataclass(frozen=True, kw_only=True)
class CurveFile(ReadingOptions):
    """A file of measured scores, read once: standard input cannot be read again."""

    pairs: Annotated[Path, typer.Argument(help=_ABOUT, allow_dash=True)]

    @cached_property
    def curves(self) -> dict[str | None, LearningCurve]:
        """Every curve, by task; those of several whose direction is in doubt are refused by the fit, each by itself."""
        curves = _choose_curves(self._reading, self.pairs, self)
        if all(curve.direction_in_doubt for curve in curves.values()):
            ask_for_direction(curves, _name(self.pairs))
        return curves

    @property
    def only_curve(self) -> LearningCurve:
        """The only curve."""
        return choose_only_curve(self.curves, self.pairs)

    @property
    def title(self) -> str | None:
        """The text above the table, if that can be a title."""
        title = self._reading.title
        return None if title is None or len(title) > _LONGEST_TITLE else title

    @cached_property
    def _reading(self) -> Reading:
        return read_table(self.pairs, self)


@dataclass(frozen=True, kw_only=True)
class OptionalCurveFile(ReadingOptions):
    """A file of measured scores, where there is one already."""

    pairs: Annotated[
        Path | None,
        typer.Argument(help=f"{_ABOUT} Omit it before the first pilot.", allow_dash=True, show_default=False),
    ] = None

    @cached_property
    def only_curve(self) -> LearningCurve | None:
        """The only curve, if there is a file."""
        if self.pairs is None and self.lower_is_better is not None:
            raise RequestError("applies to a file of scores.", argument="direction")
        return None if self.pairs is None else read_only_curve(self.pairs, self)
