"""The folder that an experiment leaves behind: tables, curves, pictures, and all of it as JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..._check import check_bool, check_instance, check_path
from ...curve import build_curve_columns
from ...errors import RequestError, WouldOverwriteError
from ...files.writing import check_writable, write_atomically, write_text
from ...reading.files import as_csv
from ...replication.result import ExperimentResult
from . import ExperimentAnswer, ExperimentDocument
from .picture import ExperimentDisplay

__all__ = ["RECORD", "open_experiment_folder", "rewrite_experiment", "write_experiment"]

RECORD = "runs.csv"
"""The record of the fits, which an experiment goes on from."""
_FACTS = "experiment.json"


def write_experiment(
    result: ExperimentResult, folder: str | os.PathLike[str], *, pictures: bool | None = None, overwrite: bool = False
) -> None:
    """Write the results of an experiment to a folder, which is created if needed.

    `tables.md` has the paper's tables; each is also a CSV file. `curves.csv` holds the measured curves, `figures.csv`
    and `dense.csv` every figure, `experiment.json` all of it and the names of these files, `experiment.toml` the
    configuration, and a PNG file for each task the curve with its forecasts.

    Parameters
    ----------
    result
        A result of `run_experiment`.
    folder
        Where to write.
    pictures
        Whether to draw; by default where matplotlib is installed.
    overwrite
        Whether files may exist. Files of an earlier experiment that this one does not have are deleted.
    """
    check_instance("result", result, ExperimentResult, "a result of apexgp.experiment.run_experiment")
    place, overwrite = check_path(folder), check_bool("overwrite", overwrite)
    drawn = find_spec("matplotlib") is not None if pictures is None else check_bool("pictures", pictures)
    if not os.path.isdir(place):
        check_writable(place, False)
        place.mkdir()
    names = name_pictures(result.curves) if drawn else {}
    texts = _texts(result, place, names.values())
    for name in (*texts, *names.values()):
        check_writable(place / name, overwrite)
    _write(result, place, texts, names, overwrite)


def rewrite_experiment(result: ExperimentResult, folder: Path, *, pictures: bool) -> None:
    """Write an experiment over its own files, as the last run in the folder left them, and over no others."""
    names = name_pictures(result.curves) if pictures else {}
    texts = _texts(result, folder, names.values())
    own = _files_of(folder)
    for name in (*texts, *names.values()):
        if name not in own and os.path.lexists(folder / name):
            raise WouldOverwriteError(
                f"{folder} holds {name}, which no experiment wrote. Move it elsewhere, or name another folder; the "
                f"fits are in {folder / RECORD}."
            )
    _write(result, folder, texts, names, True)


def _write(
    result: ExperimentResult, place: Path, texts: dict[str, str], pictures: dict[str, str], overwrite: bool
) -> None:
    if overwrite:
        for name in _files_of(place) - {*texts, *pictures.values()}:
            (place / name).unlink(missing_ok=True)
    for name, text in texts.items():
        write_text(place / name, text, overwrite=overwrite)
    for task, name in pictures.items():
        _draw(ExperimentDisplay.from_result(result, task).plot(), place / name, overwrite)


def _files_of(folder: Path) -> set[str]:
    """The files that the last experiment wrote there, by the list in its facts; none where there are no such facts."""
    try:
        facts = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return set()
    listed = facts.get("files") if isinstance(facts, dict) and {"apexgp", "experiment"} <= facts.keys() else None
    names = {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()
    # Whatever stands in the list: nothing outside the folder is a file of the experiment, nor is the record.
    return {name for name in names if name != RECORD and Path(name).name == name and (folder / name).is_file()}


@contextmanager
def open_experiment_folder(folder: Path) -> Iterator[Path]:
    """For the length of an experiment, the record in its folder: a new one, or one that an experiment has begun.

    A folder that would stay empty, because nothing could be begun, does not stay.
    """
    new = not os.path.isdir(folder)
    if new:
        check_writable(folder, False)  # says what stands there, or that the folder above does not exist
        folder.mkdir()
    _refuse_foreign(folder)
    try:
        yield folder / RECORD
    finally:
        if new:
            with suppress(OSError):  # it holds something
                folder.rmdir()


def _refuse_foreign(folder: Path) -> None:
    """A folder that holds something has a record, and beside it nothing, or the files of an experiment."""
    try:
        held = sorted(name for name in os.listdir(folder) if not name.startswith("."))  # hidden files harm nobody
    except OSError as problem:
        raise RequestError(f"{folder} cannot be read: {problem.strerror}. Name another folder.") from None
    if held and RECORD not in held:
        raise WouldOverwriteError(
            f"{folder} holds {held[0]} and no {RECORD}, so no experiment was started there. Name another folder."
        )
    others = [name for name in held if name != RECORD]
    if others and not _files_of(folder):
        raise WouldOverwriteError(
            f"{folder} holds {others[0]} beside {RECORD}, but no {_FACTS} of an experiment that lists it as written "
            "there. Name another folder."
        )


def name_pictures(tasks: Iterable[str]) -> dict[str, str]:
    """A file for the picture of each task; names that look the same as files are told apart by numbers."""
    found: dict[str, str] = {}
    for task in tasks:
        name = re.sub(r"[^A-Za-z0-9-]+", "_", task).strip("_-") or "task"
        taken = {one.lower() for one in found.values()}
        number = 1
        while (file := f"{name}{f'_{number}' if number > 1 else ''}.png").lower() in taken:
            number += 1
        found[task] = file
    return found


def _texts(result: ExperimentResult, folder: Path, pictures: Iterable[str]) -> dict[str, str]:
    """Every file of text by its name.

    The facts, which list them all, are the first: a run that is cut off between two files leaves none unlisted.
    """
    facts = ExperimentAnswer(result).document()
    tables = result.tables
    files = {f"{table.name}.csv": table.as_csv() for table in tables}
    files["tables.md"] = "\n".join([f"# {result.experiment.name}\n", *(table.as_markdown() for table in tables)])
    files["tables.md"] += f"\n{facts['sentence']}\n"
    files["curves.csv"] = as_csv(build_curve_columns(result.curves.values()))
    files["figures.csv"] = as_csv(result.to_dict("ranges"))
    if result.dense:
        files["dense.csv"] = as_csv(result.to_dict("dense"))
    files["experiment.toml"] = result.experiment.text_in(folder)
    listed: ExperimentDocument = {**facts, "files": sorted([_FACTS, *files, *pictures])}
    return {_FACTS: json.dumps(listed, indent=1) + "\n", **files}


def _draw(display: Any, path: Path, overwrite: bool) -> None:
    from matplotlib import pyplot

    with write_atomically(path, overwrite=overwrite) as draft:
        display.figure_.savefig(draft, dpi=130)
    pyplot.close(display.figure_)
