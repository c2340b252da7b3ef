"""Run other programs, each in its own process group; a timeout ends them, and so does the end of the run."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from . import supervise

__all__ = ["CANNOT_START", "ProgramRunner", "StillRunningError", "TimedOutError"]

CANNOT_START = supervise.CANNOT_START
_PATIENCE = 30.0  # seconds to wait for programs of an earlier run to end


class TimedOutError(Exception):
    """A program took longer than it may."""


class StillRunningError(Exception):
    """A program that an earlier run started still writes to the output file."""


class ProgramRunner:
    """Runs programs, from any thread, and ends those that are running when it is closed."""

    def __init__(self) -> None:
        self._lifelines: set[int] = set()
        self._guard = threading.Lock()
        self._closed = False

    def run(
        self,
        words: Sequence[str],
        *,
        output: Path,
        errors: Path,
        environment: Mapping[str, str],
        timeout: float | None = None,
    ) -> int:
        """Run a program to its end and return its exit code.

        Parameters
        ----------
        words
            The program and its arguments.
        output, errors
            Files for what it prints.
        environment
            All of its variables.
        timeout
            Seconds after which it is ended, with TimedOutError.
        """
        with open(output, "ab") as printed, open(errors, "wb") as complaints:
            _wait_for_output(printed)
            printed.truncate(0)
            lifeline, end = os.pipe()
            with self._guard:
                if self._closed:
                    os.close(lifeline)
                    os.close(end)
                    raise InterruptedError
                self._lifelines.add(end)
            try:
                supervisor = subprocess.Popen(
                    [sys.executable, "-I", "-S", supervise.__file__, str(lifeline), *words],
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=complaints,
                    env=dict(environment),
                    pass_fds=[lifeline],
                    start_new_session=True,
                )
            except BaseException:  # Ctrl-C, too, must not leave the pipe open
                os.close(lifeline)
                self._close_lifeline(end)
                raise
            os.close(lifeline)
        try:
            return supervisor.wait(timeout)
        except subprocess.TimeoutExpired:
            self._ask_to_stop(end)
            raise TimedOutError from None
        except BaseException:  # Ctrl-C, too, must not leave the program behind
            self._ask_to_stop(end)
            raise
        finally:
            with contextlib.suppress(subprocess.TimeoutExpired):
                supervisor.wait(2 * supervise.GRACE)
            self._close_lifeline(end)  # whatever is still there by now dies of it
            supervisor.wait()

    def close(self) -> None:
        """End all running programs, and refuse to start more."""
        with self._guard:
            self._closed = True
            for end in self._lifelines:
                with contextlib.suppress(BrokenPipeError):
                    os.write(end, b"x")

    def _ask_to_stop(self, end: int) -> None:
        with self._guard, contextlib.suppress(BrokenPipeError):
            os.write(end, b"x")

    def _close_lifeline(self, end: int) -> None:
        with self._guard:
            self._lifelines.discard(end)
            os.close(end)


def _wait_for_output(printed: IO[bytes]) -> None:
    """Wait until no other process writes to the file: every process that a program has started keeps it locked.

    A run that is killed takes its programs along, a moment later; the next run must not begin the same fit before.
    """
    if sys.platform == "win32":
        return
    import fcntl

    end = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(printed, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise StillRunningError from None
            time.sleep(0.05)
        except OSError:  # a file system without such locks
            return
