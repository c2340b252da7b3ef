"""The command `apexgp check`."""

from __future__ import annotations

from typing import Annotated

import typer

from ...questions.check import CheckQuestion
from ...repeated.predictive import DRAWS
from ..curve_file import CurveFile
from ..facts import check_facts
from ..options import BayesOptions
from ..output import OutputOptions, PictureOptions
from ..plot.check import PredictiveCheckDisplay
from ..tables import table_of
from ..words.check import how_checks_are_read

__all__ = ["check"]


def check(
    *,
    draws: Annotated[int, typer.Option(help="Number of pilots to simulate from the model.")] = DRAWS,
    settings: BayesOptions,
    picture: PictureOptions,
    output: OutputOptions,
    source: CurveFile,
) -> None:
    """Check whether the model fits the pilot: compare its level, slope, scatter and split effect with simulations."""
    question = CheckQuestion(draws=draws)
    answer = question.answer(settings.model().fit(source.only_curve()))
    output.present(check_facts(answer), *table_of(answer.found), intro=how_checks_are_read(answer.found))
    picture.draw(lambda: PredictiveCheckDisplay.from_check(answer.found).plot(), output)
