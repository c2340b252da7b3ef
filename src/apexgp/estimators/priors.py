"""Priors of the user's own: tried out before a fit, so that one that cannot be meant is named, and not the curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._check import choice, mapped, real_array, real_number, several, shown
from ..errors import RequestError
from ..model.beliefs import CALIBRATED, Beliefs, ElicitedSigma
from ..model.kernel import CORRELATIONS
from ..model.means import Mean

__all__ = ["checked_beliefs"]

_DEVIATES = np.array([-4.0, -1.0, 0.0, 1.0, 4.0])
_FARTHEST = 1e100  # whose square is still a number


def checked_beliefs(beliefs: Beliefs, means: Sequence[Mean]) -> Beliefs:
    """The beliefs, if a curve with these means can be integrated under them."""
    _positive("tau_e", beliefs.tau_e)
    _positive("lam", beliefs.lam)
    for name in ("tau_ratio", "kappa", "tau_alone"):
        if (prior := getattr(beliefs, name)) is not None:
            _positive(name, prior)
    if isinstance(beliefs.sigma, ElicitedSigma):
        _number("sigma", beliefs.sigma.upper, 0.002, _FARTHEST)
    else:
        _positive("sigma", beliefs.sigma)
    shapes = mapped("priors: shapes", beliefs.shapes)
    shares = None if beliefs.shares is None else mapped("priors: shares", beliefs.shares)
    for mean in means:
        own = several("priors: shapes", shapes.get(mean.name, ()))
        wanted = len(CALIBRATED.shapes[mean.name])
        if len(own) != wanted:
            raise RequestError(f"must hold {wanted} of {mean.name}, got {shown(own)}.", argument="priors: shapes")
        for prior in own:
            _values(f"shapes of {mean.name}", prior)
        if shares is not None:
            _share(mean.name, shares.get(mean.name))
    _number("resolution", beliefs.resolution, 0.0, 1.0)
    _number("log_base", beliefs.log_base, 1.001, _FARTHEST)
    _number("stay", beliefs.stay, 0.0, 1.0)
    choice("priors: kernel", beliefs.kernel, CORRELATIONS)
    known = [name for name in ("tau_e", "tau_ratio", "kappa", "sigma", "lam") if getattr(beliefs, name) is not None]
    known += [f"shape{i}" for i in range(min(len(CALIBRATED.shapes[mean.name]) for mean in means))]
    for name, trend in mapped("priors: trends", beliefs.trends).items():
        choice("priors: trends", name, known)
        _number("trends", trend, -10.0, 10.0)
    return beliefs


def _values(name: str, prior: Any) -> np.ndarray[Any, Any]:
    """Values of a prior at some deviates; finite, rising and not all the same."""
    try:
        with np.errstate(all="ignore"):
            values = real_array(name, prior.from_normal(_DEVIATES))
        if values.shape == _DEVIATES.shape and (np.abs(values) < _FARTHEST).all() and (np.diff(values) >= 0).all():
            return values
    except Exception:  # whatever a tampered or foreign prior raises
        pass
    raise RequestError(
        f"must be a distribution whose from_normal gives rising values, got {shown(prior)}.", argument=f"priors: {name}"
    )


def _positive(name: str, prior: Any) -> None:
    if not (_values(name, prior) >= 0).all() or not _values(name, prior)[2] > 0:
        raise RequestError(f"must be of positive values, got {shown(prior)}.", argument=f"priors: {name}")


def _share(mean: str, prior: Any) -> None:
    try:
        with np.errstate(all="ignore"):
            density = real_array("shares", prior.log_pdf(np.array([0.01, 0.5, 0.99]), np.zeros(3)))
        if np.isfinite(density).all():
            return
    except Exception:
        pass
    raise RequestError(f"must be a Beta distribution for {mean}, got {shown(prior)}.", argument="priors: shares")


def _number(name: str, value: Any, least: float, most: float) -> None:
    if not least <= real_number(f"priors: {name}", value) <= most:
        raise RequestError(f"must be from {least:g} to {most:g}, got {shown(value)}.", argument=f"priors: {name}")
