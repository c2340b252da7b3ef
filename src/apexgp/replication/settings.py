"""The keys that a configuration may have, with checks and defaults; the classifiers and methods it can name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from .._check import (
    UNUSABLE,
    check_choice,
    check_mapping,
    check_probability,
    check_real_number,
    check_text,
    check_whole_number,
    format_some,
    format_value,
)
from ..collect.logistic import LogisticHead
from ..collect.slices import SliceHead
from ..collect.splits import check_ratio
from ..collect.tuned import TunedLogistic
from ..errors import ApexError, DataError, RequestError
from ..estimators import APExGP, CurveEstimator
from ..estimators.least_squares import LeastSquares
from ..forecast import IntervalKind
from ..model.families import FAMILIES

__all__ = ["EXPERIMENT_METHODS", "HEADS", "ConfigTable", "DenseRuns", "ExperimentMethod", "read_configuration"]

HEADS: Mapping[str, type[BaseEstimator]] = {"2D": LogisticHead, "3D": SliceHead, "tuned": TunedLogistic}
"""Classifiers by their names in a configuration: the paper's two, and the default of `apexgp collect`."""

_MOST_SPLITS = 1000
_MOST_ROUNDS = 100_000
_FEWEST_PILOT_SIZES = 3  # that a curve is fitted to
_TRIAL = np.linspace(-1.0, 1.0, 20)  # cases that a head's settings are tried on

Found = TypeVar("Found")
Parser = Callable[[str, Any], Found]
"""Function of a key and its value that returns the value to use, or raises an error about the key."""


@dataclass(frozen=True)
class DenseRuns:
    """Many runs at a few large sizes, which show how often intervals contain the score.

    Attributes
    ----------
    sizes : tuple of int
        Training-set sizes.
    runs : int
        Splits at each of them.
    group : int
        Number of runs that are averaged to one score, as a pilot averages its splits.
    levels : tuple of float
        Levels of the intervals whose coverage is measured.
    """

    sizes: tuple[int, ...]
    runs: int
    group: int
    levels: tuple[float, ...] = (0.95, 0.8)


def read_configuration(top: ConfigTable, folder: Path) -> dict[str, Any]:
    """Check every key of a configuration; returns the arguments of an `Experiment`. Files are in `folder`."""
    data, classifier, sizes = top.table("data"), top.table("classifier"), top.table("sizes")
    splits, forecasts = top.table("splits"), top.table("forecasts")
    found: dict[str, Any] = {
        "name": top.take("name", _parse_word),
        "embeddings": _read_path(data, "embeddings", folder),
        "table": _read_path(data, "table", folder),
        "labels": data.take("labels", _parse_names),
        "tasks": data.take("tasks", _parse_tasks, {}),
        "patients": data.take("patients", _parse_word, None),
        "drop": data.take("drop", _parse_names, ()),
        "head": classifier.take("head", _parse_head),
        "metric": classifier.take("metric", _parse_word, "auroc"),
        "pilot": sizes.take("pilot", _parse_size_list),
        "short": sizes.take("short", _parse_size_list, ()),
        "long": sizes.take("long", _parse_size_list, ()),
        "n_splits": splits.take("number", _parse_whole(1, _MOST_SPLITS), 3),
        "seed": splits.take("seed", _parse_whole(0, 2**53), 0),
        "ratio": splits.take("ratio", _parse_ratio, (0.8, 0.1, 0.1)),
        "eps_min": forecasts.take("eps_min", _parse_fraction, 0.0),
        "methods": forecasts.take("methods", _parse_methods, (*PAPER_METHODS, "apexgp")),
        "level": forecasts.take("level", _parse_share, 0.95),
        "delta": forecasts.take("delta", _parse_share, 0.01),
        "rounds": forecasts.take("rounds", _parse_whole(1, _MOST_ROUNDS), 500),
    }
    found["head_settings"] = _read_head_settings(classifier.table("settings"), found["head"])
    _check_ranges(sizes, found)
    found["dense"] = _read_dense(top.table("dense"), found) if "dense" in top else None
    for table in (top, data, classifier, sizes, splits, forecasts):
        table.refuse_unused()
    return found


def _read_path(data: ConfigTable, key: str, folder: Path) -> Path | None:
    named = data.take(key, _parse_word, "")
    return folder / named if named else None


def _parse_tasks(name: str, value: Any) -> dict[str, str]:
    tasks = check_mapping(name, value, 'a table, such as {bacterial = "Bacterial"}')
    found = {task: _parse_word(name, title) for task, title in tasks.items()}
    if len(set(found.values())) < len(found):
        raise RequestError(f"gives two tasks the same name: {format_some(list(found.values()))}.", argument=name)
    return found


def _parse_head(name: str, value: Any) -> str:
    return check_choice(name, value, tuple(HEADS))


