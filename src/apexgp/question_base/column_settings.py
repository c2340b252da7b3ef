"""How to read a table of measured scores: settings that everything which starts from one shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from ..settings import Setting

if TYPE_CHECKING:
    from ..curve import Direction
    from ..reading.interpretation import TableSettings

__all__ = ["ColumnSettings"]

_NAME = {"max_length": 200}  # characters
_NAMES = {"max_length": 1000}  # columns


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
            control="Tasks",
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
            "Sheet of an .xlsx workbook, by name or number.",
            control="Sheet",
            default="the first with a table of scores",
            server_limits=_NAME,
        ),
    ] = None

    @property
    def table(self) -> TableSettings:
        """The settings under the names that the reader of tables has for them."""
        from ..reading.interpretation import TableSettings  # here, since some commands have these settings and no table

        return TableSettings(
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
        )

    @property
    def _direction(self) -> Direction | None:
        return None if self.lower_is_better is None else "lower" if self.lower_is_better else "higher"


def _one_or_several(names: list[str] | None) -> str | list[str] | None:
    """A column by its name, where only one is named: several are splits."""
    return names[0] if names and len(names) == 1 else names
