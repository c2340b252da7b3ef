"""In what two runs differ, in a few words each: what a person changed, not what the record tells them apart by."""

from __future__ import annotations

import json
import re
from typing import Any

from ..reading.spreadsheets import one_line

__all__ = ["DIRECTION", "ESTIMATOR_NAME", "FEATURES", "LEARNER", "RANGE", "list_differences"]

ESTIMATOR_NAME = "called"  # the setting that holds what a person calls the estimator
DIRECTION = "direction"  # and the one that says whether higher or lower scores are better
RANGE = "range"  # and the one that says which values they can take
LEARNER = "learner"  # and the one that says of which kind the estimator is
FEATURES = "features"  # and the one that says how many features it has
_IGNORED = (ESTIMATOR_NAME, DIRECTION, RANGE, LEARNER, FEATURES)  # tell no two runs apart: the rows are the same
_MAX_CHARS = 60
_DATA_NAMES = {"X": "features", "y": "labels", "groups": "groups", "scorers": "scorers", "sample_weight": "sample weights"}


def list_differences(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Each setting that differs, as in "seed: 0, now 1"; empty where it is the same run."""
    changed = [
        name
        for name in dict.fromkeys([*wanted, *found])
        if name not in _IGNORED and found.get(name) != wanted.get(name)
    ]
    if "cases" in changed:  # then all about the data differs
        changed = [name for name in changed if name not in ("classes", *_DATA_NAMES)]
    elif "y" in changed:
        changed = [name for name in changed if name != "classes"]
    return [_describe_difference(name, found, wanted) for name in changed]


def _describe_difference(name: str, found: dict[str, Any], wanted: dict[str, Any]) -> str:
    before, after = found.get(name), wanted.get(name)
    if name in ("estimator", "train"):
        return f"{name}: {_describe_estimators(name, found, wanted)}"
    if name in _DATA_NAMES:
        if before is None or after is None:
            return f"{_DATA_NAMES[name]}: {'none' if before is None else 'given'}, now {'none' if after is None else 'given'}"
        return f"{_DATA_NAMES[name]}: different values"
    return f"{name}: {_shorten(before)}, now {_shorten(after)}"


def _describe_estimators(name: str, found: dict[str, Any], wanted: dict[str, Any]) -> str:
    before, after = str(found.get(ESTIMATOR_NAME, "another")), str(wanted.get(ESTIMATOR_NAME, "another"))
    if before != after:
        return f"{_shorten(before)}, now {_shorten(after)}"
    old, new = (_parse_parameters(str(settings.get(name))) for settings in (found, wanted))
    changed = [one for one in dict.fromkeys([*old, *new]) if old.get(one) != new.get(one)]
    if not changed:
        return f"{_shorten(before)}, but with different code"
    return f"{_shorten(before)} with {'; '.join(f'{one} {old.get(one)}, now {new.get(one)}' for one in changed[:3])}"


def _parse_parameters(description: str) -> dict[str, str]:
    """Plain values of parameters that the description of an estimator holds."""
    return dict(re.findall(r"\b(\w++)=([^,()\[\]{} ]+)", description))


def _shorten(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(_shorten, value))
    if isinstance(value, float):
        return f"{value:g}"
    return one_line(value if isinstance(value, str) else json.dumps(value), _MAX_CHARS)
