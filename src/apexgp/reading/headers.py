"""Which column of a table is which: by the names that were asked for, or by those that people give to such columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .._check import format_some
from ..errors import DataError
from .counts import counts_classes, counts_features, counts_training_examples, numbers_of_runs
from .known_metrics import UNNAMED, known_metric, plain_name, sounds_like_a_loss
from .learner_label import find_learners
from .naming import called, missing
from .score_columns import find_scores
from .spreadsheets import Table
from .wide import SPLIT_WORDS, without_split

__all__ = ["ABOUT", "SIZE_IN_HEADER", "ColumnRoles", "find_columns", "is_header"]

# Columns that our own files have beside size, score, split and task; only ever by these names.
ABOUT = ("metric", "direction", "unit", "test share", "range", "learner")
_NAMELESS = "Nothing names the metric: name it if it is accuracy or AUROC, since forecasts differ by it"
SIZE_IN_HEADER = re.compile(r"(?:n\s*=\s*)?([1-9]\d*)", re.IGNORECASE)
"""A size that names a column: 60, n=60."""
_ROLES = ("size", "score", "split", "task")

_TASK_NAMES = {
    *("task", "tasks", "dataset", "data set", "problem", "benchmark", "outcome", "finding", "endpoint", "model"),
    *("classifier", "method", "algorithm", "estimator", "architecture", "network"),
}


@dataclass(frozen=True)
class ColumnRoles:
    """The columns of a table by what they hold."""

    size: str | None  # None: the sizes are names of columns
    scores: list[str]
    wide: bool  # each of several columns is a split
    split: str | None
    task: str | None
    metric: str | None  # what the names of the columns say that was measured
    split_was_named: bool = True  # by the caller, or as we name it
    asked: frozenset[str] = frozenset()  # names that the caller gave

    def note(self, metric: str) -> list[str]:
        """Which column was taken for what, where that is not plain from its name; and that the metric's name counts."""
        counts = "The metric's name counts: forecasts differ by it" if metric != UNNAMED else _NAMELESS
        if self.size is None:
            return [f"read the columns {format_some(self.scores)} as sizes, and each row as a split. {counts}."]
        parts = [([self.size], "as the sizes"), (self.scores, "as the scores" + self.wide * ", one column per split")]
        others = ((self.split, "as the splits"), (self.task, "as the tasks"))
        parts += [([name], what) for name, what in others if name is not None]
        told = [
            f"{format_some([repr(name) for name in own])} {what}"
            for own, what in parts
            if not all(map(self._is_plain, own))
        ]
        return [f"read the column {'; '.join(told)}. {counts}."] if told else []

    def _is_plain(self, name: str) -> bool:
        return name in self.asked or plain_name(name) in _ROLES


def is_header(cells: Sequence[str]) -> bool:
    """Whether a row names the columns of a table of measurements."""
    return any(map(counts_training_examples, cells)) and sum(map(bool, cells)) > 1


def find_columns(
    table: Table,
    size: str | None,
    score: str | Sequence[str] | None,
    split: str | None,
    task: str | None,
    metric: str | None,
    each_column: str | None = None,
) -> ColumnRoles:
    """Tell the columns apart, and say in notes what was not plain from the names."""
    names = list(table.columns)
    size_column = _one(table, "size", size, counts_training_examples)
    own = [name for name in names if plain_name(name) in ABOUT or counts_features(name) or counts_classes(name)]
    task_column = _one(table, "task", task, lambda name: plain_name(name) in _TASK_NAMES)
    learners = find_learners(table)
    if task_column is None and learners is not None and len(set(filter(None, table.columns[learners]))) > 1:
        task_column = learners  # several learners are several curves
    at = list(zip(*(table.columns[name] for name in (size_column, task_column) if name is not None), strict=True))
    split_column = _one(
        table,
        "split",
        split,
        lambda name: (
            _is_split(name)
            and not numbers_of_runs(name, table.columns[name], at)
            and not _identifies_rows(name, table.columns[name])
        ),
    )
    taken = {size_column, split_column, task_column, *own, *table.spreads.values()}
    rest = [name for name in names if name not in taken]
    in_header = [name for name in rest if SIZE_IN_HEADER.fullmatch(name)]
    if size_column is None and score is None and len(in_header) > 1:
        corner = next((name for name in rest if name not in in_header and known_metric(name)), None)
        return ColumnRoles(None, in_header, True, split_column, task_column, corner)
    if size_column is None:
        raise DataError(
            f"{table.path} has no column called size, n, training examples or similar; found {format_some(names, 20)}.",
            remedy=("Name yours with {}.", "size"),
        )
    scores, wide = find_scores(table, rest, score, metric, each_column)
    named = split is not None or (split_column is not None and plain_name(split_column) == "split")
    asked = frozenset(filter(None, (size, split, task, *([score] if isinstance(score, str) else score or []))))
    split_column = None if wide and each_column != "model" else split_column
    return ColumnRoles(size_column, scores, wide, split_column, task_column, _measured(scores, wide), named, asked)


def _is_split(name: str) -> bool:
    """Whether a column names splits: split, Fold, seed, random_state, run id."""
    beside = {"cv", "data", "random", "id", "number", "no", "nr"}
    words = [word for word in plain_name(name).split() if word not in beside]
    return plain_name(name) == "random state" or (len(words) == 1 and words[0] in SPLIT_WORDS)


def _identifies_rows(name: str, cells: Sequence[str]) -> bool:
    """Whether a column such as Run ID has another entry in every row: what trackers call runs are fits, no splits."""
    return "id" in plain_name(name).split() and len(set(cells)) == len(cells)


def _one(table: Table, role: str, asked: str | None, fits: Callable[[str], bool]) -> str | None:
    """The column of a role: the one asked for, the one of our own name, or the only one whose name fits."""
    names = list(table.columns)
    if asked is not None:
        found = called(asked, names)
        # A table need not have splits or tasks: to ask for them by our own names is no complaint where there are none.
        if found is None and (asked != role or role == "size"):
            raise missing(table, asked, role)
        return found
    for candidates in (
        [name for name in names if name == role],
        [name for name in names if plain_name(name) == role],
        [name for name in names if fits(name)],
    ):
        if (
            role == "task" and len(candidates) > 1
        ):  # of several that may, what is the same in every row tells nothing apart
            candidates = [name for name in candidates if len(set(filter(None, table.columns[name]))) > 1]
        if len(candidates) > 1:
            raise DataError(
                f"{table.path} has {len(candidates)} columns that may hold the {role}s: {format_some(candidates)}.",
                remedy=("Name one of them with {}.", role),
            )
        if candidates:
            return candidates[0]
    return None


def _measured(scores: list[str], wide: bool) -> str | None:
    """The metric that the names of the columns tell, if they do."""
    name = (without_split(scores[0]) or "") if wide else scores[0]
    return name if known_metric(name) or sounds_like_a_loss(name) else None
