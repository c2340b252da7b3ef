"""Level and drop of a curve at many nodes, given the nonlinear parameters there.

The level of the curve at the largest pilot size and (for means whose drop scales) the drop there are Gaussian, cut to
their bounds. Under a prior of the share that is still to be won, the share is drawn and the level, which is Gaussian
given the share, stays a distribution; under the paper's priors both are drawn. The masses go into the weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, ndtri

from .._check import FloatArray
from ..model.beliefs import Beta
from ..model.means import Mean
from ..numerics.truncated_normal import TruncatedStandardNormal
from .sobol_points import CLOSEST, Uniforms
from .statistics import Statistics

__all__ = ["LOGISTIC", "WELL", "Drawn", "LevelAndDrop", "Told"]

_LOG_2PI = np.log(2 * np.pi)

# Proposal for the drop of a mean that does not scale: its logit, as a share of the room between floor and ceiling.
_DROP_LOC, _DROP_SCALE = -2.0, 1.5

_LITTLE = 2.0  # standard deviations, beyond which a cut takes less than a fortieth
WELL = 3.5
"""Standard deviations that a Gaussian keeps off a bound, to be taken for uncut."""
LOGISTIC = 0.7
"""Scale of the logistic distribution that shares are drawn from, over the Gaussian's: a little wider."""


class Told(NamedTuple):
    """What the pseudo-scores say of level and drop at each node: inner products of whitened columns."""

    deviate: FloatArray
    """Of the drop, where it does not scale."""
    share_factors: tuple[float, float]
    """What a and b of the share's prior are multiplied by."""
    gram: FloatArray
    """Of the pseudo-scores y, of what the level multiplies (1) and, where the drop scales, of what it multiplies."""
    rise: FloatArray
    """From the largest pilot size to each of them: for a unit drop where the drop scales."""
    drop: FloatArray
    """A unit, or the drop itself."""
    least_limit: float


class Drawn(NamedTuple):
    """Several draws at each node, and the logarithm of what each weighs: shape (draws, nodes)."""

    level: FloatArray
    spread: FloatArray
    """Standard deviation of the level, not yet cut to its bounds; 0 where the level itself was drawn."""
    share: FloatArray
    """Of the room between level and ceiling: the drop."""
    log_mass: FloatArray


