"""Which column of a table holds what: by the names that were asked for, or by those that people give to such columns.

What the names do not tell is a problem, collected with what would settle it: none keeps the others from being found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Protocol

from .._check import check_real_number, check_whole_number, format_some
from ..errors import DataError, RequestError
from ..scale import UNIT_RANGE
from ..vocabulary import Remedy
from .cells import before_interval, is_blank, looks_numeric, number_in, with_spread
from .known_metrics import UNNAMED
from .layout import Table, size_in_name
from .names import (
    PROBLEM_COUNTS,
    SPLIT_WORDS,
    TRAINING,
    counts_classes,
    counts_features,
    counts_runs,
    counts_test_cases,
    counts_training_examples,
    find_column,
    known_metric,
    may_count_examples,
    metric_name,
    named_as_splits,
    numbers_of_runs,
    plain_name,
    same_metric,
    says_mean,
    says_only_score,
    sets_of_splits,
    sounds_like_a_loss,
    told_apart_by,
    without_split,
)
from .score_details import SEVERAL, check_run_count

__all__ = [
    "ABOUT",
    "COUNTS",
    "Roles",
    "find_learners",
    "find_roles",
    "melt_sizes",
    "part_spreads",
    "stack_models",
]

# Columns that our own files have beside size, score, split and task; only ever by these names.
ABOUT = ("metric", "direction", "unit", "test share", "range", "learner")
_NAMELESS = "Nothing names the metric: name it if it is accuracy or AUROC, since forecasts differ by it"
_ROLES = ("size", "score", "split", "task")
_TASK_NAMES = {
    *("task", "tasks", "dataset", "data set", "problem", "benchmark", "outcome", "finding", "endpoint", "model"),
    *("classifier", "method", "algorithm", "estimator", "architecture", "network", "arch"),
    *("site", "scanner", "cohort"),
}
_TRAIN = {"train", "training"}
_TEST = {"test", "testing", "heldout", "holdout"}
_SD = re.compile(r"\b(standard deviations?|std dev|st dev|s d|std deviation|stdev|stddev|std|sd)\b")
# Our own names of such columns: what is called so is meant so.
_OWN_NAMES = ("train score", "score sd", "n test", "averaged over", "n features", "n classes")
_SPREADS = {"sd", "std", "se", "sem", "ci", "iqr"}
_SPLITS_OR_MODELS = ("each_column", "split"), ("each_column", "model")


def _check_test_cases(value: Any) -> float:
    number = check_real_number("n_test", value)
    if number < 1:
        raise RequestError(f"must be a number of test cases, at least 1, got {number:g}.", argument="n_test")
    return number


COUNTS: dict[str, Callable[[Any], Any]] = {
    "n_test": _check_test_cases,
    "averaged_over": check_run_count,
    **{name: partial(check_whole_number, name, least=least) for name, least in PROBLEM_COUNTS.items()},
}
"""What a number must be that is given in place of a column."""


class Wanted(Protocol):
    """What the caller says of the columns: see `TableSettings`."""

    @property
    def size(self) -> str | None: ...
    @property
    def score(self) -> str | Sequence[str] | None: ...
    @property
    def split(self) -> str | None: ...
    @property
    def task(self) -> str | None: ...
    @property
    def metric(self) -> str | None: ...
    @property
    def each_column(self) -> str | None: ...
    @property
    def train_score(self) -> str | Sequence[str] | None: ...
    @property
    def score_sd(self) -> str | None: ...
    @property
    def n_test(self) -> str | float | None: ...
    @property
    def averaged_over(self) -> str | float | None: ...
    @property
    def n_features(self) -> str | float | None: ...
    @property
    def n_classes(self) -> str | float | None: ...


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they hold; None where there is none."""

    size: str | None = None
    scores: tuple[str, ...] = ()
    wide: bool = False
    """Whether each of several columns of scores is a split or a model."""
    each_column: str | None = None
    """Which of them it is."""
    split: str | None = None
    task: str | None = None
    metric: str | None = None
    """What the names of the columns say that was measured."""
    train: Mapping[str, str] = field(default_factory=dict)
    """The column of training scores, by that of the scores."""
    sd: Mapping[str, str] = field(default_factory=dict)
    """The column of standard deviations, by that of the scores."""
    n_test: str | float | None = None
    """A column, or what holds for every score."""
    averaged_over: str | float | None = None
    n_features: str | float | None = None
    n_classes: str | float | None = None
    means_of_several: bool = False
    """Whether scores are means over an unknown number of runs, where no number is given."""
    asked: frozenset[str] = frozenset()
    """Columns that the caller named."""
    notes: tuple[str, ...] = ()

    @property
    def split_was_named(self) -> bool:
        """Whether the splits are what we take them for beyond doubt: by the caller's word, or as we name them."""
        return self.split is not None and (self.split in self.asked or plain_name(self.split) == "split")

    def insists(self, column: str) -> bool:
        """Whether a column is what we take it for beyond doubt: then what is wrong with its cells is an error."""
        return column in self.asked or plain_name(column) in _OWN_NAMES

    def by_column(self) -> dict[str, str]:
        """The role of every column that has one."""
        found: dict[str, str] = {}
        for role in ("n_test", "averaged_over", *PROBLEM_COUNTS):
            if isinstance(column := getattr(self, role), str):
                found[column] = role
        found |= dict.fromkeys(self.sd.values(), "score_sd") | dict.fromkeys(self.train.values(), "train_score")
        found |= dict.fromkeys(self.scores, "score")
        found |= {one: role for one, role in ((self.split, "split"), (self.task, "model"), (self.size, "size")) if one}
        return found

    def note(self, table: Table, metric: str, left_out: Collection[str]) -> list[str]:
        """Which column was taken for what, where that is not plain from its name; not of those that were left out."""
        counts = "The metric's name counts: forecasts differ by it" if metric != UNNAMED else _NAMELESS
        if table.sizes_are_names:
            sizes = list(dict.fromkeys(table.under))
            each = "each row as a split" if self.task is None else f"{self.task!r} as the tasks"
            first = [f"read the columns {format_some(sizes)} as sizes, and {each}. {counts}."]
        else:
            wide = ", one column per split" if self.wide else ""
            parts = [([self.size], "as the sizes"), (self.scores, f"as the scores{wide}")]
            parts += [
                ([name], what) for name, what in ((self.split, "as the splits"), (self.task, "as the tasks")) if name
            ]
            told = [_word(own, what) for own, what in parts if not all(self._is_plain(str(name)) for name in own)]
            first = [f"read the column {'; '.join(told)}. {counts}."] if told else []
        return [*first, *self._note_companions(table, left_out), *self.notes]

    def _note_companions(self, table: Table, left_out: Collection[str]) -> list[str]:
        behind_signs = [
            score for score, column in self.sd.items() if table.spreads.get(score) == column and column not in left_out
        ]
        parts: list[tuple[Iterable[Any], str]] = [
            (self.train.values(), "as the training scores"),
            ([n for n in self.sd.values() if n not in table.spreads.values()], "as standard deviations of the runs"),
            ([self.n_test], "as the numbers of test cases"),
            ([self.averaged_over], "as the numbers of runs averaged over"),
            ([self.n_features], "as the number of features"),
            ([self.n_classes], "as the number of classes"),
        ]
        told = [
            _word(dict.fromkeys(own), what)
            for names, what in parts
            if (own := [n for n in names if isinstance(n, str) and n not in left_out and not self.insists(n)])
        ]
        notes = [f"read the column {'; '.join(told)}."] if told else []
        if behind_signs:
            where = format_some([repr(score) for score in behind_signs])
            notes.append(f"read the numbers after ± or in brackets under {where} as standard deviations of the runs.")
        return notes

    def _is_plain(self, name: str) -> bool:
        return name in self.asked or plain_name(name) in _ROLES


