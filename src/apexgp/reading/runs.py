"""Runs of experiments as a grid: JSON and JSON lines, folders of runs, experiments of MLflow.

Of a folder of Hugging Face's Trainer, `all_results.json` goes before `trainer_state.json`, of which the last evaluation
counts; checkpoints belong to the run above them, and the latest speaks for it.
"""

from __future__ import annotations

import ast
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._check import format_some
from .._extras import import_extra
from ..errors import DataError
from .files import Sheet, one_line

__all__ = ["expand_dictionaries", "load_experiment", "load_folder", "load_json"]

_EXAMPLE = '{"n": 60, "auc": 0.71, "seed": 1}'
_MOST_DEPTH = 20
_LONGEST = 100_000  # characters of a cell that is looked into


def load_json(name: str, text: str) -> Sheet:
    """A document of JSON, or lines of it, with one object for each run or measurement."""
    return _build_sheet(name, *_records_in(name, text))


def _records_in(name: str, text: str) -> tuple[list[Mapping[str, Any]], list[int] | None]:
    """The objects of a file, one for each run or measurement; and their lines, where each has its own."""
    try:
        return _of_document(name, json.loads(text)), None
    except (json.JSONDecodeError, RecursionError) as problem:
        lines = [(i, line) for i, line in enumerate(text.splitlines(), start=1) if line.strip()]
        records: list[Mapping[str, Any]] = []
        for number, line in lines:
            try:
                record = json.loads(line)
            except (json.JSONDecodeError, RecursionError):
                first = problem if number == lines[0][0] else f"line {number} is not an object"
                raise DataError(f"{name} looks like JSON, but is neither valid JSON nor JSON lines: {first}.") from None
            if not isinstance(record, dict):
                raise DataError(f"{name}, line {number}: expected an object such as {_EXAMPLE}.") from None
            records.append(record)
        return records, [number for number, _ in lines]


def _of_document(name: str, document: Any) -> list[Mapping[str, Any]]:
    """The records of a document, in whichever of the usual ways it holds them."""
    if isinstance(document, list):
        if document and all(isinstance(one, dict) for one in document):
            return document
        raise DataError(f"{name} holds a list, but not of objects such as {_EXAMPLE}.")
    values = list(document.values())
    if isinstance(document.get("columns"), list) and isinstance(document.get("data"), list):  # a table of pandas or W&B
        rows = [row for row in document["data"] if isinstance(row, list)]
        return [dict(zip(map(str, document["columns"]), row, strict=False)) for row in rows]
    if values and all(isinstance(one, dict) for one in values):
        if all(key.isdigit() for one in values for key in one):  # a data frame, column by column
            labels = dict.fromkeys(key for one in values for key in one)
            return [{column: own.get(label) for column, own in document.items()} for label in labels]
        if len(values) > 1 and len({frozenset(one) for one in values}) == 1:
            return [{"name": key, **one} for key, one in document.items()]
    lists = {key: one for key, one in document.items() if isinstance(one, list)}
    heights = {len(one) for one in lists.values()}
    of_objects = [one for one in lists.values() if one and all(isinstance(entry, dict) for entry in one)]
    if len(of_objects) == 1:
        shared = {key: one for key, one in document.items() if not isinstance(one, list | dict)}
        return [{**shared, **record} for record in of_objects[0]]
    if len(lists) > 1 and len(heights) == 1 and not of_objects:  # columns, and what holds for all
        shared = {key: one for key, one in document.items() if key not in lists}
        return [{**shared, **{key: own[i] for key, own in lists.items()}} for i in range(heights.pop())]
    return [document]


def _build_sheet(
    name: str, records: Sequence[Mapping[str, Any]], lines: list[int] | None = None, under: Sequence[str] = ()
) -> Sheet:
    """Records as a grid, what is nested by names with points between; lists are no cells and are named in a note."""
    flat: list[dict[str, str]] = []
    lists: dict[str, None] = {}
    for record in records:
        flat.append({})
        for key, value in _leaves(record, (), name):
            if isinstance(value, list):
                lists[key] = None
            else:
                flat[-1][key] = _cell(value)
    names = list(dict.fromkeys(key for record in flat for key in record))
    if not records or not names:
        raise DataError(f"{name} contains no run with a score.")
    notes = (f"did not use the lists under {', '.join(map(repr, lists))}.",) if lists else ()
    numbers = list(range(1, len(flat) + 1)) if lines is None else lines
    rows = [
        (0, names),
        *((number, [own.get(one, "") for one in names]) for number, own in zip(numbers, flat, strict=True)),
    ]
    place = "record" if lines is None else "line"
    return Sheet.build(name, rows, place=place, notes=notes, is_named=True, under=("", *under) if under else ())


