"""The command `apexgp backtest`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...files.writing import check_writable
from ...questions.backtest import BacktestQuestion
from ..command import SetsArgument
from ..curve_file import CurveFile
from ..output import OutputOptions, PictureOptions

__all__ = ["backtest"]


def backtest(
    *,
    asked: BacktestQuestion,
    jobs: Annotated[
        int, typer.Option(help="Processes for a file with several tasks; -1 uses all cores."), SetsArgument("n_jobs")
    ] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Write the results for every curve and method to this CSV file.")
    ] = None,
    picture: PictureOptions,
    output: OutputOptions,
    source: CurveFile,
) -> None:
    """Evaluate every method on your own curve: fit the smaller sizes, compare with the larger ones.

    The tasks of a file with several are pooled.
    """
    if out is not None:
        check_writable(out, picture.force)
    # A target goes with one curve.
    answer = asked.answer(source.curves if asked.target is None else source.only_curve, n_jobs=jobs)
    answer.refuse_unjudged(f"{source.pairs}: ")
    if out is not None:
        answer.result.to_csv(out, overwrite=picture.force)
    output.present(answer)
    picture.draw(answer.display, output)
