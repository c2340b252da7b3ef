"""The files to embed, with their patients and labels, found in a folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from .._check import format_some
from ..errors import DataError
from ..reading.layout import Table, read_table
from .pictures import PICTURE_SUFFIXES
from .preprocess import Kind
from .scans import is_nifti

__all__ = ["Item", "LabelledFiles", "digest_items", "list_files", "read_file_names", "read_own_files"]

_LEAST_PREVALENCE = 0.1  # of a label that the paper makes a task of
_RESERVED = ("X", "source", "embedding", "slices")  # names that the output needs itself


@dataclass(frozen=True)
class Item:
    """A picture or scan: its name in the table, and its path."""

    file: str
    path: Path

    @cached_property
    def key(self) -> str:
        """Digest of name, length and time of change, which identifies the file in a later run."""
        summed = hashlib.blake2b(self.file.encode(errors="surrogateescape"), digest_size=16)
        for path in _list_parts(self.path):
            about = path.stat()
            summed.update(f"\n{path.name} {about.st_size} {about.st_mtime_ns}".encode(errors="surrogateescape"))
        return summed.hexdigest()


def _list_parts(path: Path) -> list[Path]:
    return sorted(part for part in path.rglob("*") if part.is_file()) if path.is_dir() else [path]


def digest_items(items: Iterable[Item]) -> str:
    """Digest that identifies a set of items as they are now; their order does not count."""
    return hashlib.blake2b("".join(sorted(item.key for item in items)).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class LabelledFiles:
    """Items with their patients and labels, one cell per item, and names without a counterpart.

    Parameters
    ----------
    kind
        Whether these are pictures or scans.
    items
        The files to embed.
    patients
        Patient of each item; None where they are not known.
    labels
        Columns of labels by name, one cell per item.
    without_file
        Names that the table has and the folder has not.
    without_label
        Files that the folder has and the table has not.
    notes
        Sentences on cases that were left out.
    """

    kind: Kind
    items: tuple[Item, ...]
    patients: tuple[str, ...] | None
    labels: Mapping[str, tuple[str, ...]]
    without_file: tuple[str, ...] = ()
    without_label: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def tasks(self) -> tuple[str, ...]:
        """Labels with two values or more; of those that are 0 or 1, the ones that a tenth of the items have."""
        return tuple(label for label, cells in self.labels.items() if _is_task(cells))


def _is_task(cells: Sequence[str]) -> bool:
    values = set(cells) - {""}
    if values <= {"0", "1"}:
        return len(values) == 2 and cells.count("1") >= _LEAST_PREVALENCE * len(cells)
    return len(values) > 1


def list_files(folder: Path) -> Iterator[str]:
    """Names of all files in a folder, relative to it, with slashes, in order."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            yield (Path(place) / name).relative_to(folder).as_posix()


def read_own_files(folder: Path, labels: Path, per_patient: Sequence[str] = ()) -> LabelledFiles:
    """Read a table of files of one's own: a column `file`, perhaps `patient`, and every other column a label.

    Parameters
    ----------
    folder
        Where the files are, at any depth.
    labels
        The CSV file. `file` is the name of a picture, of a NIfTI file or of a folder of DICOM slices, within `folder`.
    per_patient
        Labels that are the patient's, and must be the same in all of the patient's rows.
    """
    table = read_table(labels)
    names = _read_file_column(table)
    columns = {name: cells for name, cells in table.columns.items() if name not in ("file", "patient")}
    taken = [name for name in columns if name in _RESERVED]
    if taken:
        raise DataError(f"{labels}: a label cannot be called {format_some(taken)}. Rename the column.")
    patients = table.columns.get("patient")
    if patients is not None and "" in patients:
        empty = [line for cell, line in zip(patients, table.lines, strict=True) if not cell]
        raise DataError(
            f"{labels}: column 'patient' has no value in line {format_some(empty)}. Fill it in, or delete the row."
        )
    for label in per_patient:
        _refuse_two_labels(table, label)
    found = [(folder / name).exists() for name in names]
    rows = [i for i, present in enumerate(found) if present]
    if not rows:
        raise DataError(
            f"None of the {len(names)} files that {labels} names is in {folder}; it names {format_some(names, 2)}, "
            "relative to that folder."
        )
    items = tuple(Item(names[i], folder / names[i]) for i in rows)
    kind = _decide_kind(items, labels)
    return LabelledFiles(
        kind,
        items,
        None if patients is None else tuple(patients[i] for i in rows),
        {name: tuple(cells[i] for i in rows) for name, cells in columns.items()},
        without_file=tuple(name for name, present in zip(names, found, strict=True) if not present),
        without_label=tuple(_find_unlisted(folder, items, kind)),
    )


def read_file_names(path: Path) -> set[str]:
    """Names in the column `file` of a table."""
    return set(_read_file_column(read_table(path)))


def _read_file_column(table: Table) -> list[str]:
    if "file" not in table.columns:
        raise DataError(
            f"{table.path} has no column 'file', which should name the pictures; found "
            f"{format_some(list(table.columns), 20)}."
        )
    lines: dict[str, int] = {}
    for cell, line in zip(table.columns["file"], table.lines, strict=True):
        if not cell:
            raise DataError(
                f"{table.path}, line {line}, column 'file': the cell is empty. Fill it in, or delete the row."
            )
        name = PurePosixPath(cell.replace("\\", "/")).as_posix()
        if name in lines:
            raise DataError(f"{table.path} names {name} in lines {lines[name]} and {line}. Delete one of the rows.")
        lines[name] = line
    return list(lines)


def _refuse_two_labels(table: Table, label: str) -> None:
    for column in (label, "patient"):
        if column not in table.columns:
            raise DataError(f"{table.path} has no column {column!r}; found {format_some(list(table.columns), 20)}.")
    first: dict[str, tuple[str, int]] = {}
    for patient, cell, line in zip(table.columns["patient"], table.columns[label], table.lines, strict=True):
        known, where = first.setdefault(patient, (cell, line))
        if known != cell:
            raise DataError(
                f"{table.path}: patient {patient} has {label} {known!r} in line {where} and {cell!r} in line {line}. "
                "Correct the table, or, if the label belongs to the picture and not to the patient, leave it as it is",
                remedy=("and omit {}.", ("per_patient", label)),
            )


def _decide_kind(items: Sequence[Item], labels: Path) -> Kind:
    scans = [item.path.is_dir() or is_nifti(item.path) for item in items]
    if any(scans) and not all(scans):
        one, other = items[scans.index(False)].file, items[scans.index(True)].file
        raise DataError(
            f"{labels} names pictures ({one}) and scans ({other}). Embed them separately, with a table for each."
        )
    return "scans" if all(scans) else "pictures"


def _find_unlisted(folder: Path, items: Sequence[Item], kind: Kind) -> Iterator[str]:
    """Cases that the table does not name: pictures at any depth, scans beside those that are named."""
    named = {item.file for item in items}
    if kind == "pictures":
        yield from (
            name for name in list_files(folder) if name.lower().endswith(PICTURE_SUFFIXES) and name not in named
        )
        return
    holding = {parent for name in named for parent in PurePosixPath(name).parents}
    for place in sorted(holding):
        for path in sorted((folder / place).iterdir()):
            name = path.relative_to(folder).as_posix()
            if (path.is_dir() or is_nifti(path)) and name not in named and PurePosixPath(name) not in holding:
                yield name
