"""An experiment before it is run: a configuration file, read and checked whole; those of the paper ship with us."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Self

from .._check import check_path, check_text
from ..errors import DataError
from ..files.writing import write_text
from ..reading.files import read_bytes
from .settings import HEADS, ConfigTable, DenseRuns, read_configuration

__all__ = ["Experiment", "shipped_experiments"]


@dataclass(frozen=True)
class Experiment:
    """All settings of an experiment on one data set. `Experiment.read` makes one from a configuration file.

    Attributes
    ----------
    name : str
        What the data set is called.
    text : str
        The configuration as it was written.
    labels : tuple of str
        Columns (or arrays) that hold the classes.
    tasks : dict
        The tasks to measure, with what tables call each; empty: all that the labels give.
    patients : str or None
        Column that says which rows belong together.
    drop : tuple of str
        Columns of a table that are not features.
    embeddings, table : Path or None
        Where the embeddings are, and the table of labels and patients that they come with, if that is another file.
    head : str
        The classifier, a key of `HEADS`.
    head_settings : dict
        Its parameters, where they are not the default ones.
    metric : str
        What is measured.
    pilot, short, long : tuple of int
        Training-set sizes: those that are fitted to, and those of the two ranges that are forecast.
    n_splits, seed, ratio
        As for `collect_curves`.
    dense : DenseRuns or None
        Many runs at a few large sizes.
    eps_min : float
        One minus the highest possible score.
    methods : tuple of str
        What is compared.
    level, delta, rounds
        Of the intervals; half the width around a score to which the likelihood refers; how often splits are resampled
        to estimate the uncertainty of a value.

    Examples
    --------
    >>> Experiment.read("chestxray14").long
    (804, 1796, 4010, 8955, 20000)
    """

    name: str
    text: str = field(repr=False)
    labels: tuple[str, ...]
    tasks: dict[str, str]
    patients: str | None
    drop: tuple[str, ...]
    embeddings: Path | None
    table: Path | None
    head: str
    head_settings: dict[str, Any]
    metric: str
    pilot: tuple[int, ...]
    short: tuple[int, ...]
    long: tuple[int, ...]
    n_splits: int
    seed: int
    ratio: tuple[float, float, float]
    dense: DenseRuns | None
    eps_min: float
    methods: tuple[str, ...]
    level: float
    delta: float
    rounds: int

    @classmethod
    def read(cls, source: str | os.PathLike[str]) -> Self:
        """Read a configuration: the name of one that ships with apexgp, or a TOML file."""
        shipped = shipped_experiments()
        if isinstance(source, str) and source in shipped:
            return cls.parsed(shipped[source], source)
        path = check_path(source)
        if not os.path.exists(path):
            raise DataError(
                f"There is no file {path}, and no experiment of that name ships with apexgp; choose from "
                f"{', '.join(shipped)}."
            )
        where = os.fsdecode(source)
        try:
            content = read_bytes(path).decode("utf-8")
        except UnicodeDecodeError as problem:
            raise DataError(f"It is not UTF-8 text: {problem}.", where=where) from None
        return cls.parsed(content, where, path.parent)

    @classmethod
    def parsed(cls, content: str, where: str = "configuration", folder: str | os.PathLike[str] = os.curdir) -> Self:
        """Check the text of a configuration, `where` in messages; files that it names lie in `folder`."""
        content, where = check_text("content", content, error=DataError), check_text("where", where)
        try:
            top = ConfigTable(where, tomllib.loads(content))
        except (tomllib.TOMLDecodeError, RecursionError) as problem:
            raise DataError(f"It is not valid TOML: {problem}", where=where) from None
        return cls(text=content, **read_configuration(top, check_path(folder)))

    @property
    def ceiling(self) -> float:
        """The highest possible score."""
        return 1.0 - self.eps_min

    @property
    def ranges(self) -> dict[str, tuple[int, ...]]:
        """The sizes that are forecast, by range."""
        return {name: sizes for name, sizes in (("short", self.short), ("long", self.long)) if sizes}

    def classifier(self) -> Any:
        """The head, with its settings."""
        return HEADS[self.head](**self.head_settings)

    def text_in(self, folder: str | os.PathLike[str]) -> str:
        """The configuration as it must read in `folder`, to name the same embeddings and table."""
        return rewrite_paths(self.text, {"embeddings": self.embeddings, "table": self.table}, check_path(folder))

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the configuration to a file, comments included, for you to edit.

        It names the same files from there. One that ships with apexgp names files that do not exist yet, beside it.
        """
        ships = self.text in shipped_experiments().values()
        write_text(path, self.text if ships else self.text_in(check_path(path).parent), overwrite=overwrite)


@cache
def shipped_experiments() -> dict[str, str]:
    """The configurations that ship with apexgp: their texts by their names."""
    folder = resources.files(__package__) / "shipped"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return {file.name.removesuffix(".toml"): file.read_text(encoding="utf-8") for file in files}


def rewrite_paths(text: str, files: Mapping[str, Path | None], folder: Path) -> str:
    """Text of a configuration for a file in `folder`, with its paths changed and its comments kept.

    Parameters
    ----------
    text
        The text as it was written.
    files
        Files that it names, by their keys in its table `data`; None where it names none.
    folder
        Folder that it goes to. Paths become relative to it, except those that lead to the same file as they are.
    """
    for key, file in files.items():
        named = tomllib.loads(text).get("data", {}).get(key, "")
        if file is not None and not (named and folder / named == file):
            text = _replace_path(text, key, _find_relative_path(folder, file))
    return text


def _find_relative_path(folder: Path, file: Path) -> str:
    """Path of a file from a folder; absolute where it is on another drive."""
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # on another drive
        return file.as_posix()


def _replace_path(text: str, key: str, path: str) -> str:
    """Text with another path for a key; where it is written too oddly to be changed, with a comment that says so."""
    wanted = tomllib.loads(text)
    wanted.setdefault("data", {})[key] = path
    for changed in _list_edits(text, key, json.dumps(path, ensure_ascii=False)):
        if _parse_toml(changed) == wanted:
            return changed
    return f"# data.{key} is {path!a} from here.\n{text}"


def _list_edits(text: str, key: str, literal: str) -> Iterator[str]:
    """Each way to write the path into the text; some would change a comment or another table."""
    for found in re.finditer(rf"""\b{key}["']?\s*=\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*')""", text):
        yield text[: found.start(1)] + literal + text[found.end(1) :]
    for found in re.finditer(r"^[ \t]*\[[ \t]*data[ \t]*\].*$", text, re.MULTILINE):
        yield f"{text[: found.end()]}\n{key} = {literal}{text[found.end() :]}"


def _parse_toml(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
