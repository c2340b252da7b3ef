"""The numbers of calibrated priors as one vector, for an optimiser.

Rows are the locations and the log scales of the normal variables behind tau_e, tau_ratio, kappa, sigma, lambda and the
shape coordinates of one mean, then log a and log b of the share. Each row is a number of its own plus what signs of the
pilot (`apexgp.model.beliefs.PILOT_FEATURES`) add to it: `MOVED` says which signs move which row.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import logit

from apexgp.inference.posterior import Posterior
from apexgp.learners import IMPROVE_WITH_FEATURES
from apexgp.priors import Beliefs, Beta, LogitNormal, LogNormal, Normal

COMMON = ("tau_e", "tau_ratio", "kappa", "sigma", "lam")
KINDS = IMPROVE_WITH_FEATURES
"""Kinds of learner that priors are moved for. Those learnt for the others (neighbours, trees, boosting, networks) made
forecasts of left-out tasks no better: see docs/calibration.md."""
_UNLESS_LINEAR = tuple(kind for kind in KINDS if kind != "linear")
"""Kinds that tell where a curve ends even where the number of features is not known."""
_FEW_SIZES = ("one_size", "two_sizes")
_FEATURES = ("few_features", "many_features")
MOVED = {
    "loc tau_e": ("single", "several", "test_known", "test_noise", "top", *KINDS),
    "scale tau_e": ("several", "test_known"),
    "loc tau_ratio": ("single", "several"),
    "loc sigma": ("size", *_FEW_SIZES, "top", "precision", *_FEATURES, *KINDS),
    "loc lam": _FEW_SIZES,
    "scale sigma": (*_FEW_SIZES, "top", *KINDS),
    "loc shape0": (*_FEW_SIZES, "top", *_FEATURES, *KINDS),
    "loc shape1": (*_FEW_SIZES, *_FEATURES, *KINDS),
    "loc shape2": KINDS,
    "share_a": (
        *("size", "accuracy", "precision", "low", "gap_known", "gap", "separable", "top", "few_per_class"),
        *(*_FEW_SIZES, *_FEATURES, *_UNLESS_LINEAR),
    ),
    "share_b": (
        *("size", "precision", "low", "gap_known", "separable", "top", "few_per_class"),
        *(*_FEW_SIZES, *_FEATURES, *_UNLESS_LINEAR),
    ),
}
OWN = "one"
"""What multiplies a row's own number, as signs multiply the others."""


def rows_of(beliefs: Beliefs, mean: str) -> list[str]:
    """Names of the rows."""
    names = [*COMMON, *(f"shape{i}" for i in range(len(beliefs.shapes[mean])))]
    return [*(f"loc {name}" for name in names), *(f"scale {name}" for name in names), "share_a", "share_b"]


def entries_of(beliefs: Beliefs, mean: str) -> list[tuple[str, str]]:
    """Row and sign of each number of the vector."""
    return [(row, sign) for row in rows_of(beliefs, mean) for sign in (OWN, *MOVED.get(row, ()))]


def to_vector(beliefs: Beliefs, mean: str) -> np.ndarray:
    priors = dict(zip(COMMON, (getattr(beliefs, name) for name in COMMON), strict=True))
    priors |= {f"shape{i}": prior for i, prior in enumerate(beliefs.shapes[mean])}
    numbers = []
    for row, sign in entries_of(beliefs, mean):
        kind, _, name = row.partition(" ")
        if kind.startswith("share"):
            share = beliefs.shares[mean]
            own, moved = np.log(share.a if kind == "share_a" else share.b), beliefs.shifts.get(kind, {})
        else:
            loc, scale = _normal(priors[name])
            # Shifts are stated in standard deviations.
            own = loc if kind == "loc" else np.log(scale)
            moves = (beliefs.shifts if kind == "loc" else beliefs.spreads).get(name, {})
            moved = {s: value * scale if kind == "loc" else value for s, value in moves.items()}
        numbers.append(own if sign == OWN else moved.get(sign, 0.0))
    return np.array(numbers)


