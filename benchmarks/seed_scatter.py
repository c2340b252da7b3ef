"""How far forecasts move with the seed, on varied pilots: `seed_scatter.py [--seeds 10] [--mean burr]`.

For each pilot: the standard deviation over seeds of the ends of 95 % intervals at 2, 10 and 50 times the largest pilot
size, relative to their width (the largest, and the mean), what the fit itself says of its error, and the range of a
required size. The target is at most 0.02 for every pilot.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import warnings

import numpy as np

import lcdb
from apexgp import APExGP, LearningCurve

SIX = np.geomspace(60, 360, 6)


def simulated(seed, sizes, splits, limit, drop, slope, noise):
    rng = np.random.default_rng(seed)
    scores = limit - drop * (sizes[:, None] / sizes[0]) ** slope
    scores = scores + rng.normal(0, noise, splits) + rng.normal(0, noise, (len(sizes), splits))
    return LearningCurve(sizes, np.clip(scores, 0, 1))


def waking(seed, slope):
    """Yet to turn within the pilot."""
    rng = np.random.default_rng(seed)
    scores = 0.92 - 0.35 / (1 + (SIX[:, None] / 147) ** slope)
    return LearningCurve(SIX, scores + rng.normal(0, 0.008, 3) + rng.normal(0, 0.008, (6, 3)))


def pilots() -> dict[str, LearningCurve]:
    geom = np.geomspace
    found = {
        "readme": LearningCurve(
            [60, 94, 147, 230, 360], [[0.66, 0.67], [0.70, 0.71], [0.72, 0.73], [0.75, 0.76], [0.76, 0.77]]
        ),
        "flat 6 x 5": simulated(10, geom(200, 800, 6), 5, 0.851, 0.002, -0.5, 0.001),
        "flat, noisy": simulated(12, geom(200, 800, 6), 5, 0.911, 0.002, -0.5, 0.005),
        "waking": waking(20, 1.5),
        "waking, steep": waking(21, 1.9),
        "near 1": simulated(30, SIX, 3, 0.995, 0.03, -0.8, 0.002),
        "span of 1000": simulated(41, geom(20, 20000, 8), 3, 0.95, 0.4, -0.5, 0.01),
        "one split": simulated(50, SIX, 1, 0.88, 0.2, -0.5, 0.01),
        "three sizes": simulated(60, geom(80, 320, 3), 3, 0.85, 0.15, -0.6, 0.01),
        "20 x 100": simulated(70, geom(60, 3600, 20), 100, 0.9, 0.3, -0.5, 0.008),
        "20 x 100, quiet": simulated(72, geom(60, 3600, 20), 100, 0.9, 0.1, -0.8, 0.002),
        "6 x 100": simulated(76, SIX, 100, 0.9, 0.25, -0.4, 0.01),
        "falling": simulated(78, SIX, 3, 0.74, -0.1, -0.5, 0.01),
        "noiseless": simulated(80, SIX, 3, 0.9, 0.25, -0.6, 1e-4),
    }
    if lcdb.default_path().exists():
        cases = lcdb.draw(lcdb.read(lcdb.default_path()))
        for i in np.random.default_rng(5).choice(len(cases), 10, replace=False):
            found[f"{cases[i].task[:12]} {cases[i].learner[:8]}"] = cases[i].curve
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--mean", default="burr")
    parser.add_argument("--pilots", type=int, help="only the first so many")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'pilot':24} {'worst':>6} {'mean':>6} {'told':>6}  required size: median over seeds, range")
    worst = []
    for name, curve in list(pilots().items())[: settings.pilots]:
        at = curve.sizes.max() * np.array([2.0, 10.0, 50.0])
        models = [APExGP(settings.mean, seed=seed).fit(curve) for seed in range(settings.seeds)]
        scatter = []
        for of in ("new_splits", "expected"):
            ends = np.array([model.forecast(at, of=of).interval(0.95) for model in models])
            scatter.append(ends.std(axis=0, ddof=1) / (ends[:, 1] - ends[:, 0]).mean(axis=0))
        target = float(models[0].forecast(at[1:2], of="expected").median[0])
        needed = [model.required_size(target, confidence=0.6).size for model in models]
        told = np.mean([model.posterior.end_error for model in models])
        worst.append(np.max(scatter))
        print(
            f"{name:24} {worst[-1]:6.3f} {np.mean(scatter):6.3f} {told:6.3f}  {np.median(needed):,.0f}, "
            f"{min(needed):,.0f} to {max(needed):,.0f}",
            flush=True,
        )
    print(f"above 0.02: {np.sum(np.array(worst) > 0.02)} of {len(worst)}; median {np.median(worst):.3f}")


if __name__ == "__main__":
    main()
