"""Fits that are one point, the best of a search: how it was found, and curves drawn around it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from .._check import FloatArray
from ..curve import Replicates
from ..errors import ConvergenceWarning, warn
from ..forecast import Quantity
from ..inference.gaussian_algebra import draw_scores

__all__ = ["PointFit", "draw_curves"]


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
        if not self.converged:
            warn(
                f"The search stopped after {self.iterations} steps without settling; the best parameters found so far "
                f"are used (see parameters_).{advice}",
                ConvergenceWarning,
            )
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

    def pool_integrals(self, count: int) -> Self:
        """Itself: nothing is random."""
        return self

    def noise_share(self, of: Quantity, n_splits: int | None) -> float:
        """Variance of what is forecast around the curve, over that of a mean over as many splits as the pilot has."""
        return 0.0 if of == "expected" else self.typical_count / (n_splits or self.typical_count)


def draw_curves(n: int, location: FloatArray, covariance: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw n curves from one Gaussian, scores cut to [0, 1]: location (Q,), covariance (Q, Q) -> (n, Q)."""
    size = len(location)
    return draw_scores(
        np.broadcast_to(location[:, None], (size, n)), np.broadcast_to(covariance[:, :, None], (size, size, n)), rng
    )
