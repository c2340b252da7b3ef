"""Recommending the next measurements: designs ranked by how much they should tell (preposterior analysis)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from .._check import (
    FloatArray,
    check_positive,
    check_probability,
    check_real_number,
    check_seed,
    check_sizes,
    check_whole_number,
)
from .._numbers import format_size
from ..cautions import FARTHEST_FACTOR
from ..curve import LearningCurve
from ..errors import RequestError
from ..estimators import APExGP
from ..estimators.contract import clone, is_fitted
from ..inference.bayes import FullBayes
from ..required import CONFIDENCE, attainable_target
from .designs import (
    Cost,
    DesignSpace,
    choose_candidate_sizes,
    choose_first_sizes,
    find_cheapest,
    list_candidates,
    make_price,
)
from .judge import Judge, risk_then_cost
from .knowledge import Knowledge, knowledge_from_posterior, knowledge_from_priors
from .ranking import PilotDesign, RankedDesign, find_at_hand, find_frugal
from .simulated_scores import fit_designs, simulate_scores

__all__ = ["CONFIRM", "MOST_ASKED", "design_pilot"]

_DRAWS, _FIRST_DRAWS = 16, 32  # data sets on which designs are tried; more before a pilot, when any curve may come
_MOST_TURNS = 8  # rounds of trying: designs without more data are often equally good
_GRID = 33  # sizes beyond the pilot at which intervals are drawn and targets looked for
_TIMES = 10.0  # times the pilot's largest size: where the score matters by default
_FURTHER = 2.0  # times the pilot's largest size: examples available by default
_A_PILOT = 0.1  # of the smallest size that matters: examples available by default before a pilot
_MOST_MEASURED = 200  # sizes of a pilot: moments are stored for every pair

MOST_ASKED = 20
"""Most sizes at which the score may matter."""
CONFIRM = 3
"""Default number of the best designs to try on simulated scores."""


def design_pilot(
    model: APExGP | None,
    budget: float,
    *,
    at: ArrayLike | None = None,
    target: float | None = None,
    confidence: float = CONFIDENCE,
    cost: Cost = None,
    available: float | None = None,
    sizes: ArrayLike | None = None,
    n_splits: int | None = None,
    confirm: int = CONFIRM,
    seed: int = 0,
) -> PilotDesign:
    """Recommend what to measure next: the sizes and the number of splits expected to make a forecast most certain.

    Parameters
    ----------
    model
        A fitted `APExGP`: what may be added to its pilot. None, or one that is not fitted, before there is a pilot: the
        priors then determine which curves are plausible.
    budget
        Budget: a number of fits or, with `cost`, their total cost.
    at
        Training-set sizes at which the score matters; by default 10 times the pilot's largest.
    target
        Score to reach (where lower is better, the error rate to come down to). Without `at`, designs are ranked by what
        they reveal about the size that reaches it.
    confidence
        Probability with which the target should be reached, and with which yes or no counts as decided.
    cost
        What a fit costs: a function of its size; a pair, per fit and per example in it; or the result of
        `collect_curves` (or of `CurveSet.from_results`), for a budget in hours based on the recorded times of its fits.
    available
        Most examples available for training; by default twice the pilot's largest size or, before there is a pilot, a
        tenth of the smallest size in `at`.
    sizes
        Training-set sizes that may be measured; by default some of the pilot's, and further ones up to `available`.
    n_splits
        Number of new splits; by default several numbers are tried.
    confirm
        How many of the best designs are tried on simulated data, by fitting the model again; the others are judged in
        closed form.
    seed
        Seed of the simulations.

    Returns
    -------
    PilotDesign
        Designs within the budget, the best first.

    Examples
    --------
    >>> from apexgp import APExGP, design_pilot
    >>> model = APExGP().fit([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81], ["a"] * 5)
    >>> design_pilot(model, budget=2, at=3600, available=720, confirm=0)
    What to measure next, with 2 fits
      measure                         models  expected error  95 % width at 3,600
      nothing more                         0          0.0143                0.103
      1 new split at 230, 720              2          0.0091                0.066
      2 new splits at 720                  2          0.0093                0.067
      the pilot's splits at 510, 720       2          0.0096                0.069
      the pilot's splits at 720            1          0.0096                0.069
      1 new split at 720                   1          0.0099                0.071
      the pilot's splits at 510            1          0.0117                0.084
      2 new splits at 360                  2          0.0134                0.097
      1 new split at 147, 360              2          0.0135                0.097
    """
    seed, confirm = check_seed(seed), check_whole_number("confirm", confirm, least=0, most=100)
    confidence = check_probability("confidence", confidence)
    settings, pilot = _settings_and_pilot(model)
    engine = _make_engine(settings, pilot)
    asked = _check_asked_sizes(at, pilot)
    most = _check_available(available, pilot, asked)
    goal = None if target is None else _check_goal(target, settings, pilot)
    measurable = _choose_sizes(sizes, pilot, most)
    counts = () if n_splits is None else (check_whole_number("n_splits", n_splits, least=1, most=1000),)
    measured = np.empty(0) if pilot is None else np.unique(pilot.sizes)
    if len(measured) > _MOST_MEASURED:
        raise RequestError(
            f"must have a pilot of at most {_MOST_MEASURED} different sizes, got {len(measured):,}.", argument="model"
        )
    space = DesignSpace(
        sizes=measurable,
        pilot=measured,
        pilot_splits=0 if pilot is None or pilot.split is None else len(set(pilot.split.tolist())),
        price=make_price(cost, measurable),
        budget=check_positive("budget", budget),
        split_counts=counts,
    )
    _refuse_too_little(space)
    last = float(measurable[-1] if pilot is None else measured[-1])
    grid = np.geomspace(last, max(FARTHEST_FACTOR * last, float(asked.max())), _GRID)
    grid[0] = last
    every = np.unique(np.concatenate([measurable, measured, asked, grid]))
    known = _describe_knowledge(model, pilot, engine, every, measurable, seed)
    if known.pilot_splits is None:
        space = replace(space, pilot_splits=0)
    judge = Judge(model, pilot, known, asked, grid, goal, confidence, by_size=at is None and goal is not None)
    found = judge.rank(list_candidates(space, judge.risk), space)
    if confirm:
        found = _confirm(found, judge, space, confirm, known, pilot, settings, engine, seed)
    return judge.answer(found, space, most)


def _confirm(
    found: list[RankedDesign],
    judge: Judge,
    space: DesignSpace,
    count: int,
    known: Knowledge,
    pilot: LearningCurve | None,
    settings: APExGP,
    engine: FullBayes,
    seed: int,
) -> list[RankedDesign]:
    """Try the best designs, the cheapest good one and the best without more data on simulated scores, and rank again.

    The figures of the others are adjusted by what trying changed. A design that then comes out best, of all or of
    those without more data, is tried, too, on the same data sets.
    """
    most_splits = max(one.n_splits for one in found)
    draws = _FIRST_DRAWS if pilot is None else _DRAWS
    data = simulate_scores(known, pilot, draws, most_splits, engine.ceiling, seed, found[0].design)
    spare = [find_frugal(found), find_at_hand(found, space.pilot.tolist())]
    waiting = list(dict.fromkeys([*found[:count], *(one for one in spare if one is not None)]))
    predicted, tried, ranked = [], [], found
    for _ in range(_MOST_TURNS):
        shares, after = fit_designs([one.design for one in waiting], data, pilot, settings, engine)
        if not after:
            break  # no simulated data set can be fitted: keep the ranking so far
        predicted += waiting
        tried += [judge.judge_fits(one, models, shares) for one, models in zip(waiting, after, strict=True)]
        others = judge.adjust([one for one in found if one not in predicted], predicted, tried)
        ranked = sorted([*tried, *others], key=risk_then_cost)
        named = (ranked[0], find_at_hand(ranked, space.pilot.tolist()))
        untried = [one.design for one in named if one is not None and not one.confirmed]
        if not untried:
            break
        waiting = [one for one in found if one.design in untried]
    return ranked


def _settings_and_pilot(model: APExGP | None) -> tuple[APExGP, LearningCurve | None]:
    if model is None:
        return APExGP(), None
    if not isinstance(model, APExGP):
        raise RequestError(
            f"must be an APExGP, or None before there is a pilot, got {type(model).__name__}.", argument="model"
        )
    if not is_fitted(model):
        return clone(model), None
    return clone(model).set_params(**model._settings), model.curve_


def _make_engine(settings: APExGP, pilot: LearningCurve | None) -> FullBayes:
    engine = (
        settings._build_checked_engine()
        if pilot is None
        else settings._build_checked_engine(pilot.direction, pilot.scale)
    )
    if not isinstance(engine, FullBayes) or not engine.beliefs.uses_replicates:
        raise RequestError(
            "must model individual scores and their uncertainty: APExGP() with inference='bayes' and the calibrated "
            "priors, or your own.",
            argument="model",
        )
    return engine


def _check_asked_sizes(at: ArrayLike | None, pilot: LearningCurve | None) -> FloatArray:
    if at is None:
        if pilot is None:
            raise RequestError("must give the training-set sizes at which the score matters.", argument="at")
        return np.array([_TIMES * pilot.largest])
    asked = np.unique(check_sizes("at", at))
    if len(asked) > MOST_ASKED:
        raise RequestError(f"must be at most {MOST_ASKED} sizes, got {len(asked):,}.", argument="at")
    return asked


def _check_available(available: float | None, pilot: LearningCurve | None, asked: FloatArray) -> float:
    if available is None:
        most = _FURTHER * pilot.largest if pilot is not None else max(_A_PILOT * float(asked[0]), 16.0)
        return float(np.floor(most * (1 + 1e-9)))
    most = check_real_number("available", available)
    least = 8.0 if pilot is None else pilot.largest
    if most < least:
        what = "for a first pilot" if pilot is None else "the largest size in the pilot"
        raise RequestError(f"must be at least {format_size(least)}, {what}, got {most:g}.", argument="available")
    return max(float(np.floor(most)), least)  # nobody trains on part of an example


def _choose_sizes(sizes: ArrayLike | None, pilot: LearningCurve | None, available: float) -> FloatArray:
    if sizes is None:
        return (
            choose_first_sizes(available)
            if pilot is None
            else choose_candidate_sizes(np.unique(pilot.sizes), available)
        )
    given = np.unique(check_sizes("sizes", sizes))
    if given[-1] > available:
        raise RequestError(
            f"must be at most {format_size(available)}, the examples at hand, got {given[-1]:g}.",
            argument="sizes",
            remedy=("If there are more, say so with {}.", ("available", int(np.ceil(given[-1])))),
        )
    if pilot is None and len(given) < 3:
        raise RequestError(f"must be 3 or more for a first pilot, got {len(given)}.", argument="sizes")
    return given


def _check_goal(target: float, settings: APExGP, pilot: LearningCurve | None) -> float:
    floor, ceiling = settings._check_bounds() if pilot is None else settings._check_bounds(pilot.range)
    return attainable_target(target, pilot, ceiling if pilot is None or pilot.direction == "higher" else floor)


def _refuse_too_little(space: DesignSpace) -> None:
    least = find_cheapest(space)
    if space.affords(least):
        return
    what = "one more fit" if len(space.pilot) else "a first pilot of 3 sizes"
    where, takes = ", ".join(map(format_size, least.sizes)), space.price.cost_of(least)
    unit = "fit" if space.price.unit == "fits" and takes == 1 else space.price.unit
    raise RequestError(
        f"must pay for {what}: the cheapest, at {where} with {least.n_splits} "
        f"split{'s' if least.n_splits > 1 else ''}, takes {takes:.3g} {unit}; got "
        f"{space.budget:g}.",
        argument="budget",
    )


def _describe_knowledge(
    model: APExGP | None,
    pilot: LearningCurve | None,
    engine: FullBayes,
    sizes: FloatArray,
    measurable: FloatArray,
    seed: int,
) -> Knowledge:
    if pilot is None or model is None:
        return knowledge_from_priors(engine, sizes, measurable, seed)
    return knowledge_from_posterior(model.posterior, sizes)
