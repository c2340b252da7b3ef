"""Do required sizes suffice, and do their ranges hold? `required_sizes.py [--folds FILE] [--curves 40]`.

Pilots of several designs (`pilots.py`) from the development curves of both databases. Targets lie a twentieth to two
fifths of the way from the pilot's best mean score to 1, so that they do not depend on how the curve continues. The
truth is the isotonic regression of the mean over all splits. Answers count where the truth is known: a size that lies
within the measured curve, a range that does or whose target the curve has reached. With the folds that `calibrate.py
--cv --out FILE` wrote, priors are those fitted without the task at hand.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import calibrate
import lcdb
import pilots
import scoring
from apexgp import APExGP, required_size_range
from apexgp.required import CONFIDENCE, success_of
from apexgp.simulation import true_requirement
from pilots import Design

DESIGNS = (
    Design(362),
    Design(362, told=True),
    Design(91),
    Design(2896),
    Design(362, n_splits=10),
    Design(362, n_splits=1),
    Design(362, pool="accuracy"),
    Design(362, pool="accuracy", told=True),
    Design(91, pool="accuracy"),
    Design(362, pool="mean accuracy", means_only=True, averaged_over="several"),
    Design(91, pool="mean accuracy", means_only=True, averaged_over="several"),
)
ROOMS = (0.05, 0.1, 0.2, 0.4)
CONFIDENCES = (0.1, 0.5, 0.8, 0.9)


def ask(design: Design, case: lcdb.Case, folds: dict | None) -> list[dict]:
    """One row per target and confidence: the size asked for, the size needed, and F at the curve's end.

    At the default's confidence also the fewest that suffice with 10 %, and the most under other assumptions.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = APExGP(priors=calibrate.beliefs_for(case.task, folds)).fit(case.curve)
        best, end = float(case.curve.replicates.mean.max()), float(case.truth.sizes.max())
        rows = []
        for target in (best + room * (1 - best) for room in ROOMS):
            about = {
                "design": design.name,
                "task": case.task,
                "needed": true_requirement(case.truth, target),
                "end": end,
                "at_end": float(success_of(model, target, "expected")(np.array([end]))[0]),
                "last": case.curve.largest,
            }
            for confidence in CONFIDENCES:
                found = model.required_size(target, confidence)
                row = about | {"confidence": confidence, "size": found.size}
                if confidence == CONFIDENCE and found.is_realistic and not found.already_met:
                    row["low"], row["high"] = found.interval[0], required_size_range(model, target).interval[1]
                rows.append(row)
        return rows


def say_share(held: pd.Series, tasks: pd.Series) -> str:
    """A share in per cent, with its standard error clustered by task, and out of how many."""
    held = held.astype(float)
    return f"{100 * held.mean():.1f} % (+- {100 * scoring.clustered_error(held, tasks):.1f}) of {len(held)}"


def print_sizes(rows: pd.DataFrame) -> None:
    """Print how often sizes sufficed: by confidence, and at that of the default by design and by distance."""
    known = rows[rows["size"] <= rows.end]
    print("\nsizes that sufficed, where they lie within the curve")
    for confidence, own in known.groupby("confidence"):
        print(f"confidence {confidence:.1f}: {say_share(own.needed <= own['size'], own.task)}")
    asked, own = rows[rows.confidence == CONFIDENCE], known[known.confidence == CONFIDENCE]
    print(f"at {CONFIDENCE}: {len(asked)} questions, {np.isinf(asked['size']).sum()} without any size that will do")
    for name, part in own.groupby("design", sort=False):
        print(f"  {name}: {say_share(part.needed <= part['size'], part.task)}")
    for times, part in own.groupby(pd.cut(own["size"] / own["last"], [0, 1.5, 2, 4, 10, np.inf]), observed=True):
        print(f"  {times} times the pilot: {say_share(part.needed <= part['size'], part.task)}")


def print_ranges(rows: pd.DataFrame) -> None:
    """Print how often the size needed lay between what is printed as the fewest and as the most."""
    own = rows[rows.low.notna()]
    known = own[np.isfinite(own.needed) | (own.high <= own.end)]
    held = (known.low <= known.needed) & (known.needed <= known.high)
    print(f"\nranges: {len(own)}, {100 * np.isinf(own.high).mean():.0f} % of them without an upper end")
    print(f"the size needed lies inside: {say_share(held, known.task)}")
    below, above = (100 * where.mean() for where in (known.needed < known.low, known.needed > known.high))
    print(f"... below: {below:.1f} %, above: {above:.1f} %")
    finite = np.isfinite(known.high)
    print(f"... of ranges with an upper end: {say_share(held[finite], known.task[finite])}")
    ratio = (known.high / known.low)[finite]
    print(f"upper over lower end, where there is one: median {ratio.median():.1f}")


def print_reached(rows: pd.DataFrame) -> None:
    """Print the share of targets that were reached at the curve's end, by the probability that was stated."""
    asked = rows[rows.confidence == CONFIDENCE]
    reached = asked.assign(reached=asked.needed <= asked.end)
    by = reached.groupby(pd.cut(asked.at_end, np.linspace(0, 1, 11)), observed=True)
    print("\nF at the curve's end, and the share of targets that were reached there")
    print(by.agg(F=("at_end", "mean"), reached=("reached", "mean"), targets=("reached", "size")).round(3).to_string())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", help="priors by task fold, as written by calibrate.py --cv --out")
    parser.add_argument("--curves", type=int, default=40, help="of each design")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=-1)
    settings = parser.parse_args()
    folds, curves = calibrate.read_folds(settings.folds), pilots.read_curves()
    work = (
        delayed(ask)(design, case, folds)
        for design in DESIGNS
        for case in pilots.draw(curves, design, settings.curves, settings.seed)
    )
    rows = pd.DataFrame([row for found in Parallel(settings.jobs)(work) for row in found])
    print_sizes(rows)
    print_ranges(rows)
    print_reached(rows)


if __name__ == "__main__":
    main()
