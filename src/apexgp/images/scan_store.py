"""Embeddings of scans: a folder with one .npy file per scan, which can be mapped, their record, and their table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError, RequestError, WouldOverwriteError
from ..files.lock import LockedFile, lock_file
from ..files.writing import write_atomically, write_text
from ..reading.spreadsheets import as_csv
from .items import LabelledFiles
from .pipeline import EmbeddedCase
from .record import EmbeddingSettings, format_settings, parse_settings, refuse_to_mix

__all__ = ["RECORD", "TABLE", "ScanStore", "open_scan_store", "read_scan_settings"]

RECORD = "record.jsonl"  # a line of settings, then a line per scan
TABLE = "table.csv"


def read_scan_settings(out: Path) -> EmbeddingSettings | None:
    """What the scans in an output were made with; None where there is none."""
    record = out / RECORD
    if not record.is_file():
        return None
    head, end, _ = record.read_bytes().partition(b"\n")
    return parse_settings(head.decode(errors="replace"), record) if end else None


class ScanStore:
    """Scans by key.

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
        """Keep scans; when this returns, they are on the disk."""
        for one in finished:
            stem = re.sub(r"[^\w.-]+", "_", one.item.file.removesuffix(".gz").removesuffix(".nii"))
            name = f"{stem[-80:]}-{one.item.key[:12]}.npy"
            with write_atomically(self._out / name, overwrite=True) as draft, draft.open("wb") as file:
                np.save(file, one.rows.astype("<f4"), allow_pickle=False)
            entry = {"key": one.item.key, "embedding": name, "slices": len(one.rows), "remarks": list(one.remarks)}
            self._record.append(f"{json.dumps(entry)}\n")
            self._entries[one.item.key] = entry

    def list_remarks(self, labelled: LabelledFiles) -> list[tuple[str, str]]:
        """What was found odd about the scans, with the file that it is about."""
        return [
            (item.file, remark)
            for item in labelled.items
            if item.key in self
            for remark in self._entries[item.key]["remarks"]
        ]

    def finish(self, labelled: LabelledFiles) -> bool:
        """Write the table of what is there of the items; False where it is there already."""
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
    """Open the store of an output, new or to go on with; no other run may use it then."""
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
