"""Worker processes that answer requests: each answer has a deadline, and slow kinds never take all workers.

Threads could not be stopped, and would share one interpreter lock with the server. A process that passes its deadline
is ended and replaced; the others go on.

pebble's ProcessPool has deadlines, too, and would save a third of this file. But its workers share one channel and its
lock: one that is killed while it sends an answer, as happens where memory runs out, leaves the lock taken, and the pool
answers nothing from then on (tried with pebble 5.2). Here every process has a pipe of its own.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["BusyError", "TookTooLongError", "WorkerDiedError", "WorkerPool"]

_SPAWN = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
_SECONDS_TO_BEGIN = 60.0
_MEMORY = 3 * 2**30  # bytes that a process may take beyond those that it begins with


class BusyError(Exception):
    """Too many requests wait already."""


class TookTooLongError(Exception):
    """The answer did not come in time."""


class WorkerDiedError(Exception):
    """The process ended without an answer, for want of memory for instance."""


class WorkerPool:
    """A few processes, each with one request at a time.

    Parameters
    ----------
    function
        What answers a request, by module and name, so that a process can import it: called with the request.
    workers
        Number of processes, at least 2: one is always left to requests that are not slow.
    seconds
        How long an answer may take.
    most_waiting
        How many requests may wait for a worker.
    """

    def __init__(self, function: Callable[[Any], Any], workers: int, seconds: float, most_waiting: int) -> None:
        self._seconds, self._most_waiting, self._waiting = seconds, most_waiting, 0
        self._workers = [_Worker(function) for _ in range(workers)]
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="apexgp-worker")
        # By number, but those that have only begun last: they would keep a request waiting while another is free.
        self._idle: asyncio.PriorityQueue[tuple[bool, int]] = asyncio.PriorityQueue()
        for number in range(workers):
            self._idle.put_nowait((True, number))
        self._slow = asyncio.Semaphore(workers - 1)

    async def answer(self, request: Any, *, slow: bool = False, wanted: Callable[[], Any] | None = None) -> Any:
        """The answer to a request; None where it is no longer `wanted` when its turn comes.

        Parameters
        ----------
        request
            What the function is called with.
        slow
            Whether this kind of request may take long.
        wanted
            Awaitable function that says whether somebody still waits.
        """
        if self._waiting >= self._most_waiting:
            raise BusyError
        self._waiting += 1
        queued = True
        try:
            if slow:
                await self._slow.acquire()
            try:
                _, number = await self._idle.get()
                worker = self._workers[number]
                self._waiting -= 1
                queued = False
                try:
                    if wanted is not None and not await wanted():
                        return None
                    ask = asyncio.get_running_loop().run_in_executor(
                        self._threads, worker.answer, request, self._seconds
                    )
                    return await _to_its_end(ask, worker)
                finally:
                    self._idle.put_nowait((not worker.ready, number))
            finally:
                if slow:
                    self._slow.release()
        finally:
            self._waiting -= queued

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.end()
        self._threads.shutdown(wait=True)


async def _to_its_end(future: asyncio.Future[Any], worker: _Worker) -> Any:
    """Await a computation to its end: a cancelled request must not hand its worker on while it still computes."""
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        worker.stop()
        await asyncio.wait([future])
        future.exception()  # that the worker died is no news
        raise


class _Worker:
    """One process, and the pipe to it."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_work, args=(theirs, self._function), daemon=True)
        self._process.start()
        theirs.close()  # so that the end of the process is the end of the pipe
        self.ready = False

    def answer(self, request: Any, seconds: float) -> Any:
        """The answer, or why there is none; the worker is ready for the next request in either case."""
        if not self._takes(request, seconds) and not self._takes(request, seconds):
            raise WorkerDiedError
        try:
            if self._pipe.poll(seconds):
                return self._pipe.recv()
        except (EOFError, OSError):
            self._renew()
            raise WorkerDiedError from None
        self._renew()
        raise TookTooLongError

    def _takes(self, request: Any, seconds: float) -> bool:
        """Hand over a request; one that the process does not take, because it has died since, is still to be had."""
        self._get_ready()
        try:
            self._pipe.send(request)
            if self._pipe.poll(seconds):
                return bool(self._pipe.recv())
        except (EOFError, OSError):
            self._renew()
            return False
        self._renew()
        raise TookTooLongError

    def _get_ready(self) -> None:
        """Wait for the process to begin."""
        if self.ready:
            return
        try:
            if self._pipe.poll(_SECONDS_TO_BEGIN):  # which is nobody's request's time, but not endless either
                self.ready = self._pipe.recv()
                return
        except (EOFError, OSError):
            self._renew()
            raise WorkerDiedError from None
        self._renew()
        raise TookTooLongError

    def _renew(self) -> None:
        self._kill()
        if not self._closed:
            self._begin()

    def stop(self) -> None:
        """End the process in the middle of an answer; whoever waits for that sees it die, and begins another."""
        self._process.kill()

    def end(self) -> None:
        """End the process for good, whatever it is doing."""
        self._closed = True
        self._kill()

    def _kill(self) -> None:
        self._process.kill()
        self._process.join()


def _work(pipe: Connection, function: Callable[[Any], Any]) -> None:
    """Answer requests until the server is gone."""
    from threadpoolctl import threadpool_limits

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the server, which then closes the pipe
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    _bound_memory()
    with threadpool_limits(1):  # there is a process a core already
        pipe.send(True)
        while True:
            try:
                request = pipe.recv()
            except (EOFError, OSError):
                return
            pipe.send(True)  # it is taken
            try:
                answer = function(request)
            except MemoryError:
                os._exit(1)  # without a word: the server has one for the request
            pipe.send(answer)


def _end_with_the_server() -> None:
    """End this process as soon as the server is gone, also in the middle of an answer."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)


def _bound_memory() -> None:
    """Let a request that asks for endless memory end this process, and not others of the machine."""
    try:
        import resource

        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (taken + _MEMORY, most))
    except (ImportError, OSError, ValueError):
        pass  # a system that has no such bounds, or a smaller one already
