"""Expected effects of a design by simulation: draw its scores, fit the model again, and look at the forecast.

All designs see the same curves, the same luck of splits and the same noise, so that their differences are known better
than each alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..curve import LearningCurve
from ..errors import ApexError
from ..estimators import APExGP, CurveEstimator, fit_together
from ..inference.bayes import FullBayes
from ..inference.gaussian_algebra import cholesky
from ..reading.score_details import BY_SCORE
from .designs import Design
from .knowledge import Knowledge

__all__ = ["SimulatedScores", "fit_designs", "simulate_scores"]

_JITTER = 1e-12
_TO_CHOOSE_FROM = 40  # drawn for each data set that is kept


@dataclass(frozen=True)
class SimulatedScores:
    """Simulated data sets: scores (higher is better) of new splits, and of the pilot's own splits, at all sizes."""

    sizes: FloatArray
    new: FloatArray
    """Shape (data sets, splits, sizes)."""
    continued: FloatArray | None
    """Scores of the pilot's splits, same shape; None where they cannot be continued."""
    labels: Sequence[object]
    """Labels of the pilot's splits."""
    shares: FloatArray
    """Probability of each data set."""

    def __len__(self) -> int:
        return len(self.new)

    def curve(self, which: int, design: Design, pilot: LearningCurve | None) -> LearningCurve:
        """The pilot extended by one data set under a design."""
        at = np.searchsorted(self.sizes, np.array(design.sizes))
        scores = (
            self.new[which, : design.n_splits]
            if not design.continued or self.continued is None
            else self.continued[which]
        )
        labels = list(self.labels) if design.continued else self._new_labels(design.n_splits)
        sizes, table = np.repeat(self.sizes[at], len(labels)), scores[:, at].T.ravel()
        if pilot is None:
            return LearningCurve(sizes, table, np.array(labels * len(at), dtype=object))
        split = None
        if pilot.split is not None:
            split = np.array([*pilot.split.tolist(), *labels * len(at)], dtype=object)
        return replace(
            pilot,
            sizes=np.append(pilot.sizes, sizes),
            scores=np.append(pilot.scores, pilot.from_upward(table)),
            split=split,
            **_extend_details(pilot, len(table)),
        )

    def _new_labels(self, count: int) -> list[object]:
        """Make labels that none of the pilot's splits has."""
        word = "new"
        while any(str(label).startswith(word) for label in self.labels):
            word += "'"
        return [f"{word} {i}" for i in range(count)]


def _extend_details(pilot: LearningCurve, added: int) -> dict[str, Any]:
    """Extend the details of a pilot's scores to added ones, which are measured on as many test cases."""
    details = {name: values for name in BY_SCORE if (values := getattr(pilot, name)) is not None}
    added_values = {
        name: float(np.nanmedian(values)) if name == "n_test" else np.nan for name, values in details.items()
    }
    return {name: np.append(values, np.full(added, added_values[name])) for name, values in details.items()}


def simulate_scores(
    known: Knowledge,
    pilot: LearningCurve | None,
    draws: int,
    splits: int,
    ceiling: float,
    seed: int,
    mostly: Design | None = None,
) -> SimulatedScores:
    """Draw data sets of so many new splits, and of the pilot's own splits.

    Parameters
    ----------
    mostly
        The design that matters most. Many more data sets are drawn than are kept. Its mean score at its largest size
        determines most of what the forecast will be, so the data sets kept are stratified by it; after a pilot,
        where surprises matter most, strata are narrower towards both ends.
    """
    rng = np.random.default_rng(seed)
    drawn = _draw_scores(known, pilot, draws * _TO_CHOOSE_FROM, splits, ceiling, rng)
    last, is_continued = (
        (-1, False) if mostly is None else (int(known.find_places(np.array(mostly.sizes[-1:]))[0]), mostly.continued)
    )
    if is_continued and drawn.continued is not None:
        mean_score = drawn.continued[:, :, last].mean(axis=1)
    else:
        mean_score = drawn.new[:, : splits if mostly is None else mostly.n_splits, last].mean(axis=1)
    steps = np.arange(draws + 1) / draws
    edges = steps if pilot is None else (1 - np.cos(np.pi * steps)) / 2
    kept, shares = _stratify(mean_score, drawn.new.std(axis=1).mean(axis=1), edges, rng)
    return replace(
        drawn, new=drawn.new[kept], continued=None if drawn.continued is None else drawn.continued[kept], shares=shares
    )


