"""Full Bayes: the posterior of the model integrated over weighted nodes instead of maximised.

Coordinates are standard normal scores of the priors in `model.beliefs`. Nodes come from scrambled Sobol points, pushed
first through a wide proposal, then through one that was fitted to the weights so far; importance weights correct for
the difference. Given a node's nonlinear parameters, the level of the curve at the largest pilot size and (for means
whose drop scales) the drop there are Gaussian, cut to their bounds: they are drawn exactly, one after the other, and
their masses go into the weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, log_expit

from .._check import FloatArray
from ..model.beliefs import Beliefs, ElicitedSigma
from ..model.kernel import log_rbf
from ..model.means import Mean
from .nodes import DEGREES, cholesky, cut_normal, sobol, sobol_t, solve_lower, tempered_moments
from .replicates import Pilot, Pilots

__all__ = ["BayesModel", "Posterior", "integrate"]

_LOG_2PI = np.log(2 * np.pi)
_T_CONSTANT = gammaln((DEGREES + 1) / 2) - gammaln(DEGREES / 2) - 0.5 * np.log(DEGREES * np.pi)

# Nodes of the rounds that fit the proposal, of the round that counts, and of those that are added where its effective
# size is too small.
_ADAPTING, _COUNTING, _ADDED = (512, 512), 1024, (2048, 2048, 4096, 4096)
ENOUGH = 200.0
"""Effective number of nodes that is aimed at: quantiles then move by a few hundredths of the spread with the seed."""
_ADAPTED_SHARE = 0.8  # of the nodes; the others keep to the wide proposal, in case the fitted one missed something

# Proposal for the drop of a mean that does not scale: its logit, as a share of the room between floor and ceiling.
_DROP_LOC, _DROP_SCALE = -2.0, 1.5


@dataclass(frozen=True)
class Nodes:
    """Everything that forecasts need of the nodes; arrays end on (curves, nodes)."""

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

    def __getitem__(self, index: tuple[int | NDArray[np.intp], ...]) -> Nodes:
        """Some of the curves and nodes; the index is that of the last axes."""
        return Nodes(
            {name: value[index] for name, value in self.parameters.items()},
            tuple(value[index] for value in self.shape),
            *(
                getattr(self, name)[(..., *index)]
                for name in ("level", "drop", "factor", "white", "variance", "carried")
            ),
        )


class _Given(NamedTuple):
    """What level and drop are drawn from."""

    z: FloatArray
    u: FloatArray
    factor: FloatArray
    pseudo: FloatArray
    relative: FloatArray
    shape: tuple[FloatArray, ...]
    least_limit: FloatArray


class _Continued(NamedTuple):
    """Mean of the split effects w b that the pilot's splits carry to new sizes, with its uncertainty."""

    shift: FloatArray
    weight: FloatArray
    """w at the new sizes."""
    covariance: FloatArray
    """Of f at the new sizes with the part of b that f at the pilot sizes accounts for."""
    variance: FloatArray
    """Of b."""
    single: FloatArray
    """Variance of the mean of e."""


