"""The paper's whole 2D protocol beside a plain loop over scikit-learn fits; two workers beside one; memory.

5 sizes x 3 splits, 11 C x 10 caps on 5,000 x 768 float32 embeddings. The loop is what the paper's code does with one
of its five seeds, which change nothing: L-BFGS starts at zero.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from time import perf_counter, process_time, sleep

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.utils import compute_sample_weight
from threadpoolctl import threadpool_limits

from apexgp import LogisticHead, collect_curves


def embeddings(n_rows, n_features=768, seed=0):
    """Two overlapping clouds, as a network's last layer gives them: a few strong directions among many weak ones."""
    rng = np.random.default_rng(seed)
    y = rng.random(n_rows) < 0.3
    X = rng.standard_normal((n_rows, n_features), dtype=np.float32)
    X *= np.geomspace(3, 0.1, n_features, dtype=np.float32)
    X[y] += rng.normal(0, 0.15, n_features).astype(np.float32)
    return X, y.astype(int)


class PlainLoop(ClassifierMixin, BaseEstimator):
    """A fit of scikit-learn's at every C and cap; the best validation AUROC is kept, on ties the lower loss."""

    def fit(self, X, y, *, validation):
        head = LogisticHead()
        best = (-1.0, 0.0)
        weights = compute_sample_weight("balanced", validation[1])
        for C in head.Cs:
            for cap in head.max_iters:
                model = LogisticRegression(C=C, max_iter=cap, class_weight="balanced").fit(X, y)
                score = (
                    roc_auc_score(validation[1], model.decision_function(validation[0])),
                    -log_loss(validation[1], model.predict_proba(validation[0]), sample_weight=weights),
                )
                if score > best:
                    best, self.model_, self.chosen_ = score, model, {"C": C, "max_iter": cap}
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)


class Clocked(LogisticHead):
    """Reports the processor seconds of its fit, which other work on the machine does not change."""

    def fit(self, X, y, *, validation):
        start = process_time()
        super().fit(X, y, validation=validation)
        self.chosen_ = {"processor": process_time() - start}
        return self


class Product(ClassifierMixin, BaseEstimator):
    """A fit that reads all its rows and little else, to look at memory."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.direction_ = (2 * y - 1) @ X
        return self

    def decision_function(self, X):
        return X @ self.direction_


def timed(function, *arguments, **settings):
    start = perf_counter()
    found = function(*arguments, **settings)
    return perf_counter() - start, found


def proportional_memory():
    """Bytes of this process and all below it, shared pages divided among those that share them."""
    children = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(status.parent.name))
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        waiting += children.get(process, [])
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def speed():
    X, y = embeddings(5000)
    ours, curves = timed(collect_curves, LogisticHead(), X, y, sizes="paper", progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        plain, same = timed(collect_curves, PlainLoop(), X, y, sizes="paper", progress=False)
    apart = np.abs(curves.only.scores - same.only.scores).max()
    print("The paper's 2D protocol, 5 sizes x 3 splits, 11 C x 10 caps, 5,000 x 768 float32, one numeric thread")
    print(f"  a scikit-learn fit at every C and cap   {plain:6.1f} s")
    print(f"  one path for each C                     {ours:6.1f} s  {plain / ours:.1f} times faster")
    print(f"  chosen test AUROCs differ by at most    {apart:.5f}")


def workers():
    X, y = embeddings(5000)
    settings = {"sizes": [1000, 2000, 3000, 4000], "n_splits": 4, "progress": False}
    collect_curves(Clocked(), X, y, n_jobs=2, **settings | {"sizes": [60, 94]})  # starts the workers
    two, by_two = timed(collect_curves, Clocked(), X, y, n_jobs=2, **settings)
    one, by_one = timed(collect_curves, Clocked(), X, y, n_jobs=1, **settings)
    spent = [sum(fit["parameters"]["processor"] for fit in curves.fits) for curves in (by_one, by_two)]
    print(f"Warm workers: one {one:.1f} s, two {two:.1f} s, {one / two:.2f} times faster")
    print(f"  processor seconds in the fits: one {spent[0]:.1f}, two together {spent[1]:.1f}")
    print(f"  (needs two idle cores; load average while measuring: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)")


def memory():
    X, y = embeddings(100_000)
    peak, over = [0], threading.Event()

    def watch():
        while not over.is_set():
            peak[0] = max(peak[0], proportional_memory())
            sleep(0.05)

    watcher = threading.Thread(target=watch)
    watcher.start()
    collect_curves(Product(), X, y, sizes=[20_000, 80_000], n_splits=4, n_jobs=2, progress=False)
    over.set()
    watcher.join()
    print(
        f"Memory: X of {X.nbytes / 2**30:.2f} GiB (100,000 x 768 float32), two workers: "
        f"peak {peak[0] / 2**30:.2f} GiB in all, shared pages counted once"
    )


def main():
    with threadpool_limits(1):
        speed()
        workers()
    # In a process of its own, so that nothing of the above is counted.
    sys.stdout.flush()
    subprocess.run([sys.executable, __file__, "memory"], check=True)


if __name__ == "__main__":
    memory() if sys.argv[1:] == ["memory"] else main()
