"""What facts beside the scores add, on the same curves: `python benchmarks/told.py [--folds FILE] [--curves 400]`.

Pilots of six sizes from 64 to 362 and three splits are forecast bare, with training scores and numbers of test cases,
with the problem (kind of learner, features, classes), and with everything. Then, with everything known, how forecasts
lie by features per example; and by examples per class, on means of LCDB 1.1 with more than two classes. Three numbers
are those at up to 2, 2 to 10 and more than 10 times the largest pilot size.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

import calibrate
import pilots
import scoring
from apexgp.learners import IMPROVE_WITH_FEATURES
from lcdb import Case
from pilots import Design
from study.methods import Method, known_methods

SEED = 11
MEASURED = dict.fromkeys(("train_scores", "n_test"))
PROBLEM = dict.fromkeys(("learner", "n_features", "n_classes"))
UNTOLD = {"nothing": MEASURED | PROBLEM, "training scores, test cases": PROBLEM, "problem": MEASURED, "everything": {}}
"""Facts that are taken away from a curve that has them all, by what is left."""
FEATURES_PER_EXAMPLE = (0.03, 0.07, 0.2, 0.6)
EXAMPLES_PER_CLASS = (1, 2.5, 7, 20)


def evaluate(cases: Sequence[Case], known: str, default: Method) -> pd.DataFrame:
    """Figures of each curve and horizon with so much known, and the sizes of its problem."""
    own = [replace(case, curve=replace(case.curve, **UNTOLD[known])) for case in cases]
    about = pd.DataFrame(
        {
            "features": [case.curve.n_features / case.curve.largest for case in cases],
            "per_class": [case.curve.largest / case.curve.n_classes for case in cases],
            "linear": [case.curve.learner in IMPROVE_WITH_FEATURES for case in cases],
        }
    )
    return scoring.evaluate(own, default.fit).join(about, on="curve")


def print_gains(forecasts: dict[tuple[str, str], pd.DataFrame]) -> None:
    """Table of what each set of facts changes."""
    titles = ("known", "CRPS", "change (%)", "95 % covers", "95 % width", "curves")
    print(f"\nfacts\n\n{scoring.titles('pilots', *titles)}")
    for pool in dict.fromkeys(pool for pool, _ in forecasts):
        for learners in ("all", "linear"):
            own = {
                known: rows[rows.linear] if learners == "linear" else rows
                for (where, known), rows in forecasts.items()
                if where == pool
            }
            for known, rows in own.items():
                table = scoring.summarise(rows)
                change = "" if known == "nothing" else scoring.describe_change(rows, own["nothing"])
                covers, width, count = (scoring.cell(table, name) for name in ("covers_95", "width_95", "curves"))
                name = f"{pool}, {learners} learners"
                print(scoring.row(name, known, scoring.cell(table, "crps"), change, covers, width, count))


def print_by_features(forecasts: dict[tuple[str, str], pd.DataFrame]) -> None:
    """Table of where truths lie in the forecasts, by features per example at the pilot's end."""
    titles = ("linear: z, nothing known", "z, everything known", "80 % covers", "others: z, everything known", "curves")
    print(f"\nby features per example\n\n{scoring.titles('features per example', *titles)}")
    for pool in dict.fromkeys(pool for pool, _ in forecasts):
        bare, told = forecasts[pool, "nothing"], forecasts[pool, "everything"]
        for name, low, high in _bins(FEATURES_PER_EXAMPLE, "up to "):
            before, after = (rows[(rows.features > low) & (rows.features <= high)] for rows in (bare, told))
            linear, others = scoring.summarise(after[after.linear]), scoring.summarise(after[~after.linear])
            cells = [scoring.cell(scoring.summarise(before[before.linear]), "z"), scoring.cell(linear, "z")]
            cells += [scoring.cell(linear, "covers_80"), scoring.cell(others, "z")]
            counts = " / ".join(scoring.cell(table, "curves") for table in (linear, others))
            print(scoring.row(f"{pool}, {name}", *cells, counts))


def print_by_classes(curves: dict[str, list[pilots.Curve]], most: int, default: Method) -> None:
    """Table by examples per class at the pilot's end, of small pilots of means."""
    several = [curve for curve in curves["mean accuracy"] if curve.facts["n_classes"] > 2]
    about = {"pool": "mean accuracy", "means_only": True, "averaged_over": "several", "told": True}
    designs = Design(45, n_sizes=4, **about), Design(91, **about)
    cases = [case for design in designs for case in pilots.draw({"mean accuracy": several}, design, most, SEED)]
    bare, told = (evaluate(cases, known, default) for known in ("nothing", "everything"))
    titles = ("CRPS, nothing known", "everything known", "change (%)", "80 % covers", "z, nothing known")
    print(f"\nby examples per class\n\n{scoring.titles('examples per class', *titles, 'everything known', 'curves')}")
    for name, low, high in _bins(EXAMPLES_PER_CLASS, "below "):
        before, after = (rows[(rows.per_class >= low) & (rows.per_class < high)] for rows in (bare, told))
        if after.empty:
            continue
        first, second = scoring.summarise(before), scoring.summarise(after)
        cells = [scoring.cell(first, "crps"), scoring.cell(second, "crps"), scoring.describe_change(after, before)]
        cells += [scoring.cell(second, "covers_80"), scoring.cell(first, "z"), scoring.cell(second, "z")]
        print(scoring.row(name, *cells, scoring.cell(second, "curves")))


def _bins(edges: Sequence[float], words: str) -> list[tuple[str, float, float]]:
    """Names and ends of the bins between edges."""
    names = [f"{words}{scoring.shorten(f'{edge:g}')}" for edge in edges]
    return list(zip([*names, "more"], [-np.inf, *edges], [*edges, np.inf], strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    parser.add_argument("--curves", type=int, default=400, help="at most so many of each metric and design")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    default, curves = known_methods(calibrate.read_folds(settings.folds))["default"], pilots.read_curves()
    forecasts = {}
    for pool in ("AUROC", "accuracy"):
        cases = pilots.draw(curves, Design(362, pool=pool, told=True), settings.curves, SEED)
        for known in UNTOLD:
            forecasts[pool, known] = evaluate(cases, known, default)
    print_gains(forecasts)
    print_by_features(forecasts)
    print_by_classes(curves, settings.curves, default)


if __name__ == "__main__":
    main()
