"""The scikit-learn faces of the methods: one base, APExGP, and curves by least squares."""

from .gp import APExGP
from .regression import Arctan, PowerLaw

__all__ = ["APExGP", "Arctan", "PowerLaw"]
