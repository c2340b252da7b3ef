"""Pilots of many designs from the development curves of both databases.

AUROC pilots take single runs of LCDB 1.0. LCDB 1.1 has mean accuracies over 25 splits and their standard errors: pilots
of means only take them as they are, one unlabelled score a size; pilots with splits are simulated from them, each split
with a shift of its own along the curve and noise at each size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

import lcdb
from apexgp import LearningCurve
from lcdb import Case
from scoring import EDGES

# Both databases measure at 16 times powers of the root of 2 (LCDB 1.1 half-way between as well), rounded differently.
ANCHORS = 16 * 2 ** (np.arange(19) / 2)
ROUNDED, ROUNDED_UP = np.round(ANCHORS), np.ceil(ANCHORS)


@dataclass(frozen=True)
class Design:
    """How a pilot is measured."""

    end: int
    """Its largest size: one of `ROUNDED`."""
    n_sizes: int = 6
    n_splits: int = 3
    metric: str = "AUROC"
    means_only: bool = False
    """Mean accuracies as if they were single scores without labels."""
    labelled: bool = True
    dense: bool = False
    """Sizes a quarter of an octave apart instead of a half; accuracy only."""
    carried: float = 0.5
    """Share of the variance of simulated splits that goes along the curve; accuracy only."""

    @property
    def name(self) -> str:
        step = 0.25 if self.dense else 0.5
        sizes = f"{self.end * 2 ** -(step * (self.n_sizes - 1)):.0f}-{self.end} x {self.n_sizes}"
        splits = "means only" if self.means_only else f"{self.n_splits} split" + "s" * (self.n_splits > 1)
        return f"{self.metric} {sizes}, {splits}" + ", unlabelled" * (not self.labelled)


DESIGNS = (
    Design(362),
    Design(91),
    Design(2896),
    Design(362, n_sizes=3),
    Design(362, n_sizes=10),
    Design(362, n_splits=1),
    Design(362, n_splits=10),
    Design(362, metric="accuracy"),
    Design(2896, metric="accuracy"),
    Design(91, metric="accuracy", means_only=True),
    Design(362, metric="accuracy", means_only=True),
    Design(362, metric="accuracy", means_only=True, dense=True),
    Design(2896, metric="accuracy", means_only=True),
    Design(362, n_splits=1, labelled=False),
)


@dataclass(frozen=True)
class Runs:
    """AUROC of single runs: rows are seeds, NaN where a seed was not run."""

    task: str
    learner: str
    sizes: np.ndarray
    scores: np.ndarray

    def case(self, design: Design, rng: np.random.Generator, most: int) -> Case | None:
        """A pilot with at most so many targets a horizon; None if the curve has not enough for the design."""
        last = int(np.searchsorted(ROUNDED, design.end))
        wanted = ROUNDED[max(last - design.n_sizes + 1, 0) : last + 1]
        if len(wanted) < design.n_sizes or not np.isin(wanted, self.sizes).all():
            return None
        pilot, count = np.searchsorted(self.sizes, wanted), design.n_splits
        complete = np.flatnonzero(~np.isnan(self.scores[:, pilot]).any(axis=1))
        if len(complete) < max(2 * count, 6):
            return None
        own = rng.permutation(complete)[:count]
        others = np.delete(self.scores, own, axis=0)
        enough = ((~np.isnan(self.scores)).sum(axis=0) >= lcdb.LEAST_RUNS) & (
            (~np.isnan(others)).sum(axis=0) >= max(count, 3)
        )
        later = np.flatnonzero((self.sizes > design.end) & enough)
        scores = self.scores[own][:, pilot]
        if not later.size or scores.mean(axis=0).max() >= lcdb.NOTHING_LEFT:
            return None
        later = _some_targets(later, self.sizes[later] / design.end, most, rng)
        columns = [others[:, k][~np.isnan(others[:, k])] for k in later]
        truths = {
            "new_splits": np.array([rng.choice(column, count, replace=False).mean() for column in columns]),
            "expected": np.nanmean(self.scores[:, later], axis=0),
            "same_splits": self.scores[own][:, later].mean(axis=0),
        }
        curve = LearningCurve(wanted, scores.T) if design.labelled else LearningCurve(wanted, scores[0])
        truth = _whole(self.sizes, np.nanmean(self.scores, axis=0), wanted[0])
        return Case(self.task, self.learner, curve, self.sizes[later], truths, truth=truth)


@dataclass(frozen=True)
class Means:
    """Mean accuracy over 25 splits, and its standard error."""

    task: str
    learner: str
    sizes: np.ndarray
    accuracy: np.ndarray
    standard_error: np.ndarray

    def case(self, design: Design, rng: np.random.Generator, most: int) -> Case | None:
        """As `Runs.case`; splits are simulated."""
        end = ROUNDED_UP[np.searchsorted(ROUNDED, design.end)]
        step = 1 if design.dense else 2
        pilot = np.searchsorted(self.sizes, end) - step * np.arange(design.n_sizes)[::-1]
        if pilot[0] < 0 or end not in self.sizes or not (self.sizes > end).any():
            return None
        wanted = self.sizes[pilot]
        octaves = np.log2(wanted[-1] / wanted[0])
        if abs(octaves - step * (design.n_sizes - 1) / 4) > 0.2:  # an anchor is missing
            return None
        later = np.flatnonzero(self.sizes > end)
        later = _some_targets(later, self.sizes[later] / end, most, rng)
        known = {"expected": self.accuracy[later]}
        if design.means_only:
            known |= {"new_splits": self.accuracy[later], "same_splits": np.full(len(later), np.nan)}
            scores, curve = self.accuracy[None, pilot], LearningCurve(wanted, self.accuracy[pilot])
        else:
            own, others = self._splits(design, rng), self._splits(design, rng)
            known |= {"new_splits": others[:, later].mean(axis=0), "same_splits": own[:, later].mean(axis=0)}
            scores, curve = own[:, pilot], LearningCurve(wanted, own[:, pilot].T)
        if scores.mean(axis=0).max() >= lcdb.NOTHING_LEFT:
            return None
        truth = _whole(self.sizes, self.accuracy, wanted[0])
        return Case(self.task, self.learner, curve, self.sizes[later], known, truth=truth)

    def _splits(self, design: Design, rng: np.random.Generator) -> np.ndarray:
        """Simulated scores (splits, sizes)."""
        carried = rng.standard_normal((design.n_splits, 1))
        single = rng.standard_normal((design.n_splits, len(self.sizes)))
        noise = np.sqrt(design.carried) * carried + np.sqrt(1 - design.carried) * single
        return np.clip(self.accuracy + 5 * self.standard_error * noise, 0, 1)  # 5: the root of 25 splits


Curve = Runs | Means


def read_curves() -> dict[str, list[Curve]]:
    """All development curves by metric."""
    runs = lcdb.read(lcdb.default_path()).groupby(["task", "learner"])
    grids = {key: rows.pivot_table(index="seed", columns="size", values="score") for key, rows in runs}
    means = lcdb.read_means(lcdb.default_path("lcdb11_dev.csv.gz")).sort_values("size").groupby(["task", "learner"])
    return {
        "AUROC": [
            Runs(lcdb.openml_id(task), str(learner), grid.columns.to_numpy(float), grid.to_numpy())
            for (task, learner), grid in grids.items()
        ],
        "accuracy": [
            Means(lcdb.openml_id(task), str(learner), *rows[["size", "accuracy", "standard_error"]].to_numpy(float).T)
            for (task, learner), rows in means
        ],
    }


def draw(curves: dict[str, list[Curve]], design: Design, most: int, seed: int) -> list[Case]:
    """Pilots of a design on at most so many curves, in random order."""
    rng = np.random.default_rng([seed, DESIGNS.index(design)])
    pool, cases = curves[design.metric], []
    for i in rng.permutation(len(pool)):
        case = pool[i].case(design, rng, most=3)
        if case is not None:
            cases.append(case)
        if len(cases) == most:
            break
    return cases


GROUPS = {"AUROC": 0.5, "accuracy, splits": 0.25, "accuracy, means": 0.25}
"""Kinds of pilots to learn from, and the share of each."""
_ENDS = (91, 181, 362, 724, 1448, 2896)


def learning_set(curves: dict[str, list[Curve]], count: int, seed: int) -> Iterator[tuple[str, Case]]:
    """Pilots of random designs on random curves, by group."""
    rng = np.random.default_rng(seed)
    designs: dict[str, Callable[[], Design]] = {
        "AUROC": lambda: _any_labels(_any_design((1, 1, 3, 3, 5, 10), _ENDS, rng), rng),
        "accuracy, splits": lambda: replace(_any_accuracy(rng), carried=rng.uniform(0.2, 0.8)),
        "accuracy, means": lambda: replace(_any_accuracy(rng), means_only=True),
    }
    for group, share in GROUPS.items():
        left = round(share * count)
        while left:
            design = designs[group]()
            pool = curves[design.metric]
            case = pool[rng.integers(len(pool))].case(design, rng, most=2)
            if case is not None:
                left -= 1
                yield group, case


def _any_design(splits: tuple[int, ...], ends: tuple[int, ...], rng: np.random.Generator) -> Design:
    return Design(int(rng.choice(ends)), int(rng.choice([3, 5, 6, 6, 8, 10])), int(rng.choice(splits)))


def _any_labels(design: Design, rng: np.random.Generator) -> Design:
    """Half of the single runs come without a label, as users' do."""
    return replace(design, labelled=design.n_splits > 1 or rng.random() < 0.5)


def _any_accuracy(rng: np.random.Generator) -> Design:
    design = _any_design((1, 3, 3, 5, 10), (*_ENDS, 8192), rng)
    return replace(design, metric="accuracy", dense=rng.random() < 0.5)


def _whole(sizes: np.ndarray, means: np.ndarray, first: float) -> LearningCurve:
    """The mean curve from the pilot's first size on."""
    return LearningCurve(sizes[sizes >= first], means[sizes >= first])


def _some_targets(later: np.ndarray, times: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most so many of the later sizes in each horizon: far horizons have many that say the same."""
    which = np.digitize(times, EDGES, right=True)
    chosen = [np.sort(rng.permutation(np.flatnonzero(which == h))[:most]) for h in range(len(EDGES) + 1)]
    return later[np.concatenate(chosen)]
