"""Run one program for a run that may die: `python supervise.py LIFELINE PROGRAM ARGUMENT ...`, standard library only.

LIFELINE is the reading end of a pipe whose other end only the run holds. A byte on it asks for the end of the program,
politely at first; its end means that the run is gone, however it went. Either way the program ends with all that it has
started and that stayed in its group. The exit code is the program's, 128 more than the signal that ended it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable

__all__: list[str] = []

GRACE = 3.0  # seconds between asking a program to end and ending it
CANNOT_START = 127  # as shells say it
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux


def main(lifeline: int, words: list[str]) -> int:
    """Run the program to its end, or to that of the run."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        # This process has one thread, so that something may be done between fork and exec.
        program = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=_make_death_hook()
        )
    except OSError as problem:
        os.write(2, f"{words[0]} cannot be started: {problem.strerror}\n".encode(errors="replace"))
        return CANNOT_START
    waiting = select.poll()  # and not select(), which knows no more than 1,024 files
    for end in (lifeline, reading):
        waiting.register(end, select.POLLIN)
    ended = False
    try:
        while program.poll() is None:
            if lifeline in (file for file, _ in waiting.poll()):
                if os.read(lifeline, 1):
                    _signal_group(program, signal.SIGTERM)
                    _wait_until_exit(program, GRACE)
                break
            os.read(reading, 512)
        else:
            ended = program.returncode == 0
    finally:
        if not ended:  # whoever helped it must not go on by themselves
            _signal_group(program, signal.SIGKILL)
        code = program.wait()
    return code if code >= 0 else 128 - code


def _make_death_hook() -> Callable[[], None] | None:
    """Hook to run before exec, so that the program dies when this process is killed; None if the system has none."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _signal_group(program: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to the program's process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, number)


def _wait_until_exit(program: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait for the program to exit, up to so many seconds."""
    end = time.monotonic() + seconds
    while program.poll() is None and time.monotonic() < end:
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
