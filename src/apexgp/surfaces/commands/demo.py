"""The command `apexgp demo`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from ..._check import check_path
from ..._numbers import format_score, format_score_interval
from ...errors import MissingExtraError
from ...estimators import APExGP
from ...files.writing import check_writable
from ...question_base.sizes import SizeSpec
from ...questions.forecast import ForecastAnswer, ForecastQuestion
from ...questions.forecast.curve_picture import CurvePicture
from ..command import SetsArgument
from ..digits import N_SPLITS, PILOT_SIZES, measure_digits
from ..output import OutputOptions, PictureOptions
from ..report.write import write_report

__all__ = ["demo"]

LEFT = {
    "pairs.csv": "the pilot, as a table like yours",
    "curve.png": "the picture",
    "report.html": "the report to hand over: open it in a browser",
}
"""Files that the demonstration leaves behind, and what they are."""
_TARGET = 0.95  # for the report: above the pilot's scores, and within reach


def demo(
    *,
    seed: Annotated[int, typer.Option(help="Seed of the splits and of the search.")] = 0,
    out: Annotated[
        Path, typer.Option(help="Folder for the pilot as a table, the picture and the report; created if needed.")
    ] = Path("apexgp-demo"),
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite existing files."), SetsArgument("overwrite")
    ] = False,
) -> None:
    """Measure a pilot on real data, forecast, and compare with the score actually measured later.

    Writes the pilot, a picture and a report to a folder, and says what to type next.
    """
    if not check_path(out).is_dir():
        check_writable(out, False)
        out.mkdir()
    table, picture, report = (check_writable(out / name, force) for name in LEFT)
    typer.echo(say_opening(PILOT_SIZES[0], PILOT_SIZES[-1], N_SPLITS))
    pilot, truth = measure_digits(seed)
    model = APExGP(seed=seed).fit(pilot)
    size, score = float(truth.sizes[0]), float(truth.scores.mean())
    answer = ForecastQuestion(at=SizeSpec((720.0, size))).answer(model)
    OutputOptions().present(answer, lambda: answer.picture(CurvePicture))
    typer.echo(f"\n{say_truth(score, answer)}")
    pilot.to_csv(table, overwrite=force)
    missing = []
    drawn = PictureOptions(plot=picture, force=force)
    works: tuple[Callable[[], None], ...] = (
        lambda: drawn.draw(lambda: answer.display(truth=([size], [score])), None),
        lambda: write_report(model, report, [size], target=_TARGET, overwrite=force, progress=False),
    )
    for write in works:
        try:
            write()
        except MissingExtraError as problem:
            missing.append(str(problem))
    typer.echo(say_next_steps(out, _TARGET, sys.argv[0], missing))


def say_opening(smallest: int, largest: int, n_splits: int) -> str:
    """Say what is about to be measured."""
    return (
        f"Training a logistic regression on {smallest} to {largest} of scikit-learn's handwritten digits, {n_splits} "
        "splits ..."
    )


def say_truth(score: float, answer: ForecastAnswer) -> str:
    """The score measured at the farthest size, beside the forecast of it."""
    size, mean, low, high = (
        float(column[-1]) for column in (answer.forecast.sizes, answer.forecast.mean, *answer.ends)
    )
    digits = answer.decimals
    verdict = "inside" if low <= score <= high else "outside"
    return (
        f"The truth: trained on {size:,.0f} examples, the same classifier has a mean accuracy of "
        f"{format_score(score, digits)}, {verdict} the interval from {format_score_interval(low, high, digits)} and "
        f"{format_score(abs(score - mean), digits)} {'above' if score >= mean else 'below'} the expected "
        f"{format_score(mean, digits)}."
    )


def say_next_steps(folder: Path, target: float, program: str, missing: Sequence[str]) -> str:
    """Say which files were written and what to type next; `missing` says what could not be made, and why."""
    there = {folder / name: what for name, what in LEFT.items() if (folder / name).exists()}
    width = max(len(str(path)) for path in there)
    # By the name that works where it was started: make demo installs into .venv, which is on nobody's path.
    called = program if Path(program).name == "apexgp" and Path(program).parent.name else "apexgp"
    with suppress(ValueError):
        called = str(Path(called).relative_to(Path.cwd()))
    return "\n".join(
        [
            "\nFiles written:",
            *(f"  {str(path).ljust(width)}  {what}" for path, what in there.items()),
            *missing,
            f"\nNext, ask how many examples an accuracy of {target:g} takes, or do it all in a browser:",
            f"  {called} forecast {folder / next(iter(LEFT))} --target {target:g}",
            f"  {called} serve",
        ]
    )
