"""Calibration and sharpness on real curves: `calibration.py [--folds FILE] [--draws 7 8] [--tasks paper]`.

Every method forecasts the later scores of the development curves under the protocol of `lcdb.py`. With the folds that
`calibrate.py --cv --out FILE` wrote, the calibrated priors are those fitted without the task at hand.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import calibrate
import lcdb
from apexgp import APExGP, Forecast, LeastSquares, metrics


@dataclass(frozen=True)
class Calibrated:
    """The calibrated priors, of the fold that a task belongs to where there are folds."""

    mean: str
    folds: dict | None

    def __call__(self, case: lcdb.Case) -> Forecast:
        """Forecast of one case."""
        return (
            APExGP(self.mean, priors=calibrate.beliefs_for(case.task, self.folds)).fit(case.curve).forecast(case.sizes)
        )


def least_squares(case: lcdb.Case) -> Forecast:
    """A power law through the means, with the standard deviation of its residuals as the only uncertainty."""
    pilot = case.curve.replicates
    model = LeastSquares("power_law").fit(case.curve)
    residual = pilot.mean - model.predict(pilot.sizes)
    spread = np.sqrt((residual**2).sum() / max(len(pilot.sizes) - 3, 1) + 1e-8)
    location = model.predict(case.sizes)[None]
    return Forecast(case.sizes, location, np.full_like(location, spread), np.ones(1))


def methods(folds):
    return {
        "least squares, residual interval": least_squares,
        "published MAP": lambda c: APExGP.as_published().fit(c.curve).forecast(c.sizes),
        "Bayes, paper's priors, power law": lambda c: (
            APExGP("power_law", priors="paper").fit(c.curve).forecast(c.sizes)
        ),
        "Bayes, calibrated, power law": Calibrated("power_law", folds),
        "Bayes, calibrated, auto": Calibrated("auto", folds),
    }


def development(settings) -> None:
    folds = calibrate.read_folds(settings.folds)
    table = lcdb.read(settings.file)
    for name, method in methods(folds).items():
        if settings.only and settings.only not in name:
            continue
        rows = [lcdb.evaluate(lcdb.draw(table, seed), method).assign(draw=seed) for seed in settings.draws]
        for part in rows if len(rows) > 1 else []:
            print(
                f"\n{name}, draw {part.draw.iloc[0]}\n{lcdb.summarise(part.drop(columns='draw')).round(4).to_string()}"
            )
        print(f"\n{name}\n{lcdb.summarise(pd.concat(rows).drop(columns='draw')).round(4).to_string()}", flush=True)


def paper_tasks() -> None:
    """The paper's 15 tasks, never tuned on: the pilot's own splits continued, as its tables measure."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from conftest import read_tufts

    folder = lcdb.default_path().parents[1] / "tufts"
    figures = []
    for extent in ("short", "long"):
        for label, curve in read_tufts(folder, extent).items():
            later, small = curve.beyond(360).replicates, curve.up_to(360)
            for name, model in {"published": APExGP.as_published(), "default": APExGP()}.items():
                f = model.fit(small).forecast(later.sizes, of="same_splits")
                figures.append(
                    {
                        "range": extent,
                        "label": label,
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
    parser.add_argument("--folds", help="numbers that calibrate.py --cv --out wrote")
    parser.add_argument("--draws", nargs="+", type=int, default=[7])
    parser.add_argument("--only", help="only methods with this in their name")
    parser.add_argument("--tasks", choices=["development", "paper"], default="development")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    paper_tasks() if settings.tasks == "paper" else development(settings)


if __name__ == "__main__":
    main()
