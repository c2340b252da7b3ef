"""The scikit-learn faces of the methods: one base, APExGP, and curves by least squares."""

from collections.abc import Callable
from functools import partial
from types import MappingProxyType

from ..model.families import FAMILIES
from .base import BREAKDOWNS, CurveEstimator, fit_together, wrap_breakdown
from .gp import APExGP
from .least_squares import LeastSquares

__all__ = ["BREAKDOWNS", "METHODS", "APExGP", "CurveEstimator", "LeastSquares", "fit_together", "wrap_breakdown"]

METHODS: MappingProxyType[str, Callable[[], CurveEstimator]] = MappingProxyType(
    {
        "apexgp": APExGP,
        "apexgp_published": APExGP.as_published,
        **{family: partial(LeastSquares, family) for family in FAMILIES},
    }
)
"""Every method by name: call one to get an estimator with the settings that it has by default."""
