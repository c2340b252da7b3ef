"""Pilots of many designs from the development curves of both databases.

Pilots of AUROC and accuracy take single runs of LCDB 1.0, with their training scores and numbers of test cases. LCDB
1.1 has mean accuracies over 25 splits and their standard errors: splits are simulated around them, each with a shift of
its own along the curve and noise at each size. Pilots of means only are means over 25 of them, one unlabelled score a
size, and so are the later scores, over 25 others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import lcdb
from apexgp import LearningCurve
from lcdb import Case
from scoring import EDGES

# Both databases measure at 16 times powers of the root of 2 (LCDB 1.1 half-way between as well), rounded differently.
ANCHORS = 16 * 2 ** (np.arange(19) / 2)
ROUNDED, ROUNDED_UP = np.round(ANCHORS), np.ceil(ANCHORS)
AVERAGED = 25
"""Splits behind a mean accuracy of LCDB 1.1."""


@dataclass(frozen=True)
class Design:
    """How a pilot is measured."""

    end: int
    """Its largest size: one of `ROUNDED`."""
    n_sizes: int = 6
    n_splits: int = 3
    pool: str = "AUROC"
    """Which curves: AUROC or accuracy of single runs, or mean accuracies."""
    means_only: bool = False
    """One mean score a size, unlabelled: over the splits, of mean accuracies over 25 of them."""
    labelled: bool = True
    informed: bool = False
    """Whether training scores and the number of test cases are known; of single runs only."""
    dense: bool = False
    """Sizes a quarter of an octave apart instead of a half; mean accuracies only."""
    carried: float = 0.5
    """Share of the variance of simulated splits that goes along the curve."""

    @property
    def name(self) -> str:
        step = 0.25 if self.dense else 0.5
        sizes = f"{self.end * 2 ** -(step * (self.n_sizes - 1)):.0f}-{self.end} x {self.n_sizes}"
        splits = "means only" if self.means_only else f"{self.n_splits} split" + "s" * (self.n_splits > 1)
        marks = ", unlabelled" * (not self.labelled) + ", with training scores" * self.informed
        return f"{self.pool} {sizes}, {splits}{marks}"


DESIGNS = (
    Design(362),
    Design(362, informed=True),
    Design(91),
    Design(2896),
    Design(362, n_sizes=3),
    Design(362, n_sizes=10),
    Design(362, n_splits=1),
    Design(362, n_splits=1, informed=True),
    Design(362, n_splits=10),
    Design(362, n_splits=1, labelled=False),
    Design(362, n_splits=5, means_only=True),
    Design(362, pool="accuracy"),
    Design(362, pool="accuracy", informed=True),
    Design(91, pool="accuracy"),
    Design(2896, pool="accuracy"),
    Design(362, n_sizes=3, pool="accuracy"),
    Design(362, n_splits=1, pool="accuracy", labelled=False),
    Design(91, pool="mean accuracy", means_only=True),
    Design(362, pool="mean accuracy", means_only=True),
    Design(362, n_sizes=18, pool="mean accuracy", means_only=True, dense=True),
    Design(2896, n_sizes=30, pool="mean accuracy", means_only=True, dense=True),
)


@dataclass(frozen=True)
class Runs:
    """Scores of single runs: rows are seeds, NaN where a seed was not run."""

    task: str
    learner: str
    metric: str
    sizes: np.ndarray
    scores: np.ndarray
    train: np.ndarray
    """Scores on the training rows themselves."""
    n_test: float

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
        train = self.train[own][:, pilot]
        if design.means_only or not design.labelled:
            scores, train = scores.mean(axis=0), train.mean(axis=0)
        told = {"train_scores": train.T, "n_test": self.n_test} if design.informed else {}
        curve = LearningCurve(wanted, scores.T, metric=self.metric, **told)
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
        own, others = (self._splits(design, rng) for _ in range(2))
        known |= {"new_splits": others[:, later].mean(axis=0), "same_splits": own[:, later].mean(axis=0)}
        scores = own[:, pilot].mean(axis=0, keepdims=True) if design.means_only else own[:, pilot]
        curve = LearningCurve(wanted, scores[0] if design.means_only else scores.T, metric="accuracy")
        if scores.mean(axis=0).max() >= lcdb.NOTHING_LEFT:
            return None
        truth = _whole(self.sizes, self.accuracy, wanted[0])
        return Case(self.task, self.learner, curve, self.sizes[later], known, truth=truth)

    def _splits(self, design: Design, rng: np.random.Generator) -> np.ndarray:
        """Simulated scores (splits, sizes); behind means there are as many as in the database."""
        count = AVERAGED if design.means_only else design.n_splits
        carried, single = rng.standard_normal((count, 1)), rng.standard_normal((count, len(self.sizes)))
        noise = np.sqrt(design.carried) * carried + np.sqrt(1 - design.carried) * single
        return np.clip(self.accuracy + np.sqrt(AVERAGED) * self.standard_error * noise, 0, 1)


Curve = Runs | Means


def read_curves() -> dict[str, list[Curve]]:
    """All development curves by the pools that designs draw from."""
    means = lcdb.read_means(lcdb.default_path("lcdb11_dev.csv.gz")).sort_values("size").groupby(["task", "learner"])
    return {
        "AUROC": _read_runs("auroc", "AUROC"),
        "accuracy": _read_runs("accuracy", "accuracy"),
        "mean accuracy": [
            Means(lcdb.openml_id(task), str(learner), *rows[["size", "accuracy", "standard_error"]].to_numpy(float).T)
            for (task, learner), rows in means
        ],
    }


def _read_runs(file: str, metric: str) -> list[Curve]:
    found: list[Curve] = []
    table = lcdb.read_with_training(lcdb.default_path(f"lcdb_dev_{file}_with_train.csv.gz"))
    for (task, learner), rows in table.groupby(["task", "learner"]):
        grid = rows.pivot_table(index="seed", columns="size", values=["test", "train"])
        sizes, scores = grid["test"].columns.to_numpy(float), grid["test"].to_numpy()
        n_test = float(rows.n_test.median())
        found.append(Runs(lcdb.openml_id(task), str(learner), metric, sizes, scores, grid["train"].to_numpy(), n_test))
    return found


def draw(curves: dict[str, list[Curve]], design: Design, most: int, seed: int) -> list[Case]:
    """Pilots of a design on at most so many curves, in random order."""
    rng = np.random.default_rng([seed, DESIGNS.index(design)])
    pool, cases = curves[design.pool], []
    for i in rng.permutation(len(pool)):
        case = pool[i].case(design, rng, most=3)
        if case is not None:
            cases.append(case)
        if len(cases) == most:
            break
    return cases


GROUPS = {"AUROC": 0.4, "accuracy": 0.25, "simulated splits": 0.1, "means": 0.25}
"""Kinds of pilots to learn from, and the share of each."""
_ENDS = (91, 181, 362, 724, 1448, 2896)


def learning_set(curves: dict[str, list[Curve]], count: int, seed: int) -> Iterator[tuple[str, Case]]:
    """Pilots of random designs on random curves, by group; of runs, training scores and test cases are known."""
    rng = np.random.default_rng(seed)
    for group, share in GROUPS.items():
        left = round(share * count)
        while left:
            design = _any_runs(group, rng) if group in curves else _any_means(group, rng)
            pool = curves[design.pool]
            case = pool[rng.integers(len(pool))].case(design, rng, most=2)
            if case is not None:
                left -= 1
                yield group, case


def _any_runs(pool: str, rng: np.random.Generator) -> Design:
    """Half of the single runs come without a label, as users' do, and some of the others as means."""
    n_splits = int(rng.choice([1, 1, 3, 3, 5, 10]))
    return Design(
        int(rng.choice(_ENDS)),
        int(rng.choice([3, 4, 5, 6, 8, 10])),
        n_splits,
        pool,
        means_only=n_splits > 1 and rng.random() < 0.15,
        labelled=n_splits > 1 or rng.random() < 0.5,
        informed=True,
    )


def _any_means(group: str, rng: np.random.Generator) -> Design:
    means_only = group == "means"
    return Design(
        int(rng.choice((*_ENDS, 8192))),
        int(rng.choice([3, 5, 6, 8, 10, 16, 24, 30] if means_only else [3, 5, 6, 8, 10])),
        int(rng.choice([1, 3, 5, 10])),
        "mean accuracy",
        means_only=means_only,
        dense=rng.random() < 0.5,
        carried=rng.uniform(0.2, 0.8),
    )


def _whole(sizes: np.ndarray, means: np.ndarray, first: float) -> LearningCurve:
    """The mean curve from the pilot's first size on."""
    return LearningCurve(sizes[sizes >= first], means[sizes >= first])


def _some_targets(later: np.ndarray, times: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most so many of the later sizes in each horizon: far horizons have many that say the same."""
    which = np.digitize(times, EDGES, right=True)
    chosen = [np.sort(rng.permutation(np.flatnonzero(which == h))[:most]) for h in range(len(EDGES) + 1)]
    return later[np.concatenate(chosen)]
