"""Whole development curves to learn from, and pilots to judge by, with their nodes; kept in a folder.

A whole curve of LCDB 1.0 is five of its runs at all sizes; one of LCDB 1.1 is its mean accuracies over 25 splits, with
their standard deviations. The pilots are those of `DESIGNS`, drawn anew (`pilots.py`); new splits are forecast.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import pilots
from apexgp import LearningCurve
from apexgp.learning.lessons import Lesson, PilotCut, cut_pilots
from apexgp.learning.nodes import PilotNodes, integrate_lesson
from apexgp.priors import Beliefs
from pilots import Curve, Design, Means

RUNS = 5
DESIGNS = {
    "AUROC": Design(362),
    "accuracy": Design(362, pool="accuracy"),
    "mean accuracy": Design(362, pool="mean accuracy", means_only=True),
}


@dataclass(frozen=True)
class Known:
    """One curve: what it teaches, and the pilot that it is judged by, if it is long enough for either."""

    pool: str
    task: str
    learner: str
    lesson: list[PilotNodes]
    judged: list[PilotNodes]


def whole_curve(curve: Curve, rng: np.random.Generator) -> LearningCurve | None:
    if isinstance(curve, Means):
        few = curve.accuracy.max() >= pilots.lcdb.NOTHING_LEFT
        about = {"averaged_over": pilots.AVERAGED, "score_sd": np.minimum(5 * curve.standard_error, 0.5)}
        return None if few else LearningCurve(curve.sizes, curve.accuracy, metric="accuracy", task=curve.task, **about)
    often = (~np.isnan(curve.scores)).sum(axis=0) >= 0.8 * len(curve.scores)
    scores = curve.scores[:, often]
    complete = np.flatnonzero(~np.isnan(scores).any(axis=1))
    if len(complete) < RUNS or often.sum() < 4:
        return None
    own = scores[rng.permutation(complete)[:RUNS]]
    return LearningCurve(curve.sizes[often], own.T, metric=curve.metric, task=curve.task)


def _known(pool: str, curve: Curve, start: Beliefs, seed: int) -> Known:
    rng = np.random.default_rng([seed, 5])
    whole, case = whole_curve(curve, rng), curve.case(DESIGNS[pool], rng, most=3)
    lesson = [] if whole is None else integrate_lesson(Lesson(curve.task, whole, cut_pilots(whole)), start, seed)
    judged = []
    if case is not None:
        cut = PilotCut(case.curve, case.sizes, case.truths["new_splits"], "new_splits", None)
        judged = integrate_lesson(Lesson(curve.task, case.curve, (cut,)), start, seed)
    return Known(pool, curve.task, curve.learner, lesson, judged)


def known_curves(pool: str, start: Beliefs, folder: Path, n_jobs: int, most: int | None = None) -> list[Known]:
    """All curves of a pool under the priors; integrated once and kept."""
    numbers = {name: value for name, value in start.to_dict().items() if name != "learnt"}
    told = hashlib.sha256(json.dumps([pool, numbers, most]).encode()).hexdigest()[:12]
    path = folder / f"{pool.replace(' ', '_')}_{told}.pickle"
    if not path.exists():
        curves = pilots.read_curves()[pool]
        order = np.random.default_rng(3).permutation(len(curves))[:most]
        work = (delayed(_known)(pool, curves[i], start, int(i)) for i in order)
        found = Parallel(n_jobs=n_jobs)(work)
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(found))
    return pickle.loads(path.read_bytes())
