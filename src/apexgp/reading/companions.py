"""Columns that say more of the scores beside them: training scores, spreads, and numbers such as those of runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from .._check import check_real_number, check_whole_number, format_some
from ..errors import RequestError
from .cells import before_interval, number_in, with_spread
from .counts import (
    PROBLEM_COUNTS,
    counts_classes,
    counts_features,
    counts_runs,
    counts_test_cases,
    counts_training_examples,
)
from .headers import ColumnRoles
from .known_metrics import known_metric, plain_name, same_metric, says_mean, says_only_score
from .naming import called, missing
from .score_details import SEVERAL, check_run_count
from .spreadsheets import Table
from .wide import SPLIT_WORDS

__all__ = ["COUNTS", "Companions", "find_companions", "with_spreads_apart"]

_TRAIN = {"train", "training"}
_TEST = {"test", "testing", "heldout", "holdout"}
_SD = re.compile(r"\b(standard deviations?|std dev|st dev|s d|std deviation|stdev|stddev|std|sd)\b")
# Our own names of such columns: what is called so is meant so.
_OWN_NAMES = ("train score", "score sd", "n test", "averaged over", "n features", "n classes")


def _test_cases(value: Any) -> float:
    number = check_real_number("n_test", value)
    if number < 1:
        raise RequestError(f"must be a number of test cases, at least 1, got {number:g}.", argument="n_test")
    return number


COUNTS: dict[str, Callable[[Any], Any]] = {
    "n_test": _test_cases,
    "averaged_over": check_run_count,
    **{name: partial(check_whole_number, name, least=least) for name, least in PROBLEM_COUNTS.items()},
}
"""What a number must be that is given in place of a column."""


class Wanted(Protocol):
    """What the caller says of them: see `TableSettings`."""

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
class Companions:
    """What stands beside the scores of a table, by what it tells of them."""

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
    notes: tuple[str, ...] = ()

    def insists(self, column: str) -> bool:
        """Whether a column is what we take it for beyond doubt: then what is wrong with its cells is an error."""
        return column in self.asked or plain_name(column) in _OWN_NAMES

    def note(self, table: Table, left_out: Collection[str]) -> list[str]:
        """Which column was taken for what, where that is not plain from its name; not of those that were left out."""
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
            f"{format_some([repr(name) for name in dict.fromkeys(own)])} {what}"
            for names, what in parts
            if (own := [n for n in names if isinstance(n, str) and n not in left_out and not self.insists(n)])
        ]
        notes = [f"read the column {'; '.join(told)}."] if told else []
        if behind_signs:
            where = format_some([repr(score) for score in behind_signs])
            notes.append(f"read the numbers after ± or in brackets under {where} as standard deviations of the runs.")
        return [*notes, *self.notes]


def with_spreads_apart(table: Table, size: str | None) -> Table:
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


def find_companions(table: Table, roles: ColumnRoles, wanted: Wanted) -> Companions:
    """The columns beside the scores: those that were asked for, or are called so."""
    taken = {roles.size, roles.split, roles.task, *roles.scores}
    rest = [name for name in table.columns if name not in taken and name not in table.spreads.values()]
    features = _column_or_number(table, rest, "n_features", wanted.n_features, counts_features)
    classes = _column_or_number(table, rest, "n_classes", wanted.n_classes, counts_classes)
    if roles.size is None:  # one column per size: what stands beside is said of rows, not of scores
        rest = []
    train, notes = _train(table, rest, roles, wanted.train_score)
    sd = _spreads(table, rest, roles, wanted.score_sd)
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
    return Companions(train, sd, n_test, runs, features, classes, means, frozenset(asked), tuple(notes))


def _train(
    table: Table, rest: Sequence[str], roles: ColumnRoles, asked: str | Sequence[str] | None
) -> tuple[dict[str, str], list[str]]:
    if asked is not None:
        names = [_named(table, "train_score", name) for name in ([asked] if isinstance(asked, str) else asked)]
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
    """What a column of training scores and one of test scores have in common: split0_train_score, split0_test_score."""
    return tuple(_without(name, _TRAIN | _TEST).split())


def _without(name: str, words: set[str]) -> str:
    return " ".join(word for word in plain_name(name).split() if word not in words)


def _spreads(table: Table, rest: Sequence[str], roles: ColumnRoles, asked: str | None) -> dict[str, str]:
    if asked is not None:
        return dict.fromkeys(roles.scores, _named(table, "score_sd", asked))
    behind_signs = {score: table.spreads[score] for score in roles.scores if score in table.spreads}
    if behind_signs:
        return behind_signs
    own = [name for name in rest if plain_name(name) == "score sd"]
    # Beside columns that are splits, an sd is theirs, which the scores tell themselves.
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
    found = called(asked, list(table.columns))
    if found is not None:
        return found
    try:
        number = number_in(asked, decimal_comma=False, counts=True)
    except ValueError:
        raise missing(table, asked, role) from None
    return COUNTS[role](int(number) if number.is_integer() else number)


def _says_several(table: Table, asked: str | float | None) -> bool:
    """Whether the caller says that scores are means over an unknown number of runs, and names no column so."""
    return isinstance(asked, str) and asked.casefold() == SEVERAL and called(asked, list(table.columns)) is None


def _named(table: Table, role: str, asked: str) -> str:
    found = called(asked, list(table.columns))
    if found is None:
        raise missing(table, asked, role)
    return found
