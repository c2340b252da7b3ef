"""Priors of the full-Bayes model, one for every parameter: the calibrated ones, the paper's, those of a file.

`Beliefs` check themselves, so that a prior that cannot be meant is named before any curve is blamed. Files of priors
are JSON with a checksum: numbers edited by hand are no longer those whose origin the record states.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from importlib.metadata import version
from typing import Any, Self

import numpy as np

from .._check import (
    DAMAGED,
    FloatArray,
    check_choice,
    check_instance,
    check_list,
    check_mapping,
    check_positive,
    check_whole_number,
    format_value,
)
from ..errors import DataError, RequestError
from ..files.writing import to_json_value, write_text
from ..learners import LEARNERS
from ..reading.files import one_line, read_bytes
from .distributions import (
    FARTHEST,
    Beta,
    LogitNormal,
    LogNormal,
    Normal,
    Prior,
    Uniform,
    check_between,
    check_distribution,
    check_positive_distribution,
    check_share_prior,
)
from .kernel import CORRELATIONS
from .learnt import Learnt
from .means import MEANS
from .paper_priors import SIGMA_STEPS, SIGMA_UPPER, TAU, PositiveNormal, Variant, elicit_sigma

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
    "compute_checksum",
    "drop_other_kinds",
    "is_moved_by",
    "paper_beliefs",
    "parse_priors",
    "read_priors",
    "write_priors",
]

PILOT_FEATURES = (
    *("size", "one_size", "two_sizes", "accuracy", "precision", "low", "top", "single", "several"),
    *("test_known", "test_noise", "gap_known", "gap", "separable"),
    *LEARNERS,
    *("few_features", "many_features", "few_per_class", "always"),
)
"""Features of a pilot that may move priors: `inference/signs.py` computes them from a curve."""

_SHAPES = tuple(f"shape{i}" for i in range(max(len(mean.shapes) for mean in MEANS.values())))
_COORDINATES = ("tau_e", "tau_ratio", "kappa", "sigma", "lam", *_SHAPES)
_SHARES = ("share_a", "share_b")


@dataclass(frozen=True)
class Beliefs:
    """Priors of the full-Bayes model.

    Scores of splits s at sizes x_r follow y[s, r] = f(x_r) + w_r b[s] + e[s, r], with
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
        Effects of features of a pilot (`PILOT_FEATURES`) on priors, by the names of coordinates, and of `share_a` and
        `share_b`: how many standard deviations a coordinate moves with each, how much the logarithms of a and b of the
        share do. Without any, sizes enter as ratios only. Effects on coordinates that a mean has not are ignored.
    spreads
        By the names of coordinates, what features add to the logarithm of the standard deviation.
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
        """Beliefs of a user who expects single scores to scatter with this standard deviation."""
        # The prior median of tau_ratio says how much of the variance splits carry along the curve.
        ratio = 0.0 if self.tau_ratio is None else float(self.tau_ratio.from_normal(np.zeros(1))[0])
        expected = LogNormal(check_positive("noise", noise) / float(np.hypot(1.0, ratio)), 0.4)
        shifts, spreads = (
            {name: effects for name, effects in moves.items() if name != "tau_e"}
            for moves in (self.shifts, self.spreads)
        )
        return replace(self, tau_e=expected, shifts=shifts, spreads=spreads)

    def to_dict(self) -> dict[str, Any]:
        """The beliefs as JSON can hold them: each prior is its kind and its numbers."""
        return {field.name: _to_json(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Make beliefs from the result of `to_dict`."""
        try:
            values = {name: _from_json(value) for name, value in check_mapping("content", content).items()}
            return cls(**values)
        except (TypeError, KeyError, RecursionError) as problem:  # unknown fields, or missing ones
            raise RequestError(
                f"must be what Beliefs.to_dict gave ({type(problem).__name__}: {problem}).", argument="content"
            ) from None


def is_moved_by(beliefs: Beliefs, feature: str) -> bool:
    """Whether a feature of a pilot, or the kind of learner, has any effect on priors."""
    return any(moves.get(feature) for by_place in (beliefs.shifts, beliefs.spreads) for moves in by_place.values())


def drop_other_kinds(beliefs: Beliefs, kept: Collection[str | None]) -> Beliefs:
    """Drop the effects of all kinds of learner but these."""
    dropped = set(LEARNERS) - set(kept)
    shifts, spreads = (
        {
            place: {name: value for name, value in by_feature.items() if name not in dropped}
            for place, by_feature in moves.items()
        }
        for moves in (beliefs.shifts, beliefs.spreads)
    )
    return replace(beliefs, shifts=shifts, spreads=spreads)


def _check_moves(name: str, values: Any, places: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Check what features of a pilot do to priors: for each place that moves, a number per feature."""
    moves = {}
    for place, by_feature in check_mapping(name, values).items():
        check_choice(name, place, places)
        moves[place] = {
            check_choice(name, feature, PILOT_FEATURES): check_between(name, value, -10.0, 10.0)
            for feature, value in check_mapping(name, by_feature).items()
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
        """Values of sigma at deviates z, for a curve with this window."""
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
    tau_e=LogNormal(0.011, 1.022),
    tau_ratio=LogNormal(1.35, 1.126),
    kappa=LogitNormal(-0.560, 1.979, 2.0),
    sigma=LogNormal(0.088, 1.688),
    lam=LogNormal(2.99, 1.304),
    shapes={name: mean.shapes for name, mean in MEANS.items()},
    shares={name: mean.share for name, mean in MEANS.items()},
    resolution=5e-4,
    kernel="ou",
    stay=0.2,
    reach=1.5,
    early=0.3,
    shifts={
        "tau_e": {
            "single": -0.525,
            "several": -0.377,
            "test_known": 0.152,
            "test_noise": 0.338,
            "top": -0.175,
            "linear": 0.015,
            "naive_bayes": 0.012,
        },
        "tau_ratio": {"single": 0.430, "several": -0.635},
        "sigma": {
            "size": -0.081,
            "one_size": -0.358,
            "two_sizes": -0.417,
            "top": 0.002,
            "precision": -0.410,
            "few_features": -0.024,
            "many_features": 0.020,
            "linear": 0.021,
            "naive_bayes": 0.002,
        },
        "lam": {"one_size": 0.290, "two_sizes": 0.185},
        "shape0": {
            "one_size": -0.965,
            "two_sizes": 0.003,
            "top": 0.234,
            "few_features": 0.042,
            "many_features": -0.017,
            "linear": 0.018,
            "naive_bayes": -0.010,
        },
        "shape1": {
            "one_size": 0.120,
            "two_sizes": 0.145,
            "few_features": -0.042,
            "many_features": -0.039,
            "linear": -0.003,
            "naive_bayes": -0.024,
        },
        "shape2": {"linear": 0.007, "naive_bayes": 0.187},
        "share_a": {
            "size": -0.053,
            "accuracy": -0.123,
            "precision": -0.298,
            "low": 0.218,
            "gap_known": -0.172,
            "gap": 0.679,
            "separable": 0.258,
            "top": 0.302,
            "few_per_class": 0.248,
            "one_size": -0.404,
            "two_sizes": -0.292,
            "few_features": -0.412,
            "many_features": 0.014,
            "naive_bayes": -0.456,
        },
        "share_b": {
            "size": 0.357,
            "precision": 1.124,
            "low": 0.450,
            "gap_known": 0.496,
            "separable": -0.396,
            "top": -0.854,
            "few_per_class": -0.190,
            "one_size": 0.316,
            "two_sizes": -0.281,
            "few_features": 0.780,
            "many_features": -0.048,
            "naive_bayes": 0.359,
        },
    },
    spreads={
        "tau_e": {"several": -0.031, "test_known": -0.190},
        "sigma": {"one_size": -0.540, "two_sizes": -0.025, "top": -0.075, "linear": -0.095, "naive_bayes": 0.010},
    },
)
"""Learnt by benchmarks/calibrate.py from the development curves of LCDB 1.0 (AUROC, accuracy) and 1.1 (accuracy).

The numbers learnt for each mean are stated with the mean.
"""


_FORMAT = "apexgp-priors"


def write_priors(beliefs: Beliefs, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write priors, such as `learn_beliefs` returns, as a JSON file for `read_priors` and `--priors`."""
    check_instance("beliefs", beliefs, Beliefs, "Beliefs, such as learn_beliefs returns")
    content = to_json_value(beliefs.to_dict())
    document = {"format": _FORMAT, "apexgp": version("apexgp"), "checksum": _hash_content(content), "priors": content}
    write_text(path, json.dumps(document, indent=1) + "\n", overwrite=overwrite)


def read_priors(path: str | os.PathLike[str]) -> Beliefs:
    """Read a file that `write_priors` or `apexgp learn` wrote."""
    raw = read_bytes(path)
    return _parse_document(raw, partial(_blame_file, path))


def parse_priors(text: str, argument: str) -> Beliefs:
    """Parse the text of a file of priors; errors name the argument that it came as."""
    return _parse_document(text.encode(errors="replace"), partial(DataError, argument=argument))


def _blame_file(path: str | os.PathLike[str], message: str) -> DataError:
    return DataError(f"{path} {message}")


def _parse_document(raw: bytes, at_fault: Callable[[str], DataError]) -> Beliefs:
    try:
        document = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise at_fault(f"is not a file of priors: {problem}.") from None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise at_fault("is not a file of priors written by apexgp learn.")
    if document.get("checksum") != _hash_content(document.get("priors")):
        raise at_fault(
            "was edited after it was written: its checksum does not match, so its record no longer says where the "
            "numbers come from. Learn the priors again, or state your own as apexgp.priors.Beliefs in Python."
        )
    try:
        return Beliefs.from_dict(document["priors"])
    except DAMAGED as problem:
        message = one_line(str(problem), 500).rstrip(".")
        raise at_fault(f"is from another version of apexgp, or damaged: {message}.") from None


def compute_checksum(beliefs: Beliefs) -> str:
    """Compute the checksum that a file of these priors has; it identifies their numbers."""
    return _hash_content(to_json_value(beliefs.to_dict()))


def _hash_content(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
