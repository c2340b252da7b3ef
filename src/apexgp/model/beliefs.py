"""What is believed of a learning curve before it is measured: a proper prior for every parameter.

Beliefs check themselves, so that a prior that cannot be meant is named before any curve is blamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

import numpy as np

from .._check import FloatArray, choice, instance, mapped, positive, several, shown, whole_number
from ..errors import RequestError
from .checks import FARTHEST, checked_share, distribution, number_within, positive_distribution
from .distributions import Beta, LogitNormal, LogNormal, Normal, Prior, Uniform
from .elicitation import TAU, PositiveNormal, elicit_sigma
from .kernel import CORRELATIONS
from .means import MEANS
from .variant import SIGMA_STEPS, SIGMA_UPPER, Variant

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
_MOVABLE = ("tau_e", "tau_ratio", "kappa", "sigma", "lam", "shape0", "shape1")  # by trends


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
        any, and with none in the shares, sizes enter as ratios only. A trend of what a mean has not moves nothing.
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

    def __post_init__(self) -> None:
        for name in ("tau_e", "lam", "tau_ratio", "kappa", "tau_alone"):
            if name in ("tau_e", "lam") or getattr(self, name) is not None:
                positive_distribution(name, getattr(self, name))
        if not isinstance(self.sigma, ElicitedSigma):
            positive_distribution("sigma", self.sigma)
        shapes = mapped("shapes", self.shapes)
        shares = None if self.shares is None else mapped("shares", self.shares)
        for name, mean in MEANS.items():
            shapes[name] = tuple(several("shapes", shapes.get(name, ())))
            if len(shapes[name]) != len(mean.parameters) - 1:  # the last degree of freedom is the drop
                wanted = f"must hold {len(mean.parameters) - 1} of {name}"
                raise RequestError(f"{wanted}, got {shown(shapes[name])}.", argument="shapes")
            for prior in shapes[name]:
                distribution(f"shapes of {name}", prior)
            if shares is not None:
                checked_share("shares", name, shares.get(name), _LEARNT_SIZES)
        trends = mapped("trends", self.trends)
        for name in trends:
            choice("trends", name, _MOVABLE)
        checked = {
            "shapes": shapes,
            "shares": shares,
            "resolution": number_within("resolution", self.resolution, 0.0, 1.0),
            "log_base": number_within("log_base", self.log_base, 1.001, FARTHEST),
            "kernel": choice("kernel", self.kernel, CORRELATIONS),
            "stay": number_within("stay", self.stay, 0.0, 1.0),
            "trends": {name: number_within("trends", trend, -10.0, 10.0) for name, trend in trends.items()},
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def uses_replicates(self) -> bool:
        """Whether single scores count; the paper knows only their mean at each size."""
        return self.tau_ratio is not None

    def expecting(self, noise: float) -> Beliefs:
        """The same beliefs for a user who expects single scores to scatter with this standard deviation."""
        # The prior median of tau_ratio says how much of the variance splits carry along the curve.
        ratio = 0.0 if self.tau_ratio is None else float(self.tau_ratio.from_normal(np.zeros(1))[0])
        expected = LogNormal(positive("noise", noise) / float(np.hypot(1.0, ratio)), 0.4)
        return replace(self, tau_e=expected, tau_alone=expected)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: each prior is its kind and its numbers."""
        return {field.name: _written(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """What `to_dict` wrote."""
        try:
            given = {name: _read(value) for name, value in mapped("content", content).items()}
            return cls(**given)
        except (TypeError, KeyError, RecursionError) as problem:  # fields that no prior has, or none of its own
            raise RequestError(
                f"must be what Beliefs.to_dict gave ({type(problem).__name__}: {problem}).", argument="content"
            ) from None


def size_of(largest: FloatArray) -> FloatArray:
    """How large a pilot is: t = log(largest size / 362), held within what the trends were learnt from."""
    return np.clip(np.log(largest / _TYPICAL_SIZE), *_LEARNT_SIZES)


@dataclass(frozen=True)
class ElicitedSigma:
    """The paper's prior on sigma, which depends on the window W of each curve."""

    upper: float
    steps: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "upper", number_within("sigma", self.upper, *SIGMA_UPPER))
        object.__setattr__(self, "steps", whole_number("sigma", self.steps, least=0, most=SIGMA_STEPS))

    def from_windows(self, windows: FloatArray, z: FloatArray) -> FloatArray:
        """Values for deviates z of shape (curves, nodes)."""
        priors = [elicit_sigma(float(max(w, 0.0)), self.upper, self.steps) for w in windows]
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
    instance("variant", variant, Variant, "an apexgp.priors.Variant")
    return Beliefs(
        # At exactly 0 there would be no noise to divide by.
        tau_e=PositiveNormal(TAU.loc, TAU.scale, max(variant.noise_floor, 1e-5)),
        tau_ratio=None,
        kappa=None,
        sigma=ElicitedSigma(variant.sigma_upper, variant.sigma_steps),
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
