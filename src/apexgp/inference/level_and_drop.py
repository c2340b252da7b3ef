"""Draws of a curve's level and drop at many nodes, given the nonlinear parameters there.

The level of the curve at the largest pilot size and (for means whose drop scales) the drop there are Gaussian, cut to
their bounds: they are drawn exactly, one after the other, and their masses go into the weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, ndtri

from .._check import FloatArray
from ..model.beliefs import Beta
from ..model.means import Mean
from ..numerics.truncated import Cut
from .statistics import Batch

__all__ = ["LevelAndDrop", "Told"]

_LOG_2PI = np.log(2 * np.pi)

# Proposal for the drop of a mean that does not scale: its logit, as a share of the room between floor and ceiling.
_DROP_LOC, _DROP_SCALE = -2.0, 1.5

_WELL = 3.5  # standard deviations that a Gaussian keeps off a pole
_LITTLE = 2.0  # standard deviations, beyond which a cut takes less than a fortieth


class Told(NamedTuple):
    """What the pseudo-scores say of level and drop at each node: inner products of whitened columns."""

    deviate: FloatArray
    """Of the drop, where it does not scale."""
    share_factors: tuple[FloatArray, FloatArray]
    """What a and b of the share's prior are multiplied by."""
    gram: FloatArray
    """Of the pseudo-scores y, of what the level multiplies (1) and, where the drop scales, of what it multiplies."""
    rise: FloatArray
    """From the largest pilot size to each of them: for a unit drop where the drop scales."""
    drop: FloatArray
    """A unit, or the drop itself."""
    least_limit: FloatArray


