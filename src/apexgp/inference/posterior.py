"""The posterior of one curve under one mean: weighted nodes, and the Gaussians that they predict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from .._check import FloatArray
from ..forecast import Quantity
from .density import Density
from .draws import FAR, Nodes
from .gaussian_algebra import solve_lower
from .statistics import Statistics, pseudo_scores
from .thinning import order_alike

__all__ = ["Continued", "Posterior"]


class Continued(NamedTuple):
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


class Known(NamedTuple):
    """What the nodes make of the pilot; arrays end on the nodes."""

    factor: FloatArray
    """Cholesky factor of the covariance of the pseudo-scores."""
    white: FloatArray
    """Their residuals, whitened by it."""
    tilted: FloatArray
    """How the mean curve changes with the level at each pilot size, whitened."""
    variance: FloatArray
    """Variance of e at each pilot size, of a score as it was given: maybe a mean over runs."""
    carried: FloatArray
    """Standard deviation of such a score's split effect at each pilot size."""


@dataclass(frozen=True)
class Posterior:
    """Weighted nodes of one curve."""

    density: Density
    statistics: Statistics
    nodes: Nodes
    weights: FloatArray
    log_evidence: float
    effective_size: float
    end_bounds: FloatArray
    """How well the ends of far 95 % intervals are known, as `find_end_bounds` gives it."""
    masses: FloatArray
    """Weight of the whole integration node that each one was drawn at: it says how much hangs on the node."""
    evaluations: int
    """Number of integration nodes at which the density was evaluated: what the integral cost."""

    @property
    def drop_share(self) -> FloatArray:
        """Share of the room above the curve at the largest pilot size that is still to be won."""
        return self.nodes.drop / np.maximum(self.density.ceiling - self.nodes.level, 1e-9)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Order of the nodes in which neighbours are alike: that in which they were chosen among all draws."""
        location, scale = self.predict(FAR[-1:] * self.statistics.sizes[-1], "expected", 1)
        return order_alike(location[:, 0], scale[:, 0] ** 2)

    def parameters(self) -> dict[str, FloatArray]:
        """Values at the nodes, by the paper's names."""
        n, mean = self.nodes, self.density.mean
        unit = self.statistics.sizes[0]
        theta = mean.solve_theta(self.statistics.sizes[-1] / unit, n.drop, *n.shape)
        in_examples: tuple[Any, ...] = mean.rescale_theta(float(unit), *theta)
        named: dict[str, FloatArray] = dict(zip([p.name for p in mean.parameters], in_examples, strict=True))
        named["epsilon"] = 1 - (n.level + n.drop)
        noise = {"tau": np.hypot(n.parameters["tau_e"], n.parameters["tau_b"])}
        return named | noise | {"sigma": n.parameters["sigma"], "lambda": n.parameters["lam"]}

    def predict(self, sizes: FloatArray, of: Quantity, n_splits: float) -> tuple[FloatArray, FloatArray]:
        """Locations and scales of the Gaussian that each node predicts, shape (nodes, sizes)."""
        n, at, known = self.nodes, sizes[:, None], self.statistics.sizes[:, None]
        location, variance = self._expected(at)
        if of == "new_splits":
            single, carried = self.density.noise(n.parameters, at, known)
            variance = variance + (single + carried**2) / n_splits
        elif of == "same_splits":
            kept = self._continued(at, self._cross(at))
            location = location + kept.shift
            variance = variance + kept.weight * (kept.weight * kept.variance - 2 * kept.covariance) + kept.single
        return location.T, np.sqrt(np.maximum(variance, 1e-14)).T

    def joint(
        self, sizes: FloatArray, of: Quantity, n_splits: float, which: NDArray[np.intp]
    ) -> tuple[FloatArray, FloatArray]:
        """What `predict` gives, with covariances between the sizes, for some of the nodes.

        Locations have the shape (sizes, nodes), covariances (sizes, sizes, nodes).
        """
        some = self.some(which)
        n, at, known = some.nodes, sizes[:, None], self.statistics.sizes[:, None]
        location, cross = some.given_the_pilot(at)
        apart = self._apart(at)
        covariance = some._kernel(at, at) + (apart.T @ apart)[:, :, None] - np.einsum("rpn,rqn->pqn", cross, cross)
        swing = some._swing(at, cross)
        covariance += swing[:, None] * swing[None, :]
        diagonal = np.arange(len(sizes))
        if of == "new_splits":
            single, carried = self.density.noise(n.parameters, at, known)
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

    def continued(self, sizes: FloatArray) -> Continued:
        """What the mean over the pilot's own splits adds to f at new sizes."""
        at = sizes[:, None]
        return self._continued(at, self._cross(at))

    def some(self, which: NDArray[np.intp]) -> Posterior:
        """The same with some of the nodes, maybe repeated; the weights are those that the nodes had."""
        chosen = replace(self, nodes=self.nodes[which], weights=self.weights[which], masses=self.masses[which])
        vars(chosen)["known"] = Known(*(value[..., which] for value in self.known))
        return chosen

    @cached_property
    def known(self) -> Known:
        """What only some questions need: forecasts beyond the pilot do without."""
        parameters, sizes = self.nodes.parameters, self.statistics.sizes[:, None]
        variance, carried = self.density.noise(parameters, sizes, sizes)
        pseudo = pseudo_scores(variance, carried, self.statistics).around(self.density.early(self.statistics))
        factor = self.density.factor(pseudo, sizes, parameters)
        residual = pseudo.scores - self.curve(sizes)
        white = solve_lower(factor, np.stack([residual, self._tilt(sizes)], axis=1))
        runs = self.statistics.averaged
        return Known(factor, white[:, 0], white[:, 1], variance / runs, carried / np.sqrt(runs))

    def given_the_pilot(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean of the expected score at new sizes, and its whitened covariances with the pseudo-scores."""
        cross = self._cross(at)
        return self.curve(at) + np.einsum("rqn,rn->qn", cross, self.known.white), cross

    def _kernel(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Covariances of f between sizes (R, 1) and (Q, 1): shape (R, Q, nodes)."""
        return self.density.kernel(left, right, float(self.statistics.sizes[-1]), self.nodes.parameters)

    def _apart(self, at: FloatArray) -> FloatArray:
        """How far the expected score lies off f at sizes (Q, 1), by standard deviations at the pilot's: shape (R, Q).

        Between early sizes it is interpolated along the logarithm; late ones have none.
        """
        early, known = np.sqrt(self.density.early(self.statistics)), np.log(self.statistics.sizes)
        each = np.array([np.interp(np.log(at[:, 0]), known, row) for row in np.eye(len(known))])
        apart: FloatArray = early[:, None] * each
        return apart

    def _with_the_pilot(self, at: FloatArray) -> FloatArray:
        """Covariances of the expected score at the pilot sizes with that at sizes (Q, 1): shape (R, Q, nodes)."""
        early = np.sqrt(self.density.early(self.statistics))
        return self._kernel(self.statistics.sizes[:, None], at) + (early[:, None] * self._apart(at))[:, :, None]

    def _cross(self, at: FloatArray) -> FloatArray:
        return solve_lower(self.known.factor, self._with_the_pilot(at))

    def _expected(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of f at new sizes."""
        variance = self.nodes.parameters["sigma"] ** 2
        last = self.statistics.sizes[-1:, None]
        if self.density.beliefs.kernel == "ou" and (at >= last).all():
            # Beyond the pilot the process only reverts to its mean: what the pilot says of it, it says of its end.
            left = self._kernel(last, at)[0] / variance
            rise = self._rise(at)
            swing = (self._tilt_of(rise) + left * self.nodes.lean) * self.nodes.spread
            variance = np.maximum(variance - left**2 * self.nodes.explained, 0.0) + swing**2
            return self.nodes.level + rise + left * self.nodes.departure, variance
        location, cross = self.given_the_pilot(at)
        explained = np.einsum("rqn,rqn->qn", cross, cross)
        variance = variance + (self._apart(at) ** 2).sum(axis=0)[:, None]
        return location, np.maximum(variance - explained, 0.0) + self._swing(at, cross) ** 2

    def curve(self, sizes: FloatArray) -> FloatArray:
        """The mean curve at sizes of shape (Q, 1), at the mean of its level."""
        return self.nodes.level + self._rise(sizes)

    def _rise(self, sizes: FloatArray) -> FloatArray:
        unit, last = self.statistics.sizes[0], self.statistics.sizes[-1]
        return self.density.rise(sizes / unit, np.asarray(last / unit), self.nodes.drop, self.nodes.shape)

    def _tilt(self, sizes: FloatArray) -> FloatArray:
        """How the mean curve changes with the level."""
        return self._tilt_of(self._rise(sizes))

    def _tilt_of(self, rise: FloatArray) -> FloatArray:
        """The same, given its rise: what is still to be won is a share of the room above the level."""
        return 1 - rise / (self.density.ceiling - self.nodes.level)

    def _swing(self, at: FloatArray, cross: FloatArray) -> FloatArray:
        """How f at new sizes changes with a standard deviation of the level, given the pilot."""
        return (self._tilt(at) - np.einsum("rqn,rn->qn", cross, self.known.tilted)) * self.nodes.spread

    def drawn(self, rng: np.random.Generator) -> Posterior:
        """The same with the level of each node drawn from its distribution."""
        n = self.nodes
        change = n.spread * ndtri(rng.permutation((np.arange(len(n.level)) + 0.5) / len(n.level)))
        change = np.minimum(change, (1 - 1e-9) * (self.density.ceiling - n.level))
        drop = n.drop * (1 - change / (self.density.ceiling - n.level))
        moved = replace(
            n,
            level=n.level + change,
            spread=np.zeros_like(n.spread),
            drop=drop,
            departure=n.departure + n.lean * change,
        )
        return replace(self, nodes=moved)

    def _continued(self, at: FloatArray, cross: FloatArray) -> Continued:
        """What the mean over the pilot's own splits adds to f at new sizes.

        Given f, the mean split effect is N(c0 - c'f, spread); f itself is Gaussian given the scores.
        """
        n, density, at_known, known = self.nodes, self.density, self.known, self.statistics.sizes[:, None]
        pull, offset, spread = np.zeros_like(at_known.variance), 0.0, 0.0
        runs = self.statistics.averaged
        tau_b = n.parameters["tau_b"] / np.sqrt(runs)
        total = sum(p.count for p in self.statistics.patterns)
        for pattern in self.statistics.patterns:
            rows = list(pattern.index)
            lever = at_known.carried[rows] * np.array(pattern.repeats)[:, None] / at_known.variance[rows]
            excess = 1 + (at_known.carried[rows] * lever).sum(axis=0)
            # In units of the effect at the reference size: b = tau_b times a standard normal.
            gain = tau_b * lever / excess * (pattern.count / total)
            pull[rows] += gain
            offset = offset + (pattern.mean[:, None] * gain).sum(axis=0)
            spread = spread + pattern.count / total**2 * tau_b**2 / excess
        prior = self._with_the_pilot(known)
        half = solve_lower(at_known.factor, prior)
        fitted = self.curve(known) + np.einsum("rkn,rn->kn", half, at_known.white)
        pulled = np.einsum("rkn,kn->rn", half, pull)
        variance_of_pull = np.einsum("in,ijn,jn->n", pull, prior, pull, optimize=True) - (pulled**2).sum(axis=0)
        covariance = np.einsum("rqn,rn->qn", self._with_the_pilot(at), pull)
        covariance = covariance - np.einsum("rqn,rn->qn", cross, pulled)
        swing = (pull * self._swing(known, half)).sum(axis=0)
        covariance = covariance + self._swing(at, cross) * swing
        variance_of_pull = variance_of_pull + swing**2
        weight = density.kept_shrinkage(at, known, n.parameters["kappa"])
        shift = weight * (offset - (pull * fitted).sum(axis=0))
        single, _ = density.noise(n.parameters, at, known)
        return Continued(shift, weight, covariance, variance_of_pull + spread, single / (runs * total))
