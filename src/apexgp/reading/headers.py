"""Which column of a table is which: by the names that were asked for, or by those that people give to such columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from .._check import some
from ..errors import DataError
from ..vocabulary import Remedy
from .cells import is_blank, looks_numeric
from .counts import counts_training_examples, numbers_of_runs
from .known_metrics import known_metric, plain_name, same_metric, says_only_score, unbounded_metric
from .spreadsheets import Table
from .wide import SPLIT_WORDS, TRAINING, sets_of_splits, without_split

__all__ = ["ColumnRoles", "called", "find_columns", "is_header", "missing"]

# Columns that our own files have beside size, score, split and task; only ever by these names.
_ABOUT = ("metric", "direction", "unit", "test share")
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

    def note(self) -> list[str]:
        """Which column was taken for what, where that is not plain from its name."""
        if self.size is None:
            return [f"took the columns {some(self.scores)} for sizes, and each row for a split."]
        parts = [([self.size], "for the sizes"), (self.scores, "for the scores" + self.wide * ", a column a split")]
        others = ((self.split, "for the splits"), (self.task, "for the tasks"))
        parts += [([name], what) for name, what in others if name is not None]
        told = [
            f"{some([repr(name) for name in own])} {what}" for own, what in parts if not all(map(self._is_plain, own))
        ]
        return [f"took the column {'; '.join(told)}."] if told else []

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
) -> ColumnRoles:
    """Tell the columns apart, and say in notes what was not plain from the names."""
    names = list(table.columns)
    size_column = _one(table, "size", size, counts_training_examples)
    own = [name for name in names if plain_name(name) in _ABOUT]
    task_column = _one(table, "task", task, lambda name: plain_name(name) in _TASK_NAMES)
    at = list(zip(*(table.columns[name] for name in (size_column, task_column) if name is not None), strict=True))
    split_column = _one(
        table, "split", split, lambda name: _is_split(name) and not numbers_of_runs(name, table.columns[name], at)
    )
    taken = {size_column, split_column, task_column, *own, *table.spreads.values()}
    rest = [name for name in names if name not in taken]
    in_header = [name for name in rest if re.fullmatch(r"[1-9]\d*", name)]
    if size_column is None and score is None and len(in_header) > 1:
        return ColumnRoles(None, in_header, True, split_column, task_column, None)
    if size_column is None:
        raise DataError(
            f"{table.path} has no column that is called size, n, training examples or the like; found "
            f"{some(names, 20)}.",
            remedy=("Name yours with {}.", "size"),
        )
    scores, wide = _scores(table, rest, score, metric)
    named = split is not None or (split_column is not None and plain_name(split_column) == "split")
    asked = frozenset(filter(None, (size, split, task, *([score] if isinstance(score, str) else score or []))))
    split_column = None if wide else split_column
    return ColumnRoles(size_column, scores, wide, split_column, task_column, _measured(scores, wide), named, asked)


def _is_split(name: str) -> bool:
    """Whether a column names splits: split, Fold, seed, random_state, run id."""
    beside = {"cv", "data", "random", "id", "number", "no", "nr"}
    words = [word for word in plain_name(name).split() if word not in beside]
    return plain_name(name) == "random state" or (len(words) == 1 and words[0] in SPLIT_WORDS)


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
        if len(candidates) > 1:
            raise DataError(
                f"{table.path} has {len(candidates)} columns that may hold the {role}s: {some(candidates)}.",
                remedy=("Name one of them with {}.", role),
            )
        if candidates:
            return candidates[0]
    return None


def _scores(
    table: Table, rest: list[str], asked: str | Sequence[str] | None, metric: str | None
) -> tuple[list[str], bool]:
    """Names of the columns that hold scores, and whether each is a split of its own."""
    names = list(table.columns)
    if asked is not None:
        wanted = [asked] if isinstance(asked, str) else list(asked)
        found = [name for one in wanted for name in _matching(one, names, table)]
        if not found:
            raise missing(table, "(none named)", "score")
        return list(dict.fromkeys(found)), not isinstance(asked, str) or len(found) > 1
    for candidates in ([name for name in rest if name == "score"], [n for n in rest if plain_name(n) == "score"]):
        if len(candidates) == 1:
            return candidates, False
    sets = sets_of_splits(rest, metric)
    if len(sets) == 1:
        return sets[0], True
    if sets:
        raise DataError(
            f"{table.path} has {len(sets)} sets of columns that may hold the scores, each with a column a split: "
            f"{'; '.join(some(own, 2) for own in sets[:5])}.",
            remedy=("Name the columns of one set with {}.", ("score", sets[0])),
        )
    lettered = [name for name in rest if (words := plain_name(name).split())[1:] and words[0] in SPLIT_WORDS]
    if len(lettered) > 1:  # fold a, fold b
        return lettered, True
    likely = [name for name in rest if known_metric(name) or says_only_score(name)]
    # A column of messages may be called error; where nothing is a number, the cells shall be complained of.
    likely = [name for name in likely if any(map(looks_numeric, table.columns[name]))] or likely
    likely = [name for name in likely if unbounded_metric(name) is None] or likely
    if metric is not None:
        likely = [name for name in likely if same_metric(name, metric)] or likely
    tested = [name for name in likely if "test" in plain_name(name).split()]
    if len(tested) == 1 and all(
        {"val", "valid", "validation"} & set(plain_name(n).split()) for n in likely if n not in tested
    ):
        likely = tested  # what was chosen on validation is judged on test
    if len(likely) == 1:
        return likely, False
    if likely:
        raise DataError(
            f"{table.path} has {len(likely)} columns that may hold the scores: {some(likely)}.",
            remedy=("Name one of them with {}, or all of them if each is a split.", "score"),
        )
    numeric = [name for name in rest if all(looks_numeric(c) or is_blank(c) for c in table.columns[name])]
    near = [name for name in numeric if _mentions_a_metric(name)]
    remedy: Remedy = ("Name yours with {}.", "score")
    if len(near or numeric) > 1:
        remedy = ("Name yours with {}; if each of these is a split, with {}.", "score", ("score", near or numeric))
    if near:
        raise DataError(
            f"{table.path}: whether {some(near)} holds the scores is not plain from the name.", remedy=remedy
        )
    raise DataError(
        f"{table.path} has no column that is called score, AUC, accuracy or the like; found {some(names, 20)}.",
        remedy=remedy,
    )


def _mentions_a_metric(name: str) -> bool:
    """Whether a metric is named beside other things: AUC (site 1), mean AUC (5 folds)."""
    words = plain_name(name).split()
    return any(map(known_metric, words)) and not TRAINING & set(words)


def _measured(scores: list[str], wide: bool) -> str | None:
    """The metric that the names of the columns tell, if they do."""
    name = (without_split(scores[0]) or "") if wide else scores[0]
    return name if known_metric(name) else None


def _matching(asked: str, names: Sequence[str], table: Table) -> list[str]:
    """The column of that name, or those that a pattern such as fold* takes in."""
    found = called(asked, names)
    if found is not None:
        return [found]
    matching = [name for name in names if fnmatchcase(name, asked)] if "*" in asked else []
    if not matching:
        raise missing(table, asked, "score")
    return matching


def called(asked: str, names: Sequence[str]) -> str | None:
    """The column of that name, in whatever case and spelling if there is only one."""
    if asked in names:
        return asked
    alike = [name for name in names if plain_name(name) == plain_name(asked)] if plain_name(asked) else []
    return alike[0] if len(alike) == 1 else None


def missing(table: Table, asked: str, role: str) -> DataError:
    """The error of a column that was asked for and is not there."""
    either = ", or list the columns of a table with one column a split" if role == "score" else ""
    remedy: Remedy = (f"Name yours with {{}}{either}.", role)
    return DataError(f"{table.path} has no column {asked!r}; found {some(list(table.columns), 20)}.", remedy=remedy)
