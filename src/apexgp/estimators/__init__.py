"""The scikit-learn faces of the methods: one base, APExGP, and curves by least squares."""

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
    Wbl4,
)

__all__ = [
    "APExGP",
    "Arctan",
    "MahmoodArctan",
    "MahmoodLogarithm",
    "MahmoodPowerLaw",
    "MahmoodRoot",
    "Mmf4",
    "PiecewisePowerLaw",
    "Pow4",
    "PowerLaw",
    "Wbl4",
]
