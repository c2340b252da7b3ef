"""What real curves do after pilots that carry a caution: `odd_pilots.py [--folds FILE] [--curves N] [--record [FILE]]`.

Pilots of all recorded designs (`record.py`), without what is known beside the scores, are cut from all development
curves of AUROC and accuracy; those that call for a caution are forecast, and some others. The figures of a curve are
means over its pilots that call for the same caution; those of a caution are means over curves. A curve has risen where
its expected score at the largest size lies more than `cautions.MOVED` above the mean of the pilot's last two sizes.
--record writes what the cautions quote.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import calibrate
import pilots
import record
import scoring
from apexgp import APExGP
from apexgp.cautions import MOVED, ODD_PILOTS, find_pilot_cautions, find_single_run_cautions, shorten_caution
from apexgp.priors import CALIBRATED
from lcdb import Case
from plateaus import last_score

FILE = Path(__file__).resolve().parents[1] / "src" / "apexgp" / "odd_pilots.csv"
"""Where the package keeps what its cautions quote."""
SINGLE_RUNS, ANY = "counted as single runs", "any"
KINDS = (*ODD_PILOTS, SINGLE_RUNS, ANY)
ONE_IN = 10
"""Of so many pilots one is followed whatever it is, to compare with."""
SEED, TARGETS = 11, 3


def cut_pilots(most: int | None) -> Iterator[tuple[str, Case]]:
    """Pilots of the recorded designs on about so many curves of each pool, each with the name of its curve."""
    curves = pilots.read_curves()
    for design in record.DESIGNS.values():
        if design.told or design.pool == "average precision":
            continue
        pool = curves[design.pool]
        for i in range(0, len(pool), max(1, len(pool) // (most or len(pool)))):
            case = pool[i].case(design, np.random.default_rng([SEED, i]), most=TARGETS)
            if case is not None:
                yield f"{design.pool} {pool[i].task} {pool[i].learner}", case


def kinds_of(case: Case) -> set[str]:
    """Kinds that a pilot belongs to, by the cautions that its scores call for."""
    cautions = (*find_pilot_cautions(case.curve), *find_single_run_cautions(case.curve))
    return {shorten_caution(caution) for caution in cautions} & set(KINDS)


def follow(case: Case, folds: dict | None) -> dict[str, float]:
    """What the curve did after its pilot, and how the forecast did: shares in per cent."""
    forecast = APExGP(priors=calibrate.beliefs_for(case.task, folds)).fit(case.curve).forecast(case.sizes)
    (lower, upper), truth = forecast.interval(0.95), case.truths["new_splits"]
    change = float(case.truths["expected"][case.sizes.argmax()]) - last_score(case)
    return {
        "rose": 100.0 * (change > MOVED),
        "fell": 100.0 * (change < -MOVED),
        "inside": 100 * float(((truth >= lower) & (truth <= upper)).mean()),
        "above": 100 * float((truth > upper).mean()),
        "times": float(case.sizes.max() / case.curve.largest),
    }


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each kind: number of curves, and means over them of the means over their pilots."""
    by_curve = rows.groupby(["pilots", "curve"])[["rose", "fell", "inside", "above", "times"]].mean()
    by_kind = by_curve.groupby("pilots")
    table = by_kind[["rose", "fell", "inside", "above"]].mean().round(1)
    table.insert(0, "curves", by_kind.size())
    return table.assign(times=by_kind.times.median().round(1)).reindex(KINDS).fillna({"curves": 0, "times": 0})


def identify_priors() -> str:
    """A few characters that differ where the shipped priors do."""
    return hashlib.sha256(json.dumps(CALIBRATED.to_dict(), sort_keys=True).encode()).hexdigest()[:8]


def print_table(table: pd.DataFrame) -> None:
    """The table of docs/calibration.md."""
    shares = [f"rose by > {MOVED} (%)", f"fell by > {MOVED} (%)", "95 % covers", "above it (%)"]
    print(f"\nodd pilots\n\n{scoring.titles('pilots', 'curves', *shares, 'largest size (median, times the pilot)')}")
    for row in table.itertuples():
        shown = [f"{value:.0f}" for value in (row.rose, row.fell, row.inside, row.above)]
        print(scoring.row(row.Index, f"{row.curves:,.0f}", *shown, f"{row.times:.0f}"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    parser.add_argument("--curves", type=int, help="about so many of each pool, for a trial")
    parser.add_argument("--record", type=Path, nargs="?", const=FILE, metavar="FILE", help="write what cautions quote")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    folds = calibrate.read_folds(settings.folds)
    found = []
    for i, (name, case) in enumerate(cut_pilots(settings.curves)):
        kinds = kinds_of(case) | ({ANY} if i % ONE_IN == 0 else set())
        if kinds:
            figures = follow(case, folds)
            found += [{"pilots": kind, "curve": name, **figures} for kind in sorted(kinds)]
        if (i + 1) % 5000 == 0:
            print(f"{i + 1} pilots, {len(found)} followed", file=sys.stderr, flush=True)
    table = summarise(pd.DataFrame(found))
    if settings.record is not None:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
        kept = table.assign(priors=identify_priors(), commit=commit.stdout.strip())
        kept.astype({"curves": int}).to_csv(settings.record, lineterminator="\n")
    print_table(table)


if __name__ == "__main__":
    main()
