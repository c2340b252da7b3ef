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
import scoring
from apexgp import APExGP, LearningCurve
from calibration import is_compared
from lcdb import Case
from pilots import Design
from scoring import horizon

ENDS = (91, 181, 362, 724, 1448, 2896)
KINDS = {"AUROC": Design(362), "accuracy means": Design(362, pool="mean accuracy", means_only=True)}
WHICH = ("flat", "falling", "rising")


def kind(curve: LearningCurve) -> str:
    """Whether a pilot is flat, falling or rising."""
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
        return "falling"
    return "flat" if abs(rise) < min(2 * error, 0.01) else "rising"


def last_score(case: Case) -> float:
    return float(case.curve.replicates.mean[-2:].mean())


def rows(cases: list[Case]) -> Iterator[pd.DataFrame]:
    for case in cases:
        change = case.truths["expected"] - last_score(case)
        yield pd.DataFrame({"pilot": kind(case.curve), "horizon": horizon(case), "change": change, "pilots": id(case)})


def in_the_data(curves: dict[str, list[pilots.Curve]]) -> None:
    """Print what curves do after such pilots."""
    rng = np.random.default_rng(3)
    rises = [f"{way} by > {x} (%)" for way, x in (("rose", ".01"), ("rose", ".05"), ("fell", ".01"))]
    print(f"\nafter the pilot\n\n{scoring.titles('pilots', 'median change', *rises, 'pilots')}")
    found = {}
    for name, design in KINDS.items():
        designs = [Design(end, pool=design.pool, means_only=design.means_only) for end in ENDS]
        drawn = [curve.case(own, rng, most=3) for own in designs for curve in curves[design.pool]]
        for which, own in pd.concat(rows([case for case in drawn if case is not None])).groupby("pilot"):
            by = own.groupby("horizon")
            shares = [by.change.apply(lambda c, x=x: 100 * (c > x).mean()) for x in (0.01, 0.05)]
            shares.append(by.change.apply(lambda c: 100 * (c < -0.01).mean()))
            cells = [*(_cell(share, ".0f") for share in shares), _cell(by.pilots.nunique(), ",.0f")]
            found[which, name] = scoring.row(f"{name}, {which}", _cell(by.change.median(), "+.3f"), *cells)
    for which in WHICH:
        print(*(found[key] for key in found if key[0] == which), sep="\n", flush=True)


def beside_the_default(curves: dict[str, list[pilots.Curve]], folds: dict | None, most: int) -> None:
    """Print what is forecast for such pilots, of all designs that other methods could use too."""
    found = []
    for design in filter(is_compared, pilots.DESIGNS):
        for case in pilots.draw(curves, design, most, seed=11):
            model = APExGP(priors=calibrate.beliefs_for(case.task, folds)).fit(case.curve)
            truth, forecast = case.truths["new_splits"], model.forecast(case.sizes)
            lower, low, median, high, upper = forecast.quantile([0.025, 0.1, 0.5, 0.9, 0.975])
            found.append(
                pd.DataFrame(
                    {
                        "pilot": kind(case.curve),
                        "horizon": horizon(case),
                        "covers_80": 100 * ((truth >= low) & (truth <= high)),
                        "covers_95": 100 * ((truth >= lower) & (truth <= upper)),
                        "pit": forecast.cdf(truth),
                        "change": truth - last_score(case),
                        "forecast": median - last_score(case),
                        "width": upper - lower,
                    }
                )
            )
    titles = ("true / forecast median change", "80 % covers", "95 % covers", "mean PIT", "median 95 % width", "targets")
    print(f"\nthe default\n\n{scoring.titles('pilots', *titles)}")
    table = pd.concat(found)
    for which in WHICH:
        by = table[table.pilot == which].groupby("horizon")
        changes = (_cell(by[name].median(), "+.3f") for name in ("change", "forecast"))
        covers = (_cell(by[name].mean(), ".0f") for name in ("covers_80", "covers_95"))
        others = _cell(by.pit.mean(), ".2f"), _cell(by.width.median(), ".3f"), _cell(by.size(), ",.0f")
        print(scoring.row(which, " / ".join(changes), *covers, *others))


def _cell(by_horizon: pd.Series, form: str) -> str:
    return scoring.shorten(" ".join(f"{value:{form}}" for value in by_horizon))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    parser.add_argument("--curves", type=int, default=100, help="at most so many a design")
    settings = parser.parse_args()
    folds, curves = calibrate.read_folds(settings.folds), pilots.read_curves()
    in_the_data(curves)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        beside_the_default(curves, folds, settings.curves)


if __name__ == "__main__":
    main()
