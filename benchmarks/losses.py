"""Calibration on log losses: `losses.py [--draws 7 1] [--curves 100] [--units 1 2 3] [--half 0]`.

The protocol is that of `lcdb.py`, on the log losses of the same development tasks, learners and runs
(`lcdb_dev_logloss_with_train.csv.gz`). Sane are curves whose mean log loss at the pilot's largest size is below log 2:
above it a classifier of two classes knows less than a coin. Three numbers are those at up to 2, 2 to 10 and more than
10 times the largest pilot size; CRPS and widths are shares of that mean loss.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace

import pandas as pd

import lcdb
import scoring
from apexgp import APExGP

FILE = "lcdb_dev_logloss_with_train.csv.gz"


def is_sane(case: lcdb.Case) -> bool:
    """Whether a pilot, of which alone this is judged, ends better than a coin."""
    return float(case.curve.replicates.mean[-1]) < math.log(2)


def cases(draw: int, half: int | None) -> list[lcdb.Case]:
    """All cases of a draw, or those of every other task."""
    table = lcdb.read_with_training(lcdb.default_path(FILE)).rename(columns={"test": "score"})
    found = lcdb.draw(table, draw, "log loss")
    tasks = sorted({case.task for case in found}, key=int)
    return found if half is None else [case for case in found if tasks.index(case.task) % 2 == half]


def method(unit: float | None, *, published: bool = False) -> Callable[[lcdb.Case], scoring.Fitted]:
    """Forecasts in shares of the last mean loss; with another unit of the map, in multiples of that loss, if given."""

    def fit(case: lcdb.Case) -> scoring.Fitted:
        curve = case.curve
        if unit is not None:
            curve = curve.on(replace(curve.scale, unit=unit * float(curve.replicates.mean[-1])))
        model = (APExGP.as_published() if published else APExGP()).fit(curve)
        return lambda of: model.forecast(case.sizes, of=of)

    return fit


def in_shares(case: lcdb.Case) -> lcdb.Case:
    """The case with losses as multiples of the pilot's last mean, so that means over curves make sense."""
    last = float(case.curve.replicates.mean[-1])
    curve = replace(case.curve, scores=case.curve.scores / last)
    return replace(case, curve=curve, truths={of: truth / last for of, truth in case.truths.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", nargs="+", type=int, default=[7], help="seeds of the protocol's pilots")
    parser.add_argument("--curves", type=int, help="at most so many a draw")
    parser.add_argument("--units", nargs="*", type=float, default=[], help="other units, in mean losses at the end")
    parser.add_argument("--half", type=int, choices=(0, 1), help="every other task, from the first or the second")
    parser.add_argument("--published", action="store_true", help="the published method, too")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    rows: dict[str, list[pd.DataFrame]] = {}
    for draw in settings.draws:
        drawn = cases(draw, settings.half)
        drawn = drawn[:: max(1, len(drawn) // (settings.curves or len(drawn)))]
        sane = [in_shares(case) for case in drawn if is_sane(case)]
        others = [in_shares(case) for case in drawn if not is_sane(case) and case.curve.replicates.mean[-1] > 0]
        print(f"draw {draw}: {len(sane)} of {len(drawn)} curves are sane", file=sys.stderr, flush=True)
        methods = {"default": method(None)} | {f"unit {unit:g}": method(unit) for unit in settings.units}
        if settings.published:
            methods["published"] = method(None, published=True)
        told = {f"sane, {name}": (sane, one) for name, one in methods.items()} | {
            "others, default": (others, methods["default"])
        }
        for name, (some, one) in told.items():
            found = scoring.evaluate(some, one)
            rows.setdefault(name, []).append(found.assign(curve=f"{draw} " + found.curve.astype(str)))
    print(scoring.head("log loss"))
    for name, found in rows.items():
        print(scoring.line(name, pd.concat(found, ignore_index=True)))


if __name__ == "__main__":
    main()
