"""Writing files: whole or not at all, never over another one unasked, and with values that JSON can hold."""

from __future__ import annotations

import math
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from .._check import check_bool, check_path
from ..errors import NotWrittenError, RequestError, WouldOverwriteError

__all__ = ["check_writable", "to_json_value", "write_atomically", "write_text"]


def check_writable(path: str | os.PathLike[str], overwrite: bool) -> Path:
    """Check, before the work is done, that a result can be written to `path` at its end.

    Returns
    -------
    Path
        The file to write: where `path` is a link, what it points to, whether or not that is there already.
    """
    target, overwrite = check_path(path), check_bool("overwrite", overwrite)
    if kind := _find_kind(target):
        if kind == "folder":
            raise RequestError(f"{path} is a folder. Name a file in it.")
        if kind != "file":
            raise RequestError(f"{path} is a {kind}. Only ordinary files can be written: name one.")
        if not overwrite:
            raise _overwrite_error(path)
    if not target.parent.is_dir():
        raise RequestError(f"The folder {target.parent} does not exist. Create it first, or name another.")
    try:
        # To try is the only way to know: permissions, file systems and quotas each have a say.
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as problem:
        raise RequestError(f"{path} cannot be written: {problem.strerror}. Name a file in another folder.") from None
    return target


def _find_kind(path: Path) -> str:
    """Kind of file at a path, such as "folder" or "pipe"; empty where nothing exists."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return ""
    except NotADirectoryError:
        raise RequestError(f"{path.parent} is not a folder. Name a file in one.") from None
    except OSError as problem:
        raise RequestError(f"{path} cannot be written: {problem.strerror}.") from None
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
    return kinds.get(stat.S_IFMT(mode), "device")


@contextmanager
def write_atomically(path: str | os.PathLike[str], *, overwrite: bool) -> Iterator[Path]:
    """Yield a temporary file beside `path`, which replaces it when the block ends without an error."""
    target = check_writable(path, overwrite)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem[:40]}-", suffix=target.suffix[:40])
        os.close(handle)
        draft = Path(name)
        try:
            yield draft
            _copy_permissions(draft, target)
            with draft.open("rb") as written:
                os.fsync(written.fileno())
            if overwrite:
                draft.replace(target)
            else:
                _move_without_overwriting(draft, target, path)
        finally:
            draft.unlink(missing_ok=True)
    except WouldOverwriteError:
        raise
    except OSError as problem:
        raise NotWrittenError(f"{path} cannot be written: {problem.strerror or problem}.") from None


def _copy_permissions(draft: Path, target: Path) -> None:
    """Permissions of the file to be replaced, or of a new one: mkstemp makes files that only their owner reads."""
    try:
        before = target.stat()
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod(0o666 & ~umask)
        return
    draft.chmod(stat.S_IMODE(before.st_mode))
    if hasattr(os, "chown"):
        with suppress(PermissionError):  # nobody but root gives files away
            os.chown(draft, before.st_uid, before.st_gid)


def _move_without_overwriting(draft: Path, target: Path, path: str | os.PathLike[str]) -> None:
    """Give the draft its name, unless another program has created such a file meanwhile."""
    try:
        try:
            os.link(draft, target)  # which, unlike renaming, never takes the place of another file
        except FileExistsError:
            raise
        except OSError:  # a file system without links: the name is taken by an empty file first
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            draft.replace(target)
    except FileExistsError:
        raise _overwrite_error(path) from None


def _overwrite_error(path: str | os.PathLike[str]) -> WouldOverwriteError:
    return WouldOverwriteError(
        f"{path} exists.", remedy=("Name another file, or allow overwriting with {}.", ("overwrite", True))
    )


def write_text(path: str | os.PathLike[str], text: str, *, overwrite: bool) -> None:
    """Write `text` to `path` atomically; a lone surrogate, which UTF-8 does not have, becomes a question mark."""
    with write_atomically(path, overwrite=overwrite) as draft:
        draft.write_bytes(text.encode("utf-8", errors="replace"))


def _refuse_value(value: Any) -> Any:
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def to_json_value(value: Any, fallback: Callable[[Any], Any] = _refuse_value) -> Any:
    """Convert a value to what JSON can hold: arrays become lists, numbers that are not finite become null.

    `fallback` converts what is neither a container nor a text nor a number of any kind; by default that is a TypeError.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (Decimal, Fraction)):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, (list, tuple)):
        return [to_json_value(item, fallback) for item in value]
    if isinstance(value, Mapping):
        return {str(name): to_json_value(item, fallback) for name, item in value.items()}
    return fallback(value)
