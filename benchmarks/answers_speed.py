"""Time of the answers, next to that of the fit they start from: `answers_speed.py [--backtests 20]`.

Backtests run over the development curves (with their later sizes), in two processes. With --backtests there is only
their table, of so many curves.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

import lcdb
from apexgp import METHODS, APExGP, LearningCurve, backtest, compare_models, plan_collection

SIZES = np.array([64, 91, 128, 181, 256, 362])


def median_time(function, repeats: int = 15) -> float:
    """Milliseconds."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times))


def speed() -> None:
    rng = np.random.default_rng(0)
    scores = (0.9 - 1.2 * SIZES**-0.45)[:, None] + rng.normal(0, 0.01, (6, 3))
    curve = LearningCurve(SIZES, scores)
    for mean in ("burr", "auto"):
        model = APExGP(mean)
        fit = median_time(lambda model=model: model.fit(curve))
        print(f"{mean}: fit {fit:.1f} ms")
        questions = {
            "required_size": lambda model=model: [model.required_size(t) for t in (0.82, 0.85, 0.9)],
            "plan_collection, 1 round": lambda model=model: [plan_collection(model, 0.85, 1, 1e5, 1)],
            "plan_collection, 3 rounds": lambda model=model: [plan_collection(model, 0.85, 1, 1e5, 3)],
            "1,000 sample_curves at 50 sizes": lambda model=model: [
                model.sample_curves(1000, np.geomspace(64, 36200, 50), 0)
            ],
        }
        for name, ask in questions.items():
            taken = median_time(ask) / len(ask())
            print(f"  {name}: {taken:.1f} ms, {taken / fit:.2f} of the fit")
    both = {"a": curve, "b": LearningCurve(SIZES, scores - 0.01 * rng.random((6, 3)))}
    print(
        f"compare_models, two curves, fits included: {median_time(lambda: compare_models(both, [362, 3620]), 5):.0f} ms"
    )
    for name, method in METHODS.items():
        print(f"  fit of {name}: {median_time(lambda method=method: method().fit(curve), 9):.1f} ms")


def backtests(cases: list[lcdb.Case]) -> None:
    print("backtests of development curves, two processes:")
    for kind, curves in (
        ("six sizes each", [case.curve for case in cases]),
        ("eight sizes or more", [case.splits for case in cases]),
    ):
        for name, methods in (("all methods", None), ("apexgp alone", ["apexgp"])):
            backtest(curves[:8], methods, n_jobs=2)
            start = time.perf_counter()
            backtest(curves[:200], methods, n_jobs=2)
            print(f"  {kind}, {name}: {60 * 200 / (time.perf_counter() - start):.0f} a minute")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backtests", type=int, help="only the table of backtests, of the first so many curves")
    settings = parser.parse_args()
    cases = lcdb.draw(lcdb.read(lcdb.default_path()))[: settings.backtests]
    if settings.backtests is None:
        speed()
        backtests(cases)
    print(backtest([case.splits for case in cases], n_jobs=2 if settings.backtests is None else 1))


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
