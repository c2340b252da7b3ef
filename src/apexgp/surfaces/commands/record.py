"""The command `apexgp record`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...questions.reliability import ReliabilityQuestion
from ...track_record.forecast_record import ForecastRecord, read_lines
from ..command import Sets
from ..curve_file import ColumnOptions
from ..facts import record_facts
from ..output import OutputOptions, PictureOptions
from ..plot.reliability import ReliabilityDisplay
from ..tables import table_of
from ..words.reliability import appended_line

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
        Sets("name"),
    ] = None,
    picture: PictureOptions,
    output: OutputOptions,
    columns: ColumnOptions,
) -> None:
    """Show how often the intervals of recorded forecasts covered what was measured later.

    Forecasts are recorded by forecast --record, what was measured later by collect and run with --record, or by naming
    a table of scores here. --metric and --task choose among the curves.
    """
    question = ReliabilityQuestion(metric=columns.metric, task=columns.task)
    kept = ForecastRecord(record)
    if later is not None:
        curves = columns.curves_of(later)
        read_lines(record)  # which must be there: scores alone are no record of forecasts
        added = kept.add_measured(curves, name=record_as)
        typer.echo(f"Note: {appended_line(record, added, f'the scores of {later}')}", err=True)
    answer = question.answer(kept)
    output.present(record_facts(answer), *table_of(answer.found))
    picture.draw(lambda: ReliabilityDisplay.from_reliability(answer.found).plot(), output)
