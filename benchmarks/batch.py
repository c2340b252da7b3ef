"""A large batch of curves on a two-worker cluster, with its memory: `batch.py [CURVES] [--processes 2] [--mean burr]`.

The curves are made one after another as `forecast_many` takes them, and each forecast is dropped once it is counted, as
a program would that writes them to a file. By default the work goes to a Dask cluster of two workers of one thread
each on this machine, through joblib; with --processes to so many processes of joblib's own. The resident memory of this
process and of the largest worker is sampled while it runs: the peaks since the start show whether it grows with what is
done.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import contextlib
import threading
import warnings
from collections.abc import Iterator
from time import perf_counter

import numpy as np
import psutil
from joblib import parallel_config

from apexgp import APExGP, LearningCurve, forecast_many
from bayes_speed import NEW, pilot

WORKERS = 2
MARKS = (0.1, 0.25, 0.5, 0.75, 1.0)
"""Shares of the curves at which memory is printed."""
_EVERY = 0.25
"""Seconds between two looks at the memory."""


class Memory:
    """Resident megabytes of this process and of its largest worker: the peaks so far."""

    def __init__(self) -> None:
        self.parent = self.worker = 0.0
        self._own = psutil.Process()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def now(self) -> tuple[float, float]:
        """Resident megabytes at this moment: of this process, and of its largest worker."""
        workers = [0.0]
        for child in self._own.children(recursive=True):
            with contextlib.suppress(psutil.Error):  # it has ended meanwhile
                workers.append(child.memory_info().rss / 2**20)
        return self._own.memory_info().rss / 2**20, max(workers)

    def _watch(self) -> None:
        while not self._over.wait(_EVERY):
            parent, worker = self.now()
            self.parent, self.worker = max(self.parent, parent), max(self.worker, worker)


@contextlib.contextmanager
def dask_cluster() -> Iterator[str]:
    """Two workers of one thread each; joblib sends its work there."""
    import dask
    import distributed

    # Dask keeps the last 1,000 messages to every worker, curves and all, for those who look for faults in it; here its
    # scheduler is in this process.
    few = dask.config.set({"distributed.admin.low-level-log-length": 20})
    settings = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": None}
    with few, distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster), parallel_config("dask"):
        yield f"a Dask cluster of {WORKERS} workers, one thread each"


@contextlib.contextmanager
def own_processes(count: int) -> Iterator[str]:
    """So many processes of joblib's own."""
    with parallel_config("loky", n_jobs=count):
        yield f"{count} processes of joblib"


def made(count: int) -> Iterator[LearningCurve]:
    """Pilots of six sizes and three splits, made as they are asked for."""
    rng = np.random.default_rng(2)
    return (pilot(rng) for _ in range(count))


def run(count: int, mean: str, where: str, n_jobs: int | None) -> None:
    marks = {max(1, round(share * count)): share for share in MARKS}
    print(f"{count:,} curves of 6 sizes and 3 splits, {mean}, on {where}\n")
    print("| done | curves | seconds | ms per curve | parent now, peak (MB) | worker now, peak (MB) |")
    print("|---|---|---|---|---|---|", flush=True)
    failed = 0
    with Memory() as memory:
        start = perf_counter()
        for done, found in enumerate(forecast_many(made(count), NEW, APExGP(mean), n_jobs=n_jobs), 1):
            failed += found.error is not None
            if done in marks:
                print(_row(marks[done], done, perf_counter() - start, memory), flush=True)
    print(f"\n{failed} of {count:,} curves without a forecast")


def _row(share: float, done: int, seconds: float, memory: Memory) -> str:
    parent, worker = memory.now()
    peaks = max(parent, memory.parent), max(worker, memory.worker)
    figures = [f"{share:.0%}", f"{done:,}", f"{seconds:,.0f}", f"{1e3 * seconds / done:.2f}"]
    return "| " + " | ".join([*figures, f"{parent:.0f}, {peaks[0]:.0f}", f"{worker:.0f}, {peaks[1]:.0f}"]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("curves", nargs="?", type=int, default=2000)
    parser.add_argument("--processes", type=int, help="processes of joblib's own instead of the cluster")
    parser.add_argument("--mean", default="burr", help="mean function, or auto")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    with own_processes(settings.processes) if settings.processes else dask_cluster() as where:
        run(settings.curves, settings.mean, where, n_jobs=settings.processes or -1)


if __name__ == "__main__":
    main()
