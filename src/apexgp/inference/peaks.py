"""Peaks of the posterior that are so narrow that a search by nodes may miss them.

A pilot that leaps at its last size, or ten equal scores and another, may have most of its posterior where no node of
the first rounds lies, and those that do exist then look like a posterior. So a curve that has just taken off, if it is
likely enough, and after a long search the highest node, climbs to its peak by Newton's method: a peak that weighs
something, by Laplace's approximation, and has few nodes gets proposals of its own.

Such peaks lie on a thin, bent ridge. The steeper a curve takes off, the better the scores know where: the deviate of
the onset is known to a thousandth there, and bends with those of the exponents. How far the curve has come by the end
of the pilot, log(theta1 / drop), is known equally well however steep it is. So the onset is replaced by that, and the
ridge becomes a plain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._check import FloatArray
from ..model.distributions import Normal
from ..model.means import BurrMean
from .density import Density, Divide
from .proposals import Proposals, Wide, degrees_of_freedom, derivatives, stencil, to_four_digits
from .sobol_points import even_uniforms, standard_t
from .statistics import Statistics

__all__ = ["OnsetCoordinates", "Peak", "climb", "find_missed_peaks", "wide_around"]

_STEP = 0.3  # of finite differences, in standard deviations as they are known so far
_MOST_STEPS = 40
_LONGEST = 3.0  # first step of Newton's method along any axis, in such standard deviations
_ARRIVED = 1.0  # what another step would promise, in units of log density
_FIRST_SPREAD, _WIDEST = 0.3, 2.0
_MOST_CHANGE = 16.0  # of a curvature between two steps

_NEAR = 4.0  # standard deviations around a peak
_LEAST_NODES = 10.0  # effective nodes near a peak, for it to count as found
_LEAST_MASS = 0.01  # of the posterior, for a peak to matter
_AROUND_PEAKS = 0.4  # share of the wide nodes
_SAMPLE = 1024  # nodes that wide proposals are carried over by

# Curves that have just taken off, looked at beside the nodes: how far they have come by the end of the pilot; deviates
# of the exponent of the tail, of log theta4, and of sigma; and by how many deviates their noise is below the usual.
_COME = np.linspace(-2.5, 6.0, 16)
_TAIL, _SHARPNESS, _STEADY, _QUIETER = 1.5, (-2.5, -4.5), (-0.5, -1.5), (0.0, 2.0)
_LOWEST_START = 25.0  # below the highest node, in units of log density

_FARTHEST = 500.0  # beyond, nothing changes, and exponentials overflow
_LEAST_TAIL = 1e-8


@dataclass(frozen=True)
class OnsetCoordinates:
    """Deviates of a curve, that of the onset replaced by v = -log log(theta1 / drop at the largest pilot size).

    Without an onset whose prior is normal, coordinates are the deviates themselves.
    """

    density: Density
    of: Statistics

    @property
    def _mean(self) -> BurrMean | None:
        mean = self.density.mean
        if not isinstance(mean, BurrMean) or not isinstance(self._prior, Normal):
            return None
        return mean

    @property
    def _prior(self) -> object:
        return self.density.beliefs.shapes[self.density.mean.name][BurrMean.onset]

    @property
    def divide(self) -> Divide:
        """Threshold between early and late onset: whether the drop has shrunk by a factor of e."""
        row = self.density.divide(self.of).row
        return self.density.divide(self.of) if self._mean is None else Divide(row, 0.0, np.inf)

    def from_deviates(self, z: FloatArray) -> FloatArray:
        """Coordinates of deviates z (D, nodes)."""
        if self._mean is None:
            return z
        tail, offset, log_theta4 = self.density.shape(z, self.of)
        fall = self._mean.fall(np.maximum(tail, _LEAST_TAIL), offset, log_theta4)
        v = z.copy()
        v[self.divide.row] = -np.log(np.maximum(fall, np.exp(-_FARTHEST)))
        return v

    def to_deviates(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Deviates (D, nodes) of coordinates v, and the logarithm of |dz / dv|, shape (nodes,)."""
        if self._mean is None:
            return v, np.zeros(v.shape[1])
        z, row = v.copy(), self.divide.row
        z[row] = 0.0
        tail, centre, log_theta4 = self.density.shape(z, self.of)
        z[row] = 1.0
        unit = self.density.shape(z, self.of)[BurrMean.onset] - centre  # of the offset, for a unit of its deviate
        fall = np.exp(np.clip(-v[row], -_FARTHEST, _FARTHEST / 20))
        offset, log_slope = self._mean.solve_offset(fall, np.maximum(tail, _LEAST_TAIL), log_theta4)
        z[row] = (offset - centre) / unit
        return z, log_slope - np.log(unit)