def _leaves(value: Mapping[str, Any], above: tuple[str, ...], name: str) -> Iterable[tuple[str, Any]]:
    if len(above) > _MOST_DEPTH:
        raise DataError(f"{name} is nested more than {_MOST_DEPTH} levels deep. Put sizes and scores nearer the top.")
    for key, one in value.items():
        if isinstance(one, dict):
            yield from _leaves(one, (*above, str(key)), name)
        else:
            yield ".".join((*above, str(key))), one


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value) if isinstance(value, float) else one_line(str(value))


def expand_dictionaries(sheet: Sheet) -> Sheet:
    """The sheet with cells that hold whole dictionaries, as W&B's example of an export writes them, as columns."""
    names, *body = sheet.rows
    columns: dict[str, list[str]] = {}
    for i, name in enumerate(names):
        cells = [row[i] for row in body]
        found = [_dictionary(cell) for cell in cells] if any(cell.startswith("{") for cell in cells) else [None]
        if not name or any(one is None for one in found):
            columns[name if name not in columns else f"{name} ({i + 1})"] = cells
            continue
        leaves = [dict(_leaves(one or {}, (name,), sheet.source)) for one in found]
        for key in dict.fromkeys(key for one in leaves for key in one):
            columns[key] = [_cell(one.get(key)) for one in leaves]
    if len(columns) == len(names):
        return sheet
    rows = [tuple(columns), *zip(*columns.values(), strict=True)]
    return replace(sheet, rows=tuple(rows), is_named=True)


def _dictionary(cell: str) -> dict[str, Any] | None:
    """The dictionary in a cell, as JSON or as Python write it; None where there is none."""
    if len(cell) > _LONGEST:
        return None
    try:
        found = json.loads(cell)
    except (json.JSONDecodeError, RecursionError):
        try:
            found = ast.literal_eval(re.sub(r"\b(nan|inf)\b", "None", cell))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return found if isinstance(found, dict) else None


_RESULTS = "all_results.json"
_STATE = "trainer_state.json"
_SUMMARY = "summary.json"  # nnU-Net, in the folder `validation` of a fold
_MOST_FILES = 100_000
_SIZE_WORDS = {"n", "size", "train", "samples", "examples", "ntrain", "subset", "trainsize", "cases", "images"}
_SEED_WORDS = {"seed", "s", "split", "fold", "run", "rep", "repeat", "trial", "rs"}
# A word, perhaps of several parts, and the number behind it: n60, n_train=60, seed-1. Learning rates are not whole.
_NUMBERED = re.compile(r"(?<![a-z_ =-])([a-z_ =-]*+)(?<![\d.])(\d++)(?!\.|e-)", re.IGNORECASE)


