"""Likelihood times prior of the full-Bayes model, at many points at once.

Coordinates are standard normal deviates z: a prior of `model.beliefs` is the map from a deviate to its parameter. Given
the nonlinear parameters, level and drop of the curve are drawn exactly (`level_and_drop`), and their masses go into the
weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .._check import FloatArray
from ..model.beliefs import Beliefs, ElicitedSigma
from ..model.kernel import CORRELATIONS
from ..model.means import Mean
from .draws import FAR, Evaluated
from .gaussian_algebra import Products, by_factor, by_filter, cholesky
from .level_and_drop import LevelAndDrop, Told
from .sobol_points import Uniforms
from .statistics import EARLY, PseudoScores, Statistics, pseudo_scores

__all__ = ["Density", "Divide", "Given", "moved"]

_LOG_2PI = np.log(2 * np.pi)
_STEEPEST = 0.25  # a or b of a Beta prior: with less, weights of draws from the arcsine distribution have no variance


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

    @cached_property
    def _level_and_drop(self) -> LevelAndDrop:
        shares = self.beliefs.shares
        return LevelAndDrop(self.mean, None if shares is None else shares[self.mean.name], self.ceiling, self.floor)

    def window(self, of: Statistics) -> float:
        """W: the room above the curve's best score.

        The best of noisy means is biased upwards; adding a standard error makes up for it and keeps W above 0.
        """
        room = max(self.ceiling - of.best, 0.0)
        if isinstance(self.beliefs.sigma, ElicitedSigma):
            return room
        return room + float(np.sqrt((of.spread[0] + self.beliefs.resolution**2) / of.typical_count))

    def parameters(self, z: FloatArray, of: Statistics) -> dict[str, FloatArray]:
        """Values of noise and kernel at deviates z (D, nodes), by name."""
        return self._parameters(self._deviates(z, of), of)

    def shape(self, z: FloatArray, of: Statistics) -> tuple[FloatArray, ...]:
        """Shape coordinates of the mean at deviates z."""
        return self._shape(self._deviates(z, of))

    def _parameters(self, deviate: dict[str, FloatArray], of: Statistics) -> dict[str, FloatArray]:
        beliefs, window = self.beliefs, self.given(of).window
        values = {"tau_e": beliefs.tau_e.from_normal(deviate["tau_e"]), "lam": beliefs.lam.from_normal(deviate["lam"])}
        # Scores lie in [0, 1]. Luck without bounds would leave nothing of the level but rounding errors.
        values["tau_e"] = np.minimum(values["tau_e"], 1.0)
        values["lam"] = np.maximum(values["lam"], 1e-3)
        ratio, kappa = beliefs.tau_ratio, beliefs.kappa
        none = np.zeros_like(deviate["tau_e"])
        values["tau_b"] = none
        if ratio is not None:
            values["tau_b"] = np.minimum(values["tau_e"] * ratio.from_normal(deviate["tau_ratio"]), 1.0)
        values["kappa"] = none if kappa is None else kappa.from_normal(deviate["kappa"])
        if isinstance(beliefs.sigma, ElicitedSigma):
            values["sigma"] = np.maximum(beliefs.sigma.from_window(window, deviate["sigma"]), 1e-9)
        else:
            values["sigma"] = window * beliefs.sigma.from_normal(deviate["sigma"])
        return values

    def _shape(self, deviate: dict[str, FloatArray]) -> tuple[FloatArray, ...]:
        return tuple(p.from_normal(deviate[f"shape{i}"]) for i, p in enumerate(self.beliefs.shapes[self.mean.name]))

    def _deviates(self, z: FloatArray, of: Statistics) -> dict[str, FloatArray]:
        """Deviates by the names of the coordinates, moved and stretched by what signs of a pilot do to their priors."""
        given, along = self.given(of), (..., *(None,) * (z.ndim - 1))
        return dict(zip(self.names, z * given.stretch[along] + given.shift[along], strict=True))

    def given(self, of: Statistics) -> Given:
        """What follows from a curve, whatever the parameters: kept until another curve is asked about."""
        kept: Given | None = vars(self).get("_kept")
        if kept is None or kept.of is not of:
            signs, beliefs = of.signs(self.ceiling), self.beliefs
            stretch = np.array([np.exp(moved(beliefs.spreads.get(name, {}), signs)) for name in self.names])
            shift = np.array([moved(beliefs.shifts.get(name, {}), signs) for name in self.names])
            divide = self._divide(stretch, shift, of)
            kept = Given(of, stretch, shift, self.window(of), divide)
            vars(self)["_kept"] = kept
        return kept

    def divide(self, of: Statistics) -> Divide:
        """What tells curves that woke up before the pilot from those that do so later, if the mean has such.

        Seen from the coordinates, the second kind lies on a narrow ridge beside the broad plain of the first.
        """
        return self.given(of).divide

    def _divide(self, stretch: FloatArray, shift: FloatArray, of: Statistics) -> Divide:
        onset = self.mean.onset
        if onset is None:
            return Divide(-1, 0.0, 0.0)
        row, deviates = self.names.index(f"shape{onset}"), np.linspace(-8, 8, 257)
        ends = np.array([np.log(of.sizes[0] / of.sizes[-1]) - 0.5, 0.5])
        values = self.beliefs.shapes[self.mean.name][onset].from_normal(deviates)
        above, below = ((np.interp(ends, values, deviates) - shift[row]) / stretch[row]).tolist()
        return Divide(row, above, below)

    def share_factors(self, of: Statistics) -> tuple[float, float]:
        """Factors of a and b of the prior of the remaining share: what signs of the pilot do to it, within bounds."""
        signs, beliefs = of.signs(self.ceiling), self.beliefs
        if beliefs.shares is None:
            return 1.0, 1.0
        share = beliefs.shares[self.mean.name]
        a, b = (
            max(float(np.exp(moved(beliefs.shifts.get(name, {}), signs))), min(_STEEPEST / own, 1.0))
            for name, own in (("share_a", share.a), ("share_b", share.b))
        )
        return a, b

    def rise(self, sizes: FloatArray, last: FloatArray, drop: FloatArray, shape: tuple[FloatArray, ...]) -> FloatArray:
        """m(x) - m(x_R): sizes and the last one, x_R, counted in units of the smallest."""
        rise: FloatArray = drop - self.mean.drop(sizes, *self.mean.solve_theta(last, drop, *shape))
        return rise

    def clock(self, sizes: FloatArray, last: FloatArray | float) -> FloatArray:
        """Where sizes are along the process, x_R at 0: log(x / x_R) within the pilot, and slowing down beyond.

        Departures go on changing for a while, and then stay: what is still to come, the mean curve brings.
        """
        distance: FloatArray = np.log(sizes / last)
        reach = self.beliefs.reach
        return distance if reach is None else np.minimum(distance, -reach * np.expm1(-np.maximum(distance, 0) / reach))

    def kernel(
        self, left: FloatArray, right: FloatArray, last: FloatArray | float, parameters: dict[str, FloatArray]
    ) -> FloatArray:
        """Covariances of f between sizes (R, ...) and (Q, ...), the pilot ending at `last`: shape (R, Q, ...)."""
        return self._kernel_at(self.clock(left, last)[:, None] - self.clock(right, last)[None, :], parameters)

    def _kernel_at(self, distance: FloatArray, parameters: dict[str, FloatArray]) -> FloatArray:
        """Covariances of f between sizes that are so far apart on the `clock`."""
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
        ahead = np.concatenate([[1.0], FAR])[:, None] * sizes[-1]
        if self.beliefs.kernel == "ou" and pseudo.own.ndim == pseudo.scores.ndim:
            rate = -1 / (np.log(self.beliefs.log_base) * parameters["lam"])
            steps = np.diff(np.log(sizes), axis=0)
            kept, left = np.exp(steps * rate), np.exp(self.clock(ahead, sizes[-1]) * rate)
            return by_filter(columns, pseudo.own, pseudo.common, parameters["sigma"] ** 2, kept, left)
        reach = self.kernel(sizes, ahead, sizes[-1], parameters)
        return by_factor(columns, self.factor(pseudo, sizes, parameters), reach)

    def shrinkage(self, sizes: FloatArray, pilot_sizes: FloatArray, kappa: FloatArray) -> FloatArray:
        """The factor w = stay + (1 - stay) (x / x_ref)^-kappa, by which noise shrinks to a part that stays."""
        reference, stay = np.log(pilot_sizes).mean(axis=0), self.beliefs.stay
        return stay + (1 - stay) * np.exp(-kappa * (np.log(sizes) - reference))

    def kept_shrinkage(self, sizes: FloatArray, pilot_sizes: FloatArray, kappa: FloatArray) -> FloatArray:
        """The part of w that a split carries along: w, held below an eighth of the largest pilot size.

        Luck that shrank over the whole of a long pilot would be taken for its learning curve.
        """
        return self.shrinkage(np.maximum(sizes, pilot_sizes[-1] / EARLY), pilot_sizes, kappa)

    def noise(self, parameters: dict[str, FloatArray], sizes: FloatArray, pilot_sizes: FloatArray) -> FloatArray:
        """Variance of e and standard deviation of the carried split effect at `sizes`, stacked."""
        w = self.shrinkage(sizes, pilot_sizes, parameters["kappa"])
        carried = parameters["tau_b"] * self.kept_shrinkage(sizes, pilot_sizes, parameters["kappa"])
        dropped = (parameters["tau_b"] * w) ** 2 - carried**2  # luck that is not carried along: exactly 0 late
        return np.stack([(parameters["tau_e"] * w) ** 2 + dropped + self.beliefs.resolution**2, carried])

    def early(self, of: Statistics) -> FloatArray:
        """Variance of f around the process at sizes far below the largest, shape (sizes,).

        What a curve does there says little of its end: with every factor of `EARLY` beyond the first it may lie off by
        another share of what it has risen since.
        """
        factors = np.log(of.sizes[-1] / of.sizes) / np.log(EARLY) - 1
        risen = np.maximum(of.best - of.means, 0.0)
        variance: FloatArray = (self.beliefs.early * np.maximum(factors, 0.0) * risen) ** 2
        return variance

    def log_rest(self, z: FloatArray, of: Statistics) -> FloatArray:
        """What the noise at deviates z (D, nodes) makes likely, apart from the curve: see `pseudo_scores`."""
        parameters, sizes = self.parameters(z, of), of.sizes[:, None]
        variance, carried = self.noise(parameters, sizes, sizes)
        return pseudo_scores(variance, carried, of).log_rest

    def evaluate(self, z: FloatArray, u: Uniforms, of: Statistics) -> Evaluated:
        """Draws of level and drop at deviates z (D, nodes), and likelihood times prior over N(z; 0, I).

        Uniform numbers u make the draws: most of the work is done once per node, whatever their number.
        """
        deviate = self._deviates(z, of)
        parameters, shape = self._parameters(deviate, of), self._shape(deviate)
        drop = np.ones_like(z[0]) if self.mean.scalable else self._level_and_drop.proposed_drop(z[-1])
        rises = np.concatenate([of.sizes, FAR * of.sizes[-1]])[:, None]
        rises = self.rise(rises / of.sizes[0], np.asarray(of.sizes[-1] / of.sizes[0]), drop, shape)
        sizes, given = of.sizes[:, None], self._level_and_drop
        variance, carried = self.noise(parameters, sizes, sizes)
        pseudo = pseudo_scores(variance, carried, of).around(self.early(of))
        rise, far_rise = rises[: len(sizes)], rises[len(sizes) :, None]
        columns = np.empty((len(sizes), 2 + self.mean.scalable, *z.shape[1:]))
        columns[:, 0], columns[:, 1] = pseudo.scores, 1.0
        if self.mean.scalable:
            columns[:, 2] = rise  # m = level + drop rise
        else:
            columns[:, 0] -= rise  # m = level + rise
        products = self._products(columns, pseudo, sizes, parameters)
        told = Told(z[-1], self.share_factors(of), products.gram, rise, drop, given.least_limit(of))
        drawn = given.draw(told, float(of.sizes[-1] / of.sizes[0]), shape, u)
        rest = pseudo.log_rest - products.log_determinant - 0.5 * len(sizes) * _LOG_2PI
        drawn = given.within_bounds(drawn, u.levels)
        level, share = drawn.level, drawn.share
        drop = share * (self.ceiling - level)
        pulls = products.pulls[:, :, None]
        departure, lean = pulls[:, 0] - pulls[:, 1] * level, -pulls[:, 1]
        if self.mean.scalable:
            departure -= pulls[:, 2] * drop
            lean = lean + pulls[:, 2] * share
            far_location = level + far_rise * drop + departure[1:]
            far_tilt = 1 - far_rise * share + lean[1:]
        else:
            far_location = level + far_rise + departure[1:]
            far_tilt = np.zeros_like(far_location)  # the level was drawn
        far_variance = np.maximum(parameters["sigma"] ** 2 - products.explained[1:], 1e-14)[:, None]
        far_variance = far_variance + (far_tilt * drawn.spread) ** 2
        single, carried = self.noise(parameters, FAR[0] * sizes[-1:], sizes)
        far_variance[0] += (single[0] + carried[0] ** 2) / of.typical_count
        lean = np.broadcast_to(lean[0], level.shape)
        log_weight, explained = drawn.log_mass + rest, products.explained[0]
        log_weight = np.where(np.isnan(log_weight), -np.inf, log_weight)
        return Evaluated(
            log_weight, level, drawn.spread, drop, departure[0], lean, far_location, far_variance, explained
        )


class Divide(NamedTuple):
    """What two families of curves are told apart by."""

    row: int
    """Of the coordinates; -1: there are no families."""
    above: float
    """The second family lies above this."""
    below: float
    """Most of it that matters lies below this."""


class Given(NamedTuple):
    """What follows from a curve."""

    of: Statistics
    stretch: FloatArray
    """What signs of the pilot do to deviates: factors, and what is added then."""
    shift: FloatArray
    window: float
    divide: Divide


def moved(by_sign: dict[str, float], signs: dict[str, float]) -> float:
    """What signs add up to."""
    return sum(value * signs[name] for name, value in by_sign.items())
