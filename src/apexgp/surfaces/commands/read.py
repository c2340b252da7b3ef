"""The command `apexgp read`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..._check import format_some
from ..._numbers import format_count, format_size_range
from ...curve import LearningCurve, Reading
from ...question_base.column_settings import ColumnSettings
from ...reading.show import write_text_grid
from ..command import build_options_vocabulary
from ..curve_file import CurveFile, read_table
from ..doubts import find_width, write_options
from ..reading_document import build_read_document

__all__ = ["read"]

_IN_DOUBT = 1  # exit code


def read(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON instead.")] = False,
    source: CurveFile,
) -> None:
    """Show how a file of scores is read: what its rows and columns are taken for, and what is in doubt.

    Each doubt comes with the options that settle it, here and in all commands that read scores. The exit code is 1
    while there are doubts. With --save-reading, a person at a terminal is asked about them first.
    """
    reading = read_table(source.pairs, source, ask=source.save_reading)
    options = build_options_vocabulary(ColumnSettings)
    for doubt in reading.doubts:
        doubt.error.worded_for(options)
    if as_json:
        typer.echo(json.dumps(build_read_document(reading), indent=1))
    else:
        text = write_text_grid(
            reading.sheet,
            reading.interpretation,
            reading.notes,
            reading.doubts,
            width=find_width(),
            write_choice=lambda choice: write_options(choice.settings),
        )
        typer.echo(f"{text}\n\n{_conclude(reading)}")
    if reading.doubts:
        raise typer.Exit(_IN_DOUBT)


def _conclude(reading: Reading) -> str:
    """Say which curves the reading gives, or that there are none yet."""
    if reading.doubts:
        return "No curve is read before this is settled."
    curves = reading.find_curves()
    if len(curves) == 1:
        (curve,) = curves.values()
        return f"One curve: {_describe(curve)}."
    told = format_some([f"{task} ({_describe(curve)})" for task, curve in curves.items()], 10)
    return f"{len(curves)} curves: {told}."


def _describe(curve: LearningCurve) -> str:
    return f"{format_count(len(curve), 'score')} at {format_size_range(curve.replicates.sizes.tolist())}"
