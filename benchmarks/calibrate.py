"""Learn the calibrated priors from development curves: `python benchmarks/calibrate.py [--cv] [--out FILE]`.

Pilots of many designs are drawn from both databases (`pilots.py`) and integrated under broad priors; the numbers that
make the reweighted forecasts best (`reweighting.py`) are looked for, with a pull to round starting values. That is done
for `burr`; the shapes and shares of the other means follow with the common numbers fixed. (A second integration, under
the priors found, follows the log score further into the tails: CRPS on left-out tasks was worse for it.)

The numbers fitted to all tasks are printed: those in `apexgp/model/beliefs.py` and, of each mean, in `means.py`; one
without starting values here starts from the priors it has. With --cv tasks are dealt into folds too, and the priors
that were fitted without each fold's tasks are written to --out for `calibration.py`.
"""

from __future__ import annotations

import argparse
import json
import pickle
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import minimize

import numbers_of_priors as numbers
import pilots
from apexgp.files.writing import write_atomically
from apexgp.model.means import DEFAULT_MEAN, MEANS
from apexgp.priors import CALIBRATED, Beliefs, Beta, LogitNormal, LogNormal, Normal
from lcdb import Case
from reweighting import Nodes, Objective, integrated, with_tellings

PILOTS, SEED = 6400, 33
FOLDS = 5
MAIN, OTHERS = DEFAULT_MEAN, tuple(name for name in MEANS if name != DEFAULT_MEAN)

START = replace(
    CALIBRATED,  # what is not learnt: the kernel, the resolution, the part of the noise that stays, the reach
    tau_e=LogNormal(0.0166, 1.0),
    tau_ratio=LogNormal(1.22, 1.1),
    kappa=LogitNormal(0.0, 1.7, 2.0),
    sigma=LogNormal(0.15, 1.8),
    lam=LogNormal(2.5, 1.2),
    shapes={
        "power_law": (LogitNormal(0.5, 1.2),),
        "arctan": (LogitNormal(0.5, 1.2),),
        "burr": (LogitNormal(-0.5, 1.1, 3.0), Normal(-3.2, 2.1), Normal(0.0, 0.5)),
    },
    shares={"power_law": Beta(0.75, 0.6), "arctan": Beta(0.75, 0.6), "burr": Beta(0.75, 0.6)},
    shifts={},
    spreads={},
)
BROAD = replace(
    START,  # for nodes that tell of priors around these, too
    tau_e=LogNormal(0.017, 1.6),
    tau_ratio=LogNormal(1.5, 1.3),
    kappa=LogitNormal(-0.2, 2.0, 2.0),
    sigma=LogNormal(0.15, 2.2),
    lam=LogNormal(2.5, 1.5),
    shapes={
        "power_law": (LogitNormal(1.0, 1.7),),
        "arctan": (LogitNormal(0.3, 1.8),),
        "burr": (LogitNormal(-0.57, 1.4, 3.0), Normal(-3.4, 3.0), Normal(0.0, 0.7)),
    },
    shares={name: Beta(0.65, 0.55) for name in START.shares},
)
# How many pilots' worth of pull each kind of number has to its start. The noise of a pilot with many splits is learnt
# from it, and with one split from the prior alone, which most pilots say little about.
PULL_OF_LOC, PULL_OF_SCALE, PULL_OF_SHARE, PULL_OF_SIGN = 40.0, 400.0, 800.0, 40.0
# Few tasks tell of kinds of learner, and very few of many classes.
PULL_OF_RARE_SIGN = dict.fromkeys(numbers.KINDS, 100.0) | {"few_per_class": 300.0}
PULL_OF_NOISE = 2.0, 3.3  # times as much for locations and scales of tau_e and tau_ratio