def _word(names: Iterable[Any], what: str) -> str:
    return f"{format_some([repr(name) for name in names])} {what}"


def find_roles(table: Table, wanted: Wanted) -> tuple[Roles, list[DataError]]:
    """Tell the columns apart; gives what could be told, and every problem that remains."""
    problems: list[DataError] = []

    def find(what: Callable[[], Any], otherwise: Any = None) -> Any:
        try:
            return what()
        except DataError as problem:
            problems.append(problem)
            return otherwise

    names = list(table.columns)
    size = find(lambda: _find_one(table, "size", wanted.size, _find_sizes(table)))
    task = find(lambda: _find_one(table, "task", wanted.task, lambda name: plain_name(name) in _TASK_NAMES))
    learners = find_learners(table)
    if task is None and learners is not None and len(set(filter(None, table.columns[learners]))) > 1:
        task = learners  # several learners are several curves
    at = list(zip(*(table.columns[name] for name in (size, task) if name is not None), strict=True))
    split = find(lambda: _find_one(table, "split", wanted.split, lambda name: _holds_splits(table, name, at)))
    own = [name for name in names if plain_name(name) in ABOUT or counts_features(name) or counts_classes(name)]
    rest = [name for name in names if name not in {size, split, task, *own, *table.spreads.values()}]
    if size is None and not problems:
        problems.append(
            DataError(
                f"{table.path} has no column called size, n, training examples or similar; found "
                f"{format_some(_list_names(table), 20)}.",
                remedy=("Name yours with {}.", "size"),
            )
        )
    scores, wide = find(lambda: _find_scores(table, rest, wanted, split), ([], False))
    # What is asked for as a score holds nothing else, unless that is asked for, too.
    twice = [
        name
        for name, said in ((size, wanted.size), (split, wanted.split), (task, wanted.task))
        if name in scores and said
    ]
    if twice:
        problems.append(DataError(f"{table.path}: the column {twice[0]!r} cannot hold the scores and something else."))
    split, task = (None if name in scores else name for name in (split, task))
    each_column = None
    if wide:
        named = wanted.score is None and wanted.each_column is None and bool(sets_of_splits(scores))
        each_column = wanted.each_column or ("split" if named or split is None else "model")
        split = split if each_column == "model" else None
    asked = frozenset(
        name
        for said in (
            wanted.size,
            wanted.split,
            wanted.task,
            *([wanted.score] if isinstance(wanted.score, str) else wanted.score or []),
        )
        if said and (name := find_column(said, names) or said)
    )
    roles = Roles(
        size, tuple(scores), wide, each_column, split, task, _find_metric(scores, wide) if scores else None, asked=asked
    )
    return (find(lambda: _find_companions(table, roles, wanted), roles) if scores else roles), problems


