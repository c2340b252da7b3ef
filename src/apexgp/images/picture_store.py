"""Embeddings of pictures: one .npz file, and beside it, while a run lasts, the rows that are finished."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import WouldOverwriteError
from ..files.lock import LockedFile, lock_file
from ..files.writing import check_writable, write_atomically
from .items import LabelledFiles
from .pipeline import EmbeddedCase
from .record import EmbeddingSettings, format_settings, parse_settings, refuse_to_mix

__all__ = ["PictureStore", "open_picture_store", "read_picture_settings"]

_KEY = 16  # bytes of an item's key
_LONGEST_HEAD = 1 << 16
_ROWS = 1024  # that are moved at a time, however many there are


def get_part_path(out: Path) -> Path:
    """Where the finished rows are while a run lasts."""
    return out.with_name(out.name + ".part")


def read_picture_settings(out: Path) -> EmbeddingSettings | None:
    """What the output, or the part of it that is there, was made with; None where there is neither."""
    part = get_part_path(out)
    if part.is_file():
        with part.open("rb") as file:
            head = file.readline()
        if head.endswith(b"\n"):
            return parse_settings(head.decode(errors="replace"), part)
    return _FinishedOutput(out).settings if out.is_file() else None


class PictureStore:
    """Rows of pictures by key: those of a finished output, and those of the part that follows it.

    Parameters
    ----------
    out
        The .npz file.
    settings
        What the rows are made with.
    part
        The file that rows are added to. It begins with a line that holds the settings.
    finished
        The output that is there already, if there is one.
    """

    def __init__(self, out: Path, settings: EmbeddingSettings, part: LockedFile, finished: _FinishedOutput | None) -> None:
        self._out = out
        self._settings = settings
        self._part = part
        self._finished = finished
        self._length = _KEY + 4 * int(settings["width"])
        self._start = len(_read_head(part))
        self._row_of = self._rows_in_part()

    def _rows_in_part(self) -> dict[str, int]:
        count = (self._part.end - self._start) // self._length
        self._part.truncate(self._start + count * self._length)  # what a kill has torn
        keys: dict[str, int] = {}
        for first in range(0, count, _ROWS):
            block = self._part.read(self._start + first * self._length, _ROWS * self._length)
            for i in range(len(block) // self._length):
                keys[block[i * self._length : i * self._length + _KEY].hex()] = first + i
        return keys

    def __contains__(self, key: str) -> bool:
        return key in self._row_of or (self._finished is not None and key in self._finished.row_of)

    def add(self, finished: Sequence[EmbeddedCase]) -> None:
        """Keep the rows of a batch; when this returns, they are on the disk."""
        if not finished:
            return
        rows = [bytes.fromhex(one.item.key) + one.rows[0].astype("<f4").tobytes() for one in finished]
        self._part.append(b"".join(rows))
        for one in finished:
            self._row_of[one.item.key] = len(self._row_of)

    def finish(self, labelled: LabelledFiles) -> bool:
        """Write the output with what is there of the items; False where there is nothing new to write."""
        rows = [i for i, item in enumerate(labelled.items) if item.key in self]
        columns = self._columns(labelled, rows)
        if self._finished is not None and self._finished.holds(columns):
            return False
        with write_atomically(self._out, overwrite=True) as draft, zipfile.ZipFile(draft, "w") as archive:
            with archive.open(_make_zip_entry("X"), "w", force_zip64=True) as file:
                header = {"descr": "<f4", "fortran_order": False, "shape": (len(rows), int(self._settings["width"]))}
                np.lib.format.write_array_header_1_0(file, header)
                for i in rows:
                    file.write(self._row(labelled.items[i].key))
            for name, column in columns.items():
                with archive.open(_make_zip_entry(name), "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, column, allow_pickle=False)
        return True

    def _columns(self, labelled: LabelledFiles, rows: Sequence[int]) -> dict[str, NDArray[Any]]:
        columns = {"file": np.array([labelled.items[i].file for i in rows])}
        if labelled.patients is not None:
            columns["patient"] = np.array([labelled.patients[i] for i in rows])
        for label, cells in labelled.labels.items():
            columns[label] = _to_whole_numbers([cells[i] for i in rows])
        columns["source"] = np.array([labelled.items[i].key for i in rows])
        columns["embedding"] = np.array(format_settings(self._settings))
        return columns

    def _row(self, key: str) -> bytes:
        if key in self._row_of:
            start = self._start + self._row_of[key] * self._length + _KEY
            return self._part.read(start, self._length - _KEY)
        assert self._finished is not None  # only what is kept is asked for
        return self._finished.row(key)


class _FinishedOutput:
    """An output that is there already. Its rows are mapped: however many they are, they take no memory."""

    def __init__(self, out: Path) -> None:
        self._out = out
        try:
            with np.load(out, allow_pickle=False) as arrays:
                self._columns = {name: arrays[name] for name in arrays.files if name != "X"}
            self.settings = parse_settings(str(self._columns["embedding"]), out)
            self.row_of = {key: i for i, key in enumerate(self._columns["source"].tolist())}
            self._X = self._map_rows()
        except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile, struct.error):
            raise WouldOverwriteError(
                f"{out} exists, but was not written by apexgp embed.",
                remedy=("Name another file, or allow overwriting with {}.", ("overwrite", True)),
            ) from None

    def _map_rows(self) -> NDArray[np.float32]:
        with zipfile.ZipFile(self._out) as archive:
            start = archive.getinfo("X.npy").header_offset
        with self._out.open("rb") as file:
            file.seek(start + 26)  # of a local header: the lengths of its name and of what else is in it
            name, extra = struct.unpack("<HH", file.read(4))
            file.seek(start + 30 + name + extra)
            np.lib.format.read_magic(file)
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            return np.memmap(self._out, dtype, "r", file.tell(), shape)

    def row(self, key: str) -> bytes:
        return self._X[self.row_of[key]].tobytes()

    def holds(self, columns: dict[str, NDArray[Any]]) -> bool:
        """Whether the output has these very columns."""
        return list(columns) == list(self._columns) and all(
            np.array_equal(column, self._columns[name]) for name, column in columns.items()
        )

    def list_unwanted_files(self, labelled: LabelledFiles) -> list[str]:
        """Pictures of the output that are no longer asked for."""
        wanted = {item.file for item in labelled.items}
        return [name for name in self._columns["file"].tolist() if name not in wanted]


@contextmanager
def open_picture_store(out: Path, settings: EmbeddingSettings, labelled: LabelledFiles, overwrite: bool) -> Iterator[PictureStore]:
    """Open the store of an output, new or to go on with; no other run may use it then.

    The part goes when the block ends well, and stays when it does not.
    """
    check_writable(out, overwrite=True)  # a file that is not ours is refused below, with better words
    part, of_use = get_part_path(out), True
    try:
        with lock_file(part) as file:
            if overwrite:
                file.truncate(0)
            of_use = file.end > 0
            finished = _FinishedOutput(out) if out.is_file() and not overwrite else None
            if finished is not None:
                refuse_to_mix(out, finished.settings, settings)
                _refuse_to_drop(out, finished.list_unwanted_files(labelled))
            if head := _read_head(file):
                refuse_to_mix(part, parse_settings(head.decode(errors="replace"), part), settings)
            else:
                file.truncate(0)
                file.append(f"{format_settings(settings)}\n")
            yield PictureStore(out, settings, file, finished)
            of_use = False
    except BaseException:  # Ctrl-C, too, leaves what can be gone on with
        of_use = of_use or _holds_rows(part)
        raise
    finally:
        if not of_use:
            part.unlink(missing_ok=True)


def _read_head(part: LockedFile) -> bytes:
    """The line of settings that a part begins with; nothing where a kill came before it was whole."""
    head, end, _ = part.read(0, _LONGEST_HEAD).partition(b"\n")
    return head + end if end else b""


def _holds_rows(part: Path) -> bool:
    with part.open("rb") as file:
        file.readline()
        return bool(file.read(1))


def _refuse_to_drop(out: Path, files: Sequence[str]) -> None:
    if files:
        raise WouldOverwriteError(
            f"{out} holds {len(files)} pictures that are not part of this run (for instance {files[0]}), and would "
            "lose them.",
            remedy=("Name another file, or allow it with {}.", ("overwrite", True)),
        )


def _make_zip_entry(name: str) -> zipfile.ZipInfo:
    """A member of the archive without the time of day, so that equal runs give equal files."""
    return zipfile.ZipInfo(f"{name}.npy")


def _to_whole_numbers(cells: Sequence[str]) -> NDArray[Any]:
    try:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array(cells)
