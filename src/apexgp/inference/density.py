"""Likelihood times prior of the full-Bayes model, at many points at once.

Coordinates are standard normal deviates z: a prior of `model.beliefs` is the map from a deviate to its parameter. Given
the nonlinear parameters, the level of the curve at the largest pilot size and (for means whose drop scales) the drop
there are Gaussian, cut to their bounds: they are drawn exactly, one after the other, and their masses go into the
weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from .._check import FloatArray
from .._truncated import Cut
from ..model.beliefs import Beliefs, ElicitedSigma
from ..model.kernel import CORRELATIONS
from ..model.means import Mean
from .nodes import cholesky, log_determinant, solve_lower
from .statistics import Batch, pseudo_scores

__all__ = ["FAR", "Density", "Draws", "Nodes"]

_LOG_2PI = np.log(2 * np.pi)

# Proposal for the drop of a mean that does not scale: its logit, as a share of the room between floor and ceiling.
_DROP_LOC, _DROP_SCALE = -2.0, 1.5

FAR = np.array([2.0, 30.0])
"""Multiples of the largest pilot size at which forecasts are judged while nodes are looked for."""

_ARRAYS = ("level", "drop", "factor", "white", "variance", "carried")


@dataclass(frozen=True)
class Nodes:
    """Everything that forecasts need of the nodes of one curve; arrays end on the nodes."""

    parameters: dict[str, FloatArray]
    shape: tuple[FloatArray, ...]
    level: FloatArray
    """The mean curve at the largest pilot size."""
    drop: FloatArray
    """What is still to be won from there."""
    factor: FloatArray
    """Cholesky factor of the covariance of the pseudo-scores."""
    white: FloatArray
    """Their residuals, whitened by it."""
    variance: FloatArray
    """Variance of e at each pilot size."""
    carried: FloatArray
    """Standard deviation of the split effect at each pilot size."""

    def __getitem__(self, which: NDArray[np.intp]) -> Nodes:
        """Some of the nodes, maybe repeated."""
        return Nodes(
            {name: value[which] for name, value in self.parameters.items()},
            tuple(value[which] for value in self.shape),
            *(getattr(self, name)[..., which] for name in _ARRAYS),
        )

    @classmethod
    def joined(cls, parts: Sequence[Nodes]) -> Nodes:
        """All nodes of several parts."""
        return cls(
            {name: np.concatenate([part.parameters[name] for part in parts]) for name in parts[0].parameters},
            tuple(np.concatenate(values) for values in zip(*(part.shape for part in parts), strict=True)),
            *(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in _ARRAYS),
        )


@dataclass(frozen=True)
class Draws:
    """Draws of level and drop at many nodes: what weights and proposals are made of, and in the end the kept nodes.

    Arrays end on (curves, nodes); level and drop begin with an axis for the draws at each node.
    """

    parameters: dict[str, FloatArray]
    shape: tuple[FloatArray, ...]
    factor: FloatArray
    variance: FloatArray
    carried: FloatArray
    columns: FloatArray
    """Whitened pseudo-scores, less what the level and (where it scales) the drop multiply: (sizes, 2 or 3, ...)."""
    level: FloatArray
    drop: FloatArray
    far_location: FloatArray
    """Mean of f at `FAR` times the largest pilot size, shape (multiples, draws, curves, nodes)."""
    far_scale: FloatArray
    """Its standard deviation there, the same for all draws at a node: shape (multiples, curves, nodes)."""

    def chosen(self, curve: int, draw: NDArray[np.intp], node: NDArray[np.intp]) -> Nodes:
        """Some of the draws for one of the curves, as nodes of their own."""
        level, drop = self.level[draw, curve, node], self.drop[draw, curve, node]
        scores, *columns = (column[:, curve, node] for column in self.columns.swapaxes(0, 1))
        white = scores
        for column, factor in zip(columns, (level, drop), strict=False):
            white = white - column * factor
        return Nodes(
            {name: value[curve, node] for name, value in self.parameters.items()},
            tuple(value[curve, node] for value in self.shape),
            level,
            drop,
            self.factor[:, :, curve, node],
            white,
            self.variance[:, curve, node],
            self.carried[:, curve, node],
        )


class _Given(NamedTuple):
    """What level and drop are drawn from."""

    z: FloatArray
    u: FloatArray
    columns: FloatArray
    """Whitened pseudo-scores and what level and drop multiply, as in `Draws`."""
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

    def _add_kernel(self, covariance: FloatArray, sizes: FloatArray, parameters: dict[str, FloatArray]) -> None:
        """Add the kernel to the lower triangles, which are all that their factors are made of."""
        rows, columns = np.tril_indices(len(sizes), -1)
        if len(rows):
            covariance[rows, columns] += self._kernel_at(np.log(sizes[rows]) - np.log(sizes[columns]), parameters)
        # Many close sizes make the kernel's matrix singular to rounding.
        covariance[np.arange(len(sizes)), np.arange(len(sizes))] += (1 + 1e-10) * parameters["sigma"] ** 2

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
        far = FAR[:, None, None] * sizes[-1:]
        variance, carried = self.noise(parameters, sizes, sizes)
        log_weight, pseudo, covariance = pseudo_scores(variance, carried, batch)
        self._add_kernel(covariance, sizes, parameters)
        factor = cholesky(covariance)
        log_weight -= log_determinant(factor) + 0.5 * len(sizes) * _LOG_2PI
        drop = np.ones_like(z[0]) if self.mean.scalable else self._proposed_drop(z[-1])
        relative = np.concatenate([sizes, far]) / batch.unit[:, None]
        last = relative[len(sizes) - 1]
        rise, far_rise = np.split(self.rise(relative, last, drop, shape), [len(sizes)])
        own = 2 + self.mean.scalable
        columns = np.empty((len(sizes), own + len(FAR), *z.shape[1:]))
        columns[:, 0], columns[:, 1] = pseudo, 1.0
        if self.mean.scalable:
            columns[:, 2] = rise  # m = level + drop rise
        else:
            columns[:, 0] -= rise  # m = level + rise
        columns[:, own:] = self.kernel(sizes, far, parameters)
        solve_lower(factor, columns, out=columns)
        columns, cross = columns[:, :own], columns[:, own:]
        given = _Given(z, u[:, :, None], columns, rise, drop, self._least_limits(batch)[:, None])
        level, drop, log_mass = (self._draw_scalable if self.mean.scalable else self._draw_level)(given)
        log_weight = log_weight + log_mass + self._log_level_prior(level, drop, last, shape, batch)
        pulls = np.einsum("rh...,rk...->kh...", cross, columns)[:, :, None]
        far_location = pulls[0] + (1 - pulls[1]) * level
        far_location += (far_rise[:, None] - pulls[2]) * drop if self.mean.scalable else far_rise[:, None]
        far_variance = parameters["sigma"] ** 2 - np.einsum("rh...,rh...->h...", cross, cross)
        far_scale = np.sqrt(np.maximum(far_variance, 1e-14))
        draws = Draws(parameters, shape, factor, variance, carried, columns, level, drop, far_location, far_scale)
        return np.where(np.isnan(log_weight), -np.inf, log_weight), draws

    def _draw_scalable(self, given: _Given) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Level and drop are both Gaussian: first the level, which sits on data, then the drop given the level."""
        y, p, q = given.columns.swapaxes(0, 1)
        pp, pq, qq = _dot(p, p), _dot(p, q), np.maximum(_dot(q, q), 1e-30)
        yp, yq, yy = _dot(y, p), _dot(y, q), _dot(y, y)
        precision = np.maximum(pp - pq * pq / qq, 1e-12 * pp)
        centre, spread = (yp - yq * pq / qq) / precision, 1 / np.sqrt(precision)
        cut = Cut((self.floor - centre) / spread, (self.ceiling - centre) / spread)
        level = np.clip(centre + spread * cut.quantile(given.u[0]), self.floor, self.ceiling - 1e-9)
        drop_centre, drop_spread = (yq - level * pq) / qq, 1 / np.sqrt(qq)
        least, most = np.maximum(given.least_limit - level, 0.0), self.ceiling - level
        if self.beliefs.shares is None:
            # The paper's prior ends where the curve at the smallest size meets the floor.
            most = np.minimum(most, (level - self.floor) / np.maximum(-given.rise[0], 1e-12))
        drop_cut = Cut((least - drop_centre) / drop_spread, (most - drop_centre) / drop_spread)
        drop = np.clip(drop_centre + drop_spread * drop_cut.quantile(given.u[1]), 1e-12, 1.0)
        fit = yy - centre**2 * precision - yq**2 / qq
        log_mass = cut.log_mass + drop_cut.log_mass - 0.5 * fit + _LOG_2PI + np.log(spread * drop_spread)
        return level, drop, np.where(most > least, log_mass, -np.inf)

    def _proposed_drop(self, z: FloatArray) -> FloatArray:
        """Drop of a mean that does not scale, at its deviate."""
        drop: FloatArray = np.clip((self.ceiling - self.floor) * expit(_DROP_LOC + _DROP_SCALE * z), 1e-9, 1 - 1e-9)
        return drop

    def _draw_level(self, given: _Given) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Only the level is Gaussian: the drop is a coordinate with a proposal of its own."""
        z, drop, rise = given.z, given.drop, given.rise
        y, p = given.columns.swapaxes(0, 1)
        pp, yp, yy = _dot(p, p), _dot(y, p), _dot(y, y)
        centre, spread = yp / pp, 1 / np.sqrt(pp)
        paper = self.beliefs.shares is None
        low = np.maximum(self.floor - rise[0], given.least_limit - drop) if paper else self.floor
        high = self.ceiling - drop
        cut = Cut((low - centre) / spread, (high - centre) / spread)
        level = np.clip(centre + spread * cut.quantile(given.u[0]), self.floor, self.ceiling - 1e-9)
        # Density of the drop under its proposal, relative to N(0, 1) in the score.
        logit = _DROP_LOC + _DROP_SCALE * z[-1]
        log_proposal = -0.5 * z[-1] ** 2 - 0.5 * _LOG_2PI - np.log(_DROP_SCALE)
        log_proposal -= np.log(self.ceiling - self.floor) + log_expit(logit) + log_expit(-logit)
        log_mass = cut.log_mass - 0.5 * (yy - centre * yp) + 0.5 * _LOG_2PI + np.log(spread) - log_proposal
        return level, np.broadcast_to(drop, level.shape), np.where(high > low, log_mass, -np.inf)

    def _log_level_prior(
        self, level: FloatArray, drop: FloatArray, last: FloatArray, shape: tuple[FloatArray, ...], batch: Batch
    ) -> FloatArray:
        """Prior density of level and drop within their bounds."""
        if self.beliefs.shares is not None:
            # level ~ U[floor, ceiling], drop / (ceiling - level) ~ Beta
            room = self.ceiling - level
            share = np.clip(drop / room, 1e-9, 1 - 1e-9)
            prior = self.beliefs.shares[self.mean.name]
            return prior.log_pdf(share, batch.t[:, None]) - np.log(room) - np.log(self.ceiling - self.floor)
        # limit a ~ U[y', ceiling], drop at the smallest size g ~ U[0, a - floor]; a = level + drop, g = g(drop)
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


def _dot(left: FloatArray, right: FloatArray) -> FloatArray:
    """Inner products over the sizes, the first axis."""
    product: FloatArray = np.einsum("r...,r...->...", left, right)
    return product
