"""Scans that stay on the disk: a folder of .npy files with its table, as `apexgp embed` writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..reading.spreadsheets import Table, read_table

__all__ = ["MappedScans", "read_scans"]

_SCAN_TABLE = "table.csv"
_SCAN_COLUMN = "embedding"


class MappedScans(Sequence[NDArray[Any]]):
    """Scans in files of their own, each mapped when it is asked for: together they need not fit into memory.

    Parameters
    ----------
    paths : sequence of paths
        The .npy files, each an array of shape (slices, features).
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, which: Any) -> Any:
        """One scan by its number, or the MappedScans of several numbers."""
        if np.ndim(which) == 0 and not isinstance(which, slice):
            return self._open_scan(self.paths[which])
        return MappedScans([self.paths[i] for i in np.arange(len(self))[which]])

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[i] for i in range(len(self)))

    @staticmethod
    def _open_scan(path: Path) -> NDArray[Any]:
        try:
            scan = np.load(path, mmap_mode="r", allow_pickle=False)
        except FileNotFoundError:
            raise DataError(f"There is no file {path}, which the table beside it names.") from None
        except (OSError, ValueError, EOFError) as problem:
            raise DataError(f"{path} cannot be read as an array of numbers: {problem}.") from None
        if scan.ndim != 2 or not scan.size or scan.dtype.kind != "f":
            raise DataError(f"{path} must be an array of shape (slices, features), got {scan.dtype} {scan.shape}.")
        return scan


def read_scans(folder: Path) -> tuple[MappedScans, Table]:
    """The scans of a folder, and the table that says whose they are, row by row."""
    if not (folder / _SCAN_TABLE).is_file():
        raise DataError(
            f"{folder} is a folder without a {_SCAN_TABLE}: it does not contain finished embeddings of scans, as apexgp "
            "embed makes them."
        )
    table = read_table(folder / _SCAN_TABLE)
    if _SCAN_COLUMN not in table.columns:
        raise DataError(f"{folder / _SCAN_TABLE} has no column {_SCAN_COLUMN!r}, which names the file of each scan.")
    scans = MappedScans([folder / name for name in table.columns[_SCAN_COLUMN]])
    widths = {scan.shape[1] for scan in scans}
    if len(widths) > 1:
        raise DataError(f"{folder} holds scans with different numbers of features: {sorted(widths)}.")
    return scans, table
