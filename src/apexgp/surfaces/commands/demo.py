"""The command `apexgp demo`."""

from __future__ import annotations

from typing import Annotated

import typer

from ...estimators import APExGP
from ...questions.forecast import ForecastQuestion
from ...questions.picture import CurvePicture, picture_of
from ...questions.reach import Reach
from ..digits import N_SPLITS, PILOT_SIZES, measure_digits
from ..facts import forecast_facts
from ..output import OutputOptions, PictureOptions
from ..plot.curve import CurveDisplay
from ..tables import forecast_table
from ..words.demo import opening, truth_sentence
from ..words.forecast import pilot_line

__all__ = ["demo"]


def demo(
    *,
    seed: Annotated[int, typer.Option(help="Seed of the splits and of the search.")] = 0,
    picture: PictureOptions,
) -> None:
    """Measure a pilot on real data, forecast, and compare with the score truly measured later."""
    typer.echo(opening(PILOT_SIZES[0], PILOT_SIZES[-1], N_SPLITS))
    pilot, truth = measure_digits(seed)
    model = APExGP(seed=seed).fit(pilot)
    size, score = float(truth.sizes[0]), float(truth.scores.mean())
    answer = ForecastQuestion(at=Reach((720.0, size))).answer(model)
    output = OutputOptions()
    output.present(
        forecast_facts(answer),
        *forecast_table(answer),
        intro=pilot_line(pilot),
        chart=lambda: picture_of(answer, CurvePicture),
    )
    typer.echo(f"\n{truth_sentence(score, answer)}")
    picture.draw(lambda: picture_of(answer, CurveDisplay).plot(truth=([size], [score])), output)
