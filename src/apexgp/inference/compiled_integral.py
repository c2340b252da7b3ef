"""The integration by compiled code, for the means, kernels and kinds of priors that it knows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaln

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from ..model.distributions import Beta, LogitNormal, LogNormal, Normal
from ..numerics.truncated_mixture import TruncatedMixture
from .density import Density
from .draws import FAR, Nodes
from .ends import BEND, LEAST_MASS, find_end_bounds
from .level_and_drop import LOGISTIC, WELL
from .posterior import Posterior
from .proposals import LATE, STEADY, degrees_of_freedom, normaliser
from .rounds import ROUNDS, TOLERATED
from .sobol_points import CLOSEST, DRAWS, standard_t, uniforms
from .statistics import EARLY, Pattern, Statistics

__all__ = ["integrate_compiled"]

_KINDS = (LogNormal, LogNormal, LogitNormal, LogNormal, LogNormal, LogitNormal, Normal, Normal)
"""Of the priors of tau_e, tau_ratio, kappa, sigma, lambda and the shape coordinates, that compiled code knows."""
_MEANS = ("burr", "power_law")
_PARAMETERS = ("tau_e", "tau_b", "kappa", "sigma", "lam")
_FEWEST_POINTS = 8192
_TOLD, _BY_COMPONENT = 10, 22


def integrate_compiled(
    density: Density, of: Statistics, seed: int, *, precision: float = TOLERATED, roughly: bool = False
) -> Posterior | None:
    """Posterior of a curve; None where compiled code does not know the model, or there is none."""
    loops, shares = compiled_loops(), density.beliefs.shares
    if loops is None or shares is None or len(of.sizes) > loops.MOST_SIZES or not _is_known(density):
        return None
    dimensions = len(density.names)
    layout = _lay_out(density, of, shares[density.mean.name])
    options = _list_options(density, of, precision, roughly)
    log_sizes = np.concatenate([np.log(of.sizes / of.sizes[-1]), np.log(FAR)])
    out, told, count = np.empty((_BY_COMPONENT, ROUNDS.components_for(precision) + 1)), np.empty(_TOLD), _FEWEST_POINTS
    while True:
        t = standard_t(count, dimensions, degrees_of_freedom(dimensions), seed)
        points = (t, *uniforms(count, dimensions, seed))
        kept = loops.integrate(layout.counts, layout.numbers, options, log_sizes, *points, out, told)
        if kept >= 0:
            break
        count *= 2  # the first of them are the same
    values = out[:, :kept]
    parameters = dict(zip(_PARAMETERS, values[:5], strict=True))
    weights, masses = values[20:]
    log_evidence, effective, heaviest, evaluations, *squares = told.tolist()
    far = TruncatedMixture(values[14:17].T, np.sqrt(values[17:20]).T, weights)
    bounds = find_end_bounds(far, np.array(squares).reshape(-1, 2), heaviest)
    nodes = Nodes(parameters, tuple(values[5:dimensions]), *values[8:14])
    return Posterior(density, of, nodes, weights, log_evidence, effective, bounds, masses, int(evaluations))


def _is_known(density: Density) -> bool:
    known = zip(_list_priors(density), _KINDS, strict=False)
    return (
        density.beliefs.kernel == "ou"
        and density.mean.name in _MEANS
        and all(isinstance(prior, kind) for prior, kind in known)
    )


def _list_priors(density: Density) -> tuple[Any, ...]:
    own = density.beliefs
    return own.tau_e, own.tau_ratio, own.kappa, own.sigma, own.lam, *own.shapes[density.mean.name]


def _list_options(density: Density, of: Statistics, precision: float, roughly: bool) -> FloatArray:
    """As `struct options` of compiled/integral.h has them."""
    given, dimensions, by, priors = density.given(of), len(density.names), ROUNDS, _list_priors(density)
    location, spread = np.zeros((2, len(_KINDS)))
    for i, prior in enumerate(priors):
        is_log = isinstance(prior, LogNormal)
        own, scale = (np.log(prior.median), prior.spread) if is_log else (prior.loc, prior.scale)
        location[i], spread[i] = own + scale * given.shift[i], scale * given.stretch[i]
    return np.array(
        [
            *(dimensions, density.mean.name == "burr", density.ceiling, *location, *spread),
            *(given.window, priors[2].upper, priors[5].upper, *given.divide, *(density.mean.steep or (0.0,) * 3)),
            *(precision, roughly, by.first_roughly if roughly else by.first, by.searching, by.found),
            *(by.most_searching, by.soon, by.least, by.least_where_hard, by.least_where_uneven),
            *(
                by.finer(precision) * by.most,
                by.step,
                by.growth,
                by.enough,
                by.rough,
                by.more_where_hard,
                by.wide,
                by.first_worth,
                LATE,
                STEADY,
                *by.fitting,
            ),
            *(normaliser(dimensions), degrees_of_freedom(dimensions), *BEND, LEAST_MASS, by.components_for(precision)),
        ]
    )


class _Layout(NamedTuple):
    """A curve as compiled code reads it."""

    counts: tuple[int, int, int, int, int]
    """Of sizes, far ones, draws and patterns, and of the numbers that patterns take where they are of any kind."""
    numbers: FloatArray


def _lay_out(density: Density, of: Statistics, prior: Beta) -> _Layout:
    """All that compiled code needs of a curve, in the order in which it reads it."""
    beliefs, linked = density.beliefs, len(of.patterns) == 1
    clock = density.clock(FAR * of.sizes[-1], of.sizes[-1])
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
    dense = [] if linked or of.unlinked else [_lay_out_pattern(pattern) for pattern in of.patterns]
    numbers = np.concatenate([scalars, *by_size, scatter, np.array(by_pattern).T.ravel(), clock, *dense])
    return _Layout((len(of.sizes), len(clock), DRAWS, len(of.patterns), sum(map(len, dense))), numbers)


def _lay_out_pattern(pattern: Pattern) -> FloatArray:
    """A pattern of any kind."""
    sizes = len(pattern.index)
    return np.concatenate(
        [[pattern.count, sizes], pattern.index, pattern.repeats, pattern.mean, pattern.scatter.ravel()]
    )
