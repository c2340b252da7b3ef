"""What is believed of a learning curve before it is measured: a proper prior for every parameter.

Beliefs check themselves, so that a prior that cannot be meant is named before any curve is blamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

import numpy as np

from .._check import (
    FloatArray,
    check_choice,
    check_instance,
    check_list,
    check_mapping,
    check_positive,
    check_whole_number,
    format_value,
)
from ..errors import RequestError
from .checks import FARTHEST, check_between, check_distribution, check_positive_distribution, check_share_prior
from .distributions import Beta, LogitNormal, LogNormal, Normal, Prior, Uniform
from .elicitation import TAU, PositiveNormal, elicit_sigma
from .kernel import CORRELATIONS
from .learnt import Learnt
from .means import MEANS
from .variant import SIGMA_STEPS, SIGMA_UPPER, Variant

__all__ = [
    "CALIBRATED",
    "PILOT_FEATURES",
    "Beliefs",
    "Beta",
    "LogNormal",
    "LogitNormal",
    "Normal",
    "Prior",
    "Uniform",
    "paper_beliefs",
]


PILOT_FEATURES = (
    "size",
    "accuracy",
    "single",
    "unlabelled",
    "dense",
    "test_known",
    "test_noise",
    "gap_known",
    "gap",
    "separable",
    "always",
)
"""What a pilot shows that priors may go by: see `inference/signs.py`, which reads them off a curve."""

_SHAPES = tuple(f"shape{i}" for i in range(max(len(mean.shapes) for mean in MEANS.values())))
_COORDINATES = ("tau_e", "tau_ratio", "kappa", "sigma", "lam", *_SHAPES)
_SHARES = ("share_a", "share_b")


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
        For each mean, the priors of its shape coordinates; a mean without an entry has its calibrated ones.
    shares
        For each mean, the prior of the share of the room above the curve at the largest pilot size that is still to
        be won; a mean without an entry has its calibrated one. None: the paper's flat priors on the limit and on the
        drop at the smallest size.
    resolution
        Rounding of a score; keeps a pilot of equal scores from claiming that there is no noise.
    log_base
        Base of the kernel's logarithm.
    kernel : {"rbf", "ou"}
        Covariance of the departures from the mean: the paper's radial basis function, or that of Ornstein and
        Uhlenbeck, which beyond the pilot only reverts to the mean.
    stay
        Share of the noise that stays however large the training set.
    reach
        How far, in logarithms of size beyond the pilot, departures go on changing: at a distance d they have changed as
        much as they would at reach (1 - e^(-d / reach)) within the pilot. None: they change as they do there.
    early
        How far the expected score may lie off the curve and its departures at sizes more than eight times below the
        largest, on its own at each: a share of what it has risen since, for every further factor of eight.
    shifts
        By the names of coordinates, and of `share_a` and `share_b`, what signs of a pilot (`SIGNS`) do to a prior: how
        many standard deviations a coordinate moves with each, how much the logarithms of a and b of the share do.
        Without any, sizes enter as ratios only. A shift of what a mean has not moves nothing.
    spreads
        By the names of coordinates, how much signs add to the logarithm of the standard deviation.
    learnt
        The record of priors that `apexgp.learn_beliefs` made.
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
    reach: float | None = None
    early: float = 0.0
    shifts: dict[str, dict[str, float]] = field(default_factory=dict)
    spreads: dict[str, dict[str, float]] = field(default_factory=dict)
    learnt: Learnt | None = None

    def __post_init__(self) -> None:
        for name in ("tau_e", "lam", "tau_ratio", "kappa"):
            if name in ("tau_e", "lam") or getattr(self, name) is not None:
                check_positive_distribution(name, getattr(self, name))
        if not isinstance(self.sigma, ElicitedSigma):
            check_positive_distribution("sigma", self.sigma)
        shapes = check_mapping("shapes", self.shapes)
        shares = None if self.shares is None else check_mapping("shares", self.shares)
        for name, mean in MEANS.items():
            shapes[name] = tuple(check_list("shapes", shapes.get(name, mean.shapes)))
            if len(shapes[name]) != len(mean.parameters) - 1:  # the last degree of freedom is the drop
                wanted = f"must hold {len(mean.parameters) - 1} of {name}"
                raise RequestError(f"{wanted}, got {format_value(shapes[name])}.", argument="shapes")
            for prior in shapes[name]:
                check_distribution(f"shapes of {name}", prior)
            if shares is not None:
                check_share_prior("shares", name, shares.setdefault(name, mean.share))
        checked = {
            "shapes": shapes,
            "shares": shares,
            "resolution": check_between("resolution", self.resolution, 0.0, 1.0),
            "log_base": check_between("log_base", self.log_base, 1.001, FARTHEST),
            "kernel": check_choice("kernel", self.kernel, CORRELATIONS),
            "stay": check_between("stay", self.stay, 0.0, 1.0),
            "reach": None if self.reach is None else check_between("reach", self.reach, 0.01, FARTHEST),
            "early": check_between("early", self.early, 0.0, FARTHEST),
            "shifts": _check_moves("shifts", self.shifts, (*_COORDINATES, *_SHARES)),
            "spreads": _check_moves("spreads", self.spreads, _COORDINATES),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.learnt is not None:
            check_instance("learnt", self.learnt, Learnt, "the record that learn_beliefs made")

    @property
    def uses_replicates(self) -> bool:
        """Whether single scores count; the paper knows only their mean at each size."""
        return self.tau_ratio is not None

    def expecting(self, noise: float) -> Beliefs:
        """The same beliefs for a user who expects single scores to scatter with this standard deviation."""
        # The prior median of tau_ratio says how much of the variance splits carry along the curve.
        ratio = 0.0 if self.tau_ratio is None else float(self.tau_ratio.from_normal(np.zeros(1))[0])
        expected = LogNormal(check_positive("noise", noise) / float(np.hypot(1.0, ratio)), 0.4)
        shifts, spreads = (
            {name: own for name, own in moves.items() if name != "tau_e"} for moves in (self.shifts, self.spreads)
        )
        return replace(self, tau_e=expected, shifts=shifts, spreads=spreads)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: each prior is its kind and its numbers."""
        return {field.name: _to_json(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """What `to_dict` wrote."""
        try:
            given = {name: _from_json(value) for name, value in check_mapping("content", content).items()}
            return cls(**given)
        except (TypeError, KeyError, RecursionError) as problem:  # fields that no prior has, or none of its own
            raise RequestError(
                f"must be what Beliefs.to_dict gave ({type(problem).__name__}: {problem}).", argument="content"
            ) from None


def _check_moves(name: str, given: Any, places: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """What signs do to priors: a number for each sign, by what it moves."""
    moves = {}
    for place, by_sign in check_mapping(name, given).items():
        check_choice(name, place, places)
        moves[place] = {
            check_choice(name, sign, PILOT_FEATURES): check_between(name, value, -10.0, 10.0)
            for sign, value in check_mapping(name, by_sign).items()
        }
    return moves


@dataclass(frozen=True)
class ElicitedSigma:
    """The paper's prior on sigma, which depends on the window W of each curve."""

    upper: float
    steps: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "upper", check_between("sigma", self.upper, *SIGMA_UPPER))
        object.__setattr__(self, "steps", check_whole_number("sigma", self.steps, least=0, most=SIGMA_STEPS))

    def from_window(self, window: float, z: FloatArray) -> FloatArray:
        """Values for deviates z, of a curve with this window."""
        return elicit_sigma(max(window, 0.0), self.upper, self.steps).from_normal(z)


_JSON_KINDS = {
    kind.__name__: kind
    for kind in (Normal, LogNormal, LogitNormal, Uniform, Beta, PositiveNormal, ElicitedSigma, Learnt)
}


def _to_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _to_json(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    return {"kind": type(value).__name__, **asdict(value)} if type(value).__name__ in _JSON_KINDS else value


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_from_json(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "kind" not in value:
        return {name: _from_json(item) for name, item in value.items()}
    return _JSON_KINDS[value["kind"]](**{name: number for name, number in value.items() if name != "kind"})


def paper_beliefs(variant: Variant) -> Beliefs:
    """The paper's priors. It has none on theta; integration needs flat ones within the paper's bounds."""
    check_instance("variant", variant, Variant, "an apexgp.priors.Variant")
    return Beliefs(
        # At exactly 0 there would be no noise to divide by.
        tau_e=PositiveNormal(TAU.loc, TAU.scale, max(variant.noise_floor, 1e-5)),
        tau_ratio=None,
        kappa=None,
        sigma=ElicitedSigma(variant.sigma_upper, variant.sigma_steps),
        lam=variant.lambda_prior,
        shapes={name: mean.paper_shapes for name, mean in MEANS.items()},
        shares=None,
        log_base=variant.log_base,
    )


CALIBRATED = Beliefs(
    tau_e=LogNormal(0.0166, 1.040),
    tau_ratio=LogNormal(1.23, 1.094),
    kappa=LogitNormal(-0.140, 1.767, 2.0),
    sigma=LogNormal(0.151, 1.877),
    lam=LogNormal(2.69, 1.317),
    shapes={name: mean.shapes for name, mean in MEANS.items()},
    shares={name: mean.share for name, mean in MEANS.items()},
    resolution=5e-4,
    kernel="ou",
    stay=0.2,
    reach=1.5,
    early=0.3,
    shifts={
        "tau_e": {"single": 0.137, "unlabelled": -0.306, "test_known": 0.067, "test_noise": 0.140},
        "tau_ratio": {"single": 0.291, "unlabelled": -0.459, "dense": -0.046},
        "sigma": {"size": -0.060},
        "share_a": {"size": -0.108, "accuracy": -0.378, "gap_known": -0.399, "gap": 0.782, "separable": 0.165},
        "share_b": {"size": 0.060, "gap_known": 0.179, "separable": -0.447},
    },
    spreads={"tau_e": {"unlabelled": 0.552, "test_known": -0.041}},
)
"""Learnt by benchmarks/calibrate.py from the development curves of LCDB 1.0 (AUROC, accuracy) and 1.1 (accuracy).

What was learnt of each mean is stated with the mean.
"""
