"""Whether forecasts hold where noise does not shrink with size: `constant_noise.py [--draws 7 1 101] [--splits 3 10]`.

Curves are told apart by the slope of the logarithm of the standard deviation over all seeds along the logarithm of the
size, from 64 to 362: noise that halves over a factor of 4 has a slope of -0.5. With 15 to 125 seeds a curve the
standard error of a slope is about 0.05.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd

import lcdb
import pilots
from apexgp import APExGP
from pilots import Design, Runs
from scoring import Fitted, evaluate, head, line

BINS = {"grows": (0.1, np.inf), "constant": (-0.1, 0.1), "shrinks": (-np.inf, -0.1)}
"""Slopes of noise."""


def noise_slope(runs: Runs) -> float:
    """D log(standard deviation over seeds) / d log(size) at the pilot sizes; NaN without enough seeds."""
    at = np.isin(runs.sizes, lcdb.PILOT_SIZES)
    scores = runs.scores[:, at]
    scores = scores[~np.isnan(scores).any(axis=1)]
    if at.sum() < len(lcdb.PILOT_SIZES) or len(scores) < lcdb.LEAST_RUNS:
        return np.nan
    spread = np.maximum(scores.std(axis=0, ddof=1), 1e-4)
    return float(np.polyfit(np.log(runs.sizes[at]), np.log(spread), 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, nargs="+", default=[7, 1, 101])
    parser.add_argument("--splits", type=int, nargs="+", default=[3, 10])
    parser.add_argument("--curves", type=int, help="only so many of each bin and draw")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    curves = pilots.read_curves()
    found = [head("pilot, noise")]
    for pool in ("AUROC", "accuracy"):
        slopes = {(one.task, one.learner): noise_slope(one) for one in curves[pool] if isinstance(one, Runs)}
        known = pd.Series(slopes).dropna()
        shares = {name: ((known > low) & (known <= high)).mean() for name, (low, high) in BINS.items()}
        said = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
        print(f"\n{pool}, {len(known)} curves: noise {said}; median slope {known.median():.2f}", flush=True)
        for splits in settings.splits:
            design = Design(362, pool=pool, n_splits=splits)
            for name, (low, high) in BINS.items():
                cases = []
                for draw in settings.draws:
                    rng = np.random.default_rng(draw)
                    chosen = [one for one in curves[pool] if low < slopes[one.task, one.learner] <= high]
                    drawn = [one.case(design, rng, most=3) for one in chosen[: settings.curves]]
                    cases += [case for case in drawn if case is not None]
                found.append(line(f"{pool}, {splits} splits, noise {name}", evaluate(cases, forecasts)))
    print("", *found, sep="\n")


def forecasts(case: lcdb.Case) -> Fitted:
    """What the default makes of a case."""
    model = APExGP().fit(case.curve)
    return lambda of: model.forecast(case.sizes, of=of)


if __name__ == "__main__":
    main()
