"""What related curves add: `python benchmarks/learning.py [--pools ...] [--counts 3 10 30 100] [--cache FOLDER]`.

Priors are learnt (`apexgp.learn_beliefs`) from 3 to 100 whole curves: of the same learner on other data sets, of other
learners on the same data set, or drawn at random from other data sets. Pilots are then forecast under the shipped
priors and under the learnt ones. Tasks are dealt into folds: what a pilot is forecast with has never seen its task,
unless that is the point. With --worth, pulls of other strengths are tried.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from apexgp.learning.moves import PRIOR_CURVES, compute_shrinkage, list_move_names
from apexgp.learning.nodes import PilotNodeArrays, list_coordinates, stack_nodes
from apexgp.learning.objective import Objective, learn_moves, score_pilots
from apexgp.priors import CALIBRATED
from related_curves import Known, known_curves

FOLDS, PARTS = 5, 3
FAR = 2.05
COUNTS = (3, 10, 30, 100)
POOLS = ("AUROC", "accuracy", "mean accuracy")
MOST = {"mean accuracy": 1500}
"""Curves of a pool; LCDB 1.1 has thousands."""
NAMES = list_move_names(list_coordinates(CALIBRATED))
NO_MOVES = np.zeros(len(NAMES))


@dataclass
class Pool:
    """Curves to learn from and pilots to judge by."""

    lessons: list[Known]
    nodes: PilotNodeArrays
    judged: list[Known]
    pilots: PilotNodeArrays

    def __init__(self, known: list[Known]) -> None:
        self.lessons, self.judged = ([one for one in known if getattr(one, part)] for part in ("lesson", "judged"))
        self.nodes = stack_nodes([one.lesson for one in self.lessons])
        self.pilots = stack_nodes([one.judged for one in self.judged])
        tasks = sorted({one.task for one in known})
        learners = sorted({one.learner for one in known})
        self.part = {learner: i % PARTS for i, learner in enumerate(np.random.default_rng(0).permutation(learners))}
        self.before = {far: score_pilots(self.pilots, NO_MOVES, self.counts(far)) for far in (False, True)}
        self.fold = dict(zip(np.random.default_rng(0).permutation(tasks), np.arange(len(tasks)) % FOLDS, strict=True))

    def counts(self, far: bool) -> np.ndarray:
        """Later scores of the pilots that are beyond twice their ends, or those that are not."""
        return (self.pilots.times > FAR) == far

    def change(self, which: np.ndarray, gap: np.ndarray, form: str) -> str:
        """Mean of differences, and its standard error, clustered by task."""
        task = np.array([self.judged[i].task for i in which])
        by_task = [(gap[task == one] - gap.mean()).sum() for one in set(task)]
        return f"{gap.mean():+{form}} ± {np.sqrt(np.square(by_task).sum()) / len(gap):{form}}"

    def moves(self, which: np.ndarray, worth: float = PRIOR_CURVES) -> np.ndarray:
        """Moves learnt from some of the curves."""
        rows = [np.flatnonzero(self.nodes.curve == i) for i in which]
        nodes = self.nodes.take(np.concatenate(rows))
        tasks = sorted({self.lessons[i].task for i in which})
        task = np.repeat([tasks.index(self.lessons[i].task) for i in which], [len(own) for own in rows])
        return learn_moves(nodes, task, worth / PRIOR_CURVES * compute_shrinkage(NAMES), 0).vector

    def groups(self, source: str, count: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pilots that are forecast with the same priors, and the curves that those are learnt from."""
        learner = np.array([one.learner for one in self.lessons])
        task = np.array([one.task for one in self.lessons])
        fold = np.array([self.fold[one] for one in task])
        for key, pilots in self._alike(source):
            if source == "same learner":
                from_whom = np.flatnonzero((learner == key[1]) & (fold != key[0]))
            elif source == "same data set":
                # Learners are dealt into three parts: those of a part are learnt about from the others.
                part = np.array([self.part[one] for one in learner])
                from_whom = np.flatnonzero((task == key[0]) & (part != key[1]))
            else:
                from_whom = np.flatnonzero(fold != key[0])
            if len(from_whom):
                yield pilots, rng.permutation(from_whom)[:count]

    def _alike(self, source: str) -> Iterator[tuple[tuple, np.ndarray]]:
        found: dict[tuple, list[int]] = {}
        for i, one in enumerate(self.judged):
            by = {
                "same learner": (self.fold[one.task], one.learner),
                "same data set": (one.task, self.part[one.learner]),
                "random": (self.fold[one.task], i % 4),
            }
            found.setdefault(by[source], []).append(i)
        return ((key, np.array(own)) for key, own in found.items())


