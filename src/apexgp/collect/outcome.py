"""What a training function gives back, as scores: a number, some by metric, or those of train, validation and test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .._check import UNUSABLE, format_some, format_value, has_attributes
from ..files.plain import plain
from ..reading.known_metrics import UNNAMED, says_held_out_score
from .results import PARTS

__all__ = ["REPEATED", "NoScoreError", "Outcome", "is_number", "outcome_of"]

Scores = dict[str, dict[str, float]]
"""By part of the data (train, validation, test) and metric."""

_SECONDS, _CASES = "seconds", "n_test"
# Keys that repeat which fit it was, where their value does: a script that says what it was asked for measures nothing.
REPEATED = {"n": 0, "size": 0, "n_train": 0, "train_size": 0, "seed": 1, "split": 1}


class NoScoreError(Exception):
    """Why there is no score of a fit, in words for its row of the record."""


@dataclass(frozen=True)
class Outcome:
    """Scores of one fit, and what else came with them.

    Attributes
    ----------
    scores : dict
        By part and metric.
    beside : dict
        What else was given by name and is no number, or repeats the size or the seed.
    n_test, seconds : optional
        Number of test cases, and how long it took, where that was said.
    of_parts : bool
        Whether they came by part, as scores and nothing else.
    """

    scores: Scores
    beside: dict[str, Any] = field(default_factory=dict)
    n_test: int | None = None
    seconds: float | None = None
    of_parts: bool = False

    @property
    def metrics(self) -> list[str]:
        """Names of the test scores, in the order in which they came."""
        return list(self.scores["test"])

    @property
    def likely_metrics(self) -> list[str]:
        """Those whose names say that they are scores; all of them where none does, or where they came as scores."""
        return [name for name in self.metrics if says_held_out_score(name)] * (not self.of_parts) or self.metrics

    def taking(self, seconds: float) -> Outcome:
        """The same, after so many seconds."""
        return replace(self, seconds=seconds)


def outcome_of(given: Any, size: int, split: int, unnamed: str = UNNAMED) -> Outcome:
    """Make scores of what a training function gave for a size and a split; NoScoreError says why that cannot be done.

    `unnamed` is the metric of a score without a name.
    """
    if isinstance(given, Outcome):  # of a program, whose output has been read
        return given
    if isinstance(given, Mapping):
        if "test" in given and set(given) <= {*PARTS, _SECONDS, _CASES}:
            return _of_parts(dict(given), unnamed)
        named = {str(name): value for name, value in given.items()}
        repeated = {name for name in named if _repeats(name, named[name], size, split)}
        measured = {name: value for name, value in named.items() if is_number(value) and name not in repeated}
        seconds, cases = (measured.pop(name, None) for name in (_SECONDS, _CASES))
        scores = {name: _finite(value, name) for name, value in measured.items()}
        if not scores:
            raise NoScoreError(f"no number under the name of a metric, but {format_value(dict(given))}")
        beside = {name: value for name, value in named.items() if not is_number(value) or name in repeated}
        return Outcome({"test": scores}, plain(beside, repr), _cases(cases), _seconds(seconds))
    if has_attributes(given, "test"):
        return _of_parts({name: getattr(given, name, None) for name in (*PARTS, _SECONDS, _CASES)}, unnamed)
    return Outcome({"test": {unnamed: _finite(given, "the score")}})


def _of_parts(given: dict[str, Any], unnamed: str) -> Outcome:
    scores = {part: _by_metric(given[part], part, unnamed) for part in PARTS if given.get(part) is not None}
    if "test" not in scores:
        raise NoScoreError("no test score")
    strange = sorted({name for own in scores.values() for name in own} - set(scores["test"]))
    if strange:
        raise NoScoreError(f"{format_some(strange)} for train or validation, but not for test")
    return Outcome(scores, {}, _cases(given.get(_CASES)), _seconds(given.get(_SECONDS)), of_parts=True)


def _by_metric(given: Any, part: str, unnamed: str) -> dict[str, float]:
    if not isinstance(given, Mapping):
        return {unnamed: _finite(given, f"the {part} score")}
    scores = {str(name): _finite(value, f"{part} {name}") for name, value in given.items()}
    if not scores:
        raise NoScoreError(f"an empty mapping as {part} scores")
    return scores


def _repeats(name: str, value: Any, size: int, split: int) -> bool:
    return name in REPEATED and is_number(value) and float(value) == (size, split)[REPEATED[name]]


def is_number(value: Any) -> bool:
    """Whether it is one real number, of whatever library; neither a truth value nor a text."""
    if isinstance(value, (str, bytes, bool)) or type(value).__name__ in ("bool_", "bool"):
        return False
    try:
        float(value)
    except UNUSABLE:
        return False
    return True


def _finite(value: Any, name: str) -> float:
    if not is_number(value):
        raise NoScoreError(f"{format_value(value)} instead of a number ({name})")
    number = float(value)
    if not math.isfinite(number):
        raise NoScoreError(f"{number} instead of a finite number ({name})")
    return number


def _cases(value: Any) -> int | None:
    if value is None:
        return None
    number = _finite(value, _CASES)
    if number < 1 or not number.is_integer():
        raise NoScoreError(f"{number:g} as n_test, the number of test cases")
    return int(number)


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    number = _finite(value, _SECONDS)
    if number < 0:
        raise NoScoreError(f"{number:g} seconds")
    return number
