"""The scikit-learn faces of the methods: one base, and APExGP. Curves by least squares are imported where needed."""

from .base import BREAKDOWNS, CurveEstimator, fit_together, wrap_breakdown
from .gp import APExGP

__all__ = ["BREAKDOWNS", "APExGP", "CurveEstimator", "fit_together", "wrap_breakdown"]
