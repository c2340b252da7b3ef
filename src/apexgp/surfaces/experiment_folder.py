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

from .._check import instance, truth
from .._files import file_behind, refuse_to_overwrite, write_text, written_atomically
from .._tables import as_csv
from ..curve import curve_columns
from ..errors import RequestError, WouldOverwriteError
from ..experiment.result import ExperimentResult
from .facts import experiment_facts
from .plot.experiment import ExperimentDisplay

__all__ = ["RECORD", "begun", "write_experiment"]

RECORD = "runs.csv"
"""The record of the fits, which an experiment goes on from."""


def write_experiment(
    result: ExperimentResult, folder: str | os.PathLike[str], *, pictures: bool | None = None, overwrite: bool = False
) -> None:
    """Write all that an experiment found into a folder, which is made if it is not there.

    `tables.md` has the paper's tables; each is also a CSV file. `curves.csv` holds the measured curves, `figures.csv`
    and `dense.csv` every figure, `experiment.json` all of it, `experiment.toml` the configuration, and a PNG file for
    each task the curve with its forecasts.

    Parameters
    ----------
    result
        What `run_experiment` gave.
    folder
        Where to write.
    pictures
        Whether to draw; by default where matplotlib is installed.
    overwrite
        Whether files may exist.
    """
    instance("result", result, ExperimentResult, "what apexgp.run_experiment gives")
    place = file_behind(folder)
    texts = _texts(result)
    drawn = find_spec("matplotlib") is not None if pictures is None else truth("pictures", pictures)
    names = picture_names(result.curves) if drawn else {}
    if not os.path.isdir(place):
        refuse_to_overwrite(place, False)
        place.mkdir()
    for name in (*texts, *names.values()):
        refuse_to_overwrite(place / name, overwrite)
    for name, text in texts.items():
        write_text(place / name, text, overwrite=overwrite)
    for task, name in names.items():
        _draw(ExperimentDisplay.from_result(result, task).plot(), place / name, overwrite)


@contextmanager
def begun(folder: Path) -> Iterator[Path]:
    """For the length of an experiment, the record in its folder: a new one, or one that an experiment has begun.

    A folder that would stay empty, because nothing could be begun, does not stay.
    """
    new = not os.path.isdir(folder)
    if new:
        refuse_to_overwrite(folder, False)  # says what stands there, or that the folder above does not exist
        folder.mkdir()
    try:
        held = sorted(os.listdir(folder))
    except OSError as problem:
        raise RequestError(f"{folder} cannot be read: {problem.strerror}. Name another folder.") from None
    if held and RECORD not in held:
        raise WouldOverwriteError(
            f"{folder} holds {held[0]} and no {RECORD}, so no experiment has begun there. Name another folder."
        )
    try:
        yield folder / RECORD
    finally:
        if new:
            with suppress(OSError):  # it holds something
                folder.rmdir()


def picture_names(tasks: Iterable[str]) -> dict[str, str]:
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


def _texts(result: ExperimentResult) -> dict[str, str]:
    """Every file of text by its name."""
    facts = experiment_facts(result)
    tables = result.tables
    files = {f"{table.name}.csv": table.as_csv() for table in tables}
    files["tables.md"] = "\n".join([f"# {result.experiment.name}\n", *(table.as_markdown() for table in tables)])
    files["tables.md"] += f"\n{facts['sentence']}\n"
    files["curves.csv"] = as_csv(curve_columns(result.curves.values()))
    files["figures.csv"] = as_csv(result.to_dict("ranges"))
    if result.dense:
        files["dense.csv"] = as_csv(result.to_dict("dense"))
    files["experiment.json"] = json.dumps(facts, indent=1) + "\n"
    files["experiment.toml"] = result.experiment.text
    return files


def _draw(display: Any, path: Path, overwrite: bool) -> None:
    from matplotlib import pyplot

    with written_atomically(path, overwrite=overwrite) as draft:
        display.figure_.savefig(draft, dpi=130)
    pyplot.close(display.figure_)
