"""The density at many nodes by compiled loops, where a curve allows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaln

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from .draws import FAR, Evaluated
from .level_and_drop import LOGISTIC, WELL
from .statistics import EARLY, Statistics
from .uniforms import CLOSEST, Uniforms

if TYPE_CHECKING:
    from .density import Density

__all__ = ["evaluated"]


def evaluated(
    density: Density,
    parameters: dict[str, FloatArray],
    rise: FloatArray,
    clock: FloatArray,
    u: Uniforms,
    of: Statistics,
) -> Evaluated | None:
    """What `Density.evaluate` works out at the nodes; None where it has to do so itself.

    `rise` is that of a unit drop, at the pilot sizes and at those far ones whose places on the `clock` are given.
    """
    nodes, beliefs, linked = rise.shape[1], density.beliefs, len(of.patterns) == 1
    loops = compiled_loops(nodes)
    if loops is None or beliefs.kernel != "ou" or beliefs.shares is None or not density.mean.scalable:
        return None
    if not (linked or of.unlinked) or len(of.sizes) > loops.MOST_SIZES:
        return None
    draws, far, sizes = len(u.shares), len(clock), len(of.sizes)
    values = np.empty((6 * draws + 2 * far * draws + 1, nodes))
    loops.evaluate(
        sizes,
        far,
        draws,
        len(of.patterns),
        _layout(density, clock, of),
        *(np.ascontiguousarray(parameters[name]) for name in ("tau_e", "tau_b", "kappa", "sigma", "lam")),
        np.ascontiguousarray(rise),
        u.levels,
        u.shares,
        u.arcsine,
        values,
    )
    log_weight, level, spread, drop, departure, lean = values[: 6 * draws].reshape(6, draws, nodes)
    location, variance = values[6 * draws : -1].reshape(2, far, draws, nodes)
    return Evaluated(log_weight, level, spread, drop, departure, lean, values[-1], location, variance)


def _layout(density: Density, clock: FloatArray, of: Statistics) -> FloatArray:
    """All that the compiled loops need of a curve, in the order in which they read it."""
    beliefs, prior = density.beliefs, (density.beliefs.shares or {})[density.mean.name]
    times_a, times_b = density.share_factors(of)
    a, b = prior.a * times_a, prior.b * times_b
    first, log_sizes = of.patterns[0], np.log(of.sizes)
    linked = len(of.patterns) == 1
    scalars = [
        first.count,
        np.log(first.count),
        np.sqrt(first.count),
        of.averaged,
        np.sqrt(of.averaged),
        beliefs.stay,
        beliefs.resolution**2,
        np.log(beliefs.log_base),
        density.ceiling,
        np.log(density.ceiling - density.floor),
        a,
        b,
        betaln(a, b),
        LOGISTIC,
        WELL,
        CLOSEST,
        log_sizes[-1] + np.log(FAR[0]) - log_sizes.mean(),
        of.typical_count,
        density.floor,
        log_sizes[-1] - np.log(EARLY) - log_sizes.mean(),
    ]
    nothing = np.zeros(len(of.sizes))
    by_size = [
        log_sizes - log_sizes.mean(),
        np.diff(log_sizes, prepend=log_sizes[0]),
        first.mean if linked else nothing,
        first.repeats if linked else nothing,
        *of.spreads,
        *of.within,
        density.early(of),
    ]
    scatter = first.scatter.ravel() if linked else np.zeros(len(of.sizes) ** 2)
    by_pattern = [
        (p.index[0], p.repeats[0], p.count, p.mean[0], p.scatter[0, 0] + p.count * p.mean[0] ** 2) for p in of.patterns
    ]
    return np.concatenate([scalars, *by_size, scatter, np.array(by_pattern).T.ravel(), clock.ravel()])
