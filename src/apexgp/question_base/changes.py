"""Models with one thing changed, in the assumptions, the data or the question: what an answer depends on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, get_args

import numpy as np

from .._check import format_some
from .._numbers import SCORE_DIGITS, format_size
from ..curve import LearningCurve
from ..errors import AccuracyWarning, ApexError
from ..estimators import BREAKDOWNS, APExGP, CurveEstimator, fit_together, wrap_breakdown
from ..estimators.contract import clone
from ..forecast import Quantity
from ..inference.bayes import FullBayes
from ..learners import UNKNOWN
from ..model.beliefs import Beliefs, ElicitedSigma
from ..model.distributions import Beta, ScaledPrior
from ..model.means import MEANS, PAPER_MEANS
from .phrases import add_article

__all__ = [
    "Kind",
    "Variant",
    "fit_group",
    "group_variants",
    "list_main_variants",
    "list_other_quantities",
    "list_variants",
    "name_change",
]

Kind = Literal["none", "prior", "curve", "limit", "data", "question"]
"""The kind of change: nothing, a prior or the method, the curve's shape, the best possible score, the data, or the
quantity that is forecast."""

_FACTOR = 2.0  # by which priors are widened or narrowed: a difference that experts may have
_MOST_SPLITS = 15  # that are left out one by one; of more, a tenth at a time
_GROUPS = 10
_PHRASES = {
    "more left to gain": "a prior that expects more to be gained",
    "less left to gain": "a prior that expects less to be gained",
    "noisier scores": "a prior that expects twice the noise",
    "steadier scores": "a prior that expects half the noise",
    "larger departures": "a prior that expects the curve to depart twice as far from its shape",
    "smaller departures": "a prior that expects the curve to depart half as far from its shape",
    "priors of all kinds": "the priors that all kinds of learner share",
    "calibrated priors": "calibrated priors",
    "paper's priors": "the paper's priors",
    "published method": "the published method",
    "default method": "the default method",
    "mean over new splits": "the mean over new splits instead",
    "same splits continued": "the same splits, continued, instead",
    "true expected score": "the true expected score instead",
}
"""Changes as a sentence names them; others go by their names."""
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
    settings, curve = _copy_settings(model), model.curve_
    found = [Variant(name, "prior", other, curve) for name, other in _other_priors(settings, curve)]
    if "learner" in model.facts_:
        found.append(Variant("priors of all kinds", "prior", clone(settings).set_params(learner=UNKNOWN), curve))
    if settings.inference == "bayes" and settings.mean != "auto":
        found.append(Variant("average of curves", "curve", clone(settings).set_params(mean="auto"), curve))
    found += [Variant(name, "limit", other, curve) for name, other in _other_limits(settings, curve, target)]
    if len(curve.replicates.sizes) > 1:
        name, less = _leave_out_size(curve, curve.largest)
        found.append(Variant(name, "data", settings, less))
    return [*list_main_variants(model), *found]


def list_main_variants(model: APExGP) -> list[Variant]:
    """The few changes that a required size should stand: the curve's shape, how much is left to gain, less data.

    Not the pilot without its largest size, which is another pilot: it could never have promised as much.
    """
    settings, curve = _copy_settings(model), model.curve_
    found = [Variant(name, "prior", other, curve) for name, other in _other_shares(settings, curve)]
    found += [
        Variant(f"{MEANS[mean].label.replace(' ', '-')} curve", "curve", clone(settings).set_params(mean=mean), curve)
        for mean in (MEANS if settings.inference == "bayes" else PAPER_MEANS)
        if mean != settings.mean
    ]
    # One object: what is left out is fitted together, with the settings that all of them share.
    return found + [Variant(name, "data", settings, less) for name, less in _less_data(curve)]


def _copy_settings(model: APExGP) -> APExGP:
    """An unfitted model with the settings of a fitted one, and the priors that it learnt from related curves."""
    return clone(model).set_params(**model._settings)


def group_variants(variants: Iterable[Variant]) -> list[list[Variant]]:
    """Group changed models by their settings: those of a group differ in their data only, and are fitted together."""
    return [list(alike) for _, alike in groupby(variants, key=lambda one: id(one.settings))]


def fit_group(alike: Sequence[Variant]) -> Sequence[CurveEstimator | ApexError]:
    """Fit the models of a group; in place of one that cannot be fitted, the error that says why."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)  # says not which change it is about
            return fit_together(alike[0].settings, [variant.curve for variant in alike])
    except BREAKDOWNS as problem:  # settings that cannot be used, whatever the curve
        return [wrap_breakdown(problem)] * len(alike)