def _read_head_settings(settings: ConfigTable, head: str) -> dict[str, Any]:
    """Parameters of the head by its class's names; the head itself, fitted to a few cases, checks their values."""
    parameters = HEADS[head]().get_params()
    found = {key: settings.take(key, lambda _name, value: value, default) for key, default in parameters.items()}
    settings.refuse_unused()
    given = {key: value for key, value in found.items() if key in settings}
    if given:
        X = _TRIAL[:, None, None] if head == "3D" else _TRIAL[:, None]
        try:
            HEADS[head](**given).fit(X, np.arange(len(_TRIAL)) % 2, validation=(X, np.arange(len(_TRIAL)) % 2))
        except UNUSABLE as problem:  # before the first fit of a run, instead of in each of them
            key = str(getattr(problem, "argument", ""))
            message = getattr(problem, "message", None) or f"{type(problem).__name__}: {problem}"
            raise settings.make_error(key if key in given else next(iter(given)), message) from None
    return given


def _parse_ratio(name: str, value: Any) -> tuple[float, float, float]:
    return check_ratio(_parse_number_list(name, value), name)


def _parse_methods(name: str, value: Any) -> tuple[str, ...]:
    return tuple(check_choice(name, one, tuple(EXPERIMENT_METHODS)) for one in _parse_names(name, value))


def _check_ranges(sizes: ConfigTable, found: Mapping[str, Any]) -> None:
    if len(found["pilot"]) < _FEWEST_PILOT_SIZES:
        raise sizes.make_error("pilot", f"must have {_FEWEST_PILOT_SIZES} sizes or more, got {list(found['pilot'])}.")
    if not found["short"] and not found["long"]:
        raise sizes.make_error(
            "short", f"and {sizes.full_key('long')} name no size to forecast. Give at least one of them a size."
        )
    for name in ("short", "long"):
        if found[name] and found[name][0] <= found["pilot"][-1]:
            raise sizes.make_error(
                name, f"must lie beyond the pilot's largest, {found['pilot'][-1]:,}, got {found[name][0]:,}."
            )


def _read_dense(dense: ConfigTable, found: Mapping[str, Any]) -> DenseRuns:
    wanted = DenseRuns(
        sizes=dense.take("sizes", _parse_size_list),
        runs=dense.take("runs", _parse_whole(1, _MOST_SPLITS)),
        group=dense.take("group", _parse_whole(1, _MOST_SPLITS), found["n_splits"]),
        levels=dense.take("levels", _parse_levels, (0.95, 0.8)),
    )
    dense.refuse_unused()
    if not wanted.sizes or wanted.sizes[0] <= found["pilot"][-1]:
        raise dense.make_error("sizes", f"must lie beyond the pilot's largest, {found['pilot'][-1]:,}.")
    if wanted.runs < wanted.group:
        raise dense.make_error(
            "runs",
            f"must be at least {dense.full_key('group')}, {wanted.group}, which are averaged; got {wanted.runs}.",
        )
    return wanted


def _parse_levels(name: str, value: Any) -> tuple[float, ...]:
    return tuple(_parse_share(name, level) for level in _parse_number_list(name, value))


class ConfigTable:
    """One table of a configuration file, read key by key; none may be left over.

    Parameters
    ----------
    where : str
        The file, for messages.
    table : mapping
        What `tomllib` made of it.
    name : str
        The table's name in the file; empty for the file itself.
    """

    def __init__(self, where: str, table: Mapping[str, Any], name: str = "") -> None:
        self._where, self._table, self._name = where, dict(table), name
        self._asked: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def take(self, key: str, parse: Parser[Found], *otherwise: Any) -> Found:
        """Value of a key, checked; without the key the default `otherwise`, and without that an error."""
        self._asked.append(key)
        if key not in self._table:
            self._refuse_misspelt(key)
            if otherwise:
                found: Found = otherwise[0]
                return found
            raise self.make_error(key, "is missing.")
        try:
            return parse(self.full_key(key), self._table[key])
        except ApexError as problem:
            raise DataError(
                problem.message, argument=problem.argument, remedy=problem.remedy, where=self._where
            ) from None

    def table(self, key: str) -> ConfigTable:
        """A table within this one; empty where there is none."""
        return ConfigTable(self._where, self.take(key, _parse_table, {}), self.full_key(key))

    def list_unused(self) -> dict[str, Any]:
        """Keys that were not asked for."""
        return {key: value for key, value in self._table.items() if key not in self._asked}

    def refuse_unused(self) -> None:
        """Refuse keys that were not asked for, which are mostly misspelt."""
        for key in self.list_unused():
            near = difflib.get_close_matches(key, self._asked, 1)
            known = f"Did you mean {self.full_key(near[0])}?" if near else f"Choose from {', '.join(self._asked)}."
            raise self.make_error(key, f"is not a key of the configuration. {known}")

    def _refuse_misspelt(self, key: str) -> None:
        """Refuse a key that is nearly the missing one."""
        for near in difflib.get_close_matches(key, self.list_unused(), 1, cutoff=0.8):
            raise self.make_error(near, f"is not a key of the configuration. Did you mean {self.full_key(key)}?")

    def full_key(self, key: str) -> str:
        """Key with the names of its tables, as messages have it."""
        return f"{self._name}.{key}" if self._name else key

    def make_error(self, key: str, message: str) -> DataError:
        """Error about a key, with the file it is in."""
        return DataError(message, argument=self.full_key(key), where=self._where)


