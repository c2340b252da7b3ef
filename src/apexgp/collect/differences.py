"""In what two runs differ, in a few words each: what a person changed, not what the record tells them apart by."""

from __future__ import annotations

import json
import re
from typing import Any

from ..reading.spreadsheets import one_line

__all__ = ["CALLED", "DIRECTION", "FEATURES", "LEARNER", "RANGE", "differences"]

CALLED = "called"  # the setting that holds what a person calls the estimator
DIRECTION = "direction"  # and the one that says whether higher or lower scores are better
RANGE = "range"  # and the one that says which values they can take
LEARNER = "learner"  # and the one that says of which kind the estimator is
FEATURES = "features"  # and the one that says how many features it has
_NO_MATTER = (CALLED, DIRECTION, RANGE, LEARNER, FEATURES)  # tell no two runs apart: the rows are the same
_LONGEST = 60
_DATA = {"X": "features", "y": "labels", "groups": "groups", "scorers": "scorers", "sample_weight": "sample weights"}


def differences(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Each setting that differs, as in "seed: 0, now 1"; empty where it is the same run."""
    other = [
        name
        for name in dict.fromkeys([*wanted, *found])
        if name not in _NO_MATTER and found.get(name) != wanted.get(name)
    ]
    if "cases" in other:  # then all about the data differs
        other = [name for name in other if name not in ("classes", *_DATA)]
    elif "y" in other:
        other = [name for name in other if name != "classes"]
    return [_said(name, found, wanted) for name in other]


def _said(name: str, found: dict[str, Any], wanted: dict[str, Any]) -> str:
    before, after = found.get(name), wanted.get(name)
    if name in ("estimator", "train"):
        return f"{name}: {_estimators(name, found, wanted)}"
    if name in _DATA:
        if before is None or after is None:
            return f"{_DATA[name]}: {'none' if before is None else 'given'}, now {'none' if after is None else 'given'}"
        return f"{_DATA[name]}: different values"
    return f"{name}: {_short(before)}, now {_short(after)}"


def _estimators(name: str, found: dict[str, Any], wanted: dict[str, Any]) -> str:
    before, after = str(found.get(CALLED, "another")), str(wanted.get(CALLED, "another"))
    if before != after:
        return f"{_short(before)}, now {_short(after)}"
    old, new = (_settings(str(settings.get(name))) for settings in (found, wanted))
    changed = [one for one in dict.fromkeys([*old, *new]) if old.get(one) != new.get(one)]
    if not changed:
        return f"{_short(before)}, but with different code"
    return f"{_short(before)} with {'; '.join(f'{one} {old.get(one)}, now {new.get(one)}' for one in changed[:3])}"


def _settings(description: str) -> dict[str, str]:
    """Plain values of parameters that the description of an estimator holds."""
    return dict(re.findall(r"\b(\w++)=([^,()\[\]{} ]+)", description))


def _short(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(_short, value))
    if isinstance(value, float):
        return f"{value:g}"
    return one_line(value if isinstance(value, str) else json.dumps(value), _LONGEST)