def to_beliefs(vector: np.ndarray, mean: str, template: Beliefs) -> Beliefs:
    """The template with the numbers of the vector; shapes and shares of other means stay."""
    found: dict[str, dict[str, float]] = {}
    for (row, sign), value in zip(entries_of(template, mean), vector, strict=True):
        found.setdefault(row, {})[sign] = float(value)
    own = {row: numbers.pop(OWN) for row, numbers in found.items()}
    names = [row.partition(" ")[2] for row in own if row.startswith("loc ")]
    kinds = [*(getattr(template, name) for name in COMMON), *template.shapes[mean]]
    priors = [
        _like(kind, own[f"loc {name}"], np.exp(own[f"scale {name}"])) for kind, name in zip(kinds, names, strict=True)
    ]
    shifts = {
        name: {sign: value / np.exp(own[f"scale {name}"]) for sign, value in found[f"loc {name}"].items()}
        for name in names
    } | {name: found[name] for name in ("share_a", "share_b")}
    spreads = {name: found[f"scale {name}"] for name in names}
    share = Beta(float(np.exp(own["share_a"])), float(np.exp(own["share_b"])))
    return replace(
        template,
        **dict(zip(COMMON, priors, strict=False)),
        shapes=template.shapes | {mean: tuple(priors[len(COMMON) :])},
        shares=template.shares | {mean: share},
        shifts={name: moves for name, moves in shifts.items() if moves},
        spreads={name: moves for name, moves in spreads.items() if moves},
    )


def of_the_mean(beliefs: Beliefs, mean: str) -> np.ndarray:
    """Which numbers belong to the mean: its shape coordinates and its share, not what signs do to the latter."""
    return np.array(
        [("shape" in row or row.startswith("share")) and sign == OWN for row, sign in entries_of(beliefs, mean)]
    )


def at(vector: np.ndarray, entries: list[tuple[str, str]], signs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Values of the rows for each pilot, given its signs."""
    values: dict[str, np.ndarray] = {}
    for (row, sign), number in zip(entries, vector, strict=True):
        values[row] = values.get(row, 0.0) + number * signs[sign]
    return values


def gradient(by_row: dict[str, np.ndarray], entries: list[tuple[str, str]], signs: dict[str, np.ndarray]) -> np.ndarray:
    """Slopes by the numbers, from those by what `at` returns for each pilot."""
    return np.array([by_row[row] @ signs[sign] for row, sign in entries])


def columns_of(posterior: Posterior, window: float) -> np.ndarray:
    """Normal variables behind the priors at the nodes, shape (N, D)."""
    p, beliefs = posterior.nodes.parameters, posterior.density.beliefs
    return np.stack(
        [
            np.log(p["tau_e"]),
            np.log(p["tau_b"] / p["tau_e"]),
            _behind(beliefs.kappa, p["kappa"]),
            np.log(p["sigma"] / window),
            np.log(p["lam"]),
            *map(_behind, beliefs.shapes[posterior.density.mean.name], posterior.nodes.shape),
        ],
        axis=1,
    )


def _normal(prior) -> tuple[float, float]:
    """Location and scale of the normal variable behind a prior."""
    return (np.log(prior.median), prior.spread) if isinstance(prior, LogNormal) else (prior.loc, prior.scale)


def _like(prior, loc: float, scale: float):
    """A prior of the same kind."""
    if isinstance(prior, LogNormal):
        return LogNormal(float(np.exp(loc)), float(scale))
    if isinstance(prior, LogitNormal):
        return LogitNormal(float(loc), float(scale), prior.upper)
    return Normal(float(loc), float(scale))


def _behind(prior, value: np.ndarray) -> np.ndarray:
    if isinstance(prior, LogitNormal):
        return logit(np.clip(value / prior.upper, 1e-12, 1 - 1e-12))
    return value
