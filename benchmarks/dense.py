"""Dense pilots over a long span: `python benchmarks/dense.py [--curves 200] [--since 32] [--folds FILE]`.

The pilot is every mean accuracy of an LCDB 1.1 curve up to half of its largest size, from 16 examples on: 20 to 60
sizes, over a span of up to 27,000 times, unlabelled and given as an error rate. The rest of the curve is forecast. With
--since only the sizes above so many-th of the largest are given: what the early ones tell, or mislead to.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import calibrate
import lcdb
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--curves", type=int, default=200)
    parser.add_argument("--since", type=float, default=np.inf, help="only sizes above this part of the largest")
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    folds, figures = calibrate.read_folds(settings.folds), []
    for task, sizes, errors in pilots_of(settings.curves):
        later = sizes > sizes[-1] / 2 * 1.01
        given = ~later & (sizes >= sizes[~later][-1] / settings.since)
        pilot = LearningCurve(sizes[given], errors[given], metric="error rate", direction="lower")
        forecast = APExGP(priors=calibrate.beliefs_for(task, folds)).fit(pilot).forecast(sizes[later])
        truth, (low, near_low, median, near_high, high) = (
            errors[later],
            forecast.quantile([0.025, 0.1, 0.5, 0.9, 0.975]),
        )
        off = np.log(median / truth)
        figures.append(
            (
                np.mean(off**2),
                np.mean(np.log(forecast.pdf(truth) * truth + 1e-9)),
                np.mean((truth >= near_low) & (truth <= near_high)),
                np.mean((truth >= low) & (truth <= high)),
                np.mean(off),
            )
        )
    squares, density, covers_80, covers_95, bias = np.array(figures).T
    kept = np.sort(squares)[: round(len(squares) * (1 - WORST))]
    print("curves | RMSE of the log error | median | without the worst tenth | log density of it | 80 % | 95 % | bias")
    errors = [np.sqrt(squares.mean()), np.sqrt(np.median(squares)), np.sqrt(kept.mean())]
    shown = [*(f"{error:.4f}" for error in errors), f"{density.mean():.3f}"]
    shown += [f"{100 * covers_80.mean():.1f}", f"{100 * covers_95.mean():.1f}", f"{bias.mean():+.4f}"]
    print(" | ".join([str(len(figures)), *shown]))


if __name__ == "__main__":
    main()
