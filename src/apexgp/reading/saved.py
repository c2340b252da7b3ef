"""Saved readings: what was decided about a table, in a file beside it, for later exports of the same form."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._check import format_some
from ..errors import ApexError, DataError, RequestError
from ..files.writing import write_text
from ..scale import range_to_text
from .files import EXPERIMENT, Sheet, read_bytes
from .interpretation import Interpretation, TableSettings, check_settings
from .roles import COUNTS

__all__ = ["FORM", "NO_READING", "SavedReading", "find_place", "load_saved"]

_FORMAT = "apexgp reading"
_VERSION = 1
_ENDING = ".reading.json"
NO_READING = "none"
"""In place of a saved reading: none is wanted."""
FORM = ("sheet", "header", "transposed")
"""Settings that the names of the columns depend on."""
_ROLE_OF = {"size": "size", "score": "score", "split": "split", "task": "model"} | {
    name: name for name in ("train_score", "score_sd", *COUNTS)
}
"""The role of the column that an argument names."""


@dataclass(frozen=True)
class SavedReading:
    """What was decided about a table: the names of its columns, settings of `apexgp.read`, and corrected cells."""

    columns: tuple[str, ...]
    settings: Mapping[str, Any]
    cells: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sheet: Sheet, found: Interpretation, cells: Mapping[str, str]) -> SavedReading:
        """Keep the decisions of an interpretation; rows only if they were given: they move in a later export."""
        settings, said = found.as_settings(), found.said
        for argument in ("header", "rows", "sections"):
            if getattr(said, argument) is None:
                settings.pop(argument, None)
        if not settings.get("fill_down"):
            settings.pop("fill_down", None)
        if settings.get("range") is not None:
            settings["range"] = range_to_text(settings["range"])
        return cls(_list_names(sheet, found), settings, dict(cells))

    def add_to(self, said: TableSettings) -> TableSettings:
        """Settings of the caller, with the saved ones for whatever they leave open."""
        given = {argument: value for argument, value in vars(said).items() if value is not None}
        named = {role for argument, role in _ROLE_OF.items() if argument in given}
        letters: dict[str, str] = given.pop("roles", {})
        replaced = {*named, *letters.values()} - {"ignored"}
        kept = {
            letter: role
            for letter, role in self.settings.get("roles", {}).items()
            if role not in replaced and not (named and role == "ignored")  # the caller may have named that column
        }
        roles = {**kept, **letters}
        return check_settings(**{**self.settings, **given, "roles": roles or None})

    def check_columns(self, sheet: Sheet, found: Interpretation, path: Path) -> None:
        """Refuse a table whose columns have other names than the one that this was saved for."""
        names = _list_names(sheet, found)
        if names != self.columns:
            raise DataError(
                f"{path} was saved for the columns {_quote(self.columns)}, but {sheet.source} has {_quote(names)}.",
                remedy=("Read the table without it with {}, and save that reading instead.", ("reading", NO_READING)),
            )

    def write(self, path: Path) -> bool:
        """Write it to a file, and return whether it took the place of one saved before; no other is overwritten."""
        replaces = os.path.lexists(path)
        if replaces and not _is_saved_reading(path):
            raise RequestError(f"{path} exists and is no saved reading. Move it away, or delete it, first.")
        whole = {
            "format": _FORMAT,
            "version": _VERSION,
            "columns": self.columns,
            "settings": self.settings,
            **({"cells": self.cells} if self.cells else {}),
        }
        write_text(path, json.dumps(whole, indent=1, ensure_ascii=False) + "\n", overwrite=replaces)
        return replaces


def find_place(source: Path) -> Path | None:
    """The file beside a table in which its reading is saved; None for what is no file or folder."""
    if str(source) == "-" or (str(source).startswith(EXPERIMENT) and not source.exists()):
        return None
    named = source if source.name not in ("", "..") else source.resolve()
    return named.with_name(f"{named.name}{_ENDING}")


def load_saved(path: Path) -> SavedReading:
    """Load a saved reading, or say what is wrong with its file."""
    try:
        whole = json.loads(read_bytes(path))
        if whole["format"] != _FORMAT:
            raise _build_damage_error(path, "is no saved reading")
        if whole["version"] != _VERSION:
            raise _build_damage_error(path, "was saved by a later version of apexgp")
        saved = SavedReading(
            tuple(map(str, whole["columns"])),
            dict(whole["settings"]),
            {str(cell): str(text) for cell, text in whole.get("cells", {}).items()},
        )
        saved.add_to(TableSettings())  # which checks the settings
    except ApexError as problem:
        if isinstance(problem, DataError):
            raise
        raise _build_damage_error(path, "is damaged") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _build_damage_error(path, "is damaged, or no saved reading") from None
    return saved


def _quote(names: tuple[str, ...]) -> str:
    return format_some([repr(name) for name in names], 20) if names else "none with a name"


def _build_damage_error(path: Path, why: str) -> DataError:
    return DataError(
        f"{path} {why}.",
        remedy=("Delete it, or read the table without it with {}.", ("reading", NO_READING)),
    )


def _is_saved_reading(path: Path) -> bool:
    try:
        whole = json.loads(read_bytes(path))
    except (DataError, ValueError, RecursionError):
        return False
    return isinstance(whole, dict) and whole.get("format") == _FORMAT


def _list_names(sheet: Sheet, found: Interpretation) -> tuple[str, ...]:
    """What stands above each column, as it came, without nameless columns at the end."""
    header = [row for i, row in enumerate(found.header) if row == found.header[0] + i]  # of the first of several tables
    rows = [sheet.rows[sheet.index[row]] for row in header if row in sheet.index]
    names = [" ".join(filter(None, cells)) for cells in zip(*rows, strict=True)]
    while names and not names[-1]:
        names.pop()
    return tuple(names)
