"""Pilots of many designs from the development curves of both databases.

Pilots of AUROC and accuracy take single runs of LCDB 1.0, with their training scores and numbers of test cases. LCDB
1.1 has mean accuracies over 25 splits and their standard errors: splits are simulated around them, each with a shift of
its own along the curve and noise at each size. Pilots of means only are means over 25 of them, one unlabelled score a
size, and so are the later scores, over 25 others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import lcdb
from apexgp import LearningCurve
from lcdb import Case
from scoring import EDGES

# Both databases measure at 16 times powers of the root of 2 (LCDB 1.1 half-way between as well), rounded differently.
ANCHORS = 16 * 2 ** (np.arange(19) / 2)
ROUNDED, ROUNDED_UP = np.round(ANCHORS), np.ceil(ANCHORS)
AVERAGED = 25
"""Splits behind a mean accuracy of LCDB 1.1."""


KINDS = {
    "linear": (
        *("LogisticRegression", "PassiveAggressive", "Perceptron", "RidgeClassifier", "SGDClassifier", "SVM_Linear"),
        *("LinearDiscriminantAnalysis", "LDA", "NearestCentroid"),
    ),
    "naive_bayes": ("BernoulliNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
    "discriminant": ("QuadraticDiscriminantAnalysis", "QDA"),
    "neighbours": ("KNeighborsClassifier", "KNN"),
    "trees": (
        *("ExtraTreesClassifier", "RandomForestClassifier", "ens.ExtraTrees", "ens.RandomForest"),
        *("Decision Tree", "ExtraTree"),
    ),
    "boosting": ("GradientBoostingClassifier", "ens.GradientBoosting", "CatBoost"),
    "neural_network": ("MLPClassifier", "MLP", "RealMLP"),
}
"""Learners of both databases by kind. Kernel machines and TabNet are like no other, and TabPFN was pretrained."""
KIND_OF = {learner: kind for kind, learners in KINDS.items() for learner in learners}


@dataclass(frozen=True)
class Design:
    """How a pilot is measured."""

    end: int
    """Its largest size: one of `ROUNDED`."""
    n_sizes: int = 6
    n_splits: int = 3
    pool: str = "AUROC"
    """Which curves: AUROC or accuracy of single runs, mean accuracies, or published average precisions."""
    means_only: bool = False
    """One mean score a size, unlabelled: over the splits, of mean accuracies over 25 of them."""
    averaged_over: int | str | None = None
    """What is said of such means: how many runs are behind each, "several", or nothing."""
    labelled: bool = True
    told: bool = False
    """Whether kind of learner, features and classes are known, and of single runs training scores and test cases."""
    ragged: bool = False
    """Whether some splits were not measured at every size; of several single runs only."""
    dense: bool = False
    """Sizes a quarter of an octave apart instead of a half; mean accuracies only."""
    carried: float = 0.5
    """Share of the variance of simulated splits that goes along the curve."""

    @property
    def name(self) -> str:
        step = 0.25 if self.dense else 0.5
        first = f"{self.end * 2 ** -(step * (self.n_sizes - 1)):.0f}-" if self.n_sizes > 1 else ""
        sizes = f"{first}{self.end} x {self.n_sizes}"
        splits = "means only" if self.means_only else f"{self.n_splits} split" + "s" * (self.n_splits > 1)
        marks = ", called means" * (self.averaged_over is not None) + ", unlabelled" * (not self.labelled)
        return f"{self.pool} {sizes}, {splits}{marks}{', told' * self.told}"


DESIGNS = (
    Design(362),
    Design(362, told=True),
    Design(91),
    Design(91, told=True),
    Design(2896),
    Design(362, n_sizes=3),
    Design(362, n_sizes=2),
    Design(362, n_sizes=1),
    Design(362, n_sizes=1, told=True),
    Design(362, n_sizes=10),
    Design(362, n_splits=1),
    Design(362, n_splits=1, told=True),
    Design(362, n_sizes=2, n_splits=1),
    Design(362, n_sizes=1, n_splits=1),
    Design(362, n_splits=10),
    Design(362, n_splits=1, labelled=False),
    Design(362, n_splits=5, means_only=True, averaged_over="several"),
    Design(362, pool="accuracy"),
    Design(362, pool="accuracy", told=True),
    Design(91, pool="accuracy"),
    Design(2896, pool="accuracy"),
    Design(362, n_sizes=3, pool="accuracy"),
    Design(362, n_sizes=2, pool="accuracy"),
    Design(362, n_sizes=1, pool="accuracy"),
    Design(362, n_sizes=1, n_splits=1, pool="accuracy"),
    Design(362, n_splits=1, pool="accuracy", labelled=False),
    Design(91, pool="mean accuracy", means_only=True),
    Design(91, pool="mean accuracy", means_only=True, averaged_over="several"),
    Design(91, pool="mean accuracy", means_only=True, averaged_over="several", told=True),
    Design(362, pool="mean accuracy", means_only=True, averaged_over="several"),
    Design(362, n_sizes=1, pool="mean accuracy", means_only=True, averaged_over="several"),
    Design(362, n_sizes=18, pool="mean accuracy", means_only=True, averaged_over="several", dense=True),
    Design(2896, n_sizes=30, pool="mean accuracy", means_only=True, averaged_over="several", dense=True),
    Design(64, pool="average precision", n_splits=1, labelled=False),
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
    facts: Mapping[str, Any]
    """Kind of learner, numbers of features and classes, as far as they are known."""

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
        train, about = self.train[own][:, pilot], {}
        if design.means_only or not design.labelled:
            scores, train = scores.mean(axis=0), train.mean(axis=0)
            about["averaged_over"] = design.averaged_over
        if design.told:
            about |= {"train_scores": train.T, "n_test": self.n_test, **self.facts}
        curve = LearningCurve(wanted, scores.T, metric=self.metric, **about)
        if design.ragged:
            curve = _with_gaps(curve, rng)
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
    facts: Mapping[str, Any]

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
        about = dict(self.facts) if design.told else {}
        if design.means_only:
            about["averaged_over"] = design.averaged_over
        curve = LearningCurve(wanted, scores[0] if design.means_only else scores.T, metric="accuracy", **about)
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


@dataclass(frozen=True)
class Published:
    """A curve as somebody published it: one score a size, of which the first ones are the pilot."""

    task: str
    learner: str
    sizes: np.ndarray
    scores: np.ndarray
    n_pilot: int

    def case(self, design: Design, rng: np.random.Generator, most: int) -> Case | None:
        """As `Runs.case`, except that the pilot ends where it did."""
        first = self.n_pilot - design.n_sizes
        if first < 0:
            first = 0
        pilot, later = slice(first, self.n_pilot), np.arange(self.n_pilot, len(self.sizes))
        later = _some_targets(later, self.sizes[later] / self.sizes[self.n_pilot - 1], most, rng)
        curve = LearningCurve(self.sizes[pilot], self.scores[pilot], metric="average precision")
        truth = LearningCurve(self.sizes[first:], self.scores[first:])
        truths = {"new_splits": self.scores[later], "expected": self.scores[later], "same_splits": self.scores[later]}
        return Case(self.task, self.learner, curve, self.sizes[later], truths, truth=truth)


def _with_gaps(curve: LearningCurve, rng: np.random.Generator) -> LearningCurve:
    """The curve without some of its scores; every size and every split keeps one."""
    splits, sizes = np.unique(curve.split), np.unique(curve.sizes)
    kept = rng.random(len(curve)) < 0.7
    for where, values in ((curve.split, splits), (curve.sizes, sizes)):
        for value in values:
            if not kept[where == value].any():
                kept[rng.choice(np.flatnonzero(where == value))] = True
    return curve._rows(kept)


Curve = Runs | Means | Published


def read_curves() -> dict[str, list[Curve]]:
    """All development curves by the pools that designs draw from."""
    means = lcdb.read_means(lcdb.default_path("lcdb11_dev.csv.gz")).sort_values("size").groupby(["task", "learner"])
    problems = lcdb.read_problems()
    of_means: list[Curve] = []
    for (task, learner), rows in means:
        columns, own = rows[["size", "accuracy", "standard_error"]].to_numpy(float).T, lcdb.openml_id(task)
        of_means.append(Means(own, str(learner), *columns, _facts(str(learner), problems[own])))
    return {
        "AUROC": _read_runs("auroc", "AUROC", problems),
        "accuracy": _read_runs("accuracy", "accuracy", problems),
        "mean accuracy": of_means,
        "average precision": _read_published(),
    }


def _facts(learner: str, problem: Mapping[str, int]) -> dict[str, Any]:
    return {**problem, "learner": KIND_OF.get(learner)}


def _read_runs(file: str, metric: str, problems: Mapping[str, Mapping[str, int]]) -> list[Curve]:
    found: list[Curve] = []
    table = lcdb.read_with_training(lcdb.default_path(f"lcdb_dev_{file}_with_train.csv.gz"))
    for (task, learner), rows in table.groupby(["task", "learner"]):
        grid = rows.pivot_table(index="seed", columns="size", values=["test", "train"])
        sizes, scores = grid["test"].columns.to_numpy(float), grid["test"].to_numpy()
        own, facts = lcdb.openml_id(task), _facts(str(learner), problems[lcdb.openml_id(task)])
        n_test = float(rows.n_test.median())
        found.append(Runs(own, str(learner), metric, sizes, scores, grid["train"].to_numpy(), n_test, facts))
    return found


def _read_published() -> list[Curve]:
    """Average precisions of few-shot learners: patients of EHRSHOT, molecules of FS-Mol."""
    path = lcdb.data_folder() / "external" / "average_precision_dev.csv.gz"
    found: list[Curve] = []
    for (collection, name), rows in pd.read_csv(lcdb.present(path)).groupby(["collection", "curve"]):
        first, second = str(name).split("/")
        task, learner = (second, first) if collection == "fsmol" else (first, second)
        rows = rows.sort_values("size")
        n_pilot = int((rows.part == "pilot").sum())
        found.append(Published(task, learner, rows["size"].to_numpy(float), rows.score.to_numpy(float), n_pilot))
    return found


def draw(curves: dict[str, list[Curve]], design: Design, most: int, seed: int) -> list[Case]:
    """Pilots of a design on at most so many curves, in random order: the same for all designs that they allow."""
    pool, cases = curves[design.pool], []
    for i in np.random.default_rng(seed).permutation(len(pool)):
        case = pool[i].case(design, np.random.default_rng([seed, i]), most=3)
        if case is not None:
            cases.append(case)
        if len(cases) == most:
            break
    return cases


GROUPS = {"AUROC": 0.38, "accuracy": 0.24, "simulated splits": 0.1, "means": 0.23, "average precision": 0.05}
"""Kinds of pilots to learn from, and the share of each."""
_ENDS = (45, 91, 181, 362, 724, 1448, 2896)
_SMALL_ENDS = (23, 32, 45, 64, 91, 181)
_MANY_CLASSES, _SHARE_OF_MANY_CLASSES = 5, 0.3


def learning_set(curves: dict[str, list[Curve]], count: int, seed: int) -> Iterator[tuple[str, Case]]:
    """Pilots of random designs on random curves, by group; everything is known of them that the databases know."""
    rng = np.random.default_rng(seed)
    of_many_classes = [curve for curve in curves["mean accuracy"] if curve.facts["n_classes"] >= _MANY_CLASSES]
    for group, share in GROUPS.items():
        left = round(share * count)
        while left:
            design = _any_means(group, rng) if group in ("simulated splits", "means") else _any_runs(group, rng)
            pool = curves[design.pool]
            if design.end in _SMALL_ENDS and pool is curves["mean accuracy"]:
                pool = of_many_classes if rng.random() < 0.6 else pool
            case = pool[rng.integers(len(pool))].case(design, rng, most=2)
            if case is not None:
                left -= 1
                yield group, case


def _any_runs(pool: str, rng: np.random.Generator) -> Design:
    """Single runs with and without a label, several splits, some with gaps, and some only as means."""
    n_splits = 1 if pool == "average precision" else int(rng.choice([1, 1, 3, 3, 5, 10]))
    n_sizes = int(rng.choice([1, 1, 2, 2, 3, 4, 5, 6, 6, 8, 10]))
    means_only = n_splits > 1 and rng.random() < 0.15
    return Design(
        int(rng.choice(_ENDS)),
        n_sizes,
        n_splits,
        pool,
        means_only=means_only,
        averaged_over=(n_splits if rng.random() < 0.5 else "several") if means_only else None,
        labelled=n_splits > 1 or rng.random() < 0.5,
        told=True,
        ragged=not means_only and min(n_splits, n_sizes) >= 3 and rng.random() < 0.2,
    )


def _any_means(group: str, rng: np.random.Generator) -> Design:
    means_only = group == "means"
    ends = _SMALL_ENDS if rng.random() < _SHARE_OF_MANY_CLASSES else (*_ENDS, 8192)
    few = [1, 2, 3, 5, 6, 8, 10]
    return Design(
        int(rng.choice(ends)),
        int(rng.choice([*few, 16, 24, 30] if means_only else few)),
        int(rng.choice([1, 3, 5, 10])),
        "mean accuracy",
        means_only=means_only,
        averaged_over=(AVERAGED if rng.random() < 0.33 else "several") if means_only else None,
        told=True,
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