@dataclass(frozen=True)
class LevelAndDrop:
    """What is believed of level and drop beforehand: the share of the room to be won, or as in the paper (None)."""

    mean: Mean
    shares: Beta | None
    ceiling: float
    floor: float

    def least_limit(self, of: Statistics) -> float:
        """Lower bound of the curve's limit: in the paper the best score, kept a little off the ceiling."""
        return -np.inf if self.shares is not None else min(of.best, self.ceiling - 1e-3)

    def proposed_drop(self, z: FloatArray) -> FloatArray:
        """Drop of a mean that does not scale, at its deviate."""
        drop: FloatArray = np.clip((self.ceiling - self.floor) * expit(_DROP_LOC + _DROP_SCALE * z), 1e-9, 1 - 1e-9)
        return drop

    def draw(self, told: Told, last: float, shape: tuple[FloatArray, ...], u: Uniforms) -> Drawn:
        """Draws at each node.

        Parameters
        ----------
        told
            What the pseudo-scores say.
        last, shape
            The largest pilot size, in units of the smallest, and the shape coordinates of the mean.
        u
            Uniform numbers.
        """
        if self.shares is not None and self.mean.scalable:
            return self._draw_shares(told, self.shares, u)
        level, drop, log_mass = (self._draw_scalable if self.mean.scalable else self._draw_level)(told, u)
        if self.shares is None:
            log_mass += self._log_paper_prior(level, drop, told, last, shape)
        else:
            log_mass += self._log_share_prior(self.shares, level, drop, told.share_factors)
        return Drawn(level, np.zeros_like(level), drop / (self.ceiling - level), log_mass)

    def _draw_shares(self, told: Told, prior: Beta, u: Uniforms) -> Drawn:
        """The share s of the room above the level l that is still to be won, and the Gaussian of l given s.

        The drop is s (ceiling - l), so that the mean curve l + drop q = l (1 - s q) + s ceiling q is linear in l: its
        likelihood, integrated over l, is a closed form in s.

        The share's prior has poles at 0 and 1, so that weights of draws from a distribution that follows the likelihood
        alone would have no variance. Half of the draws come from the arcsine distribution, which has such poles too,
        the others from a logistic one, cut to [0, 1], and all are weighed as draws from both (Veach and Guibas 1995).
        Where the likelihood keeps off the poles, all are logistic.
        """
        (yy, yp, yq), (_, pp, pq), (_, _, qq) = told.gram
        # The least squares of y - l - drop q, where they are least, and how they grow with the drop.
        # What is less than rounding leaves of them tells nothing, and would differ between processors.
        precision = np.maximum(qq - pq**2 / pp, 1e-9 * qq + 1e-12 * pp)
        best_drop = (yq - pq * yp / pp) / precision
        best_level = (yp - pq * best_drop) / pp
        least = yy - yp**2 / pp - best_drop**2 * precision
        centre, width, off_poles = self._roughly(best_level, best_drop, precision, -pq / pp, pp)
        low, high = expit(-centre / width), expit((1 - centre) / width)
        odds = low + u.shares * (high - low)
        share = np.clip(centre + width * np.log(odds / (1 - odds)), CLOSEST, 1 - CLOSEST)
        half = len(share) // 2
        share[half:] = np.where(off_poles, share[half:], u.arcsine)
        log_share, log_rest = np.log(share), np.log(1 - share)
        above = expit((share - centre) / width)
        proposed = above * (1 - above) / (width * (high - low))
        mixed = 0.5 * (proposed + 1 / (np.pi * np.sqrt(share * (1 - share))))
        log_weight = prior.log_density(log_share, log_rest, *told.share_factors)
        log_weight -= np.log(np.where(off_poles, proposed, mixed))
        # Along drop = s (ceiling - l) the level's precision is |1 - s q|^2, and the least squares grow from `least`.
        precision_of_level = pp - share * (2 * pq - share * qq)
        excess = best_drop - share * (self.ceiling - best_level)
        squares = least + excess**2 * (precision * pp / precision_of_level)
        level = best_level - excess * (share * qq - pq) / precision_of_level
        log_weight -= 0.5 * (squares + np.log(precision_of_level) - _LOG_2PI) + np.log(self.ceiling - self.floor)
        return Drawn(level, 1 / np.sqrt(precision_of_level), share, log_weight)

    def within_bounds(self, drawn: Drawn, u: FloatArray) -> Drawn:
        """The same, but levels that come close to their bounds are drawn, at levels u of their distributions.

        Their weights are multiplied by the mass within the bounds.
        """
        level, spread, share, log_mass = drawn
        near = np.minimum(level - self.floor, self.ceiling - level) < WELL * spread
        if not near.any():
            return drawn
        centre, scale = level[near], spread[near]
        cut = TruncatedStandardNormal((self.floor - centre) / scale, (self.ceiling - centre) / scale)
        level, spread, log_mass = level.copy(), spread.copy(), log_mass.copy()
        level[near] = np.minimum(centre + scale * cut.quantile(u[near]), self.ceiling - CLOSEST)
        spread[near] = 0.0
        log_mass[near] += cut.log_mass
        return Drawn(level, spread, share, log_mass)

    def _roughly(
        self, level: FloatArray, drop: FloatArray, precision: FloatArray, slope: FloatArray, level_precision: FloatArray
    ) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
        """Where the likelihood puts the share: location and scale of a logistic distribution, and whether off 0 and 1.

        By the delta method from the Gaussian of level and drop: the best of both, the drop's precision, and how the
        level goes with the drop, with its precision given the drop.
        """
        room = np.maximum(self.ceiling - level, 1e-3)
        centre = drop / room
        inside = np.clip(centre, 0.0, 1.0)
        spread = np.sqrt((1 + inside * slope) ** 2 / precision + inside**2 / level_precision) / room
        spread = np.clip(spread, 1e-6, 1e3)
        # From k standard deviations outside, what is inside falls off k times as fast.
        width = LOGISTIC * spread / (1 + np.abs(centre - inside) / spread)
        return inside, width, (inside > WELL * spread) & (1 - inside > WELL * spread)

    def _draw_scalable(self, told: Told, u: Uniforms) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Level and drop are both Gaussian: first the level, then the drop given the level."""
        (yy, yp, yq), (_, pp, pq), (_, _, qq) = told.gram
        qq = np.maximum(qq, 1e-30)
        slope = pq / qq
        precision = np.maximum(pp - pq * slope, 1e-12 * pp)
        centre, spread = (yp - yq * slope) / precision, 1 / np.sqrt(precision)
        level, log_mass = _cut_draws(centre, spread, self.floor, self.ceiling, u.levels)
        np.clip(level, self.floor, self.ceiling - 1e-9, out=level)
        log_mass = log_mass - 0.5 * (yy - centre**2 * precision - yq**2 / qq) + 0.5 * _LOG_2PI + np.log(spread)
        centre, spread = yq / qq - level * slope, 1 / np.sqrt(qq)
        least, most = np.maximum(told.least_limit - level, 0.0), self.ceiling - level
        # The paper's prior ends where the curve at the smallest size meets the floor.
        most = np.minimum(most, (level - self.floor) / np.maximum(-told.rise[0], 1e-12))
        cut = TruncatedStandardNormal((least - centre) / spread, (most - centre) / spread)
        drop = np.clip(centre + spread * cut.quantile(u.shares), 1e-12, 1.0)
        log_mass = log_mass + cut.log_mass + 0.5 * _LOG_2PI + np.log(spread)
        return level, drop, np.where(most > least, log_mass, -np.inf)

    def _draw_level(self, told: Told, u: Uniforms) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Only the level is Gaussian: the drop is a coordinate with a proposal of its own."""
        z, drop, rise = told.deviate, told.drop, told.rise
        (yy, yp), (_, pp) = told.gram
        centre, spread = yp / pp, 1 / np.sqrt(pp)
        paper = self.shares is None
        low = np.maximum(self.floor - rise[0], told.least_limit - drop) if paper else self.floor
        high = self.ceiling - drop
        level, log_mass = _cut_draws(centre, spread, low, high, u.levels)
        np.clip(level, self.floor, self.ceiling - 1e-9, out=level)
        # Density of the drop under its proposal, relative to N(0, 1) in the score.
        logit = _DROP_LOC + _DROP_SCALE * z
        log_proposal = -0.5 * z**2 - 0.5 * _LOG_2PI - np.log(_DROP_SCALE)
        log_proposal -= np.log(self.ceiling - self.floor) + log_expit(logit) + log_expit(-logit)
        log_mass = log_mass - 0.5 * (yy - centre * yp) + 0.5 * _LOG_2PI + np.log(spread) - log_proposal
        return level, np.broadcast_to(drop, level.shape), np.where(high > low, log_mass, -np.inf)

    def _log_share_prior(
        self, prior: Beta, level: FloatArray, drop: FloatArray, factors: tuple[float, float]
    ) -> FloatArray:
        """Prior density of level ~ U[floor, ceiling] and drop, drop / (ceiling - level) ~ Beta."""
        room = self.ceiling - level
        share = np.clip(drop / room, 1e-9, 1 - 1e-9)
        log_density = prior.log_density(np.log(share), np.log1p(-share), *factors)
        return log_density - np.log(room * (self.ceiling - self.floor))

    def _log_paper_prior(
        self, level: FloatArray, drop: FloatArray, told: Told, last: float, shape: tuple[FloatArray, ...]
    ) -> FloatArray:
        """Prior density of limit a ~ U[y', ceiling] and drop at the smallest size g ~ U[0, a - floor].

        It is that of level and drop: a = level + drop, g = g(drop).
        """
        step = 1e-30
        nudged = self.mean.drop(np.ones(1), *self.mean.solve_theta(np.asarray(last), drop + 1j * step, *shape))
        slope = np.imag(nudged) / step
        window = self.ceiling - told.least_limit
        return np.log(slope) - np.log(window) - np.log(level + drop - self.floor)


def _cut_draws(
    centre: FloatArray, spread: FloatArray, low: FloatArray | float, high: FloatArray | float, u: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Draws (draws, ...) at levels u from Gaussians (...) cut to [low, high], and logarithms of their weights.

    Where the cut takes little, the few draws beyond it count for nothing; elsewhere, draws are within it and weigh as
    much as its mass.
    """
    below, above = (low - centre) / spread, (high - centre) / spread
    deviates = np.broadcast_to(ndtri(u), (len(u), *below.shape)).copy()
    log_weight = np.where((deviates >= below) & (deviates <= above), 0.0, -np.inf)
    cut = (below > -_LITTLE) | (above < _LITTLE)
    if cut.any():
        normal = TruncatedStandardNormal(below[cut], above[cut])
        deviates[:, cut] = normal.quantile(np.broadcast_to(u, deviates.shape)[:, cut])
        log_weight[:, cut] = normal.log_mass
    return centre + spread * deviates, log_weight
