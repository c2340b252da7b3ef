"""Dense pilots over a long span: `python benchmarks/dense.py [--curves 200] [--since 8] [--folds FILE]`.

The pilot is every mean accuracy of an LCDB 1.1 curve up to half of its largest size, from 16 examples on: 20 to 60
sizes, over a span of up to 27,000 times, given as error rates that are means of several runs. The rest of the curve is
forecast, once from all sizes and once from those above 1 / --since of the largest: what early ones tell, or mislead to.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import calibrate
import lcdb
import scoring
from apexgp import APExGP, LearningCurve

LEAST_SIZES = 20
LEAST_ERROR = 0.004
"""A curve whose error is smaller within the pilot has too little left of it for its logarithm to mean much."""
WORST = 0.1
"""Curves that are left out of the second error: those that change their character outweigh all others."""


def pilots_of(count: int, seed: int = 0) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Task, sizes and errors of random curves that are long enough."""
    table = lcdb.read_means(lcdb.default_path("lcdb11_dev.csv.gz")).sort_values("size")
    curves = [
        (lcdb.openml_id(task), rows["size"].to_numpy(float), 1 - rows.accuracy.to_numpy())
        for (task, _), rows in table.groupby(["task", "learner"])
    ]
    chosen = []
    for i in np.random.default_rng(seed).permutation(len(curves)):
        _, sizes, errors = curves[i]
        pilot = sizes <= sizes[-1] / 2 * 1.01
        if pilot.sum() >= LEAST_SIZES and errors[pilot].min() >= LEAST_ERROR:
            chosen.append(curves[i])
        if len(chosen) == count:
            break
    return chosen


def judge(count: int, folds: dict | None, since: float) -> str:
    """A row of the table, of forecasts from the sizes above this part of the largest."""
    figures = []
    for task, sizes, errors in pilots_of(count):
        later = sizes > sizes[-1] / 2 * 1.01
        given = ~later & (sizes >= sizes[~later][-1] / since)
        pilot = LearningCurve(sizes[given], errors[given], metric="error rate", averaged_over="several")
        forecast = APExGP(priors=calibrate.beliefs_for(task, folds)).fit(pilot).forecast(sizes[later])
        truth, (low, near_low, median, near_high, high) = (
            errors[later],
            forecast.quantile([0.025, 0.1, 0.5, 0.9, 0.975]),
        )
        figures.append(
            (
                np.mean(np.log(median / truth) ** 2),
                np.mean(np.log(forecast.pdf(truth) * truth + 1e-9)),
                np.mean((truth >= near_low) & (truth <= near_high)),
                np.mean((truth >= low) & (truth <= high)),
            )
        )
    squares, density, covers_80, covers_95 = np.array(figures).T
    kept = np.sort(squares)[: round(len(squares) * (1 - WORST))]
    sizes_given = "all" if np.isinf(since) else f"above 1/{since:g} of the largest"
    shown = [f"{np.sqrt(squares.mean()):.3f}", *(f"{np.sqrt(x):.4f}" for x in (np.median(squares), kept.mean()))]
    covers = [f"{100 * covered.mean():.1f}" for covered in (covers_80, covers_95)]
    return scoring.row(sizes_given, *map(scoring.shorten, shown), f"{density.mean():.3f}", *covers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--curves", type=int, default=200)
    parser.add_argument("--since", type=float, default=8, help="second, only sizes above this part of the largest")
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    folds = calibrate.read_folds(settings.folds)
    errors = ("error", "median", "without worst tenth")
    print(f"\n{scoring.titles('sizes given', *errors, 'log density', '80 % covers', '95 % covers')}")
    for since in (np.inf, settings.since):
        print(judge(settings.curves, folds, since), flush=True)


if __name__ == "__main__":
    main()
