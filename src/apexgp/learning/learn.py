"""Learning priors from whole curves, and the cache of what was computed of each."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from .._check import (
    DAMAGED,
    FloatArray,
    check_bool,
    check_instance,
    check_list,
    check_mapping,
    check_path,
    check_whole_number,
)
from ..curve import LearningCurve, build_curve_columns
from ..errors import AccuracyWarning, DataError, RequestError
from ..files.writing import to_json_value, write_atomically
from ..model.beliefs import CALIBRATED, Beliefs, drop_other_kinds
from ..model.learnt import FIGURE_LABELS, Learnt
from ..running.processes import run_in_order
from ..running.terminal import progress_bar
from .lessons import Lesson, check_alike, make_lessons
from .moves import PRIOR_CURVES, apply_moves, compute_shrinkage, describe_moves, list_move_names
from .nodes import PilotNodeArrays, PilotNodes, integrate_lesson, list_coordinates, stack_nodes
from .objective import LearntMoves, learn_moves, score_pilots

__all__ = ["learn_beliefs", "learn_from_related"]

_MOST_CURVES = 3000  # more would not change the numbers
_MOST_PILOTS = 1500  # or one per curve, if that is more: nodes are held in memory


def learn_beliefs(
    curves: Iterable[LearningCurve] | Mapping[Any, LearningCurve],
    start: Beliefs | None = None,
    *,
    folder: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Beliefs:
    """Learn priors from whole curves: those that forecast the later part of each from its earlier part.

    Parameters
    ----------
    curves
        Whole curves, or a mapping to them such as `read(path).curves`: all of one metric and unit, and each with
        scores beyond its third size. Their tasks are groups that are left out together; a curve without a task is a
        task of its own. Of more than 3,000, as many are drawn at random.
    start
        Priors that the learnt ones are pulled towards, by so many curves' worth as `learnt.pull` says. By default
        `apexgp.priors.CALIBRATED`.
    folder
        Where to keep what was computed of each curve, so that a run which was interrupted, or has more curves, goes on
        from there; created if needed. By default nowhere.
    n_jobs
        Processes, as joblib counts them; `joblib.parallel_config(backend="dask")` spreads the work over a cluster.
    seed
        Seed of the integration and of the order in which tasks are left out. The same seed gives the same numbers.
    progress
        Show a progress bar, where there is a terminal and the work takes more than a moment.

    Returns
    -------
    Beliefs
        For `APExGP(priors=...)`; `learnt` is the record: what moved, and how well tasks that were left out are
        forecast. Without any curves, the priors to start from.

    Examples
    --------
    >>> from apexgp import LearningCurve
    >>> old = LearningCurve([50, 100, 200, 400, 800], [0.70, 0.75, 0.79, 0.82, 0.84])
    >>> learn_beliefs([old]).learnt.curves
    1
    """
    begin = CALIBRATED if start is None else start
    return _learn("curves", curves, begin, None if folder is None else check_path(folder), n_jobs, seed, progress)


def learn_from_related(
    related: Any, curve: LearningCurve | None, start: Beliefs, seed: int, kind: str | None = None
) -> Beliefs:
    """Learn priors from curves related to `curve`, or (None) to any; all must have the same metric and unit.

    Those that do not say of which kind of learner they are count as of this kind.
    """
    listed_curves = _to_list("related", related)
    if kind is not None:
        listed_curves = _with_kind(listed_curves, kind)
    listed = listed_curves.values() if isinstance(listed_curves, Mapping) else listed_curves
    check_alike([one for one in (curve, *listed) if isinstance(one, LearningCurve)], "related")
    return _learn("related", listed_curves, start, None, None, seed, True)


def _learn(
    argument: str, curves: Any, start: Beliefs, folder: Path | None, n_jobs: int | None, seed: int, progress: bool
) -> Beliefs:
    check_instance("start", start, Beliefs, "the Beliefs to start from, such as apexgp.priors.CALIBRATED")
    if start.shares is None or not start.uses_replicates:
        raise RequestError(
            "must model individual scores and shares, as apexgp.priors.CALIBRATED does.", argument="start"
        )
    check_whole_number("seed", seed, least=0)
    listed_curves = _to_list(argument, curves)
    if not listed_curves:
        return start
    lessons = make_lessons(listed_curves, argument)
    if len(lessons) > _MOST_CURVES:
        chosen = np.random.default_rng(seed).permutation(len(lessons))[:_MOST_CURVES]
        lessons = [lessons[i] for i in np.sort(chosen)]
    integrated = _integrate_lessons(lessons, start, seed, folder, n_jobs, progress)
    lessons = [lesson for lesson, nodes_of_curve in zip(lessons, integrated, strict=True) if nodes_of_curve]
    if not lessons:
        raise DataError(
            "could not be used: the computation broke down on each. Look for odd scores.", argument=argument
        )
    nodes = stack_nodes([nodes_of_curve for nodes_of_curve in integrated if nodes_of_curve])
    integrated.clear()
    return _learn_from_nodes(lessons, nodes, start, seed)


def _to_list(name: str, curves: Any) -> Mapping[Any, LearningCurve] | Sequence[LearningCurve]:
    if isinstance(curves, Mapping):
        return check_mapping(name, curves)
    wanted = "several LearningCurves, or a mapping to them"
    return list(check_list(name, [curves] if isinstance(curves, LearningCurve) else curves, wanted))


def _with_kind(
    curves: Mapping[Any, LearningCurve] | Sequence[LearningCurve], kind: str
) -> Mapping[Any, LearningCurve] | Sequence[LearningCurve]:
    def name_kind(curve: LearningCurve) -> LearningCurve:
        is_unnamed = isinstance(curve, LearningCurve) and curve.learner is None
        return replace(curve, learner=kind) if is_unnamed else curve

    if isinstance(curves, Mapping):
        return {key: name_kind(curve) for key, curve in curves.items()}
    return [name_kind(curve) for curve in curves]


def _learn_from_nodes(lessons: Sequence[Lesson], nodes: PilotNodeArrays, start: Beliefs, seed: int) -> Beliefs:
    names = list_move_names(list_coordinates(start))
    known = sorted({lesson.task for lesson in lessons})
    task = np.array([known.index(lesson.task) for lesson in lessons])[nodes.curve]
    moves = learn_moves(nodes, task, compute_shrinkage(names), seed)
    # How curves of other kinds of learner differ from these is not known.
    beliefs = drop_other_kinds(apply_moves(start, names, moves.vector), {lesson.curve.learner for lesson in lessons})
    first = lessons[0].curve
    record = Learnt(
        curves=len(lessons),
        tasks=len(known),
        pilots=len(nodes),
        metric=first.metric_name,
        unit=first.unit_name,
        pull=PRIOR_CURVES,
        related=moves.related,
        seed=seed,
        moved=describe_moves(start, beliefs),
        left_out=_score_left_out(nodes, task, moves),
    )
    return replace(beliefs, learnt=record)


def _score_left_out(
    nodes: PilotNodeArrays, task: FloatArray, moves: LearntMoves
) -> dict[str, tuple[float, float, float]]:
    """Score tasks that were left out: means over curves before and after, and the standard error of the difference."""
    if moves.fold is None:
        return {}
    before = score_pilots(nodes, np.zeros_like(moves.vector))
    after = {name: np.empty(len(nodes)) for name in before}
    for fold, vector in enumerate(moves.without):
        out = np.flatnonzero(moves.fold == fold)
        for name, values in score_pilots(nodes.take(out), vector).items():
            after[name][out] = values
    pilots = np.bincount(nodes.curve)[nodes.curve]
    weight = 1 / pilots / len(np.unique(nodes.curve))
    found = {}
    for name in FIGURE_LABELS:
        difference = after[name] - before[name]
        mean = float(weight @ difference)
        by_task = np.bincount(task, weights=weight * (difference - mean))
        found[name] = float(weight @ before[name]), float(weight @ after[name]), float(np.sqrt((by_task**2).sum()))
    return found


def _integrate_lessons(
    lessons: Sequence[Lesson], start: Beliefs, seed: int, folder: Path | None, n_jobs: int | None, progress: bool
) -> list[list[PilotNodes]]:
    """Integrate every curve, in order; nodes that the folder holds are loaded."""
    from joblib import delayed

    if folder is not None:
        try:
            folder.mkdir(exist_ok=True)
        except FileExistsError:
            raise RequestError(f"{folder} is not a folder. Name one, or one to create.", argument="folder") from None
        except OSError as problem:
            raise RequestError(f"{folder} cannot be created: {problem.strerror}.", argument="folder") from None
    work = (delayed(_load_or_integrate)(lesson, start, seed, folder) for lesson in lessons)
    found: list[list[PilotNodes]] = []
    most = max(_MOST_PILOTS // len(lessons), 1)
    with progress_bar("curves", len(lessons), shown=check_bool("progress", progress)) as advance:
        for nodes_of_curve in run_in_order(work, n_jobs):
            # With many curves only some pilots of each are kept, early and late ones in turn.
            first = len(found) % max(len(nodes_of_curve), 1)
            found.append((nodes_of_curve[first:] + nodes_of_curve[:first])[:most])
            advance()
    return found


def _load_or_integrate(lesson: Lesson, start: Beliefs, seed: int, folder: Path | None) -> list[PilotNodes]:
    columns = {name: cells for name, cells in build_curve_columns([lesson.curve]).items() if name != "task"}
    identity = json.dumps(to_json_value([columns, _to_numbers(start), seed]), sort_keys=True, default=str)
    key = hashlib.sha256(identity.encode()).hexdigest()
    path = None if folder is None else folder / f"{key[:24]}.npz"
    if path is not None and path.exists():
        try:
            return list(_load_nodes(path))
        except DAMAGED:
            pass  # computed again
    # A seed of its own for each curve: an integration error that all share would be learnt, too.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)  # errors of single curves cancel out
        found = integrate_lesson(lesson, start, (seed + int(key[:8], 16)) % 2**31)
    if path is not None:
        arrays = {
            f"{i} {name}": value
            for i, nodes_of_curve in enumerate(found)
            for name, value in asdict(nodes_of_curve).items()
        }
        with write_atomically(path, overwrite=True) as draft, open(draft, "wb") as file:
            np.savez(file, count=len(found), **arrays)
    return found


def _to_numbers(start: Beliefs) -> dict[str, Any]:
    return replace(start, learnt=None).to_dict()


def _load_nodes(path: Path) -> Iterator[PilotNodes]:
    with np.load(path) as arrays:
        for i in range(int(arrays["count"])):
            nodes_of_curve = {name.partition(" ")[2]: arrays[name] for name in arrays.files if name.startswith(f"{i} ")}
            yield PilotNodes(**nodes_of_curve | {name: float(nodes_of_curve[name]) for name in ("log_a", "log_b")})
