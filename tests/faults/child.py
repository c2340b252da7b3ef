"""The run that faults happen to: `python -m faults.child RECORD HOW`, with HOW one of alone, workers, dask."""

import os
import sys
import time
import warnings

import joblib
import numpy as np
from sklearn.naive_bayes import GaussianNB

from apexgp import collect_curves
from apexgp.errors import ApexError

Y = np.arange(400) % 2
X = np.random.default_rng(0).normal(size=(400, 4)) + 0.3 * Y[:, None]
SETTINGS = {"sizes": [20, 40, 80, 160], "n_splits": 4, "metric": "accuracy", "progress": False}


class Slow(GaussianNB):
    """Takes a while, and says where it is done."""

    def fit(self, X, y):
        if place := os.environ.get("APEXGP_FAULTS_PROCESSES"):
            with open(place, "a") as file:
                file.write(f"{os.getpid()}\n")
        time.sleep(0.03)
        return super().fit(X, y)


def collect(path, n_jobs=1):
    return collect_curves(Slow(), X, Y, results=path, n_jobs=n_jobs, **SETTINGS)


def main(path, how):
    warnings.simplefilter("ignore")
    if how != "dask":
        _when_told(lambda: collect(path, 2 if how == "workers" else 1))
        return
    import distributed

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        _when_told(lambda: collect(path))


def _when_told(work):
    print("ready", flush=True)  # noqa: T201
    sys.stdin.readline()
    try:
        work()
    except ApexError as problem:
        print(problem, flush=True)  # noqa: T201
        sys.exit(3)


if __name__ == "__main__":
    # As an importable module, so that workers find its classes, and records the same name for them.
    from faults import child

    child.main(*sys.argv[1:])
