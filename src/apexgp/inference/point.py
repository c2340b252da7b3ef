"""What fits have in common that are one point: the best of a search, with nothing integrated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from .._check import FloatArray
from ..curve import Replicates
from ..forecast import Quantity
from .optimise import warn_unless_converged

__all__ = ["PointFit"]


@dataclass(frozen=True, kw_only=True)
class PointFit:
    """An optimum and how it was found.

    Such a method knows no splits: those of the pilot, continued, are to it as new ones.
    """

    objective: float
    """What was searched for the best of, there."""
    converged: bool
    iterations: int
    typical_count: float = 1.0
    """Over how many splits the scores are means."""

    def of_pilot(self, pilot: Replicates, advice: str = "") -> Self:
        """The same, with the splits of the pilot that it is a fit to; warns if the search did not settle."""
        warn_unless_converged(self.converged, self.iterations, advice)
        return replace(self, typical_count=float(np.median(pilot.count)))

    @property
    def diagnostics(self) -> dict[str, object]:
        """The optimum, and whether and in how many steps it was found."""
        return {"objective": self.objective, "converged": self.converged, "n_iter": self.iterations}

    @property
    def posterior(self) -> None:
        """None: nothing was integrated."""
        return None

    @property
    def resolution(self) -> float:
        """0: scores may take any value."""
        return 0.0

    def cautions(self, sizes: FloatArray) -> tuple[str, ...]:
        """None of its own."""
        return ()

    def standard_error(self, sizes: FloatArray, scores: FloatArray, of: Quantity) -> FloatArray:
        """None: nothing is random."""
        return np.zeros(len(sizes))

    @property
    def most_integrals(self) -> int:
        """1: nothing was integrated."""
        return 1

    def pooled(self, count: int) -> Self:
        """Itself: nothing is random."""
        return self

    def noise_share(self, of: Quantity, n_splits: int | None) -> float:
        """Variance of what is forecast around the curve, over that of a mean over as many splits as the pilot has."""
        return 0.0 if of == "expected" else self.typical_count / (n_splits or self.typical_count)
