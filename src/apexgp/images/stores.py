"""Embeddings on disk, resumable: an .npz file of pictures, a folder of .npy files of scans; never of mixed settings."""

from __future__ import annotations

import json
import re
import struct
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, RequestError, WouldOverwriteError
from ..files.lock import LockedFile, lock_file
from ..files.writing import check_writable, write_atomically, write_text
from ..reading.files import as_csv, one_line
from .items import LabelledFiles
from .pipeline import EmbeddedCase

__all__ = [
    "RECORD",
    "TABLE",
    "PictureStore",
    "ScanStore",
    "open_picture_store",
    "open_scan_store",
    "read_picture_settings",
    "read_scan_settings",
]

FORMAT = 1  # of the outputs

EmbeddingSettings = dict[str, Any]

_KEY = 16  # bytes of an item's key
_LONGEST_HEAD = 1 << 16
_ROWS = 1024  # read at a time

RECORD = "record.jsonl"  # a line of settings, then a line per scan
TABLE = "table.csv"


def format_settings(settings: EmbeddingSettings) -> str:
    """Settings as one line of JSON."""
    return json.dumps({"format": FORMAT, **settings})


def parse_settings(text: str, path: Path) -> EmbeddingSettings:
    """Settings from the line that `format_settings` wrote; anything else is refused."""
    try:
        settings = json.loads(text)
        if settings.pop("format") == FORMAT and isinstance(settings["preprocessing"], dict):
            return settings
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise RequestError(
        f"{path} is not an output of this version of apexgp embed; it was left untouched. Name another for the "
        "embeddings."
    )


def refuse_to_mix(path: Path, found: EmbeddingSettings, wanted: EmbeddingSettings) -> None:
    """Refuse to go on with an output of another model or another preprocessing.

    The same weights under another name, or in another folder, are the same model.
    """
    differences = []
    if found["weights"] != wanted["weights"]:
        differences.append(f"model was {found['model']}, now {wanted['model']}")
        if found["model"] == wanted["model"]:
            differences[-1] += " with other weights"
    if found["precision"] != wanted["precision"]:
        differences.append(f"precision was {found['precision']}, now {wanted['precision']} (a matter of the device)")
    before, now = found["preprocessing"], wanted["preprocessing"]
    differences += [
        f"{name} was {_format_value(before.get(name))}, now {_format_value(now.get(name))}"
        for name in dict.fromkeys([*now, *before])
        if before.get(name) != now.get(name) and name != "measured_on"
    ]
    if not differences and before.get("measured_on") != now.get("measured_on"):
        differences.append("mean and sd were computed from other pictures")
    if differences:
        raise RequestError(
            f"{path} was made with other settings, and mixing two kinds of embeddings in one file would make them "
            f"worthless: {'; '.join(differences)}. Name another output, go back to those settings,",
            remedy=("or start afresh with {}.", ("overwrite", True)),
        )


def _format_value(value: Any) -> str:
    return one_line(json.dumps(value), 100)


def get_part_path(out: Path) -> Path:
    """File with the finished rows while a run lasts."""
    return out.with_name(out.name + ".part")


def read_picture_settings(out: Path) -> EmbeddingSettings | None:
    """Settings that an output, or the part of it that exists, was made with; None where there is neither."""
    part = get_part_path(out)
    if part.is_file():
        with part.open("rb") as file:
            head = file.readline()
        if head.endswith(b"\n"):
            return parse_settings(head.decode(errors="replace"), part)
    return _FinishedOutput(out).settings if out.is_file() else None


class PictureStore:
    """Embedded pictures by key: those of a finished output, and those of the part beside it.

    Parameters
    ----------
    out
        The .npz file.
    settings
        Settings that the rows are made with.
    part
        The file that rows are added to. It begins with a line that holds the settings.
    finished
        The existing output, if there is one.
    """

    def __init__(
        self, out: Path, settings: EmbeddingSettings, part: LockedFile, finished: _FinishedOutput | None
    ) -> None:
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
        """Save the rows of a batch; when this returns, they are on the disk."""
        if not finished:
            return
        rows = [bytes.fromhex(one.item.key) + one.rows[0].astype("<f4").tobytes() for one in finished]
        self._part.append(b"".join(rows))
        for one in finished:
            self._row_of[one.item.key] = len(self._row_of)

    def finish(self, labelled: LabelledFiles) -> bool:
        """Write the output with the items that are embedded; False where there is nothing new to write."""
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
            columns[label] = _to_label_array([cells[i] for i in rows])
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
    """An existing output. Its rows are mapped, so that they take no memory, however many there are."""

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
        """Whether the output has exactly these columns."""
        return list(columns) == list(self._columns) and all(
            np.array_equal(column, self._columns[name]) for name, column in columns.items()
        )

    def list_unwanted_files(self, labelled: LabelledFiles) -> list[str]:
        """Pictures of the output that this run does not ask for."""
        wanted = {item.file for item in labelled.items}
        return [name for name in self._columns["file"].tolist() if name not in wanted]


