"""The density at many nodes by compiled loops, where a curve allows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import betaln

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from .draws import FAR
from .level_and_drop import LOGISTIC, WELL
from .statistics import EARLY, Pattern, Statistics
from .uniforms import CLOSEST, DRAWS, Uniforms

if TYPE_CHECKING:
    from .density import Density

__all__ = ["Layout", "evaluated", "laid_out", "log_rest"]


class Layout(NamedTuple):
    """A curve as the compiled loops read it."""

    counts: tuple[int, int, int, int, int]
    """Of sizes, far ones, draws and patterns, and of the numbers that patterns take where they are of any kind."""
    numbers: FloatArray


def evaluated(
    layout: Layout | None,
    parameters: dict[str, FloatArray],
    rise: FloatArray,
    u: Uniforms,
    rows: FloatArray,
    start: int,
) -> bool:
    """Put what `Density.evaluate` works out at the nodes into rows, from the column `start` on.

    False where the density has to do so itself. `rise` is that of a unit drop, at the pilot sizes and at far ones.
    """
    loops = compiled_loops(rise.shape[1])
    if loops is None or layout is None or layout.counts[0] > loops.MOST_SIZES:
        return False
    sizes, far, _, *patterns = layout.counts
    loops.evaluate(
        (sizes, far, len(u.shares), *patterns),
        layout.numbers,
        *(np.ascontiguousarray(parameters[name]) for name in ("tau_e", "tau_b", "kappa", "sigma", "lam")),
        np.ascontiguousarray(rise),
        u.levels,
        u.shares,
        u.arcsine,
        rows,
        start,
    )
    return True


def log_rest(layout: Layout | None, parameters: dict[str, FloatArray]) -> FloatArray | None:
    """Logarithm of the likelihood of the scores given `pseudo_scores`; None where these have to tell."""
    nodes = len(parameters["tau_e"])
    loops = compiled_loops(nodes)
    if loops is None or layout is None or layout.counts[0] > loops.MOST_SIZES:
        return None
    rest = np.empty(nodes)
    noise = (np.ascontiguousarray(parameters[name]) for name in ("tau_e", "tau_b", "kappa"))
    loops.log_rest(layout.counts, layout.numbers, *noise, rest)
    return rest


def laid_out(density: Density, clock: FloatArray, of: Statistics) -> Layout | None:
    """All that the compiled loops need of a curve, in the order in which they read it; None where they cannot."""
    beliefs, linked = density.beliefs, len(of.patterns) == 1
    if beliefs.kernel != "ou" or beliefs.shares is None or not density.mean.scalable:
        return None
    prior = beliefs.shares[density.mean.name]
    times_a, times_b = density.share_factors(of)
    a, b = prior.a * times_a, prior.b * times_b
    first, log_sizes = of.patterns[0], np.log(of.sizes)
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
    dense = [] if linked or of.unlinked else [_dense(pattern) for pattern in of.patterns]
    numbers = np.concatenate([scalars, *by_size, scatter, np.array(by_pattern).T.ravel(), clock.ravel(), *dense])
    return Layout((len(of.sizes), len(clock), DRAWS, len(of.patterns), sum(map(len, dense))), numbers)


def _dense(pattern: Pattern) -> FloatArray:
    """A pattern of any kind."""
    sizes = len(pattern.index)
    return np.concatenate(
        [[pattern.count, sizes], pattern.index, pattern.repeats, pattern.mean, pattern.scatter.ravel()]
    )
