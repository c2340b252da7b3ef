"""How much fewer sizes cost, on the same curves: `python benchmarks/few_sizes.py [--folds FILE] [--curves 300]`.

Pilots of six sizes from 64 to 362 are forecast from all of them and from the last three, two and one, with the same
later scores as truth. Three numbers are those at up to 2, 2 to 10 and more than 10 times the largest pilot size.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace

import numpy as np

import calibrate
import pilots
import scoring
from apexgp import LearningCurve
from pilots import Design
from study.methods import known_methods

SEED = 11
DESIGNS = {
    **{f"{pool}, 3 splits": Design(362, pool=pool) for pool in ("AUROC", "accuracy")},
    **{f"{pool}, 3 splits, told": Design(362, pool=pool, told=True) for pool in ("AUROC", "accuracy")},
    **{f"{pool}, 1 split": Design(362, n_splits=1, pool=pool) for pool in ("AUROC", "accuracy")},
    "mean accuracy": Design(362, pool="mean accuracy", means_only=True, averaged_over="several"),
}
COUNTS = (6, 3, 2, 1)


def keep_last(curve: LearningCurve, count: int) -> LearningCurve:
    """The scores at the last sizes of a curve."""
    sizes = np.unique(curve.sizes)
    return curve if len(sizes) <= count else curve.beyond(sizes[-count - 1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    parser.add_argument("--curves", type=int, default=300, help="at most so many of each design")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    fit, curves = known_methods(calibrate.read_folds(settings.folds))["default"].fit, pilots.read_curves()
    titles = ("CRPS", "change against six (%)", "80 % covers", "95 % covers", "mean PIT", "95 % width", "curves")
    print(f"\n{scoring.titles('pilots', 'sizes', *titles)}")
    for name, design in DESIGNS.items():
        cases = pilots.draw(curves, design, settings.curves, SEED)
        found = {
            count: scoring.evaluate([replace(case, curve=keep_last(case.curve, count)) for case in cases], fit)
            for count in COUNTS
        }
        for count, rows in found.items():
            table = scoring.summarise(rows)
            change = "" if count == COUNTS[0] else scoring.describe_change(rows, found[COUNTS[0]])
            others = ("covers_80", "covers_95", "pit", "width_95", "curves")
            figures = [scoring.cell(table, figure) for figure in others]
            print(scoring.row(name, str(count), scoring.cell(table, "crps"), change, *figures), flush=True)


if __name__ == "__main__":
    main()
