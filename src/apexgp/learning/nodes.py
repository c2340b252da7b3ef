"""Forecasts of later scores from pilots, under any priors near the given ones, without integrating again.

Every pilot is integrated once, under broader priors. Any other prior is then a change of its nodes' weights.

For the CRPS a node's forecast stands as two points, one standard deviation to either side of its centre. Points are
sorted once: the distribution under any weights is then a running sum, and so is the slope of the CRPS.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from .._check import FloatArray
from ..inference.bayes import AveragedPosterior, FullBayes
from ..inference.density import Density, moved
from ..inference.posterior import Posterior
from ..model.beliefs import Beliefs
from ..model.means import DEFAULT_MEAN, MEANS
from ..numerics.truncated_normal import TruncatedNormal
from .lessons import Lesson, PilotCut
from .moves import broaden

__all__ = ["PilotNodeArrays", "PilotNodes", "SortedPoints", "integrate_lesson", "list_coordinates", "stack_nodes"]

_INDEX, _SINGLE = np.int16, np.float32  # there may be thousands of pilots


@dataclass(frozen=True)
class SortedPoints:
    """Points of P x Q forecasts in order, two for each of the N nodes, and the place of the truth among them."""

    node: NDArray[np.int16]
    """(P, Q, 2 N): the node that each point belongs to."""
    place: NDArray[np.int16]
    """(P, Q, 2 N): positions of the nodes' lower points in the order, then of their upper points."""
    gap: FloatArray
    """(P, Q, 2 N): distance to the next point."""
    above: FloatArray
    """(P, Q, 2 N): how much of that gap is above the truth."""

    @classmethod
    def from_forecasts(cls, location: FloatArray, scale: FloatArray, truth: FloatArray) -> Self:
        """Sort the points of forecasts (P, N, Q), given the truths (P, Q)."""
        points = np.clip(np.concatenate([location - scale, location + scale], axis=1), 0.0, 1.0).swapaxes(1, 2)
        order = points.argsort(axis=-1)
        points = np.take_along_axis(points, order, axis=-1)
        gap = np.diff(points, append=points[..., -1:])
        return cls(
            (order % location.shape[1]).astype(_INDEX),
            order.argsort(axis=-1).astype(_INDEX),
            gap.astype(_SINGLE),
            np.clip(points + gap - truth[..., None], 0.0, gap).astype(_SINGLE),
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join the pilots of several parts."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def __getitem__(self, which: NDArray[np.intp]) -> Self:
        """Select pilots."""
        return type(self)(*(getattr(self, field.name)[which] for field in fields(self)))

    def crps(self, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """CRPS (P, Q), without the part beyond all points, and its derivatives by the nodes' weights (P, Q, N)."""
        by_point = np.take_along_axis(weight[:, None].astype(_SINGLE) / 2, self.node, axis=-1)
        below = np.cumsum(by_point, axis=-1)
        by_gap = self.gap * below - self.above
        total = (by_gap * below - self.above * below + self.above).sum(axis=-1, dtype=float)
        # A point raises the distribution in its own gap and in all later ones.
        slope = np.cumsum(by_gap[..., ::-1], axis=-1)[..., ::-1]
        lower, upper = np.split(np.take_along_axis(slope, self.place, axis=-1), 2, axis=-1)
        return total, lower + upper


# Moves are learnt with the default mean; the others make the same moves, in standard deviations of their own priors.
_MEAN = MEANS[DEFAULT_MEAN]
_KEPT = 256  # nodes that are kept of a pilot
_TEMPERED = 0.6  # power of the weights by which nodes are picked: those of little weight may count under other priors
_BROADER, _BROADER_SHARE = 0.25, -0.15  # logarithms
_PRECISION = 0.05
_AT_ONCE = 100  # pilots
_GRID = np.linspace(-9.0, 9.0, 721)  # deviates between which parameters are looked up
_LEAST = 1e-9


@dataclass(frozen=True)
class PilotNodes:
    """N nodes of one pilot, and their forecasts of up to Q later scores; large arrays are in single precision."""

    deviates: FloatArray
    """(N, D): normal deviates of the parameters, under the priors without effects of features."""
    log_share: FloatArray
    log_rest: FloatArray
    """(N,): logarithms of the share of the room that is still to be won, and of the rest."""
    log_likelihood: FloatArray
    """(N,): log weights without the prior that the nodes were integrated under."""
    location: FloatArray
    scale: FloatArray
    """(N, Q): forecasts, before truncation to [0, 1]."""
    truth: FloatArray
    """(Q,): the later scores."""
    times: FloatArray
    """(Q,): sizes in units of the pilot's largest."""
    shift: FloatArray
    log_spread: FloatArray
    """(D,): effects of the pilot's features on the priors."""
    log_a: float
    log_b: float
    """Parameters of the prior of the share, with effects of features."""


def list_coordinates(start: Beliefs) -> list[str]:
    """List the names of the coordinates whose priors may move."""
    return Density(_MEAN, start).names


def integrate_lesson(lesson: Lesson, start: Beliefs, seed: int) -> list[PilotNodes]:
    """Integrate the pilots of a whole curve; a pilot on which the computation breaks down is left out."""
    found, broad = [], broaden(start, list_coordinates(start), _BROADER, _BROADER_SHARE)
    for i, cut in enumerate(lesson.cuts):
        engine = FullBayes((_MEAN,), broad, 1.0, 0.0, seed + i, _PRECISION)
        try:
            (fit,) = engine.fit([cut.pilot])
        except (ArithmeticError, ValueError):
            continue
        if fit.node_weights.size and np.isfinite(fit.node_weights).all():
            found.append(_pick_nodes(cut, fit, start, np.random.default_rng([seed, i])))
    return found


def _pick_nodes(cut: PilotCut, fit: AveragedPosterior, start: Beliefs, rng: np.random.Generator) -> PilotNodes:
    (posterior,) = fit.posteriors
    weights = np.maximum(posterior.weights, 0.0) ** _TEMPERED
    steps = (np.arange(_KEPT) + rng.random()) / _KEPT
    chosen = np.minimum(np.searchsorted(np.cumsum(weights) / weights.sum(), steps), len(weights) - 1)
    some = posterior.some(chosen)
    share = np.clip(some.drop_share, _LEAST, 1 - _LEAST)
    log_share, log_rest = np.log(share), np.log1p(-share)
    predicted = fit.predict(cut.sizes, cut.of, cut.n_splits)
    names = some.density.names
    signs = some.statistics.signs(some.density.ceiling)
    prior, broad = (Density(_MEAN, beliefs) for beliefs in (start, some.density.beliefs))
    shift = np.array([moved(start.shifts.get(name, {}), signs) for name in names])
    wide = np.array([moved(broad.beliefs.spreads.get(name, {}), signs) for name in names])
    deviates = _find_deviates(some, start)
    assert start.shares is not None
    a, b = start.shares[DEFAULT_MEAN].a, start.shares[DEFAULT_MEAN].b
    factors, wider = prior.share_factors(some.statistics), broad.share_factors(some.statistics)
    integrated_under = _log_prior(
        deviates, log_share, log_rest, shift, wide, np.log(a * wider[0]), np.log(b * wider[1])
    )
    return PilotNodes(
        deviates=deviates.astype(_SINGLE),
        log_share=log_share.astype(_SINGLE),
        log_rest=log_rest.astype(_SINGLE),
        log_likelihood=((1 - _TEMPERED) * np.log(some.weights) - integrated_under).astype(_SINGLE),
        location=predicted.locations[chosen].astype(_SINGLE),
        scale=predicted.scales[chosen].astype(_SINGLE),
        truth=cut.truths,
        times=cut.sizes / cut.pilot.largest,
        shift=shift,
        log_spread=np.array([moved(start.spreads.get(name, {}), signs) for name in names]),
        log_a=float(np.log(a * factors[0])),
        log_b=float(np.log(b * factors[1])),
    )


def _log_prior(
    deviates: FloatArray,
    log_share: FloatArray,
    log_rest: FloatArray,
    shift: FloatArray,
    log_spread: FloatArray,
    log_a: float,
    log_b: float,
) -> FloatArray:
    z = (deviates - shift) * np.exp(-log_spread)
    a, b = np.exp(log_a), np.exp(log_b)
    value: FloatArray = -0.5 * (z**2).sum(axis=-1) - log_spread.sum()
    return value + (a - 1) * log_share + (b - 1) * log_rest - betaln(a, b)


def _find_deviates(posterior: Posterior, start: Beliefs) -> FloatArray:
    """Find the normal deviates behind the parameters of the nodes (N, D), under the priors without effects of features.

    By interpolation in a table of each prior: whatever its distribution, its values rise with the deviate.
    """
    bare = Density(_MEAN, replace(start, shifts={}, spreads={}))
    names, pilot = bare.names, posterior.statistics
    grid = np.broadcast_to(_GRID, (len(names), len(_GRID)))
    table, node = bare.parameters(grid, pilot), posterior.nodes.parameters
    if "tau_ratio" in names:
        assert start.tau_ratio is not None
        table = table | {"tau_ratio": start.tau_ratio.from_normal(_GRID)}
        node = node | {"tau_ratio": node["tau_b"] / node["tau_e"]}
    table = table | {f"shape{i}": values for i, values in enumerate(bare.shape(grid, pilot))}
    node = node | {f"shape{i}": values for i, values in enumerate(posterior.nodes.shape)}
    return np.stack([np.interp(node[name], table[name], _GRID) for name in names], axis=1)


@dataclass(frozen=True)
class PilotNodeArrays:
    """Nodes of P pilots, N of each: the arrays of `PilotNodes` with an axis of pilots before the others."""

    deviates: FloatArray
    log_share: FloatArray
    log_rest: FloatArray
    log_likelihood: FloatArray
    location: FloatArray
    scale: FloatArray
    truth: FloatArray
    times: FloatArray
    """NaN where a pilot has fewer later scores than others."""
    shift: FloatArray
    log_spread: FloatArray
    log_a: FloatArray
    log_b: FloatArray
    curve: NDArray[np.intp]
    """Index of the curve that each pilot was cut from."""
    pdf: FloatArray
    """(P, Q, N): density of each later score under each node."""
    sorted_points: SortedPoints

    def __len__(self) -> int:
        return len(self.curve)

    def take(self, which: NDArray[np.intp]) -> PilotNodeArrays:
        """Select pilots."""
        return PilotNodeArrays(**{field.name: getattr(self, field.name)[which] for field in fields(self)})


def stack_nodes(by_curve: Sequence[Iterable[PilotNodes]]) -> PilotNodeArrays:
    """Stack the nodes of all pilots of all curves."""
    pilots = [(i, cut) for i, nodes in enumerate(by_curve) for cut in nodes]
    most = max(len(cut.truth) for _, cut in pilots)
    # In batches: intermediate arrays are many times larger than the nodes.
    parts = [_stack_pilots(pilots[i : i + _AT_ONCE], most) for i in range(0, len(pilots), _AT_ONCE)]
    plain = [field.name for field in fields(PilotNodeArrays) if field.name != "sorted_points"]
    return PilotNodeArrays(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in plain},
        sorted_points=SortedPoints.concatenate([part.sorted_points for part in parts]),
    )


def _stack_pilots(pilots: Sequence[tuple[int, PilotNodes]], most: int) -> PilotNodeArrays:
    def pad(name: str, blank: float) -> FloatArray:
        rows = [getattr(cut, name) for _, cut in pilots]
        widths = [[(0, 0)] * (row.ndim - 1) + [(0, most - row.shape[-1])] for row in rows]
        return np.stack([np.pad(row, width, constant_values=blank) for row, width in zip(rows, widths, strict=True)])

    def stack(name: str) -> FloatArray:
        return np.stack([np.asarray(getattr(cut, name), _SINGLE) for _, cut in pilots])

    location, scale, truth = pad("location", 0.5), pad("scale", 1.0), pad("truth", 0.5)
    return PilotNodeArrays(
        **{name: stack(name) for name in _SAME_SHAPE},
        location=location,
        scale=scale,
        truth=truth,
        times=pad("times", np.nan),
        curve=np.array([i for i, _ in pilots]),
        pdf=np.ascontiguousarray(TruncatedNormal(location, scale).pdf(truth[:, None]).swapaxes(1, 2), _SINGLE),
        sorted_points=SortedPoints.from_forecasts(location, scale, truth),
    )


_SAME_SHAPE = ("deviates", "log_share", "log_rest", "log_likelihood", "shift", "log_spread", "log_a", "log_b")
