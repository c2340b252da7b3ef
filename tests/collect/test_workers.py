"""Workers that die, and runs that leave nobody behind."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from apexgp import CurveSet, collect_curves
from apexgp.errors import FailedFitsWarning, RequestError
from conftest import require

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")]

RNG = np.random.default_rng(0)
Y = np.arange(300) % 2
X = RNG.normal(size=(300, 4)) + Y[:, None]
SETTINGS = {"sizes": [20, 40, 80], "n_splits": 2, "metric": "accuracy", "progress": False}


class Killer(GaussianNB):
    """Ends its process on training sets of one size: always, or while a file is there, which it takes away."""

    def __init__(self, size=80, once=None, signal=signal.SIGKILL):
        super().__init__()
        self.size = size
        self.once = once
        self.signal = signal

    def fit(self, X, y):
        if len(X) == self.size:
            if self.once is None:
                os.kill(os.getpid(), self.signal)
            elif os.path.exists(self.once):
                os.unlink(self.once)
                os.kill(os.getpid(), self.signal)
        return super().fit(X, y)


def rows(curves):
    done = [fit for fit in curves.fits if not fit["error"]]
    return [{name: value for name, value in fit.items() if name != "seconds"} for fit in done]


@pytest.fixture(scope="module")
def alone():
    return rows(collect_curves(GaussianNB(), X, Y, **SETTINGS))


@pytest.mark.filterwarnings("ignore:A worker stopped:UserWarning")
@pytest.mark.parametrize(("how", "splits"), [(signal.SIGKILL, 2), (signal.SIGSEGV, 1)])
def test_a_fit_that_kills_its_worker_fails_and_the_others_go_on(tmp_path, alone, how, splits):
    path = tmp_path / "runs.csv"
    said = rf"{splits} of {3 * splits} fits failed.*died twice.*{how.name}.*fewer processes"
    with pytest.warns(FailedFitsWarning, match=said):
        curves = collect_curves(Killer(signal=how), X, Y, n_jobs=2, results=path, **SETTINGS | {"n_splits": splits})
    assert [fit["size"] for fit in curves.failed] == [80] * splits
    assert rows(curves) == [row for row in alone if row["size"] != 80 and row["split"] < splits]
    assert rows(CurveSet.from_results(path)) == rows(curves)


@pytest.mark.filterwarnings("ignore:A worker stopped:UserWarning")
def test_a_worker_that_dies_once_costs_nothing(tmp_path, alone):
    accident = tmp_path / "accident"
    accident.touch()
    settings = SETTINGS | {"n_splits": 1}  # a process starts for every fit that was under way
    curves = collect_curves(Killer(once=str(accident)), X, Y, n_jobs=2, results=tmp_path / "runs.csv", **settings)
    assert not accident.exists()
    assert rows(curves) == [row for row in alone if row["split"] == 0]
    assert len(CurveSet.from_results(tmp_path / "runs.csv").fits) == 3


@pytest.mark.filterwarnings("default")  # Dask's own shutting down is not ours to judge
def test_a_fit_that_kills_the_workers_of_a_cluster_fails_and_the_others_go_on(alone):
    distributed = require("distributed")
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        distributed.LocalCluster(**settings) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
        warnings.catch_warnings(record=True),
    ):
        curves = collect_curves(Killer(), X, Y, **SETTINGS | {"n_splits": 1})
    assert [fit["size"] for fit in curves.failed] == [80]
    assert "died twice on this fit" in curves.failed[0]["error"]
    assert rows(curves) == [row for row in alone if row["size"] != 80 and row["split"] == 0]


class Leaving(GaussianNB):
    def fit(self, X, y):
        sys.exit("enough")


def test_a_fit_that_asks_the_program_to_end_is_a_failed_fit():
    from apexgp.errors import DataError

    with pytest.raises(DataError, match="3 fits failed: 3 with SystemExit: enough"):
        collect_curves(Leaving(), X, Y, sizes=[20], n_splits=3, progress=False)


class Unsendable(GaussianNB):
    def __reduce__(self):
        raise TypeError("stays here")


def test_an_estimator_that_cannot_be_sent_is_named():
    with pytest.raises(RequestError, match=r"cannot be sent to other processes.*one process, with n_jobs=1"):
        collect_curves(Unsendable(), X, Y, n_jobs=2, **SETTINGS)


ORPHANS = """
import os, sys, time
import numpy as np
from sklearn.naive_bayes import GaussianNB
from apexgp import collect_curves

class Slow(GaussianNB):
    def fit(self, X, y):
        os.write(1, f"{os.getpid()}\\n".encode())  # whole, whoever else writes
        time.sleep(600)

rng = np.random.default_rng(0)
y = np.arange(4000) % 2
collect_curves(Slow(), rng.normal(size=(4000, 100)), y, sizes=[20], n_splits=int(sys.argv[1]), n_jobs=2, progress=False)
"""


def still_there(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(process):
    by_thread = Path(f"/proc/{process}/task").glob("*/children")
    return {int(child) for thread in by_thread for child in thread.read_text().split()}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc and /dev/shm")
@pytest.mark.parametrize("busy", [2, 1])  # of two workers
def test_workers_and_shared_memory_end_with_a_run_that_is_killed(busy):
    with subprocess.Popen([sys.executable, "-c", ORPHANS, str(busy)], stdout=subprocess.PIPE, text=True) as run:
        at_work = {int(run.stdout.readline()) for _ in range(busy)}
        workers = children(run.pid)  # and the watcher of the shared memory
        folder = f"joblib_memmapping_folder_{run.pid}_"
        shared = any(name.startswith(folder) for name in os.listdir("/dev/shm"))
        run.kill()
        run.wait()
    assert shared
    assert at_work <= workers
    assert len(workers) >= 3
    for _ in range(600):
        left = [worker for worker in workers if still_there(worker)]
        memory = [name for name in os.listdir("/dev/shm") if name.startswith(folder)]
        if not left and not memory:
            break
        time.sleep(0.1)
    assert (left, memory) == ([], [])
