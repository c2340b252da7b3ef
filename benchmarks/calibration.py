"""Calibration and sharpness on real curves: `calibration.py [--folds FILE] [--draws 7 1] [--designs] [--tasks paper]`.

Every method forecasts the later scores of development curves: of all of them under the protocol of `lcdb.py`, or with
--designs of some under each design of `pilots.py`. With the folds that `calibrate.py --cv --out FILE` wrote, the
calibrated priors are those fitted without the task at hand. Three numbers are those at up to 2, 2 to 10 and more than
10 times the largest pilot size.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import calibrate
import lcdb
import pilots
import scoring
from apexgp import APExGP, Forecast, LeastSquares, metrics

Method = Callable[[lcdb.Case], scoring.Fitted]
QUANTITIES = ("new_splits", "expected", "same_splits")


def least_squares(case: lcdb.Case) -> scoring.Fitted:
    """A power law through the means, with the standard deviation of its residuals as the only uncertainty."""
    pilot = case.curve.replicates
    model = LeastSquares("power_law").fit(case.curve)
    residual = pilot.mean - model.predict(pilot.sizes)
    spread = np.sqrt((residual**2).sum() / max(len(pilot.sizes) - 3, 1) + 1e-8)
    location = model.predict(case.sizes)[None]
    forecast = Forecast(case.sizes, location, np.full_like(location, spread), np.ones(1))
    return lambda of: forecast


def gaussian_process(make: Callable[[lcdb.Case], APExGP]) -> Method:
    """A method that fits what `make` sets up for a case."""

    def fit(case: lcdb.Case) -> scoring.Fitted:
        model = make(case).fit(case.curve)
        return lambda of: model.forecast(case.sizes, of=of)

    return fit


def methods(folds: dict | None) -> dict[str, Method]:
    def calibrated(mean: str) -> Method:
        return gaussian_process(lambda case: APExGP(mean, priors=calibrate.beliefs_for(case.task, folds)))

    return {
        "default": calibrated("mmf"),
        "auto": calibrated("auto"),
        "published": gaussian_process(lambda case: APExGP.as_published()),
        "least-squares": least_squares,
        "paper-bayes": gaussian_process(lambda case: APExGP("power_law", priors="paper")),
    }


def line(name: str, rows: pd.DataFrame) -> str:
    """A row of a Markdown table, as docs/calibration.md has it."""
    table = scoring.summarise(rows)

    def three(column: str, form: str, times: float = 1.0) -> str:
        return " ".join("-" if np.isnan(value) else f"{times * value:{form}}" for value in table[column])

    def small(column: str) -> str:
        return three(column, ".4f").replace("0.", ".")

    covers = [f"{three(f'covers_{level}', '.1f', 100)} ({three(f'z_{level}', '.1f')})" for level in (80, 95)]
    figures = [small("crps"), three("log_score", ".2f"), *covers, three("pit", ".2f").replace("0.", ".")]
    figures += [three("width_95", ".3f").replace("0.", "."), three("curves", ".0f")]
    return f"| {name} | " + " | ".join(figures) + " |"


HEAD = "\n".join(
    [
        "| | CRPS | log score | 80 % covers (z) | 95 % covers (z) | mean PIT | 95 % width | curves |",
        "|---|---|---|---|---|---|---|---|",
    ]
)


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
    known = methods(calibrate.read_folds(settings.folds))
    found = []
    for where, cases in samples(settings):
        for method in settings.methods:
            rows = scoring.evaluate(cases, known[method], settings.of).assign(method=method, where=where)
            found.append(rows.assign(curve=where + rows.curve.astype(str)))
        print(f"{where}: {len(cases)} curves", file=sys.stderr, flush=True)
    rows = pd.concat(found, ignore_index=True)
    for of, own in rows.groupby("of", sort=False):
        print(f"\nof = {of}\n\n{HEAD}")
        for (where, method), part in own.groupby(["where", "method"], sort=False):
            print(line(f"{where}, {method}", part))
        for name, members in pooled(own["where"].unique().tolist()):
            for method, part in own[own["where"].isin(members)].groupby("method", sort=False):
                print(line(f"*{name}*, {method}", part))


def pooled(names: list[str]) -> list[tuple[str, list[str]]]:
    """Samples that are alike, by what is said of them together."""
    unlike = [name for name in names if "unlabelled" not in name]  # a case of its own: see docs/calibration.md
    kinds = {
        "all draws": [name for name in unlike if name.startswith("draw")],
        "all AUROC": [name for name in unlike if name.startswith("AUROC")],
        "all accuracy with splits": [n for n in unlike if n.startswith("accuracy") and "means" not in n],
        "all accuracy, means only": [name for name in unlike if "means" in name],
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
                figures.append(
                    {
                        "range": extent,
                        "label": task.label,
                        "method": name,
                        "rmse x 100": 100 * metrics.rmse(f.location, later.mean),
                        "crps x 100": 100 * metrics.crps(f, later.mean),
                        "covers 80": 100 * metrics.coverage(f, later.mean, 0.8),
                        "covers 95": 100 * metrics.coverage(f, later.mean, 0.95),
                        "width 95": np.mean(np.subtract(*f.interval(0.95)[::-1])),
                    }
                )
    table = pd.DataFrame(figures).pivot_table(index=["range", "label"], columns="method", sort=False)
    print(table.round(2).to_string())
    print(table.groupby("range").mean().round(3).to_string())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default=lcdb.default_path())
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    parser.add_argument("--draws", nargs="+", type=int, default=[7], help="seeds of the protocol's pilots")
    parser.add_argument("--designs", action="store_true", help="other pilots, AUROC and accuracy, instead")
    parser.add_argument("--only-designs", default="", metavar="TEXT", help="those with this in their name")
    parser.add_argument("--seed", type=int, default=11, help="of the designs' pilots")
    parser.add_argument("--curves", type=int, help="at most so many a draw or design (designs: 100)")
    parser.add_argument("--methods", nargs="+", choices=list(methods(None)), default=["default", "auto", "published"])
    parser.add_argument("--of", nargs="+", choices=QUANTITIES, default=["new_splits"])
    parser.add_argument("--tasks", choices=["development", "paper"], default="development")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    paper_tasks() if settings.tasks == "paper" else development(settings)


if __name__ == "__main__":
    main()
