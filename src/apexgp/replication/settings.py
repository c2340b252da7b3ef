"""What a configuration may say, key by key, and what stands where it says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .._check import UNUSABLE, check_choice, check_mapping, format_some
from ..collect.logistic import LogisticHead
from ..collect.slices import SliceHead
from ..collect.splits import check_ratio
from ..collect.tuned import TunedLogistic
from ..errors import RequestError
from . import keys
from .keys import Keys
from .methods import EXPERIMENT_METHODS, PAPER_METHODS

__all__ = ["HEADS", "Dense", "checked_settings"]

HEADS: Mapping[str, type[BaseEstimator]] = {"2D": LogisticHead, "3D": SliceHead, "tuned": TunedLogistic}
"""Classifiers by the names that a configuration has for them: the paper's two, and the default of `apexgp collect`."""

_MOST_SPLITS = 1000
_MOST_ROUNDS = 100_000
_FEWEST_PILOT_SIZES = 3  # that a curve is fitted to
_TRIAL = np.linspace(-1.0, 1.0, 20)  # cases that a head's settings are tried on


@dataclass(frozen=True)
class Dense:
    """Many runs at a few large sizes, which show how often intervals hold.

    Attributes
    ----------
    sizes : tuple of int
        Training-set sizes.
    runs : int
        Splits at each of them.
    group : int
        How many runs are averaged to one score, as a pilot averages its splits.
    levels : tuple of float
        Of the intervals that are looked at.
    """

    sizes: tuple[int, ...]
    runs: int
    group: int
    levels: tuple[float, ...] = (0.95, 0.8)


def checked_settings(top: Keys, folder: Path) -> dict[str, Any]:
    """Every key of a configuration, checked: the arguments of an `Experiment`. Files lie in `folder`."""
    data, classifier, sizes = top.table("data"), top.table("classifier"), top.table("sizes")
    splits, forecasts = top.table("splits"), top.table("forecasts")
    found: dict[str, Any] = {
        "name": top.take("name", keys.word),
        "embeddings": _path(data, "embeddings", folder),
        "table": _path(data, "table", folder),
        "labels": data.take("labels", keys.names),
        "tasks": data.take("tasks", _tasks, {}),
        "patients": data.take("patients", keys.word, None),
        "drop": data.take("drop", keys.names, ()),
        "head": classifier.take("head", _head),
        "metric": classifier.take("metric", keys.word, "auroc"),
        "pilot": sizes.take("pilot", keys.sizes),
        "short": sizes.take("short", keys.sizes, ()),
        "long": sizes.take("long", keys.sizes, ()),
        "n_splits": splits.take("number", keys.a_number_of(1, _MOST_SPLITS), 3),
        "seed": splits.take("seed", keys.a_number_of(0, 2**53), 0),
        "ratio": splits.take("ratio", _ratio, (0.8, 0.1, 0.1)),
        "eps_min": forecasts.take("eps_min", keys.fraction, 0.0),
        "methods": forecasts.take("methods", _methods, (*PAPER_METHODS, "apexgp")),
        "level": forecasts.take("level", keys.positive_fraction, 0.95),
        "delta": forecasts.take("delta", keys.positive_fraction, 0.01),
        "rounds": forecasts.take("rounds", keys.a_number_of(1, _MOST_ROUNDS), 500),
    }
    found["head_settings"] = _head_settings(classifier.table("settings"), found["head"])
    _check_sizes(sizes, found)
    found["dense"] = _dense(top.table("dense"), found) if "dense" in top else None
    for table in (top, data, classifier, sizes, splits, forecasts):
        table.refuse_others()
    return found


def _path(data: Keys, key: str, folder: Path) -> Path | None:
    named = data.take(key, keys.word, "")
    return folder / named if named else None


def _tasks(name: str, value: Any) -> dict[str, str]:
    tasks = check_mapping(name, value, 'a table, such as {bacterial = "Bacterial"}')
    found = {task: keys.word(name, title) for task, title in tasks.items()}
    if len(set(found.values())) < len(found):
        raise RequestError(f"gives two tasks the same name: {format_some(list(found.values()))}.", argument=name)
    return found


def _head(name: str, value: Any) -> str:
    return check_choice(name, value, tuple(HEADS))


def _head_settings(settings: Keys, head: str) -> dict[str, Any]:
    """Parameters of the head, by the names that its class has for them; it says itself whether their values will do."""
    parameters = HEADS[head]().get_params()
    found = {key: settings.take(key, lambda _name, value: value, default) for key, default in parameters.items()}
    settings.refuse_others()
    given = {key: value for key, value in found.items() if key in settings}
    if given:
        X = _TRIAL[:, None, None] if head == "3D" else _TRIAL[:, None]
        try:
            HEADS[head](**given).fit(X, np.arange(len(_TRIAL)) % 2, validation=(X, np.arange(len(_TRIAL)) % 2))
        except UNUSABLE as problem:  # before the first fit of a run, instead of in each of them
            key = str(getattr(problem, "argument", ""))
            said = getattr(problem, "message", None) or f"{type(problem).__name__}: {problem}"
            raise settings.error(key if key in given else next(iter(given)), said) from None
    return given


def _ratio(name: str, value: Any) -> tuple[float, float, float]:
    return check_ratio(keys.numbers(name, value), name)


def _methods(name: str, value: Any) -> tuple[str, ...]:
    return tuple(check_choice(name, one, tuple(EXPERIMENT_METHODS)) for one in keys.names(name, value))


def _check_sizes(sizes: Keys, found: Mapping[str, Any]) -> None:
    if len(found["pilot"]) < _FEWEST_PILOT_SIZES:
        raise sizes.error("pilot", f"must have {_FEWEST_PILOT_SIZES} sizes or more, got {list(found['pilot'])}.")
    if not found["short"] and not found["long"]:
        raise sizes.error(
            "short", f"and {sizes.called('long')} name no size to forecast. Give at least one of them a size."
        )
    for name in ("short", "long"):
        if found[name] and found[name][0] <= found["pilot"][-1]:
            raise sizes.error(
                name, f"must lie beyond the pilot's largest, {found['pilot'][-1]:,}, got {found[name][0]:,}."
            )


def _dense(dense: Keys, found: Mapping[str, Any]) -> Dense:
    wanted = Dense(
        sizes=dense.take("sizes", keys.sizes),
        runs=dense.take("runs", keys.a_number_of(1, _MOST_SPLITS)),
        group=dense.take("group", keys.a_number_of(1, _MOST_SPLITS), found["n_splits"]),
        levels=dense.take("levels", _levels, (0.95, 0.8)),
    )
    dense.refuse_others()
    if not wanted.sizes or wanted.sizes[0] <= found["pilot"][-1]:
        raise dense.error("sizes", f"must lie beyond the pilot's largest, {found['pilot'][-1]:,}.")
    if wanted.runs < wanted.group:
        raise dense.error(
            "runs", f"must be at least {dense.called('group')}, {wanted.group}, which are averaged; got {wanted.runs}."
        )
    return wanted


def _levels(name: str, value: Any) -> tuple[float, ...]:
    return tuple(keys.positive_fraction(name, level) for level in keys.numbers(name, value))