def _parse_table(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RequestError(f"must be a table, [{name}], got {format_value(value)}.", argument=name)
    return value


def _parse_word(name: str, value: Any) -> str:
    """Parse a text on one line that is not blank."""
    found = check_text(name, value, 'text, such as "patient"')
    if not found.strip() or "\n" in found:
        raise RequestError(f"must be text on one line, got {format_value(value)}.", argument=name)
    return found


def _parse_names(name: str, value: Any) -> tuple[str, ...]:
    """Parse a list of different texts."""
    if not isinstance(value, list) or not value:
        raise RequestError(f'must be a list of strings, such as ["a", "b"], got {format_value(value)}.', argument=name)
    found = tuple(_parse_word(name, one) for one in value)
    if len(set(found)) < len(found):
        raise RequestError(f"contains a duplicate: {format_value(value)}.", argument=name)
    return found


def _parse_size_list(name: str, value: Any) -> tuple[int, ...]:
    """Parse training-set sizes in ascending order; there may be none."""
    if not isinstance(value, list):
        raise RequestError(f"must be a list of sizes, such as [60, 94, 147], got {format_value(value)}.", argument=name)
    found = [check_whole_number(name, one, least=1) for one in value]
    if found != sorted(set(found)):
        raise RequestError(f"must be ascending, got {format_value(value)}.", argument=name)
    return tuple(found)


def _parse_number_list(name: str, value: Any) -> tuple[float, ...]:
    """Parse a list of numbers."""
    if not isinstance(value, list) or not value:
        raise RequestError(f"must be a list of numbers, such as [8, 1, 1], got {format_value(value)}.", argument=name)
    return tuple(check_real_number(name, one) for one in value)


def _parse_whole(least: int, most: int) -> Parser[int]:
    """Make a parser of whole numbers between two."""
    return lambda name, value: check_whole_number(name, value, least=least, most=most)


def _parse_fraction(name: str, value: Any) -> float:
    """Parse a number of at least 0 and below 1."""
    found = check_real_number(name, value)
    if not 0 <= found < 1:
        raise RequestError(f"must be at least 0 and below 1, got {found:g}.", argument=name)
    return found


def _parse_share(name: str, value: Any) -> float:
    """Parse a number between 0 and 1."""
    return check_probability(name, value)


@dataclass(frozen=True)
class ExperimentMethod:
    """A method of forecasting curves.

    Parameters
    ----------
    heading
        Name in tables and pictures; for the methods of the paper, the name there.
    make
        Makes the estimator, of the best score that is possible at all: `ceiling` or, where lower is better, `floor`.
    uncut
        Whether its error is that of the mean before it is cut to [0, 1], as in the paper's tables.
    interval
        Kind of its intervals: the paper's text speaks of highest density, its code has equal tails.
    single_scores
        Whether it is fitted to the scores of the single splits, instead of to their means.
    """

    heading: str
    make: Callable[..., CurveEstimator]
    uncut: bool = False
    interval: IntervalKind = "equal_tailed"
    single_scores: bool = False


PAPER_METHODS = ("power_law", "gp_power_law", "arctan", "gp_arctan")

_HEADINGS = {"power_law": "Power law", "arctan": "Arctan"}

EXPERIMENT_METHODS = MappingProxyType(
    {
        "gp_power_law": ExperimentMethod("GP pow", partial(APExGP.as_published, "power_law"), uncut=True),
        "gp_arctan": ExperimentMethod("GP arc", partial(APExGP.as_published, "arctan"), uncut=True),
        "gp_power_law_as_written": ExperimentMethod(
            "GP pow as written", partial(APExGP.as_written, "power_law"), uncut=True, interval="hdi"
        ),
        "gp_arctan_as_written": ExperimentMethod(
            "GP arc as written", partial(APExGP.as_written, "arctan"), uncut=True, interval="hdi"
        ),
        "apexgp": ExperimentMethod("apexgp", APExGP, single_scores=True),
        **{
            family: ExperimentMethod(_HEADINGS.get(family, family), partial(LeastSquares, family))
            for family in FAMILIES
        },
    }
)
"""The methods that an experiment can compare, by their names in a configuration."""
