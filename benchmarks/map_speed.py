"""Time of one MAP fit beside the way the paper's released code fits: 50,000 steps of Adam on the same objective.

Both run here, one after the other; Adam's time is extrapolated from 1,000 steps.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from apexgp import APExGP
from apexgp.model.means import MEANS, PAPER_MEANS
from apexgp.model.paper_priors import PUBLISHED, elicit_sigma
from apexgp.point_estimates.map import fit_map
from apexgp.point_estimates.map_problem import MapProblem
from apexgp.point_estimates.optimise import draw_starts

SIZES = np.array([60.0, 94, 147, 230, 360])
ADAM_STEPS, ADAM_MEASURED = 50_000, 1_000


def pilots(count):
    """Power laws with noise, as pilots have it."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        limit, drop, slope = rng.uniform(0.75, 0.98), rng.uniform(0.05, 0.3), rng.uniform(-0.9, -0.1)
        yield limit - drop * (SIZES / 60) ** slope + rng.normal(0, 0.006, len(SIZES))


def adam(problem, steps, rate=0.01):
    lower, upper = problem.bounds
    x = np.clip(draw_starts(problem.ranges, 1, 0), lower, upper)
    first, second = np.zeros_like(x), np.zeros_like(x)
    for step in range(1, steps + 1):
        _, gradient = problem(x)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        x = x - rate * problem.scales * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        x = np.clip(x, lower, upper)
    return x


def main():
    print("MAP fits of 5-point pilots, 8 starts; median of 40")
    for name, mean in ((name, MEANS[name]) for name in PAPER_MEANS):
        problems = [MapProblem(mean, SIZES, scores, 1.0, PUBLISHED) for scores in pilots(40)]
        elicitation, search, whole = [], [], []
        for problem in problems:
            elicit_sigma.cache_clear()
            start = perf_counter()
            _ = problem.sigma_prior
            elicitation.append(perf_counter() - start)
            start = perf_counter()
            fit_map(problem)
            search.append(perf_counter() - start)
            elicit_sigma.cache_clear()
            start = perf_counter()
            APExGP.as_published(name).fit(SIZES, problem.scores)
            whole.append(perf_counter() - start)
        start = perf_counter()
        adam(problems[0], ADAM_MEASURED)
        by_adam = (perf_counter() - start) * ADAM_STEPS / ADAM_MEASURED
        ours, elicited, fitted = (1e3 * np.median(times) for times in (search, elicitation, whole))
        print(f"  {name:10} search {ours:.1f} ms, sigma's prior {elicited:.1f} ms, whole fit {fitted:.1f} ms")
        print(f"  {'':10} Adam {by_adam:.1f} s: {1e3 * by_adam / ours:,.0f} times the search")


if __name__ == "__main__":
    main()
