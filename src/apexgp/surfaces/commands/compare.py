"""The command `apexgp compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...curve import LearningCurve
from ...errors import RequestError
from ...question_base.model_settings import BayesSettings
from ...questions.compare import CompareQuestion
from ..curve_file import ReadingOptions, read_file, read_only_curve
from ..options import PriorsOptions
from ..output import OutputOptions, PictureOptions

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
    asked: CompareQuestion,
    settings: BayesSettings,
    priors: PriorsOptions,
    picture: PictureOptions,
    output: OutputOptions,
    columns: ReadingOptions,
) -> None:
    """Predict which model will be better with more data.

    Scores from the same split (equal labels) are paired.
    """
    curves = _read_one_file(columns, files[0]) if len(files) == 1 else _read_each_file(columns, files)
    answer = asked.answer(curves, priors.build_model(settings))
    output.present(answer)
    picture.draw(answer.display, output)


def _read_one_file(columns: ReadingOptions, path: Path) -> dict[str, LearningCurve]:
    """The models of one file, by the entries of its column."""
    curves = {str(name): curve for name, curve in read_file(path, columns).items()}
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


def _read_each_file(columns: ReadingOptions, files: list[Path]) -> dict[str, LearningCurve]:
    """The only curve of each file, by its name."""
    return {name: read_only_curve(path, columns) for name, path in _name_files(files).items()}


def _name_files(files: list[Path]) -> dict[str, Path]:
    """Names of models: those of the files, as short as they can be told apart."""
    twice = [str(path) for i, path in enumerate(files) if path in files[:i]]
    if twice:
        raise RequestError(f"{twice[0]} is named twice; compare needs one file per model.")
    stems = {"standard input" if str(path) == "-" else path.stem: path for path in files}
    return stems if len(stems) == len(files) else {str(path): path for path in files}
