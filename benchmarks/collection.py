"""What collecting by each method would have cost, and how often it would have failed: `collection.py [--folds FILE]`.

A simulated study over the development curves of `lcdb.py`. The pilot is that of the protocol; the truth is the isotonic
regression of the mean over all splits. Targets lie a quarter, a half and three quarters of the way from the pilot's
best mean score to the curve's end. Figures of merit are those of Learn-Optimize-Collect (Mahmood et al. 2022b): the
failure rate, and the cost ratio (q_T - q_0) / (D* - q_0) - 1, here of the examples collected and needed on all curves
together (the money spent); as D* may be next to q_0, ratios of single curves are averaged as logarithms only. Nothing
can be collected beyond a curve's end.

Each method has a knob that buys safety: the penalty, or for regressions the correction. One round is replayed for many
settings of it, so that methods can be compared at equal cost.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import special
from scipy.interpolate import PchipInterpolator
from sklearn.base import clone

import calibrate
import lcdb
from apexgp import METHODS, APExGP, LearningCurve, LeastSquares, simulate_collection
from apexgp.questions.plan import cheapest_sizes
from apexgp.required import success_of
from apexgp.simulation import true_requirement

PLANNERS = ("apexgp, plan", "Learn-Optimize-Collect, bootstrap")
SHARES = (0.25, 0.5, 0.75)
LEAST_RISE = 0.005  # of the true curve after the pilot; targets are then told apart by more than noise
PENALTIES = 10.0 ** np.arange(3.0, 8.1, 0.5)
CORRECTIONS = (0.0, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12)
LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
EXPONENTS = np.linspace(0.02, 3.0, 80)


def model_for(case: lcdb.Case, folds: dict | None) -> APExGP:
    """Our default, with priors of the task's fold where there are folds."""
    return APExGP(priors=calibrate.beliefs_for(case.task, folds))


def targets(case: lcdb.Case) -> list[float]:
    best = float(case.curve.replicates.mean.max())
    end = float(case.truth.scores.max())
    if end - best < LEAST_RISE:
        return []
    wanted = [best + share * (end - best) for share in SHARES]
    start = case.curve.sizes.max()
    return [t for t in wanted if start < true_requirement(case.truth, t) <= case.truth.sizes.max()]


def bootstrap(curve: LearningCurve, target: float, seed: int = 0):
    """F by the recipe of Learn-Optimize-Collect: 500 bootstraps of the pairs, a power law each, a kernel density.

    Fits a - b n^-g by least squares over a grid of exponents; curves that never reach the target are dropped, as a
    kernel density must. The density is one of log sizes.
    """
    sizes, scores = curve.sizes, curve.upward.scores
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(len(sizes), np.full(len(sizes), 1 / len(sizes)), size=500).astype(float)
    best, requirement = np.full(500, np.inf), np.full(500, np.inf)
    total, sum_y, sum_yy = counts.sum(axis=1), counts @ scores, counts @ scores**2
    for g in EXPONENTS:
        x = (sizes / sizes[0]) ** -g
        sum_x, sum_xx, sum_xy = counts @ x, counts @ x**2, counts @ (x * scores)
        spread = sum_xx - sum_x**2 / total
        b = np.maximum(-(sum_xy - sum_x * sum_y / total) / np.maximum(spread, 1e-12), 0.0)
        a = (sum_y + b * sum_x) / total
        error = sum_yy - 2 * a * sum_y + a**2 * total + b**2 * sum_xx + 2 * b * sum_xy - 2 * a * b * sum_x
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            size = np.where(a > target, sizes[0] * (b / (a - target)) ** (1 / g), np.inf)
        better = error < best
        best, requirement = np.where(better, error, best), np.where(better, size, requirement)
    logs = np.log(requirement[np.isfinite(requirement) & (requirement > 0)])
    if len(logs) < 2:
        return lambda n: np.zeros(len(n))
    width = max(logs.std(ddof=1) * len(logs) ** -0.2, 1e-3)
    return lambda n: special.ndtr((np.log(n)[:, None] - logs) / width).mean(axis=1)


def tabulated(success, start: float):
    """F between 160 sizes: the same for every penalty, so that it need not be asked for again."""
    knots = np.linspace(np.log(start), np.log(start + 2 * PENALTIES[-1]), 160)
    curve = PchipInterpolator(knots, success(np.exp(knots)))
    return lambda n: curve(np.log(n))


def one_round(case: lcdb.Case, folds: dict | None) -> list[tuple]:
    """Rows (method, knob, share of the way, q_1, D*) for one round."""
    wanted = targets(case)
    if not wanted:
        return []
    start, end = float(case.curve.sizes.max()), float(case.truth.sizes.max())
    rows = []

    def add(method, knob, target, size):
        need = true_requirement(case.truth, target)
        rows.append((method, knob, case.task, target, start, min(max(size, start), end), need))

    ours = model_for(case, folds).fit(case.curve)
    for target in wanted:
        for name, success in (
            (PLANNERS[0], tabulated(success_of(ours, target, "expected"), start)),
            (PLANNERS[1], bootstrap(case.curve, target)),
        ):
            for penalty in PENALTIES:
                add(name, penalty, target, cheapest_sizes(success, start, 1.0, penalty, 1)[-1])
        for confidence in LEVELS:
            add("apexgp, required size", confidence, target, ours.required_size(target, confidence).size)
    for name, method in METHODS.items():
        if not isinstance(method, LeastSquares):
            continue
        fitted = clone(method).fit(case.curve)
        for target in wanted:
            for correction in CORRECTIONS:
                add(name, correction, target, fitted.required_size(target, correction=correction).median)
    return rows


