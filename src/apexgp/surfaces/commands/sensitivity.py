"""The command `apexgp sensitivity`."""

from __future__ import annotations

from ...questions.sensitivity import SensitivityQuestion
from ..curve_file import CurveFile
from ..facts import sensitivity_facts
from ..options import ForecastOptions, ModelOptions
from ..output import OutputOptions, PictureOptions
from ..plot.sensitivity import SensitivityDisplay
from ..tables import table_of

__all__ = ["sensitivity"]


def sensitivity(
    *,
    asked: ForecastOptions,
    settings: ModelOptions,
    picture: PictureOptions,
    output: OutputOptions,
    source: CurveFile,
) -> None:
    """Show what an answer depends on: the same question with other assumptions, and with parts of the data left out.

    The forecast, and with --target the number of examples that reach it, under other priors, curves and ceilings,
    without the first size, the last, and each split in turn. The largest changes come first.
    """
    question = SensitivityQuestion(forecast=asked.question())
    answer = question.answer(settings.model().fit(source.only_curve()))
    output.present(sensitivity_facts(answer), *table_of(answer.found), bars=answer.found)
    picture.draw(lambda: SensitivityDisplay.from_sensitivity(answer.found).plot(), output)
