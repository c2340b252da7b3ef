"""The command line: parse, one call to the library, print."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from .._check import some
from .._files import refuse_to_overwrite, written_atomically
from ..errors import ApexError, DataError, RequestError
from ..estimators import APExGP
from ..many import forecast_many
from ..model.means import MEANS
from ..pairs import LearningCurve, read_curves
from .collect_cli import collect
from .facts import batch_facts, forecast_facts
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
    floor: Annotated[float, typer.Option(help="Chance level, for instance 0.5 for AUROC.")] = 0.0,
    noise: Annotated[float | None, typer.Option(help="Standard deviation that you expect of a single score.")] = None,
    mean: Annotated[
        str | None,
        typer.Option(
            help=f"Shape of the curve: {', '.join(MEANS)}, or auto for their average.  [default: auto]",
            show_default=False,
        ),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Use the method of the paper as it was published.")
    ] = False,
    of: Annotated[
        str, typer.Option(help="What to forecast: new_splits, same_splits (the pilot's, continued) or expected.")
    ] = "new_splits",
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
    """Forecast the score at larger training-set sizes from a file of measured ones.

    A file with a column task that names several is a batch: every curve is forecast.
    """
    _check_picture(plot, force)
    columns = score_column or ["score"]
    with _options_for_arguments():
        curves = read_curves(
            pairs,
            size=size_column,
            score=columns[0] if len(columns) == 1 else columns,
            split=split_column,
            metric=metric,
            direction="lower" if lower_is_better else "higher",
        )
    if published:
        if floor or noise is not None:
            raise RequestError("--published knows neither --floor nor --noise.")
        model = APExGP.as_published(mean or "power_law", ceiling).set_params(seed=seed)
    else:
        model = APExGP(mean or "auto", ceiling=ceiling, floor=floor, noise=noise, seed=seed)
    if task is not None:
        if task not in curves:
            raise RequestError(f"{pairs} has no task {task!r}; found {some([str(name) for name in curves], 20)}.")
        curves = {task: curves[task]}
    if len(curves) > 1:
        if of != "new_splits":
            raise RequestError("--of goes with one curve; a batch forecasts new splits. Choose one with --task.")
        _forecast_batch(curves, model, at, level, as_json, plot)
        return
    (curve,) = curves.values()
    model.fit(curve)
    sizes = [_size(text, float(curve.sizes.max())) for text in at or _MULTIPLES]
    facts = forecast_facts(model, model.forecast(sizes, of=of), level)
    if plot is not None:
        _draw(model, max(sizes), plot, force)
    if as_json:
        typer.echo(json.dumps(facts, indent=1))
    else:
        _print_forecast(facts)
        if plot is not None:
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
    sizes = [_size(text, 1.0) for text in at]
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


@contextmanager
def _options_for_arguments() -> Iterator[None]:
    """Put the options of the command line for the arguments of the library into messages."""
    try:
        yield
    except DataError as problem:
        words = {"size=...": "--size-column", "score=...": "--score-column", "metric=...": "--metric"}
        text = str(problem)
        for argument, option in words.items():
            text = text.replace(argument, option)
        raise DataError(text) from None


app.command()(collect)


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


def _size(text: str, largest: float) -> float:
    """A size as people write it: 20000, 20_000, 20k, 1.5M, or 10x for ten times the largest of the pilot."""
    match = re.fullmatch(r"(\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([kKmMxX]?)", text.strip())
    if match is None:
        raise RequestError(f"--at wants a training-set size such as 20000, 20k or 10x, got {text!r}.")
    unit = {"": 1.0, "k": 1e3, "m": 1e6, "x": largest}[match[2].lower()]
    return float(match[1]) * unit


def _check_picture(path: Path | None, overwrite: bool) -> None:
    """Refuse, before any work is done, a picture that could not be written at its end."""
    if path is None:
        return
    refuse_to_overwrite(path, overwrite)
    if path.suffix.lower() not in _PICTURES:
        raise RequestError(f"{path} must end in one of {', '.join(_PICTURES)}, which says what kind of picture it is.")


def _draw(model: APExGP, to: float, path: Path, overwrite: bool, **extra: Any) -> None:
    largest = float(model.curve_.sizes.max())
    display = CurveDisplay.from_estimator(model, to if to > largest else None).plot(**extra)
    with written_atomically(path, overwrite=overwrite) as draft:
        display.figure_.savefig(draft, dpi=150)


def _print_forecast(facts: dict[str, Any]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    pilot, largest = facts["pilot"], facts["pilot"]["sizes"][-1]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in (
        "size",
        "times pilot",
        f"expected {pilot['metric']}",
        f"{100 * facts['level']:g} % interval",
    ):
        table.add_column(Text(name), justify="right", no_wrap=True)
    for row in facts["forecast"]:
        table.add_row(
            f"{row['size']:,.10g}",
            f"{row['size'] / largest:.3g}",
            f"{row['mean']:.3f}",
            f"{row['lower']:.3f} to {row['upper']:.3f}",
        )
    console = Console(highlight=False)
    # Numbers cut off by a narrow window would be worse than lines that wrap.
    console.width = max(console.width, 80)
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
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter shows a question mark instead of ending the program.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
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