def _find_sizes(table: Table) -> Callable[[str], bool]:
    """Choose the test for the column of sizes: names that count examples, or else Training set over numbers."""
    if any(map(counts_training_examples, table.columns)):
        return counts_training_examples
    return lambda name: may_count_examples(name) and any(map(looks_numeric, table.columns[name]))


def find_learners(table: Table) -> str | None:
    """Name of the column of learners, if there is one."""
    return next((name for name in table.columns if plain_name(name) == "learner"), None)


def _holds_splits(table: Table, name: str, at: Sequence[object]) -> bool:
    """Whether a column names splits (split, Fold, seed, random_state, run id), and neither runs nor their number."""
    beside = {"cv", "data", "random", "id", "number", "no", "nr", "n"}
    plain = plain_name(name)
    words = [word for word in plain.split() if word not in beside]
    if not (plain == "random state" or (len(words) == 1 and words[0] in SPLIT_WORDS)):
        return False
    cells = table.columns[name]
    # What trackers call runs are fits, each with an entry of its own.
    identifies_rows = "id" in plain.split() and len(set(cells)) == len(cells)
    return not identifies_rows and not numbers_of_runs(name, cells, at)


def _find_one(table: Table, role: str, asked: str | None, fits: Callable[[str], bool]) -> str | None:
    """The column of a role: the one asked for, the one of our own name, or the only one whose name fits."""
    names = list(table.columns)
    if asked is not None:
        found = find_column(asked, names)
        # A table need not have splits or tasks: to ask for them by our own names is no complaint where there are none.
        if found is None and (asked != role or role == "size"):
            raise _missing(table, asked, role)
        return found
    for candidates in (
        [name for name in names if name == role],
        [name for name in names if plain_name(name) == role],
        [name for name in names if fits(name)],
    ):
        if role == "task" and len(candidates) > 1:
            # Of several that may, what is the same in every row tells nothing apart.
            candidates = [name for name in candidates if len(set(filter(None, table.columns[name]))) > 1]
        if role == "size" and len(candidates) > 1:
            with_numbers = [name for name in candidates if any(map(looks_numeric, table.columns[name]))]
            candidates = with_numbers if len(with_numbers) == 1 else candidates
        if role == "split" and len(candidates) > 1:
            # Of several that may, one with another entry in every row tells nothing that the row does not.
            candidates = [name for name in candidates if len({*table.columns[name]}) < len(table.lines)] or candidates
        if len(candidates) > 1:
            raise DataError(
                f"{table.path} has {len(candidates)} columns that may hold the {role}s: {format_some(candidates)}.",
                remedy=("Name one of them with {}.", role),
            )
        if candidates:
            return candidates[0]
    return None


