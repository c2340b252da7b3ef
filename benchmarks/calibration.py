"""Calibration and sharpness on real curves: `calibration.py [--folds FILE] [--draws 7 1] [--designs] [--tasks paper]`.

Methods forecast the later scores of development curves: of all of them under the protocol of `lcdb.py`, or with
--designs of some under each design of `pilots.py`, where other methods than the default have only the designs that all
can use. With the folds that `calibrate.py --cv --out FILE` wrote, the calibrated priors are those fitted without the
task at hand. Three numbers are those at up to 2, 2 to 10 and more than 10 times the largest pilot size. --record writes
the coverage of the default as data, which reports quote (`record.py`).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import calibrate
import lcdb
import pilots
import record
import scoring
from apexgp import APExGP, metrics
from pilots import Design
from study.methods import known_methods
from study.samples import LEAST_SIZES

QUANTITIES = ("new_splits", "expected", "same_splits")
SHOWN = [design.name for design in pilots.DESIGNS if design == Design(design.end, pool=design.pool)]
"""Designs that the table of other quantities lists; the record has all."""


def protocol(settings: argparse.Namespace) -> None:
    """Print the table of the main protocol: every draw, and all of them together."""
    known, table, found = known_methods(calibrate.read_folds(settings.folds)), lcdb.read(settings.file), []
    for seed in settings.draws:
        cases = lcdb.draw(table, seed)
        cases = cases[:: max(1, len(cases) // (settings.curves or len(cases)))]
        for method in settings.methods:
            rows = scoring.evaluate(cases, known[method].fit).assign(draw=seed, method=method)
            found.append(rows.assign(curve=f"{seed} " + rows.curve.astype(str)))
        print(f"draw {seed}: {len(cases)} curves", file=sys.stderr, flush=True)
    rows = pd.concat(found, ignore_index=True)
    if settings.record is not None:
        own = rows[rows.method == "default"]
        record.write(settings.record, record.rows_of("new_splits", record.PROTOCOL, own))
    print(f"\n{scoring.head('method')}")
    for (seed, method), part in rows.groupby(["draw", "method"], sort=False):
        print(scoring.line(f"draw {seed}, {method}", part))
    for method, part in rows.groupby("method", sort=False):
        print(scoring.line(f"*{record.PROTOCOL}*, {method}", part))


def designs(settings: argparse.Namespace) -> None:
    """Print the tables of other designs: the default on each, methods on those that all can use, what else there is."""
    known, curves = known_methods(calibrate.read_folds(settings.folds)), pilots.read_curves()
    chosen = [design for design in pilots.DESIGNS if settings.only_designs in design.name]
    found = []
    for design in chosen:
        cases = pilots.draw(curves, design, settings.curves or 100, settings.seed)
        for method in settings.methods:
            if method != "default" and not is_compared(design):
                continue
            rows = scoring.evaluate(cases, known[method].fit, settings.of if method == "default" else settings.of[:1])
            found.append(
                rows.assign(design=design.name, method=method, curve=f"{design.name} " + rows.curve.astype(str))
            )
        print(f"{design.name}: {len(cases)} curves", file=sys.stderr, flush=True)
    rows = pd.concat(found, ignore_index=True)
    default, first = rows[rows.method == "default"], settings.of[0]
    if settings.record is not None:
        own = default[default.design.isin(record.DESIGNS)]
        parts = [record.rows_of(of, name, part) for (of, name), part in own.groupby(["of", "design"], sort=False)]
        record.write(settings.record, pd.concat(parts, ignore_index=True))
    print(f"\nother pilots\n\n{scoring.head('pilots')}")
    for name, part in default[default.of == first].groupby("design", sort=False):
        print(scoring.line(name, part))
    print(f"\nmethods\n\n{scoring.head('pilots and method')}")
    for name, members in pooled(chosen).items():
        own = rows[(rows.of == first) & rows.design.isin(members)]
        for method, part in own.groupby("method", sort=False):
            print(scoring.line(f"*{name}*, {method}", part))
    if len(settings.of) == 1:
        return
    print(f"\nwhat else is forecast\n\n{scoring.head('what is forecast')}")
    for of, own in default[default.of != first].groupby("of", sort=False):
        for name, part in own[own.design.isin(SHOWN)].groupby("design", sort=False):
            print(scoring.line(f"`{of}`, {name}", part))
        for name, members in pooled(chosen).items():
            print(scoring.line(f"`{of}`, *{name}*", own[own.design.isin(members)]))


def is_compared(design: Design) -> bool:
    """Whether other methods can use a pilot, and know as much of it."""
    counted = design.averaged_over is not None if design.means_only else design.labelled  # not the same pilots twice
    return counted and not design.told and design.n_sizes >= LEAST_SIZES


def pooled(chosen: Sequence[Design]) -> dict[str, list[str]]:
    """Designs that are compared, by what is said of them together."""
    pools = {"all AUROC": "AUROC", "all accuracy": "accuracy", "all means of 25": "mean accuracy"}
    found = {
        name: [design.name for design in chosen if design.pool == pool and is_compared(design)]
        for name, pool in pools.items()
    }
    return {name: members for name, members in found.items() if len(members) > 1}


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
    parser.add_argument("--of", nargs="+", choices=QUANTITIES, default=["new_splits"], help="of designs")
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
    if settings.tasks == "paper":
        paper_tasks()
    else:
        designs(settings) if settings.designs else protocol(settings)


if __name__ == "__main__":
    main()