@contextmanager
def open_picture_store(
    out: Path, settings: EmbeddingSettings, labelled: LabelledFiles, overwrite: bool
) -> Iterator[PictureStore]:
    """Open and lock the store of an output, new or to be resumed.

    The part is deleted when the block ends without an error, and stays otherwise.
    """
    check_writable(out, overwrite=True)  # a file that is not ours is refused below, with better words
    part, keep_part = get_part_path(out), True
    try:
        with lock_file(part) as file:
            if overwrite:
                file.truncate(0)
            keep_part = file.end > 0
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
            keep_part = False
    except BaseException:  # Ctrl-C, too, leaves what can be gone on with
        keep_part = keep_part or _holds_rows(part)
        raise
    finally:
        if not keep_part:
            part.unlink(missing_ok=True)


def _read_head(part: LockedFile) -> bytes:
    """Line of settings that a part begins with; empty where a kill came before it was complete."""
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
    """Entry of the archive without the time of day, so that equal runs give equal files."""
    return zipfile.ZipInfo(f"{name}.npy")


def _to_label_array(cells: Sequence[str]) -> NDArray[Any]:
    try:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array(cells)


def read_scan_settings(out: Path) -> EmbeddingSettings | None:
    """Settings that the scans of an output were made with; None where there are none."""
    record = out / RECORD
    if not record.is_file():
        return None
    head, end, _ = record.read_bytes().partition(b"\n")
    return parse_settings(head.decode(errors="replace"), record) if end else None


class ScanStore:
    """Embedded scans by key.

    Parameters
    ----------
    out
        The folder.
    record
        The file in it that scans are added to when they are finished.
    """

    def __init__(self, out: Path, record: LockedFile) -> None:
        self._out = out
        self._record = record
        content = record.read()
        whole = content[: content.rfind(b"\n") + 1]
        record.truncate(len(whole))  # what a kill has torn
        self._entries: dict[str, dict[str, Any]] = {}
        for number, line in enumerate(whole.splitlines()[1:], start=2):
            try:
                entry = json.loads(line)
                self._entries[entry["key"]] = entry
            except (ValueError, KeyError, TypeError):
                raise DataError(
                    f"{out / RECORD}, line {number} is damaged. Delete it to embed that scan again."
                ) from None

    def __contains__(self, key: str) -> bool:
        return key in self._entries and (self._out / self._entries[key]["embedding"]).is_file()

    def add(self, finished: Sequence[EmbeddedCase]) -> None:
        """Save scans; when this returns, they are on the disk."""
        for one in finished:
            stem = re.sub(r"[^\w.-]+", "_", one.item.file.removesuffix(".gz").removesuffix(".nii"))
            name = f"{stem[-80:]}-{one.item.key[:12]}.npy"
            with write_atomically(self._out / name, overwrite=True) as draft, draft.open("wb") as file:
                np.save(file, one.rows.astype("<f4"), allow_pickle=False)
            entry = {"key": one.item.key, "embedding": name, "slices": len(one.rows), "remarks": list(one.remarks)}
            self._record.append(f"{json.dumps(entry)}\n")
            self._entries[one.item.key] = entry

    def list_remarks(self, labelled: LabelledFiles) -> list[tuple[str, str]]:
        """Oddities of the scans, each with its file."""
        return [
            (item.file, remark)
            for item in labelled.items
            if item.key in self
            for remark in self._entries[item.key]["remarks"]
        ]

    def finish(self, labelled: LabelledFiles) -> bool:
        """Write the table of the items that are embedded; False where it exists already."""
        rows = [i for i, item in enumerate(labelled.items) if item.key in self]
        entries = [self._entries[labelled.items[i].key] for i in rows]
        columns: dict[str, list[Any]] = {"file": [labelled.items[i].file for i in rows]}
        if labelled.patients is not None:
            columns["patient"] = [labelled.patients[i] for i in rows]
        columns |= {label: [cells[i] for i in rows] for label, cells in labelled.labels.items()}
        columns["slices"] = [entry["slices"] for entry in entries]
        columns["embedding"] = [entry["embedding"] for entry in entries]
        text, path = as_csv(columns), self._out / TABLE
        if path.is_file() and path.read_bytes() == text.encode(errors="replace"):
            return False
        write_text(path, text, overwrite=True)
        return True


@contextmanager
def open_scan_store(out: Path, settings: EmbeddingSettings, overwrite: bool) -> Iterator[ScanStore]:
    """Open and lock the store of an output, new or to be resumed."""
    if out.exists() and not out.is_dir():
        raise RequestError(f"{out} is a file. Embeddings of scans go into a folder: name a new one.", argument="out")
    if out.is_dir() and not (out / RECORD).is_file() and any(out.iterdir()):
        raise WouldOverwriteError(
            f"{out} is a folder with other files in it. Embeddings of scans need their own folder: name a new one."
        )
    try:
        out.mkdir(exist_ok=True)
    except OSError as problem:
        raise RequestError(f"{out} cannot be created: {problem.strerror}.", argument="out") from None
    with lock_file(out / RECORD) as record:
        head, end, _ = record.read().partition(b"\n")
        if end and not overwrite:
            refuse_to_mix(out, parse_settings(head.decode(errors="replace"), out / RECORD), settings)
        else:
            record.truncate(0)
            record.append(f"{format_settings(settings)}\n")
        yield ScanStore(out, record)
