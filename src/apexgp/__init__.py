"""Forecast what a classifier will score with more labelled data, and how sure to be.

The method is APEx-GP (Harvey et al. 2023): a Gaussian process over the training-set size.
"""

from importlib.metadata import version

from . import errors, metrics
from .collect.curves import CurveSet
from .collect.logistic import LogisticHead
from .collect.run import collect_curves
from .collect.slices import SliceHead
from .estimators import (
    APExGP,
    Arctan,
    MahmoodArctan,
    MahmoodLogarithm,
    MahmoodPowerLaw,
    MahmoodRoot,
    Mmf4,
    PiecewisePowerLaw,
    Pow4,
    PowerLaw,
    Wbl4,
)
from .forecast import Forecast
from .many import CurveForecast, forecast_many
from .model.variant import PUBLISHED, WRITTEN, Variant
from .pairs import LearningCurve, read_curves
from .surfaces.plot import CurveDisplay

__version__ = version("apexgp")

__all__ = [
    "PUBLISHED",
    "WRITTEN",
    "APExGP",
    "Arctan",
    "CurveDisplay",
    "CurveForecast",
    "CurveSet",
    "Forecast",
    "LearningCurve",
    "LogisticHead",
    "MahmoodArctan",
    "MahmoodLogarithm",
    "MahmoodPowerLaw",
    "MahmoodRoot",
    "Mmf4",
    "PiecewisePowerLaw",
    "Pow4",
    "PowerLaw",
    "SliceHead",
    "Variant",
    "Wbl4",
    "collect_curves",
    "errors",
    "forecast_many",
    "metrics",
    "read_curves",
]
