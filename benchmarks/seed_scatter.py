"""How far forecasts move with the seed, on varied pilots: `seed_scatter.py [--seeds 10] [--of varied] [--mean burr]`.

For each pilot: the standard deviation over seeds of the ends of 95 % intervals at 2, 10 and 50 times the largest pilot
size, relative to their width (the largest, and the mean), their range likewise, what the fit itself says of its error,
how many seeds warned, and the range of a required size. The targets: at most 0.02 for each of the varied pilots (24),
0.03 for each of the replicated ones (60 of 8 to 10 sizes with 20 to 50 splits), and among the wild ones (400: jumps,
constants, hundreds of scores) none that ranges over more than 0.2 without a warning.
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
from apexgp.errors import AccuracyWarning

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


def varied() -> dict[str, LearningCurve]:
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


def replicated(count: int = 60) -> dict[str, LearningCurve]:
    """Many splits, with noise that is constant, shrinks, or is that of counting hits among test cases."""
    found = {}
    for i in range(count):
        rng, kind = np.random.default_rng([0, i]), ("constant", "shrinking", "binomial")[i % 3]
        splits, first = int(rng.choice([20, 30, 50])), int(rng.integers(20, 100))
        sizes = np.round(np.geomspace(first, first * rng.choice([16, 64]), int(rng.integers(8, 11))))
        shape = (len(sizes), splits)
        expected = rng.uniform(0.75, 0.98) - rng.uniform(0.1, 0.4) * (sizes[:, None] / first) ** -rng.uniform(0.2, 0.8)
        luck = rng.normal(0, rng.choice([0.0, 0.01, 0.03, 0.05]), splits)
        if kind == "constant":
            scores = expected + luck + rng.normal(0, rng.choice([0.02, 0.05]), shape)
        elif kind == "shrinking":
            less = (sizes[:, None] / first) ** -rng.uniform(0.2, 0.6)
            scores = expected + less * (luck + rng.normal(0, 0.05, shape))
        else:
            cases = int(rng.choice([50, 100, 200]))
            scores = rng.binomial(cases, np.clip(expected, 0, 1), shape) / cases
        found[f"{kind} {i}"] = LearningCurve(sizes, np.clip(scores, 0, 1))
    return found


def wild(count: int = 400) -> dict[str, LearningCurve]:
    """Curves that nobody would draw, with 1 to 300 scores a size."""
    found = {}
    for i in range(count):
        rng, first = np.random.default_rng([7, i]), i * 37 % 296 + 5
        span, base = float(rng.choice([2.5, 8, 30, 200, 1000])), rng.uniform(0.1, 0.9)
        sizes = np.unique(np.round(first * np.geomspace(1, span, int(rng.integers(3, 21)))))
        count_of, step = len(sizes), np.arange(len(sizes))
        shapes = {
            "jump": np.where(step >= rng.integers(1, count_of), min(base + rng.uniform(0.05, 0.5), 0.999), base),
            "constant": np.full(count_of, rng.choice([0.0, 0.5, 0.74, 0.9, 0.99, 1.0])),
            "steps": np.sort(np.minimum(base + rng.choice([0.0, 0.1, 0.3], count_of), 1.0)),
            "plateau": base + 0.001 * step,
            "random": rng.uniform(0, 1, count_of),
            "leap": np.where(step == count_of - 1, rng.uniform(0.6, 0.99), 0.5),
            "falling": np.maximum(base - rng.uniform(0, 0.5) * step / count_of, 0.0),
            "near one": 1 - 0.05 * (sizes / first) ** -rng.uniform(0.3, 1.5),
            "power law": rng.uniform(0.7, 0.99) - 0.3 * (sizes / first) ** -rng.uniform(0.2, 1.0),
            "last step": np.where(step == count_of - 1, 0.75, 0.74),
        }
        kind = list(shapes)[i % len(shapes)]
        splits = int(rng.choice([1, 3, 10, 20, 50, 100, 300]))
        noise, luck = float(rng.choice([0.0, 0.001, 0.01, 0.05, 0.1])), float(rng.choice([0.0, 0.3, 1.0]))
        less = (sizes[:, None] / first) ** -float(rng.choice([0.0, 0.0, 0.5]))
        scores = rng.normal(0, 1, (count_of, splits)) + luck * rng.normal(0, 1, splits)
        scores = np.clip(shapes[kind][:, None] + less * noise * scores, 0, 1)
        if rng.uniform() < 0.3:
            scores = np.round(scores, 2)
        labelled = rng.uniform() < 0.7
        given = (sizes, scores) if labelled else (np.repeat(sizes, splits), scores.ravel())
        found[f"{kind} {i}"] = LearningCurve(*given)
    return found


SETS = {"varied": varied, "replicated": replicated, "wild": wild}
WIDE = 0.2  # range over the seeds that a warning is wanted for


def judge(name: str, curve: LearningCurve, mean: str, seeds: int) -> tuple[float, float, int, str]:
    """Scatter and range of the ends over seeds, how many seeds warned, and a line that says more."""
    at, models, warned = curve.sizes.max() * np.array([2.0, 10.0, 50.0]), [], 0
    for seed in range(seeds):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            models.append(APExGP(mean, seed=seed).fit(curve))
        warned += any(issubclass(one.category, AccuracyWarning) for one in caught)
    scatter, ranges = [], []
    for of in ("new_splits", "expected"):
        ends = np.array([model.forecast(at, of=of).interval(0.95) for model in models])
        width = np.maximum((ends[:, 1] - ends[:, 0]).mean(axis=0), 1e-9)
        scatter.append(ends.std(axis=0, ddof=1) / width)
        ranges.append(np.ptp(ends, axis=0) / width)
    target = float(models[0].forecast(at[1:2], of="expected").median[0])
    needed = [model.required_size(target, confidence=0.6).size for model in models]
    told = np.mean([model.end_error_ for model in models])
    said = f"{name:24} {np.max(scatter):6.3f} {np.mean(scatter):6.3f} {np.max(ranges):6.3f} {told:6.3f} {warned:3}"
    said += f"  {np.median(needed):,.0f}, {min(needed):,.0f} to {max(needed):,.0f}"
    return float(np.max(scatter)), float(np.max(ranges)), warned, said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--mean", default="burr")
    parser.add_argument("--of", choices=SETS, default="varied")
    parser.add_argument("--pilots", type=int, help="only the first so many")
    settings = parser.parse_args()
    print(f"{'pilot':24} {'worst':>6} {'mean':>6} {'range':>6} {'told':>6} warned  required size: median, range")
    chosen = list(SETS[settings.of]().items())[: settings.pilots]
    judged = joblib.Parallel(n_jobs=-1, return_as="generator")(
        joblib.delayed(judge)(name, curve, settings.mean, settings.seeds) for name, curve in chosen
    )
    worst, ranges, warned = [], [], []
    for scatter, reach, warnings_, said in judged:
        print(said, flush=True)
        worst.append(scatter)
        ranges.append(reach)
        warned.append(warnings_)
    worst, ranges, warned = map(np.array, (worst, ranges, warned))
    wide = ranges > WIDE
    above = ", ".join(f"above {limit}: {np.sum(worst > limit)}" for limit in (0.02, 0.03))
    print(f"median {np.median(worst):.3f}; {above} of {len(worst)}")
    print(
        f"range above {WIDE}: {wide.sum()}, without any warning {np.sum(wide & (warned == 0))}; warned of "
        f"{warned.sum()} of {len(worst) * settings.seeds} fits"
    )


if __name__ == "__main__":
    main()
