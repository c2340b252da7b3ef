"""The options that keep a record of forecasts and of what was measured later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ApexError, DataError, RequestError
from ..files.writing import check_writable
from .command import SetsArgument

if TYPE_CHECKING:
    from ..collect.curves import CurveSet
    from ..curve import LearningCurve
    from ..estimators import APExGP
    from ..questions.forecast import ForecastQuestion

__all__ = ["RecordOptions"]


@dataclass(frozen=True, kw_only=True)
class RecordOptions:
    """A record to append to. One that could not be appended to at the end is refused before any work is done."""

    record: Annotated[
        Path | None,
        typer.Option(
            help="Record to append this to, created if needed; apexgp record shows how often intervals covered the "
            "later scores.",
            show_default=False,
        ),
    ] = None
    record_as: Annotated[
        str | None,
        typer.Option(
            help="Name under which to record it, such as that of the study: forecasts and later scores are matched by "
            "it, beside task, metric and unit. Needed unless a table has a column task.",
            show_default=False,
        ),
        SetsArgument("name"),
    ] = None

    def __post_init__(self) -> None:
        if self.record is None:
            if self.record_as is not None:
                raise RequestError("--record-as needs --record, the file to record in.")
            return
        if self.record.exists():
            from ..track_record.forecast_record import read_lines

            read_lines(self.record)
        check_writable(self.record, True)

    def check_forecast(self, question: ForecastQuestion, curves: Mapping[str | None, LearningCurve]) -> None:
        """Refuse, before any work is done, what cannot be recorded."""
        if self.record is not None:
            from ..track_record.lines import check_measurable

            check_measurable(question.of)
            if any(curve.task is None for curve in curves.values()):
                self.check_name()

    def check_name(self) -> None:
        """Refuse, before any work is done, to record what has no name."""
        if self.record is not None and self.record_as is None:
            raise RequestError(
                "--record also needs --record-as, a name by which forecasts and later scores of this curve are matched."
            )

    def record_forecasts(self, question: ForecastQuestion, models: Iterable[APExGP]) -> None:
        """Append what models forecast, and say so."""
        if self.record is None:
            return
        from ..track_record.forecast_record import append_lines
        from ..track_record.lines import ForecastLine

        lines = [
            ForecastLine.from_model(model, question.list_sizes(model.curve_), question.of, self.record_as)
            for model in models
        ]
        self._say(append_lines(self.record, lines), len(lines), "forecast")

    def record_batch(
        self, question: ForecastQuestion, curves: Mapping[str | None, LearningCurve], settings: APExGP
    ) -> None:
        """Append the forecasts of every curve of a batch that can be forecast.

        Fitted again, one at a time: a batch keeps summaries, not models.
        """
        if self.record is None:
            return
        from ..estimators.contract import clone

        models = []
        for curve in curves.values():
            try:
                models.append(clone(settings).fit(curve))
            except ApexError:
                continue  # the batch itself says why there is no forecast
        self.record_forecasts(question, models)

    def record_measured(self, curves: CurveSet) -> None:
        """Append what was measured, and say so."""
        if self.record is None:
            return
        from ..track_record.forecast_record import ForecastRecord

        found = []
        for which in curves:
            try:
                found.append(curves[which])
            except DataError:
                continue  # numbers beside the scores that no curve can be made of
        self._say(ForecastRecord(self.record).add_measured(found, name=self.record_as), len(found), "curve")

    def _say(self, added: int, count: int, what: str) -> None:
        from ..questions.record import say_appended

        words = f"this {what}" if count == 1 else f"these {count} {what}s"
        typer.echo(f"Note: {say_appended(self.record, added, words)}", err=True)
