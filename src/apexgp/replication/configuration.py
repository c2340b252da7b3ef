"""An experiment before it is run: a configuration file, read and checked whole; those of the paper ship with us."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Self

from .._check import check_text
from ..errors import DataError
from ..files.writing import file_behind, write_text
from ..reading.spreadsheets import read_bytes
from .keys import Keys
from .moved import text_moved
from .settings import HEADS, Dense, checked_settings

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
    dense : Dense or None
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
    dense: Dense | None
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
        path = file_behind(source)
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
            top = Keys(where, tomllib.loads(content))
        except (tomllib.TOMLDecodeError, RecursionError) as problem:
            raise DataError(f"It is not valid TOML: {problem}", where=where) from None
        return cls(text=content, **checked_settings(top, file_behind(folder)))

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
        """The configuration as a file in `folder` must have it, to name the same embeddings and table."""
        return text_moved(self.text, {"embeddings": self.embeddings, "table": self.table}, file_behind(folder))

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the configuration to a file, comments included, for you to edit.

        It names the same files from there. One that ships with apexgp names files that do not exist yet, beside it.
        """
        ships = self.text in shipped_experiments().values()
        write_text(path, self.text if ships else self.text_in(file_behind(path).parent), overwrite=overwrite)


@cache
def shipped_experiments() -> dict[str, str]:
    """The configurations that ship with apexgp: their texts by their names."""
    folder = resources.files(__package__) / "shipped"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return {file.name.removesuffix(".toml"): file.read_text(encoding="utf-8") for file in files}
