"""The form of every prediction."""

from __future__ import annotations

from typing import NamedTuple

from .._check import FloatArray

__all__ = ["Mixture"]


class Mixture(NamedTuple):
    """Normal distributions to be cut to [0, 1]: K components with their weights, at each of Q sizes."""

    locations: FloatArray
    """Shape (K, Q)."""
    scales: FloatArray
    """Shape (K, Q)."""
    weights: FloatArray
    """Shape (K,); they sum to 1."""
