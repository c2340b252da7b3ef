"""The command `apexgp compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...curve import LearningCurve
from ...errors import RequestError
from ...questions.compare import COMPARED_TIMES, CompareQuestion
from ..command import Sets
from ..curve_file import ColumnOptions
from ..facts import compare_facts
from ..options import BayesOptions, as_multiples, reach_of
from ..output import OutputOptions, PictureOptions
from ..plot.compare import ComparisonDisplay
from ..tables import table_of

__all__ = ["compare"]


def compare(
    *,
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Tables (CSV or .xlsx), one per model, with the columns size, score and split; or a single one with a "
            "column model."
        ),
    ],
    at: Annotated[
        list[str] | None,
        typer.Option(
            help="Training-set size, or a multiple of the largest in the files such as 10x. Repeat for several, or "
            "separate them by commas.",
            show_default=as_multiples(COMPARED_TIMES),
        ),
        Sets("sizes"),
    ] = None,
    settings: BayesOptions,
    picture: PictureOptions,
    output: OutputOptions,
    columns: ColumnOptions,
) -> None:
    """Predict which model will be better with more data.

    Scores from the same split (equal labels) are paired.
    """
    question = CompareQuestion(at=reach_of(at))
    curves = _of_one(columns, files[0]) if len(files) == 1 else _of_each(columns, files)
    found = question.answer(curves, settings.model())
    output.present(compare_facts(found), *table_of(found))
    picture.draw(lambda: ComparisonDisplay.from_comparison(found).plot(), output)


def _of_one(columns: ColumnOptions, path: Path) -> dict[str, LearningCurve]:
    """The models of one file, by the entries of its column."""
    curves = {str(name): curve for name, curve in columns.curves_of(path).items()}
    if len(curves) < 2:
        raise RequestError(
            f"compare needs two or more models, but {path} holds one curve. Name one file per model, or a single file "
            "with a column such as model.",
            remedy=(
                "Name that column with {}; if each model has its own column of scores, add {}.",
                "task",
                ("each_column", "model"),
            ),
        )
    return curves


def _of_each(columns: ColumnOptions, files: list[Path]) -> dict[str, LearningCurve]:
    """The only curve of each file, by its name."""
    return {name: columns.only_curve_of(path) for name, path in _named(files).items()}


def _named(files: list[Path]) -> dict[str, Path]:
    """Names of models: those of the files, as short as they can be told apart."""
    twice = [str(path) for i, path in enumerate(files) if path in files[:i]]
    if twice:
        raise RequestError(f"{twice[0]} is named twice; compare needs one file per model.")
    stems = {"standard input" if str(path) == "-" else path.stem: path for path in files}
    return stems if len(stems) == len(files) else {str(path): path for path in files}