def _stratify(
    first: FloatArray, second: FloatArray, edges: FloatArray, rng: np.random.Generator
) -> tuple[NDArray[np.intp], FloatArray]:
    """Take one element of each stratum of `first`; which one is spread over the ranks of `second`.

    Means over those taken, weighted by the shares of their strata, are unbiased.
    """
    order = np.argsort(first, kind="stable")
    bounds = np.unique((len(order) * edges).round().astype(int))
    count = len(bounds) - 1
    ranks = (rng.permutation(count) + rng.random(count)) / count
    taken = []
    for rank, start, end in zip(ranks, bounds[:-1], bounds[1:], strict=True):
        group = order[start:end]
        taken.append(group[np.argsort(second[group], kind="stable")][int(rank * len(group))])
    return np.array(taken), np.diff(bounds) / len(order)


def _draw_scores(
    known: Knowledge,
    pilot: LearningCurve | None,
    draws: int,
    splits: int,
    ceiling: float,
    rng: np.random.Generator,
) -> SimulatedScores:
    below = np.cumsum(known.weights)
    levels = (np.arange(draws) + rng.random()) / draws * below[-1]
    nodes = np.minimum(np.searchsorted(below, levels), len(below) - 1)
    covariance = known.covariance[:, :, nodes].copy()
    diagonal = np.arange(len(known.sizes))
    covariance[diagonal, diagonal] += _JITTER
    normal = rng.standard_normal((len(known.sizes), draws))
    curve = (known.location[:, nodes] + np.einsum("pqm,qm->pm", cholesky(covariance), normal)).T
    single, carried = np.sqrt(known.single[:, nodes].T), known.carried[:, nodes].T
    shape = (draws, splits, len(known.sizes))
    luck = rng.standard_normal((draws, splits, 1) if known.labelled else shape)
    new = curve[:, None] + carried[:, None] * luck + single[:, None] * rng.standard_normal(shape)
    own, labels = None, []
    if known.pilot_splits is not None and pilot is not None and pilot.split is not None:
        labels = list(dict.fromkeys(pilot.split.tolist()))
        own = np.stack([_continue_split(label, pilot, known, curve, single, carried, rng) for label in labels], axis=1)
        own = np.clip(own, 0.0, ceiling)
    return SimulatedScores(known.sizes, np.clip(new, 0.0, ceiling), own, labels, np.full(draws, 1 / draws))


def _continue_split(
    label: object,
    pilot: LearningCurve,
    known: Knowledge,
    curve: FloatArray,
    single: FloatArray,
    carried: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw scores (data sets, sizes) of one of the pilot's splits, whose effect follows from its scores so far."""
    rows = [i for i, own in enumerate(() if pilot.split is None else pilot.split.tolist()) if own == label]
    at = known.find_places(pilot.sizes[rows])
    lever = carried[:, at] / single[:, at] ** 2
    precision = 1 + (carried[:, at] * lever).sum(axis=1)
    residual = pilot.upward.scores[rows] - curve[:, at]
    luck = (lever * residual).sum(axis=1) / precision + rng.standard_normal(len(curve)) / np.sqrt(precision)
    return curve + carried * luck[:, None] + single * rng.standard_normal(curve.shape)


def fit_designs(
    designs: Sequence[Design], data: SimulatedScores, pilot: LearningCurve | None, settings: APExGP, engine: FullBayes
) -> tuple[FloatArray, list[list[CurveEstimator]]]:
    """Fit the pilot extended by each data set under each design.

    A data set that cannot be fitted under one of the designs counts for none of them.

    Returns
    -------
    shares : array of shape (data sets,)
        Probability of each data set; empty if nothing can be fitted.
    models : list of lists
        For each design the model of each data set, roughly integrated: for means over them.
    """
    curves = [data.curve(which, design, pilot) for design in designs for which in range(len(data))]
    with np.errstate(all="ignore"):  # drawn scores may be wild; a computation that breaks down is a failed draw
        models = fit_together(settings, curves, replace(engine, roughly=True))
    by_data = [models[which :: len(data)] for which in range(len(data))]
    whole = [[model for model in own if not isinstance(model, ApexError)] for own in by_data]
    fitted = np.array([len(own) == len(designs) for own in whole])
    shares = data.shares[fitted]
    by_design = zip(*(own for own, all_of_it in zip(whole, fitted, strict=True) if all_of_it), strict=True)
    return shares / shares.sum(), [list(own) for own in by_design]
