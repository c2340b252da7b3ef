"""The command line: parse, one call to the library, print."""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from .._files import refuse_to_overwrite, written_atomically
from ..curve import LearningCurve
from ..errors import ApexError, DataError, RequestError
from ..estimators import APExGP
from ..repeated.many import forecast_many
from .answers_cli import backtest, compare, minimum, plan
from .collect_cli import collect
from .facts import batch_facts, forecast_facts
from .options import (
    AsJson,
    Ceiling,
    Confidence,
    Floor,
    LowerIsBetter,
    MeanShape,
    MethodsText,
    Metric,
    Noise,
    Pairs,
    Published,
    ScoreColumn,
    Seed,
    SizeColumn,
    SplitColumn,
    Task,
    model_of,
    one_of,
    read_file,
    size_of,
)
from .output import one_output, present
from .plot import CurveDisplay

__all__ = ["app", "main"]

app = typer.Typer(
    name="apexgp",
    help="Forecast what a classifier will score with more labelled data, and how sure to be.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

_MULTIPLES = ("2x", "10x", "50x")
_PICTURES = (".png", ".pdf", ".svg")


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"apexgp {version('apexgp')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    pass


@app.command()
def forecast(
    pairs: Pairs,
    at: Annotated[
        list[str] | None,
        typer.Option(
            help="Training-set size to forecast, or a multiple of the largest in the file such as 10x. "
            "Repeat for several.  [default: 2x 10x 50x]",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        float | None, typer.Option(help="Score to reach: say how many examples it takes.", show_default=False)
    ] = None,
    confidence: Confidence = 0.8,
    ceiling: Ceiling = 1.0,
    floor: Floor = 0.0,
    noise: Noise = None,
    mean: MeanShape = None,
    published: Published = False,
    of: Annotated[
        str, typer.Option(help="What to forecast: new_splits, same_splits (the pilot's, continued) or expected.")
    ] = "new_splits",
    level: Annotated[float, typer.Option(help="Probability that the interval should hold the score.")] = 0.95,
    plot: Annotated[Path | None, typer.Option(help="Draw the curve into this file (png, pdf, svg).")] = None,
    as_json: AsJson = False,
    methods_text: MethodsText = False,
    size_column: SizeColumn = "size",
    score_column: ScoreColumn = None,
    split_column: SplitColumn = "split",
    metric: Metric = None,
    task: Task = None,
    lower_is_better: LowerIsBetter = False,
    seed: Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the picture if it exists.")] = False,
) -> None:
    """Forecast the score at larger training-set sizes from a file of measured ones.

    With --target, also say how many examples reach it. A file with a column task that names several is a batch:
    every curve is forecast.
    """
    _check_picture(plot, force)
    one_output(as_json, methods_text)
    curves = read_file(pairs, size_column, score_column, split_column, metric, task, lower_is_better)
    model = model_of(mean, published, ceiling, floor, noise, seed)
    if len(curves) > 1:
        if of != "new_splits" or target is not None or methods_text:
            raise RequestError(
                "--of, --target and --methods-text go with one curve; a batch forecasts new splits. Choose one with "
                "--task."
            )
        _forecast_batch(curves, model, at, level, as_json, plot)
        return
    curve = one_of(curves, pairs)
    model.fit(curve)
    sizes = [size_of(text, curve.largest) for text in at or _MULTIPLES]
    required = None if target is None else model.required_size(target, confidence)
    facts = forecast_facts(model, model.forecast(sizes, of=of), level, required)  # type: ignore[arg-type]
    if plot is not None:
        _draw(model, max(sizes), plot, force, required=required)
    _print_forecast(facts, as_json=as_json, methods_text=methods_text)
    if plot is not None and not (as_json or methods_text):
        typer.echo(f"\nThe picture is in {plot}.")


def _forecast_batch(
    curves: dict[str | None, LearningCurve],
    model: APExGP,
    at: list[str] | None,
    level: float,
    as_json: bool,
    plot: Path | None,
) -> None:
    """One row for each task and size; a task that cannot be forecast says why."""
    if plot is not None:
        raise RequestError(f"--plot draws one curve; the file holds {len(curves)} tasks. Choose one with --task.")
    if at is None or any(text.strip().lower().endswith("x") for text in at):
        raise RequestError(
            f"The file holds {len(curves)} tasks, each with sizes of its own: name the sizes to forecast with --at, "
            "as numbers, or choose one task with --task."
        )
    sizes = [size_of(text, 1.0) for text in at]
    failed = 0
    for found in forecast_many(curves, sizes, model, levels=(level,)):
        failed += found.error is not None
        facts = batch_facts(found, level)
        if as_json:
            typer.echo(json.dumps(facts))
        elif found.error is not None:
            typer.echo(f"{found.task}: {found.error}")
        else:
            for row in facts["forecast"]:
                typer.echo(
                    f"{found.task}: {row['size']:,.10g} examples, expect {row['mean']:.3f}, "
                    f"{100 * level:g} % interval {row['lower']:.3f} to {row['upper']:.3f}"
                )
            for caution in found.cautions:
                typer.echo(f"{found.task}: Caution: {caution}")
    if failed:
        raise DataError(f"{failed} of {len(curves)} tasks could not be forecast.")


for command in (collect, plan, compare, backtest, minimum):
    app.command()(command)


@app.command()
def demo(
    plot: Annotated[Path | None, typer.Option(help="Draw the curve into this file (png, pdf, svg).")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the splits and of the search.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the picture if it exists.")] = False,
) -> None:
    """Measure a pilot on real data, forecast, and compare with the score truly measured later."""
    from .demo import measure_digits

    _check_picture(plot, force)
    typer.echo("Training a logistic regression on 60 to 360 of scikit-learn's handwritten digits, 5 splits ...")
    pilot, truth = measure_digits(seed)
    model = APExGP(seed=seed).fit(pilot)
    size, score = float(truth.sizes[0]), float(truth.scores.mean())
    facts = forecast_facts(model, model.forecast([720, size]), 0.95)
    _print_forecast(facts, as_json=False, methods_text=False)
    row = facts["forecast"][-1]
    verdict = "inside" if row["lower"] <= score <= row["upper"] else "outside"
    typer.echo(
        f"\nThe truth: trained on {size:,.0f} examples, the same classifier has a mean accuracy of {score:.3f}, "
        f"{verdict} the interval from {row['lower']:.3f} to {row['upper']:.3f} and {abs(score - row['mean']):.3f} "
        f"{'above' if score >= row['mean'] else 'below'} the expected {row['mean']:.3f}."
    )
    if plot is not None:
        _draw(model, size, plot, force, truth=([size], [score]))
        typer.echo(f"\nThe picture is in {plot}.")


def _check_picture(path: Path | None, overwrite: bool) -> None:
    """Refuse, before any work is done, a picture that could not be written at its end."""
    if path is None:
        return
    refuse_to_overwrite(path, overwrite)
    if path.suffix.lower() not in _PICTURES:
        raise RequestError(f"{path} must end in one of {', '.join(_PICTURES)}, which says what kind of picture it is.")


def _draw(model: APExGP, to: float, path: Path, overwrite: bool, **extra: Any) -> None:
    largest = model.curve_.largest
    display = CurveDisplay.from_estimator(model, to if to > largest else None).plot(**extra)
    with written_atomically(path, overwrite=overwrite) as draft:
        display.figure_.savefig(draft, dpi=150)


def _print_forecast(facts: dict[str, Any], *, as_json: bool, methods_text: bool) -> None:
    pilot, largest = facts["pilot"], facts["pilot"]["sizes"][-1]
    of_task = f" of {pilot['task']}" if pilot["task"] else ""
    intro = (
        f"Pilot{of_task}: {pilot['scores']} scores at {len(pilot['sizes'])} sizes, "
        f"{pilot['means'][0]:.3f} at {pilot['sizes'][0]:,.10g} to {pilot['means'][-1]:.3f} at {largest:,.10g}."
    )
    header = ["size", "times pilot", f"expected {pilot['metric']}", f"{100 * facts['level']:g} % interval"]
    rows = [
        [
            f"{row['size']:,.10g}",
            f"{row['size'] / largest:.3g}",
            f"{row['mean']:.3f}",
            f"{row['lower']:.3f} to {row['upper']:.3f}",
        ]
        for row in facts["forecast"]
    ]
    present(facts, header, rows, as_json=as_json, methods_text=methods_text, intro=intro)


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 the data or the request is at fault, 2 usage."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter shows a question mark instead of ending the program.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    # What the library warns of, as sentences for a reader, each once.
    said: set[str] = set()

    def note(message: Warning | str, *_where: object, **_more: object) -> None:
        if str(message) not in said:
            said.add(str(message))
            typer.echo(f"Note: {message}", err=True)

    warnings.showwarning = note
    try:
        app()
    except ApexError as problem:
        _stop(f"Error: {problem}")
    except BrokenPipeError:
        # The reader of our output has gone (`| head`); Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as problem:
        _stop(f"Error: {problem.strerror or problem}{f': {problem.filename}' if problem.filename else ''}.")
    except Exception as problem:
        if os.environ.get("APEXGP_TRACEBACK"):
            traceback.print_exc()
        _stop(
            f"Error: apexgp met something it was not prepared for: {type(problem).__name__}: {problem}\n"
            "Please report it. With APEXGP_TRACEBACK=1 in the environment the same command shows where it happened."
        )


def _stop(message: str) -> None:
    typer.echo(message, err=True)
    sys.exit(1)
