"""Limits on calls: little memory, in a process of their own, for what asks for gigabytes; a guard for what hangs."""

import gc
import os
import pickle
import resource
import signal
import traceback
from contextlib import contextmanager

MEGABYTES = 600  # beyond what the process has already


def with_little_memory(action, megabytes=MEGABYTES):
    """What a call returns, or the exception that it raises, from a fork with so much memory to spare."""
    theirs, ours = os.pipe()
    child = os.fork()
    if not child:
        try:
            with open("/proc/self/statm") as file:
                taken = int(file.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (taken + megabytes * 2**20,) * 2)
            try:
                answer = (True, action())
            except BaseException as problem:
                answer = (False, problem, "".join(traceback.format_exception(problem)))
            with os.fdopen(ours, "wb") as file:
                pickle.dump(answer, file)
        finally:
            os._exit(0)
    os.close(ours)
    with os.fdopen(theirs, "rb") as file:
        content = file.read()
    os.waitpid(child, 0)
    if not content:
        raise AssertionError("the process ended without a word")
    well, answer, *trace = pickle.loads(content)
    if well:
        return answer
    if isinstance(answer, MemoryError):
        raise AssertionError(f"asked for too much memory\n{trace[0]}")
    raise answer


@contextmanager
def guarded(seconds, message):
    """Fail a block that keeps the processor busy for so long: a guard against hangs, not a measure of speed."""

    def stop(*_):
        raise AssertionError(message)

    before = signal.signal(signal.SIGVTALRM, stop)
    gc.disable()  # which may take as long in a process that has run thousands of tests
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)
