"""Time of full-Bayes fits and forecasts on one core, and how it grows: `bayes_speed.py [--curves 1000 100000]`."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import resource
import warnings
from time import perf_counter

import numpy as np

from apexgp import APExGP, LearningCurve, forecast_many
from apexgp.inference.density import Density
from apexgp.inference.integral import integrate
from apexgp.inference.statistics import Statistics
from apexgp.model.means import MEANS
from apexgp.priors import CALIBRATED

NEW = np.geomspace(500, 18_000, 10)


def pilot(rng, sizes=6, splits=3):
    x = np.geomspace(60, 360 if sizes < 10 else 3600, sizes)
    drop, slope = rng.uniform(0.05, 0.3), rng.uniform(-0.9, -0.1)
    noise = rng.normal(0, 0.008, splits) + rng.normal(0, 0.008, (sizes, splits))
    return LearningCurve(x, np.clip(0.9 - drop * (x[:, None] / 60) ** slope + noise, 0, 1))


def milliseconds(work, repeats=20):
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return 1e3 * float(np.median(times))


def single() -> None:
    rng = np.random.default_rng(0)
    curves = [pilot(rng) for _ in range(20)]
    print("one curve, 6 sizes, 3 splits, forecast with mean, median and 95 % interval at 10 sizes; median of 20 curves")
    base = None
    for mean in ("power_law", "arctan", "burr", "auto"):
        times = {"fit": [], "forecast": [], "quantiles": []}
        for curve in curves:
            model = APExGP(mean)
            start = perf_counter()
            model.fit(curve)
            middle = perf_counter()
            forecast = model.forecast(NEW)
            _ = forecast.mean
            later = perf_counter()
            forecast.quantile([0.025, 0.5, 0.975])
            for name, seconds in zip(times, (middle - start, later - middle, perf_counter() - later), strict=True):
                times[name].append(1e3 * seconds)
        medians = {name: float(np.median(values)) for name, values in times.items()}
        total = sum(medians.values())
        base = base or total
        parts = ", ".join(f"{name} {value:.1f}" for name, value in medians.items())
        print(f"  {mean:10} {total:6.1f} ms ({parts}), {total / base:.1f} times the power law")


def growth() -> None:
    rng = np.random.default_rng(1)
    model = Density(MEANS["burr"], CALIBRATED)
    print("growth of the fit of burr, and as a multiple of the first")
    for label, settings in {
        "splits": [(6, 3), (6, 30), (6, 300)],
        "sizes": [(5, 3), (10, 3), (20, 3), (30, 3), (60, 3)],
        "both": [(6, 3), (20, 100)],
    }.items():
        times = []
        for sizes, splits in settings:
            pilots = [Statistics.of(pilot(rng, sizes, splits)) for _ in range(3)]
            times.append(np.mean([milliseconds(lambda one=one: integrate(model, one, 0), 3) for one in pilots]))
        rows = [f"{s[0]} x {s[1]}: {t:.1f} ms ({t / times[0]:.1f})" for s, t in zip(settings, times, strict=True)]
        print(f"  {label:7}", ", ".join(rows))


def answers() -> None:
    rng = np.random.default_rng(3)
    models = [APExGP("burr").fit(pilot(rng)) for _ in range(10)]
    targets = [float(model.forecast([3000]).median[0]) for model in models]
    times = [
        milliseconds(lambda m=model, t=target: m.required_size(t, confidence=0.6), 3)
        for model, target in zip(models, targets, strict=True)
    ]
    print(f"required_size of burr: {np.median(times):.1f} ms")


def many(count: int) -> None:
    rng = np.random.default_rng(2)
    for mean in ("burr", "auto"):
        start = perf_counter()
        done = sum(1 for _ in forecast_many((pilot(rng) for _ in range(count)), NEW, APExGP(mean), n_jobs=1))
        seconds = perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"forecast_many, {mean}: {done} curves, {1e3 * seconds / done:.1f} ms per curve, peak memory {peak:.0f} MB",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--curves", nargs="+", type=int, default=[500], help="sizes of the batches")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    single()
    growth()
    answers()
    for count in settings.curves:
        many(count)


if __name__ == "__main__":
    main()
