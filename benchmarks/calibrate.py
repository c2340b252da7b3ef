"""Learn the calibrated priors from development curves: `python benchmarks/calibrate.py [--cv] [LCDB file]`.

Nodes of every curve are integrated once under broad priors. Any other prior is then a change of their weights, so
the mean log score of the forecasts is a cheap, smooth function of the priors' numbers, with a simple gradient. It is
maximised for the average over means and for each mean alone, over several draws of the protocol, with a pull to round
starting values.

Without --cv the numbers fitted to all tasks are printed: those in `apexgp/model/beliefs.py`. With --cv tasks are dealt
into folds, and every forecast is made with priors that were fitted without its task (written to --out for
`calibration.py`).
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln, digamma, logit

import lcdb
from apexgp._truncated import CutNormal
from apexgp.inference.density import Density
from apexgp.inference.sampler import integrate
from apexgp.inference.statistics import Batch, Statistics
from apexgp.model.beliefs import CALIBRATED, Beliefs, Beta, LogitNormal, LogNormal, Normal
from apexgp.model.means import MEANS

DRAWS = (7, 101, 102)
FOLDS = 5
COMMON = ("tau_e", "tau_ratio", "kappa", "sigma", "lam")

START = replace(
    CALIBRATED,
    tau_e=LogNormal(0.015, 1.0),
    tau_ratio=LogNormal(1.0, 0.9),
    kappa=Normal(0.4, 0.3),
    sigma=LogNormal(0.06, 1.5),
    lam=LogNormal(1.0, 0.8),
    shapes={
        "power_law": (LogitNormal(0.3, 1.2),),
        "arctan": (LogitNormal(0.3, 1.2),),
        "mmf": (LogitNormal(0.3, 1.1, 2.0), Normal(-1.5, 2.0)),
    },
    shares=dict.fromkeys(MEANS, Beta(0.7, 0.7)),
)
BROAD = replace(
    START,
    tau_e=LogNormal(0.015, 1.3),
    tau_ratio=LogNormal(1.0, 1.2),
    kappa=Normal(0.4, 0.4),
    sigma=LogNormal(0.08, 1.9),
    lam=LogNormal(1.0, 1.1),
    shapes={
        "power_law": (LogitNormal(0.4, 1.6),),
        "arctan": (LogitNormal(0.4, 1.6),),
        "mmf": (LogitNormal(0.3, 1.5, 2.0), Normal(-1.0, 2.8)),
    },
    shares=dict.fromkeys(MEANS, Beta(1.0, 1.0)),
)
# How many curves' worth of pull each kind of number has to its start. The noise of a pilot with many splits is learnt
# from it, and with one split from the prior alone, which three-split curves say little about.
PULL = {"tau_e": 50.0, "tau_ratio": 50.0, "kappa": 20.0}
OTHER_PULL = 5.0


def normal_numbers(prior):
    """Location and scale of the normal variable behind a prior, and the map to it."""
    if isinstance(prior, LogNormal):
        return np.log(prior.median), prior.spread
    return prior.loc, prior.scale


def flatten(beliefs: Beliefs) -> tuple[np.ndarray, list[tuple[str, int, str]]]:
    """All numbers as one vector of (location, log scale) and (log a, log b), and what each pair belongs to."""
    values, keys = [], []
    for name in COMMON:
        loc, scale = normal_numbers(getattr(beliefs, name))
        values += [loc, np.log(scale)]
        keys.append(("common", 0, name))
    for mean in MEANS:
        for i, prior in enumerate(beliefs.shapes[mean]):
            loc, scale = normal_numbers(prior)
            values += [loc, np.log(scale)]
            keys.append((mean, i, "shape"))
        values += [np.log(beliefs.shares[mean].a), np.log(beliefs.shares[mean].b)]
        keys.append((mean, 0, "share"))
    return np.array(values), keys


def unflatten(vector: np.ndarray) -> Beliefs:
    pairs = iter(vector.reshape(-1, 2).tolist())

    def like(prior):
        loc, log_scale = next(pairs)
        scale = float(np.exp(log_scale))
        if isinstance(prior, LogNormal):
            return LogNormal(float(np.exp(loc)), scale)
        if isinstance(prior, LogitNormal):
            return LogitNormal(loc, scale, prior.upper)
        return Normal(loc, scale)

    common = {name: like(getattr(START, name)) for name in COMMON}
    shapes, shares = {}, {}
    for mean in MEANS:
        shapes[mean] = tuple(like(prior) for prior in START.shapes[mean])
        shares[mean] = Beta(*(float(np.exp(v)) for v in next(pairs)))
    return replace(START, shapes=shapes, shares=shares, **common)


class Curve:
    """Nodes of one case under broad priors: log weights, variables behind the priors, log densities at the truth."""

    def __init__(self, case: lcdb.Case, seed: int) -> None:
        self.task = case.task
        weights, members, columns, densities = [], [], [], []
        for m, mean in enumerate(MEANS.values()):
            model = Density(mean, BROAD)
            pilots = Batch([Statistics.of(case.curve)])
            posterior = integrate(model, pilots, seed)[0]
            nodes, p = posterior.nodes, posterior.nodes.parameters
            common = [
                np.log(p["tau_e"]),
                np.log(p["tau_b"] / p["tau_e"]),
                p["kappa"],
                np.log(p["sigma"] / model.windows(pilots)[0]),
                np.log(p["lam"]),
            ]
            shape = [
                logit(np.clip(v / prior.upper, 1e-12, 1 - 1e-12)) if isinstance(prior, LogitNormal) else v
                for v, prior in zip(nodes.shape, BROAD.shapes[mean.name], strict=True)
            ]
            share = np.clip(posterior.drop_share, 1e-9, 1 - 1e-9)
            locations, scales = posterior.predict(case.sizes, "new_splits", 3.0)
            weights.append(np.log(posterior.weights) + posterior.log_evidence)
            members.append(np.full(len(share), m))
            columns.append([*common, *shape, np.log(share), np.log1p(-share)])
            densities.append(np.log(np.maximum(CutNormal(locations, scales).pdf(case.scores), 1e-30)))
        self.log_weight, self.member = np.concatenate(weights), np.concatenate(members)
        self.columns, self.log_density = columns, np.concatenate(densities).T  # (targets, nodes)
        horizon = np.digitize(case.sizes / lcdb.PILOT_SIZES[-1], [2.05, 10], right=True)
        self.cells = [(h, np.flatnonzero(horizon == h)) for h in range(3) if (horizon == h).any()]


def log_priors(curve: Curve, vector: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Log prior density of every node by its own mean's numbers, and its slopes by them, mean after mean."""
    pairs = vector.reshape(-1, 2)
    common, position, values, slopes = pairs[: len(COMMON)], len(COMMON), [], []
    for columns in curve.columns:
        shapes = len(columns) - len(COMMON) - 2
        own = [*common, *pairs[position : position + shapes]]
        total, by = 0.0, []
        for x, (loc, log_scale) in zip(columns[:-2], own, strict=True):
            scale = np.exp(log_scale)
            z = (x - loc) / scale
            total = total - 0.5 * z * z - log_scale
            by += [z / scale, z * z - 1]
        log_share, log_rest = columns[-2:]
        a, b = np.exp(pairs[position + shapes])
        total = total + (a - 1) * log_share + (b - 1) * log_rest - betaln(a, b)
        by += [a * (log_share - digamma(a) + digamma(a + b)), b * (log_rest - digamma(b) + digamma(a + b))]
        values.append(total)
        slopes.append(np.array(by))
        position += shapes + 1
    return np.concatenate(values), slopes