def name_change(name: str, kind: Kind) -> str:
    """Name a change as a sentence does: with a ceiling of 0.9, without split 1."""
    if kind == "data":
        return name
    if kind == "limit":
        bound, value = name.split()
        return f"with a {bound} of {value}"
    if kind == "curve":
        return f"with {add_article(name)}"
    return f"with {_PHRASES.get(name, name)}"


def list_other_quantities(curve: LearningCurve, of: Quantity, *, asked_of_target: bool) -> dict[str, Quantity]:
    """Other quantities that could be forecast.

    A target is about the true expected score: what is forecast could be held to it as well, where there is a target.
    """
    every = get_args(Quantity) if curve.split is not None else ("new_splits", "expected")
    return {_QUANTITIES[one]: one for one in every if one != of or (asked_of_target and one != "expected")}


def _believing(settings: APExGP, beliefs: Beliefs) -> APExGP:
    return clone(settings).set_params(priors=beliefs, noise=None)


def _other_shares(settings: APExGP, curve: LearningCurve) -> Iterator[tuple[str, APExGP]]:
    """Priors that expect more, or less, to be gained beyond the pilot."""
    engine = settings._build_checked_engine(curve.direction, curve.scale)
    shares = engine.beliefs.shares if isinstance(engine, FullBayes) else None
    if isinstance(engine, FullBayes) and shares and all(isinstance(share, Beta) for share in shares.values()):
        for name, factor in (("more left to gain", 1 / _FACTOR), ("less left to gain", _FACTOR)):
            moved = {mean: replace(share, b=share.b * factor) for mean, share in shares.items()}
            yield name, _believing(settings, replace(engine.beliefs, shares=moved))


def _other_priors(settings: APExGP, curve: LearningCurve) -> Iterator[tuple[str, APExGP]]:
    """Other priors of noise and of departures from the curve, and other methods."""
    engine = settings._build_checked_engine(curve.direction, curve.scale)
    if not isinstance(engine, FullBayes):
        yield "default method", APExGP(ceiling=settings.ceiling, floor=settings.floor)
        return
    own = engine.beliefs
    for name, factor in (("noisier scores", _FACTOR), ("steadier scores", 1 / _FACTOR)):
        yield name, _believing(settings, replace(own, tau_e=ScaledPrior(own.tau_e, factor)))
    if not isinstance(own.sigma, ElicitedSigma):
        for name, factor in (("larger departures", _FACTOR), ("smaller departures", 1 / _FACTOR)):
            yield name, _believing(settings, replace(own, sigma=ScaledPrior(own.sigma, factor)))
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


def _leave_out_size(curve: LearningCurve, size: float) -> tuple[str, LearningCurve]:
    return f"without size {format_size(size)}", curve._rows(curve.sizes != size)


def _less_data(curve: LearningCurve) -> Iterator[tuple[str, LearningCurve]]:
    """The pilot without its smallest size, without each of its splits, without its training scores."""
    if len(curve.replicates.sizes) > 1:
        yield _leave_out_size(curve, float(curve.sizes.min()))
    labels = [] if curve.split is None else list(dict.fromkeys(curve.split.tolist()))
    if curve.split is not None and len(labels) > 1:
        groups = min(len(labels), _MOST_SPLITS) if len(labels) <= _MOST_SPLITS else _GROUPS
        for left_out in np.array_split(np.arange(len(labels)), groups):
            gone = [labels[i] for i in left_out.tolist()]
            named = f"split {format_some(gone)}" if len(gone) == 1 else f"splits {format_some(gone, 2)}"
            yield f"without {named}", curve._rows(np.array([label not in gone for label in curve.split.tolist()]))
    if curve.train_scores is not None:
        yield "without training scores", replace(curve, train_scores=None)
