"""What curves of many sizes and splits cost, and how forecasts move with the seed: `many_sizes.py [--seeds 5]`.

Each curve is fitted in a process of its own, with one thread: CPU seconds of a fit with a forecast at 2, 10 and 50
times the largest size, the peak memory of the process, effective nodes, and the standard deviation over seeds of the
upper end of the 95 % interval of the expected score, as a share of the interval's width, the largest of the three.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import resource
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import process_time

import numpy as np

from apexgp import APExGP, LearningCurve


def curve(grid: int, splits: int, taken: int | None = None) -> LearningCurve:
    """A rising curve on so many sizes from 60 to 6,000, each split at all of them or at so many of its own."""
    rng = np.random.default_rng(grid + splits)
    sizes = np.unique(np.geomspace(60, 6000, grid).round())
    rows = []
    for split in range(splits):
        luck = rng.normal(0, 0.008)
        own = sizes if taken is None else np.sort(rng.choice(sizes, taken, replace=False))
        scores = 0.92 - 0.25 * (own / 60) ** -0.45 + luck + rng.normal(0, 0.008, len(own))
        rows += [(size, min(score, 1.0), split) for size, score in zip(own, scores, strict=True)]
    size, score, split = zip(*rows, strict=True)
    return LearningCurve(size, score, split if splits > 1 else None)


CURVES = {
    "5 sizes x 3 splits, for comparison": (5, 3),
    "20 sizes x 100 splits": (20, 100),
    "98 sizes x 1": (98, 1),
    "98 sizes x 3 splits": (98, 3),
    "100 splits, each at 20 of 98 sizes of its own": (98, 100, 20),
    "1,000 sizes, one score each": (1000, 1),
    "200 splits, each at 10 of 1,000 sizes of its own": (1000, 200, 10),
}


def row(name: str, seeds: int) -> str:
    """A line of the table."""
    pilot = curve(*CURVES[name])
    far = pilot.largest * np.array([2, 10, 50])
    seconds, nodes, uppers, widths = [], [], [], []
    warned = 0
    for seed in range(seeds):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            start = process_time()
            model = APExGP(seed=seed).fit(pilot)
            low, high = model.forecast(far, of="expected").interval(0.95)
            seconds.append(process_time() - start)
        warned += bool(said)
        nodes.append(model.effective_size_)
        uppers.append(high)
        widths.append(high - low)
    moved = 100 * float((np.std(uppers, axis=0, ddof=1 if seeds > 1 else 0) / np.mean(widths, axis=0)).max())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"| {name} | {min(seconds):.2f}-{max(seconds):.2f} | {memory:.0f} | {min(nodes):.0f}-{max(nodes):.0f} "
        f"| {moved:.1f} % | {warned} of {seeds} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    settings = parser.parse_args()
    print("| curve | CPU s | MB | effective nodes | upper end | warned |")
    print("|---|---|---|---|---|---|")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as one_by_one:
        for line in one_by_one.map(row, CURVES, [settings.seeds] * len(CURVES)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
