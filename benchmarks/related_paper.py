"""The paper's tasks with priors learnt from its other data sets: `python benchmarks/related_paper.py`.

Never tuned on. One data set is left out at a time; priors are learnt (`apexgp.learn_beliefs`) from whole curves of the
other five, the long ones where there are such. The pilot's own splits are forecast, as the paper's tables measure.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import lcdb
from apexgp import APExGP, learn_beliefs, metrics

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "papers"))
from harvey2023.data import LARGE, TASKS, Results, tasks_of


def main() -> None:
    results = Results(lcdb.present(lcdb.data_folder() / "tufts"))
    whole = {task: results.curve(task, "long" if task.dataset in LARGE else "short") for task in TASKS.values()}
    figures = []
    for dataset in dict.fromkeys(task.dataset for task in TASKS.values()):
        learnt = learn_beliefs([curve for task, curve in whole.items() if task.dataset != dataset])
        for task in (task for task in TASKS.values() if task.dataset == dataset):
            fitted = {
                "default": APExGP().fit(results.pilot(task)),
                "learnt": APExGP(priors=learnt).fit(results.pilot(task)),
            }
            for extent in ("short", "long"):
                if task not in tasks_of(extent):
                    continue
                later = results.later(task, extent).replicates
                for name, model in fitted.items():
                    f = model.forecast(later.sizes, of="same_splits")
                    figures.append(
                        {
                            "range": extent,
                            "label": task.label,
                            "method": name,
                            "crps x 100": 100 * metrics.crps(f, later.mean),
                            "likelihood": 100 * metrics.quantized_likelihood(f, later.mean),
                            "covers 95": 100 * metrics.coverage(f, later.mean, 0.95),
                            "width 95": np.mean(np.subtract(*f.interval(0.95)[::-1])),
                        }
                    )
    table = pd.DataFrame(figures).pivot_table(index=["range", "label"], columns="method", sort=False)
    means = pd.concat({extent: table.loc[[extent]].mean() for extent in ("short", "long")}, axis=1).T
    means.index = pd.MultiIndex.from_product([means.index, ["*mean*"]])
    digits = {"crps x 100": 2, "likelihood": 1, "covers 95": 0, "width 95": 3}
    print("| range | task | CRPS x 100 | quantized likelihood, % | 95 % covers | 95 % width |\n" + "|---" * 6 + "|")
    for (extent, label), row in pd.concat([table, means]).iterrows():
        pairs = [" / ".join(f"{row[name, m]:.{n}f}" for m in ("default", "learnt")) for name, n in digits.items()]
        print(f"| {extent} | {label} | " + " | ".join(pairs) + " |")


if __name__ == "__main__":
    main()