def _missing(table: Table, asked: str, role: str) -> DataError:
    """The error of a column that was asked for and is not there."""
    either = ", or list the columns of a table with one column per split" if role == "score" else ""
    remedy: Remedy = (f"Name yours with {{}}{either}.", role)
    return DataError(
        f"{table.path} has no column {asked!r}; found {format_some(_list_names(table), 20)}.", remedy=remedy
    )


def _list_names(table: Table) -> list[str]:
    """Names of the columns that a person would find in the table."""
    return [name for name in table.columns if name not in table.spreads.values()]


def _find_metric(scores: Sequence[str], wide: bool) -> str | None:
    """The metric that the names of the columns tell, if they do."""
    name = (without_split(scores[0]) or "") if wide else scores[0]
    return name if known_metric(name) or sounds_like_a_loss(name) else None


def _find_scores(table: Table, rest: list[str], wanted: Wanted, split: str | None) -> tuple[list[str], bool]:
    """Names of the columns that hold scores, and whether there are several, of which each is a split or a model.

    `rest` are the columns that hold nothing else. Where a column names the splits, several columns are models.
    """
    each_column = wanted.each_column or (None if split is None else "model")
    if wanted.score is not None:
        return _asked_for(table, wanted.score, wanted.each_column, has_splits=split is not None)
    named = [name for name in rest if name not in table.unnamed]
    scores, wide = _by_their_names(table, named, wanted.metric, each_column)
    beside = [name for name, left in table.unnamed.items() if name in rest and (left in scores or not left)]
    others = [name for name in table.unnamed if name in rest and name not in beside]
    if wanted.each_column is not None and beside:
        return [*scores, *beside], True
    if beside or others:
        raise _ask_about_unnamed(table, scores, beside, others)
    return scores, wide


def _asked_for(
    table: Table, asked: str | Sequence[str], each_column: str | None, *, has_splits: bool
) -> tuple[list[str], bool]:
    wanted = [asked] if isinstance(asked, str) else list(asked)
    names = list(table.columns)
    found = list(dict.fromkeys(name for one in wanted for name in _matching(one, names, table)))
    if not found:
        raise _missing(table, "(none named)", "score")
    if len(found) == 1 or each_column is not None:
        return found, len(found) > 1 or not isinstance(asked, str)
    measured = {metric_name(name) for name in found if known_metric(name)}
    if len(measured) > 1:
        raise DataError(
            f"{table.path}: {format_some([repr(name) for name in found])} are different metrics "
            f"({format_some(sorted(measured))}); a curve has one.",
            remedy=("Name one of them with {}.", ("score", found[0])),
        )
    if not has_splits and not named_as_splits(found):
        raise _splits_or_models(table, found, ("Use {} or {}.", *_SPLITS_OR_MODELS))
    return found, True


def _splits_or_models(table: Table, names: list[str], remedy: Remedy) -> DataError:
    """Ask what each of several columns is."""
    return DataError(
        f"{table.path}: it is not clear from their names whether {format_some([repr(name) for name in names])} are "
        "splits of one model or different models.",
        remedy=remedy,
    )