@dataclass(frozen=True)
class BayesModel:
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

    def windows(self, pilots: Pilots) -> FloatArray:
        """W for each curve: the room above the best score.

        The best of noisy means is biased upwards; adding a standard error makes up for it and keeps W above 0.
        """
        room = np.maximum(self.ceiling - pilots.best, 0.0)
        if isinstance(self.beliefs.sigma, ElicitedSigma):
            return room
        error = [(p.spread[0] + self.beliefs.resolution**2) / p.typical_count for p in pilots.members]
        return room + np.sqrt(error)

    def parameters(self, z: FloatArray, pilots: Pilots) -> dict[str, FloatArray]:
        """Values of the coordinates at scores z (D, curves, nodes)."""
        beliefs, score = self.beliefs, dict(zip(self.names, z, strict=True))
        windows = self.windows(pilots)
        values = {"tau_e": beliefs.tau_e.from_normal(score["tau_e"]), "lam": beliefs.lam.from_normal(score["lam"])}
        values["lam"] = np.maximum(values["lam"], 1e-3)
        ratio, kappa = beliefs.tau_ratio, beliefs.kappa
        none = np.zeros_like(score["tau_e"])
        values["tau_b"] = none if ratio is None else values["tau_e"] * ratio.from_normal(score["tau_ratio"])
        values["kappa"] = none if kappa is None else kappa.from_normal(score["kappa"])
        if isinstance(beliefs.sigma, ElicitedSigma):
            values["sigma"] = np.maximum(beliefs.sigma.from_windows(windows, score["sigma"]), 1e-9)
        else:
            values["sigma"] = windows[:, None] * beliefs.sigma.from_normal(score["sigma"])
        return values

    def shape(self, z: FloatArray) -> tuple[FloatArray, ...]:
        """Shape coordinates of the mean at scores z."""
        first = self.names.index("shape0")
        return tuple(p.from_normal(z[first + i]) for i, p in enumerate(self.beliefs.shapes[self.mean.name]))

    def rise(self, sizes: FloatArray, last: FloatArray, drop: FloatArray, shape: tuple[FloatArray, ...]) -> FloatArray:
        """m(x) - m(x_R): sizes and the last one, x_R, counted in units of the smallest."""
        rise: FloatArray = drop - self.mean.drop(sizes, *self.mean.theta_of(last, drop, *shape))
        return rise

    def kernel(self, left: FloatArray, right: FloatArray, parameters: dict[str, FloatArray]) -> FloatArray:
        """Covariances of f between sizes (R, ...) and (Q, ...): shape (R, Q, ...)."""
        distance = (np.log(left)[:, None] - np.log(right)[None, :]) / np.log(self.beliefs.log_base)
        return log_rbf(distance, parameters["sigma"], parameters["lam"])

    def _add_kernel(self, covariance: FloatArray, sizes: FloatArray, parameters: dict[str, FloatArray]) -> None:
        """Add the kernel to the lower triangles, which are all that their factors are made of."""
        logs = np.log(sizes) / np.log(self.beliefs.log_base)
        variance, rate = parameters["sigma"] ** 2, -0.5 / parameters["lam"] ** 2
        for i in range(len(sizes)):
            # Many close sizes make the kernel's matrix singular to rounding.
            covariance[i, i] += (1 + 1e-10) * variance
            for j in range(i):
                covariance[i, j] += variance * np.exp((logs[i] - logs[j]) ** 2 * rate)

    def shrinkage(self, sizes: FloatArray, pilot_sizes: FloatArray, kappa: FloatArray) -> FloatArray:
        """W = (x / x_ref)^-kappa, by which noise shrinks with size.

        With kappa below 0 it grows, at infinity beyond what floating-point numbers hold: it stops well before.
        """
        reference = np.log(pilot_sizes).mean(axis=0)
        return np.exp(np.minimum(-kappa * (np.log(sizes) - reference), 100.0))

    def noise(self, parameters: dict[str, FloatArray], sizes: FloatArray, pilot_sizes: FloatArray) -> FloatArray:
        """Variance of e and standard deviation of the carried split effect at `sizes`, stacked."""
        w = self.shrinkage(sizes, pilot_sizes, parameters["kappa"])
        return np.stack([(parameters["tau_e"] * w) ** 2 + self.beliefs.resolution**2, parameters["tau_b"] * w])

    def evaluate(self, z: FloatArray, u: FloatArray, pilots: Pilots) -> tuple[FloatArray, Nodes]:
        """Logarithm of likelihood times prior over N(z; 0, I), and the nodes.

        Parameters
        ----------
        z
            Scores, shape (D, curves, nodes).
        u
            Two rows of uniform numbers for level and drop, shape (2, nodes).
        pilots
            The curves.
        """
        parameters, shape = self.parameters(z, pilots), self.shape(z)
        sizes = pilots.sizes[:, :, None]
        relative = sizes / pilots.unit[:, None]
        last = relative[-1]
        variance, carried = self.noise(parameters, sizes, sizes)
        log_weight, pseudo, covariance = _pseudo_scores(variance, carried, pilots)
        self._add_kernel(covariance, sizes, parameters)
        diagonal = np.arange(len(sizes))
        factor = cholesky(covariance)
        log_weight -= np.log(factor[diagonal, diagonal]).sum(axis=0) + 0.5 * len(sizes) * _LOG_2PI
        draw = self._draw_scalable if self.mean.scalable else self._draw_level
        given = _Given(z, u, factor, pseudo, relative, shape, self._least_limits(pilots)[:, None])
        level, drop, white, log_mass = draw(given)
        log_weight += log_mass + self._log_level_prior(level, drop, last, shape, pilots)
        nodes = Nodes(parameters, shape, level, drop, factor, white, variance, carried)
        return np.where(np.isnan(log_weight), -np.inf, log_weight), nodes

    def _draw_scalable(self, given: _Given) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Level and drop are both Gaussian: first the level, which sits on data, then the drop given the level."""
        z, u, factor, pseudo, relative, shape, least_limit = given
        phi = self.rise(relative, relative[-1], np.ones_like(z[0]), shape)  # m = level + drop phi
        right = np.stack([pseudo, np.ones_like(phi), phi], axis=1)
        y, p, q = solve_lower(factor, right).swapaxes(0, 1)
        pp, pq, qq = (p * p).sum(0), (p * q).sum(0), np.maximum((q * q).sum(0), 1e-30)
        yp, yq, yy = (y * p).sum(0), (y * q).sum(0), (y * y).sum(0)
        precision = np.maximum(pp - pq * pq / qq, 1e-12 * pp)
        centre, spread = (yp - yq * pq / qq) / precision, precision**-0.5
        score, log_mass = cut_normal(u[0], (self.floor - centre) / spread, (self.ceiling - centre) / spread)
        level = np.clip(centre + spread * score, self.floor, self.ceiling - 1e-9)
        drop_centre, drop_spread = (yq - level * pq) / qq, qq**-0.5
        least = np.maximum(least_limit - level, 0.0)
        # The limit stays below the ceiling, and the curve at the smallest size above the floor.
        most = np.minimum(self.ceiling - level, (level - self.floor) / np.maximum(-phi[0], 1e-12))
        score, drop_mass = cut_normal(u[1], (least - drop_centre) / drop_spread, (most - drop_centre) / drop_spread)
        drop = np.clip(drop_centre + drop_spread * score, 1e-12, 1.0)
        fit = yy - centre**2 * precision - yq**2 / qq
        log_mass = log_mass + drop_mass - 0.5 * fit + _LOG_2PI + np.log(spread) + np.log(drop_spread)
        return level, drop, y - p * level - q * drop, np.where(most > least, log_mass, -np.inf)

    def _draw_level(self, given: _Given) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Only the level is Gaussian: the drop is a coordinate with a proposal of its own."""
        z, u, factor, pseudo, relative, shape, least_limit = given
        logit = _DROP_LOC + _DROP_SCALE * z[-1]
        room = self.ceiling - self.floor
        drop = np.clip(room * expit(logit), 1e-9, 1 - 1e-9)
        rise = self.rise(relative, relative[-1], drop, shape)
        y, p = solve_lower(factor, np.stack([pseudo - rise, np.ones_like(rise)], axis=1)).swapaxes(0, 1)
        pp, yp, yy = (p * p).sum(0), (y * p).sum(0), (y * y).sum(0)
        centre, spread = yp / pp, pp**-0.5
        low = np.maximum(self.floor - rise[0], least_limit - drop)
        high = self.ceiling - drop
        score, log_mass = cut_normal(u[0], (low - centre) / spread, (high - centre) / spread)
        level = centre + spread * score
        # Density of the drop under its proposal, relative to N(0, 1) in the score.
        log_proposal = -0.5 * z[-1] ** 2 - 0.5 * _LOG_2PI - np.log(_DROP_SCALE)
        log_proposal -= np.log(room) + log_expit(logit) + log_expit(-logit)
        log_mass = log_mass - 0.5 * (yy - centre * yp) + 0.5 * _LOG_2PI + np.log(spread) - log_proposal
        return level, drop, y - p * level, np.where(high > low, log_mass, -np.inf)

    def _log_level_prior(
        self, level: FloatArray, drop: FloatArray, last: FloatArray, shape: tuple[FloatArray, ...], pilots: Pilots
    ) -> FloatArray:
        """Prior density of level and drop within their bounds."""
        if self.beliefs.shares is not None:
            # level ~ U[floor, ceiling], drop / (ceiling - level) ~ Beta
            room = self.ceiling - level
            share = np.clip(drop / room, 1e-9, 1 - 1e-9)
            prior = self.beliefs.shares[self.mean.name]
            return prior.log_pdf(share) - np.log(room) - np.log(self.ceiling - self.floor)
        # limit a ~ U[y', ceiling], drop at the smallest size g ~ U[0, a - floor]; a = level + drop, g = g(drop)
        step = 1e-30
        nudged = self.mean.drop(np.ones_like(last), *self.mean.theta_of(last, drop + 1j * step, *shape))
        slope = np.imag(nudged) / step
        window = (self.ceiling - self._least_limits(pilots))[:, None]
        return np.log(slope) - np.log(window) - np.log(level + drop - self.floor)

    def _least_limits(self, pilots: Pilots) -> FloatArray:
        """Lower bounds of the curves' limits: in the paper the best score, kept a little off the ceiling."""
        if self.beliefs.shares is not None:
            return np.full(len(pilots), -np.inf)
        return np.minimum(pilots.best, self.ceiling - 1e-3)


