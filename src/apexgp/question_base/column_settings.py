"""How to read a table of measured scores: settings that everything which starts from one shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..errors import RequestError
from ..scale import range_to_text
from ..settings import Setting

if TYPE_CHECKING:
    from ..curve import Direction
    from ..reading.interpretation import TableSettings

__all__ = ["ColumnSettings", "write_fields"]

_NAME = {"max_length": 200}  # characters
_NAMES = {"max_length": 1000}  # columns
_LONG = {"max_length": 20_000}  # characters
_NO_ROW = "none"
_COLUMNS = {
    "size": "size_column",
    "score": "score_column",
    "split": "split_column",
    "task": "task_column",
    "train_score": "train_column",
    "score_sd": "sd_column",
}
_LISTS = ("score", "train_score")


@dataclass(frozen=True, kw_only=True)
class ColumnSettings:
    """How to read a table of measured scores."""

    size_column: Annotated[
        str | None,
        Setting(
            "Column that holds the training-set sizes.",
            control="Sizes",
            default="size, n, training examples or similar",
            arguments=("size",),
            server_limits=_NAME,
        ),
    ] = None
    score_column: Annotated[
        list[str] | None,
        Setting(
            "Column that holds the scores: several where a table has one column per split, or a pattern such as "
            "'fold*'.",
            control="Scores",
            default="score, AUC, accuracy or similar",
            arguments=("score",),
            server_limits=_NAMES,
        ),
    ] = None
    split_column: Annotated[
        str | None,
        Setting(
            "Column that names the split.",
            control="Splits",
            default="split, fold, seed or similar, if any",
            arguments=("split",),
            server_limits=_NAME,
        ),
    ] = None
    metric: Annotated[
        str | None,
        Setting(
            "Name of the score, which forecasts go by, or which of those in the column metric to use.",
            control="Metric",
            server_limits=_NAME,
        ),
    ] = None
    task_column: Annotated[
        str | None,
        Setting(
            "Column that names the task.",
            control="Models or tasks",
            default="task, dataset, model or similar, if any",
            arguments=("task",),
            server_limits=_NAME,
        ),
    ] = None
    # Only surfaces choose one of that column's entries: messages call the argument chosen_task.
    task: Annotated[
        str | None,
        Setting(
            "Which of the tasks in that column to use.", control="Task", arguments=("chosen_task",), server_limits=_NAME
        ),
    ] = None
    lower_is_better: Annotated[
        bool | None,
        Setting(
            "Which scores are better, whatever they are called.",
            control="Better scores are",
            default="as the name of the metric says",
            arguments=("direction",),
            flags=(("--lower-is-better", "lower"), ("--higher-is-better", "higher")),
        ),
    ] = None
    range: Annotated[
        str | None,
        Setting(
            "The lowest and the highest possible score, such as 0,inf for a loss, -1,1 or 0,100.",
            control="Lowest and highest possible score",
            default="those of the metric, or 0,1",
            server_limits=_NAME,
        ),
    ] = None
    unit: Annotated[
        str | None,
        Setting(
            "What a size counts, such as patients; used in the wording of the answer.",
            control="What a size counts",
            default="what the file says, or examples",
            server_limits=_NAME,
        ),
    ] = None
    test_share: Annotated[
        float | None,
        Setting(
            "Share of the collected data that is kept for validation and test, such as 0.2; the answer then gives the "
            "total needed.",
            control="Validation and test",
            default="what the file says, if anything",
            accepts_percent=True,
        ),
    ] = None
    train_column: Annotated[
        list[str] | None,
        Setting(
            "Column that holds the scores on the training examples: several where a table has one column per split.",
            control="Training scores",
            default="train_score, train AUC or similar, if any",
            arguments=("train_score", "train_scores"),
            server_limits=_NAMES,
        ),
    ] = None
    sd_column: Annotated[
        str | None,
        Setting(
            "Column that holds the standard deviation of the runs behind each score.",
            control="Standard deviations",
            default="score_sd, sd or similar, if any",
            arguments=("score_sd",),
            server_limits=_NAME,
        ),
    ] = None
    n_test: Annotated[
        str | float | None,
        Setting(
            "Number of test cases behind a score: a number, or a column.",
            control="Test cases",
            default="n_test, test cases or similar, if any",
        ),
    ] = None
    averaged_over: Annotated[
        str | int | None,
        Setting(
            "Number of runs that each score averages: a number, a column, or several where it is not known.",
            control="Runs behind each score",
            default="averaged_over, n_runs or similar, if any",
        ),
    ] = None
    n_features: Annotated[
        str | int | None,
        Setting(
            "Number of features that the classifier sees, after encoding: a number, or a column.",
            option="features",
            control="Number of features",
            default="n_features, features or similar, if any",
        ),
    ] = None
    n_classes: Annotated[
        str | int | None,
        Setting(
            "Number of classes: a number, or a column.",
            option="classes",
            control="Number of classes",
            default="n_classes, classes or similar, if any",
        ),
    ] = None
    each_column: Annotated[
        Literal["split", "model"] | None,
        Setting(
            "What each of several columns of scores is: split or model.",
            control="What several columns of scores are",
            default="judged by their names",
        ),
    ] = None
    per_cent: Annotated[bool, Setting("The scores are percentages.", control="Scores are percentages")] = False
    sheet: Annotated[
        str | None,
        Setting(
            "Sheet of an .xlsx workbook, by name or number; * for all, each a model.",
            control="Sheet",
            default="the first with a table of scores",
            server_limits=_NAME,
        ),
    ] = None
    roles: Annotated[
        str | None,
        Setting(
            "What columns hold, by their letters, such as A=size,C=score: size, score, split, model, train_score, "
            "score_sd, n_test, averaged_over, n_features, n_classes, metric or ignored.",
            control="Roles of columns",
            default="found by name",
            server_limits=_LONG,
        ),
    ] = None
    header: Annotated[
        str | None,
        Setting(
            "Rows that name the columns, such as 3 or 2-3; none if no row does.",
            control="Header rows",
            default="found by name",
            server_limits=_NAME,
        ),
    ] = None
    rows: Annotated[
        str | None,
        Setting(
            "Rows that hold measurements, such as 4-19 or 4,6,9.",
            control="Rows",
            default="those with numbers",
            server_limits=_LONG,
        ),
    ] = None
    sections: Annotated[
        str | None,
        Setting(
            "Rows that name the model of the block beneath them, such as 3,12.",
            control="Rows that name blocks",
            default="rows of one cell above several blocks",
            server_limits=_NAME,
        ),
    ] = None
    fill_down: Annotated[
        str | None,
        Setting(
            "Columns whose empty cells take the entry above them, by their letters.",
            control="Filled-down columns",
            default="where names or sizes are written once for several rows",
            server_limits=_NAME,
        ),
    ] = None
    transposed: Annotated[
        bool | None,
        Setting(
            "Whether rows stand for columns.",
            control="Rows stand for columns",
            default="judged by the sizes",
            flags=(("--transposed", "True"), ("--not-transposed", "False")),
        ),
    ] = None
    total: Annotated[
        float | None,
        Setting(
            "Number of examples that sizes such as 25 % are shares of.",
            control="Sizes are shares of",
            default="what the words above the table say",
        ),
    ] = None
    decimal_sign: Annotated[
        Literal[".", ","] | None,
        Setting("Sign before the fractions of numbers.", control="Decimal sign", default="judged by the numbers"),
    ] = None
    point_groups: Annotated[
        bool, Setting("A size of 1.600 is sixteen hundred.", control="Points stand between thousands")
    ] = False
    cells: Annotated[
        list[str] | None,
        Setting(
            "Corrected cell, such as B7=1000.",
            option="cell",
            control="Corrected cells",
            server_limits=_NAMES,
        ),
    ] = None

    @property
    def table(self) -> TableSettings:
        """The settings under the names that the reader of tables has for them."""
        from ..reading.interpretation import (
            check_settings,  # here, since some commands have these settings and no table
        )

        return check_settings(
            size=self.size_column,
            score=_one_or_several(self.score_column),
            split=self.split_column,
            task=self.task_column,
            metric=self.metric,
            direction=self._direction,
            range=self.range,
            unit=self.unit,
            sheet=self.sheet,
            train_score=_one_or_several(self.train_column),
            score_sd=self.sd_column,
            n_test=self.n_test,
            averaged_over=self.averaged_over,
            n_features=self.n_features,
            n_classes=self.n_classes,
            each_column=self.each_column,
            per_cent=self.per_cent or None,
            test_share=self.test_share,
            roles=self.roles,
            header=_read_rows(self.header),
            rows=self.rows,
            sections=_read_rows(self.sections),
            fill_down=self.fill_down,
            transposed=self.transposed,
            total=self.total,
            decimal_sign=self.decimal_sign,
            point_groups=self.point_groups or None,
        )

    @property
    def corrected_cells(self) -> dict[str, str]:
        """Corrected cells by letter and row number."""
        pairs = [cell.partition("=") for cell in self.cells or ()]
        if wrong := next((cell for cell in self.cells or () if "=" not in cell), None):
            raise RequestError(f"must be a cell and its text, such as B7=1000, got {wrong!r}.", argument="cells")
        return {where.strip().upper(): text for where, _, text in pairs}

    @property
    def _direction(self) -> Direction | None:
        return None if self.lower_is_better is None else "lower" if self.lower_is_better else "higher"


def write_fields(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `apexgp.read` as fields of these settings, which commands and requests take."""
    fields: dict[str, Any] = {}
    for argument, value in arguments.items():
        if argument == "direction":
            fields["lower_is_better"] = value == "lower"
        elif argument == "roles":
            fields["roles"] = ",".join(f"{letter}={role}" for letter, role in value.items())
        elif argument in ("rows", "header", "sections"):
            fields[argument] = _write_rows(value) or _NO_ROW
        elif argument == "range":
            fields["range"] = range_to_text(value)
        elif argument in _COLUMNS:
            fields[_COLUMNS[argument]] = [value] if isinstance(value, str) and argument in _LISTS else value
        else:
            fields[argument] = value
    return fields


def _read_rows(text: str | None) -> str | tuple[()] | None:
    """Numbers of rows as they are written; the word `none` stands for no row."""
    return () if text is not None and text.strip().casefold() == _NO_ROW else text


def _write_rows(numbers: Iterable[int]) -> str:
    """Numbers of rows as people write them: 4-19,22."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)


def _one_or_several(names: list[str] | None) -> str | list[str] | None:
    """A column by its name, where only one is named: several are splits."""
    return names[0] if names and len(names) == 1 else names
