"""Folders of training runs, named by size and seed, with the results that Hugging Face's Trainer writes.

`all_results.json` goes before `trainer_state.json`, of which the last evaluation counts; checkpoints belong to the run
above them, and the latest speaks for it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._check import format_some
from ..errors import DataError
from .records import as_table
from .spreadsheets import Table

__all__ = ["run_folder"]

_RESULTS = "all_results.json"
_STATE = "trainer_state.json"
_MOST_FILES = 100_000
_SIZE_WORDS = {"n", "size", "train", "samples", "examples", "ntrain", "subset", "trainsize", "cases", "images"}
_SEED_WORDS = {"seed", "s", "split", "fold", "run", "rep", "repeat", "trial", "rs"}
# A word, perhaps of several parts, and the number behind it: n60, n_train=60, seed-1. Learning rates are not whole.
_NUMBERED = re.compile(r"(?<![a-z_ =-])([a-z_ =-]*+)(?<![\d.])(\d++)(?!\.|e-)", re.IGNORECASE)


def run_folder(source: str | os.PathLike[str]) -> Table:
    """The runs beneath a folder as a table: `size` and `seed` by their folders, and what was measured."""
    root = Path(source)
    files = _files(root)
    if not files:
        raise DataError(
            f"{root} is a folder without {_RESULTS} or {_STATE}. Name a file with a table of scores, or the folder "
            "above runs of Hugging Face's Trainer."
        )
    runs: dict[str, tuple[Path, dict[str, Any]]] = {}
    for folder, path in files.items():
        found = _results(path)
        if found:
            runs[folder] = path, found
    if not runs:
        raise DataError(
            f"{root}: no file there contains an evaluation; found {format_some(list(map(str, files.values())))}."
        )
    named = {folder: _by_name(folder) for folder in runs}
    records, odd = [], []
    for folder, (_, found) in runs.items():
        size, seed = named[folder]
        measured = found.get("train_samples")
        if size is not None and measured is not None and float(measured) != size:
            odd.append(f"{folder} ({measured:g})")
        known = {"size": measured if size is None else size, "seed": seed}
        records.append({**{key: one for key, one in known.items() if one is not None}, **_scores(found)})
    without = [folder for folder, record in zip(runs, records, strict=True) if "size" not in record]
    if without:
        raise DataError(
            f"{root}: the size of the training set is neither in the name of the folder nor, as train_samples, in the "
            f"file: {format_some(without)}. Name folders as in n60_seed1."
        )
    table = as_table(str(root), records, under=list(runs))
    return _with_notes(table, runs, odd, left_out=[folder for folder in files if folder not in runs])


def _with_notes(
    table: Table, runs: dict[str, tuple[Path, dict[str, Any]]], odd: list[str], left_out: list[str]
) -> Table:
    kinds = sorted({path.name for path, _ in runs.values()})
    notes = [f"read {' and '.join(kinds)} of {len(runs)} runs, with sizes and seeds from the names of their folders."]
    if _STATE in kinds:
        notes.append(f"used the last evaluation of each {_STATE}.")
    if odd:
        notes.append(
            f"the name of the folder and train_samples give different sizes; the name was used: {format_some(odd)}."
        )
    if left_out:
        notes.append(f"left out {len(left_out)} folders without an evaluation: {format_some(left_out)}.")
    return replace(table, notes=(*table.notes, *notes), place="run")


def _files(root: Path) -> dict[str, Path]:
    """The file that speaks for each run, by the folder of the run beneath the root."""
    best: dict[str, tuple[tuple[bool, int], Path]] = {}
    seen = 0
    for folder, below, names in os.walk(root):
        below.sort()
        seen += len(names)
        if seen > _MOST_FILES:
            raise DataError(
                f"{root} holds more than {_MOST_FILES:,} files. Name the folder that contains only the runs."
            )
        checkpoint = re.fullmatch(r"checkpoint-(\d+)", Path(folder).name)
        run = Path(folder).parent if checkpoint else Path(folder)
        for name in (_RESULTS, _STATE):
            if name in names:
                rank = (name == _RESULTS, int(checkpoint[1]) if checkpoint else 2**62)
                key = run.relative_to(root).as_posix()
                if key not in best or rank > best[key][0]:
                    best[key] = rank, Path(folder) / name
    return {run: best[run][1] for run in sorted(best, key=_as_counted)}


def _as_counted(folder: str) -> list[tuple[bool, int, str]]:
    """What sorts names as people do: n60 before n120."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", folder)]


def _results(path: Path) -> dict[str, Any]:
    """What a run measured; empty where nothing was evaluated."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise DataError(f"{path} cannot be read: {problem}.") from None
    if not isinstance(document, dict):
        raise DataError(f"{path} does not contain an object such as the Trainer writes.")
    if path.name == _RESULTS:
        return document if _scores(document) else {}
    history = [entry for entry in document.get("log_history") or [] if isinstance(entry, dict)]
    evaluated = [entry for entry in history if any(key.startswith("eval_") for key in entry)]
    return evaluated[-1] if evaluated else {}


def _scores(found: dict[str, Any]) -> dict[str, float]:
    """Numbers that were measured on data, without those of the clock."""
    clock = re.compile(r"runtime|_per_second$|^epoch$|^step$|^total_flos$|_samples$|jit_compilation")
    return {
        key: value
        for key, value in found.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and not clock.search(key)
    }


def _by_name(folder: str) -> tuple[float | None, int | None]:
    """The size and the seed that a folder is named by: n60_seed1, size=60/seed=1, 60/1."""
    size: float | None = None
    seed: int | None = None
    for part in folder.split("/"):
        for word, number in _NUMBERED.findall(part):
            last = re.split(r"[ _=-]+", word.strip(" _=-").casefold())[-1] if word else ""
            bare = part == number
            if seed is None and (last in _SEED_WORDS or (bare and size is not None)):
                seed = int(number)
            elif size is None and (last in _SIZE_WORDS or bare):
                size = float(number)
    return size, seed
