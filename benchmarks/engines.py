"""The engine beside those of other checkouts, on the same pilots in one run.

`engines.py [--against ../old/src ...]`: for each, the processor time of a fit with a forecast at ten sizes and three
quantiles, of a curve in a batch, of a required size, of a backtest, of a sensitivity analysis, of a design, and of
learning priors from a dozen curves. Each work is timed three times in
turn, and the least counts, so that whatever else the machine does falls on all alike.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import importlib
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from time import process_time

import numpy as np

import apexgp
from seed_scatter import varied

REPEATS = 3


def loaded(source: Path, name: str, folder: Path):
    """The package of another checkout under another name: it imports itself by relative names only."""
    shutil.copytree(source / "apexgp", folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return importlib.import_module(name)


def curve_of(package, curve):
    return package.LearningCurve(curve.sizes, curve.scores, split=curve.split)


def single(package, curve):
    model = package.APExGP().fit(curve_of(package, curve))
    return model.forecast(curve.largest * np.geomspace(1, 50, 10)).quantile([0.025, 0.5, 0.975])


def batch(package, curve):
    """Four times the same, of which a curve counts."""
    return list(package.forecast_many([curve_of(package, curve)] * 4, times=np.geomspace(1, 50, 10), n_jobs=1))


def required(package, curve):
    model = package.APExGP().fit(curve_of(package, curve))
    target = float(model.forecast([10 * curve.largest], of="expected").median[0])
    start = process_time()
    model.required_size(target, confidence=0.6)
    return process_time() - start


def designed(package, curve):
    model = package.APExGP().fit(curve_of(package, curve))
    start = process_time()
    package.design_pilot(model, 12)
    return process_time() - start


def backtested(package, curve):
    return package.backtest(curve_of(package, curve), {"default": package.APExGP()}, n_jobs=1, progress=False)


def analysed(package, curve):
    model = package.APExGP().fit(curve_of(package, curve))
    start = process_time()
    package.sensitivity(model, times=[10.0], n_jobs=1)
    return process_time() - start


def learnt(package, curve):
    """Priors from curves that differ from this one by their noise."""
    rng = np.random.default_rng(0)
    scores = [np.clip(curve.scores + rng.normal(0, 0.005, len(curve.scores)), 0, 1) for _ in range(12)]
    curves = [package.LearningCurve(curve.sizes, own, split=curve.split) for own in scores]
    return package.learn_beliefs(curves, n_jobs=1, progress=False)


WORKS = {
    "single": (single, 1),
    "batch": (batch, 4),
    "required size": (required, 1),
    "backtest": (backtested, 1),
    "sensitivity": (analysed, 1),
    "design": (designed, 1),
    "learning": (learnt, 1),
}
LONG = ("sensitivity", "design", "learning")


def seconds(work, package, curve) -> float:
    start = process_time()
    told = work(package, curve)
    return told if isinstance(told, float) else process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, nargs="*", default=[], help="src folders of other checkouts")
    parser.add_argument("--pilots", type=int, default=24)
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        packages = {"this": apexgp}
        for i, source in enumerate(settings.against):
            packages[str(source)] = loaded(source, f"apexgp_{i}", Path(folder))
        curves = list(varied().values())[: settings.pilots]
        for name, (work, count) in WORKS.items():
            some = curves[:4] if name in LONG else curves
            table = np.empty((len(packages), len(some)))
            for column, curve in enumerate(some):
                for row, package in enumerate(packages.values()):
                    table[row, column] = min(seconds(work, package, curve) for _ in range(REPEATS)) / count
            for row, label in enumerate(packages):
                middle = np.median(table[row])
                ratio = f", {middle / np.median(table[0]):.2f} times this one" if row else ""
                print(
                    f"{name:14} {label:30} median {1e3 * middle:7.2f} ms, mean {1e3 * table[row].mean():7.2f}{ratio}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
