"""Does the model that `compare_models` prefers win? Pairs of learners on the development tasks: `comparison.py`.

For each task two learners are drawn at random; the pilot is that of the protocol with four shared splits. The truth at
a larger size is the mean over all splits. Beside it, the same without pairing (splits of the second relabelled).
"""

from __future__ import annotations

import argparse
import warnings
from itertools import islice

import numpy as np
import pandas as pd

import lcdb
from apexgp import LearningCurve, compare_models


def pairs(table: pd.DataFrame, seed: int):
    """For each task two curves with shared splits, sizes to compare at, and which learner is truly better there."""
    rng = np.random.default_rng(seed)
    pilot = list(lcdb.PILOT_SIZES)
    for task, rows in table.groupby("task"):
        grids = {
            name: own.pivot_table(index="seed", columns="size", values="score") for name, own in rows.groupby("learner")
        }
        usable = [name for name, grid in grids.items() if set(pilot) <= set(grid.columns)]
        if len(usable) < 2:
            continue
        a, b = (grids[name] for name in rng.choice(usable, 2, replace=False))
        common = a[pilot].dropna().index.intersection(b[pilot].dropna().index)
        measured = [a.notna().sum() >= 15, b.notna().sum() >= 15]
        later = [n for n in a.columns.intersection(b.columns) if n > pilot[-1] and all(m[n] for m in measured)]
        if len(common) < 6 or not later:
            continue
        splits = rng.permutation(common)[:4]
        first, second = (LearningCurve(pilot, grid.loc[splits, pilot].to_numpy().T) for grid in (a, b))
        sizes = [pilot[-1], later[0], later[-1]]
        yield task, first, second, sizes, [a[n].mean() > b[n].mean() for n in sizes]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", default=lcdb.default_path())
    parser.add_argument("--draw", type=int, default=7)
    parser.add_argument("--pairs", type=int, help="only the first so many")
    settings = parser.parse_args()
    rows = []
    for task, first, second, sizes, truth in islice(pairs(lcdb.read(settings.file), settings.draw), settings.pairs):
        relabelled = LearningCurve(second.sizes, second.scores, [f"other {label}" for label in second.split])
        for kind, other in (("paired", second), ("not paired", relabelled)):
            (pair,) = compare_models({"first": first, "second": other}, sizes).pairs
            for where, chance, won in zip(
                ("the pilot's end", "the next size", "the curve's end"), pair.prob_first_better, truth, strict=True
            ):
                sure = np.clip(chance if won else 1 - chance, 1e-6, 1)
                rows.append((where, kind, task, (chance - won) ** 2, np.log(sure), (chance > 0.5) == won))
    table = pd.DataFrame(rows, columns=["at", "kind", "pairs", "Brier score", "log score", "right"])
    figures = table.groupby(["at", "kind"], sort=False)[["Brier score", "log score", "right"]].mean()
    print(figures.assign(pairs=table.groupby(["at", "kind"]).size()).round(3).to_string())


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
