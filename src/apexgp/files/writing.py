"""Files are written whole or not at all, and never over another one unasked."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .._check import UNUSABLE, check_bool, format_value
from ..errors import NotWrittenError, RequestError, WouldOverwriteError


def check_writable(path: str | os.PathLike[str], overwrite: bool) -> Path:
    """Check, before the work is done, that a result can be written to `path` at its end.

    Returns
    -------
    Path
        The file to write: where `path` is a link, what it points to, whether or not that is there already.
    """
    target, overwrite = file_behind(path), check_bool("overwrite", overwrite)
    if kind := _kind(target):
        if kind == "folder":
            raise RequestError(f"{path} is a folder. Name a file in it.")
        if kind != "file":
            raise RequestError(f"{path} is a {kind}. Only ordinary files can be written: name one.")
        if not overwrite:
            raise _exists(path)
    if not target.parent.is_dir():
        raise RequestError(f"The folder {target.parent} does not exist. Create it first, or name another.")
    try:
        # To try is the only way to know: permissions, file systems and quotas each have a say.
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as problem:
        raise RequestError(f"{path} cannot be written: {problem.strerror}. Name a file in another folder.") from None
    return target


def file_behind(path: str | os.PathLike[str]) -> Path:
    """The path itself, or where it leads if it is a link; what is no path at all is refused."""
    try:
        return Path(os.path.realpath(os.fsdecode(path)))
    except OSError as problem:
        raise RequestError(f"{format_value(path)} cannot be used as a file name: {problem.strerror}.") from None
    except UNUSABLE:
        raise RequestError(f"Expected the name of a file, got {format_value(path)}.") from None


def _kind(path: Path) -> str:
    """What is at a path, in a word; nothing where there is nothing."""
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
def written_atomically(path: str | os.PathLike[str], *, overwrite: bool) -> Iterator[Path]:
    """Give a temporary file beside `path` to write to; it takes its place when the block ends well."""
    target = check_writable(path, overwrite)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem[:40]}-", suffix=target.suffix[:40])
        os.close(handle)
        draft = Path(name)
        try:
            yield draft
            _give_rights(draft, target)
            with draft.open("rb") as written:
                os.fsync(written.fileno())
            if overwrite:
                draft.replace(target)
            else:
                _put_where_nothing_is(draft, target, path)
        finally:
            draft.unlink(missing_ok=True)
    except WouldOverwriteError:
        raise
    except OSError as problem:
        raise NotWrittenError(f"{path} cannot be written: {problem.strerror or problem}.") from None


def _give_rights(draft: Path, target: Path) -> None:
    """Those of the file that is overwritten, or of a new one: mkstemp makes files that only their owner reads."""
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


def _put_where_nothing_is(draft: Path, target: Path, path: str | os.PathLike[str]) -> None:
    """Give the draft its name, unless somebody else has taken it since it was looked for."""
    try:
        try:
            os.link(draft, target)  # which, unlike renaming, never takes the place of another file
        except FileExistsError:
            raise
        except OSError:  # a file system without links: the name is taken by an empty file first
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            draft.replace(target)
    except FileExistsError:
        raise _exists(path) from None


def _exists(path: str | os.PathLike[str]) -> WouldOverwriteError:
    return WouldOverwriteError(
        f"{path} exists.", remedy=("Name another file, or allow overwriting with {}.", ("overwrite", True))
    )


def write_text(path: str | os.PathLike[str], text: str, *, overwrite: bool) -> None:
    """Write `text` to `path` atomically; half of a pair of surrogates, which no file can hold, is written as ?."""
    with written_atomically(path, overwrite=overwrite) as draft:
        draft.write_bytes(text.encode("utf-8", errors="replace"))