class Peak(NamedTuple):
    """A local maximum of the posterior in coordinates of `OnsetCoordinates`."""

    place: FloatArray
    root: FloatArray
    """Lower root of the inverse curvature, shape (D, D)."""
    log_mass: float
    """Logarithm of the integral over it, by Laplace's approximation."""


LogDensity = Callable[[FloatArray], FloatArray]


def climb(log_density: LogDensity, start: FloatArray) -> Peak:
    """Find the maximum above a start (D,) of a log density that takes points (D, n), by Newton's method.

    Steps are taken in units of the inverse curvature that is known so far, which may be anything at first. Where the
    density is not concave, the size of its curvature says how far to go.
    """
    dimensions = len(start)
    points = _STEP * stencil(dimensions).T
    place, root, reached, step = start, _FIRST_SPREAD * np.eye(dimensions), -np.inf, np.zeros(dimensions)
    longest = _LONGEST
    for _ in range(_MOST_STEPS):
        at = place + root @ step
        values = log_density(at[:, None] + root @ points)
        if values[0] > reached and np.isfinite(values).all():
            place, reached = at, float(values[0])
            gradient, curvature = derivatives(values, dimensions, _STEP)
            own, vectors = np.linalg.eigh(-curvature)
            vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(dimensions)])
            sizes = np.clip(np.abs(own), 1 / _MOST_CHANGE, _MOST_CHANGE)
            root, gradient = root @ (vectors / np.sqrt(sizes)), vectors.T @ gradient / np.sqrt(sizes)
            cut = np.minimum(1.0, _WIDEST / np.sqrt(np.maximum((root**2).sum(axis=0), 1e-300)))
            root, gradient = root * cut, gradient * cut
            if gradient @ gradient < _ARRIVED and (sizes == np.abs(own)).all():
                break
            step = gradient * min(1.0, longest / max(np.abs(gradient).max(), 1e-300))
            longest *= 2  # as long as steps lead upwards
        else:
            step, longest = 0.25 * step, _LONGEST
            if np.abs(step).max() < 0.1 * _STEP:
                break
    lower = np.linalg.cholesky(root @ root.T)
    log_mass = reached + float(np.log(np.diagonal(lower)).sum()) + 0.5 * dimensions * np.log(2 * np.pi)
    # Differences leave few digits, as in `find_noise_mode`.
    return Peak(np.round(place, 4), to_four_digits(np.asarray(lower, np.float64)), log_mass)


def find_missed_peaks(
    coordinates: OnsetCoordinates,
    z: FloatArray,
    log_weight: FloatArray,
    weights: FloatArray,
    log_evidence: float,
    centre: FloatArray,
    *,
    everywhere: bool,
) -> list[Peak]:
    """Find peaks that matter and that the nodes hardly know.

    Parameters
    ----------
    coordinates
        In which peaks are looked for.
    z, log_weight, weights
        Deviates of the nodes, shape (D, nodes); logarithms of the density at their draws, shape (draws, nodes); what
        they weigh, shape (nodes,).
    log_evidence
        As far as it is known.
    centre
        Deviates of a curve of which nothing is known but its noise.
    everywhere
        Climb from the highest node, too, and from a curve that has just taken off however unlikely it is to begin with.
    """
    log_density = _log_density(coordinates)
    v = coordinates.from_deviates(z)
    heights = log_weight.max(axis=0) + coordinates.to_deviates(v)[1]
    starts = [v[:, np.argmax(heights)]] if everywhere else []
    if coordinates.divide.row >= 0:
        others = _curves_that_take_off(coordinates, centre)
        found = log_density(others)
        if everywhere or found.max() > heights.max() - _LOWEST_START:
            starts.append(others[:, np.argmax(found)])
    matters = log_evidence + np.log(_LEAST_MASS)
    peaks = [peak for peak in (climb(log_density, start) for start in starts) if peak.log_mass > matters]
    return [peak for peak in peaks if _count_near(peak, v, weights) < _LEAST_NODES]


