"""The command `apexgp forecast`."""

from __future__ import annotations

from collections.abc import Mapping

from ...curve import LearningCurve
from ...errors import DataError, RequestError
from ...estimators import APExGP, fit_together
from ...questions.forecast import ForecastQuestion
from ...questions.picture import CurvePicture, picture_of
from ..curve_file import CurveFile
from ..facts import batch_facts, forecast_facts
from ..options import ModelOptions, StudyOptions
from ..output import OutputOptions, PictureOptions
from ..plot.batch import MOST_PANELS, BatchDisplay
from ..plot.curve import CurveDisplay
from ..recording import RecordOptions
from ..tables import batch_table, forecast_table
from ..words.batch import batch_intro
from ..words.forecast import pilot_line

__all__ = ["forecast"]


def forecast(
    *,
    asked: StudyOptions,
    settings: ModelOptions,
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
    question, model, curves = asked.question(), settings.model(), source.curves()
    kept.check_forecast(question, curves)
    if len(curves) > 1:
        if output.methods_text:
            raise RequestError(
                f"--methods-text needs a single curve; the file holds {len(curves)} tasks. Choose one with --task."
            )
        if picture.plot is not None and len(curves) > MOST_PANELS:
            raise RequestError(
                f"--plot draws up to {MOST_PANELS} tasks; the file holds {len(curves)}. Choose one with --task."
            )
        _forecast_batch(question, curves, model, output, picture, kept)
        return
    answer = question.answer(model.fit(source.only_curve()))
    output.present(
        forecast_facts(answer),
        *forecast_table(answer),
        intro=pilot_line(model.curve_),
        chart=lambda: picture_of(answer, CurvePicture),
    )
    picture.draw(lambda: picture_of(answer, CurveDisplay).plot(), output)
    kept.forecasts(question, [model])


def _forecast_batch(
    question: ForecastQuestion,
    curves: Mapping[str | None, LearningCurve],
    model: APExGP,
    output: OutputOptions,
    picture: PictureOptions,
    kept: RecordOptions,
) -> None:
    """One table, sorted by task and size, with a column that says what is wrong with a task."""
    answer = question.answer_batch(curves, model)
    metric = next(iter(curves.values())).metric_name
    output.present(batch_facts(answer), *batch_table(answer, metric), intro=batch_intro(len(curves), metric))

    def panels() -> BatchDisplay:
        # Fitted again: a batch keeps summaries, not models, and a picture has few tasks.
        models = dict(zip(map(str, curves), fit_together(model, list(curves.values())), strict=True))
        drawn = {str(one.task): models[str(one.task)] for one in answer.found}
        required = {str(one.task): one.required for one in answer.found if one.required is not None}
        at = question.at_or_default
        return BatchDisplay.from_estimators(
            drawn, at.sizes, at.times, of=question.of, levels=question.bands, required=required
        ).plot()

    picture.draw(panels, output)
    kept.forecasts_of_batch(question, curves, model)
    if answer.failed:
        raise DataError(f"{answer.failed} of {len(curves)} tasks could not be forecast.")
