"""The integration by compiled code, for the means, kernels and kinds of priors that it knows."""

from __future__ import annotations

from math import sqrt

import numpy as np

from .._check import FloatArray
from ..compiled.loaded import compiled_loops
from ..model.distributions import LogitNormal, LogNormal, Normal
from ..numerics.truncated_mixture import TruncatedMixture
from . import adaptation, proposals, sampler
from .density import Density
from .draws import FAR, Nodes
from .ends import BEND, LEAST_MASS, end_error
from .fused import Layout
from .posterior import Posterior
from .proposals import degrees_of_freedom, normaliser
from .statistics import Statistics
from .uniforms import standard_t, uniforms

__all__ = ["integrate_compiled"]

_KINDS = (LogNormal, LogNormal, LogitNormal, LogNormal, LogNormal, LogitNormal, Normal, Normal)
_PARAMETERS = ("tau_e", "tau_b", "kappa", "sigma", "lam")
_FEWEST_POINTS = 16384  # for each half
_TOLD, _BY_COMPONENT = 5, 22


def integrate_compiled(
    density: Density, of: Statistics, seed: int, *, precision: float, roughly: bool
) -> Posterior | None:
    """Posterior of a curve; None where compiled code does not know the model, or there is none."""
    loops = compiled_loops()
    layout = density._given(of).layout
    if loops is None or layout is None or layout.counts[0] > loops.MOST_SIZES or not _is_known(density):
        return None
    options = _options_of(density, of, precision, roughly)
    log_sizes = np.concatenate([np.log(of.sizes / of.sizes[-1]), np.log(FAR)])
    finer = max((sampler.TOLERATED / precision) ** 2, 1.0)
    components = int(min(finer, 16) * 1024)
    out, told, count = np.empty((_BY_COMPONENT, components + 1)), np.empty(_TOLD), _FEWEST_POINTS
    while True:
        points = [_points(count, len(density.names), seed, half) for half in range(2)]
        kept = loops.integrate(layout.counts, layout.numbers, options, log_sizes, *points, out, told)
        if kept >= 0:
            break
        count *= 2
    values = out[:, :kept]
    parameters = dict(zip(_PARAMETERS, values[:5], strict=True))
    shapes = tuple(values[5 : 5 + len(density.names) - 5])
    weights, masses = values[20:]
    log_evidence, effective, _, _, error = told.tolist()
    nodes = Nodes(parameters, shapes, *values[8:14])
    return Posterior(density, of, nodes, weights, log_evidence, effective, error, masses)


def _points(count: int, dimensions: int, seed: int, half: int) -> tuple[FloatArray, ...]:
    """Standard t vectors and the uniform numbers that go with them, for one half of the nodes."""
    return standard_t(count, dimensions, degrees_of_freedom(dimensions), seed, half), *uniforms(
        count, dimensions, seed, half
    )


def _is_known(density: Density) -> bool:
    priors = _priors_of(density)
    return density.mean.name in ("burr", "power_law") and all(
        isinstance(prior, kind) for prior, kind in zip(priors, _KINDS, strict=False)
    )


def _priors_of(density: Density) -> tuple[object, ...]:
    own = density.beliefs
    return own.tau_e, own.tau_ratio, own.kappa, own.sigma, own.lam, *own.shapes[density.mean.name]


def _options_of(density: Density, of: Statistics, precision: float, roughly: bool) -> FloatArray:
    """As `struct options` of compiled/integral.h has them."""
    given, dimensions = density._given(of), len(density.names)
    location, spread = np.zeros((2, 8))
    for i, prior in enumerate(_priors_of(density)):
        is_log = isinstance(prior, LogNormal)
        own, scale = (np.log(prior.median), prior.spread) if is_log else (prior.loc, prior.scale)
        location[i], spread[i] = own + scale * given.shift[i], scale * given.stretch[i]
    s, divide = sampler, given.divide
    return np.array(
        [
            *(dimensions, density.mean.name == "burr", density.ceiling, *location, *spread),
            *(given.window, density.beliefs.kappa.upper, density.beliefs.shapes[density.mean.name][0].upper),
            *(divide.row, divide.above, divide.below, *(density.mean.steep or (0.0,) * 3)),
            *(precision, roughly, (s._FIRST_ROUGHLY if roughly else s._FIRST) / 2, s._SEARCHING / 2, 30.0),
            *(s._MOST_SEARCHING, s._LEAST, s._LEAST_WHERE_HARD, s._LEAST_WHERE_UNEVEN, s._MOST, s._STEP, s._GROWTH),
            *(s._ENOUGH, s._ROUGH, s._MORE_WHERE_HARD, s._WIDE, proposals._LATE, proposals._STEADY),
            *(adaptation._FOR_POSTERIOR, adaptation._BULK, adaptation._IN_PARTS, adaptation._LEAST_PART),
            *(adaptation._STRAIGHTER, adaptation._NARROWEST, adaptation._LEAST_EFFECTIVE),
            *(normaliser(dimensions), degrees_of_freedom(dimensions), *BEND, LEAST_MASS),
            min(max((s.TOLERATED / precision) ** 2, 1.0), s._MOST_FINER) * s._COMPONENTS,
        ]
    )
