"""The paper's priors on tau, sigma and lambda, the elicitation that fixes sigma's, and its two variants.

The paper's tables come from released code that departs from the paper's text in a handful of constants; a `Variant`
holds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import e

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from .._check import FloatArray, check_bool, check_whole_number
from ..numerics.roots import find_rising_root
from .distributions import FARTHEST, check_between, check_positive_distribution

__all__ = [
    "LAMBDA_PRINTED",
    "LAMBDA_WRITTEN",
    "PUBLISHED",
    "SIGMA_STEPS",
    "SIGMA_UPPER",
    "TAU",
    "WRITTEN",
    "PositiveNormal",
    "Variant",
    "elicit_sigma",
]


@dataclass(frozen=True)
class PositiveNormal:
    """A normal distribution truncated to [lower, inf), by its location and scale before truncation."""

    loc: float
    scale: float
    lower: float = 0.0

    def log_pdf(self, value: FloatArray) -> FloatArray:
        """Logarithm of the density at values >= lower."""
        density: FloatArray = -0.5 * ((value - self.loc) / self.scale) ** 2 - self._log_mass
        return density

    def log_pdf_slope(self, value: FloatArray) -> FloatArray:
        """Derivative of `log_pdf`."""
        return (self.loc - value) / self.scale**2

    def cdf(self, value: FloatArray) -> FloatArray:
        """P(parameter <= value) for values >= lower."""
        share: FloatArray = 1 - ndtr((self.loc - value) / self.scale) / self._above
        return share

    def quantile(self, p: FloatArray) -> FloatArray:
        """Inverse of `cdf`."""
        value: FloatArray = np.maximum(self.loc - self.scale * ndtri((1 - np.asarray(p)) * self._above), self.lower)
        return value

    def from_normal(self, z: FloatArray) -> FloatArray:
        """Values at the quantiles that the deviates z have under N(0, 1)."""
        above = ndtr(-np.minimum(z, _FARTHEST)) * self._above
        value: FloatArray = np.maximum(self.loc - self.scale * ndtri(above), self.lower)
        return value

    @cached_property
    def _above(self) -> float:
        """Mass of the normal distribution above `lower`."""
        return float(ndtr((self.loc - self.lower) / self.scale))

    @cached_property
    def _log_mass(self) -> float:
        return float(np.log(self.scale * np.sqrt(2 * np.pi) * self._above))


TAU = PositiveNormal(0.01, 0.01)
LAMBDA_WRITTEN = PositiveNormal(-1.23, 2.14)
LAMBDA_PRINTED = PositiveNormal(-1.23, 2.12)

# Shares of the room W above the best pilot score that the window w = 6 sqrt(sigma^2 + tau^2) should have as its
# percentiles. The text asks for the outer two; the released code for all three.
_PERCENTILES = np.array([0.2, 0.5, 0.8])
_SHARES = np.array([1 / 2, 5 / 8, 3 / 4])

_FARTHEST = 37.0  # deviates beyond which the tail underflows

_LEAST = 0.001  # lower end of the authors' grid, for location and scale alike
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


@lru_cache(maxsize=1024)
def elicit_sigma(window: float, upper: float, steps: int = 0) -> PositiveNormal:
    """Find the prior on sigma that makes w = 6 sqrt(sigma^2 + tau^2) span the wanted part of W.

    Parameters
    ----------
    window
        W, the room between the best pilot score and the ceiling.
    upper
        Largest location and scale to consider; the least is 0.001.
    steps
        How many locations, and as many scales, equally far apart, to choose from: the grid of the released code has
        100, and which of its points is best matters to the second digit of some printed coverages. 0: any.

    Returns
    -------
    PositiveNormal
        Where the summed absolute gaps between the percentiles of w and W/2, 5W/8, 3W/4 are least. Often no choice
        closes all three gaps; where tau alone exceeds the window the answer is the corner (0.001, 0.001).

    Notes
    -----
    The sum of absolute gaps has kinks, valleys and flat ground, so it is searched on grids: where any point will do, on
    one over the whole box, then on ever smaller ones around the best point so far.
    """
    wanted = _SHARES * window / 6
    if steps:
        grid, percentiles = _compute_grid_percentiles(upper, steps)
        loc, scale = (float(grid[i]) for i in _find_least_gaps(percentiles, wanted))
        return PositiveNormal(loc, scale)
    axes, percentiles = _compute_box_percentiles(upper)
    best = _find_least_gaps(percentiles, wanted)
    spacings = [axis[1] - axis[0] for axis in axes]
    for _ in range(50):  # far more than needed, unless flat ground lets the grid wander
        if max(spacings) <= 1e-3:
            break
        near = [
            np.clip(axis[i] + spacing / 3 * np.arange(-4, 5), np.log(_LEAST), np.log(upper))
            for axis, i, spacing in zip(axes, best, spacings, strict=True)
        ]
        axes, best = near, _find_least_gaps(_window_percentiles(*near), wanted)
        # At the rim of a small grid the valley goes on: move there before looking closer.
        if all(0 < i < 8 or axis[i] in (np.log(_LEAST), np.log(upper)) for axis, i in zip(axes, best, strict=True)):
            spacings = [spacing / 3 for spacing in spacings]
    loc, scale = (float(np.exp(axis[i])) for axis, i in zip(axes, best, strict=True))
    return PositiveNormal(loc, scale)


def _find_least_gaps(percentiles: FloatArray, wanted: FloatArray) -> tuple[int, int]:
    gaps = np.abs(percentiles - wanted).sum(axis=-1)
    loc, scale = np.unravel_index(gaps.argmin(), gaps.shape)
    return int(loc), int(scale)


@lru_cache(maxsize=4)
def _compute_grid_percentiles(upper: float, steps: int) -> tuple[FloatArray, FloatArray]:
    """Equally spaced locations, which are the scales too, and the percentiles for all pairs of them."""
    grid = np.linspace(_LEAST, upper, steps)
    return grid, _window_percentiles(np.log(grid), np.log(grid))


@lru_cache(maxsize=4)
def _compute_box_percentiles(upper: float) -> tuple[list[FloatArray], FloatArray]:
    """Logarithms of locations and scales over the box, and the percentiles there: they do not depend on W."""
    axes = [np.linspace(np.log(_LEAST), np.log(upper), n) for n in (40, 14)]
    return axes, _window_percentiles(*axes)


def _window_percentiles(log_loc: FloatArray, log_scale: FloatArray) -> FloatArray:
    """Percentiles of s = sqrt(sigma^2 + tau^2) for all pairs of location and scale of sigma's prior."""
    loc, scale = np.exp(log_loc)[:, None, None], np.exp(log_scale)[None, :, None]

    def surplus(s: FloatArray, which: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        cdf, pdf = _window_distribution(s, loc, scale)
        return cdf - _PERCENTILES[which], pdf

    # Were tau constant at its typical size, these would be the percentiles.
    guess = np.hypot(loc + scale * ndtri(1 - (1 - _PERCENTILES) * ndtr(loc / scale)), TAU.quantile(_PERCENTILES))
    low, high = 0.1 * guess, 10 * guess
    return find_rising_root(surplus, low, high, guess, tolerance=1e-7)


def _window_distribution(s: FloatArray, loc: FloatArray, scale: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distribution function and density of sqrt(sigma^2 + tau^2) at s.

    In polar coordinates, P(sigma^2 + tau^2 <= s^2) = int_0^{pi/2} F_sigma(s cos phi) p_tau(s sin phi) s cos phi dphi
    and the density is int p_sigma(s cos phi) p_tau(s sin phi) s dphi. The integrands change fastest where
    s cos phi = loc, so two Gauss-Legendre panels meet there.
    """
    meet = np.arccos(np.clip(loc / s, 0.0, 0.9))[..., None]
    half = np.concatenate([meet, np.pi / 2 - meet], axis=-1)[..., None] / 2
    start = np.concatenate([0 * meet, meet], axis=-1)[..., None]
    phi = start + half * (1 + _NODES)
    s, loc, scale = s[..., None, None], loc[..., None, None], scale[..., None, None]
    sigma, tau = s * np.cos(phi), s * np.sin(phi)
    weight = half * _WEIGHTS * np.exp(TAU.log_pdf(tau))
    z = (sigma - loc) / scale
    above = ndtr(loc / scale)
    cdf = (weight * sigma * (ndtr(z) - ndtr(-loc / scale)) / above).sum(axis=(-2, -1))
    pdf = (weight * s * np.exp(-0.5 * z**2) / (np.sqrt(2 * np.pi) * scale * above)).sum(axis=(-2, -1))
    return cdf, pdf


SIGMA_STEPS = 300  # at most
SIGMA_UPPER = (0.002, 1e3)  # bounds of the upper end of the elicitation's box; its lower end is 0.001


@dataclass(frozen=True)
class Variant:
    """Constants of the model on which the paper's text and its released code disagree.

    Parameters
    ----------
    log_base
        Base of the logarithm that the kernel takes of the sizes.
    noise_floor
        Least standard deviation tau of the noise.
    lambda_prior
        Prior on the kernel's length-scale.
    sigma_upper
        Largest location and scale that the elicitation of sigma's prior may choose.
    window_to_ceiling
        Whether W, the room above the best pilot score, ends at the ceiling or (false) at 1.
    sigma_steps
        How many locations, and as many scales, equally far apart, the elicitation chooses from; 0: any.
    """

    log_base: float
    noise_floor: float
    lambda_prior: PositiveNormal
    sigma_upper: float
    window_to_ceiling: bool
    sigma_steps: int = 0

    def __post_init__(self) -> None:
        check_positive_distribution("lambda_prior", self.lambda_prior)
        checked = {
            "log_base": check_between("log_base", self.log_base, 1.001, FARTHEST),
            "noise_floor": check_between("noise_floor", self.noise_floor, 0.0, 1.0),
            "sigma_upper": check_between("sigma_upper", self.sigma_upper, *SIGMA_UPPER),
            "window_to_ceiling": check_bool("window_to_ceiling", self.window_to_ceiling),
            "sigma_steps": check_whole_number("sigma_steps", self.sigma_steps, least=0, most=SIGMA_STEPS),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)


PUBLISHED = Variant(
    log_base=10.0,
    noise_floor=0.01,
    lambda_prior=LAMBDA_PRINTED,
    sigma_upper=0.05,
    window_to_ceiling=True,
    sigma_steps=100,
)
"""The released code, which the printed tables come from."""

WRITTEN = Variant(
    log_base=e,
    noise_floor=0.0,
    lambda_prior=LAMBDA_WRITTEN,
    # No bound in the text. W is at most 1, so the window 6 sigma asks for locations of at most 1/8.
    sigma_upper=0.2,
    window_to_ceiling=False,
)
"""The paper's text, to the letter."""
