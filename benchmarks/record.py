"""The record of the default model as data of the package: what reports quote, and docs/calibration.md prints."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import pilots
import scoring
from pilots import Design

FILE = Path(__file__).resolve().parents[1] / "src" / "apexgp" / "questions" / "calibration.csv"
"""Where the package keeps it."""
PROTOCOL = "all draws"
"""What the draws of the main protocol are called together; they have the first design."""
COLUMNS = (
    *("of", "pilots", "metric", "largest", "sizes", "splits", "kind", "told"),
    *("times", "covers_80", "covers_95", "curves"),
)
# Means that are not called means are none of a reader's pilots, who knows what the scores are.
DESIGNS = {one.name: one for one in pilots.DESIGNS if not one.means_only or one.averaged_over is not None}
"""Designs that are recorded, by name."""


def design_of(name: str) -> Design:
    """The design with that name."""
    return pilots.DESIGNS[0] if name == PROTOCOL else DESIGNS[name]


def described(design: Design) -> dict[str, object]:
    """A design as a reader of the package knows a pilot."""
    averaged = pilots.AVERAGED if design.pool == "mean accuracy" else design.n_splits
    return {
        "metric": design.pool.removeprefix("mean "),
        "largest": design.end,
        "sizes": design.n_sizes,
        "splits": averaged if design.means_only else design.n_splits,
        "kind": "means" if design.means_only else "single" if design.n_splits == 1 else "labelled",
        "told": "yes" if design.told else "no",
    }


def rows_of(of: str, name: str, figures: pd.DataFrame) -> pd.DataFrame:
    """What there is to write of one sample: its figures by horizon, from those of its curves."""
    table = scoring.summarise(figures)
    return pd.DataFrame(
        {
            "of": of,
            "pilots": name,
            **described(design_of(name)),
            "times": table.index.astype(str),
            "covers_80": (100 * table.covers_80).round(1),
            "covers_95": (100 * table.covers_95).round(1),
            "curves": table.curves,
        }
    )


def write(path: Path, rows: pd.DataFrame) -> None:
    """Put rows into the file, in place of those on the same pilots that are there; other designs' rows stay."""
    if path.exists():
        there = pd.read_csv(path)
        there = there[there.pilots.isin([PROTOCOL, *DESIGNS])]
        renewed = there.set_index(["of", "pilots"]).index.isin(rows.set_index(["of", "pilots"]).index)
        rows = pd.concat([there[~renewed], rows], ignore_index=True)
    names = [PROTOCOL, *DESIGNS]
    place = rows.pilots.map(names.index) + len(names) * rows.of.map(("new_splits", "expected", "same_splits").index)
    rows.iloc[place.argsort(kind="stable")][list(COLUMNS)].to_csv(path, index=False, lineterminator="\n")
