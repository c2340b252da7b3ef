"""Models with one thing changed, in the assumptions, the data or the question: rows of a sensitivity analysis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from ..._check import format_some
from ..._numbers import SCORE_DIGITS, format_size
from ...curve import LearningCurve
from ...estimators import APExGP
from ...estimators.contract import clone
from ...forecast import Quantity
from ...inference.bayes import FullBayes
from ...learners import UNKNOWN
from ...model.beliefs import Beliefs, ElicitedSigma
from ...model.distributions import Beta, ScaledPrior
from ...model.means import MEANS, PAPER_MEANS

__all__ = ["Kind", "Variant", "list_other_quantities", "list_variants"]

Kind = Literal["none", "prior", "curve", "limit", "data", "question", "seed"]
"""What is changed: nothing, a prior or the method, the curve's shape, the best possible score, the data, what is
forecast, or the seed of the integration."""

_FACTOR = 2.0  # by which priors are widened or narrowed: a difference that experts may have
_MOST_SPLITS = 15  # that are left out one by one; of more, a tenth at a time
_GROUPS = 10
_QUANTITIES: dict[Quantity, str] = {
    "new_splits": "mean over new splits",
    "same_splits": "same splits continued",
    "expected": "true expected score",
}


@dataclass(frozen=True)
class Variant:
    """One change: its name, what is changed, and the settings and the curve to fit instead."""

    name: str
    kind: Kind
    settings: APExGP
    curve: LearningCurve


def list_variants(model: APExGP, target: float | None) -> list[Variant]:
    """Everything that is changed, one thing at a time, of what a fitted model rests on."""
    settings, curve = clone(model).set_params(**model._settings), model.curve_
    found = [Variant(name, "prior", other, curve) for name, other in _other_priors(settings, curve)]
    if "learner" in model.facts_:
        found.append(Variant("priors of all kinds", "prior", clone(settings).set_params(learner=UNKNOWN), curve))
    found += [
        Variant(_name_curve(mean), "curve", clone(settings).set_params(mean=mean), curve)
        for mean in (("auto", *MEANS) if settings.inference == "bayes" else PAPER_MEANS)
        if mean != settings.mean
    ]
    found += [Variant(name, "limit", other, curve) for name, other in _other_limits(settings, curve, target)]
    # One object: what is left out is fitted together, with the settings that all of them share.
    found += [Variant(name, "data", settings, less) for name, less in _less_data(curve)]
    if settings.inference == "bayes":
        found.append(Variant("another seed", "seed", clone(settings).set_params(seed=settings.seed + 1), curve))
    return found


def _name_curve(mean: str) -> str:
    return "average of curves" if mean == "auto" else f"{MEANS[mean].label.replace(' ', '-')} curve"


def list_other_quantities(curve: LearningCurve, of: Quantity, *, asked_of_target: bool) -> dict[str, Quantity]:
    """Other quantities that could be forecast.

    A target is about the true expected score: what is forecast could be held to it as well, where there is a target.
    """
    every = get_args(Quantity) if curve.split is not None else ("new_splits", "expected")
    return {_QUANTITIES[one]: one for one in every if one != of or (asked_of_target and one != "expected")}


def _other_priors(settings: APExGP, curve: LearningCurve) -> Iterator[tuple[str, APExGP]]:
    engine = settings._build_checked_engine(curve.direction, curve.scale)
    if not isinstance(engine, FullBayes):
        yield "default method", APExGP(ceiling=settings.ceiling, floor=settings.floor)
        return

    def believing(beliefs: Beliefs) -> APExGP:
        return clone(settings).set_params(priors=beliefs, noise=None)

    own = engine.beliefs
    shares = own.shares
    if shares is not None and all(isinstance(share, Beta) for share in shares.values()):
        for name, factor in (("more left to gain", 1 / _FACTOR), ("less left to gain", _FACTOR)):
            moved = {mean: replace(share, b=share.b * factor) for mean, share in shares.items()}
            yield name, believing(replace(own, shares=moved))
    for name, factor in (("noisier scores", _FACTOR), ("steadier scores", 1 / _FACTOR)):
        yield name, believing(replace(own, tau_e=ScaledPrior(own.tau_e, factor)))
    if not isinstance(own.sigma, ElicitedSigma):
        for name, factor in (("larger departures", _FACTOR), ("smaller departures", 1 / _FACTOR)):
            yield name, believing(replace(own, sigma=ScaledPrior(own.sigma, factor)))
    if settings.priors != "calibrated":
        yield "calibrated priors", clone(settings).set_params(priors="calibrated", noise=None)
    if settings.priors != "paper":
        yield "paper's priors", clone(settings).set_params(priors="paper", noise=None, learner=None)
    yield "published method", APExGP.as_published(ceiling=settings.ceiling, floor=settings.floor)


def _other_limits(settings: APExGP, curve: LearningCurve, target: float | None) -> Iterator[tuple[str, APExGP]]:
    """Best possible scores between what has been reached, or should be, and what was said to be possible; and 1."""
    name = "ceiling" if curve.direction == "higher" else "floor"
    _, limit = settings._check_upward_bounds(curve.direction, curve.scale)
    goals = [] if target is None else [float(curve.as_upward(target))]
    room = limit - max([float(curve.upward.replicates.mean.max()), *goals])
    limits = [] if limit == 1 else [1.0]
    if room > 0:
        digits = 2 + max(0, -int(np.floor(np.log10(room))) - 1)  # a quarter of the room to two digits
        limits += [float(f"{limit - room * share:.{digits}f}") for share in (0.25, 0.5)]
    for other in limits:
        value = float(curve.from_upward(other))
        if not curve.scale.straight:  # a round number in [0, 1] is none there
            value = float(f"{value:.{SCORE_DIGITS}g}")
        yield f"{name} {value:.6g}", clone(settings).set_params(**{name: value})


def _less_data(curve: LearningCurve) -> Iterator[tuple[str, LearningCurve]]:
    ends = (float(curve.sizes.min()), curve.largest)
    for end in ends if ends[0] < ends[1] else ():  # of a single size nothing would be left
        yield f"without size {format_size(end)}", curve._rows(curve.sizes != end)
    labels = [] if curve.split is None else list(dict.fromkeys(curve.split.tolist()))
    if curve.split is not None and len(labels) > 1:
        groups = min(len(labels), _MOST_SPLITS) if len(labels) <= _MOST_SPLITS else _GROUPS
        for left_out in np.array_split(np.arange(len(labels)), groups):
            gone = [labels[i] for i in left_out.tolist()]
            named = f"split {format_some(gone)}" if len(gone) == 1 else f"splits {format_some(gone, 2)}"
            yield f"without {named}", curve._rows(np.array([label not in gone for label in curve.split.tolist()]))
    if curve.train_scores is not None:
        yield "without training scores", replace(curve, train_scores=None)