def load_folder(source: str | os.PathLike[str]) -> Sheet:
    """The runs beneath a folder as a grid: `size` and `seed` by their folders, and what was measured."""
    root = Path(source)
    files = _files(root)
    if not files:
        raise DataError(
            f"{root} is a folder without {_RESULTS}, {_STATE} or {_SUMMARY}. Name a file with a table of scores, or "
            "the folder above runs of Hugging Face's Trainer or of nnU-Net."
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
    sheet = _build_sheet(str(root), records, under=list(runs))
    return _with_notes(sheet, runs, odd, left_out=[folder for folder in files if folder not in runs])


def _with_notes(
    sheet: Sheet, runs: dict[str, tuple[Path, dict[str, Any]]], odd: list[str], left_out: list[str]
) -> Sheet:
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
    return replace(sheet, notes=(*sheet.notes, *notes), place="run")


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
        run = Path(folder).parent if checkpoint or Path(folder).name == "validation" else Path(folder)
        for name in (_RESULTS, _STATE, _SUMMARY):
            if name in names:
                rank = (name == _RESULTS, int(checkpoint[1]) if checkpoint else 2**62)
                key = run.relative_to(root).as_posix()
                if key not in best or rank > best[key][0]:
                    best[key] = rank, Path(folder) / name
    return {run: best[run][1] for run in sorted(best, key=_as_counted)}


def _as_counted(folder: str) -> list[tuple[bool, int, str]]:
    """Sort key for names as people sort them: n60 before n120."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", folder)]


def _results(path: Path) -> dict[str, Any]:
    """Read the scores of a run; empty where nothing was evaluated."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise DataError(f"{path} cannot be read: {problem}.") from None
    if not isinstance(document, dict):
        raise DataError(f"{path} does not contain an object such as the Trainer writes.")
    if path.name == _SUMMARY:
        return _read_summary(document)
    if path.name == _RESULTS:
        return document if _scores(document) else {}
    history = [entry for entry in document.get("log_history") or [] if isinstance(entry, dict)]
    evaluated = [entry for entry in history if any(key.startswith("eval_") for key in entry)]
    return evaluated[-1] if evaluated else {}


def _read_summary(document: dict[str, Any]) -> dict[str, Any]:
    """The Dice score that nnU-Net found on the validation cases of a fold, the mean of its labels, and their number."""
    cases = document.get("metric_per_case")
    found = document.get("foreground_mean")
    if not isinstance(found, dict):  # version 1: the mean of each label, the background being label 0
        results = document.get("results")
        results = results if isinstance(results, dict) else {}
        labels = results.get("mean")
        own = (
            [one for key, one in labels.items() if key != "0" and isinstance(one, dict)]
            if isinstance(labels, dict)
            else []
        )
        dice = [one["Dice"] for one in own if isinstance(one.get("Dice"), int | float)]
        found, cases = ({"Dice": sum(dice) / len(dice)} if dice else {}), results.get("all")
    dice_score = found.get("Dice")
    if isinstance(dice_score, bool) or not isinstance(dice_score, int | float):
        return {}
    return {"Dice": dice_score, **({"n_test": len(cases)} if isinstance(cases, list) and cases else {})}


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


_PAGE = 1000
_MOST_RUNS = 100_000


def load_experiment(name: str) -> Sheet:
    """The runs of an experiment as a grid, with `params.` and `metrics.` before what was set and measured.

    The store is the one that MLflow itself would use: what `MLFLOW_TRACKING_URI` says, or the folder that we are in.
    """
    mlflow = import_extra("mlflow", f"Reading mlflow:{name}", "mlflow")
    try:
        client = mlflow.MlflowClient()
        found = client.get_experiment_by_name(name)
        if found is None:
            there = [one.name for one in client.search_experiments(max_results=_PAGE)]
            raise DataError(
                f"{mlflow.get_tracking_uri()} has no experiment {name!r}; found {format_some(there, 20) or 'none'}. "
                "The environment variable MLFLOW_TRACKING_URI sets which store is read."
            )
        runs = _runs(client, found.experiment_id)
    except (mlflow.exceptions.MlflowException, OSError) as problem:  # the store, or the network
        said = " ".join(str(problem).split())
        raise DataError(f"mlflow:{name} cannot be read from {mlflow.get_tracking_uri()}: {said}.") from problem
    if not runs:
        raise DataError(f"The experiment {name!r} has no runs.")
    runs.sort(key=lambda run: run.info.start_time or 0)
    return _build_sheet(
        f"mlflow:{name}",
        [
            {
                "run_id": run.info.run_id,
                "status": run.info.status,
                "params": dict(run.data.params),
                "metrics": dict(run.data.metrics),
                "tags": {key: value for key, value in run.data.tags.items() if not key.startswith("mlflow.")},
            }
            for run in runs
        ],
        under=[run.info.run_name or run.info.run_id for run in runs],
    )


def _runs(client: Any, experiment: str) -> list[Any]:
    """Every run that was not deleted, page by page."""
    runs: list[Any] = []
    token = None
    while True:
        page = client.search_runs([experiment], max_results=_PAGE, page_token=token)
        runs += page
        token = page.token
        if not token:
            return runs
        if len(runs) >= _MOST_RUNS:
            raise DataError(
                f"The experiment holds more than {_MOST_RUNS:,} runs. Export those of the pilot as a table."
            )