@dataclass(frozen=True)
class LevelAndDrop:
    """What is believed of level and drop beforehand: the share of the room to be won, or as in the paper (None)."""

    mean: Mean
    shares: Beta | None
    ceiling: float
    floor: float

    def least_limits(self, batch: Batch) -> FloatArray:
        """Lower bounds of the curves' limits: in the paper the best score, kept a little off the ceiling."""
        if self.shares is not None:
            return np.full(len(batch), -np.inf)
        return np.minimum(batch.best, self.ceiling - 1e-3)

    def proposed_drop(self, z: FloatArray) -> FloatArray:
        """Drop of a mean that does not scale, at its deviate."""
        drop: FloatArray = np.clip((self.ceiling - self.floor) * expit(_DROP_LOC + _DROP_SCALE * z), 1e-9, 1 - 1e-9)
        return drop

    def draw(
        self, told: Told, last: FloatArray, shape: tuple[FloatArray, ...], u: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Level, drop, and the logarithm of what each draw weighs: shape (draws, curves, nodes).

        Parameters
        ----------
        told
            What the pseudo-scores say.
        last, shape
            The largest pilot size, in units of the smallest, and the shape coordinates of the mean.
        u
            Uniform numbers for level and drop, shape (2, draws, 1, nodes).
        """
        if self.shares is None:
            level, drop, log_mass = (self._draw_scalable if self.mean.scalable else self._draw_level)(told, u)
            log_mass += self._log_paper_prior(level, drop, told, last, shape)
            return level, drop, log_mass
        if self.mean.scalable:
            return self._draw_shares(told, self.shares, u)
        level, drop, log_mass = self._draw_level(told, u)
        log_mass += self._log_share_prior(self.shares, level, drop, told.share_factors)
        return level, drop, log_mass

    def _given_level(self, told: Told, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """A level that sits on data, and the Gaussian of the drop given the level."""
        (yy, yp, yq), (_, pp, pq), (_, _, qq) = told.gram
        qq = np.maximum(qq, 1e-30)
        slope = pq / qq
        precision = np.maximum(pp - pq * slope, 1e-12 * pp)
        centre, spread = (yp - yq * slope) / precision, 1 / np.sqrt(precision)
        level, log_mass = _cut_draws(centre, spread, self.floor, self.ceiling, u)
        np.clip(level, self.floor, self.ceiling - 1e-9, out=level)
        log_mass = log_mass - 0.5 * (yy - centre**2 * precision - yq**2 / qq) + 0.5 * _LOG_2PI + np.log(spread)
        return level, yq / qq - level * slope, 1 / np.sqrt(qq), log_mass

    def _draw_scalable(self, told: Told, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Level and drop are both Gaussian: first the level, then the drop given the level."""
        level, centre, spread, log_mass = self._given_level(told, u[0])
        least, most = np.maximum(told.least_limit - level, 0.0), self.ceiling - level
        # The paper's prior ends where the curve at the smallest size meets the floor.
        most = np.minimum(most, (level - self.floor) / np.maximum(-told.rise[0], 1e-12))
        cut = Cut((least - centre) / spread, (most - centre) / spread)
        drop = np.clip(centre + spread * cut.quantile(u[1]), 1e-12, 1.0)
        log_mass = log_mass + cut.log_mass + 0.5 * _LOG_2PI + np.log(spread)
        return level, drop, np.where(most > least, log_mass, -np.inf)

    def _draw_shares(self, told: Told, prior: Beta, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Level, and the share of the room above it that is still to be won.

        The share's prior has poles at 0 and 1, so that weights of draws from the Gaussian alone would have no variance.
        Half of the draws come from the arcsine distribution, which has such poles too, the others from the Gaussian,
        and all are weighed as draws from both (Veach and Guibas 1995). Where the Gaussian keeps off the poles, all are
        its own.
        """
        half = u.shape[1] // 2
        level, centre, spread, log_mass = self._given_level(told, u[0, :half])
        room = self.ceiling - level
        cut = Cut(-centre / spread, (room - centre) / spread)
        # Draws run over (proposals, levels).
        share = np.empty((2, *level.shape))
        np.divide(centre + spread * cut.quantile(u[1].reshape(2, half, *u.shape[2:])), room, out=share)
        off_poles = (centre > _WELL * spread) & (room - centre > _WELL * spread)
        share[1] = np.where(off_poles, share[1], np.sin(0.5 * np.pi * u[1, half:]) ** 2)
        np.clip(share, 1e-9, 1 - 1e-9, out=share)
        drop = share * room
        log_share, log_rest = np.log(share), np.log(1 - share)
        log_room = np.log(room)
        # Both proposals relative to the Gaussian, whose top counts as 1.
        log_cut = -(cut.log_mass + np.log(spread) + 0.5 * _LOG_2PI)
        excess = drop - centre
        excess /= spread
        excess *= 0.5 * excess
        excess -= 0.5 * (log_share + log_rest) + (log_room + log_cut + np.log(np.pi))
        np.exp(np.minimum(excess, 700.0, out=excess), out=excess)
        excess[:, off_poles] = 1.0
        excess += 1
        log_weight = prior.log_density(log_share, log_rest, *told.share_factors)
        log_weight -= np.log(excess, out=excess)
        log_weight += log_mass - log_cut - log_room + np.log(2 / (self.ceiling - self.floor))
        shape = (2 * half, *level.shape[1:])
        return np.concatenate([level, level]), drop.reshape(shape), log_weight.reshape(shape)

    def _draw_level(self, told: Told, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Only the level is Gaussian: the drop is a coordinate with a proposal of its own."""
        z, drop, rise = told.deviate, told.drop, told.rise
        (yy, yp), (_, pp) = told.gram
        centre, spread = yp / pp, 1 / np.sqrt(pp)
        paper = self.shares is None
        low = np.maximum(self.floor - rise[0], told.least_limit - drop) if paper else self.floor
        high = self.ceiling - drop
        level, log_mass = _cut_draws(centre, spread, low, high, u[0])
        np.clip(level, self.floor, self.ceiling - 1e-9, out=level)
        # Density of the drop under its proposal, relative to N(0, 1) in the score.
        logit = _DROP_LOC + _DROP_SCALE * z
        log_proposal = -0.5 * z**2 - 0.5 * _LOG_2PI - np.log(_DROP_SCALE)
        log_proposal -= np.log(self.ceiling - self.floor) + log_expit(logit) + log_expit(-logit)
        log_mass = log_mass - 0.5 * (yy - centre * yp) + 0.5 * _LOG_2PI + np.log(spread) - log_proposal
        return level, np.broadcast_to(drop, level.shape), np.where(high > low, log_mass, -np.inf)

    def _log_share_prior(
        self, prior: Beta, level: FloatArray, drop: FloatArray, factors: tuple[FloatArray, FloatArray]
    ) -> FloatArray:
        """Prior density of level ~ U[floor, ceiling] and drop, drop / (ceiling - level) ~ Beta."""
        room = self.ceiling - level
        share = np.clip(drop / room, 1e-9, 1 - 1e-9)
        log_density = prior.log_density(np.log(share), np.log1p(-share), *factors)
        return log_density - np.log(room * (self.ceiling - self.floor))

    def _log_paper_prior(
        self, level: FloatArray, drop: FloatArray, told: Told, last: FloatArray, shape: tuple[FloatArray, ...]
    ) -> FloatArray:
        """Prior density of limit a ~ U[y', ceiling] and drop at the smallest size g ~ U[0, a - floor].

        It is that of level and drop: a = level + drop, g = g(drop).
        """
        step = 1e-30
        nudged = self.mean.drop(np.ones_like(last), *self.mean.theta_of(last, drop + 1j * step, *shape))
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
        normal = Cut(below[cut], above[cut])
        deviates[:, cut] = normal.quantile(np.broadcast_to(u, deviates.shape)[:, cut])
        log_weight[:, cut] = normal.log_mass
    return centre + spread * deviates, log_weight
