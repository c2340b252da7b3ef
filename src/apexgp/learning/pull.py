"""Which numbers of the priors move, and how strongly they are pulled back: as if so many curves spoke for no move.

Learnt on the development curves by leaving tasks out (`benchmarks/learning.py --worth`).
"""

from __future__ import annotations

import numpy as np

from .._check import FloatArray

__all__ = ["PRIOR_CURVES", "compute_shrinkage"]

PRIOR_CURVES = 100.0
"""How many curves the priors that the search starts from count for."""

# What one curve tells of a number: the mean square of the slope of its log score, as it was at earlier shipped priors,
# rounded, and shifts of all coordinates alike (`benchmarks/learning.py --information` prints today's: up to as
# much, far less for noise and departures). Numbers that are not here stay: with them, left-out tasks did worse.
_INFORMATION = {
    ("shift", "tau_e"): 0.02,
    ("shift", "sigma"): 0.02,
    ("shift", "shape0"): 0.02,
    ("shift", "shape1"): 0.02,
    ("shift", "shape2"): 0.02,
    ("spread", "sigma"): 0.04,
    ("shift", "share_a"): 0.09,
    ("shift", "share_b"): 0.04,
}


def compute_shrinkage(names: list[tuple[str, str]]) -> FloatArray:
    """Pull on each number; infinite for those that stay."""
    return np.array([PRIOR_CURVES * _INFORMATION.get(name, np.inf) for name in names])
