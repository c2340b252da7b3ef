"""Columns of which each is a split: told apart by a number or a letter in names that are otherwise the same."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from .known_metrics import known_metric, plain_name, same_metric, says_only_score

__all__ = ["SPLIT_WORDS", "TRAINING", "named_as_splits", "sets_of_splits", "told_apart_by", "without_split"]

TRAINING = {"train", "training", "labelled", "labeled", "annotated"}
SPLIT_WORDS = {
    *("split", "splits", "fold", "folds", "seed", "repeat", "repeats", "repetition", "rep", "run", "replicate"),
    *("trial", "iteration", "resample"),
}
_INITIALS = {"s", "r", "k"}  # of such words, before a number
_VALIDATION = {"val", "valid", "validation"}
# What else a number after a metric tells apart: then the columns are no splits of one experiment.
_OTHER_THINGS = {
    *("class", "classes", "site", "centre", "center", "hospital", "reader", "rater", "model", "classifier", "label"),
    *("task", "dataset", "epoch", "layer", "cohort", "group", "year", "step", "stage", "top"),
}
_NUMBER = re.compile(r"\d+")
# By which splits are told apart, after a word that says that they are splits.
_MARK = re.compile(r"\d+|[a-z]|i{1,3}|iv|vi{0,3}|ix")


def sets_of_splits(names: Sequence[str], metric: str | None = None) -> list[list[str]]:
    """Sets of columns of which each is a split: split1, split2, or AUC (fold 1), AUC (fold 2), or 1, 2.

    Of several sets those remain that say what they measure, the metric asked for before all; scores on test before
    those on validation. A set that says nothing goes behind a single column that is called after a metric. More than
    one set is left where the names do not decide.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        rest = without_split(name)
        if rest is not None and not TRAINING & set(rest.split()):
            groups[rest].append(name)
    sets = {rest: own for rest, own in groups.items() if len(own) > 1 and not _told_apart_by_more(own)}
    of_scores = {rest: own for rest, own in sets.items() if not rest or known_metric(rest) or says_only_score(rest)}
    of_metric = {rest: own for rest, own in of_scores.items() if metric is not None and same_metric(rest, metric)}
    alone = [name for name in names if known_metric(name) and not any(name in own for own in sets.values())]
    best = of_metric or of_scores or (sets if len(sets) == 1 and not alone else {})
    tested = [own for rest, own in best.items() if not _VALIDATION & set(rest.split())]
    return tested if len(tested) == 1 else list(best.values())


def told_apart_by(names: Sequence[str]) -> list[str]:
    """What is left of each name without the words that stand in all of them: LR and RF of AUC (LR), AUC (RF)."""
    words = [re.findall(r"[^\s()\[\],:;_]+", name) for name in names]
    shared = set.intersection(*({word.casefold() for word in own} for own in words)) if words else set()
    return [" ".join(word for word in own if word.casefold() not in shared) for own in words]


def named_as_splits(names: Sequence[str]) -> bool:
    """Whether columns that a caller lists together are plainly splits: by a number, a letter, or a word that says so.

    Sites, readers and models are told apart by numbers and letters, too: beside those only a metric may be named.
    """
    if all(_with_split_word(_words(name)) is not None for name in names):
        return True
    words = [" ".join(_words(name)) for name in names]
    apart = told_apart_by(words)
    if not all(re.fullmatch(r"\d+|[a-z]", rest) for rest in apart):
        return False
    shared = " ".join(word for word in words[0].split() if word != apart[0])
    return not shared or known_metric(shared) is not None or says_only_score(shared)


def _told_apart_by_more(names: Sequence[str]) -> bool:
    """Whether names that only a number tells apart are metrics (top1 and top5, F1 and F2), or do not count up.

    AP50 and AP75, recall@5 and recall@10, AUC 2019 and AUC 2020 are no splits of one experiment; AUC 1 to AUC 5 are.
    """
    if any(_with_split_word(_words(name)) is not None for name in names):
        return False
    numbers = sorted(int(_words(name)[-1]) for name in names)
    counts_up = numbers in (list(range(len(names))), list(range(1, len(names) + 1)))
    return not counts_up or any("@" in name or known_metric(name) for name in names)


def without_split(name: str) -> str | None:
    """What is left of a name without the number of its split, in plain words; None where it has no such number."""
    words = _words(name)
    rest = _with_split_word(words)
    if rest is not None:
        return rest
    if not words or not words[-1].isdigit() or _OTHER_THINGS & set(words) or re.search(r"\d[^\w)\]]*%", name):
        return None
    return " ".join(words[:-1])


def _words(name: str) -> list[str]:
    # fold1_auc is fold 1 auc; but F1 stays what it is where a split is told by another word
    return plain_name(re.sub(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", name)).split()


def _with_split_word(words: Sequence[str]) -> str | None:
    """What is left where a word says that what follows it is the number of a split; None where none does."""
    for saying, marks in ((SPLIT_WORDS, _MARK), (_INITIALS, _NUMBER)):
        for i, (word, mark) in enumerate(pairwise(words)):
            if word in saying and marks.fullmatch(mark):
                after = words[i + 2 :]
                of_all = 2 if len(after) > 1 and after[0] == "of" and after[1].isdigit() else 0  # fold 1 of 5
                return " ".join([*words[:i], *after[of_all:]])
    return None
