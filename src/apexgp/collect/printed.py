"""What a program has printed, or written to a file, as scores: the last JSON object, or else the last number."""

from __future__ import annotations

import json
import re
from typing import Any

from .outcome import NoScoreError

__all__ = ["find_scores"]

# Not part of a word or a longer number: neither the 1 of F1 nor the 12.3 of 12.3s. NaN and infinity count as numbers,
# so that they cannot be passed over in favour of an earlier one.
_NUMBER = re.compile(
    r"(?<![\w.])(?P<number>[-+]?(?:(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?|nan|inf(?:inity)?))(?P<share>\s?%)?(?!\w|\.\d)",
    re.IGNORECASE,
)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def find_scores(text: str) -> Any:
    """The scores of a text: a mapping from names to values, or a number."""
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
