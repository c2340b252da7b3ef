"""The forecast: a distribution over scores at each of some training-set sizes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._answer import Answer, ColumnData, SummaryTable, to_data_frame, to_json_columns
from ._check import (
    FloatArray,
    check_choice,
    check_instance,
    check_list,
    check_probability,
    check_real_array,
    check_real_number,
    check_text,
    check_whole_number,
    format_value,
    make_generator,
)
from ._numbers import format_score, format_score_interval, format_size
from .errors import RequestError
from .files.writing import write_text
from .numerics.truncated_mixture import TruncatedMixture
from .numerics.truncated_normal import TruncatedNormal
from .reading.files import as_csv
from .scale import UNIT_SCALE, Scale

__all__ = ["LEVEL", "LEVELS", "MOST_DRAWS", "Forecast", "Quantity"]

LEVELS = (0.8, 0.95)
LEVEL = LEVELS[-1]
"""Default probabilities of intervals: of several, and of one."""
MOST_DRAWS = 10**7  # numbers in one sample; with intermediate results it takes a gigabyte
_MOMENT_EDGES = np.array([-6.0, -2.5, -1.0, 0.0, 1.0, 2.5, 6.0])  # of panels, in standard deviations from the mean
_MOMENT_NODES, _MOMENT_WEIGHTS = np.polynomial.legendre.leggauss(12)

IntervalKind = Literal["equal_tailed", "hdi"]

Quantity = Literal["new_splits", "same_splits", "expected"]
"""The quantity to forecast: the mean score over new splits, over the pilot's own, or the true expected score."""


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Forecast(Answer):
    """Distribution of the score at each of Q sizes: a weighted mixture of K normals, each truncated to [0, 1].

    Scores of another range are mapped to [0, 1] by `scale`; everything except `locations`, `scales` and `location` is
    on the scale of the scores themselves.

    Every engine returns this type; a single most probable model has one component. You get one from
    `model.forecast(sizes)`. Arrays run over the sizes.

    Parameters
    ----------
    sizes : array of shape (Q,)
        Training-set sizes.
    locations, scales : arrays of shape (K, Q)
        Mean and standard deviation of each component before truncation.
    weights : array of shape (K,)
        Weights of the components; they sum to 1.
    cautions : tuple of str
        Reasons to doubt this forecast, in plain words.
    scale : Scale
        The map between scores and [0, 1]; by default scores lie there.
    resolution : float
        How far apart the scores are that can be measured, on the scale of `locations`. A score is often a count out of
        the test cases: an end of an interval that is closer to the best or worst score than half of it is that score.
    """

    sizes: FloatArray
    locations: FloatArray
    scales: FloatArray
    weights: FloatArray
    cautions: tuple[str, ...] = ()
    scale: Scale = UNIT_SCALE
    resolution: float = 0.0

    # Written out, since it accepts more than the fields hold: whatever can become an array.
    def __init__(
        self,
        sizes: ArrayLike,
        locations: ArrayLike,
        scales: ArrayLike,
        weights: ArrayLike,
        cautions: Iterable[str] = (),
        scale: Scale = UNIT_SCALE,
        resolution: float = 0.0,
    ) -> None:
        object.__setattr__(self, "scale", check_instance("scale", scale, Scale, "a Scale, such as curve.scale"))
        object.__setattr__(self, "resolution", check_real_number("resolution", resolution))
        if not 0 <= self.resolution <= 1:
            raise RequestError(f"must be between 0 and 1, got {format_value(resolution)}.", argument="resolution")
        given = {"sizes": sizes, "locations": locations, "scales": scales, "weights": weights}
        for name, values in given.items():
            whole = type(values) is np.ndarray and values.dtype == np.float64
            object.__setattr__(self, name, values if whole else check_real_array(name, values))
        object.__setattr__(self, "cautions", tuple(check_list("cautions", cautions)))
        for caution in self.cautions:  # kept as they are: a `Caution` is more than its text
            check_text("cautions", caution)
        if self.sizes.ndim != 1 or self.weights.ndim != 1 or not self.sizes.size or not self.weights.size:
            raise RequestError("sizes and weights must be lists of at least one number each.")
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
        """Pickle the fields alone, without the cached results computed from them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def shown(self) -> SummaryTable:
        """Mean and 95 % interval at each size."""
        lower, upper = self.interval(0.95)
        decimals = self.count_decimals(0.95)
        rows = [
            (format_size(size), format_score(mean, decimals), format_score_interval(low, high, decimals))
            for size, mean, low, high in zip(self.sizes, self.mean, lower, upper, strict=True)
        ]
        header = ("size", self.centre, "95 % interval")
        return SummaryTable("Forecast", header, rows, self._all_notes())

    def _columns(self, levels: Sequence[float] = LEVELS) -> ColumnData:
        columns = {"size": self.sizes, "mean": self.mean, "median": self.median, "std": self.std}
        for level in (check_probability("levels", one) for one in check_list("levels", levels)):
            columns[f"lower_{100 * level:g}"], columns[f"upper_{100 * level:g}"] = self.interval(level)
        return {name: column.tolist() for name, column in columns.items()}

    def to_dict(self, levels: Sequence[float] = LEVELS) -> ColumnData:
        """The forecast as plain columns: size, mean, median, std, and lower_95 and upper_95 for each level."""
        return to_json_columns(self._columns(levels))

    def to_frame(self, levels: Sequence[float] = LEVELS) -> Any:
        """`to_dict` as a pandas DataFrame (`pip install 'apexgp[pandas]'`); cautions in `frame.attrs["cautions"]`."""
        return to_data_frame(self, self._columns(levels))

    @property
    def location(self) -> FloatArray:
        """Mean before truncation to [0, 1]; the paper's errors refer to this one."""
        return self.weights @ self.locations

    @property
    def centre(self) -> str:
        """Whether `mean` holds the mean or, where that diverges, the median."""
        return "median" if self.scale.logarithmic else "mean"

    @property
    def mean(self) -> FloatArray:
        """Expected score; the median where the mean diverges, as that of a perplexity does (see `centre`)."""
        return self._mixture.moments[0] if self.scale.same else self._outer_moments[0]

    @property
    def std(self) -> FloatArray:
        """Standard deviation of the score; infinite where it diverges."""
        return self._mixture.moments[1] if self.scale.same else self._outer_moments[1]

    @cached_property
    def _outer_moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation on the scale of the scores."""
        mean, std = self._mixture.moments
        if self.scale.straight:
            return self.scale.outside(mean), (self.scale.upper - self.scale.lower) * std
        if self.scale.logarithmic:
            return self.median, np.full(len(self.sizes), np.inf)
        # With d the distance from the finite end of the range, E d = int P(d > t) dt, and E d^2 = int 2 t P(d > t) dt.
        upper = np.isinf(self.scale.upper)
        edges = np.clip(mean + _MOMENT_EDGES[:, None] * std, 0.0, 1.0)
        edges = np.vstack([np.zeros(len(mean)), edges, np.ones(len(mean))])
        half = np.diff(edges, axis=0)[:, None] / 2
        z = np.clip((edges[:-1, None] + half * (1 + _MOMENT_NODES[:, None])).reshape(-1, len(mean)), 1e-300, 1 - 1e-16)
        weight = (half * _MOMENT_WEIGHTS[:, None]).reshape(z.shape) * self.scale.stretch(z)
        below = self._mixture.cdf(z)
        beyond = weight * np.clip(1 - below if upper else below, 0.0, 1.0)
        end = self.scale.lower if upper else self.scale.upper
        distance = beyond.sum(axis=0)
        square = (2 * np.abs(self.scale.outside(z) - end) * beyond).sum(axis=0)
        return end + distance if upper else end - distance, np.sqrt(np.maximum(square - distance**2, 0.0))

    @cached_property
    def median(self) -> FloatArray:
        """Score that is as likely exceeded as not."""
        half = np.array([0.5])
        return self.scale.outside(self._mixture.quantile(half, half)[0])

    def cdf(self, y: ArrayLike) -> FloatArray:
        """P(score <= y), for a scalar or one value per size (or rows of such values)."""
        return self._apply_by_rows(self._mixture.cdf, y)

    def pdf(self, y: ArrayLike) -> FloatArray:
        """Density of the score at y, for a scalar or one value per size (or rows of such values)."""
        density = self._apply_by_rows(self._mixture.pdf, y)
        return density if self.scale.same else density * np.exp(self.scale.log_slope(y))

    def log_pdf(self, y: ArrayLike) -> FloatArray:
        """Logarithm of the density at y, also where the density itself is too small for a number."""
        density = self._apply_by_rows(self._mixture.log_pdf, y)
        return density if self.scale.same else density + self.scale.log_slope(y)

    def prob_at_least(self, target: ArrayLike) -> FloatArray:
        """P(score >= target), for a scalar or one value per size (or rows of such values)."""
        return 1 - self.cdf(target)

    def prob_between(self, lower: ArrayLike, upper: ArrayLike) -> FloatArray:
        """P(lower < score < upper), for bounds as in `cdf`."""
        return np.maximum(self.cdf(upper) - self.cdf(lower), 0.0)

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Scores below which the given shares of the distribution lie.

        Parameters
        ----------
        p : float or array of shape (k,)
            Levels in [0, 1].

        Returns
        -------
        array of shape (Q,) for one level, (k, Q) for several
        """
        levels = check_real_array("p", p)
        if levels.ndim > 1 or not levels.size or not ((levels >= 0) & (levels <= 1)).all():
            raise RequestError(f"must be a level in [0, 1] or a list of them, got {format_value(p)}.", argument="p")
        below = np.atleast_1d(levels)
        values = self.scale.outside(self._mixture.quantile(below, 1 - below))
        return values[0] if levels.ndim == 0 else values

    def at_least(self, probability: float) -> FloatArray:
        """The score that is reached or exceeded with a probability, at each size: what can be promised with it."""
        return self.quantile(1 - check_probability("probability", probability))

    def interval(self, level: float = LEVEL, kind: IntervalKind = "equal_tailed") -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends of the interval that contains the score with probability `level`.

        Parameters
        ----------
        level
            Probability, strictly between 0 and 1.
        kind
            "equal_tailed" leaves the same probability on both sides; "hdi" is the shortest single interval.
        """
        level = check_probability("level", level)
        if check_choice("kind", kind, ("equal_tailed", "hdi")) == "equal_tailed":
            outside = (1 - level) / 2
            below = np.array([outside, 1 - outside])
            return self._reach_bounds(*self._mixture.quantile(below, below[::-1]))
        return self._find_shortest(level)

    def count_decimals(self, level: float = LEVEL) -> int:
        """How many decimals scores are printed with, beside the interval at the largest size."""
        lower, upper = self.interval(level)
        farthest = int(np.argmax(self.sizes))
        return self.scale.count_decimals(float(upper[farthest] - lower[farthest]))

    def sample(self, n: int, seed: int | None = None) -> FloatArray:
        """Draw n scores at each size, each size on its own: shape (n, Q), at most 10^7 scores in all."""
        shape = (check_whole_number("n", n, least=1, most=MOST_DRAWS // len(self.sizes)), len(self.sizes))
        rng = make_generator(seed)
        component = rng.choice(len(self.weights), size=shape, p=self.weights / self.weights.sum())
        column = np.arange(len(self.sizes))
        chosen = TruncatedNormal(self.locations[component, column], self.scales[component, column])
        return self.scale.outside(chosen.quantile(rng.random(shape)))

    def to_csv(
        self,
        path: str | os.PathLike[str],
        *,
        levels: Sequence[float] = LEVELS,
        overwrite: bool = False,
    ) -> None:
        """Write one row per size: the columns of `to_dict`."""
        columns = self._columns(levels)
        columns["size"] = [f"{size:.17g}" for size in columns["size"]]
        write_text(path, as_csv(columns), overwrite=overwrite)

    def _apply_by_rows(self, function: Callable[[FloatArray], FloatArray], y: ArrayLike) -> FloatArray:
        """Apply a function of rows of scores, one per size, to a number, a row or several rows."""
        values = check_real_array("y", y)
        if np.isnan(values).any():
            raise RequestError("y must not be NaN.")
        if values.ndim and values.shape[-1] != len(self.sizes):
            raise RequestError(
                f"y must be one number or one for each of the {len(self.sizes)} sizes, got shape {values.shape}."
            )
        # Beyond [0, 1] nothing changes any more, and squares of what is far beyond would overflow.
        inside = np.clip(self.scale.inside(values), -1.0, 2.0)
        rows = np.broadcast_to(inside, (*values.shape[:-1], len(self.sizes)))
        return function(rows.reshape(-1, len(self.sizes))).reshape(rows.shape)

    @cached_property
    def _mixture(self) -> TruncatedMixture:
        return TruncatedMixture(self.locations, self.scales, self.weights)

    def _reach_bounds(self, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Ends of intervals as scores; one that cannot be told from the bound beyond it is that bound."""
        half = self.resolution / 2
        low, high = np.where(lower < half, 0.0, lower), np.where(upper > 1 - half, 1.0, upper)
        return self.scale.outside(low), self.scale.outside(high)

    def _find_shortest(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Ends of the shortest interval, by ever finer grids over the probability left below it.

        The grids are the same whatever the size; a mixture may have several local minima, of which the first grid,
        being dense, finds the best.
        """
        width = 1 - level
        below = np.linspace(0.0, width, 129)[:, None] * np.ones(len(self.sizes))
        spacing = width / 128
        while True:
            lower, upper = self._reach_bounds(
                self._mixture.quantile(below, 1 - below), self._mixture.quantile(below + level, width - below)
            )
            best = np.argmin(upper - lower, axis=0)[None]
            if spacing < 1e-7 * width:
                return tuple(np.take_along_axis(end, best, axis=0)[0] for end in (lower, upper))
            centre = np.take_along_axis(below, best, axis=0)
            below = np.clip(centre + spacing * np.linspace(-1, 1, 17)[:, None], 0.0, width)
            spacing /= 8

    def __getitem__(self, index: int) -> Forecast:
        """The forecast at one of the sizes alone, counted from 0, or from -1 backwards."""
        first = check_whole_number("index", index, least=-len(self), most=len(self) - 1) % len(self)
        one = slice(first, first + 1)
        components = self.locations[:, one], self.scales[:, one], self.weights
        return Forecast(self.sizes[one], *components, self.cautions, self.scale, self.resolution)
