"""Priors and constants of the user's own are tried out: one that cannot be meant is named, and not the curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._check import DAMAGED, FloatArray, check_real_array, check_real_number, format_value
from ..errors import RequestError

__all__ = ["FARTHEST", "check_between", "check_distribution", "check_positive_distribution", "check_share_prior"]

FARTHEST = 1e100  # whose square is still a number
_DEVIATES = np.array([-4.0, -1.0, 0.0, 1.0, 4.0])
_SHARES = np.array([0.01, 0.5, 0.99])


def check_distribution(name: str, prior: Any) -> FloatArray:
    """Values of a prior at some deviates: finite, and nowhere falling."""
    try:
        with np.errstate(all="ignore"):
            values = check_real_array(name, prior.from_normal(_DEVIATES.copy()))
        if values.shape == _DEVIATES.shape and (np.abs(values) < FARTHEST).all() and (np.diff(values) >= 0).all():
            return values
    except DAMAGED:  # tampered with, or no distribution at all
        pass
    raise RequestError(
        f"must be a distribution whose from_normal gives rising values, got {format_value(prior)}.", argument=name
    )


def check_positive_distribution(name: str, prior: Any) -> None:
    """A prior of a quantity that is never below 0, and not 0 in the middle."""
    values = check_distribution(name, prior)
    if values[0] < 0 or values[2] <= 0:
        raise RequestError(f"must be of positive values, got {format_value(prior)}.", argument=name)


def check_share_prior(name: str, mean: str, prior: Any) -> None:
    """A prior of a share, with a density."""
    try:
        with np.errstate(all="ignore"):
            log_shares = np.log(_SHARES), np.log1p(-_SHARES)
            densities = check_real_array(name, prior.log_density(*log_shares, np.ones(3), np.ones(3)))
        if np.isfinite(densities).all():
            return
    except DAMAGED:
        pass
    raise RequestError(f"must be a Beta distribution for {mean}, got {format_value(prior)}.", argument=name)


def check_between(name: str, value: Any, least: float, most: float) -> float:
    """A number from `least` to `most`."""
    number = check_real_number(name, value)
    if not least <= number <= most:
        raise RequestError(f"must be from {least:g} to {most:g}, got {format_value(value)}.", argument=name)
    return number
