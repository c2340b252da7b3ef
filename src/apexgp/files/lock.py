"""One writer of a record at a time: a lock of the operating system, for as long as a run lives.

The system frees it when the process ends, however it ends, and workers do not inherit it.

POSIX locks belong to a process and a file, not to a descriptor. So that no other descriptor of ours frees one by being
closed, and no thread of ours takes what another has, this module knows which files are held and by which descriptor.

filelock (4.2) locks a descriptor by `flock`, which tells nobody who holds it, and which a forked worker that outlives
the run keeps. Its locks by path want a second file beside every record. Rows that are appended whole, a record that was
changed or deleted meanwhile, and a holder to name would all be left to this module.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import NotWrittenError, RequestError

__all__ = ["LockedFile", "lock_file", "read_shared"]

_FileId = tuple[int, int]  # device and inode

_LOCKED: dict[_FileId, int] = {}
_GUARD = threading.Lock()
_RETRY_SECONDS = 0.02  # seconds
_LOCK_BYTE = 2**62  # Windows locks single bytes: this one is beyond the end of any record


def _forget_locks() -> None:
    """Forget all locks in a forked process: they are its parent's."""
    global _GUARD
    _LOCKED.clear()
    _GUARD = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_locks)


class LockedFile:
    """A file that no other process writes to, and that lines are appended to, each as a whole or not at all.

    Parameters
    ----------
    path
        Its name, for messages.
    file
        Its descriptor.
    """

    def __init__(self, path: Path, file: int) -> None:
        self._path = path
        self._file = file
        self._end = os.fstat(file).st_size

    @property
    def end(self) -> int:
        """Number of bytes that it holds."""
        return self._end

    def read(self, start: int = 0, length: int = -1) -> bytes:
        """Bytes of the file from `start` on: `length` of them, or all."""
        return _read_descriptor(self._file, start, length)

    def truncate(self, end: int) -> None:
        """Keep the first `end` bytes."""
        if end < self._end:
            os.ftruncate(self._file, end)
            self._end = end

    def append(self, text: str | bytes) -> None:
        """Write the text and wait until the disk has it."""
        self._check_still_ours()
        row = text.encode("utf-8", errors="replace") if isinstance(text, str) else text
        try:
            # One write for the whole row: what a kill leaves behind is at most a row without its end.
            if os.write(self._file, row) < len(row):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file)
        except OSError as problem:
            os.ftruncate(self._file, self._end)
            raise NotWrittenError(
                f"{self._path} could not be appended to: {problem.strerror}. It holds what was finished. Free some "
                "space, then run again to resume."
            ) from None
        self._end += len(row)

    def _check_still_ours(self) -> None:
        """Lock the file again, and refuse one that was changed or deleted meanwhile.

        Some other part of this process may have opened and closed it, which frees the lock; and there are programs
        that ask for none.
        """
        try:
            _lock(self._file)
        except OSError:
            raise _already_locked(self._path, _find_holder(self._file)) from None
        status = os.fstat(self._file)
        if status.st_size != self._end or not status.st_nlink:
            raise RequestError(
                f"{self._path} was changed or deleted by another program during the run. Its contents were left as "
                "they are; run again to resume from them."
            )


@contextmanager
def lock_file(path: Path, wait: float = 0.0) -> Iterator[LockedFile]:
    """Open a file to read and append to, create it if needed, and hold its lock for the length of the block.

    Where another process has the lock, it is tried again for `wait` seconds.
    """
    file = _wait_for_lock(path, wait)
    try:
        yield LockedFile(path, file)
    finally:
        with _GUARD:
            _LOCKED.pop(_file_id(os.fstat(file)), None)
            os.close(file)  # frees the lock


def read_shared(path: Path) -> bytes:
    """Read a whole file, without freeing the lock that this process may have on it."""
    with _GUARD:
        file = _LOCKED.get(_file_id(path.stat()))
        return path.read_bytes() if file is None else _read_descriptor(file)


def _read_descriptor(file: int, start: int = 0, length: int = -1) -> bytes:
    with open(file, "rb", closefd=False) as content:
        content.seek(start)
        return content.read(length)


def _wait_for_lock(path: Path, wait: float) -> int:
    """Open and lock a file; while another process has the lock, try again for `wait` seconds."""
    last = time.monotonic() + wait
    while True:
        try:
            return _open_locked(path)
        except _AlreadyLockedError:
            if time.monotonic() >= last:
                raise
        time.sleep(_RETRY_SECONDS)


def _open_locked(path: Path) -> int:
    """Open and lock a file, and return its descriptor."""
    while True:
        with _GUARD:
            if path.exists() and _file_id(path.stat()) in _LOCKED:
                raise _already_locked(path, os.getpid())
            try:
                file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            except OSError as problem:
                raise RequestError(
                    f"{path} cannot be written: {problem.strerror}. Name another file for the results."
                ) from None
            try:
                _lock_or_raise(file, path)
                # Between opening and locking another process may have put another file in its place.
                if path.exists() and _file_id(path.stat()) == _file_id(os.fstat(file)):
                    _LOCKED[_file_id(os.fstat(file))] = file
                    return file
            except BaseException:  # Ctrl-C, too, must not leave the file open
                os.close(file)
                raise
            os.close(file)


def _lock_or_raise(file: int, path: Path) -> None:
    if not stat.S_ISREG(os.fstat(file).st_mode):
        raise RequestError(f"{path} is not an ordinary file. Name an ordinary one for the results.")
    try:
        _lock(file)
    except OSError as problem:
        if problem.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise _already_locked(path, _find_holder(file)) from None
        raise RequestError(
            f"{path} cannot be locked ({problem.strerror}), and without a lock two runs could mix their fits. Name a "
            "file on another file system for the results."
        ) from None


def _file_id(status: os.stat_result) -> _FileId:
    return status.st_dev, status.st_ino


class _AlreadyLockedError(RequestError):
    """Another process or thread is writing to the file."""


def _already_locked(path: Path, holder: int | None) -> _AlreadyLockedError:
    if holder == os.getpid():
        who = "another thread of this process"
    else:
        who = "another process" if holder is None else f"the process {holder}"
    return _AlreadyLockedError(
        f"{path} is being written by {who}. Wait for it to finish, or name another file for the results."
    )


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        os.lseek(file, _LOCK_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _find_holder(file: int) -> int | None:
        return None  # Windows does not tell

else:
    import fcntl

    # struct flock: on Linux type, whence, start, length, process; where BSD is the ancestor, type and whence come last.
    _BY_BSD = sys.platform == "darwin" or "bsd" in sys.platform
    _LAYOUT = "qqihh" if _BY_BSD else "hhqqi"

    def _lock(file: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _find_holder(file: int) -> int | None:
        """Number of the process that has the lock; None where the system does not tell."""
        kind = fcntl.F_WRLCK
        asked = (0, 0, 0, kind, os.SEEK_SET) if _BY_BSD else (kind, os.SEEK_SET, 0, 0, 0)
        try:
            answer = struct.unpack(_LAYOUT, fcntl.fcntl(file, fcntl.F_GETLK, struct.pack(_LAYOUT, *asked)))
        except OSError:
            return None
        process = answer[2] if _BY_BSD else answer[4]
        return process if process > 0 else None
