"""Learn the calibrated priors from development curves: `python benchmarks/calibrate.py [--cv] [--out FILE]`.

Pilots of many designs are drawn from both databases (`pilots.py`) and integrated under broad priors; the numbers that
make the reweighted forecasts best (`reweighting.py`) are looked for, with a pull to round starting values. As weights
tell little of priors that are far from those of the nodes, the pilots are then integrated once more, under the priors
found, a little widened, and the numbers are fitted again. That is done for `mmf`; the shapes and shares of the other
means follow with the common numbers fixed.

The numbers fitted to all tasks are printed: those in `apexgp/model/beliefs.py`. With --cv tasks are dealt into folds
too, and the priors that were fitted without each fold's tasks are written to --out for `calibration.py`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.optimize import minimize

import numbers_of_priors as numbers
import pilots
from apexgp.priors import CALIBRATED, Beliefs, Beta, LogitNormal, LogNormal, Normal
from lcdb import Case
from reweighting import Nodes, Objective, integrated

PILOTS, SEED = 3200, 33
FOLDS = 5
MAIN, OTHERS = "mmf", ("power_law", "arctan")

START = replace(
    CALIBRATED,  # what is not learnt: the kernel, the resolution, the part of the noise that stays
    tau_e=LogNormal(0.0166, 1.0),
    tau_ratio=LogNormal(1.22, 1.1),
    kappa=LogitNormal(0.0, 1.7, 2.0),
    sigma=LogNormal(0.2, 1.8),
    lam=LogNormal(2.5, 1.2),
    shapes={
        "power_law": (LogitNormal(0.5, 1.2),),
        "arctan": (LogitNormal(0.5, 1.2),),
        "mmf": (LogitNormal(-0.5, 1.1, 3.0), Normal(-3.2, 2.1)),
    },
    shares={"power_law": Beta(0.75, 0.6), "arctan": Beta(0.75, 0.6), "mmf": Beta(0.75, 0.6)},
    tau_alone=LogNormal(0.0166, 1.5),
    trends={},
)
# How many pilots' worth of pull each kind of number has to its start. The noise of a pilot with many splits is learnt
# from it, and with one split from the prior alone, which most pilots say little about.
PULL_OF_LOC, PULL_OF_SCALE, PULL_OF_SHARE, PULL_OF_TREND = 10.0, 100.0, 200.0, 40.0
PULL_OF_NOISE = 2.0, 3.3  # times as much for locations and scales of tau_e and tau_ratio


def widened(beliefs: Beliefs, mean: str, times: float) -> Beliefs:
    """Broader priors, for nodes that tell of priors around these too."""
    vector = numbers.to_vector(beliefs, mean)
    dimensions = (len(vector) - 6) // 2
    vector[dimensions : 2 * dimensions] += np.log(times)
    return numbers.to_beliefs(vector, mean, beliefs)


def pulls(mean: str) -> np.ndarray:
    dimensions = len(numbers.COMMON) + len(START.shapes[mean])
    loc, scale = np.full(dimensions, PULL_OF_LOC), np.full(dimensions, PULL_OF_SCALE)
    loc[:2] *= PULL_OF_NOISE[0]
    scale[:2] *= PULL_OF_NOISE[1]
    others = [PULL_OF_TREND, PULL_OF_TREND, PULL_OF_SHARE, PULL_OF_SHARE, PULL_OF_TREND, PULL_OF_TREND]
    return np.concatenate([loc, scale, others])


def fitted(nodes: Nodes, mean: str, found: Beliefs, *, only_the_mean: bool = False, steps: int = 40) -> Beliefs:
    """The numbers that are best for these nodes, looked for from those that were found."""
    centre, first = numbers.to_vector(START, mean), numbers.to_vector(found, mean)
    free = numbers.of_the_mean(first) if only_the_mean else np.ones(len(first), bool)
    centre = np.where(free, centre, first)
    objective = Objective(nodes, centre, pulls(mean), free)
    best = minimize(objective, first, jac=True, method="L-BFGS-B", options={"maxiter": steps})
    return numbers.to_beliefs(best.x, mean, found)


def learn(learning: Sequence[tuple[str, Case]], folds: dict[str, int] | None) -> list[Beliefs]:
    """Priors fitted to all tasks, then without each fold's in turn."""
    began = perf_counter()

    def say(what: str) -> None:
        print(f"{perf_counter() - began:4.0f} s  {what}", flush=True)

    nodes = integrated(learning[::3], MAIN, widened(START, MAIN, 1.2), seed=1)
    roughly = fitted(nodes, MAIN, START)
    say(f"{MAIN}, from a third of the pilots")
    nodes = integrated(learning, MAIN, widened(roughly, MAIN, 1.2), seed=2)
    everything = fitted(nodes, MAIN, roughly)
    kept = [] if folds is None else [_without(nodes, folds, fold) for fold in range(FOLDS)]
    found = [everything, *(fitted(nodes.take(which), MAIN, everything, steps=15) for which in kept)]
    say(MAIN)
    few = learning[1::3]  # the other means have few numbers of their own
    for mean in OTHERS:
        nodes = integrated(few, mean, widened(everything, mean, 1.2), seed=3)
        kept = [] if folds is None else [_without(nodes, folds, fold) for fold in range(FOLDS)]
        parts = [nodes, *(nodes.take(which) for which in kept)]
        found = [fitted(part, mean, own, only_the_mean=True) for part, own in zip(parts, found, strict=True)]
        say(mean)
    return found


def _without(nodes: Nodes, folds: dict[str, int], fold: int) -> np.ndarray:
    return np.flatnonzero([folds[task] != fold for task in nodes.task])


def deal(tasks: set[str]) -> dict[str, int]:
    """Deal the tasks into folds."""
    order = np.random.default_rng(0).permutation(sorted(tasks))
    return {str(task): i % FOLDS for i, task in enumerate(order)}


def beliefs_for(task: str, folds: dict | None) -> Beliefs:
    """Priors that were fitted without the task, where `--cv --out` has written such; else those that are shipped."""
    return CALIBRATED if folds is None else folds["beliefs"][folds["fold"][task]]


def read_folds(path: str | None) -> dict | None:
    """What `--cv --out` wrote, and a line that says which priors are used."""
    print("priors of the task's fold" if path else "priors as shipped: in-sample for the development tasks")
    if path is None:
        return None
    if not Path(path).exists():
        raise SystemExit(f"There is no {path}. Write it with calibrate.py --cv --out {path}.")
    content = json.loads(Path(path).read_text())
    return content | {"beliefs": [Beliefs.from_dict(own) for own in content["beliefs"]]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cv", action="store_true", help="fit without each fold's tasks in turn, too")
    parser.add_argument("--out", help="write the folds' priors as JSON")
    settings = parser.parse_args()
    curves = pilots.read_curves()
    fold = deal({curve.task for own in curves.values() for curve in own}) if settings.cv else None
    learning = list(pilots.learning_set(curves, PILOTS, SEED))
    print(f"{len(learning)} pilots of {len({case.task for _, case in learning})} tasks")
    everything, *by_fold = learn(learning, fold)
    print(everything)
    if settings.out:
        content = {"fold": fold, "beliefs": [beliefs.to_dict() for beliefs in by_fold]}
        Path(settings.out).write_text(json.dumps(content))


if __name__ == "__main__":
    main()
