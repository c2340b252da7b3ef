"""The command `apexgp record`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...questions.record import RecordQuestion, say_appended
from ...track_record.forecast_record import ForecastRecord, read_lines
from ..command import SetsArgument
from ..curve_file import ReadingOptions, read_file
from ..output import OutputOptions, PictureOptions

__all__ = ["record"]


def record(
    *,
    record: Annotated[Path, typer.Argument(help="Record that --record of other commands has written.")],
    later: Annotated[
        Path | None,
        typer.Argument(
            help="Table of scores measured since then, as other commands read it: appended to the record first.",
            show_default=False,
        ),
    ] = None,
    record_as: Annotated[
        str | None,
        typer.Option(help="Name under which the forecasts of these scores were recorded.", show_default=False),
        SetsArgument("name"),
    ] = None,
    picture: PictureOptions,
    output: OutputOptions,
    columns: ReadingOptions,
) -> None:
    """Show how often the intervals of recorded forecasts covered what was measured later.

    Forecasts are recorded by forecast --record, what was measured later by collect and run with --record, or by naming
    a table of scores here. --metric and --task choose among the curves.
    """
    question = RecordQuestion(metric=columns.metric, task=columns.task)
    kept = ForecastRecord(record)
    if later is not None:
        curves = read_file(later, columns)
        read_lines(record)  # which must be there: scores alone are no record of forecasts
        added = kept.add_measured(curves, name=record_as)
        typer.echo(f"Note: {say_appended(record, added, f'the scores of {later}')}", err=True)
    answer = question.answer(kept)
    output.present(answer)
    picture.draw(answer.display, output)
