"""The command `apexgp backtest`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from sklearn.base import clone

from ..._files import refuse_to_overwrite
from ...answers.required import RequiredSize
from ...curve import LearningCurve
from ...errors import DataError
from ...estimators import METHODS, CurveEstimator
from ...repeated.backtest import backtest as run_backtest
from ...repeated.backtest import methods_named
from ..command import Sets
from ..facts import backtest_facts
from ..options import Confidence, CurveFile, MethodOptions, among
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
        typer.Option(help="Score to reach: say what each method, fitted to all sizes, asks for.", show_default=False),
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
        refuse_to_overwrite(out, picture.force)
    curves, methods = source.curves(), _chosen(method, settings)
    required = {} if target is None else _required(source.only_curve(), methods, target, confidence)
    result = run_backtest(curves, methods, holdout, n_jobs=jobs)
    if not any(score.curves for score in result.pooled):
        raise DataError(f"{source.pairs}: {result.pooled[0].failed}")
    if out is not None:
        result.to_csv(out, overwrite=picture.force)
    facts = backtest_facts(result, required)
    largest = max(curve.largest for curve in curves.values())
    output.present(facts, *backtest_table(result, target, required, largest))
    picture.draw(lambda: BacktestDisplay.from_backtest(result).plot(), output)


def _chosen(names: list[str] | None, settings: MethodOptions) -> dict[str, CurveEstimator]:
    """The methods that were asked for, each with those of the settings that it knows."""
    chosen = methods_named(names or list(METHODS))
    for method in chosen.values():
        known = method.get_params(deep=False)
        method.set_params(**{name: value for name, value in asdict(settings).items() if name in known})
    return chosen


def _required(
    curve: LearningCurve, methods: dict[str, CurveEstimator], target: float, confidence: float
) -> dict[str, RequiredSize | str]:
    """What each method, fitted to the whole curve, asks for, or why it does not say."""
    found: dict[str, RequiredSize | str] = {}
    for name, method in methods.items():
        try:
            found[name] = clone(method).fit(curve).required_size(target, confidence)
        except DataError as problem:
            found[name] = str(problem)
    return found
