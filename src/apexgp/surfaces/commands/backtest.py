"""The command `apexgp backtest`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ...answers.required import CONFIDENCE
from ...estimators.least_squares import METHODS
from ...files.writing import check_writable
from ...questions.backtest import BacktestQuestion
from ..command import Sets
from ..curve_file import CurveFile
from ..facts import backtest_facts
from ..options import Confidence, MethodOptions, among, share_option
from ..output import OutputOptions, PictureOptions
from ..plot.backtest import BacktestDisplay
from ..tables import backtest_table

__all__ = ["backtest"]


def backtest(
    *,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Method to evaluate: {', '.join(METHODS)}. Repeat for several.",
            show_default="all",
            autocompletion=among(*METHODS),
        ),
        Sets("methods"),
    ] = None,
    holdout: Annotated[
        int | None,
        typer.Option(help="How many of the largest sizes to hold out.", show_default="a third"),
    ] = None,
    target: Annotated[
        float | None,
        share_option(
            help="Score to reach: also give the size that each method, fitted to all sizes, asks for.",
            show_default=False,
        ),
    ] = None,
    confidence: Confidence = CONFIDENCE,
    jobs: Annotated[
        int, typer.Option(help="Processes for a file with several tasks; -1 uses all cores."), Sets("n_jobs")
    ] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Write the results for every curve and method to this CSV file.")
    ] = None,
    settings: MethodOptions,
    picture: PictureOptions,
    output: OutputOptions,
    source: CurveFile,
) -> None:
    """Evaluate every method on your own curve: fit the smaller sizes, compare with the larger ones.

    The tasks of a file with several are pooled.
    """
    if out is not None:
        check_writable(out, picture.force)
    question = BacktestQuestion.named(method, **asdict(settings), holdout=holdout, target=target, confidence=confidence)
    if target is not None:
        source.only_curve()  # refused here, where the option that chooses one is known
    answer = question.answer(source.curves(), n_jobs=jobs)
    answer.refuse_unjudged(f"{source.pairs}: ")
    if out is not None:
        answer.result.to_csv(out, overwrite=picture.force)
    output.present(backtest_facts(answer), *backtest_table(answer))
    picture.draw(lambda: BacktestDisplay.from_backtest(answer.result).plot(), output)