def wide_around(peaks: Sequence[Peak], coordinates: OnsetCoordinates, wide: Wide, seed: int) -> Wide:
    """Wide proposals in other coordinates, and one around each peak.

    Others have the moments of nodes that came from the proposals `wide` for deviates, by these and by family.
    """
    dimensions = len(coordinates.density.names)
    source = wide.counting(_SAMPLE)
    z = source.nodes(standard_t(_SAMPLE, dimensions, degrees_of_freedom(dimensions), seed))
    v, divide = coordinates.from_deviates(z), coordinates.divide
    late = np.zeros(_SAMPLE, bool) if divide.row < 0 else v[divide.row] > divide.above
    kind = 2 * np.repeat(np.arange(len(source.counts)), source.counts) + late
    places, roots, shares = [], [], []
    for own in (v[:, kind == which] for which in range(kind.max() + 1)):
        if own.shape[1] > 4 * dimensions:
            places.append(own.mean(axis=1))
            roots.append(np.linalg.cholesky(np.cov(own)))
            shares.append((1 - _AROUND_PEAKS) * own.shape[1] / _SAMPLE)
    for peak in peaks:
        places.append(peak.place)
        roots.append(np.sqrt(2) * peak.root)
        shares.append(_AROUND_PEAKS / len(peaks))
    return Wide(Proposals.of(np.array(places), np.array(roots)), np.array(shares) / sum(shares))


def _count_near(peak: Peak, v: FloatArray, share: FloatArray) -> float:
    """Effective number of nodes near a peak."""
    away = np.linalg.solve(peak.root, v - peak.place[:, None])
    near = share[np.einsum("dn,dn->n", away, away) < _NEAR**2]
    return float(near.sum() ** 2 / max(near @ near, 1e-300))


def _curves_that_take_off(coordinates: OnsetCoordinates, centre: FloatArray) -> FloatArray:
    """Coordinates (D, nodes) of curves that have just taken off, more or less sharply."""
    names, row = coordinates.density.names, coordinates.divide.row
    come, sharpness, steady, quieter = (part.ravel() for part in np.meshgrid(_COME, _SHARPNESS, _STEADY, _QUIETER))
    v = np.repeat(centre[:, None], len(come), axis=1)
    v[[row, names.index("shape2"), names.index("sigma")]] = come, sharpness, steady
    v[names.index("shape0")] = _TAIL
    v[names.index("tau_e")] -= quieter
    return v


def _log_density(coordinates: OnsetCoordinates) -> LogDensity:
    """Logarithm of likelihood times prior at coordinates (D, n), up to the posterior's constant: smooth in them."""

    def log_density(v: FloatArray) -> FloatArray:
        dimensions, count = v.shape
        z, log_slope = coordinates.to_deviates(v)
        at = coordinates.density.evaluate(z, even_uniforms(count), coordinates.of)
        values = _log_mean(at.log_weight) + log_slope
        values -= 0.5 * (np.einsum("dn,dn->n", z, z) + dimensions * np.log(2 * np.pi))
        return values

    return log_density


def _log_mean(log_weight: FloatArray) -> FloatArray:
    """Logarithm of the mean over a node's draws, shape (nodes,)."""
    top = np.maximum(log_weight.max(axis=0), -1e300)
    with np.errstate(divide="ignore"):
        mean: FloatArray = top + np.log(np.exp(log_weight - top).mean(axis=0))
    return mean
