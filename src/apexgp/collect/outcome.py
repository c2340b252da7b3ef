"""Scores from what a training function returns (a number, or numbers by name and part) or a program prints."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .._check import UNUSABLE, format_some, format_value, has_attributes
from ..files.writing import to_json_value
from ..reading.known_metrics import UNNAMED
from ..reading.names import says_held_out_score
from .fit_record import PARTS

__all__ = ["INPUT_KEYS", "NoScoreError", "Outcome", "is_number", "parse_scores", "to_outcome"]

Scores = dict[str, dict[str, float]]
"""Scores by part of the data (train, validation, test) and metric."""

_SECONDS_KEY, _N_TEST_KEY = "seconds", "n_test"
# Keys under which a script may repeat its input, which is no score, and the place of that input in (size, split).
INPUT_KEYS = {"n": 0, "size": 0, "n_train": 0, "train_size": 0, "seed": 1, "split": 1}

# Not part of a word or a longer number: neither the 1 of F1 nor the 12.3 of 12.3s. NaN and infinity count as numbers,
# so that they cannot be passed over in favour of an earlier one.
_NUMBER = re.compile(
    r"(?<![\w.])(?P<number>[-+]?(?:(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?|nan|inf(?:inity)?))(?P<share>\s?%)?(?!\w|\.\d)",
    re.IGNORECASE,
)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class NoScoreError(Exception):
    """A fit has no score; the message is the reason, for its row of the record."""


@dataclass(frozen=True)
class Outcome:
    """Scores of one fit, and what came with them.

    Attributes
    ----------
    scores : dict
        By part and metric.
    extras : dict
        Named values that are not scores: texts and the like, and numbers that repeat the size or the seed.
    n_test, seconds : optional
        Number of test cases and duration, where they are known.
    by_part : bool
        Whether the scores came by part of the data, so that every name is that of a metric.
    """

    scores: Scores
    extras: dict[str, Any] = field(default_factory=dict)
    n_test: int | None = None
    seconds: float | None = None
    by_part: bool = False

    @property
    def metrics(self) -> list[str]:
        """Names of the test scores, in the order in which they came."""
        return list(self.scores["test"])

    @property
    def likely_metrics(self) -> list[str]:
        """Metrics whose names are known as scores; all of them where none is, or where scores came by part."""
        return [name for name in self.metrics if says_held_out_score(name)] * (not self.by_part) or self.metrics

    def with_seconds(self, seconds: float) -> Outcome:
        """Copy with this duration."""
        return replace(self, seconds=seconds)


def to_outcome(given: Any, size: int, split: int, unnamed: str = UNNAMED) -> Outcome:
    """Convert what a training function returned for a size and a split to scores.

    `unnamed` is the metric of a score without a name. NoScoreError says why there is no score.
    """
    if isinstance(given, Outcome):  # of a program, whose output has been read
        return given
    if isinstance(given, Mapping):
        if "test" in given and set(given) <= {*PARTS, _SECONDS_KEY, _N_TEST_KEY}:
            return _read_parts(dict(given), unnamed)
        named = {str(name): value for name, value in given.items()}
        repeated = {name for name in named if _repeats_input(name, named[name], size, split)}
        measured = {name: value for name, value in named.items() if is_number(value) and name not in repeated}
        seconds, cases = (measured.pop(name, None) for name in (_SECONDS_KEY, _N_TEST_KEY))
        scores = {name: _check_finite(value, name) for name, value in measured.items()}
        if not scores:
            raise NoScoreError(f"no number under the name of a metric, but {format_value(dict(given))}")
        extras = {name: value for name, value in named.items() if not is_number(value) or name in repeated}
        return Outcome({"test": scores}, to_json_value(extras, repr), _check_n_test(cases), _check_seconds(seconds))
    if has_attributes(given, "test"):
        return _read_parts({name: getattr(given, name, None) for name in (*PARTS, _SECONDS_KEY, _N_TEST_KEY)}, unnamed)
    return Outcome({"test": {unnamed: _check_finite(given, "the score")}})


def _read_parts(given: dict[str, Any], unnamed: str) -> Outcome:
    scores = {part: _name_scores(given[part], part, unnamed) for part in PARTS if given.get(part) is not None}
    if "test" not in scores:
        raise NoScoreError("no test score")
    strange = sorted({name for own in scores.values() for name in own} - set(scores["test"]))
    if strange:
        raise NoScoreError(f"{format_some(strange)} for train or validation, but not for test")
    return Outcome(
        scores, {}, _check_n_test(given.get(_N_TEST_KEY)), _check_seconds(given.get(_SECONDS_KEY)), by_part=True
    )


def _name_scores(given: Any, part: str, unnamed: str) -> dict[str, float]:
    if not isinstance(given, Mapping):
        return {unnamed: _check_finite(given, f"the {part} score")}
    scores = {str(name): _check_finite(value, f"{part} {name}") for name, value in given.items()}
    if not scores:
        raise NoScoreError(f"an empty mapping as {part} scores")
    return scores


def _repeats_input(name: str, value: Any, size: int, split: int) -> bool:
    return name in INPUT_KEYS and is_number(value) and float(value) == (size, split)[INPUT_KEYS[name]]


def is_number(value: Any) -> bool:
    """Whether a value is one real number, of whatever library; not a boolean, not a text."""
    if isinstance(value, (str, bytes, bool)) or type(value).__name__ in ("bool_", "bool"):
        return False
    try:
        float(value)
    except UNUSABLE:
        return False
    return True


def _check_finite(value: Any, name: str) -> float:
    if not is_number(value):
        raise NoScoreError(f"{format_value(value)} instead of a number ({name})")
    number = float(value)
    if not math.isfinite(number):
        raise NoScoreError(f"{number} instead of a finite number ({name})")
    return number


def _check_n_test(value: Any) -> int | None:
    if value is None:
        return None
    number = _check_finite(value, _N_TEST_KEY)
    if number < 1 or not number.is_integer():
        raise NoScoreError(f"{number:g} as n_test, the number of test cases")
    return int(number)


def _check_seconds(value: Any) -> float | None:
    if value is None:
        return None
    number = _check_finite(value, _SECONDS_KEY)
    if number < 0:
        raise NoScoreError(f"{number:g} seconds")
    return number


def parse_scores(text: str) -> Any:
    """Scores at the end of a text: the last JSON object, or else the last number."""
    text = _ESCAPES.sub("", text).replace("\r", "\n")  # colours, and bars that are drawn again and again
    found = _find_last_object(text)
    if found is not None:
        return found
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        raise NoScoreError("no number and no JSON object")
    last = numbers[-1]
    number = last["number"]
    before = re.search(r"(?<![\d.,])\d+,$", text[: last.start()][-100:])
    if before and re.fullmatch(r"\d+|\d{3}\.\d+", number):
        raise NoScoreError(f"'{before[0]}{number}', which could be one number or two (write it without a comma)")
    return float(number) / (100 if last["share"] else 1)


def _find_last_object(text: str) -> dict[str, Any] | None:
    """The last JSON object that begins a line and ends one, however many lines it has."""
    found, start, decoder = None, 0, json.JSONDecoder()
    for line in re.finditer(r"^[ \t]*(?=\{)", text, re.MULTILINE):
        if line.end() < start:
            continue  # part of the object before
        try:
            value, end = decoder.raw_decode(text, line.end())
        except (ValueError, RecursionError):
            continue
        if re.match(r"[ \t\r]*(\n|\Z)", text[end : end + 1000]):
            found, start = value, end
    return found
