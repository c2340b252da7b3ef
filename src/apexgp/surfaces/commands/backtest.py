"""The command `apexgp backtest`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...errors import DataError
from ...estimators import METHODS
from ...files.writing import check_writable
from ...repeated.backtest import backtest as run_backtest
from ...repeated.backtest import sizes_required
from ..command import Sets
from ..facts import backtest_facts
from ..options import Confidence, CurveFile, MethodOptions, among, share_option
from ..output import OutputOptions, PictureOptions
from ..plot import BacktestDisplay
from ..tables import backtest_table

__all__ = ["backtest"]


def backtest(
    *,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Method to judge: {', '.join(METHODS)}. Repeat for several.  [default: all]",
            show_default=False,
            autocompletion=among(*METHODS),
        ),
        Sets("methods"),
    ] = None,
    holdout: Annotated[
        int | None,
        typer.Option(help="How many of the largest sizes to hold out.  [default: a third]", show_default=False),
    ] = None,
    target: Annotated[
        float | None,
        share_option(help="Score to reach: say what each method, fitted to all sizes, asks for.", show_default=False),
    ] = None,
    confidence: Confidence = 0.8,
    jobs: Annotated[
        int, typer.Option(help="Processes for a file with several tasks; -1 takes all cores."), Sets("n_jobs")
    ] = 1,
    out: Annotated[Path | None, typer.Option(help="Write figures of every curve and method to this CSV file.")] = None,
    settings: MethodOptions,
    picture: PictureOptions,
    output: OutputOptions,
    source: CurveFile,
) -> None:
    """Judge every method on your own curve: fit the smaller sizes, compare with the larger ones.

    A file with several tasks is pooled.
    """
    if out is not None:
        check_writable(out, picture.force)
    curves, methods = source.curves(), settings.methods(method)
    required = {} if target is None else sizes_required(source.only_curve(), methods, target, confidence)
    result = run_backtest(curves, methods, holdout, n_jobs=jobs)
    if not any(score.curves for score in result.pooled):
        raise DataError(f"{source.pairs}: {result.pooled[0].failed}")
    if out is not None:
        result.to_csv(out, overwrite=picture.force)
    facts = backtest_facts(result, required)
    largest = max(curve.largest for curve in curves.values())
    output.present(facts, *backtest_table(result, target, required, largest))
    picture.draw(lambda: BacktestDisplay.from_backtest(result).plot(), output)
