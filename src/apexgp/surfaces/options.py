"""What the commands on curves have in common: their options, and reading a file and settings from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from .._check import some
from ..curve import LearningCurve, read_curves
from ..errors import DataError, RequestError
from ..estimators import APExGP
from ..model.means import MEANS

__all__ = [
    "AsJson",
    "Ceiling",
    "Confidence",
    "Floor",
    "LowerIsBetter",
    "MeanShape",
    "MethodsText",
    "Metric",
    "Noise",
    "Pairs",
    "Published",
    "ScoreColumn",
    "Seed",
    "SizeColumn",
    "SplitColumn",
    "Task",
    "model_of",
    "one_of",
    "options_for_arguments",
    "read_file",
    "size_of",
]

Pairs = Annotated[Path, typer.Argument(help="CSV file with the columns size, score and, if known, split.")]
Ceiling = Annotated[float, typer.Option(help="Highest score that is possible at all.")]
Floor = Annotated[float, typer.Option(help="Chance level, for instance 0.5 for AUROC.")]
Noise = Annotated[float | None, typer.Option(help="Standard deviation that you expect of a single score.")]
MeanShape = Annotated[
    str | None,
    typer.Option(
        help=f"Shape of the curve: {', '.join(MEANS)}, or auto for their average.  [default: auto]",
        show_default=False,
    ),
]
Published = Annotated[bool, typer.Option("--published", help="Use the method of the paper as it was published.")]
SizeColumn = Annotated[str, typer.Option(help="Column that holds the training-set sizes.")]
ScoreColumn = Annotated[
    list[str] | None,
    typer.Option(
        help="Column that holds the scores; repeat for a table with one column a split.  [default: score]",
        show_default=False,
    ),
]
SplitColumn = Annotated[str, typer.Option(help="Column that names the split.")]
Metric = Annotated[str | None, typer.Option(help="Name of the score, or which of those in the column metric to use.")]
Task = Annotated[str | None, typer.Option(help="Which of the tasks in the column task to use.")]
LowerIsBetter = Annotated[bool, typer.Option("--lower-is-better", help="The scores are error rates.")]
Seed = Annotated[int, typer.Option(help="Seed of the search.")]
Confidence = Annotated[float, typer.Option(help="Probability with which the target should be met.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the facts as JSON instead.")]
MethodsText = Annotated[
    bool, typer.Option("--methods-text", help="Print a paragraph for the methods section of a paper instead.")
]


def read_file(
    path: Path,
    size_column: str,
    score_column: list[str] | None,
    split_column: str,
    metric: str | None,
    task: str | None,
    lower_is_better: bool,
) -> dict[str | None, LearningCurve]:
    """Read the curves of a file, or the one of them that was asked for."""
    columns = score_column or ["score"]
    with options_for_arguments():
        curves = read_curves(
            path,
            size=size_column,
            score=columns[0] if len(columns) == 1 else columns,
            split=split_column,
            metric=metric,
            direction="lower" if lower_is_better else "higher",
        )
    if task is None:
        return curves
    if task not in curves:
        raise RequestError(f"{path} has no task {task!r}; found {some([str(name) for name in curves], 20)}.")
    return {task: curves[task]}


def one_of(curves: dict[str | None, LearningCurve], path: Path) -> LearningCurve:
    """The only curve of a file."""
    if len(curves) > 1:
        names = some([str(name) for name in curves], 20)
        raise RequestError(f"{path} holds {len(curves)} tasks ({names}). Choose one with --task.")
    (curve,) = curves.values()
    return curve


def model_of(mean: str | None, published: bool, ceiling: float, floor: float, noise: float | None, seed: int) -> APExGP:
    """The model that the options describe."""
    if not published:
        return APExGP(mean or "auto", ceiling=ceiling, floor=floor, noise=noise, seed=seed)
    if floor or noise is not None:
        raise RequestError("--published knows neither --floor nor --noise.")
    model: APExGP = APExGP.as_published(mean or "power_law", ceiling).set_params(seed=seed)
    return model


def size_of(text: str, largest: float) -> float:
    """A size as people write it: 20000, 20_000, 20k, 1.5M, or 10x for ten times the largest of the pilot."""
    match = re.fullmatch(r"(\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([kKmMxX]?)", text.strip())
    if match is None:
        raise RequestError(f"--at wants a training-set size such as 20000, 20k or 10x, got {text!r}.")
    unit = {"": 1.0, "k": 1e3, "m": 1e6, "x": largest}[match[2].lower()]
    return float(match[1]) * unit


@contextmanager
def options_for_arguments() -> Iterator[None]:
    """Put the options of the command line for the arguments of the library into messages."""
    try:
        yield
    except (DataError, RequestError) as problem:
        text = str(problem)
        for argument, option in _OPTIONS.items():
            text = text.replace(argument, option)
        raise type(problem)(text) from None


_OPTIONS = {
    "size=...": "--size-column",
    "score=...": "--score-column",
    "metric=...": "--metric",
    "cost_per_sample": "--cost",
    "nagelkerke=True": "--nagelkerke",
    "n_jobs": "--jobs",
    "penalty must": "--penalty must",
    "rounds must": "--rounds must",
    "start must": "--start must",
    "r2 must": "--r2 must",
}