class Objective:
    """Negative mean log score of curves, and its gradient."""

    def __init__(self, curves: list[Curve]) -> None:
        self.curves = curves
        broad = flatten(BROAD)[0]
        self.base = [c.log_weight - log_priors(c, broad)[0] for c in curves]
        counts = np.bincount([h for c in curves for h, _ in c.cells], minlength=3)
        self.cell_weight = 1 / (3 * np.maximum(counts, 1))
        start, keys = flatten(START)
        self.start = start
        self.pull = np.repeat([PULL.get(name, OTHER_PULL) for _, _, name in keys], 2) / len(curves)
        self.where = []
        position = len(COMMON)
        for mean in MEANS:
            width = len(START.shapes[mean]) + 1
            index = [*range(len(COMMON)), *range(position, position + width)]
            self.where.append(np.array([[2 * i, 2 * i + 1] for i in index]).ravel())
            position += width

    def __call__(self, vector: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient for the numbers of the priors."""
        total, gradient = 0.0, np.zeros_like(vector)
        for curve, base in zip(self.curves, self.base, strict=True):
            prior, slopes = log_priors(curve, vector)
            log_weight = base + prior
            # The average over all means counts once, each mean alone a quarter.
            everything = np.ones(len(log_weight), bool)
            for chosen, share in [(everything, 1.0), *((curve.member == m, 0.25) for m in range(len(MEANS)))]:
                lw = np.where(chosen, log_weight, -np.inf)
                w = np.exp(lw - lw.max())
                w /= w.sum()
                joint = w * np.exp(curve.log_density)
                density = joint.sum(axis=1)
                for h, rows in curve.cells:
                    amount = share * self.cell_weight[h]
                    total += amount * np.log(np.maximum(density[rows], 1e-12)).mean()
                    responsibility = (joint[rows] / np.maximum(density[rows], 1e-12)[:, None]).mean(axis=0)
                    change = amount * (responsibility - w)
                    for m, slope in enumerate(slopes):
                        gradient[self.where[m]] += slope @ change[curve.member == m]
        gap = vector - self.start
        return -total + 0.5 * (self.pull * gap**2).sum(), -gradient + self.pull * gap


def fitted(curves: list[Curve]) -> np.ndarray:
    objective = Objective(curves)
    return minimize(objective, objective.start, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x


def beliefs_for(task: str, found: dict | None) -> Beliefs:
    """Priors that were fitted without the task, where `--cv --out` has written such; else those that are shipped."""
    return CALIBRATED if found is None else unflatten(np.array(found["vectors"][found["fold"][task]]))


def read_folds(path: str | None) -> dict | None:
    """What `--cv --out` wrote, and a line that says which priors are used."""
    print("priors of the task's fold" if path else "priors as shipped: in-sample for the development tasks")
    return json.loads(Path(path).read_text()) if path else None


def folds(tasks: list[str]) -> dict[str, int]:
    """Deal the tasks into folds."""
    order = np.random.default_rng(0).permutation(sorted(set(tasks)))
    return {str(task): i % FOLDS for i, task in enumerate(order)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default=lcdb.default_path())
    parser.add_argument("--cv", action="store_true", help="fit without each fold's tasks in turn")
    parser.add_argument("--out", help="write the folds' numbers as JSON")
    settings = parser.parse_args()
    start = perf_counter()
    table = lcdb.read(settings.file)
    curves = [
        Curve(case, seed=16 * i)  # own nodes for every curve: a shared integration error would be fitted too
        for i, case in enumerate(case for seed in DRAWS for case in lcdb.draw(table, seed))
    ]
    print(f"{len(curves)} pilots of {len({c.task for c in curves})} tasks integrated in {perf_counter() - start:.0f} s")
    if not settings.cv:
        print(unflatten(fitted(curves)))
        return
    fold = folds([c.task for c in curves])
    vectors = []
    for i in range(FOLDS):
        vectors.append(fitted([c for c in curves if fold[c.task] != i]).tolist())
        print(f"fold {i}: {unflatten(np.array(vectors[-1]))} ({perf_counter() - start:.0f} s)", flush=True)
    if settings.out:
        with open(settings.out, "w") as file:
            json.dump({"fold": fold, "vectors": vectors}, file)


if __name__ == "__main__":
    main()