def _by_their_names(
    table: Table, rest: list[str], metric: str | None, each_column: str | None
) -> tuple[list[str], bool]:
    for candidates in ([name for name in rest if name == "score"], [n for n in rest if plain_name(n) == "score"]):
        if len(candidates) == 1:
            return candidates, False
    sets = sets_of_splits(rest, metric)
    if len(sets) == 1:
        return sets[0], True
    if sets:
        raise DataError(
            f"{table.path} has {len(sets)} sets of columns that may hold the scores, each with one column per split: "
            f"{'; '.join(format_some(own, 2) for own in sets[:5])}.",
            remedy=("Name the columns of one set with {}.", ("score", sets[0])),
        )
    lettered = [name for name in rest if (words := plain_name(name).split())[1:] and words[0] in SPLIT_WORDS]
    if len(lettered) > 1:  # fold a, fold b
        return lettered, True
    likely = [name for name in rest if known_metric(name) or says_only_score(name)]
    # A column of messages may be called error; where nothing is a number, the cells shall be complained of.
    likely = [name for name in likely if any(map(looks_numeric, table.columns[name]))] or likely
    if metric is not None:
        likely = [name for name in likely if same_metric(name, metric)] or likely
    likely = [name for name in likely if not _leaves_unit_range(name)] or likely
    likely = [name for name in likely if metric_name(name) != "loss"] or likely  # what training lowers, beside a metric
    # AUC (SD) beside AUC holds spreads, unless both stand in its cells.
    both = {*table.spreads, *table.intervals}
    spreads = [name for name in likely if plain_name(name).split()[-1] in _SPREADS and name not in both]
    likely = [name for name in likely if name not in spreads] or likely
    tested = [name for name in likely if "test" in plain_name(name).split()]
    if len(tested) == 1 and all(
        {"val", "valid", "validation"} & set(plain_name(n).split()) for n in likely if n not in tested
    ):
        likely = tested  # what was chosen on validation is judged on test
    if len(likely) == 1:
        return likely, False
    if likely:
        raise DataError(
            f"{table.path} has {len(likely)} columns that may hold the scores: {format_some(likely)}. Which one "
            "should be forecast?",
            remedy=("Name one of them, for instance with {}.", ("score", likely[0])),
        )
    return _by_their_cells(table, rest, each_column)


def _by_their_cells(table: Table, rest: list[str], each_column: str | None) -> tuple[list[str], bool]:
    """Columns of numbers under names that do not say what they are: the caller must, or it is asked about."""
    numeric = [name for name in rest if all(looks_numeric(c) or is_blank(c) for c in table.columns[name])]
    near = [name for name in numeric if _mentions_a_metric(name)]
    several = near or numeric
    if len(several) > 1 and each_column is not None:
        return several, True
    remedy: Remedy = ("Name yours with {}.", "score")
    if len(several) > 1:
        remedy = (
            "Name yours with {}; if each of several columns is a split or a model, use {} or {}.",
            "score",
            *_SPLITS_OR_MODELS,
        )
    if len(near) > 1:
        either = "Use {} or {}; to forecast one of them, name it with {}."
        raise _splits_or_models(table, near, (either, *_SPLITS_OR_MODELS, ("score", near[0])))
    if near:
        raise DataError(
            f"{table.path}: it is not clear from its name whether {format_some(near)} holds the scores.", remedy=remedy
        )
    raise DataError(
        f"{table.path} has no column called score, AUC, accuracy or similar; found "
        f"{format_some(_list_names(table), 20)}.",
        remedy=remedy,
    )


def _ask_about_unnamed(table: Table, scores: list[str], beside: list[str], others: list[str]) -> DataError:
    """Ask what columns of numbers are that have no name of their own."""
    several = [*beside, *others]
    twice = [name for name in several if table.unnamed[name] and name.startswith(f"{table.unnamed[name]} (")]
    what = (
        f"the name {table.unnamed[twice[0]]!r} heads {1 + len(twice)} columns"
        if twice
        else f"columns of numbers without a name: {format_some(several)}"
    )
    if not beside:
        return DataError(
            f"{table.path}: {what}.", remedy=("To leave that out, name the scores with {}.", ("score", scores))
        )
    return DataError(
        f"{table.path}: {what}. More splits beside {format_some([repr(name) for name in scores])}?",
        remedy=(
            "If so, use {} (or {}); to leave them out, name the scores with {}.",
            *_SPLITS_OR_MODELS,
            ("score", scores[0] if len(scores) == 1 else scores),
        ),
    )


