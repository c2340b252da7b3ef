"""Learning from a thousand curves: time, memory, the same numbers: `learn_scale.py [--curves 250 500 1000]`.

Whole curves of eight sizes and three splits are made up. Each run is a process of its own, with two workers: of joblib,
then of Dask; the last is killed half-way and run again with the same folder. Processor seconds are those of all
processes. The digest is of the learnt numbers and their record: the same curves and seed must give the same.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import contextlib
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
import psutil

from apexgp import LearningCurve, learn_beliefs
from batch import WORKERS, Memory, dask_cluster, own_processes

SIZES = 32 * 2 ** np.arange(8)


def whole(i: int) -> LearningCurve:
    """A curve of a task of its own."""
    rng = np.random.default_rng(i)
    drop = rng.uniform(0.1, 0.4) * (SIZES / 32) ** -rng.uniform(0.2, 0.8)
    scores = (rng.uniform(0.75, 0.98) - drop)[:, None] + rng.normal(0, 0.02, (8, 3)) * (SIZES[:, None] / 32) ** -0.3
    return LearningCurve(SIZES, scores.clip(0, 1), metric="auroc", task=f"task {i}")


def one_run(count: int, dask: bool, folder: Path | None) -> dict:
    began = perf_counter()
    with Memory() as memory, dask_cluster() if dask else own_processes(WORKERS):
        learnt = learn_beliefs([whole(i) for i in range(count)], folder=folder, n_jobs=WORKERS)
        workers = psutil.Process().children(recursive=True)
        used = sum(sum(one.cpu_times()[:2]) for one in [psutil.Process(), *workers])
        said = json.dumps(learnt.to_dict(), sort_keys=True)
        return {
            "curves": count,
            "seconds": round(perf_counter() - began),
            "processor seconds": round(used),
            "MB": round(memory.parent),
            "MB of the largest worker": round(memory.worker),
            "digest": hashlib.sha256(said.encode()).hexdigest()[:12],
        }


def in_a_process(count: int, *options: str) -> subprocess.Popen:
    command = [sys.executable, __file__, "--one", str(count), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)


def kill_half_way(count: int, folder: Path) -> int:
    """How many curves were kept when it was killed."""
    run = in_a_process(count, "--folder", str(folder))
    while len(list(folder.glob("*.npz"))) < count // 2:
        sleep(0.2)
    for process in [*psutil.Process(run.pid).children(recursive=True), psutil.Process(run.pid)]:
        with contextlib.suppress(psutil.Error):
            process.kill()
    run.wait()
    return len(list(folder.glob("*.npz")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--curves", nargs="+", type=int, default=(250, 500, 1000))
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--dask", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    settings = parser.parse_args()
    if settings.one:
        print(json.dumps(one_run(settings.one, settings.dask, settings.folder)))
        return
    most = max(settings.curves)
    for count in settings.curves:
        print(in_a_process(count).communicate()[0].strip(), flush=True)
    print("Dask:", in_a_process(most, "--dask").communicate()[0].strip(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        kept = kill_half_way(most, Path(folder))
        print(f"killed with {kept} curves kept, and run again:", flush=True)
        print(in_a_process(most, "--folder", folder).communicate()[0].strip(), flush=True)


if __name__ == "__main__":
    main()
