"""What is believed of a learning curve before it is measured: a proper prior for every parameter.

Parameters are stated through standard normal deviates: a prior is the map from a deviate z ~ N(0, 1) to the parameter,
so that the engine works in one space whatever the distributions are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Protocol, Self

import numpy as np
from scipy.special import betaln, expit, ndtr

from .._check import FloatArray
from .priors import TAU, PositiveNormal, elicit_sigma
from .variant import Variant

__all__ = [
    "CALIBRATED",
    "Beliefs",
    "Beta",
    "LogNormal",
    "LogitNormal",
    "Normal",
    "Prior",
    "Uniform",
    "paper_beliefs",
]


_TYPICAL_SIZE = 362.0
_LEARNT_SIZES = (-1.75, 3.2)  # pilots that end at 63 to 8,880 examples


class Prior(Protocol):
    """A distribution, as the map from standard normal deviates to values."""

    def from_normal(self, z: FloatArray) -> FloatArray:
        """Values at the quantiles that the deviates z have under N(0, 1)."""
        ...


@dataclass(frozen=True)
class Normal:
    """N(loc, scale^2)."""

    loc: float
    scale: float

    def from_normal(self, z: FloatArray) -> FloatArray:
        """loc + scale z."""  # noqa: D403
        return self.loc + self.scale * z


@dataclass(frozen=True)
class LogNormal:
    """A positive quantity of which the logarithm is N(log median, spread^2)."""

    median: float
    spread: float

    def from_normal(self, z: FloatArray) -> FloatArray:
        """median exp(spread z)."""  # noqa: D403
        return self.median * np.exp(self.spread * z)


@dataclass(frozen=True)
class LogitNormal:
    """A quantity in (0, upper) of which the logit of the share is N(loc, scale^2)."""

    loc: float
    scale: float
    upper: float = 1.0

    def from_normal(self, z: FloatArray) -> FloatArray:
        """upper logistic(loc + scale z)."""  # noqa: D403
        value: FloatArray = self.upper * expit(self.loc + self.scale * z)
        return value


@dataclass(frozen=True)
class Uniform:
    """U[low, high]."""

    low: float
    high: float

    def from_normal(self, z: FloatArray) -> FloatArray:
        """low + (high - low) Phi(z)."""  # noqa: D403
        value: FloatArray = self.low + (self.high - self.low) * ndtr(z)
        return value


@dataclass(frozen=True)
class Beta:
    """Beta(a e^(t a_by_size), b) on (0, 1), where t says how large the pilot is (`Beliefs.size_of`)."""

    a: float
    b: float
    a_by_size: float = 0.0

    def log_density(self, log_share: FloatArray, log_rest: FloatArray, t: FloatArray) -> FloatArray:
        """Logarithm of the density, given those of the share and of what it leaves."""
        a = self.a * np.exp(self.a_by_size * t)
        value: FloatArray = (a - 1) * log_share + (self.b - 1) * log_rest - betaln(a, self.b)
        return value


@dataclass(frozen=True)
class Beliefs:
    """Priors of the full-Bayes model.

    Of the splits s and sizes x_r it holds that y[s, r] = f(x_r) + w_r b[s] + e[s, r], with
    w_r = stay + (1 - stay) (x_r / x_ref)^-kappa, x_ref the geometric mean of the pilot sizes, b ~ N(0, tau_b^2) and
    e ~ N(0, (tau_e w_r)^2 + resolution^2): noise that shrinks as training sets grow, to a part that stays.

    Parameters
    ----------
    tau_e
        Standard deviation of a score around its split's own curve.
    tau_ratio
        tau_b / tau_e, how much of the noise a split carries along the curve; None: splits have no effect.
    kappa
        How fast noise shrinks with size, above 0; None: not at all.
    sigma
        Output scale of the kernel: relative to the window W, or elicited for each W.
    lam
        Length-scale of the kernel, in logarithms of base `log_base`.
    shapes
        For each mean, the priors of its shape coordinates.
    shares
        For each mean, the prior of the share of the room above the curve at the largest pilot size that is still to
        be won. None: the paper's flat priors on the limit and on the drop at the smallest size.
    resolution
        Rounding of a score; keeps a pilot of equal scores from claiming that there is no noise.
    log_base
        Base of the kernel's logarithm.
    kernel : {"rbf", "ou"}
        Covariance of the departures from the mean: the paper's radial basis function, or that of Ornstein and
        Uhlenbeck, which beyond the pilot only reverts to the mean.
    stay
        Share of the noise that stays however large the training set.
    tau_alone
        What `tau_e` is where every size has a single score and no split is labelled: that may be the score of one run,
        or a mean over any number of them. None: the same.
    trends
        By the names of coordinates, how many standard deviations a prior moves with each step of `size_of`. Without
        any, and with none in the shares, sizes enter as ratios only.
    """

    tau_e: Prior
    tau_ratio: Prior | None
    kappa: Prior | None
    sigma: Prior | ElicitedSigma
    lam: Prior
    shapes: dict[str, tuple[Prior, ...]]
    shares: dict[str, Beta] | None
    resolution: float = 0.0
    log_base: float = float(np.e)
    kernel: str = "rbf"
    stay: float = 0.0
    tau_alone: Prior | None = None
    trends: dict[str, float] = field(default_factory=dict)

    @staticmethod
    def size_of(largest: FloatArray) -> FloatArray:
        """How large a pilot is: t = log(largest size / 362), held within what the trends were learnt from."""
        return np.clip(np.log(largest / _TYPICAL_SIZE), *_LEARNT_SIZES)

    @property
    def uses_replicates(self) -> bool:
        """Whether single scores count; the paper knows only their mean at each size."""
        return self.tau_ratio is not None

    def expecting(self, noise: float) -> Beliefs:
        """The same beliefs for a user who expects single scores to scatter with this standard deviation."""
        # The prior median of tau_ratio says how much of the variance splits carry along the curve.
        ratio = 0.0 if self.tau_ratio is None else float(self.tau_ratio.from_normal(np.zeros(1))[0])
        expected = LogNormal(noise / float(np.hypot(1.0, ratio)), 0.4)
        return replace(self, tau_e=expected, tau_alone=expected)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: each prior is its kind and its numbers."""
        return {field.name: _written(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """What `to_dict` wrote."""
        return cls(**{name: _read(value) for name, value in content.items()})


@dataclass(frozen=True)
class ElicitedSigma:
    """The paper's prior on sigma, which depends on the window W of each curve."""

    upper: float

    def from_windows(self, windows: FloatArray, z: FloatArray) -> FloatArray:
        """Values for deviates z of shape (curves, nodes)."""
        priors = [elicit_sigma(float(max(w, 0.0)), self.upper) for w in windows]
        return np.stack([prior.from_normal(row) for prior, row in zip(priors, z, strict=True)])


_KINDS = {
    kind.__name__: kind for kind in (Normal, LogNormal, LogitNormal, Uniform, Beta, PositiveNormal, ElicitedSigma)
}


def _written(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _written(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_written(item) for item in value]
    return {"kind": type(value).__name__, **asdict(value)} if type(value).__name__ in _KINDS else value


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_read(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "kind" not in value:
        return {name: _read(item) for name, item in value.items()}
    return _KINDS[value["kind"]](**{name: number for name, number in value.items() if name != "kind"})


def paper_beliefs(variant: Variant) -> Beliefs:
    """The paper's priors. It has none on theta; integration needs flat ones within the paper's bounds."""
    return Beliefs(
        # At exactly 0 there would be no noise to divide by.
        tau_e=PositiveNormal(TAU.loc, TAU.scale, max(variant.noise_floor, 1e-5)),
        tau_ratio=None,
        kappa=None,
        sigma=ElicitedSigma(variant.sigma_upper),
        lam=variant.lambda_prior,
        shapes={
            "power_law": (Uniform(0.0, 1.0),),  # -theta2
            "arctan": (Uniform(0.0, 1.0),),
            "mmf": (Uniform(0.0, 2.0), Normal(0.0, 2.0)),
        },
        shares=None,
        log_base=variant.log_base,
    )


CALIBRATED = Beliefs(
    tau_e=LogNormal(0.0200, 1.027),
    tau_ratio=LogNormal(1.66, 1.162),
    kappa=LogitNormal(-0.161, 2.024, 2.0),
    sigma=LogNormal(0.231, 1.997),
    lam=LogNormal(3.14, 1.286),
    shapes={
        "power_law": (LogitNormal(1.520, 1.552),),
        "arctan": (LogitNormal(0.097, 1.821),),
        "mmf": (LogitNormal(-0.569, 1.198, 3.0), Normal(-3.607, 2.843)),
    },
    shares={
        "power_law": Beta(1.046, 0.432, -0.062),
        "arctan": Beta(0.547, 0.676, -0.040),
        "mmf": Beta(0.609, 0.455, -0.161),
    },
    resolution=5e-4,
    kernel="ou",
    stay=0.2,
    tau_alone=LogNormal(0.0151, 2.155),
    trends={"sigma": -0.0735},
)
"""Learnt by benchmarks/calibrate.py from the development curves of LCDB 1.0 (AUROC) and 1.1 (accuracy)."""
