"""Likelihood times prior of the full-Bayes model, at many points at once.

Coordinates are standard normal deviates z: a prior of `model.beliefs` is the map from a deviate to its parameter. Given
the nonlinear parameters, the level of the curve at the largest pilot size and (for means whose drop scales) the drop
there are Gaussian, cut to their bounds: they are drawn exactly, one after the other, and their masses go into the
weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, ndtri

from .._check import FloatArray
from ..model.beliefs import Beliefs, Beta, ElicitedSigma
from ..model.kernel import CORRELATIONS
from ..model.means import Mean
from ..numerics.truncated import Cut
from .draws import Draws
from .nodes import cholesky
from .statistics import Batch, PseudoScores, pseudo_scores
from .whitening import Products, by_factor, by_filter

__all__ = ["FAR", "Density"]

_LOG_2PI = np.log(2 * np.pi)

# Proposal for the drop of a mean that does not scale: its logit, as a share of the room between floor and ceiling.
_DROP_LOC, _DROP_SCALE = -2.0, 1.5

_WELL = 3.5  # standard deviations that a Gaussian keeps off a pole
_LITTLE = 2.0  # standard deviations, beyond which a cut takes less than a fortieth

FAR = np.array([2.0, 30.0])
"""Multiples of the largest pilot size at which forecasts are judged while nodes are looked for."""


class _Fit(NamedTuple):
    """What the pseudo-scores say of level and drop at each node: inner products of whitened columns."""

    z: FloatArray
    t: FloatArray
    gram: FloatArray
    """Of the pseudo-scores y, of what the level multiplies (1) and, where the drop scales, of what it multiplies."""
    rise: FloatArray
    """From the largest pilot size to each of them: for a unit drop where the drop scales."""
    drop: FloatArray
    """A unit, or the drop itself."""
    least_limit: FloatArray


@dataclass(frozen=True)
class Density:
    """A mean, beliefs about its parameters and the noise, and the range of scores that the mean curve may take."""

    mean: Mean
    beliefs: Beliefs
    ceiling: float = 1.0
    floor: float = 0.0

    @cached_property
    def names(self) -> list[str]:
        """Coordinates, in order."""
        optional = [name for name in ("tau_ratio", "kappa") if getattr(self.beliefs, name) is not None]
        shapes = [f"shape{i}" for i in range(len(self.beliefs.shapes[self.mean.name]))]
        return ["tau_e", *optional, "sigma", "lam", *shapes, *([] if self.mean.scalable else ["drop"])]

    def windows(self, batch: Batch) -> FloatArray:
        """W for each curve: the room above the best score.

        The best of noisy means is biased upwards; adding a standard error makes up for it and keeps W above 0.
        """
        room = np.maximum(self.ceiling - batch.best, 0.0)
        if isinstance(self.beliefs.sigma, ElicitedSigma):
            return room
        error = [(p.spread[0] + self.beliefs.resolution**2) / p.typical_count for p in batch.members]
        return room + np.sqrt(error)

    def parameters(self, z: FloatArray, batch: Batch) -> dict[str, FloatArray]:
        """Values of the coordinates at deviates z (D, curves, nodes)."""
        beliefs, deviate = self.beliefs, self._deviates(z, batch)
        windows = self.windows(batch)
        values = {"tau_e": beliefs.tau_e.from_normal(deviate["tau_e"]), "lam": beliefs.lam.from_normal(deviate["lam"])}
        if beliefs.tau_alone is not None and batch.alone.any():
            alone = batch.alone[:, None]
            values["tau_e"] = np.where(alone, beliefs.tau_alone.from_normal(deviate["tau_e"]), values["tau_e"])
        values["lam"] = np.maximum(values["lam"], 1e-3)
        ratio, kappa = beliefs.tau_ratio, beliefs.kappa
        none = np.zeros_like(deviate["tau_e"])
        values["tau_b"] = none if ratio is None else values["tau_e"] * ratio.from_normal(deviate["tau_ratio"])
        values["kappa"] = none if kappa is None else kappa.from_normal(deviate["kappa"])
        if isinstance(beliefs.sigma, ElicitedSigma):
            values["sigma"] = np.maximum(beliefs.sigma.from_windows(windows, deviate["sigma"]), 1e-9)
        else:
            values["sigma"] = windows[:, None] * beliefs.sigma.from_normal(deviate["sigma"])
        return values

    def shape(self, z: FloatArray, batch: Batch) -> tuple[FloatArray, ...]:
        """Shape coordinates of the mean at deviates z."""
        deviate = self._deviates(z, batch)
        return tuple(p.from_normal(deviate[f"shape{i}"]) for i, p in enumerate(self.beliefs.shapes[self.mean.name]))

    def _deviates(self, z: FloatArray, batch: Batch) -> dict[str, FloatArray]:
        """Deviates by the names of the coordinates, moved by what the size of the pilot does to their priors."""
        deviate = dict(zip(self.names, z, strict=True))
        for name, trend in self.beliefs.trends.items():
            if name in deviate:
                deviate[name] = deviate[name] + trend * batch.t[:, None]
        return deviate

    def rise(self, sizes: FloatArray, last: FloatArray, drop: FloatArray, shape: tuple[FloatArray, ...]) -> FloatArray:
        """m(x) - m(x_R): sizes and the last one, x_R, counted in units of the smallest."""
        rise: FloatArray = drop - self.mean.drop(sizes, *self.mean.theta_of(last, drop, *shape))
        return rise

    def kernel(self, left: FloatArray, right: FloatArray, parameters: dict[str, FloatArray]) -> FloatArray:
        """Covariances of f between sizes (R, ...) and (Q, ...): shape (R, Q, ...)."""
        return self._kernel_at(np.log(left)[:, None] - np.log(right)[None, :], parameters)

    def _kernel_at(self, distance: FloatArray, parameters: dict[str, FloatArray]) -> FloatArray:
        """Covariances of f between sizes of which the natural logarithms differ so much."""
        ratio: FloatArray = distance / (np.log(self.beliefs.log_base) * parameters["lam"])
        covariance = CORRELATIONS[self.beliefs.kernel](ratio)
        covariance *= parameters["sigma"] ** 2
        return covariance

    def factor(self, pseudo: PseudoScores, sizes: FloatArray, parameters: dict[str, FloatArray]) -> FloatArray:
        """Cholesky factor of the covariance of the pseudo-scores."""
        covariance = pseudo.covariance
        # The lower triangles are all that their factors are made of.
        rows, columns = np.tril_indices(len(sizes), -1)
        if len(rows):
            covariance[rows, columns] += self._kernel_at(np.log(sizes[rows]) - np.log(sizes[columns]), parameters)
        # Many close sizes make the kernel's matrix singular to rounding.
        covariance[np.arange(len(sizes)), np.arange(len(sizes))] += (1 + 1e-10) * parameters["sigma"] ** 2
        return cholesky(covariance)

    def _products(
        self, columns: FloatArray, pseudo: PseudoScores, sizes: FloatArray, parameters: dict[str, FloatArray]
    ) -> Products:
        """Products of columns, with what they say of f at the largest size and at `FAR` times it."""
        ahead = np.concatenate([[1.0], FAR])[:, None, None] * sizes[-1:]
        if self.beliefs.kernel == "ou" and pseudo.own.ndim == pseudo.scores.ndim:
            rate = -1 / (np.log(self.beliefs.log_base) * parameters["lam"])
            steps = np.diff(np.log(sizes), axis=0)
            kept, left = np.exp(steps * rate), np.exp(np.log(ahead / sizes[-1:]) * rate)
            return by_filter(columns, pseudo.own, pseudo.common, parameters["sigma"] ** 2, kept, left)
        return by_factor(columns, self.factor(pseudo, sizes, parameters), self.kernel(sizes, ahead, parameters))

    def shrinkage(self, sizes: FloatArray, pilot_sizes: FloatArray, kappa: FloatArray) -> FloatArray:
        """The factor w = stay + (1 - stay) (x / x_ref)^-kappa, by which noise shrinks to a part that stays."""
        reference, stay = np.log(pilot_sizes).mean(axis=0), self.beliefs.stay
        return stay + (1 - stay) * np.exp(-kappa * (np.log(sizes) - reference))

    def noise(self, parameters: dict[str, FloatArray], sizes: FloatArray, pilot_sizes: FloatArray) -> FloatArray:
        """Variance of e and standard deviation of the carried split effect at `sizes`, stacked."""
        w = self.shrinkage(sizes, pilot_sizes, parameters["kappa"])
        return np.stack([(parameters["tau_e"] * w) ** 2 + self.beliefs.resolution**2, parameters["tau_b"] * w])

    def evaluate(self, z: FloatArray, u: FloatArray, batch: Batch) -> tuple[FloatArray, Draws]:
        """Logarithm of likelihood times prior over N(z; 0, I), and the draws.

        Parameters
        ----------
        z
            Deviates, shape (D, curves, nodes).
        u
            Uniform numbers for level and drop, shape (2, draws, nodes): most of the work is done once a node, whatever
            the number of draws there.
        batch
            The curves.

        Returns
        -------
        log_weight
            Shape (draws, curves, nodes).
        draws
            Level, drop and all that belongs to them.
        """
        parameters, shape = self.parameters(z, batch), self.shape(z, batch)
        sizes = batch.sizes[:, :, None]
        variance, carried = self.noise(parameters, sizes, sizes)
        pseudo = pseudo_scores(variance, carried, batch)
        drop = np.ones_like(z[0]) if self.mean.scalable else self._proposed_drop(z[-1])
        relative = np.concatenate([sizes, FAR[:, None, None] * sizes[-1:]]) / batch.unit[:, None]
        last = relative[len(sizes) - 1]
        rise, far_rise = np.split(self.rise(relative, last, drop, shape), [len(sizes)])
        columns = np.empty((len(sizes), 2 + self.mean.scalable, *z.shape[1:]))
        columns[:, 0], columns[:, 1] = pseudo.scores, 1.0
        if self.mean.scalable:
            columns[:, 2] = rise  # m = level + drop rise
        else:
            columns[:, 0] -= rise  # m = level + rise
        products = self._products(columns, pseudo, sizes, parameters)
        fit = _Fit(z, batch.t[:, None], products.gram, rise, drop, self._least_limits(batch)[:, None])
        if self.beliefs.shares is None:
            level, drop, log_mass = (self._draw_scalable if self.mean.scalable else self._draw_level)(
                fit, u[:, :, None]
            )
            log_mass += self._log_paper_prior(level, drop, last, shape, batch)
        elif self.mean.scalable:
            level, drop, log_mass = self._draw_shares(fit, self.beliefs.shares[self.mean.name], u[:, :, None])
        else:
            level, drop, log_mass = self._draw_level(fit, u[:, :, None])
            log_mass += self._log_share_prior(self.beliefs.shares[self.mean.name], level, drop, fit.t)
        rest = pseudo.log_rest - products.log_determinant - 0.5 * len(sizes) * _LOG_2PI
        log_weight = log_mass + rest
        pulls = products.pulls[:, :, None]
        departure = pulls[:, 0] - pulls[:, 1] * level
        if self.mean.scalable:
            departure -= pulls[:, 2] * drop
            far_location = departure[1:] + far_rise[:, None] * drop
        else:
            far_location = departure[1:] + far_rise[:, None]
        far_location += level
        far_scale = np.sqrt(np.maximum(parameters["sigma"] ** 2 - products.explained[1:], 1e-14))
        draws = Draws(parameters, shape, level, drop, departure[0], products.explained[0], far_location, far_scale)
        return np.where(np.isnan(log_weight), -np.inf, log_weight), draws

    def _given_level(self, fit: _Fit, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """A level that sits on data, and the Gaussian of the drop given the level."""
        (yy, yp, yq), (_, pp, pq), (_, _, qq) = fit.gram
        qq = np.maximum(qq, 1e-30)
        slope = pq / qq
        precision = np.maximum(pp - pq * slope, 1e-12 * pp)
        centre, spread = (yp - yq * slope) / precision, 1 / np.sqrt(precision)
        level, log_mass = _cut_draws(centre, spread, self.floor, self.ceiling, u)
        np.clip(level, self.floor, self.ceiling - 1e-9, out=level)
        log_mass = log_mass - 0.5 * (yy - centre**2 * precision - yq**2 / qq) + 0.5 * _LOG_2PI + np.log(spread)
        return level, yq / qq - level * slope, 1 / np.sqrt(qq), log_mass

    def _draw_scalable(self, fit: _Fit, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Level and drop are both Gaussian: first the level, then the drop given the level."""
        level, centre, spread, log_mass = self._given_level(fit, u[0])
        least, most = np.maximum(fit.least_limit - level, 0.0), self.ceiling - level
        # The paper's prior ends where the curve at the smallest size meets the floor.
        most = np.minimum(most, (level - self.floor) / np.maximum(-fit.rise[0], 1e-12))
        cut = Cut((least - centre) / spread, (most - centre) / spread)
        drop = np.clip(centre + spread * cut.quantile(u[1]), 1e-12, 1.0)
        log_mass = log_mass + cut.log_mass + 0.5 * _LOG_2PI + np.log(spread)
        return level, drop, np.where(most > least, log_mass, -np.inf)

    def _draw_shares(self, fit: _Fit, prior: Beta, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Level, and the share of the room above it that is still to be won.

        The share's prior has poles at 0 and 1, so that weights of draws from the Gaussian alone would have no variance.
        Half of the draws come from the arcsine distribution, which has such poles too, the others from the Gaussian,
        and all are weighed as draws from both (Veach and Guibas 1995). Where the Gaussian keeps off the poles, all are
        its own.
        """
        half = u.shape[1] // 2
        level, centre, spread, log_mass = self._given_level(fit, u[0, :half])
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
        log_weight = prior.log_density(log_share, log_rest, fit.t)
        log_weight -= np.log(excess, out=excess)
        log_weight += log_mass - log_cut - log_room + np.log(2 / (self.ceiling - self.floor))
        shape = (2 * half, *level.shape[1:])
        return np.concatenate([level, level]), drop.reshape(shape), log_weight.reshape(shape)

    def _proposed_drop(self, z: FloatArray) -> FloatArray:
        """Drop of a mean that does not scale, at its deviate."""
        drop: FloatArray = np.clip((self.ceiling - self.floor) * expit(_DROP_LOC + _DROP_SCALE * z), 1e-9, 1 - 1e-9)
        return drop

    def _draw_level(self, fit: _Fit, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Only the level is Gaussian: the drop is a coordinate with a proposal of its own."""
        z, drop, rise = fit.z, fit.drop, fit.rise
        (yy, yp), (_, pp) = fit.gram
        centre, spread = yp / pp, 1 / np.sqrt(pp)
        paper = self.beliefs.shares is None
        low = np.maximum(self.floor - rise[0], fit.least_limit - drop) if paper else self.floor
        high = self.ceiling - drop
        level, log_mass = _cut_draws(centre, spread, low, high, u[0])
        np.clip(level, self.floor, self.ceiling - 1e-9, out=level)
        # Density of the drop under its proposal, relative to N(0, 1) in the score.
        logit = _DROP_LOC + _DROP_SCALE * z[-1]
        log_proposal = -0.5 * z[-1] ** 2 - 0.5 * _LOG_2PI - np.log(_DROP_SCALE)
        log_proposal -= np.log(self.ceiling - self.floor) + log_expit(logit) + log_expit(-logit)
        log_mass = log_mass - 0.5 * (yy - centre * yp) + 0.5 * _LOG_2PI + np.log(spread) - log_proposal
        return level, np.broadcast_to(drop, level.shape), np.where(high > low, log_mass, -np.inf)

    def _log_share_prior(self, prior: Beta, level: FloatArray, drop: FloatArray, t: FloatArray) -> FloatArray:
        """Prior density of level ~ U[floor, ceiling] and drop, drop / (ceiling - level) ~ Beta."""
        room = self.ceiling - level
        share = np.clip(drop / room, 1e-9, 1 - 1e-9)
        return prior.log_density(np.log(share), np.log1p(-share), t) - np.log(room * (self.ceiling - self.floor))

    def _log_paper_prior(
        self, level: FloatArray, drop: FloatArray, last: FloatArray, shape: tuple[FloatArray, ...], batch: Batch
    ) -> FloatArray:
        """Prior density of limit a ~ U[y', ceiling] and drop at the smallest size g ~ U[0, a - floor].

        It is that of level and drop: a = level + drop, g = g(drop).
        """
        step = 1e-30
        nudged = self.mean.drop(np.ones_like(last), *self.mean.theta_of(last, drop + 1j * step, *shape))
        slope = np.imag(nudged) / step
        window = (self.ceiling - self._least_limits(batch))[:, None]
        return np.log(slope) - np.log(window) - np.log(level + drop - self.floor)

    def _least_limits(self, batch: Batch) -> FloatArray:
        """Lower bounds of the curves' limits: in the paper the best score, kept a little off the ceiling."""
        if self.beliefs.shares is not None:
            return np.full(len(batch), -np.inf)
        return np.minimum(batch.best, self.ceiling - 1e-3)


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