def _mentions_a_metric(name: str) -> bool:
    """Whether a metric is named beside other things: AUC (site 1), mean AUC (5 folds)."""
    words = plain_name(name).split()
    return any(map(known_metric, words)) and not TRAINING & set(words)


def _leaves_unit_range(name: str) -> bool:
    """Whether a column is called after a metric that is not confined to [0, 1]."""
    found = known_metric(name)
    return found is not None and found.range != UNIT_RANGE


def _matching(asked: str, names: Sequence[str], table: Table) -> list[str]:
    """The column of that name, or those that a pattern such as fold* takes in."""
    found = find_column(asked, names)
    if found is not None:
        return [found]
    matching = [name for name in names if fnmatchcase(name, asked)] if "*" in asked else []
    if not matching:
        raise _missing(table, asked, "score")
    return matching


def part_spreads(table: Table, size: str | None) -> Table:
    """The table with cells such as 0.71 ± 0.02 parted into two columns, and without intervals; sizes stay as they are.

    An interval such as 0.71 (0.66-0.76) is that of the score as it stands, mostly of its test cases, whatever the
    number of runs behind it: no standard deviation of runs follows from it. A ± among intervals may be half of one.
    """
    columns, spreads, intervals = dict(table.columns), dict[str, str](), set[str]()
    for name, cells in table.columns.items():
        apart = f"sd of {name}"
        if name == size or counts_training_examples(name) or apart in table.columns:
            continue
        parted = [with_spread(cell) for cell in cells]
        alone = [before_interval(cell) for cell in cells]
        if any(alone) or any(parted):
            both = zip(cells, alone, parted, strict=True)
            columns[name] = [one or (two[0] if two else cell) for cell, one, two in both]
        if any(alone):
            intervals.add(name)
        elif any(parted):
            columns[apart] = ["" if two is None else two[1] for two in parted]
            spreads[name] = apart
    return replace(table, columns=columns, spreads=spreads, intervals=frozenset(intervals))


def _find_companions(table: Table, roles: Roles, wanted: Wanted) -> Roles:
    """The columns beside the scores: those that were asked for, or are called so."""
    taken = {roles.size, roles.split, roles.task, *roles.scores}
    rest = [name for name in table.columns if name not in taken and name not in table.spreads.values()]
    features = _column_or_number(table, rest, "n_features", wanted.n_features, counts_features)
    classes = _column_or_number(table, rest, "n_classes", wanted.n_classes, counts_classes)
    train, notes = _find_training_scores(table, rest, roles, wanted.train_score)
    sd = _find_spreads(table, rest, roles, wanted.score_sd)
    n_test = _column_or_number(table, rest, "n_test", wanted.n_test, counts_test_cases)
    # Beside columns that are splits, a number of folds is that of the columns.
    means = _says_several(table, wanted.averaged_over)
    count = None if means else wanted.averaged_over
    runs = _column_or_number(table, [] if roles.wide or means else rest, "averaged_over", count, counts_runs)
    if wanted.averaged_over is None and not roles.wide and says_mean(roles.scores[0]):
        means = True
        if runs is None and not sd:
            notes.append(f"read the scores under {roles.scores[0]!r} as means over an unknown number of runs.")
    asked: set[Any] = set()
    for said, found in (
        (wanted.train_score, train.values()),
        (wanted.score_sd, sd.values()),
        (wanted.n_test, [n_test]),
        (wanted.averaged_over, [runs]),
        (wanted.n_features, [features]),
        (wanted.n_classes, [classes]),
    ):
        asked.update(found if said is not None else ())
    counts: dict[str, Any] = {"n_test": n_test, "averaged_over": runs, "n_features": features, "n_classes": classes}
    by_name = frozenset(name for name in asked if isinstance(name, str))
    return replace(
        roles, train=train, sd=sd, **counts, means_of_several=means, asked=roles.asked | by_name, notes=tuple(notes)
    )


