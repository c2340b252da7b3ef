"""The command `apexgp forecast`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...curve import LearningCurve
from ...errors import DataError, RequestError
from ...estimators import APExGP
from ...question_base.model_settings import ModelSettings
from ...questions.forecast import ForecastAnswer, ForecastQuestion
from ..curve_file import CurveFile
from ..options import PriorsOptions
from ..output import OutputOptions, PictureOptions
from ..recording import RecordOptions

if TYPE_CHECKING:
    from ...questions.forecast.curve_picture import CurvePicture

__all__ = ["forecast"]

_MOST_PANELS = 24  # of a picture


def forecast(
    *,
    asked: ForecastQuestion,
    settings: ModelSettings,
    priors: PriorsOptions,
    picture: PictureOptions,
    kept: RecordOptions,
    output: OutputOptions,
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
    if len(curves) > 1:
        _forecast_batch(asked, curves, model, output, picture, kept)
        return
    answer = asked.answer(model.fit(source.only_curve))
    output.present(answer, lambda: _build_chart(answer))
    picture.draw(answer.display, output)
    kept.record_forecasts(asked, [model])


def _build_chart(answer: ForecastAnswer) -> CurvePicture:
    from ...questions.forecast.curve_picture import CurvePicture

    return answer.picture(CurvePicture)


def _forecast_batch(
    asked: ForecastQuestion,
    curves: Mapping[str | None, LearningCurve],
    model: APExGP,
    output: OutputOptions,
    picture: PictureOptions,
    kept: RecordOptions,
) -> None:
    """One table, sorted by task and size, with a column that says what is wrong with a task."""
    if output.methods_text:
        raise RequestError(
            f"--methods-text needs a single curve; the file holds {len(curves)} tasks. Choose one with --task."
        )
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