def several_rounds(case: lcdb.Case, folds: dict | None, rounds: int) -> list[tuple]:
    """Rows for several rounds, with the model fitted again after each; the target is half the way."""
    wanted = targets(case)
    if len(wanted) < len(SHARES):
        return []
    target, pilot, rows = wanted[1], len(lcdb.PILOT_SIZES), []
    start = float(case.curve.sizes.max())

    def add(method, knob, **settings):
        run = simulate_collection(case.splits, target, method, pilot, rounds, truth=case.truth, **settings)
        last = run.sizes[-1] if run.sizes else start
        rows.append((knob[0], knob[1], case.task, target, start, last, run.needed))

    for penalty in (1e4, 1e5, 1e6):
        add(model_for(case, folds), (PLANNERS[0], penalty), penalty=penalty)

        def by_bootstrap(measured, left, penalty=penalty):
            success = bootstrap(measured, target)
            return cheapest_sizes(success, float(measured.sizes.max()), 1.0, penalty, left)[1]

        add(by_bootstrap, (PLANNERS[1], penalty))
    for name in ("mahmood_power_law", "mahmood_arctan", "mahmood_logarithm", "mahmood_root", "power_law"):
        for correction in (0.0, 0.01):
            add(METHODS[name](), (name, correction), correction=correction)
    return rows


def frame(rows) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["method", "knob", "task", "target", "start", "size", "need"])
    table["failed"] = table["size"] < table.need
    table["spent"], table["wanted"] = table["size"] - table.start, table.need - table.start
    table["log_ratio"] = np.log((table["size"] - table.start + 1) / (table.need - table.start + 1))
    return table


def summary(table: pd.DataFrame) -> pd.DataFrame:
    by = table.groupby(["method", "knob"])
    return pd.DataFrame(
        {
            "failure rate": by.failed.mean(),
            "cost ratio (total)": by.spent.sum() / by.wanted.sum() - 1,
            "cost ratio (geometric)": np.exp(by.log_ratio.mean()) - 1,
            "cost ratio (median)": np.exp(by.log_ratio.median()) - 1,
            "runs": by.size(),
        }
    )


def at_equal_cost(points: pd.DataFrame, cost: str, times=(0.5, 1.0, 1.5, 2.0, 3.0, 4.0)) -> pd.DataFrame:
    """Failure rate of each method where its knob makes it collect so many times what is needed."""
    rows = {}
    for method, own in points.groupby(level="method"):
        own = own.sort_values(cost)
        multiple = 1 + own[cost]
        inside = [multiple.min() <= t <= multiple.max() for t in times]
        rows[method] = np.where(inside, np.interp(times, multiple, own["failure rate"]), np.nan)
    return pd.DataFrame(rows, index=[f"{t:g}x" for t in times]).T.sort_values("2x")


def realised(table: pd.DataFrame) -> pd.DataFrame:
    """What the plans aim at: examples plus penalty for failures, on average, by penalty."""
    planned = table[table.method.isin(PLANNERS)]
    cost = planned.spent + planned.knob * planned.failed
    return cost.groupby([planned.knob, planned.method]).mean().unstack()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", default=lcdb.default_path())
    parser.add_argument("--folds", help="priors by task fold, as written by calibrate.py --cv --out")
    parser.add_argument("--draw", type=int, default=7)
    parser.add_argument("--every", type=int, default=1, help="3: take every third curve")
    parser.add_argument("--rounds", type=int, nargs="*", default=[1, 3, 5], help="tables to print")
    parser.add_argument("--jobs", type=int, default=-1)
    settings = parser.parse_args()
    folds = calibrate.read_folds(settings.folds)
    cases = lcdb.draw(lcdb.read(settings.file), settings.draw)[:: settings.every]

    def over_cases(function, *arguments):
        work = (delayed(_quietly)(function, case, *arguments) for case in cases)
        return [row for rows in Parallel(settings.jobs)(work) for row in rows]

    if 1 in settings.rounds:
        table = frame(over_cases(one_round, folds))
        points = summary(table)
        print("\nOne round: failure rate at equal cost (all examples collected over all needed)")
        print(at_equal_cost(points, "cost ratio (total)").round(3).to_string())
        print("\nOne round: failure rate at equal cost (geometric mean over curves)")
        print(at_equal_cost(points, "cost ratio (geometric)").round(3).to_string())
        print("\nOne round: mean of examples collected + penalty if the target was missed, by penalty")
        print(realised(table).round(0).to_string())
        print("\nOne round, operating points")
        print(points.round(3).to_string(), flush=True)
    for rounds in settings.rounds:
        if rounds > 1:
            print(f"\n{rounds} rounds, refitted after each; target half the way")
            print(summary(frame(over_cases(several_rounds, folds, rounds))).round(3).to_string(), flush=True)


def _quietly(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


if __name__ == "__main__":
    main()
