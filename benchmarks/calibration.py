"""Calibration and sharpness on real curves: `calibration.py [--folds FILE] [--draws 7 1] [--designs] [--tasks paper]`.

Every method forecasts the later scores of development curves: of all of them under the protocol of `lcdb.py`, or with
--designs of some under each design of `pilots.py`. With the folds that `calibrate.py --cv --out FILE` wrote, the
calibrated priors are those fitted without the task at hand. Three numbers are those at up to 2, 2 to 10 and more than
10 times the largest pilot size. --record writes the coverage of the default as data, which reports quote (`record.py`).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import calibrate
import lcdb
import pilots
import record
import scoring
from apexgp import APExGP, metrics
from study.methods import known_methods

QUANTITIES = ("new_splits", "expected", "same_splits")


def samples(settings: argparse.Namespace) -> Iterator[tuple[str, list[lcdb.Case]]]:
    """What is forecast: draws of the protocol, or designs."""
    if not settings.designs:
        table = lcdb.read(settings.file)
        for seed in settings.draws:
            cases = lcdb.draw(table, seed)
            yield f"draw {seed}", cases[:: max(1, len(cases) // (settings.curves or len(cases)))]
        return
    curves = pilots.read_curves()
    for design in pilots.DESIGNS:
        if settings.only_designs in design.name:
            yield design.name, pilots.draw(curves, design, settings.curves or 100, settings.seed)


def development(settings: argparse.Namespace) -> None:
    known = known_methods(calibrate.read_folds(settings.folds))
    found = []
    for where, cases in samples(settings):
        for method in settings.methods:
            rows = scoring.evaluate(cases, known[method].fit, settings.of).assign(method=method, where=where)
            found.append(rows.assign(curve=where + rows.curve.astype(str)))
        print(f"{where}: {len(cases)} curves", file=sys.stderr, flush=True)
    rows = pd.concat(found, ignore_index=True)
    if settings.record is not None:
        keep_record(settings.record, rows[rows.method == "default"])
    for of, own in rows.groupby("of", sort=False):
        print(f"\nof = {of}\n\n{scoring.head('')}")
        for (where, method), part in own.groupby(["where", "method"], sort=False):
            print(scoring.line(f"{where}, {method}", part))
        for name, members in pooled(own["where"].unique().tolist()):
            for method, part in own[own["where"].isin(members)].groupby("method", sort=False):
                print(scoring.line(f"*{name}*, {method}", part))


def keep_record(path: Path, rows: pd.DataFrame) -> None:
    """Write how the default fared: of each design, or of all draws of the protocol together."""
    names = rows["where"].where(~rows["where"].str.startswith("draw"), record.PROTOCOL)
    found = [record.rows_of(of, name, part) for (of, name), part in rows.groupby(["of", names], sort=False)]
    record.write(path, pd.concat(found, ignore_index=True))


def pooled(names: list[str]) -> list[tuple[str, list[str]]]:
    """Samples that are alike, by what is said of them together."""
    # Single runs without a label, and pilots with more information, are cases of their own: see docs/calibration.md.
    unlike = [name for name in names if "unlabelled" not in name and "training" not in name]
    kinds = {
        "all draws": [name for name in unlike if name.startswith("draw")],
        "all AUROC": [name for name in unlike if name.startswith("AUROC")],
        "all accuracy": [name for name in unlike if name.startswith("accuracy")],
        "all means of 25": [name for name in unlike if name.startswith("mean")],
    }
    return [(kind, members) for kind, members in kinds.items() if len(members) > 1]


def paper_tasks() -> None:
    """The paper's 15 tasks, never tuned on: the pilot's own splits continued, as its tables measure."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "papers"))
    from harvey2023.data import Results, tasks_of

    results = Results(lcdb.present(lcdb.data_folder() / "tufts"))
    figures = []
    for extent in ("short", "long"):
        for task in tasks_of(extent):
            later, small = results.later(task, extent).replicates, results.pilot(task)
            for name, model in {"published": APExGP.as_published(), "default": APExGP()}.items():
                f = model.fit(small).forecast(later.sizes, of="same_splits")
                mean = f.location if name == "published" else f.mean  # the published one before its cut to [0, 1]
                figures.append(
                    {
                        "range": extent,
                        "label": task.label,
                        "method": name,
                        "rmse x 100": 100 * metrics.rmse(mean, later.mean),
                        "crps x 100": 100 * metrics.crps(f, later.mean),
                        "covers 80": 100 * metrics.coverage(f, later.mean, 0.8),
                        "covers 95": 100 * metrics.coverage(f, later.mean, 0.95),
                        "width 95": np.mean(np.subtract(*f.interval(0.95)[::-1])),
                    }
                )
    table = pd.DataFrame(figures).pivot_table(index=["range", "label"], columns="method", sort=False)
    means = pd.concat({extent: table.loc[[extent]].mean() for extent in ("short", "long")}, axis=1).T
    means.index = pd.MultiIndex.from_product([means.index, ["*mean*"]])
    digits = {"rmse x 100": 2, "crps x 100": 2, "covers 80": 0, "covers 95": 0, "width 95": 3}
    print("| range | task | RMSE x 100 | CRPS x 100 | 80 % covers | 95 % covers | 95 % width |\n" + "|---" * 7 + "|")
    for (extent, label), row in pd.concat([table, means]).iterrows():
        pairs = [" / ".join(f"{row[name, m]:.{n}f}" for m in ("published", "default")) for name, n in digits.items()]
        print(f"| {extent} | {label} | " + " | ".join(pairs) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default=lcdb.default_path())
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    parser.add_argument("--draws", nargs="+", type=int, default=[7], help="seeds of the protocol's pilots")
    parser.add_argument("--designs", action="store_true", help="other pilots, AUROC and accuracy, instead")
    parser.add_argument("--only-designs", default="", metavar="TEXT", help="those with this in their name")
    parser.add_argument("--seed", type=int, default=11, help="of the designs' pilots")
    parser.add_argument("--curves", type=int, help="at most so many a draw or design (designs: 100)")
    parser.add_argument(
        "--methods", nargs="+", choices=list(known_methods(None)), default=["default", "auto", "published"]
    )
    parser.add_argument("--of", nargs="+", choices=QUANTITIES, default=["new_splits"])
    parser.add_argument(
        "--record",
        type=Path,
        nargs="?",
        const=record.FILE,
        metavar="FILE",
        help="write the default's coverage as data, by default where the package keeps what its reports quote",
    )
    parser.add_argument("--tasks", choices=["development", "paper"], default="development")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    paper_tasks() if settings.tasks == "paper" else development(settings)


if __name__ == "__main__":
    main()
