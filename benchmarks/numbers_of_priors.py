"""The numbers of calibrated priors as one vector, for an optimiser.

First the locations, then the log scales of the normal variables behind tau_e, tau_ratio, kappa, sigma, lambda and the
shape coordinates of one mean; then location and log scale of log tau_e for unlabelled single scores, log a and log b of
the share, and how the location of log sigma and log a move with the size of the pilot.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import logit

from apexgp.inference.posterior import Posterior
from apexgp.priors import Beliefs, Beta, LogitNormal, LogNormal, Normal

COMMON = ("tau_e", "tau_ratio", "kappa", "sigma", "lam")
_SIGMA = COMMON.index("sigma")
_OTHERS = 6  # numbers that are no location or scale of a coordinate


def to_vector(beliefs: Beliefs, mean: str) -> np.ndarray:
    coordinates = [_normal(prior) for prior in (*(getattr(beliefs, name) for name in COMMON), *beliefs.shapes[mean])]
    loc, scale = np.array(coordinates).T
    alone_loc, alone_scale = _normal(beliefs.tau_alone)
    share = beliefs.shares[mean]
    sigma_by_size = beliefs.trends.get("sigma", 0.0) * scale[_SIGMA]
    others = [alone_loc, np.log(alone_scale), np.log(share.a), np.log(share.b), sigma_by_size, share.a_by_size]
    return np.concatenate([loc, np.log(scale), others])


def to_beliefs(vector: np.ndarray, mean: str, template: Beliefs) -> Beliefs:
    """The template with the numbers of the vector; shapes and shares of other means stay."""
    dimensions = (len(vector) - _OTHERS) // 2
    loc, scale = vector[:dimensions], np.exp(vector[dimensions : 2 * dimensions])
    alone_loc, alone_log_scale, log_a, log_b, sigma_by_size, a_by_size = vector[2 * dimensions :]
    kinds = [*(getattr(template, name) for name in COMMON), *template.shapes[mean]]
    priors = [_like(*each) for each in zip(kinds, loc, scale, strict=True)]
    share = Beta(float(np.exp(log_a)), float(np.exp(log_b)), float(a_by_size))
    return replace(
        template,
        **dict(zip(COMMON, priors, strict=False)),
        shapes=template.shapes | {mean: tuple(priors[len(COMMON) :])},
        shares=template.shares | {mean: share},
        tau_alone=_like(template.tau_alone, alone_loc, np.exp(alone_log_scale)),
        trends={"sigma": float(sigma_by_size / scale[_SIGMA])},
    )


def of_the_mean(vector: np.ndarray) -> np.ndarray:
    """Which numbers belong to the mean: its shape coordinates and its share."""
    dimensions = (len(vector) - _OTHERS) // 2
    coordinate = np.arange(dimensions) >= len(COMMON)
    return np.concatenate([coordinate, coordinate, [False, False, True, True, False, True]])


def at(vector: np.ndarray, t: np.ndarray, alone: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Locations and scales (P, D), a (P,) and b for pilots of sizes t, some with unlabelled single scores."""
    dimensions = (len(vector) - _OTHERS) // 2
    loc = np.tile(vector[:dimensions], (len(t), 1))
    scale = np.tile(np.exp(vector[dimensions : 2 * dimensions]), (len(t), 1))
    alone_loc, alone_log_scale, log_a, log_b, sigma_by_size, a_by_size = vector[2 * dimensions :]
    loc[alone, 0], scale[alone, 0] = alone_loc, np.exp(alone_log_scale)
    loc[:, _SIGMA] += sigma_by_size * t
    return loc, scale, np.exp(log_a + a_by_size * t), np.exp(log_b)


def gradient(
    by_loc: np.ndarray,
    by_log_scale: np.ndarray,
    by_log_a: np.ndarray,
    by_log_b: np.ndarray,
    t: np.ndarray,
    alone: np.ndarray,
) -> np.ndarray:
    """Slopes by the numbers, from those by what `at` returns for each pilot."""
    own = by_loc[alone, 0].sum(), by_log_scale[alone, 0].sum()
    loc, log_scale = by_loc.sum(axis=0), by_log_scale.sum(axis=0)
    loc[0] -= own[0]
    log_scale[0] -= own[1]
    others = [*own, by_log_a.sum(), by_log_b.sum(), by_loc[:, _SIGMA] @ t, by_log_a @ t]
    return np.concatenate([loc, log_scale, others])


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
