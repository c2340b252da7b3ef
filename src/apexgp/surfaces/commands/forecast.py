"""The command `apexgp forecast`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ..._check import check_probability
from ..._numbers import format_chance, format_size
from ...curve import LearningCurve
from ...errors import DataError, RequestError
from ...estimators import APExGP
from ...question_base.model_settings import ModelSettings
from ...question_base.question import QuestionAnswer
from ...questions.forecast import ForecastAnswer, ForecastQuestion
from ..command import share_option
from ..curve_file import CurveFile
from ..options import PriorsOptions
from ..output import OutputOptions, PictureOptions
from ..recording import RecordOptions

if TYPE_CHECKING:
    from ...questions.forecast.curve_picture import CurvePicture

__all__ = ["forecast"]

_MOST_PANELS = 24  # of a picture
_TOO_UNLIKELY = 3  # exit code; 1 and 2 are those of errors


@dataclass(frozen=True, kw_only=True)
class ForecastOutputOptions(OutputOptions):
    """How to print a forecast; two ways at once are refused before any work is done."""

    grant_text: Annotated[
        bool,
        typer.Option(
            "--grant-text",
            help="Print three sentences for the sample-size paragraph of a grant application instead; needs a target.",
        ),
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grant_text and (self.as_json or self.methods_text):
            other = "--json" if self.as_json else "--methods-text"
            raise RequestError(f"--grant-text and {other} are alternatives. The JSON contains the text as grant_text.")

    @property
    def for_a_reader(self) -> bool:
        """Whether tables and sentences are wanted."""
        return super().for_a_reader and not self.grant_text

    def check_forecast(self, asked: ForecastQuestion) -> None:
        """Refuse a text about a target where there is none."""
        if self.grant_text and asked.target is None:
            raise RequestError("--grant-text is about the size that a target takes. Give --target.")

    def present(self, answer: QuestionAnswer, chart: Callable[[], CurvePicture] | None = None) -> None:
        """Print the answer in the way that was asked for."""
        if self.grant_text:
            typer.echo(answer.document()["grant_text"])
        else:
            super().present(answer, chart)


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """A gate for pipelines: an exit code of its own where the target is too unlikely to be reached."""

    fail_below: Annotated[
        float | None,
        share_option(
            "--fail-below",
            help="Exit with code 3 if the probability that the size reaches the target is lower: for pipelines. Needs "
            "a target and one size.",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.fail_below is not None:
            check_probability("fail_below", self.fail_below)

    def check_forecast(self, asked: ForecastQuestion, curves: Mapping[str | None, LearningCurve]) -> None:
        """Refuse a gate that does not know which probability it is about."""
        if self.fail_below is None:
            return
        if len(curves) > 1:
            raise RequestError(
                f"--fail-below needs a single curve; the file holds {len(curves)} tasks. Choose one with --task."
            )
        sizes = [size for curve in curves.values() for size in asked.list_sizes(curve)]
        if asked.target is None or len(sizes) != 1:
            given = f"there are {len(sizes)} sizes" if asked.target is not None else "there is no target"
            raise RequestError(f"--fail-below needs --target and one size, such as --at 5000; {given}.")

    def judge(self, answer: ForecastAnswer) -> None:
        """Leave with an exit code of its own if the probability is too low."""
        if self.fail_below is None or answer.required is None or answer.chances is None:
            return
        chance, size = float(answer.chances[0]), format_size(answer.sizes[0])
        if chance < self.fail_below:
            typer.echo(
                f"The probability that {size} {answer.model.curve_.unit_name} reach {answer.required.target:g} is "
                f"{format_chance(chance, self.fail_below)}, and --fail-below asks for {100 * self.fail_below:g} %.",
                err=True,
            )
            raise typer.Exit(_TOO_UNLIKELY)


def forecast(
    *,
    asked: ForecastQuestion,
    settings: ModelSettings,
    priors: PriorsOptions,
    picture: PictureOptions,
    kept: RecordOptions,
    gate: GateOptions,
    output: ForecastOutputOptions,
    source: CurveFile,
) -> None:
    """Forecast the score at larger training-set sizes from a file of measured scores.

    With --target, also say how many examples reach it, and with --prevalence how many patients it takes to evaluate the
    model. A file whose column task names several tasks is a batch: every
    curve is forecast, by default at multiples of its own largest size, and the answer is one table (one document with
    --json).
    """
    model, curves = priors.build_model(settings), source.curves
    kept.check_forecast(asked, curves)
    gate.check_forecast(asked, curves)
    output.check_forecast(asked)
    if len(curves) > 1:
        _forecast_batch(asked, curves, model, output, picture, kept)
        return
    answer = asked.answer(model.fit(source.only_curve))
    output.present(answer, lambda: _build_chart(answer))
    picture.draw(answer.display, output)
    kept.record_forecasts(asked, [model])
    gate.judge(answer)


def _build_chart(answer: ForecastAnswer) -> CurvePicture:
    from ...questions.forecast.curve_picture import CurvePicture

    return answer.picture(CurvePicture)


def _forecast_batch(
    asked: ForecastQuestion,
    curves: Mapping[str | None, LearningCurve],
    model: APExGP,
    output: ForecastOutputOptions,
    picture: PictureOptions,
    kept: RecordOptions,
) -> None:
    """One table, sorted by task and size, with a column that says what is wrong with a task."""
    if output.methods_text or output.grant_text:
        text = "--methods-text" if output.methods_text else "--grant-text"
        raise RequestError(f"{text} needs a single curve; the file holds {len(curves)} tasks. Choose one with --task.")
    if picture.plot is not None and len(curves) > _MOST_PANELS:
        raise RequestError(
            f"--plot draws up to {_MOST_PANELS} tasks; the file holds {len(curves)}. Choose one with --task."
        )
    answer = asked.answer_batch(curves, model)
    output.present(answer)
    picture.draw(lambda: answer.display(curves, model), output)
    kept.record_batch(asked, curves, model)
    if answer.failed:
        raise DataError(f"{answer.failed} of {len(curves)} tasks could not be forecast.")