def _find_training_scores(
    table: Table, rest: Sequence[str], roles: Roles, asked: str | Sequence[str] | None
) -> tuple[dict[str, str], list[str]]:
    if asked is not None:
        names = [_require_column(table, "train_score", name) for name in ([asked] if isinstance(asked, str) else asked)]
        if len(names) != len(roles.scores):
            raise RequestError(
                f"must name one column for each column of scores ({format_some(roles.scores)}), got "
                f"{format_some(names)}.",
                argument="train_score",
            )
        return dict(zip(roles.scores, names, strict=True)), []
    by_key: dict[tuple[str, ...], list[str]] = {}
    for name in filter(_says_train, rest):
        by_key.setdefault(_key(name), []).append(name)
    pairs = {score: by_key[key][0] for score in roles.scores if len(by_key.get(key := _key(score), ())) == 1}
    if pairs or roles.wide:
        return pairs, []
    likely = [name for name in rest if _is_train(name)]
    own = [name for name in likely if plain_name(name) == "train score"]
    if roles.metric is not None and not own:
        others = [name for name in likely if (bare := _without(name, _TRAIN)) and known_metric(bare)]
        likely = [name for name in likely if name not in others or same_metric(_without(name, _TRAIN), roles.metric)]
    chosen = own or likely
    if len(chosen) > 1:
        which = format_some([repr(name) for name in chosen])
        return {}, [f"it is not clear which of {which} holds the training scores: none was used."]
    return ({roles.scores[0]: chosen[0]} if chosen else {}), []


def _says_train(name: str) -> bool:
    return bool(_TRAIN & set(plain_name(name).split())) and not counts_training_examples(name)


def _is_train(name: str) -> bool:
    """Whether a column holds training scores by its name: train_score, Training accuracy, trainAUC, train."""
    if not _says_train(name):
        joined = re.match(r"train(ing)?(?=[a-z0-9])", plain_name(name))
        return joined is not None and known_metric(plain_name(name)[joined.end() :]) is not None
    bare = _without(name, _TRAIN)
    return not bare or known_metric(bare) is not None or says_only_score(bare)


def _key(name: str) -> tuple[str, ...]:
    """Words that a column of training scores shares with its test scores: split0_train_score, split0_test_score."""
    return tuple(_without(name, _TRAIN | _TEST).split())


def _without(name: str, words: set[str]) -> str:
    return " ".join(word for word in plain_name(name).split() if word not in words)


def _find_spreads(table: Table, rest: Sequence[str], roles: Roles, asked: str | None) -> dict[str, str]:
    if asked is not None:
        return dict.fromkeys(roles.scores, _require_column(table, "score_sd", asked))
    behind_signs = {score: table.spreads[score] for score in roles.scores if score in table.spreads}
    if behind_signs:
        return behind_signs
    own = [name for name in rest if plain_name(name) == "score sd"]
    # Beside columns that are splits, an sd column repeats their spread.
    likely = own or [name for name in rest if not roles.wide and _is_sd(name, roles.metric)]
    return dict.fromkeys(roles.scores, likely[0]) if len(likely) == 1 else {}


def _is_sd(name: str, metric: str | None) -> bool:
    """Whether a column holds standard deviations of the scores: sd, AUC_sd, std_test_score, Standard deviation, ±."""
    if name.strip() in ("±", "+/-", "+-"):
        return True
    bare, found = _SD.subn(" ", plain_name(name))
    words = {*SPLIT_WORDS, *(f"{word}s" for word in SPLIT_WORDS), "of", "the", "over", "across", "between"}
    left = _without(bare, words)
    if found != 1 or _TRAIN & set(left.split()):
        return False
    if known_metric(left):
        return metric is None or same_metric(left, metric)
    return not left or says_only_score(left)


def _column_or_number(
    table: Table, rest: Sequence[str], role: str, asked: str | float | None, fits: Callable[[str], bool]
) -> str | float | None:
    if asked is None:
        own = [name for name in rest if plain_name(name) == role.replace("_", " ")]
        likely = own or [name for name in rest if fits(name)]
        return likely[0] if len(likely) == 1 else None
    if not isinstance(asked, str):
        return asked
    found = find_column(asked, list(table.columns))
    if found is not None:
        return found
    try:
        number = number_in(asked, decimal_comma=False, counts=True)
    except ValueError:
        raise _missing(table, asked, role) from None
    return COUNTS[role](int(number) if number.is_integer() else number)


