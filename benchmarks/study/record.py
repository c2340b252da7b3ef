"""What each method made of each pilot, kept as it comes: a file of JSON lines a method.

A run that was stopped goes on after its last whole line; methods can be run one after another, or in environments of
their own. The first line says which priors were used, as rows of others must not be mixed with them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

import scoring
from apexgp import Forecast
from apexgp.cautions import shorten_caution
from apexgp.errors import ApexError
from apexgp.files.lock import lock_file
from study.methods import Method
from study.peers import NotAvailableError
from study.samples import Pilot

_DIGITS = 7
FACTS = ("sample", "curve", "task", "learner", "shape", "sizes", "splits", "end", "seconds", "cautions", "failure")
_FIGURES = (
    *("horizon", "size", "truth", "crps", "log_score", "error", "pit"),
    *(f"{what}_{level}" for what in ("covers", "width") for level in scoring.INTERVALS),
)


def priors_used(folds: str | None) -> str:
    """What tells rows that were made with other priors."""
    return "shipped" if folds is None else "folds " + hashlib.sha1(Path(folds).read_bytes()).hexdigest()[:12]


class Record:
    """What one method has made so far."""

    def __init__(self, file, done: set[tuple[str, int]]) -> None:
        self._file = file
        self._done = done

    def lacks(self, pilot: Pilot) -> bool:
        return (pilot.sample, pilot.curve) not in self._done

    def add(self, pilot: Pilot, row: dict) -> None:
        self._file.append(json.dumps(pilot.facts() | row) + "\n")
        self._done.add((pilot.sample, pilot.curve))


@contextmanager
def opened(folder: Path, method: str, priors: str) -> Iterator[Record]:
    """The record of a method, made if need be, and locked."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{method}.jsonl"
    with lock_file(path) as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)  # a line without its end was being written when the run was stopped
        if not file.end:
            file.append(json.dumps({"priors": priors}) + "\n")
            yield Record(file, set())
            return
        head, *lines = content[: file.end].splitlines()
        _refuse_other_priors(path, json.loads(head)["priors"], priors)
        rows = (json.loads(line) for line in lines)
        yield Record(file, {(row["sample"], row["curve"]) for row in rows})


def run(folder: Path, name: str, method: Method, pilots: Iterable[Pilot], priors: str) -> str:
    """Let a method forecast the pilots that its record lacks; says what was done."""
    added = refused = 0
    with opened(folder, name, priors) as record:
        for pilot in pilots:
            if pilot.curve % method.every or not record.lacks(pilot):
                continue
            try:
                row = _outcome(method, pilot)
            except NotAvailableError as problem:
                return f"left out: {problem}"
            record.add(pilot, row)
            added += 1
            refused += "failure" in row
    return f"{added} pilots" + (f", {refused} without a forecast" if refused else "")


def _outcome(method: Method, pilot: Pilot) -> dict:
    """Figures at each later size, or why there are none."""
    start = process_time()
    try:
        forecast = method.fit(pilot.case)("new_splits")
    except NotAvailableError:
        raise
    except (ApexError, ValueError, RuntimeError, ArithmeticError, np.linalg.LinAlgError) as problem:
        return {"seconds": process_time() - start, "failure": f"{type(problem).__name__}: {problem}"}
    seconds = process_time() - start
    return {"seconds": round(seconds, 5), "cautions": _brief(forecast)} | _figures(pilot, forecast)


def _brief(forecast: Forecast) -> list[str]:
    return [shorten_caution(caution) for caution in forecast.cautions]


def _figures(pilot: Pilot, forecast: Forecast) -> dict[str, list]:
    case = pilot.case
    rows = scoring.score(case, forecast, "new_splits")
    known = rows.index.to_numpy()
    rows = rows.assign(size=case.sizes[known], truth=case.truths["new_splits"][known])
    figures = {
        column: [float(f"{value:.{_DIGITS}g}") for value in rows[column]] for column in rows if column != "horizon"
    }
    return {"horizon": rows["horizon"].astype(str).tolist(), **figures}


def read(folder: Path, names: Iterable[str]) -> pd.DataFrame:
    """All that the records of these methods hold: a row a method, pilot and later size; cautions joined by `;`."""
    found = [_read_one(folder / f"{name}.jsonl", name) for name in names if (folder / f"{name}.jsonl").exists()]
    if not found:
        raise SystemExit(f"{folder} holds no records. Make them first: python -m study run --out {folder}")
    rows = pd.concat(found, ignore_index=True)
    truths = rows.dropna(subset="truth").groupby(["sample", "curve", "size"]).truth
    if ((truths.max() - truths.min()) > 1e-5).any():
        raise SystemExit(f"{folder} holds records of different pilots; make it anew in an empty folder.")
    return rows


def _read_one(path: Path, name: str) -> pd.DataFrame:
    columns: dict[str, list] = {}
    content = path.read_bytes()
    for line in content[: content.rfind(b"\n") + 1].splitlines()[1:]:  # whole lines: it may still be written
        row = {"failure": None, "horizon": [None], "truth": [np.nan]} | json.loads(line)
        row["cautions"] = "; ".join(row.get("cautions", []))
        count = len(row["truth"])
        for column in (*FACTS, *_FIGURES):
            value = row.get(column, np.nan)
            columns.setdefault(column, []).extend(value if isinstance(value, list) else [value] * count)
    return pd.DataFrame(columns).assign(method=name)


def _refuse_other_priors(path: Path, found: str, wanted: str) -> None:
    if found != wanted:
        raise SystemExit(
            f"{path} was made with other priors ({found}) than those asked for now ({wanted}). "
            "Name another folder with --out, or delete it."
        )
