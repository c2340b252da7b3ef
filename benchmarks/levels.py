"""Forecasts by the score that a pilot ends at: `python benchmarks/levels.py [--folds FILE] [--curves 600]`.

Near the top: pilots of six sizes and three splits that end at 91, 362 and 2,896 examples with a mean above .95, bare
and told. Average precision: published curves, one score a size, of which the first ones are the pilot. Three numbers
are those at up to 2, 2 to 10 and more than 10 times the largest pilot size.
"""

from __future__ import annotations

import argparse
import warnings

import calibrate
import pilots
import scoring
from lcdb import Case
from pilots import Design
from study.methods import known_methods

SEED = 11
ENDS = (91, 362, 2896)
NEAR_THE_TOP = {".95 to .98": (0.95, 0.98), "above .98": (0.98, 1.0)}
PRECISIONS = {
    **{"below .1": (-1.0, 0.1), ".1 to .4": (0.1, 0.4), ".4 to .7": (0.4, 0.7), "above .7": (0.7, 1.0)},
    "all": (-1.0, 1.0),
}


def select(cases: list[Case], low: float, high: float) -> list[Case]:
    """Pilots that end above one level and not above another."""
    return [case for case in cases if low < case.curve.replicates.mean[-1] <= high]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    parser.add_argument("--curves", type=int, default=600, help="at most so many of each design to choose from")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    fit, curves = known_methods(calibrate.read_folds(settings.folds))["default"].fit, pilots.read_curves()
    titles = ("known", "CRPS", "80 % covers (z)", "95 % covers", "mean z", "curves")
    print(f"\nnear the top\n\n{scoring.titles('pilots that end', *titles)}")
    for pool in ("AUROC", "accuracy"):
        for name, ends in NEAR_THE_TOP.items():
            for told in (False, True):
                designs = [Design(end, pool=pool, told=told) for end in ENDS]
                cases = [case for design in designs for case in pilots.draw(curves, design, settings.curves, SEED)]
                chosen = select(cases, *ends)
                if not chosen:
                    continue
                table = scoring.summarise(scoring.evaluate(chosen, fit))
                covers = f"{scoring.cell(table, 'covers_80')} ({scoring.cell(table, 'z_80')})"
                others = [scoring.cell(table, figure) for figure in ("covers_95", "z", "curves")]
                known = "everything" if told else "nothing"
                print(scoring.row(f"{pool}, {name}", known, scoring.cell(table, "crps"), covers, *others), flush=True)
    print(f"\naverage precision\n\n{scoring.head('pilots that end')}")
    design = next(design for design in pilots.DESIGNS if design.pool == "average precision")
    cases = pilots.draw(curves, design, settings.curves, SEED)
    for name, ends in PRECISIONS.items():
        chosen = select(cases, *ends)
        if chosen:
            print(scoring.line(name, scoring.evaluate(chosen, fit)), flush=True)


if __name__ == "__main__":
    main()
