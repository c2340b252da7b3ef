"""What a kind of learner tells beforehand: `python benchmarks/kinds.py [--cache FOLDER] [--kinds ...] [--numbers]`.

Pilots of six sizes that end at 91, 362 and 2,896 examples are drawn from the development curves of LCDB 1.0 (with and
without training scores) and 1.1. For each kind the moves of the shipped priors are learnt as `apexgp.learn_beliefs`
learns them, without the tasks of a fold, whose pilots are then forecast with them. With --numbers, the moves that all
tasks speak for are printed instead: those of `apexgp/model/beliefs.py`.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import pilots
from apexgp.learning.lessons import Lesson, PilotCut
from apexgp.learning.moves import compute_shrinkage, list_move_names
from apexgp.learning.nodes import PilotNodes, integrate_lesson, list_coordinates, stack_nodes
from apexgp.learning.objective import learn_moves, score_pilots
from apexgp.model.learnt import FIGURE_LABELS
from apexgp.priors import CALIBRATED
from calibrate import FOLDS, deal
from pilots import Curve, Design
from scoring import EDGES

KINDS = {
    "linear": (
        "LogisticRegression",
        "PassiveAggressive",
        "Perceptron",
        "RidgeClassifier",
        "SGDClassifier",
        "SVM_Linear",
    ),
    "naive_bayes": ("BernoulliNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
    "discriminant": ("LinearDiscriminantAnalysis", "LDA", "QuadraticDiscriminantAnalysis", "QDA", "NearestCentroid"),
    "neighbours": ("KNeighborsClassifier", "KNN"),
    "kernel": ("SVM_Poly", "SVM_RBF", "SVM_Sigmoid"),
    "trees": (
        *("ExtraTreesClassifier", "RandomForestClassifier", "ens.ExtraTrees", "ens.RandomForest"),
        *("Decision Tree", "ExtraTree"),
    ),
    "boosting": ("GradientBoostingClassifier", "ens.GradientBoosting", "CatBoost"),
    "neural_network": ("MLPClassifier", "MLP", "RealMLP"),
}
"""Learners of LCDB 1.0 and 1.1. TabNet is like no other, and TabPFN was pretrained: they are of no kind here."""
ENDS = (91, 362, 2896)
SPLITS = (1, 3, 3, 10)
MOST = {"mean accuracy": 1600}
"""Curves of a pool; LCDB 1.1 has thousands."""
HORIZONS = {"up to 2x": (0,), "2 to 10x": (1,), "beyond 10x": (2,), "beyond 2x": (1, 2)}
POOLS = ("AUROC", "accuracy", "mean accuracy")
SHARES = (1.0, 0.5)
"""Of the moves, beside training scores."""
NAMES = list_move_names(list_coordinates(CALIBRATED))


@dataclass(frozen=True)
class Known:
    """The pilots of one curve, with or without training scores."""

    pool: str
    task: str
    learner: str
    informed: bool
    pilots: list[PilotNodes]


def _known(pool: str, curve: Curve, seed: int, informed: bool) -> Known:
    rng = np.random.default_rng([seed, 11])
    cuts = []
    for end in ENDS:
        n_splits = int(rng.choice(SPLITS))
        means_only = pool == "mean accuracy" and rng.random() < 0.5
        design = Design(end, n_splits=n_splits, pool=pool, means_only=means_only, informed=informed)
        case = curve.case(design, rng, most=2)
        if case is not None:
            cuts.append(PilotCut(case.curve, case.sizes, case.truths["new_splits"], "new_splits", None))
    found = integrate_lesson(Lesson(curve.task, cuts[0].pilot, tuple(cuts)), CALIBRATED, seed) if cuts else []
    return Known(pool, curve.task, curve.learner, informed, found)


def known_curves(folder: Path, n_jobs: int) -> list[Known]:
    """All curves with their pilots integrated, which is kept."""
    path = folder / "kinds.pickle"
    if not path.exists():
        work = [
            delayed(_known)(pool, curves[i], int(i), informed)
            for pool, curves in pilots.read_curves().items()
            for i in np.random.default_rng(3).permutation(len(curves))[: MOST.get(pool)]
            for informed in ((False, True) if pool not in MOST else (False,))
        ]
        found = [one for one in Parallel(n_jobs=n_jobs)(work) if one.pilots]
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(found))
    return pickle.loads(path.read_bytes())


class Kind:
    """The pilots of one kind of learner."""

    def __init__(self, known: list[Known], folds: dict[str, int]) -> None:
        self.nodes = stack_nodes([one.pilots for one in known])
        own = [known[i] for i in self.nodes.curve]
        self.pool, self.informed = np.array([one.pool for one in own]), np.array([one.informed for one in own])
        self.task = np.unique([one.task for one in own], return_inverse=True)[1]
        self.fold = np.array([folds[one.task] for one in own])
        self.horizon = np.digitize(self.nodes.times, EDGES, right=True)

    def moves(self, which: np.ndarray) -> np.ndarray:
        """Moves learnt from these pilots, of those without training scores."""
        rows = np.flatnonzero(which & ~self.informed)
        return learn_moves(self.nodes.take(rows), self.task[rows], compute_shrinkage(NAMES), 0).vector

    def left_out(self, share: float, horizons: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Figures of every pilot with so much of the moves that were learnt without its fold."""
        counts = np.isin(self.horizon, horizons)
        found = {name: np.full(len(self.nodes), np.nan) for name in FIGURE_LABELS}
        for fold in range(FOLDS):
            rows = np.flatnonzero(self.fold == fold)
            if len(rows):
                for name, values in score_pilots(
                    self.nodes.take(rows), share * self._without[fold], counts[rows]
                ).items():
                    found[name][rows] = values
        return found

    def learn(self) -> None:
        self._without = [self.moves(self.fold != fold) for fold in range(FOLDS)]

    def row(self, which: np.ndarray, share: float, horizon: str) -> list[str]:
        """Cells of a table: the change of the CRPS with its error, clustered by task, and pairs of other figures."""
        before, after = self.left_out(0.0, HORIZONS[horizon]), self.left_out(share, HORIZONS[horizon])
        rows = np.flatnonzero(which & ~np.isnan(before["crps"]))
        gap, mean = (after["crps"] - before["crps"])[rows], before["crps"][rows].mean()
        by_task = np.bincount(self.task[rows], weights=gap - gap.mean())
        error = np.sqrt((by_task**2).sum()) / len(rows)
        cells = [f"{100 * gap.mean() / mean:+.1f} ± {100 * error / mean:.1f} %"]
        for name, form, times in (
            ("log_score", ".2f", 1),
            ("covers_80", ".1f", 100),
            ("covers_95", ".1f", 100),
            ("width_95", ".3f", 1),
        ):
            cells.append(f"{times * before[name][rows].mean():{form}} {times * after[name][rows].mean():{form}}")
        return [*cells, str(len(rows))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir(), "apexgp_kinds"))
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--numbers", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    settings = parser.parse_args()
    known = known_curves(settings.cache, settings.jobs)
    folds = deal({one.task for one in known})
    if not settings.numbers:
        figures = ("CRPS, change", "log score", "80 % covers", "95 % covers", "95 % width", "pilots")
        print(f"| kind | horizon | {' | '.join(figures)} |\n|{'---|' * (len(figures) + 2)}", flush=True)
    for name in settings.kinds:
        kind = Kind([one for one in known if one.learner in KINDS[name]], folds)
        if settings.numbers:
            moves = kind.moves(np.ones(len(kind.nodes), bool))
            print(
                name,
                {" ".join(what): round(float(x), 2) for what, x in zip(NAMES, moves, strict=True) if x},
                flush=True,
            )
            continue
        kind.learn()
        lines = [(horizon, horizon, ~kind.informed, 1.0) for horizon in ("up to 2x", "2 to 10x", "beyond 10x")]
        lines += [(f"beyond 2x, {pool}", "beyond 2x", ~kind.informed & (kind.pool == pool), 1.0) for pool in POOLS]
        lines += [
            (f"{horizon}, with training scores, {share:g} of the moves", horizon, kind.informed, share)
            for horizon in ("2 to 10x", "beyond 10x")
            for share in SHARES
        ]
        for title, horizon, which, share in lines:
            if which.any():
                print(f"| {name} | {title} | {' | '.join(kind.row(which, share, horizon))} |", flush=True)


if __name__ == "__main__":
    main()
