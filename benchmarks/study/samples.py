"""On which pilots methods are compared, and what is known of each: how it was measured, and how its curve behaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import lcdb
import pilots
from apexgp import LearningCurve
from lcdb import Case

DRAWS = (7, 1, 101)
"""Seeds of the main protocol's pilots and targets."""
CURVES_A_DESIGN, DESIGN_SEED = 60, 11
LEAST_SIZES = 3
"""What all methods can make a forecast of."""
WRONG_BY = 0.02
"""A curve misbehaves where it falls, or hangs below a chord of its own, by more than this."""


@dataclass(frozen=True)
class Pilot:
    """A case with its place: `curve` counts all that the sample has, whichever of them are looked at."""

    sample: str
    curve: int
    case: Case

    def facts(self) -> dict[str, object]:
        """What tables may be broken down by."""
        pilot = self.case.curve.replicates
        return {
            "sample": self.sample,
            "curve": self.curve,
            "task": self.case.task,
            "learner": self.case.learner,
            "shape": shape(self.case.truth),
            "sizes": len(pilot.sizes),
            "splits": int(np.median(pilot.count)),
            "end": int(pilot.sizes[-1]),
        }


def main_protocol(draws: Sequence[int] = DRAWS, every: int = 1) -> Iterator[Pilot]:
    """One in `every` curves of each draw of the protocol in `lcdb.py`."""
    table = lcdb.read(lcdb.default_path())
    for seed in draws:
        for i, case in enumerate(lcdb.draw(table, seed)):
            if i % every == 0:
                yield Pilot(f"draw {seed}", i, case)


def other_designs(most: int = CURVES_A_DESIGN) -> Iterator[Pilot]:
    """At most so many curves under each design of `pilots.py` that every method can use, with scores alone."""
    curves = pilots.read_curves()
    for design in pilots.DESIGNS:
        if design.told or design.n_sizes < LEAST_SIZES:
            continue
        for i, case in enumerate(pilots.draw(curves, design, most, DESIGN_SEED)):
            yield Pilot(design.name, i, case)


def shape(truth: LearningCurve) -> str:
    """Whether the mean curve of all runs is well-behaved: rising and concave, give or take `WRONG_BY`."""
    pilot = truth.replicates
    sizes, scores = pilot.sizes, pilot.mean
    if (np.maximum.accumulate(scores) - scores).max() > WRONG_BY:
        return "falls"
    before, at, after = (index.ravel() for index in np.indices((len(sizes),) * 3))
    ordered = (before < at) & (at < after)
    before, at, after = before[ordered], at[ordered], after[ordered]
    share = (sizes[at] - sizes[before]) / (sizes[after] - sizes[before])
    chord = scores[before] + share * (scores[after] - scores[before])
    return "wakes late" if (chord - scores[at]).max(initial=0) > WRONG_BY else "well-behaved"
