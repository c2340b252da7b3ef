"""Coordinates in which a curve that takes off within the pilot is not a thin, bent ridge.

The steeper a curve takes off, the better the scores know where: along such a ridge the deviate of the onset is known to
a thousandth, and bends with those of the exponents. How far the curve has come by the end of the pilot, log(theta1 /
drop), is known equally well however steep it is. So the onset is replaced by that, and the ridge becomes a plain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._check import FloatArray
from ..model.distributions import Normal
from ..model.means import BurrMean
from .density import Density, Divide
from .statistics import Statistics

__all__ = ["OnsetCoordinates"]

_FARTHEST = 500.0  # beyond, nothing changes, and exponentials overflow
_LEAST_TAIL = 1e-8


@dataclass(frozen=True)
class OnsetCoordinates:
    """Deviates of a curve, that of the onset replaced by v = -log log(theta1 / drop at the largest pilot size).

    Without an onset whose prior is normal, coordinates are the deviates themselves.
    """

    density: Density
    of: Statistics

    @property
    def _mean(self) -> BurrMean | None:
        mean = self.density.mean
        if not isinstance(mean, BurrMean) or not isinstance(self._prior, Normal):
            return None
        return mean

    @property
    def _prior(self) -> object:
        return self.density.beliefs.shapes[self.density.mean.name][BurrMean.onset]

    @property
    def divide(self) -> Divide:
        """Threshold between early and late onset: whether the drop has shrunk by a factor of e."""
        row = self.density.divide(self.of).row
        return self.density.divide(self.of) if self._mean is None else Divide(row, 0.0, np.inf)

    def from_deviates(self, z: FloatArray) -> FloatArray:
        """Coordinates of deviates z (D, nodes)."""
        if self._mean is None:
            return z
        tail, offset, log_theta4 = self.density.shape(z, self.of)
        fall = self._mean.fall(np.maximum(tail, _LEAST_TAIL), offset, log_theta4)
        v = z.copy()
        v[self.divide.row] = -np.log(np.maximum(fall, np.exp(-_FARTHEST)))
        return v

    def to_deviates(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Deviates (D, nodes) of coordinates v, and the logarithm of |dz / dv|, shape (nodes,)."""
        if self._mean is None:
            return v, np.zeros(v.shape[1])
        z, row = v.copy(), self.divide.row
        z[row] = 0.0
        tail, centre, log_theta4 = self.density.shape(z, self.of)
        z[row] = 1.0
        unit = self.density.shape(z, self.of)[BurrMean.onset] - centre  # of the offset, for a unit of its deviate
        fall = np.exp(np.clip(-v[row], -_FARTHEST, _FARTHEST / 20))
        offset, log_slope = self._mean.solve_offset(fall, np.maximum(tail, _LEAST_TAIL), log_theta4)
        z[row] = (offset - centre) / unit
        return z, log_slope - np.log(unit)
