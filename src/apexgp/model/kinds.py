"""Priors for kinds of learner: how far each kind moves the calibrated ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from .beliefs import CALIBRATED, Beliefs

__all__ = ["adapt_to_kind", "kind_matters_with_training_scores"]

# Learnt by benchmarks/kinds.py, by the log score alone (commit 8fd0993), from the development curves of LCDB 1.0 and
# 1.1: shifts in standard deviations of the priors (of the shares in logarithms of a and b), then what is added to the
# logarithm of sigma's standard deviation.
_MOVED_PLACES = ("tau_e", "sigma", "shape0", "shape1", "shape2", "share_a", "share_b")
_MOVES_BY_KIND = {
    "linear": ((0.01, -0.05, 0.16, -0.27, 0.25, 0.14, 0.44), -0.06),
    "naive_bayes": ((0.18, 0.20, 0.22, -0.57, -0.13, -0.33, 0.74), 0.32),
    "discriminant": ((0.35, 0.18, 0.51, -0.30, -0.61, 0.09, 0.63), 0.13),
    "neighbours": ((0.04, -0.22, -0.71, 0.15, 0.17, 0.13, -0.31), -0.45),
    "trees": ((-0.14, -0.29, -0.88, 0.15, 0.34, 0.45, -0.07), -0.45),
    "boosting": ((-0.25, -0.45, -0.07, -0.24, 0.38, 0.62, 0.13), -0.46),
    "neural_network": ((0.29, -0.33, -0.31, 0.09, 0.27, 0.26, -0.52), -0.17),
}
# Training scores tell much of what the kind does. Beside them half of a kind's moves is as good as all of them or
# better, and of trees and boosting, whose training scores are mostly perfect, none is any good.
_KEPT_WITH_TRAINING_SCORES = dict.fromkeys(_MOVES_BY_KIND, 0.5) | {"trees": 0.0, "boosting": 0.0}


@cache
def adapt_to_kind(kind: str) -> Beliefs:
    """The calibrated priors as they are moved for a kind of learner."""
    (shifts, spread), kept = _MOVES_BY_KIND[kind], _KEPT_WITH_TRAINING_SCORES[kind]
    return replace(
        CALIBRATED,
        shifts=_add_moves(CALIBRATED.shifts, dict(zip(_MOVED_PLACES, shifts, strict=True)), kept),
        spreads=_add_moves(CALIBRATED.spreads, {"sigma": spread}, kept),
    )


def kind_matters_with_training_scores(kind: str) -> bool:
    """Whether a kind of learner still moves the priors of a pilot that comes with training scores."""
    return _KEPT_WITH_TRAINING_SCORES[kind] > 0


def _add_moves(
    start: Mapping[str, Mapping[str, float]], moves: Mapping[str, float], kept: float
) -> dict[str, dict[str, float]]:
    found = {place: dict(by_sign) for place, by_sign in start.items()}
    for place, number in moves.items():
        by_sign = found.setdefault(place, {})
        for sign, value in (("always", number), ("gap_known", (kept - 1) * number)):
            by_sign[sign] = by_sign.get(sign, 0.0) + value
    return found
