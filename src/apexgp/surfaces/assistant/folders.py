"""Files that an assistant may have read: those within the folders that the server was told, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ..._check import format_some, format_value
from ...errors import DataError, RequestError
from ...reading.files import read_bytes
from ..web.reading import TableFile

__all__ = ["MOST_BYTES", "check_folder", "read_file_within"]

MOST_BYTES = 10_000_000  # of a file
_ENDINGS = (".csv", ".tsv", ".txt", ".xlsx", ".json", ".jsonl")
_MOST_NAMED = 20
_MOST_LOOKED_AT = 2_000  # files of a folder, for those that are worth naming


def check_folder(folder: Path) -> Path:
    """A folder as it is called wherever links lead to."""
    if not folder.is_dir():
        raise RequestError(f"must be an existing folder, got {folder}.", argument="folder")
    return folder.resolve()


def read_file_within(path: str, folders: Sequence[Path]) -> TableFile:
    """Read a file that lies in one of the folders, also after links have been followed.

    Parameters
    ----------
    path
        As the assistant names it: from one of the folders on, or from the root.
    folders
        What may be read, links followed.
    """
    within = [real for real in _real_paths(path, folders) if any(real.is_relative_to(folder) for folder in folders)]
    if not within:
        # Whether there is such a file elsewhere is nobody's business.
        raise RequestError(
            f"must be a file within {format_some(list(map(str, folders)))}, the only folders that may be read, got "
            f"{format_value(path)}.",
            argument="file",
        )
    real = next((one for one in within if one.is_file()), None)
    if real is None:
        there = list(_data_files(folders))
        found = f"Found {format_some(there, _MOST_NAMED)}." if there else "No tables were found there."
        raise RequestError(f"does not name an existing file: {format_value(path)}. {found}", argument="file")
    if real.stat().st_size > MOST_BYTES:
        raise DataError(f"{path} has {real.stat().st_size:,} bytes; at most {MOST_BYTES:,} are read.")
    return TableFile(path, read_bytes(real))


def _real_paths(path: str, folders: Sequence[Path]) -> Iterator[Path]:
    """Where a path may lead, links followed; it begins in each of the folders, or at the root."""
    for folder in folders:
        with suppress(OSError, ValueError, RuntimeError):  # names that no file can have, links in a circle
            yield (folder / Path(path).expanduser()).resolve()


def _data_files(folders: Sequence[Path]) -> Iterator[str]:
    """Files that may hold measurements, as they are to be named."""
    for folder in folders:
        with suppress(OSError):
            for _, entry in zip(range(_MOST_LOOKED_AT), sorted(folder.iterdir()), strict=False):
                if entry.suffix.lower() in _ENDINGS and entry.is_file():
                    yield entry.name
