"""Files are written whole or not at all, and never over another one unasked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import RequestError, WouldOverwriteError


def refuse_to_overwrite(path: str | os.PathLike[str], overwrite: bool) -> Path:
    """Check, before the work is done, that a result can be written to `path` at its end."""
    target = Path(path)
    if target.is_dir():
        raise RequestError(f"{target} is a folder. Name a file in it.")
    if not target.parent.is_dir():
        raise RequestError(f"The folder {target.parent} does not exist. Make it first, or name another.")
    if target.exists() and not overwrite:
        raise WouldOverwriteError(
            f"{target} exists.", remedy=("Name another file, or allow overwriting with {}.", ("overwrite", True))
        )
    return target


@contextmanager
def written_atomically(path: str | os.PathLike[str], *, overwrite: bool) -> Iterator[Path]:
    """Give a temporary file beside `path` to write to; it takes its place when the block ends well."""
    target = refuse_to_overwrite(path, overwrite)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}-", suffix=target.suffix)
    except OSError as problem:
        raise RequestError(f"{target} cannot be written: {problem.strerror}.") from None
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        # mkstemp makes files that only their owner reads; a result is an ordinary file.
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod(0o666 & ~umask)
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str, *, overwrite: bool) -> None:
    """Write `text` to `path` atomically."""
    with written_atomically(path, overwrite=overwrite) as draft:
        draft.write_text(text, encoding="utf-8")
