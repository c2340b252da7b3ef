"""What pilots that do not rise do later, and what is forecast for them: `plateaus.py [--folds FILE] [--curves 100]`.

A pilot is flat where its last third of sizes is less than 0.01 and less than two standard errors above or below its
first third; it falls where it is more than 0.005 and more than two standard errors below. Changes are counted from the
mean of its last two sizes to the expected score later.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd

import calibrate
import pilots
from apexgp import APExGP, LearningCurve
from lcdb import Case
from pilots import Design
from scoring import HORIZONS, horizon

ENDS = (91, 181, 362, 724, 1448, 2896)
KINDS = {"AUROC, 3 splits": Design(362), "accuracy, means of 25": Design(362, pool="mean accuracy", means_only=True)}


def kind(curve: LearningCurve) -> str:
    """Whether a pilot falls, is flat or rises."""
    pilot = curve.replicates
    third = max(1, len(pilot.sizes) // 3)
    if curve.split is not None and pilot.count.min() > 1:
        table = curve.scores[np.lexsort((curve.split, curve.sizes))].reshape(len(pilot.sizes), -1)
        rises = table[-third:].mean(axis=0) - table[:third].mean(axis=0)
        rise, error = rises.mean(), rises.std(ddof=1) / np.sqrt(len(rises))
    else:
        # Without replicates a line in log size has to tell what noise is.
        line = np.polynomial.Polynomial.fit(np.log(pilot.sizes), pilot.mean, 1)
        residual = pilot.mean - line(np.log(pilot.sizes))
        error = np.sqrt((residual**2).sum() / (len(residual) - 2) * 2 / third)
        rise = pilot.mean[-third:].mean() - pilot.mean[:third].mean()
    error = max(error, 5e-4)
    if rise < min(-2 * error, -0.005):
        return "falls"
    return "flat" if abs(rise) < min(2 * error, 0.01) else "rises"


def last_score(case: Case) -> float:
    return float(case.curve.replicates.mean[-2:].mean())


def rows(cases: list[Case]) -> Iterator[pd.DataFrame]:
    for case in cases:
        change = case.truths["expected"] - last_score(case)
        yield pd.DataFrame({"pilot": kind(case.curve), "horizon": horizon(case), "change": change, "pilots": id(case)})


def in_the_data(curves: dict[str, list[pilots.Curve]]) -> None:
    rng = np.random.default_rng(3)
    for name, design in KINDS.items():
        designs = [Design(end, pool=design.pool, means_only=design.means_only) for end in ENDS]
        drawn = [curve.case(own, rng, most=3) for own in designs for curve in curves[design.pool]]
        table = pd.concat(rows([case for case in drawn if case is not None]))
        by = table.groupby(["pilot", "horizon"])
        shares = {f"rose > {x}": by.change.apply(lambda c, x=x: (c > x).mean()) for x in (0.01, 0.02, 0.05)}
        fell = by.change.apply(lambda c: (c < -0.01).mean())
        figures = pd.DataFrame({"median": by.change.median(), **shares, "fell > 0.01": fell})
        figures["pilots"] = by.pilots.nunique()
        print(f"\n{name}: change after the pilot\n{_named(figures).to_string()}", flush=True)


def beside_the_default(curves: dict[str, list[pilots.Curve]], folds: dict | None, most: int) -> None:
    found = []
    for design in pilots.DESIGNS:
        if not design.labelled:
            continue
        for case in pilots.draw(curves, design, most, seed=11):
            model = APExGP(priors=calibrate.beliefs_for(case.task, folds)).fit(case.curve)
            truth, forecast = case.truths["new_splits"], model.forecast(case.sizes)
            lower, low, median, high, upper = forecast.quantile([0.025, 0.1, 0.5, 0.9, 0.975])
            found.append(
                pd.DataFrame(
                    {
                        "pilot": kind(case.curve),
                        "horizon": horizon(case),
                        "covers 80": (truth >= low) & (truth <= high),
                        "covers 95": (truth >= lower) & (truth <= upper),
                        "PIT": forecast.cdf(truth),
                        "true change": truth - last_score(case),
                        "forecast change": median - last_score(case),
                        "width 95": upper - lower,
                    }
                )
            )
    by = pd.concat(found).groupby(["pilot", "horizon"])
    figures = by[["covers 80", "covers 95", "PIT"]].mean()
    figures = figures.join(by[["true change", "forecast change", "width 95"]].median()).assign(targets=by.size())
    title = "The default beside them, all designs: means of coverage and PIT, medians of the rest"
    print(f"\n{title}\n{_named(figures).to_string()}")


def _named(figures: pd.DataFrame) -> pd.DataFrame:
    names = dict(enumerate(HORIZONS))
    return figures.rename(index=names, level="horizon").round(3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    parser.add_argument("--curves", type=int, default=100, help="at most so many a design")
    settings = parser.parse_args()
    curves = pilots.read_curves()
    in_the_data(curves)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        beside_the_default(curves, calibrate.read_folds(settings.folds), settings.curves)


if __name__ == "__main__":
    main()
