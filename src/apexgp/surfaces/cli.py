"""The command line: parse, one call to the library, print."""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer

from .._check import some
from .._files import refuse_to_overwrite, written_atomically
from ..errors import ApexError, RequestError
from ..estimators import APExGP
from ..model.means import MEANS
from ..pairs import LearningCurve, read_curves
from .collect_cli import collect
from .facts import forecast_facts
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
    pairs: Annotated[Path, typer.Argument(help="CSV file with the columns size, score and, if known, split.")],
    at: Annotated[
        list[str] | None,
        typer.Option(
            help="Training-set size to forecast, or a multiple of the largest in the file such as 10x. "
            "Repeat for several.  [default: 2x 10x 50x]",
            show_default=False,
        ),
    ] = None,
    ceiling: Annotated[float, typer.Option(help="Highest score that is possible at all.")] = 1.0,
    mean: Annotated[str, typer.Option(help=f"Shape of the curve: {' or '.join(MEANS)}.")] = "power_law",
    level: Annotated[float, typer.Option(help="Probability that the interval should hold the score.")] = 0.95,
    plot: Annotated[Path | None, typer.Option(help="Draw the curve into this file (png, pdf, svg).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON instead of a table.")] = False,
    size_column: Annotated[str, typer.Option(help="Column that holds the training-set sizes.")] = "size",
    score_column: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that holds the scores; repeat for a table with one column a split.  [default: score]",
            show_default=False,
        ),
    ] = None,
    split_column: Annotated[str, typer.Option(help="Column that names the split.")] = "split",
    metric: Annotated[
        str | None, typer.Option(help="Name of the score, or which of those in the column metric to use.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="Which of the tasks in the column task to use.")] = None,
    lower_is_better: Annotated[bool, typer.Option("--lower-is-better", help="The scores are error rates.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the picture if it exists.")] = False,
) -> None:
    """Forecast the score at larger training-set sizes from a file of measured ones."""
    if plot is not None:
        refuse_to_overwrite(plot, force)
    columns = score_column or ["score"]
    curves = read_curves(
        pairs,
        size=size_column,
        score=columns[0] if len(columns) == 1 else columns,
        split=split_column,
        metric=metric,
        direction="lower" if lower_is_better else "higher",
    )
    curve = _one_curve(pairs, curves, task)
    model = APExGP(mean=mean, ceiling=ceiling, seed=seed).fit(curve)
    sizes = [_size(text, float(curve.sizes.max())) for text in at or _MULTIPLES]
    facts = forecast_facts(model, model.forecast(sizes), level)
    if plot is not None:
        _draw(model, max(sizes), plot, force)
    if as_json:
        typer.echo(json.dumps(facts, indent=1))
    else:
        _print_forecast(facts)
        if plot is not None:
            typer.echo(f"\nThe picture is in {plot}.")


app.command()(collect)


@app.command()
def demo(
    plot: Annotated[Path | None, typer.Option(help="Draw the curve into this file (png, pdf, svg).")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the splits and of the search.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the picture if it exists.")] = False,
) -> None:
    """Measure a pilot on real data, forecast, and compare with the score truly measured later."""
    from .demo import measure_digits

    if plot is not None:
        refuse_to_overwrite(plot, force)
    typer.echo("Training a logistic regression on 60 to 360 of scikit-learn's handwritten digits, 5 splits ...")
    pilot, truth = measure_digits(seed)
    model = APExGP(seed=seed).fit(pilot)
    size, score = float(truth.sizes[0]), float(truth.scores.mean())
    facts = forecast_facts(model, model.forecast([720, size]), 0.95)
    _print_forecast(facts)
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


def _one_curve(path: Path, curves: dict[str | None, LearningCurve], task: str | None) -> LearningCurve:
    if task is None and len(curves) == 1:
        return next(iter(curves.values()))
    if task is None or task not in curves:
        asked = "Choose one with --task" if task is None else f"None of them is {task!r}"
        raise RequestError(f"{path} has the tasks {some([str(name) for name in curves], 20)}. {asked}.")
    return curves[task]


def _size(text: str, largest: float) -> float:
    """A size as people write it: 20000, 20_000, 20k, 1.5M, or 10x for ten times the largest of the pilot."""
    match = re.fullmatch(r"([\d_]*\.?\d+(?:[eE][+-]?\d+)?)\s*([kKmMxX]?)", text.strip())
    if match is None:
        raise RequestError(f"--at wants a training-set size such as 20000, 20k or 10x, got {text!r}.")
    unit = {"": 1.0, "k": 1e3, "m": 1e6, "x": largest}[match[2].lower()]
    return float(match[1]) * unit


def _draw(model: APExGP, to: float, path: Path, overwrite: bool, **extra: Any) -> None:
    largest = float(model.curve_.sizes.max())
    display = CurveDisplay.from_estimator(model, to if to > largest else None).plot(**extra)
    with written_atomically(path, overwrite=overwrite) as draft:
        try:
            display.figure_.savefig(draft, dpi=150)
        except ValueError as problem:  # matplotlib's word for an unknown file ending
            raise RequestError(f"{path} cannot be drawn: {problem}") from None


def _print_forecast(facts: dict[str, Any]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    pilot, largest = facts["pilot"], facts["pilot"]["sizes"][-1]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in (
        "size",
        "times pilot",
        f"expected {pilot['metric']}",
        f"{100 * facts['level']:g} % interval",
    ):
        table.add_column(name, justify="right")
    for row in facts["forecast"]:
        table.add_row(
            f"{row['size']:,.10g}",
            f"{row['size'] / largest:.3g}",
            f"{row['mean']:.3f}",
            f"{row['lower']:.3f} to {row['upper']:.3f}",
        )
    console = Console(highlight=False)
    of_task = f" of {pilot['task']}" if pilot["task"] else ""
    console.print(
        f"Pilot{of_task}: {pilot['scores']} scores at {len(pilot['sizes'])} sizes, "
        f"{pilot['means'][0]:.3f} at {pilot['sizes'][0]:,.10g} to {pilot['means'][-1]:.3f} at {largest:,.10g}.",
        markup=False,
        soft_wrap=True,
    )
    console.print(table)
    console.print(facts["sentence"], markup=False, soft_wrap=True)
    for caution in facts["cautions"]:
        console.print(f"Caution: {caution}", markup=False, soft_wrap=True)


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 the data or the request is at fault, 2 usage."""
    try:
        app()
    except ApexError as problem:
        _stop(f"Error: {problem}")
    except BrokenPipeError:
        # The reader of our output has gone (`| head`); Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
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
