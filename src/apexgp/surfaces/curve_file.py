"""The file of measured scores that a command starts from."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import typer

from .._check import format_some
from ..curve import LearningCurve, Reading, ask_for_direction
from ..errors import RequestError
from ..question_base.column_settings import ColumnSettings
from ..reading.files import keep_content

__all__ = ["CurveFile", "OptionalCurveFile", "choose_only_curve", "read_file", "read_only_curve"]

_LONGEST_TITLE = 120
_ABOUT = (
    "Table (CSV, .xlsx or JSON) with the columns size, score and, if known, split; - is standard input; or a folder of "
    "training runs, or mlflow:EXPERIMENT."
)


def read_file(path: Path, columns: ColumnSettings) -> dict[str | None, LearningCurve]:
    """Read the curves of a file, or the one of them that was asked for; - is standard input."""
    curves = _choose_curves(_read(path, columns), path, columns)
    ask_for_direction(curves, _name(path))
    return curves


def read_only_curve(path: Path, columns: ColumnSettings) -> LearningCurve:
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


def _read(path: Path, columns: ColumnSettings) -> Reading:
    return Reading.of(keep_content(sys.stdin.buffer) if str(path) == "-" else str(path), columns.table)


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
class CurveFile(ColumnSettings):
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
        return _read(self.pairs, self)


@dataclass(frozen=True, kw_only=True)
class OptionalCurveFile(ColumnSettings):
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