def pulls(mean: str) -> np.ndarray:
    def pull(row: str, sign: str) -> float:
        if sign != numbers.OWN:
            return PULL_OF_RARE_SIGN.get(sign, PULL_OF_SIGN)
        if row.startswith("share"):
            return PULL_OF_SHARE
        at_location = row.startswith("loc")
        noise = PULL_OF_NOISE[not at_location] if "tau" in row else 1.0
        return noise * (PULL_OF_LOC if at_location else PULL_OF_SCALE)

    return np.array([pull(row, sign) for row, sign in numbers.entries_of(START, mean)])


def fitted(nodes: Nodes, mean: str, found: Beliefs, *, only_the_mean: bool = False, steps: int = 80) -> Beliefs:
    """The numbers that are best for these nodes, looked for from those that were found."""
    centre, first = numbers.to_vector(START, mean), numbers.to_vector(found, mean)
    free = numbers.of_the_mean(found, mean) if only_the_mean else np.ones(len(first), bool)
    centre = np.where(free, centre, first)
    objective = Objective(nodes, numbers.entries_of(found, mean), centre, pulls(mean), free)
    best = minimize(objective, first, jac=True, method="L-BFGS-B", options={"maxiter": steps})
    beliefs = numbers.to_beliefs(best.x, mean, found)
    # What signs do to the coordinates of the main mean, the others have no numbers for.
    return replace(beliefs, shifts=found.shifts, spreads=found.spreads) if only_the_mean else beliefs


def learn(learning: Sequence[tuple[str, Case]], folds: dict[str, int] | None, cache: Path) -> list[Beliefs]:
    """Priors fitted to all tasks, then without each fold's in turn; what was integrated is kept."""
    began = perf_counter()

    def say(what: str) -> None:
        print(f"{perf_counter() - began:4.0f} s  {what}", flush=True)

    def nodes_of(mean: str, pilots_of_mean: Sequence[tuple[str, Case]], seed: int) -> Nodes:
        path = cache / f"{mean}.pickle"
        if not path.exists():
            cache.mkdir(parents=True, exist_ok=True)
            with write_atomically(path, overwrite=False) as draft:
                Path(draft).write_bytes(pickle.dumps(integrated(pilots_of_mean, mean, BROAD, seed=seed)))
        say(f"{mean}, integrated")
        return with_tellings(pickle.loads(path.read_bytes()), pilots_of_mean)

    def without_folds(nodes: Nodes) -> list[Nodes]:
        return [] if folds is None else [nodes.take(_without(nodes, folds, fold)) for fold in range(FOLDS)]

    nodes = nodes_of(MAIN, learning, 1)
    everything = fitted(nodes, MAIN, START)
    say(MAIN)
    work = (delayed(fitted)(part, MAIN, everything, steps=30) for part in without_folds(nodes))
    found = [everything, *Parallel(n_jobs=2)(work)]
    say(f"{MAIN}, folds")
    for mean in OTHERS:
        # The other means have few numbers of their own.
        fewest = MEANS[mean].fewest_sizes
        few = [one for one in learning[1::3] if len(one[1].curve.replicates.sizes) >= fewest]
        nodes = nodes_of(mean, few, 3)
        parts = zip([nodes, *without_folds(nodes)], found, strict=True)
        found = Parallel(n_jobs=2)(delayed(fitted)(part, mean, own, only_the_mean=True) for part, own in parts)
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
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir(), "apexgp_calibrate"),
        help="folder for what was integrated, from which an interrupted run goes on; empty it when pilots change",
    )
    settings = parser.parse_args()
    curves = pilots.read_curves()
    fold = deal({curve.task for own in curves.values() for curve in own}) if settings.cv else None
    learning = list(pilots.learning_set(curves, PILOTS, SEED))
    print(f"{len(learning)} pilots of {len({case.task for _, case in learning})} tasks")
    everything, *by_fold = learn(learning, fold, settings.cache)
    print(everything)
    if settings.out:
        content = {
            "fold": fold,
            "beliefs": [beliefs.to_dict() for beliefs in by_fold],
            "everything": everything.to_dict(),
        }
        Path(settings.out).write_text(json.dumps(content))


if __name__ == "__main__":
    main()
