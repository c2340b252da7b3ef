"""The command `apexgp demo`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ...errors import MissingExtraError
from ...estimators import APExGP
from ...files.writing import check_writable, resolve_path
from ...questions.forecast import ForecastQuestion
from ...questions.picture import CurvePicture, picture_of
from ...questions.reach import Reach
from ..command import Sets
from ..digits import N_SPLITS, PILOT_SIZES, measure_digits
from ..facts import forecast_facts
from ..output import OutputOptions, PictureOptions
from ..plot.curve import CurveDisplay
from ..report.write import write_report
from ..tables import forecast_table
from ..words.demo import LEFT, next_lines, opening, truth_sentence
from ..words.forecast import pilot_line

__all__ = ["demo"]

_TARGET = 0.95  # for the report: above the pilot's scores, and within reach


def demo(
    *,
    seed: Annotated[int, typer.Option(help="Seed of the splits and of the search.")] = 0,
    out: Annotated[
        Path, typer.Option(help="Folder for the pilot as a table, the picture and the report; created if needed.")
    ] = Path("apexgp-demo"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files."), Sets("overwrite")] = False,
) -> None:
    """Measure a pilot on real data, forecast, and compare with the score actually measured later.

    Writes the pilot, a picture and a report to a folder, and says what to type next.
    """
    if not resolve_path(out).is_dir():
        check_writable(out, False)
        out.mkdir()
    table, picture, report = (check_writable(out / name, force) for name in LEFT)
    typer.echo(opening(PILOT_SIZES[0], PILOT_SIZES[-1], N_SPLITS))
    pilot, truth = measure_digits(seed)
    model = APExGP(seed=seed).fit(pilot)
    size, score = float(truth.sizes[0]), float(truth.scores.mean())
    answer = ForecastQuestion(at=Reach((720.0, size))).answer(model)
    OutputOptions().present(
        forecast_facts(answer),
        *forecast_table(answer),
        intro=pilot_line(pilot),
        chart=lambda: picture_of(answer, CurvePicture),
    )
    typer.echo(f"\n{truth_sentence(score, answer)}")
    pilot.to_csv(table, overwrite=force)
    missing = []
    drawn = PictureOptions(plot=picture, force=force)
    works: tuple[Callable[[], None], ...] = (
        lambda: drawn.draw(lambda: picture_of(answer, CurveDisplay).plot(truth=([size], [score])), None),
        lambda: write_report(model, report, [size], target=_TARGET, overwrite=force, progress=False),
    )
    for write in works:
        try:
            write()
        except MissingExtraError as problem:
            missing.append(str(problem))
    typer.echo(next_lines(out, _TARGET, sys.argv[0], missing))
