"""The options that say which file of measured scores to read, and how: those of every command that starts from one."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import typer

from .._check import format_some
from ..curve import Direction, LearningCurve, read_curves_and_notes
from ..errors import RequestError
from ..reading.source import TableSettings, read_source
from ..reading.spreadsheets import Table
from .command import Sets
from .options import share_option

__all__ = ["ColumnOptions", "CurveFile", "CurveFileIfAny", "direction_from_flag"]

_LONGEST_TITLE = 120


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """How to read a file of measured scores."""

    size_column: Annotated[
        str | None,
        typer.Option(
            help="Column that holds the training-set sizes.",
            show_default="size, n, training examples or similar",
        ),
        Sets("size"),
    ] = None
    score_column: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that holds the scores; repeat for a table with one column per split, or give a pattern such "
            "as 'fold*'.",
            show_default="score, AUC, accuracy or similar",
        ),
        Sets("score"),
    ] = None
    split_column: Annotated[
        str | None,
        typer.Option(help="Column that names the split.", show_default="split, fold, seed or similar, if any"),
        Sets("split"),
    ] = None
    metric: Annotated[
        str | None, typer.Option(help="Name of the score, or which of those in the column metric to use.")
    ] = None
    task_column: Annotated[
        str | None,
        typer.Option(help="Column that names the task.", show_default="task, dataset, model or similar, if any"),
        Sets("task"),
    ] = None
    # To take one of that column's entries is the surfaces' own affair: messages of theirs call it chosen_task.
    task: Annotated[str | None, typer.Option(help="Which of the tasks in that column to use."), Sets("chosen_task")] = (
        None
    )
    lower_is_better: Annotated[
        bool | None,
        typer.Option(
            "--lower-is-better/--higher-is-better",
            help="Which scores are better, whatever they are called.",
            show_default="as the name of the metric says",
        ),
        Sets("direction", on_and_off=("lower", "higher")),
    ] = None
    range: Annotated[
        str | None,
        typer.Option(
            help="The lowest and the highest possible score, such as 0,inf for a loss, -1,1 or 0,100.",
            show_default="those of the metric, or 0,1",
        ),
    ] = None
    unit: Annotated[
        str | None,
        typer.Option(
            help="What a size counts, such as patients; used in the wording of the answer.",
            show_default="what the file says, or examples",
        ),
    ] = None
    test_share: Annotated[
        float | None,
        share_option(
            help="Share of the collected data that is kept for validation and test, such as 20%; the answer then gives "
            "the total needed.",
            show_default="what the file says, if anything",
        ),
    ] = None
    train_column: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that holds the scores on the training examples; repeat for a table with one column per split.",
            show_default="train_score, train AUC or similar, if any",
        ),
        Sets("train_score", "train_scores"),
    ] = None
    sd_column: Annotated[
        str | None,
        typer.Option(
            help="Column that holds the standard deviation of the runs behind each score.",
            show_default="score_sd, sd or similar, if any",
        ),
        Sets("score_sd"),
    ] = None
    n_test: Annotated[
        str | None,
        typer.Option(
            help="Number of test cases behind a score: a number, or a column.",
            show_default="n_test, test cases or similar, if any",
        ),
    ] = None
    averaged_over: Annotated[
        str | None,
        typer.Option(
            help="Number of runs that each score averages: a number, or a column.",
            show_default="averaged_over, n_runs or similar, if any",
        ),
    ] = None
    each_column: Annotated[
        str | None,
        typer.Option(
            help="What each of several columns of scores is: split or model.",
            show_default="judged by their names",
        ),
    ] = None
    per_cent: Annotated[bool, typer.Option("--per-cent", help="The scores are percentages.")] = False
    sheet: Annotated[
        str | None,
        typer.Option(
            help="Sheet of an .xlsx workbook, by name or number.",
            show_default="the first with a table of scores",
        ),
    ] = None

    @property
    def wanted(self) -> TableSettings:
        """What the options say of a table."""
        return TableSettings(
            size=self.size_column,
            score=_one_or_several(self.score_column),
            split=self.split_column,
            task=self.task_column,
            metric=self.metric,
            direction=direction_from_flag(self.lower_is_better),
            range=self.range,
            unit=self.unit,
            sheet=self.sheet,
            train_score=_one_or_several(self.train_column),
            score_sd=self.sd_column,
            n_test=self.n_test,
            averaged_over=self.averaged_over,
            each_column=self.each_column,
            per_cent=self.per_cent or None,
            test_share=self.test_share,
        )

    def curves_of(self, path: Path) -> dict[str | None, LearningCurve]:
        """Read the curves of a file, or the one of them that was asked for; - is standard input."""
        return self.curves_in(self.table_of(path), path)

    def table_of(self, path: Path) -> Table:
        """Read the table of a file; - is standard input."""
        return read_source(sys.stdin.buffer if str(path) == "-" else path, self.wanted)

    def curves_in(self, table: Table, path: Path) -> dict[str | None, LearningCurve]:
        """The curves of a table, or the one of them that was asked for."""
        curves, notes = read_curves_and_notes(table, self.wanted)
        for note in notes:
            typer.echo(f"Note: {note}", err=True)
        if self.task is None:
            return curves
        if self.task not in curves:
            raise RequestError(
                f"{path} has no task {self.task!r}; found {format_some([str(name) for name in curves], 20)}."
            )
        return {self.task: curves[self.task]}

    def only_curve_of(self, path: Path) -> LearningCurve:
        """Read the only curve of a file."""
        return _only(self.curves_of(path), path)


def direction_from_flag(lower_is_better: bool | None) -> Direction | None:
    """Which way is better, where an option says it."""
    return None if lower_is_better is None else "lower" if lower_is_better else "higher"


def _one_or_several(names: list[str] | None) -> str | list[str] | None:
    """A column by its name, where only one is named: several are splits."""
    return names[0] if names and len(names) == 1 else names


def _only(curves: dict[str | None, LearningCurve], path: Path) -> LearningCurve:
    if len(curves) > 1:
        names = format_some([str(name) for name in curves], 20)
        raise RequestError(
            f"{path} holds {len(curves)} tasks ({names}).", remedy=("Choose one with {}.", "chosen_task")
        )
    (curve,) = curves.values()
    return curve


@dataclass(frozen=True, kw_only=True)
class CurveFile(ColumnOptions):
    """A file of measured scores."""

    pairs: Annotated[
        Path,
        typer.Argument(
            help="Table (CSV, .xlsx or JSON) with the columns size, score and, if known, split; - is standard input; "
            "or a folder of training runs, or mlflow:EXPERIMENT.",
            allow_dash=True,
        ),
    ]

    def curves(self) -> dict[str | None, LearningCurve]:
        """Every curve."""
        return self._curves

    def only_curve(self) -> LearningCurve:
        """The only curve."""
        return _only(self._curves, self.pairs)

    @property
    def title(self) -> str | None:
        """What stands above the table, if that can be a title."""
        title = self._table.title
        return None if title is None or len(title) > _LONGEST_TITLE else title

    @cached_property
    def _table(self) -> Table:
        return self.table_of(self.pairs)  # once: standard input cannot be read again

    @cached_property
    def _curves(self) -> dict[str | None, LearningCurve]:
        return self.curves_in(self._table, self.pairs)


@dataclass(frozen=True, kw_only=True)
class CurveFileIfAny(ColumnOptions):
    """A file of measured scores, where there is one already."""

    pairs: Annotated[
        Path | None,
        typer.Argument(
            help="Table (CSV, .xlsx or JSON) with the columns size, score and, if known, split; - is standard input; "
            "or a folder of training runs, or mlflow:EXPERIMENT. Omit it before the first pilot.",
            allow_dash=True,
            show_default=False,
        ),
    ] = None

    def only_curve(self) -> LearningCurve | None:
        """The only curve, if there is a file."""
        if self.pairs is None and self.lower_is_better is not None:
            raise RequestError("applies to a file of scores.", argument="direction")
        return None if self.pairs is None else self.only_curve_of(self.pairs)
