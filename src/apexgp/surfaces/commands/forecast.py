"""The command `apexgp forecast`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ...curve import LearningCurve
from ...errors import DataError, RequestError
from ...estimators import APExGP
from ...repeated.many import forecast_many
from ..command import Sets
from ..facts import batch_facts, forecast_facts
from ..options import Confidence, CurveFile, ModelOptions, sizes_asked_for
from ..output import OutputOptions, PictureOptions
from ..tables import forecast_table
from ..words.forecast import batch_lines, pilot_line

__all__ = ["forecast"]


def forecast(
    *,
    at: Annotated[
        list[str] | None,
        typer.Option(
            help="Training-set size to forecast, or a multiple of the largest in the file such as 10x. "
            "Repeat for several.  [default: 2x 10x 50x]",
            show_default=False,
        ),
        Sets("sizes", "to"),
    ] = None,
    target: Annotated[
        float | None, typer.Option(help="Score to reach: say how many examples it takes.", show_default=False)
    ] = None,
    confidence: Confidence = 0.8,
    of: Annotated[
        str, typer.Option(help="What to forecast: new_splits, same_splits (the pilot's, continued) or expected.")
    ] = "new_splits",
    level: Annotated[
        float, typer.Option(help="Probability that the interval should hold the score."), Sets("level", "levels")
    ] = 0.95,
    settings: ModelOptions,
    picture: PictureOptions,
    output: OutputOptions,
    source: CurveFile,
) -> None:
    """Forecast the score at larger training-set sizes from a file of measured ones.

    With --target, also say how many examples reach it. A file with a column task that names several is a batch:
    every curve is forecast.
    """
    curves, model = source.curves(), settings.model()
    if len(curves) > 1:
        if of != "new_splits" or target is not None or output.methods_text:
            raise RequestError(
                "--of, --target and --methods-text go with one curve; a batch forecasts new splits. Choose one with "
                "--task."
            )
        if picture.plot is not None:
            raise RequestError(f"--plot draws one curve; the file holds {len(curves)} tasks. Choose one with --task.")
        _forecast_batch(curves, model, at, level, output.as_json)
        return
    (curve,) = curves.values()
    model.fit(curve)
    sizes = sizes_asked_for(at or ("2x", "10x", "50x"), curve.largest)
    required = None if target is None else model.required_size(target, confidence)
    facts = forecast_facts(model, model.forecast(sizes, of=of), level, required)  # type: ignore[arg-type]
    picture.draw(model, max(sizes), required=required)
    output.present(facts, *forecast_table(facts), intro=pilot_line(facts["pilot"]))
    if output.for_a_reader:
        picture.say_where()


def _forecast_batch(
    curves: dict[str | None, LearningCurve], model: APExGP, at: list[str] | None, level: float, as_json: bool
) -> None:
    """One row for each task and size; a task that cannot be forecast says why."""
    if at is None or any(text.strip().lower().endswith("x") for text in at):
        raise RequestError(
            f"The file holds {len(curves)} tasks, each with sizes of its own: name the sizes to forecast with --at, "
            "as numbers, or choose one task with --task."
        )
    failed = 0
    for found in forecast_many(curves, sizes_asked_for(at, 1.0), model, levels=(level,)):
        failed += found.error is not None
        facts = batch_facts(found, level)
        for line in [json.dumps(facts)] if as_json else batch_lines(facts):
            typer.echo(line)
    if failed:
        raise DataError(f"{failed} of {len(curves)} tasks could not be forecast.")