def _pseudo_scores(
    variance: FloatArray, carried: FloatArray, pilots: Pilots
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Reduce all scores to one pseudo-score a size, z ~ N(f, Sigma), and the likelihood of the rest.

    A split of pattern p has covariance C_p = diag(v) + e e'. Then Sigma^-1 = sum_p S_p C_p^-1 and
    z = Sigma sum_p S_p C_p^-1 ybar_p.
    """
    size = len(variance)
    inverse, lever = 1 / variance, carried / variance
    log_variance, energy = np.log(variance), carried * lever
    if len(pilots.index) == 1:
        # Every split was measured at every size: z is the mean, Sigma is C / S.
        count, mean, scatter = pilots.counts[0][:, None], pilots.means[0], pilots.scatters[0]
        excess = 1 + energy.sum(axis=0)
        left_over = _scatter_term(scatter, inverse, lever, excess)
        log_rest = -0.5 * (count - 1) * (log_variance.sum(axis=0) + np.log(excess) + size * _LOG_2PI)
        log_rest = log_rest - 0.5 * left_over - 0.5 * size * np.log(count)
        covariance = carried[:, None] * (carried / count)[None, :]
        covariance[np.arange(size), np.arange(size)] += variance / count
        return log_rest, np.broadcast_to(mean[:, :, None], variance.shape), covariance
    log_rest = np.zeros(variance.shape[1:])
    precision = np.zeros((size, size, *variance.shape[1:]))
    total = np.zeros_like(variance)
    for index, counts, mean, scatter in zip(pilots.index, pilots.counts, pilots.means, pilots.scatters, strict=True):
        rows, count = list(index), counts[:, None]
        v, e = inverse[rows], lever[rows]
        excess = 1 + energy[rows].sum(axis=0)
        weighted = mean[:, :, None] * v - e * (mean[:, :, None] * e).sum(axis=0) / excess  # C^-1 ybar
        fit = _scatter_term(scatter, v, e, excess) + count * (mean[:, :, None] * weighted).sum(axis=0)
        log_rest -= 0.5 * count * (log_variance[rows].sum(axis=0) + np.log(excess) + len(rows) * _LOG_2PI) + 0.5 * fit
        precision[np.ix_(rows, rows)] -= count * e[:, None] * e[None, :] / excess
        precision[rows, rows] += count * v
        total[rows] += count * weighted
    root = cholesky(precision)
    identity = np.broadcast_to(np.eye(size)[:, :, None, None], precision.shape)
    whitener = solve_lower(root, identity)
    white = np.einsum("ik...,k...->i...", whitener, total)
    diagonal = np.arange(size)
    log_rest += 0.5 * (white**2).sum(axis=0) + 0.5 * size * _LOG_2PI - np.log(root[diagonal, diagonal]).sum(axis=0)
    covariance = np.einsum("ki...,kj...->ij...", whitener, whitener)
    return log_rest, np.einsum("ki...,k...->i...", whitener, white), covariance


def _scatter_term(scatter: FloatArray, inverse: FloatArray, lever: FloatArray, excess: FloatArray) -> FloatArray:
    """tr(C^-1 M) for C^-1 = diag(inverse) - lever lever' / excess."""
    diagonal = np.einsum("iib->ib", scatter)
    crossed = np.einsum("ib...,ijb,jb...->b...", lever, scatter, lever, optimize=True)
    return (diagonal[:, :, None] * inverse).sum(axis=0) - crossed / excess


@dataclass(frozen=True)
class Posterior:
    """Weighted nodes of one curve."""

    model: BayesModel
    pilot: Pilot
    nodes: Nodes
    weights: FloatArray
    log_evidence: float
    effective_size: float

    @property
    def drop_share(self) -> FloatArray:
        """Share of the room above the curve at the largest pilot size that is still to be won."""
        return self.nodes.drop / np.maximum(self.model.ceiling - self.nodes.level, 1e-9)

    def parameters(self) -> dict[str, FloatArray]:
        """Values at the nodes, by the paper's names."""
        n, mean = self.nodes, self.model.mean
        unit = self.pilot.sizes[0]
        theta = mean.theta_of(self.pilot.sizes[-1] / unit, n.drop, *n.shape)
        in_examples: tuple[Any, ...] = mean.with_sizes_in(float(unit), *theta)
        named: dict[str, FloatArray] = dict(zip([p.name for p in mean.parameters], in_examples, strict=True))
        named["epsilon"] = 1 - (n.level + n.drop)
        noise = {"tau": np.hypot(n.parameters["tau_e"], n.parameters["tau_b"])}
        return named | noise | {"sigma": n.parameters["sigma"], "lambda": n.parameters["lam"]}

    def predict(self, sizes: FloatArray, of: str, n_splits: float) -> tuple[FloatArray, FloatArray]:
        """Locations and scales of the Gaussian that each node predicts, shape (nodes, sizes)."""
        n, at, known = self.nodes, sizes[:, None], self.pilot.sizes[:, None]
        location, cross = self.given_the_pilot(at)
        variance = np.maximum(n.parameters["sigma"] ** 2 - np.einsum("rqn,rqn->qn", cross, cross), 0.0)
        if of == "new_splits":
            single, carried = self.model.noise(n.parameters, at, known)
            variance = variance + (single + carried**2) / n_splits
        elif of == "same_splits":
            kept = self._continued(at, cross)
            location = location + kept.shift
            variance = variance + kept.weight * (kept.weight * kept.variance - 2 * kept.covariance) + kept.single
        return location.T, np.sqrt(np.maximum(variance, 1e-14)).T

    def joint(
        self, sizes: FloatArray, of: str, n_splits: float, which: NDArray[np.intp]
    ) -> tuple[FloatArray, FloatArray]:
        """What `predict` gives, with covariances between the sizes, for some of the nodes.

        Locations have the shape (sizes, nodes), covariances (sizes, sizes, nodes).
        """
        some = self.some(which)
        n, at, known = some.nodes, sizes[:, None], self.pilot.sizes[:, None]
        location, cross = some.given_the_pilot(at)
        covariance = self.model.kernel(at, at, n.parameters) - np.einsum("rpn,rqn->pqn", cross, cross)
        diagonal = np.arange(len(sizes))
        if of == "new_splits":
            single, carried = self.model.noise(n.parameters, at, known)
            covariance += carried[:, None] * carried[None, :] / n_splits
            covariance[diagonal, diagonal] += single / n_splits
        elif of == "same_splits":
            kept = some._continued(at, cross)
            location = location + kept.shift
            mixed = kept.weight[:, None] * (0.5 * kept.variance * kept.weight - kept.covariance)[None, :]
            covariance += mixed + mixed.swapaxes(0, 1)
            covariance[diagonal, diagonal] += kept.single
        covariance[diagonal, diagonal] = np.maximum(covariance[diagonal, diagonal], 1e-14)
        return location, covariance

    def some(self, which: NDArray[np.intp]) -> Posterior:
        """The same with some of the nodes, maybe repeated; the weights are those that the nodes had."""
        return replace(self, nodes=self.nodes[(which,)], weights=self.weights[which])

    def given_the_pilot(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean of f at new sizes, and the whitened covariances of f there with the pseudo-scores."""
        n = self.nodes
        cross = solve_lower(n.factor, self.model.kernel(self.pilot.sizes[:, None], at, n.parameters))
        return self.curve(at) + np.einsum("rqn,rn->qn", cross, n.white), cross

    def curve(self, sizes: FloatArray) -> FloatArray:
        """The mean curve at sizes of shape (Q, 1)."""
        unit, last = self.pilot.sizes[0], self.pilot.sizes[-1]
        return self.nodes.level + self.model.rise(
            sizes / unit, np.asarray(last / unit), self.nodes.drop, self.nodes.shape
        )

    def _continued(self, at: FloatArray, cross: FloatArray) -> _Continued:
        """What the mean over the pilot's own splits adds to f at new sizes.

        Given f, the mean split effect is N(c0 - c'f, spread); f itself is Gaussian given the scores.
        """
        n, model, known = self.nodes, self.model, self.pilot.sizes[:, None]
        lever = n.carried / n.variance
        pull, offset, spread = np.zeros_like(n.variance), 0.0, 0.0
        total = sum(p.count for p in self.pilot.patterns)
        for pattern in self.pilot.patterns:
            rows = list(pattern.index)
            excess = 1 + (n.carried[rows] * lever[rows]).sum(axis=0)
            # In units of the effect at the reference size: b = tau_b times a standard normal.
            gain = n.parameters["tau_b"] * lever[rows] / excess * (pattern.count / total)
            pull[rows] += gain
            offset = offset + (pattern.mean[:, None] * gain).sum(axis=0)
            spread = spread + pattern.count / total**2 * n.parameters["tau_b"] ** 2 / excess
        prior = model.kernel(known, known, n.parameters)
        half = solve_lower(n.factor, prior)
        fitted = self.curve(known) + np.einsum("rkn,rn->kn", half, n.white)
        pulled = np.einsum("rkn,kn->rn", half, pull)
        variance_of_pull = np.einsum("in,ijn,jn->n", pull, prior, pull, optimize=True) - (pulled**2).sum(axis=0)
        covariance = np.einsum("rqn,rn->qn", model.kernel(known, at, n.parameters), pull)
        covariance = covariance - np.einsum("rqn,rn->qn", cross, pulled)
        weight = model.shrinkage(at, known, n.parameters["kappa"])
        shift = weight * (offset - (pull * fitted).sum(axis=0))
        single, _ = model.noise(n.parameters, at, known)
        return _Continued(shift, weight, covariance, variance_of_pull + spread, single / total)


def integrate(model: BayesModel, pilots: Pilots, seed: int) -> list[Posterior]:
    """Posterior of each curve."""
    dimensions = len(model.names)
    base = _wide_proposal(model, pilots)
    found: list[Posterior | None] = [None] * len(pilots)
    where = np.arange(len(pilots))
    z, log_weight = np.empty(0), np.empty(0)
    for turn, count in enumerate((*_ADAPTING, _COUNTING, *_ADDED)):
        u, t = sobol(count, dimensions + 3, seed + turn), sobol_t(count, dimensions + 3, seed + turn)
        z_wide = base[0][:, :, None] + base[1][:, :, None] * t[:dimensions, None]
        if turn == 0:
            z = z_wide
            log_proposal = (
                _log_t((z - base[0][:, :, None]) / base[1][:, :, None]) - np.log(base[1]).sum(axis=0)[:, None]
            )
        else:
            mean, covariance = tempered_moments(log_weight, z)
            root = np.linalg.cholesky(1.25 * covariance + 0.01 * np.eye(dimensions))
            z_fitted = mean.T[:, :, None] + np.einsum("bde,en->dbn", root, t[:dimensions])
            z = np.where(u[dimensions + 2] < _ADAPTED_SHARE, z_fitted, z_wide)
            standard = np.einsum("bde,ebn->dbn", np.linalg.inv(root), z - mean.T[:, :, None])
            fitted = _log_t(standard) - np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)[:, None]
            wide = _log_t((z - base[0][:, :, None]) / base[1][:, :, None]) - np.log(base[1]).sum(axis=0)[:, None]
            log_proposal = np.logaddexp(np.log(_ADAPTED_SHARE) + fitted, np.log(1 - _ADAPTED_SHARE) + wide)
        log_weight, nodes = model.evaluate(z, u[dimensions : dimensions + 2], pilots)
        log_weight = log_weight - 0.5 * (z**2).sum(axis=0) - 0.5 * dimensions * _LOG_2PI - log_proposal
        if turn < len(_ADAPTING):
            continue
        again = []
        for i, curve in enumerate(where):
            candidate = _posterior(model, pilots.members[i], nodes, i, log_weight[i])
            best = found[curve]
            if best is None or candidate.effective_size > best.effective_size:
                found[curve] = best = candidate
            if best.effective_size < ENOUGH:
                again.append(i)
        if not again:
            break
        if len(again) < len(where):
            keep = np.array(again)
            where, pilots, z, log_weight = where[keep], pilots.take(keep), z[:, keep], log_weight[keep]
            base = base[0][:, keep], base[1][:, keep]
    return [posterior for posterior in found if posterior is not None]


def _log_t(x: FloatArray) -> FloatArray:
    """Logarithm of the product of t densities over the first axis."""
    return (_T_CONSTANT - (DEGREES + 1) / 2 * np.log1p(x**2 / DEGREES)).sum(axis=0)


def _wide_proposal(model: BayesModel, pilots: Pilots) -> tuple[FloatArray, FloatArray]:
    """Location and scale (D, curves) of the first proposal: the prior, but the noise where the replicates put it."""
    location = np.zeros((len(model.names), len(pilots)))
    scale = np.ones_like(location)
    scores = np.linspace(-6, 6, 241)
    logs = np.log(np.maximum(model.beliefs.tau_e.from_normal(scores), 1e-12))
    for i, pilot in enumerate(pilots.members):
        variance, freedom = pilot.residual
        if freedom > 0:
            # The prior counts as much as 1 / (2 slope^2) further degrees of freedom.
            slope = (logs[160] - logs[80]) / (scores[160] - scores[80])
            own = 0.5 / slope**2
            estimate = 0.5 * np.log(variance + 0.1 * model.beliefs.resolution**2 / freedom + 1e-12)
            target = (freedom * estimate + own * logs[120]) / (freedom + own)
            location[0, i] = np.interp(target, logs, scores)
            scale[0, i] = 1.5 / np.sqrt(2 * (freedom + own)) / slope
    return location, scale


def _posterior(model: BayesModel, pilot: Pilot, nodes: Nodes, curve: int, log_weight: FloatArray) -> Posterior:
    top = log_weight.max()
    weight = np.exp(log_weight - top)
    log_evidence = float(top + np.log(weight.mean()))
    weight /= weight.sum()
    effective = float(1 / (weight**2).sum())
    # Nodes that together carry a ten-thousandth of the weight would only cost time.
    order = np.argsort(weight)
    kept = np.sort(order[np.cumsum(weight[order]) > 1e-4])
    return Posterior(model, pilot, nodes[curve, kept], weight[kept] / weight[kept].sum(), log_evidence, effective)
