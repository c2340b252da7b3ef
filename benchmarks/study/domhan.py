"""A weighted sum of eleven parametric curves with normal noise, sampled by emcee: Domhan, Springenberg and Hutter 2015.

Theirs is made for epochs; here x is the size in units of the smallest, so that it starts at 1 as epochs do. Priors are
flat within broad bounds; as in the paper the weighted sum must not be lower at the farthest size than at the last of
the pilot, and it must not exceed 1 there. Walkers start around the least-squares fit of every curve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import emcee
import numpy as np
from scipy.optimize import least_squares

WALKERS, STEPS, BURN_IN, THIN = 100, 1500, 500, 20
_NOISE = (-9.0, -1.5)  # bounds of its logarithm
_IMPOSSIBLE = -np.inf


@dataclass(frozen=True)
class Formula:
    """A curve: its value at x for parameters that run along the first axis, where they start, and their bounds."""

    value: Callable[..., np.ndarray]
    start: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]


FORMULAS = {
    "vapor pressure": Formula(
        lambda x, a, b, c: np.exp(a + b / x + c * np.log(x)), (-0.4, -0.2, 0.02), (-5, -5, -0.5), (0.5, 2, 0.5)
    ),
    "pow3": Formula(lambda x, c, a, p: c - a * x**-p, (0.9, 0.2, 0.5), (0, -1, 0), (1.5, 2, 5)),
    "log log linear": Formula(lambda x, a, b: np.log(np.maximum(a * np.log(x) + b, 1e-9)), (0.1, 2.0), (-1, 1), (2, 3)),
    "hill3": Formula(lambda x, y, p, k: y * x**p / (k**p + x**p), (0.9, 0.7, 0.3), (0, 0.01, 1e-3), (1.5, 5, 20)),
    "log power": Formula(
        lambda x, a, b, c: a / (1 + (x / np.exp(b)) ** c), (0.9, -1.0, -0.7), (0, -5, -5), (1.5, 5, 0)
    ),
    "pow4": Formula(
        lambda x, c, a, b, p: c - np.maximum(a * x + b, 1e-9) ** -p,
        (0.95, 5.0, 1.0, 0.7),
        (0, 0, 0, 0),
        (1.5, 300, 50, 5),
    ),
    "mmf": Formula(
        lambda x, a, b, k, d: a - (a - b) / (1 + (k * x) ** d),
        (0.9, 0.5, 1.0, 1.0),
        (0, 0, 1e-3, 0.01),
        (1.5, 1, 20, 5),
    ),
    "exp4": Formula(
        lambda x, c, a, b, p: c - np.exp(-a * x**p + b), (0.9, 0.8, -0.8, 0.5), (0, 0, -5, 0.01), (1.5, 5, 2, 2)
    ),
    "janoschek": Formula(
        lambda x, a, b, k, d: a - (a - b) * np.exp(-k * x**d), (0.9, 0.5, 0.5, 0.6), (0, 0, 0, 0.01), (1.5, 1, 5, 3)
    ),
    "weibull": Formula(
        lambda x, a, b, k, d: a - (a - b) * np.exp(-((k * x) ** d)),
        (0.9, 0.5, 0.5, 0.7),
        (0, 0, 0, 0.01),
        (1.5, 1, 5, 3),
    ),
    "ilog2": Formula(lambda x, c, a: c - a / np.log(x + 1), (0.9, 0.1), (0, -1), (1.5, 1)),
}
_LOWER = np.concatenate([formula.lower for formula in FORMULAS.values()])
_UPPER = np.concatenate([formula.upper for formula in FORMULAS.values()])
_ENDS = np.cumsum([len(formula.start) for formula in FORMULAS.values()])


def weighted_sum(x: np.ndarray, theta: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Values (walkers, sizes) for parameters (walkers, all curves') and weights (walkers, curves)."""
    shares = weights / weights.sum(axis=1, keepdims=True)
    total = np.zeros((len(theta), len(x)))
    for i, (formula, own) in enumerate(zip(FORMULAS.values(), np.split(theta, _ENDS[:-1], axis=1), strict=True)):
        total += shares[:, i, None] * formula.value(x, *own.T[:, :, None])
    return total


def sampled_curves(
    sizes: np.ndarray, scores: np.ndarray, later: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draws from the posterior: curves (draws, later sizes), and the standard deviation of the noise of each."""
    x, beyond = sizes / sizes[0], later / sizes[0]
    observed = np.append(x, beyond.max())
    count, curves = len(_LOWER), len(FORMULAS)

    def log_posterior(state: np.ndarray) -> np.ndarray:
        theta, weights, noise = state[:, :count], state[:, count:-1], state[:, -1]
        inside = ((theta >= _LOWER) & (theta <= _UPPER)).all(axis=1) & (weights > 0).all(axis=1)
        inside &= (weights <= 1).all(axis=1) & (noise > _NOISE[0]) & (noise < _NOISE[1])
        result = np.full(len(state), _IMPOSSIBLE)
        if inside.any():
            values = weighted_sum(observed, theta[inside], weights[inside])
            misfit = ((values[:, :-1] - scores) ** 2).sum(axis=1) / np.exp(2 * noise[inside])
            possible = np.isfinite(misfit) & (values[:, -1] >= values[:, -2]) & (values[:, -1] <= 1)
            own = np.where(possible, -0.5 * misfit - len(x) * noise[inside], _IMPOSSIBLE)
            result[inside] = own
        return result

    rng = np.random.default_rng(seed)
    start = _around(_each_fitted(x, scores), curves, log_posterior, rng)
    sampler = emcee.EnsembleSampler(WALKERS, count + curves + 1, log_posterior, vectorize=True)
    sampler.random_state = np.random.RandomState(seed).get_state()
    sampler.run_mcmc(start, STEPS, skip_initial_state_check=True)
    states = sampler.get_chain(discard=BURN_IN, thin=THIN, flat=True)[
        :: 1 + WALKERS * (STEPS - BURN_IN) // THIN // 1000
    ]
    locations = weighted_sum(beyond, states[:, :count], states[:, count:-1])
    return locations, np.repeat(np.exp(states[:, -1:]), len(later), axis=1)


def _each_fitted(x: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Every curve's least-squares parameters, side by side."""
    found = []
    for formula in FORMULAS.values():
        start = np.clip(formula.start, np.array(formula.lower) + 1e-6, np.array(formula.upper) - 1e-6)
        fit = least_squares(
            lambda own, formula=formula: formula.value(x, *own) - scores,
            start,
            bounds=(formula.lower, formula.upper),
            max_nfev=200,
        )
        found.append(fit.x)
    return np.concatenate(found)


def _around(best: np.ndarray, curves: int, log_posterior: Callable, rng: np.random.Generator) -> np.ndarray:
    """As many possible states as there are walkers, scattered around the best curves; wider where few are possible."""
    found = np.empty((0, len(best) + curves + 1))
    for scatter in np.geomspace(0.005, 0.3, 40):
        theta = best + scatter * (_UPPER - _LOWER) * rng.standard_normal((20 * WALKERS, len(best)))
        weights = rng.uniform(0.05, 1, (len(theta), curves))
        noise = rng.uniform(-6, -3, (len(theta), 1))
        states = np.hstack([np.clip(theta, _LOWER, _UPPER), weights, noise])
        found = np.vstack([found, states[np.isfinite(log_posterior(states))]])
        if len(found) >= WALKERS:
            return found[:WALKERS]
    raise RuntimeError("no weighted sum of curves was found that does not fall and stays below 1")
