"""The forecast: a distribution over scores at each of some training-set sizes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._answer import Answer, ColumnData, Shown, as_frame, columns_as_json
from ._check import FloatArray, choice, generator, probability, real_array, several, shown, text, whole_number
from ._numbers import exactly
from .errors import RequestError
from .files.writing import write_text
from .numerics.cut_mixture import CutMixture
from .numerics.truncated import CutNormal
from .reading.spreadsheets import as_csv

__all__ = ["LEVEL", "LEVELS", "MOST_DRAWS", "Forecast", "Quantity"]

LEVELS = (0.8, 0.95)
LEVEL = LEVELS[-1]
"""Probabilities of intervals, where nothing else is said: of several, and of one."""
MOST_DRAWS = 10**7  # numbers in one sample; a table of them and what it is made from take a gigabyte

IntervalKind = Literal["equal_tailed", "hdi"]

Quantity = Literal["new_splits", "same_splits", "expected"]
"""What is forecast: the mean score over new splits, over the pilot's own continued, or the true expected score."""


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Forecast(Answer):
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

    # Written out, since more is taken than is kept: whatever makes an array.
    def __init__(
        self,
        sizes: ArrayLike,
        locations: ArrayLike,
        scales: ArrayLike,
        weights: ArrayLike,
        cautions: Iterable[str] = (),
    ) -> None:
        given = {"sizes": sizes, "locations": locations, "scales": scales, "weights": weights}
        for name, values in given.items():
            whole = type(values) is np.ndarray and values.dtype == np.float64
            object.__setattr__(self, name, values if whole else real_array(name, values))
        object.__setattr__(self, "cautions", tuple(several("cautions", cautions)))
        for caution in self.cautions:  # kept as they are: a `Caution` is more than its text
            text("cautions", caution)
        if self.sizes.ndim != 1 or self.weights.ndim != 1 or not self.sizes.size or not self.weights.size:
            raise RequestError("sizes and weights must be lists with at least one number each.")
        shape = (len(self.weights), len(self.sizes))
        if self.locations.shape != shape or self.scales.shape != shape:
            raise RequestError(
                f"locations and scales must have shape (components, sizes) = {shape}, "
                f"got {self.locations.shape} and {self.scales.shape}."
            )
        if not (np.isfinite(self.locations).all() and np.isfinite(self.scales).all() and (self.scales > 0).all()):
            raise RequestError("locations must be finite; scales must be finite and above 0.")
        if not (self.weights >= 0).all() or abs(self.weights.sum() - 1) > 1e-9:
            raise RequestError("must not be negative and must sum to 1.", argument="weights")

    def __len__(self) -> int:
        return len(self.sizes)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: not what was computed from it on the way."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def shown(self) -> Shown:
        """Mean and 95 % interval at each size."""
        lower, upper = self.interval(0.95)
        rows = [
            (exactly(size), f"{mean:.3f}", f"{low:.3f} to {high:.3f}")
            for size, mean, low, high in zip(self.sizes, self.mean, lower, upper, strict=True)
        ]
        return Shown("Forecast", ("size", "mean", "95 % interval"), rows, self._all_notes())

    def _columns(self, levels: Sequence[float] = LEVELS) -> ColumnData:
        columns = {"size": self.sizes, "mean": self.mean, "median": self.median, "std": self.std}
        for level in (probability("levels", one) for one in several("levels", levels)):
            columns[f"lower_{100 * level:g}"], columns[f"upper_{100 * level:g}"] = self.interval(level)
        return {name: column.tolist() for name, column in columns.items()}

    def to_dict(self, levels: Sequence[float] = LEVELS) -> ColumnData:
        """The forecast as plain columns: size, mean, median, std, and lower_95 and upper_95 for each level."""
        return columns_as_json(self._columns(levels))

    def to_frame(self, levels: Sequence[float] = LEVELS) -> Any:
        """The same as a pandas DataFrame (`pip install 'apexgp[pandas]'`); cautions in `frame.attrs["cautions"]`."""
        return as_frame(self, self._columns(levels))

    @property
    def location(self) -> FloatArray:
        """Mean before the cut to [0, 1]; the paper's errors are of this one."""
        return self.weights @ self.locations

    @property
    def mean(self) -> FloatArray:
        """Expected score."""
        return self._mixture.moments[0]

    @property
    def std(self) -> FloatArray:
        """Standard deviation of the score."""
        return self._mixture.moments[1]

    @cached_property
    def median(self) -> FloatArray:
        """Score that is as likely exceeded as not."""
        half = np.array([0.5])
        return self._mixture.quantile(half, half)[0]

    def cdf(self, y: ArrayLike) -> FloatArray:
        """P(score <= y), for a scalar or one value per size (or rows of such values)."""
        return self._by_rows(self._mixture.cdf, y)

    def pdf(self, y: ArrayLike) -> FloatArray:
        """Density of the score at y, for a scalar or one value per size (or rows of such values)."""
        return self._by_rows(self._mixture.pdf, y)

    def log_pdf(self, y: ArrayLike) -> FloatArray:
        """Logarithm of the density at y, also where the density itself is too small for a number."""
        return self._by_rows(self._mixture.log_pdf, y)

    def prob_at_least(self, target: ArrayLike) -> FloatArray:
        """P(score >= target), for a scalar or one value per size (or rows of such values)."""
        return 1 - self.cdf(target)

    def prob_between(self, lower: ArrayLike, upper: ArrayLike) -> FloatArray:
        """P(lower < score < upper), for bounds as in `cdf`."""
        return np.maximum(self.cdf(upper) - self.cdf(lower), 0.0)

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
        if levels.ndim > 1 or not levels.size or not ((levels >= 0) & (levels <= 1)).all():
            raise RequestError(f"must be a level in [0, 1] or a list of them, got {shown(p)}.", argument="p")
        below = np.atleast_1d(levels)
        values = self._mixture.quantile(below, 1 - below)
        return values[0] if levels.ndim == 0 else values

    def interval(self, level: float = LEVEL, kind: IntervalKind = "equal_tailed") -> tuple[FloatArray, FloatArray]:
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
            outside = (1 - level) / 2
            below = np.array([outside, 1 - outside])
            lower, upper = self._mixture.quantile(below, below[::-1])
            return lower, upper
        return self._shortest(level)

    def sample(self, n: int, seed: int | None = None) -> FloatArray:
        """Draw n scores at each size, each size on its own: shape (n, Q), at most 10^7 scores in all."""
        shape = (whole_number("n", n, least=1, most=MOST_DRAWS // len(self.sizes)), len(self.sizes))
        rng = generator(seed)
        component = rng.choice(len(self.weights), size=shape, p=self.weights / self.weights.sum())
        column = np.arange(len(self.sizes))
        chosen = CutNormal(self.locations[component, column], self.scales[component, column])
        return chosen.quantile(rng.random(shape))

    def to_csv(
        self,
        path: str | os.PathLike[str],
        *,
        levels: Sequence[float] = LEVELS,
        overwrite: bool = False,
    ) -> None:
        """Write one row a size: the columns of `to_dict`."""
        columns = self._columns(levels)
        columns["size"] = [f"{size:.17g}" for size in columns["size"]]
        write_text(path, as_csv(columns), overwrite=overwrite)

    def _by_rows(self, function: Callable[[FloatArray], FloatArray], y: ArrayLike) -> FloatArray:
        """A function of rows of scores, one for each size, of what can be made into such rows."""
        values = real_array("y", y)
        if np.isnan(values).any():
            raise RequestError("y must not be NaN.")
        if values.ndim and values.shape[-1] != len(self.sizes):
            raise RequestError(
                f"y must be one number or one for each of the {len(self.sizes)} sizes, got shape {values.shape}."
            )
        # Beyond [0, 1] nothing changes any more, and squares of what is far beyond would overflow.
        rows = np.broadcast_to(np.clip(values, -1.0, 2.0), (*values.shape[:-1], len(self.sizes)))
        return function(rows.reshape(-1, len(self.sizes))).reshape(rows.shape)

    @cached_property
    def _mixture(self) -> CutMixture:
        return CutMixture(self.locations, self.scales, self.weights)

    def _shortest(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Ends of the shortest interval, by ever finer grids over the probability left below it.

        The grids are the same whatever the size; a mixture may have several local minima, of which the first grid,
        being dense, finds the best.
        """
        width = 1 - level
        below = np.linspace(0.0, width, 129)[:, None] * np.ones(len(self.sizes))
        spacing = width / 128
        while True:
            lower = self._mixture.quantile(below, 1 - below)
            upper = self._mixture.quantile(below + level, width - below)
            best = np.argmin(upper - lower, axis=0)[None]
            if spacing < 1e-7 * width:
                return tuple(np.take_along_axis(end, best, axis=0)[0] for end in (lower, upper))
            centre = np.take_along_axis(below, best, axis=0)
            below = np.clip(centre + spacing * np.linspace(-1, 1, 17)[:, None], 0.0, width)
            spacing /= 8

    def __getitem__(self, index: int) -> Forecast:
        """The forecast at one of the sizes alone, counted from 0, or from -1 backwards."""
        first = whole_number("index", index, least=-len(self), most=len(self) - 1) % len(self)
        one = slice(first, first + 1)
        return Forecast(self.sizes[one], self.locations[:, one], self.scales[:, one], self.weights, self.cautions)
