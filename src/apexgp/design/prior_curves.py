"""What priors say of a curve of which nothing has been measured yet: whole curves, drawn."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from scipy.special import betaincinv, ndtri

from .._check import FloatArray
from ..curve import LearningCurve
from ..inference.bayes import FullBayes
from ..inference.density import Density
from ..inference.nodes import cholesky
from ..inference.statistics import Statistics
from ..inference.uniforms import sobol
from .knowledge import Knowledge

__all__ = ["knowledge_from_priors"]

# Heights of the curve at the end of the pilot, and sets of all other parameters at each.
_LEVELS, _AT_EACH = 64, 64
_JITTER = 1e-12  # of a variance: close sizes make a matrix singular to rounding


def knowledge_from_priors(engine: FullBayes, sizes: FloatArray, pilot: FloatArray, seed: int) -> Knowledge:
    """Curves drawn from the priors at rising sizes, each a node that is known exactly.

    A curve is drawn whole, and counts if all of it lies within the scores that there are: few of the widest do.

    Parameters
    ----------
    engine
        Means, which count alike, and beliefs.
    sizes
        Where to know the curves.
    pilot
        Sizes that a pilot may have. Priors are stated at its largest: there the curve may be anywhere between floor and
        ceiling. The noise is stated at the middle of the pilot.
    seed
        Seed of the draws.
    """
    rng = np.random.default_rng(seed)
    densities = [Density(mean, engine.beliefs, engine.ceiling, engine.floor) for mean in engine.means]
    parts = [_draw_curves(density, sizes, pilot, seed, rng) for density in densities]
    location, single, carried = (np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True))
    count = location.shape[1]
    weights = np.concatenate([np.full(part[0].shape[1], 1 / (len(parts) * part[0].shape[1])) for part in parts])
    nothing = np.broadcast_to(0.0, (len(sizes), len(sizes), count))
    return Knowledge(sizes, weights, location, nothing, single, carried)


def _draw_curves(
    density: Density, sizes: FloatArray, pilot: FloatArray, seed: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Curves, and the noise that goes with each."""
    coordinates = [name for name in density.names if name != "drop"]
    uniform = sobol(_LEVELS * _AT_EACH, len(coordinates) + 2, seed, 0)
    uniform = uniform[:, np.argsort(uniform[-1])]
    heights = density.floor + (density.ceiling - density.floor) * (np.arange(_LEVELS) + 0.5) / _LEVELS
    z = np.zeros((len(density.names), _LEVELS, _AT_EACH))
    z[: len(coordinates)] = ndtri(uniform[: len(coordinates)]).reshape(-1, _LEVELS, _AT_EACH)
    by_height: dict[str, list[FloatArray]] = defaultdict(list)
    shapes, shares = [], []
    for i, (height, own) in enumerate(zip(heights, uniform[-2].reshape(_LEVELS, _AT_EACH), strict=True)):
        # A flat pilot of that height: what the priors depend on follows from it.
        flat = Statistics.of(LearningCurve(pilot, np.full((len(pilot), 1), height)))
        for name, value in density.parameters(z[:, i], flat).items():
            by_height[name].append(value)
        shapes.append(density.shape(z[:, i], flat))
        shares.append(_draw_shares(density, own, flat))
    parameters = {name: np.concatenate(values) for name, values in by_height.items()}
    shape = tuple(np.concatenate(values) for values in zip(*shapes, strict=True))
    level = np.repeat(heights, _AT_EACH)
    drop = np.concatenate(shares) * np.maximum(density.ceiling - level, 1e-9)
    at, unit, last = sizes[:, None], pilot[0], pilot[-1]
    mean = level + density.rise(at / unit, np.asarray(last / unit), drop, shape)
    covariance = density.kernel(at, at, float(last), parameters)
    diagonal = np.arange(len(sizes))
    covariance[diagonal, diagonal] *= 1 + _JITTER
    curve = mean + np.einsum("pqn,qn->pn", cholesky(covariance), rng.standard_normal(mean.shape))
    possible = ((curve >= 0) & (curve <= 1)).all(axis=0)
    single, carried = density.noise(parameters, at, pilot[:, None])
    return curve[:, possible], single[:, possible], carried[:, possible]


def _draw_shares(density: Density, uniform: FloatArray, of: Statistics) -> FloatArray:
    """Shares of the room above the curve that are still to be won."""
    if density.beliefs.shares is None:
        shares: FloatArray = uniform
    else:
        prior = density.beliefs.shares[density.mean.name]
        times_a, times_b = density.share_factors(of)
        shares = betaincinv(prior.a * times_a, prior.b * times_b, uniform)
    return np.clip(shares, 1e-9, 1 - 1e-9)
