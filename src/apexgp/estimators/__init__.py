"""The scikit-learn faces of the methods: one base, APExGP, and curves by least squares."""

from types import MappingProxyType

from .base import CurveEstimator
from .gp import APExGP
from .regression import (
    Arctan,
    MahmoodArctan,
    MahmoodLogarithm,
    MahmoodPowerLaw,
    MahmoodRoot,
    Mmf4,
    PiecewisePowerLaw,
    Pow4,
    PowerLaw,
    RegressionEstimator,
    Wbl4,
)

__all__ = [
    "METHODS",
    "APExGP",
    "Arctan",
    "CurveEstimator",
    "MahmoodArctan",
    "MahmoodLogarithm",
    "MahmoodPowerLaw",
    "MahmoodRoot",
    "Mmf4",
    "PiecewisePowerLaw",
    "Pow4",
    "PowerLaw",
    "RegressionEstimator",
    "Wbl4",
]

METHODS = MappingProxyType(
    {
        "apexgp": APExGP(),
        "apexgp-published": APExGP.as_published(),
        "power-law": PowerLaw(),
        "arctan": Arctan(),
        "mahmood-power-law": MahmoodPowerLaw(),
        "mahmood-arctan": MahmoodArctan(),
        "mahmood-logarithm": MahmoodLogarithm(),
        "mahmood-root": MahmoodRoot(),
        "piecewise-power-law": PiecewisePowerLaw(),
        "pow4": Pow4(),
        "mmf4": Mmf4(),
        "wbl4": Wbl4(),
    }
)
"""Every method by its name on the command line, with the settings that it has by default; clone before fitting."""
