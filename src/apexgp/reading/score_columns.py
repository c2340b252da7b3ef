"""Which columns of a table hold the scores, and whether each of several is a split; what is not plain is asked."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from .._check import format_some
from ..errors import DataError
from ..scale import UNIT_RANGE
from ..vocabulary import Remedy
from .cells import is_blank, looks_numeric
from .known_metrics import known_metric, metric_name, plain_name, same_metric, says_only_score
from .naming import called, missing
from .spreadsheets import Table
from .wide import SPLIT_WORDS, TRAINING, named_as_splits, sets_of_splits

__all__ = ["find_scores"]

_SPREADS = {"sd", "std", "se", "sem", "ci", "iqr"}
_SPLITS_OR_MODELS = ("each_column", "split"), ("each_column", "model")


def find_scores(
    table: Table,
    rest: list[str],
    asked: str | Sequence[str] | None,
    metric: str | None,
    each_column: str | None,
) -> tuple[list[str], bool]:
    """Names of the columns that hold scores, and whether there are several, of which each is a split or a model.

    Parameters
    ----------
    table
        The table.
    rest
        Its columns that hold nothing else.
    asked
        Names or patterns of columns that the caller gave.
    metric
        What was measured, if the caller said so.
    each_column
        What the caller says that each of several columns is, "split" or "model".
    """
    if asked is not None:
        return _asked_for(table, asked, each_column)
    named = [name for name in rest if name not in table.unnamed]
    scores, wide = _by_their_names(table, named, metric, each_column)
    beside = [name for name, left in table.unnamed.items() if name in rest and (left in scores or not left)]
    others = [name for name in table.unnamed if name in rest and name not in beside]
    if each_column is not None and beside:
        return [*scores, *beside], True
    if beside or others:
        raise _unnamed(table, scores, beside, others)
    return scores, wide


def _asked_for(table: Table, asked: str | Sequence[str], each_column: str | None) -> tuple[list[str], bool]:
    wanted = [asked] if isinstance(asked, str) else list(asked)
    names = list(table.columns)
    found = list(dict.fromkeys(name for one in wanted for name in _matching(one, names, table)))
    if not found:
        raise missing(table, "(none named)", "score")
    if len(found) == 1 or each_column is not None:
        return found, len(found) > 1 or not isinstance(asked, str)
    measured = {metric_name(name) for name in found if known_metric(name)}
    if len(measured) > 1:
        raise DataError(
            f"{table.path}: {format_some([repr(name) for name in found])} are different metrics "
            f"({format_some(sorted(measured))}); a curve has one.",
            remedy=("Name one of them with {}.", ("score", found[0])),
        )
    if not named_as_splits(found):
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
        f"{format_some(list(table.columns), 20)}.",
        remedy=remedy,
    )


def _unnamed(table: Table, scores: list[str], beside: list[str], others: list[str]) -> DataError:
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
    found = called(asked, names)
    if found is not None:
        return [found]
    matching = [name for name in names if fnmatchcase(name, asked)] if "*" in asked else []
    if not matching:
        raise missing(table, asked, "score")
    return matching
