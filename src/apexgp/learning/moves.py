"""The numbers that are learnt: how far priors move, as one vector, and how strongly each number is shrunk to none.

Each coordinate of a curve's parameters may move by so many standard deviations (`shift`) and widen by so much
(`spread`, in logarithms); the share still to be gained moves by the logarithms of its a and b. A move is stored as
an effect of the feature `always`, so that it works with whatever distribution the prior is, and for every mean.

The shrinkage acts as `PRIOR_CURVES` curves that speak for no move. It was learnt on the development curves by leaving
tasks out (`benchmarks/learning.py --worth`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .._check import FloatArray
from ..model.beliefs import Beliefs, ElicitedSigma
from ..model.distributions import Prior
from ..model.means import DEFAULT_MEAN, MEANS

__all__ = ["ALWAYS", "PRIOR_CURVES", "apply_moves", "broaden", "compute_shrinkage", "describe_moves", "list_move_names"]

ALWAYS = "always"
_SHARES = ("share_a", "share_b")


def list_move_names(coordinates: list[str]) -> list[tuple[str, str]]:
    """List the kind and the place of each number, in the order of the vector."""
    return [
        *(("shift", name) for name in coordinates),
        *(("spread", name) for name in coordinates),
        *(("shift", name) for name in _SHARES),
    ]


def apply_moves(start: Beliefs, names: list[tuple[str, str]], vector: FloatArray) -> Beliefs:
    """Add moves to priors."""
    shifts, spreads = _copy_moves(start.shifts), _copy_moves(start.spreads)
    for (kind, place), number in zip(names, vector.tolist(), strict=True):
        if number:
            by_feature = (shifts if kind == "shift" else spreads).setdefault(place, {})
            by_feature[ALWAYS] = by_feature.get(ALWAYS, 0.0) + number
    return replace(start, shifts=shifts, spreads=spreads)


def _copy_moves(moves: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    return {place: dict(by_feature) for place, by_feature in moves.items()}


def broaden(start: Beliefs, coordinates: list[str], by: float, shares: float) -> Beliefs:
    """Widen priors, so that nodes integrated under them can be reweighted to any priors near `start`."""
    names = list_move_names(coordinates)
    numbers = {"spread": by, "shift": 0.0}
    vector = np.array([shares if place in _SHARES else numbers[kind] for kind, place in names])
    return apply_moves(start, names, vector)


def describe_moves(start: Beliefs, beliefs: Beliefs) -> dict[str, tuple[float, float]]:
    """Name the numbers that moved, before and after, in plain words, for a pilot without features."""
    before, after = _describe_priors(start), _describe_priors(beliefs)
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}


def _describe_priors(beliefs: Beliefs) -> dict[str, float]:
    """Medians of the priors, by plain names."""
    shifts = {place: by_feature.get(ALWAYS, 0.0) for place, by_feature in beliefs.shifts.items()}

    def middle(prior: Prior, place: str) -> float:
        return float(prior.from_normal(np.array([shifts.get(place, 0.0)]))[0])

    assert beliefs.shares is not None
    share, shape = beliefs.shares[DEFAULT_MEAN], beliefs.shapes[DEFAULT_MEAN]
    a, b = share.a * np.exp(shifts.get("share_a", 0.0)), share.b * np.exp(shifts.get("share_b", 0.0))
    found = {
        "share still to be gained": float(a / (a + b)),
        "noise": middle(beliefs.tau_e, "tau_e"),
        **MEANS[DEFAULT_MEAN].describe_shape(*(middle(prior, f"shape{i}") for i, prior in enumerate(shape))),
    }
    if not isinstance(beliefs.sigma, ElicitedSigma):
        found["departures"] = middle(beliefs.sigma, "sigma")
        found["spread of departures"] = float(np.exp(beliefs.spreads.get("sigma", {}).get(ALWAYS, 0.0)))
    return found


PRIOR_CURVES = 100.0
"""How many curves the priors that the search starts from count for."""

# Information of one curve on a number: the mean square of the slope of its log score, as it was at earlier shipped
# priors, rounded, and shifts of all coordinates alike (`benchmarks/learning.py --information` prints today's: up to as
# much, far less for noise and departures). Numbers that are not here stay: with them, left-out tasks did worse.
_INFORMATION = {
    ("shift", "tau_e"): 0.02,
    ("shift", "sigma"): 0.02,
    ("shift", "shape0"): 0.02,
    ("shift", "shape1"): 0.02,
    ("shift", "shape2"): 0.02,
    ("spread", "sigma"): 0.04,
    ("shift", "share_a"): 0.09,
    ("shift", "share_b"): 0.04,
}


def compute_shrinkage(names: list[tuple[str, str]]) -> FloatArray:
    """Compute the weight of the quadratic penalty on each number; infinite for those that stay."""
    return np.array([PRIOR_CURVES * _INFORMATION.get(name, np.inf) for name in names])
