"""The forecast: a distribution over scores at each of some training-set sizes."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _truncated
from ._check import FloatArray, choice, probability, real_array, whole_number
from ._files import write_text
from ._roots import rising_root
from .errors import RequestError

__all__ = ["Forecast"]

IntervalKind = Literal["equal_tailed", "hdi"]


@dataclass(frozen=True, eq=False, repr=False)
class Forecast:
    """Distribution of the score at each of Q sizes: a weighted mixture of K normals, each cut to [0, 1].

    Every engine gives this type; a single most probable model has one component. You get one from
    `model.forecast(sizes)`. Arrays run over the sizes.

    Parameters
    ----------
    sizes : array of shape (Q,)
        Training-set sizes.
    locations, scales : arrays of shape (K, Q)
        Mean and standard deviation of each component before the cut.
    weights : array of shape (K,)
        Weights of the components; they sum to 1.
    cautions : tuple of str
        Reasons to doubt this forecast, in plain words.
    """

    sizes: FloatArray
    locations: FloatArray
    scales: FloatArray
    weights: FloatArray
    cautions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shape = (len(self.weights), len(self.sizes))
        if self.locations.shape != shape or self.scales.shape != shape:
            raise RequestError(
                f"locations and scales must have shape (components, sizes) = {shape}, "
                f"got {self.locations.shape} and {self.scales.shape}."
            )
        if not (self.scales > 0).all() or abs(self.weights.sum() - 1) > 1e-9 or (self.weights < 0).any():
            raise RequestError("scales must be above 0; weights must not be negative and must sum to 1.")

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        lower, upper = self.interval(0.95)
        rows = [f"{'size':>12}  {'mean':>6}  95 % interval"]
        rows += [
            f"{size:>12,.10g}  {mean:6.3f}  {low:.3f} to {high:.3f}"
            for size, mean, low, high in zip(self.sizes, self.mean, lower, upper, strict=True)
        ]
        return "\n".join(["Forecast", *rows, *(f"Caution: {caution}" for caution in self.cautions)])

    @property
    def location(self) -> FloatArray:
        """Mean before the cut to [0, 1]; the paper's errors are of this one."""
        return self.weights @ self.locations

    @cached_property
    def _moments(self) -> tuple[FloatArray, FloatArray]:
        means, variances = _truncated.mean_and_variance(self.locations, self.scales)
        mean = self.weights @ means
        return mean, np.sqrt(self.weights @ (variances + (means - mean) ** 2))

    @property
    def mean(self) -> FloatArray:
        """Expected score."""
        return self._moments[0]

    @property
    def std(self) -> FloatArray:
        """Standard deviation of the score."""
        return self._moments[1]

    @cached_property
    def median(self) -> FloatArray:
        """Score that is as likely exceeded as not."""
        return self._quantile(np.array([0.5]))[0]

    def cdf(self, y: ArrayLike) -> FloatArray:
        """P(score <= y), for a scalar or one value per size (or rows of such values)."""
        values = self._values(y)
        return self._mixed(_truncated.mass_between, np.zeros_like(values), values)

    def pdf(self, y: ArrayLike) -> FloatArray:
        """Density of the score at y, for a scalar or one value per size (or rows of such values)."""
        return self._mixed(_truncated.pdf, self._values(y))

    def prob_at_least(self, target: ArrayLike) -> FloatArray:
        """P(score >= target), for a scalar or one value per size (or rows of such values)."""
        values = self._values(target)
        return self._mixed(_truncated.mass_between, values, np.ones_like(values))

    def prob_between(self, lower: ArrayLike, upper: ArrayLike) -> FloatArray:
        """P(lower < score < upper), for bounds as in `cdf`."""
        low, high = np.broadcast_arrays(self._values(lower), self._values(upper))
        return self._mixed(_truncated.mass_between, low, high)

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Scores that lie above the given shares of the distribution.

        Parameters
        ----------
        p : float or array of shape (k,)
            Levels in [0, 1].

        Returns
        -------
        array of shape (Q,) for one level, (k, Q) for several
        """
        levels = real_array("p", p)
        if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise RequestError(f"p must be a level in [0, 1] or a list of them, got {p!r}.")
        values = self._quantile(np.atleast_1d(levels))
        return values[0] if levels.ndim == 0 else values

    def interval(self, level: float = 0.95, kind: IntervalKind = "equal_tailed") -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends of the interval that holds the score with probability `level`.

        Parameters
        ----------
        level
            Probability, strictly between 0 and 1.
        kind
            "equal_tailed" leaves the same probability on both sides; "hdi" is the shortest single interval.
        """
        level = probability("level", level)
        if choice("kind", kind, ("equal_tailed", "hdi")) == "equal_tailed":
            lower, upper = self._quantile(np.array([(1 - level) / 2, (1 + level) / 2]))
            return lower, upper
        return self._shortest(level)

    def sample(self, n: int, seed: int | None = None) -> FloatArray:
        """Draw n scores at each size, each size on its own: shape (n, Q)."""
        n = whole_number("n", n, least=1)
        rng = np.random.default_rng(seed)
        shape = (n, len(self.sizes))
        component = rng.choice(len(self.weights), size=shape, p=self.weights / self.weights.sum())
        column = np.arange(len(self.sizes))
        return _truncated.quantile(rng.random(shape), self.locations[component, column], self.scales[component, column])

    def to_csv(
        self,
        path: str | os.PathLike[str],
        *,
        levels: tuple[float, ...] = (0.8, 0.95),
        overwrite: bool = False,
    ) -> None:
        """Write one row a size: size, mean, median, std and the ends of the equal-tailed intervals."""
        columns: dict[str, FloatArray] = {
            "size": self.sizes,
            "mean": self.mean,
            "median": self.median,
            "std": self.std,
        }
        for level in levels:
            columns[f"lower_{100 * level:g}"], columns[f"upper_{100 * level:g}"] = self.interval(level)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(
            [f"{size:.17g}", *values] for size, *values in zip(*(c.tolist() for c in columns.values()), strict=True)
        )
        write_text(path, text.getvalue(), overwrite=overwrite)

    def _values(self, y: ArrayLike) -> FloatArray:
        """`y` as an array whose last axis runs over the sizes."""
        values = real_array("y", y)
        if np.isnan(values).any():
            raise RequestError("y must not be NaN.")
        if values.ndim and values.shape[-1] != len(self.sizes):
            raise RequestError(
                f"y must be one number or one for each of the {len(self.sizes)} sizes, got shape {values.shape}."
            )
        return np.broadcast_to(values, (*values.shape[:-1], len(self.sizes)))

    def _mixed(self, component: Callable[..., FloatArray], *values: FloatArray) -> FloatArray:
        """Weighted sum over the components of a function of (*values, location, scale)."""
        terms = component(*(v[..., None, :] for v in values), self.locations, self.scales)
        return np.asarray(np.einsum("k,...kq->...q", self.weights, terms))

    def _quantile(self, levels: FloatArray) -> FloatArray:
        """Quantiles for levels of shape (k,): they lie between the least and greatest of the components' own."""
        own = _truncated.quantile(levels[:, None, None], self.locations, self.scales)
        low, high = own.min(axis=1), own.max(axis=1)

        def surplus(y: FloatArray) -> tuple[FloatArray, FloatArray]:
            return self.cdf(y) - levels[:, None], self.pdf(y)

        if len(self.weights) == 1:
            return low
        start = np.clip(np.einsum("k,lkq->lq", self.weights, own), low, high)
        return rising_root(surplus, low, high, start, tolerance=1e-12)

    def _shortest(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Ends of the shortest interval, by ever finer grids over the probability left below it.

        The grids are the same whatever the size; a mixture may have several local minima, of which the first grid,
        being dense, finds the best.
        """
        width = 1 - level
        below = np.linspace(0.0, width, 129)[:, None] * np.ones(len(self.sizes))
        spacing = width / 128
        while True:
            lower, upper = self._at_each(below), self._at_each(np.minimum(below + level, 1.0))
            best = np.argmin(upper - lower, axis=0)[None]
            if spacing < 1e-7 * width:
                return tuple(np.take_along_axis(end, best, axis=0)[0] for end in (lower, upper))
            centre = np.take_along_axis(below, best, axis=0)
            below = np.clip(centre + spacing * np.linspace(-1, 1, 17)[:, None], 0.0, width)
            spacing /= 8

    def _at_each(self, levels: FloatArray) -> FloatArray:
        """Quantiles for levels of shape (k, Q): other levels at each size."""
        return np.stack([one._quantile(column)[:, 0] for one, column in zip(self._singly(), levels.T, strict=True)], 1)

    def _singly(self) -> list[Forecast]:
        return [
            Forecast(self.sizes[q : q + 1], self.locations[:, q : q + 1], self.scales[:, q : q + 1], self.weights)
            for q in range(len(self.sizes))
        ]