Vectors = list[tuple[np.ndarray, np.ndarray, int]]
"""Pilots, the moves that they are forecast with, and how many curves those were learnt from."""


def line(pool: Pool, name: str, vectors: Vectors) -> str:
    """A row of the table: figures up to 2 times and beyond, before and after."""
    numbers = sorted({number for *_, number in vectors})
    cells = [
        f"{numbers[0]} curves, {name}" if len(numbers) == 1 else f"all others ({numbers[0]} to {numbers[-1]}), {name}"
    ]
    chosen = np.unique(np.concatenate([which for which, *_ in vectors]))
    for far in (False, True):
        counts, before = pool.counts(far), pool.before[far]
        after = {figure: values.copy() for figure, values in before.items()}
        for which, vector, _ in vectors:
            for figure, values in score_pilots(pool.pilots.take(which), vector, counts[which]).items():
                after[figure][which] = values
        judged = chosen[~np.isnan(before["crps"][chosen])]
        old, new = ({figure: values[judged] for figure, values in own.items()} for own in (before, after))
        mean = old["crps"].mean() / 100
        cells.append(f"{pool.change(judged, (new['crps'] - old['crps']) / mean, '.1f')} %")
        cells.append(
            f"{old['log_score'].mean():.2f}, {pool.change(judged, new['log_score'] - old['log_score'], '.3f')}"
        )
    for figure, form, times in (("covers_80", ".1f", 100), ("covers_95", ".1f", 100), ("width_95", ".3f", 1)):
        cells.append(f"{times * old[figure].mean():{form}} {times * new[figure].mean():{form}}")
    return "| " + " | ".join([*cells, str(len(judged))]) + " |"


def information(pool: Pool) -> str:
    """Information of one curve on each number (`learning/moves.py`): the mean square of the slope of its log score."""
    _, slopes = Objective(pool.nodes, NO_MOVES, crps=0.0).evaluate_pilots(NO_MOVES)
    by_curve = np.stack([np.bincount(pool.nodes.curve, column) for column in slopes.T], axis=1)
    return "\n".join(
        f"{kind} {place}: {value:.3f}" for (kind, place), value in zip(NAMES, (by_curve**2).mean(axis=0), strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pools", nargs="+", default=POOLS, choices=POOLS)
    parser.add_argument("--sources", nargs="+", default=("same learner", "same data set", "random"))
    parser.add_argument("--counts", nargs="+", type=int, default=COUNTS)
    parser.add_argument("--worth", nargs="+", type=float, default=[PRIOR_CURVES])
    parser.add_argument("--information", action="store_true", help="print what a curve tells of each number instead")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir(), "apexgp_learning"))
    parser.add_argument("--jobs", type=int, default=2)
    settings = parser.parse_args()
    titles = [
        "learnt from",
        *(f"{one}, {far}" for far in ("up to 2x", "beyond 2x") for one in ("CRPS", "log score")),
        *("80 % covers", "95 % covers", "95 % width", "curves"),
    ]
    for name in settings.pools:
        pool = Pool(known_curves(name, CALIBRATED, settings.cache, settings.jobs, MOST.get(name)))
        if settings.information:
            print(f"\n{name}\n{information(pool)}", flush=True)
            continue
        print(f"\n{name}\n\n| {' | '.join(titles)} |\n|{'---|' * len(titles)}", flush=True)
        for worth in settings.worth:
            pulled = "" if worth == PRIOR_CURVES else f", pull of {worth:g} curves"
            for source in settings.sources:
                most = 0
                for count in settings.counts:
                    rng = np.random.default_rng(count)
                    groups = list(pool.groups(source, count, rng))
                    if most == (most := max(len(which) for _, which in groups)):
                        break  # there are no more curves than before
                    vectors = [(own, pool.moves(which, worth), len(which)) for own, which in groups]
                    print(line(pool, source + pulled, vectors), flush=True)


if __name__ == "__main__":
    main()