def _says_several(table: Table, asked: str | float | None) -> bool:
    """Whether the caller says that scores are means over an unknown number of runs, and names no column so."""
    return isinstance(asked, str) and asked.casefold() == SEVERAL and find_column(asked, list(table.columns)) is None


def _require_column(table: Table, role: str, asked: str) -> str:
    found = find_column(asked, list(table.columns))
    if found is None:
        raise _missing(table, asked, role)
    return found


def stack_models(table: Table, roles: Roles) -> tuple[Table, Roles]:
    """The table with the scores of several models one below the other, and a column that names the model.

    Models without a score are no row.
    """
    if roles.task is not None:
        raise DataError(
            f"{table.path} has a column {roles.task!r}, and columns of scores for several models. Keep the rows of "
            "one of the former, or the scores of one model.",
            remedy=("Name those with {}.", ("score", roles.scores[0])),
        )
    models = [rest or name for rest, name in zip(told_apart_by(roles.scores), roles.scores, strict=True)]
    shared = " ".join(word for word in roles.scores[0].split() if all(word in name.split() for name in roles.scores))
    metric = next((word for word in (shared, *shared.split()) if known_metric(word)), None)
    score, model = _free(metric or "score", table), _free("model", table)
    kept = [
        (row, name, own)
        for name, own in zip(models, roles.scores, strict=True)
        for row, cell in enumerate(table.columns[own])
        if not is_blank(cell)
    ]
    others = [name for name in table.columns if name not in roles.scores]
    stacked: dict[str, list[str]] = {name: [table.columns[name][row] for row, _, _ in kept] for name in others}
    stacked[score] = [table.columns[own][row] for row, _, own in kept]
    stacked[model] = [name for _, name, _ in kept]
    places = {name: own for name, own in table.sheet_columns.items() if name not in roles.scores}
    places[score] = tuple(place for own in roles.scores for place in table.sheet_columns.get(own, ()))
    stack = replace(
        table,
        columns=stacked,
        lines=[table.lines[row] for row, _, _ in kept],
        under=tuple(own for _, _, own in kept),
        sheet_columns=places,
    )
    return stack, replace(roles, scores=(score,), wide=False, task=model, metric=metric)


def melt_sizes(table: Table, metric: str | None) -> Table | None:
    """The table with one row for each score, where the sizes are names of columns; None where they are not."""
    sizes = {name: size for name in table.columns if (size := size_in_name(name, decimal_comma=table.decimal_comma))}
    counted = [name for name in table.columns if counts_training_examples(name) and name not in sizes]
    if len(sizes) < 2 or any(any(map(looks_numeric, table.columns[name])) for name in counted):
        return None
    rest = [name for name in table.columns if name not in sizes]
    corner = next((name for name in rest if known_metric(name) or name in counted or _is_training(name)), None)
    score = corner if corner and known_metric(corner) else metric or "score"
    labels = {name: table.columns[name] for name in rest}
    kept = [(row, name) for row in range(len(table.lines)) for name in sizes if not is_blank(table.columns[name][row])]
    melted = {("split" if name == corner else name): [cells[row] for row, _ in kept] for name, cells in labels.items()}
    melted["size"] = [f"{sizes[name]:.0f}" for _, name in kept]
    melted[score] = [table.columns[name][row] for row, name in kept]
    if not any(_holds_splits(replace(table, columns=melted), name, ()) for name in melted):
        melted["split"] = [str(table.lines[row]) for row, _ in kept]
    places = {name: own for name, own in table.sheet_columns.items() if name not in sizes}
    places = {("split" if name == corner else name): own for name, own in places.items()}
    places[score] = tuple(place for name in sizes for place in table.sheet_columns.get(name, ()))
    return replace(
        table,
        columns=melted,
        lines=[table.lines[row] for row, _ in kept],
        under=tuple(name for _, name in kept),
        sheet_columns=places,
        sizes_are_names=True,
    )


def _is_training(name: str) -> bool:
    """Whether a name says no more than that columns are training sets."""
    return set(plain_name(name).split()) <= TRAINING | {"set", "data", "of"}


def _free(name: str, table: Table) -> str:
    return name if name not in table.columns else f"{name} of each"
