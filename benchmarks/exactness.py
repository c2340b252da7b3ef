"""How exact the integral is: the table of docs/speed.md. `exactness.py [--seeds 16] [--references 4] [--pilots 40]`.

Ends of 95 % intervals of the expected score at 2, 10 and 50 times the largest pilot size, of fits with several seeds,
against the mean of long runs (`precision=0.002`), all in shares of the interval's width. The pilots are the varied ones
of seed_scatter.py and others from the development curves. The targets: a mean error of at most 0.005 and none above
0.05, a standard deviation over seeds of at most 0.008 in the median and 0.02 at worst, a bias of at most 0.002, and an
`end_error_` within a factor of 1.5 of that standard deviation on 9 of 10 pilots.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import warnings

import joblib
import numpy as np

import lcdb
from apexgp import APExGP, LearningCurve
from seed_scatter import varied

TIMES = np.array([2.0, 10.0, 50.0])
LONG = 0.002  # precision of the references
FACTOR = 1.5
BESIDE = 16  # pilots from the development curves, beside the varied ones


def pilots() -> dict[str, LearningCurve]:
    """Those of seed_scatter.py and, where the development curves are there, some of these beside them."""
    if not lcdb.default_path().exists():
        return varied()
    cases = lcdb.draw(lcdb.read(lcdb.default_path()))
    chosen = np.random.default_rng(77).choice(len(cases), BESIDE, replace=False)
    return varied() | {f"{cases[i].task[:12]} {cases[i].learner[:8]}, too": cases[i].curve for i in chosen}


def find_ends(curve: LearningCurve, **settings) -> tuple[np.ndarray, float]:
    """Ends (2, sizes) of one fit, and its own error of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = APExGP(**settings).fit(curve)
    return np.array(model.forecast(TIMES * curve.largest, of="expected").interval(0.95)), model.end_error_


def judge(curve: LearningCurve, seeds: int, references: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Errors of the ends (seeds, 2, sizes), those of the references, and the median of what fits say of theirs."""
    long = np.array([find_ends(curve, seed=1000 + seed, precision=LONG)[0] for seed in range(references)])
    truth = long.mean(axis=0)
    width = np.maximum(truth[1] - truth[0], 1e-9)
    fits = [find_ends(curve, seed=seed) for seed in range(seeds)]
    return (
        (np.array([ends for ends, _ in fits]) - truth) / width,
        (long - truth) / width,
        np.median([e for _, e in fits]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--references", type=int, default=4)
    parser.add_argument("--pilots", type=int, help="only the first so many")
    settings = parser.parse_args()
    chosen = dict(list(pilots().items())[: settings.pilots])
    judged = joblib.Parallel(n_jobs=-1, return_as="generator")(
        joblib.delayed(judge)(curve, settings.seeds, settings.references) for curve in chosen.values()
    )
    print(f"{'pilot':28} {'mean error':>10} {'worst':>7} {'inward':>7} {'seed sd':>7} {'told':>7} {'reference':>9}")
    rows = []
    for name, (errors, of_references, told) in zip(chosen, judged, strict=True):
        # A lower end lies too far inward where it is too high, an upper one where it is too low.
        inward = float((errors.mean(axis=(0, 2)) * [1, -1]).mean())
        scatter = float(errors.std(axis=0, ddof=1).max())
        reference = float(of_references.std(axis=0, ddof=1).max()) if settings.references > 1 else np.nan
        row = float(np.abs(errors).mean()), float(np.abs(errors).max()), inward, scatter, told, reference
        rows.append(row)
        print(
            f"{name:28} {row[0]:10.4f} {row[1]:7.3f} {inward:7.4f} {scatter:7.4f} {told:7.4f} {reference:9.4f}",
            flush=True,
        )
    mean, worst, inward, scatter, told, _ = np.array(rows).T
    close = np.maximum(told / scatter, scatter / told) <= FACTOR
    print(f"\n{len(rows)} pilots, {settings.seeds} seeds, shares of the width | |\n|---|---|")
    print(f"| mean error | {mean.mean():.4f} |\n| worst error | {worst.max():.3f} |")
    print(f"| bias, inward | {inward.mean():.4f} ± {inward.std(ddof=1) / np.sqrt(len(rows)):.4f} |")
    print(f"| standard deviation over seeds of the worst end, median of the pilots | {np.median(scatter):.4f} |")
    print(f"| the same, worst pilot | {scatter.max():.3f} |\n| pilots above 0.02 | {(scatter > 0.02).sum()} |")
    print(f"| `end_error_` within a factor of {FACTOR} of it | {close.sum()} of {len(rows)} |")


if __name__ == "__main__":
    main()
