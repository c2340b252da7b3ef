"""The same rows wherever the fits run, and whatever interrupts them."""

import os
import subprocess
import sys

import joblib
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from apexgp import LogisticHead, collect_curves
from conftest import require

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")]

X, Y = load_breast_cancer(return_X_y=True)
X = ((X - X.mean(0)) / X.std(0)).astype("float32")
SETTINGS = {"sizes": [60, 147, 360], "n_splits": 2, "metric": ["auroc", "accuracy"], "progress": False}
ESTIMATORS = {"head": LogisticHead(), "forest": RandomForestClassifier(10, n_jobs=2)}


def rows(curves):
    return [{name: value for name, value in fit.items() if name != "seconds"} for fit in curves.fits]


@pytest.fixture(scope="module")
def alone():
    """The rows of one process."""
    return {name: rows(collect_curves(estimator, X, Y, **SETTINGS)) for name, estimator in ESTIMATORS.items()}


def test_several_processes_give_the_same_rows(alone, tmp_path):
    for name, estimator in ESTIMATORS.items():
        path = tmp_path / f"{name}.csv"
        assert rows(collect_curves(estimator, X, Y, n_jobs=2, results=path, **SETTINGS)) == alone[name]
        assert rows(collect_curves(estimator, X, Y, n_jobs=1, results=path, **SETTINGS)) == alone[name]


@pytest.mark.filterwarnings("default")  # Dask's own shutting down is not ours to judge
def test_a_dask_cluster_gives_the_same_rows(alone):
    distributed = require("distributed")
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        distributed.LocalCluster(**settings) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        for name, estimator in ESTIMATORS.items():
            assert rows(collect_curves(estimator, X, Y, **SETTINGS)) == alone[name]
        both = set(client.run(os.getpid).values())
        assert processes_of(collect_curves(WhoAmI(), X, Y, **SETTINGS)) == both  # and not this process
        client.retire_workers([next(iter(client.ncores()))])
        (one,) = client.run(os.getpid).values()
        assert processes_of(collect_curves(WhoAmI(), X, Y, **SETTINGS)) == {one} <= both  # joblib would do it here
        assert rows(collect_curves(ESTIMATORS["head"], X, Y, **SETTINGS)) == alone["head"]


def processes_of(found):
    return {fit["parameters"]["process"] for fit in found.fits}


KILLER = """
import os, random, signal, sys, time, warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from apexgp import CurveSet, collect_curves

X, y = load_breast_cancer(return_X_y=True)

def work(path):
    return collect_curves(GaussianNB(), X, y, n_splits=3, results=path, progress=False)

def rows(curves):
    return [{k: v for k, v in fit.items() if k != "seconds"} for fit in curves.fits]

def child(path):
    process = os.fork()
    if process == 0:
        work(path)
        os._exit(0)
    return process

folder = Path(sys.argv[1])
work(folder / "warm.csv")
start = time.perf_counter()
whole = rows(work(folder / "whole.csv"))
duration = time.perf_counter() - start
draw = random.Random(0)
kept = []
for number in range(8):
    path = folder / f"{number}.csv"
    process = child(path)
    time.sleep(draw.uniform(0.02, 1) * duration)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    before = path.read_text().splitlines() if path.exists() else []
    kept.append(sum(line[:1].isdigit() for line in before))
    assert rows(work(path)) == whole, number
    after = path.read_text().splitlines()
    assert after[: len(before) - 1] == before[:-1], number  # what was there is still there
    assert sum(line[:1].isdigit() for line in after) == len(whole), number  # and nothing was done twice
print(len(whole), *kept)
"""


def test_a_run_killed_at_8_moments_resumes_to_the_same_rows(tmp_path):
    # Forked from one process, so that 8 kills do not cost 8 starts of Python.
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", KILLER, tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    fits, *kept = map(int, done.stdout.split())
    assert len(kept) == 8
    assert sum(0 < number < fits for number in kept) >= 2, kept  # the kills did fall into the work


def test_numeric_threads_are_held_to_one():
    with threadpool_limits(2):
        found = collect_curves(ThreadCounter(), X, Y, sizes=[60], n_splits=1, metric="accuracy", progress=False)
        assert {library["num_threads"] for library in threadpool_info()} == {2}
    assert set(found.fits[0]["parameters"]["threads"]) == {1}


class ThreadCounter(LogisticHead):
    """Reports how many threads each numeric library may use while it is fitted."""

    def fit(self, X, y, *, validation=None):
        super().fit(X, y, validation=validation)
        self.chosen_ = {"threads": [library["num_threads"] for library in threadpool_info()]}
        return self


class WhoAmI(LogisticHead):
    """Reports the process it is fitted in."""

    def fit(self, X, y, *, validation=None):
        super().fit(X, y, validation=validation)
        self.chosen_ = {"process": os.getpid()}
        return self
