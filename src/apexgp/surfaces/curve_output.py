"""Where a command that measures leaves its curve, and the record of fits that the same command goes on from."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .._check import check_path
from ..collect.curves import CurveSet
from ..curve import LearningCurve
from ..errors import ApexError, DataError, RequestError
from ..files.writing import check_writable
from ..question_base.column_settings import ColumnSettings
from ..reading.names import metric_name
from .command import SetsArgument, build_options_vocabulary
from .output import build_curve_table, print_table, quote_path

__all__ = ["CurveOutput", "print_curve"]


@dataclass(frozen=True, kw_only=True)
class CurveOutput:
    """The files of a run. What could not be written at the end is refused before any work is done."""

    out: Annotated[Path, typer.Option(help="File for the curve.")] = Path("curve.csv")
    results: Annotated[
        Path | None,
        typer.Option(
            help="File to which each fit is appended; the same command resumes from it.",
            show_default="beside --out, with .runs before the extension",
        ),
    ] = None
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite the curve if it exists, but never the fits."),
        SetsArgument("overwrite"),
    ] = False

    def __post_init__(self) -> None:
        if check_path(self.record) == check_path(self.out):
            raise RequestError(f"--out and --results are the same file, {self.out}. Name two different files.")
        check_writable(self.out, self.force or self._comes_from_record())
        check_writable(self.record, True)

    @property
    def record(self) -> Path:
        """The record of the fits, as it is called."""
        return self.results or self.out.parent / f"{self.out.stem}.runs.csv"

    @property
    def fits(self) -> Path:
        """The file behind that name."""
        return check_path(self.record)

    def write(self, curves: CurveSet) -> None:
        """Write the curve, unless that is what the file holds already."""
        text = curves.as_csv().encode()
        if not (self.out.is_file() and self.out.read_bytes() == text):
            curves.to_csv(self.out, overwrite=True)

    def say_where(self, curves: CurveSet) -> None:
        """Print where the curves and the fits are, and what to type next."""
        command = _next_command(curves, self.out)
        next_step = "" if command is None else f" Next: {command}"
        typer.echo(f"\nThe curve is in {self.out}, the fits are in {self.record}.{next_step}")

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Word what ends a run for those who are to start it again."""
        try:
            yield
        except KeyboardInterrupt:
            typer.echo(
                f"\nStopped. The finished fits are in {self.record}; the same command resumes from there.", err=True
            )
            raise typer.Exit(130) from None
        except RequestError as problem:
            if "results" in dict(problem.to_set):
                # The old curve belongs to the old record.
                fresh = [("out", "other.csv"), *([] if self.results is None else [("results", "other.runs.csv")])]
                sentence = f"Start another curve with {' '.join('{}' for _ in fresh)}, or go back to those settings."
                problem.remedy = (sentence, *fresh)
            raise

    def _comes_from_record(self) -> bool:
        """Whether all that the curve says is in the record, as when an earlier run wrote it: then it may be renewed."""
        if not (self.record.is_file() and self.out.is_file()):
            return False
        try:
            rows = _scores(self.out.read_text(encoding="utf-8"))
            recorded = _scores(CurveSet.from_results(self.record).as_csv())
        except (ApexError, ValueError, OSError, csv.Error):
            return False
        return bool(rows) and rows <= recorded


def _scores(text: str) -> set[tuple[str | None, ...]]:
    """The rows of a file of curves, without what is only said of them, such as their metric and its direction."""
    return {
        tuple(row.get(name) for name in ("size", "score", "split", "task", "train_score"))
        for row in csv.DictReader(text.splitlines())
    }


def print_curve(curve: LearningCurve, task: str | None, metric: str) -> None:
    """Print the measurements of a curve as a table."""
    print_table(*build_curve_table(curve), title=f"{metric_name(metric)} of {task}" if task else metric_name(metric))


def _next_command(curves: CurveSet, out: Path) -> str | None:
    """The forecast of the first curve that can be made, as it would be typed; None where there is none yet."""
    options = build_options_vocabulary(ColumnSettings)
    for task, name in curves:
        settings = [("chosen_task", str(task))] if len({task for task, _ in curves}) > 1 else []
        settings += [("metric", name)] if len({metric for _, metric in curves}) > 1 else []
        try:
            curves[task, name]
        except DataError as problem:
            if not problem.to_set or any(value is None for _, value in problem.to_set):
                continue  # only whoever measured it can say what it is
            settings += problem.to_set
        return " ".join(["apexgp forecast", shlex.quote(quote_path(out)), *(options.setting(*one) for one in settings)])
    return None
