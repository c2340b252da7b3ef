"""The command `apexgp forecast`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from ...curve import LearningCurve
from ...errors import DataError, RequestError
from ...estimators import APExGP, fit_together
from ...repeated.many import forecast_many
from ...running.progress import progress_bar
from ..chart.facts import chart_facts
from ..command import Sets
from ..facts import batch_facts, forecast_facts
from ..options import Confidence, CurveFile, ModelOptions, among, share_option, sizes_and_times, sizes_asked_for
from ..output import OutputOptions, PictureOptions
from ..plot import BatchDisplay, CurveDisplay
from ..plot.batch import MOST_PANELS
from ..plot.curve import picture_end
from ..tables import batch_table, forecast_table
from ..words.batch import batch_intro, sorting_key
from ..words.forecast import pilot_line

__all__ = ["forecast"]

_DEFAULT_AT = ("2x", "10x", "50x")


def forecast(
    *,
    at: Annotated[
        list[str] | None,
        typer.Option(
            help="Training-set size to forecast, or a multiple of the largest in the file such as 10x. "
            "Repeat for several, or part them by commas.  [default: 2x 10x 50x]",
            show_default=False,
        ),
        Sets("sizes", "times", "to"),
    ] = None,
    target: Annotated[
        float | None, share_option(help="Score to reach: say how many examples it takes.", show_default=False)
    ] = None,
    confidence: Confidence = 0.8,
    of: Annotated[
        str,
        typer.Option(
            help="What to forecast: new_splits, same_splits (the pilot's, continued) or expected.",
            autocompletion=among("new_splits", "same_splits", "expected"),
        ),
    ] = "new_splits",
    level: Annotated[
        float, share_option(help="Probability that the interval should hold the score."), Sets("level", "levels")
    ] = 0.95,
    settings: ModelOptions,
    picture: PictureOptions,
    output: OutputOptions,
    source: CurveFile,
) -> None:
    """Forecast the score at larger training-set sizes from a file of measured ones.

    With --target, also say how many examples reach it. A file with a column task that names several is a batch: every
    curve is forecast, by default at multiples of its own largest size, and the answer is one table (one document with
    --json).
    """
    curves, model = source.curves(), settings.model()
    if len(curves) > 1:
        if output.methods_text:
            raise RequestError(
                f"--methods-text goes with one curve; the file holds {len(curves)} tasks. Choose one with --task."
            )
        if picture.plot is not None and len(curves) > MOST_PANELS:
            raise RequestError(
                f"--plot draws up to {MOST_PANELS} tasks; the file holds {len(curves)}. Choose one with --task."
            )
        _forecast_batch(curves, model, at or _DEFAULT_AT, of, level, target, confidence, output, picture)
        return
    (curve,) = curves.values()
    model.fit(curve)
    sizes = sizes_asked_for(at or _DEFAULT_AT, curve.largest)
    required = None if target is None else model.required_size(target, confidence)
    found = model.forecast(sizes, of=of)  # type: ignore[arg-type]
    facts = forecast_facts(model, found, level, required)
    output.present(
        facts,
        *forecast_table(facts),
        intro=pilot_line(facts["pilot"]),
        chart=lambda: chart_facts(model, sizes, required),
    )
    to = picture_end(curve.largest, max(sizes), required)
    picture.draw(lambda: CurveDisplay.from_estimator(model, to).plot(required=required), output)


def _forecast_batch(
    curves: Mapping[str | None, LearningCurve],
    model: APExGP,
    at: Sequence[str],
    of: str,
    level: float,
    target: float | None,
    confidence: float,
    output: OutputOptions,
    picture: PictureOptions,
) -> None:
    """One table, sorted by task and size, with a column that says what is wrong with a task."""
    sizes, times = sizes_and_times(at)
    every = forecast_many(
        curves,
        sizes or None,
        model,
        levels=(level,),
        times=times or None,
        of=of,  # type: ignore[arg-type]
        target=target,
        confidence=confidence,
    )
    found = []
    with progress_bar("tasks", len(curves)) as advance:
        for one in every:
            found.append(one)
            advance()
    found.sort(key=lambda one: sorting_key(str(one.task)))
    facts = batch_facts(found, level, target, confidence)
    metric = next(iter(curves.values())).metric_name
    output.present(facts, *batch_table(found, level, target, metric), intro=batch_intro(len(curves), metric))

    def panels() -> BatchDisplay:
        # Fitted again: a batch keeps summaries, not models, and a picture has few tasks.
        models = dict(zip(map(str, curves), fit_together(model, list(curves.values())), strict=True))
        drawn = {str(one.task): models[str(one.task)] for one in found}
        required = {str(one.task): one.required for one in found if one.required is not None}
        return BatchDisplay.from_estimators(drawn, sizes, times, required=required).plot()

    picture.draw(panels, output)
    if facts["failed"]:
        raise DataError(f"{facts['failed']} of {len(curves)} tasks could not be forecast.")
