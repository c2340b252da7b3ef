"""Comparison of models: which will be best with more data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from ..._answer import Answer, ColumnData, SummaryTable
from ..._check import FloatArray, check_mapping, check_sizes, format_some, format_value
from ..._numbers import SCORE_DIGITS, format_chance, format_score_change, format_size
from ...cautions import prefix_caution
from ...curve import LearningCurve
from ...errors import DataError, RequestError
from ...estimators import BREAKDOWNS, APExGP, wrap_breakdown
from ...estimators.contract import clone
from ...reading.known_metrics import UNNAMED
from ...required import CONFIDENCE
from ...scale import format_range
from ...vocabulary import Remedy
from .shared_noise import Difference, SharedNoise, average_noise, estimate_correlations, find_difference

__all__ = ["LEAD_PROBABILITY", "Comparison", "LeadChange", "PairComparison", "compare_models"]

LEAD_PROBABILITY = CONFIDENCE
"""Probability of being better from which on a model is said to lead."""
_GRID = 65  # sizes at which the probability is found, besides those asked for


@dataclass(frozen=True)
class LeadChange:
    """A size at which one model takes the lead over from another.

    It is reported only if, on either side of it and before the next change, there is a size at which the model that
    leads there is better with a probability of 80 % or more.

    Attributes
    ----------
    size : float
        Training-set size at which both are equally likely to be better.
    before, after : str
        Names of the models that lead at smaller and at larger sizes.
    prob_before, prob_after : float
        The highest probability, up to the next change, with which each of them is the better one.
    """

    size: float
    before: str
    after: str
    prob_before: float
    prob_after: float


@dataclass(frozen=True, eq=False, repr=False)
class PairComparison(Answer):
    """Two models at several training-set sizes, by their true expected scores.

    Attributes
    ----------
    first, second : str
        Names of the models.
    sizes : array of shape (Q,)
        Training-set sizes.
    prob_first_better : array of shape (Q,)
        Probability that the first beats the second.
    difference : array of shape (Q,)
        Expected score of the first minus that of the second.
    lead_changes : tuple of LeadChange
        Every change of lead between the smallest and the largest size that was measured or asked for, by size.
    shared_splits : int
        Number of splits on which both were measured; their scores are paired.
    correlation : float
        Correlation of the two models' noise on those splits.
    grid, grid_prob : arrays
        Sizes from the smallest to the largest that was measured or asked for, and the probability at each.
    decimals : int
        How many decimals differences of scores are printed with.
    cautions : tuple of str
        Reasons to doubt the forecasts of either model.
    """

    first: str
    second: str
    sizes: FloatArray
    prob_first_better: FloatArray
    difference: FloatArray
    lead_changes: tuple[LeadChange, ...]
    shared_splits: int
    correlation: float
    grid: FloatArray
    grid_prob: FloatArray
    decimals: int = SCORE_DIGITS
    cautions: tuple[str, ...] = ()

    def _columns(self) -> ColumnData:
        count = len(self.sizes)
        return {
            "first": [self.first] * count,
            "second": [self.second] * count,
            "size": self.sizes.tolist(),
            "prob_first_better": self.prob_first_better.tolist(),
            "difference": self.difference.tolist(),
            "lead_changes": [[change.size for change in self.lead_changes]] * count,
            "shared_splits": [self.shared_splits] * count,
            "correlation": [self.correlation] * count,
        }

    @property
    def leaders(self) -> tuple[str, ...]:
        """Models that lead, with a probability of 80 % or more, at one size or another."""
        highest = {self.first: self.grid_prob.max(), self.second: 1 - self.grid_prob.min()}
        return tuple(name for name, probability in highest.items() if probability >= LEAD_PROBABILITY)

    def shown(self) -> SummaryTable:
        """One row per size."""
        return _shown_pairs(f"Comparison of {self.first} and {self.second}", [self], self._all_notes())


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Answer):
    """Every pair of the compared models.

    Attributes
    ----------
    sizes : array of shape (Q,)
        Training-set sizes.
    pairs : tuple of PairComparison
        Each pair once, in the order in which the models were given.
    models : dict
        The fitted models by name.
    unnamed : tuple of str
        Models whose curves did not name their metric, and were assumed to use the others'.
    notes : tuple of str
        What was assumed: the metric of those, and which scores were paired.
    """

    sizes: FloatArray
    pairs: tuple[PairComparison, ...]
    models: Mapping[str, APExGP]
    unnamed: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on assumptions: an unnamed metric, and which scores were paired."""
        shared = sorted({pair.shared_splits for pair in self.pairs})
        if shared == [0]:
            paired = "No scores were paired: the models share no labelled splits."
        elif len(shared) == 1:
            paired = f"Scores on the {shared[0]} splits that the models share were paired."
        else:
            paired = f"Scores on shared splits were paired; two models share {shared[0]} to {shared[-1]} of them."
        if not self.unnamed:
            return (paired,)
        metric = next(iter(self.models.values())).curve_.metric_name
        whose = "its metric" if len(self.unnamed) == 1 else "their metric"
        does = "does" if len(self.unnamed) == 1 else "do"
        return (
            f"{format_some(self.unnamed)} {does} not name {whose}; {metric} was assumed, as the others name it.",
            paired,
        )

    @property
    def cautions(self) -> tuple[str, ...]:  # type: ignore[override]
        """Reasons to doubt the forecasts of the models."""
        return tuple(dict.fromkeys(caution for pair in self.pairs for caution in pair.cautions))

    def _columns(self) -> ColumnData:
        tables = [pair._columns() for pair in self.pairs]
        return {name: [cell for table in tables for cell in table[name]] for name in tables[0]}

    def shown(self) -> SummaryTable:
        """One row per pair of models and size."""
        title = f"Comparison of {len(self.models)} models"
        return _shown_pairs(title, self.pairs, self._all_notes(*self.notes))


def _shown_pairs(title: str, pairs: Sequence[PairComparison], notes: Sequence[str]) -> SummaryTable:
    decimals = max(pair.decimals for pair in pairs)
    rows = [
        (
            f"{pair.first} beats {pair.second}",
            format_size(size),
            format_chance(sure, LEAD_PROBABILITY),
            format_score_change(gap, decimals),
        )
        for pair in pairs
        for size, sure, gap in zip(pair.sizes, pair.prob_first_better, pair.difference, strict=True)
    ]
    return SummaryTable(title, ("which", "size", "probability", "expected difference"), rows, notes, ("which",))


def compare_models(curves: Mapping[str, LearningCurve], sizes: ArrayLike, model: APExGP | None = None) -> Comparison:
    """Compare models by their learning curves: which will be better with more data.

    Scores that two models have on the same split (equal labels at equal sizes) are paired: noise that both share does
    not blur their difference.

    Parameters
    ----------
    curves
        The pilot curve of each model, by name; two or more, of the same metric and unit. A curve that does not name its
        metric is assumed to use that of the others.
    sizes
        Training-set sizes.
    model
        Settings to fit every curve with; by default `APExGP()`. It must be integrated, not a point estimate.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from apexgp import LearningCurve
    >>> sizes = [60, 94, 147, 230, 360]
    >>> fast = LearningCurve(sizes, [0.75, 0.77, 0.78, 0.785, 0.79])
    >>> slow = LearningCurve(sizes, [0.66, 0.70, 0.735, 0.76, 0.78])
    >>> (pair,) = compare_models({"fast": fast, "slow": slow}, [360, 3600]).pairs
    >>> pair.prob_first_better.round(1)
    array([0.9, 0.2])
    """
    wanted = "a mapping from the names of two or more models to their curves"
    curves = check_mapping("curves", curves, wanted)
    if len(curves) < 2:
        raise RequestError(f"must be {wanted}, got {len(curves)}.", argument="curves")
    at = check_sizes("sizes", sizes)
    settings = APExGP() if model is None else model
    if not isinstance(settings, APExGP) or settings.inference != "bayes":
        raise RequestError(
            "must be an APExGP with inference='bayes', which knows the uncertainty of its parameters.",
            argument="model",
        )
    for name, curve in curves.items():
        if not isinstance(curve, LearningCurve):
            raise DataError(f"The curve of {format_value(name)} must be a LearningCurve, got {type(curve).__name__}.")
    alike = _of_one_kind(curves)
    unnamed = tuple(str(name) for name, curve in curves.items() if curve.metric != alike[name].metric)
    fitted = {name: clone(settings).fit(curve) for name, curve in _on_one_scale(alike).items()}
    try:
        pairs = [_compare(first, second, fitted, at) for first, second in combinations(curves, 2)]
    except BREAKDOWNS as problem:
        raise wrap_breakdown(problem) from problem
    return Comparison(at, tuple(pairs), fitted, unnamed)


def _of_one_kind(curves: Mapping[str, LearningCurve]) -> dict[str, LearningCurve]:
    """The curves, if they measure one thing at sizes that count one thing; those without a metric take the others'."""
    for attribute, wanted, say in (
        ("metric", "by the same metric", lambda curve: curve.metric_name),
        ("direction", "with the same direction being better", lambda curve: f"{curve.direction} is better"),
        ("range", "on the same range of scores", lambda curve: format_range(curve.range)),
        ("unit", "at sizes in the same unit", lambda curve: curve.unit_name),
    ):
        kinds: dict[str, str] = {}
        for name, curve in curves.items():
            if not (attribute == "metric" and curve.metric == UNNAMED):
                kinds.setdefault(say(curve), str(name))
        if len(kinds) > 1:
            got = ", ".join(f"{kind} ({name})" for kind, name in kinds.items())
            settled: Remedy = ("Name it for all of them with {}.", "unit") if attribute == "unit" else ()
            raise DataError(f"Models are compared {wanted}, got {got}.", remedy=settled)
    metric = next((curve.metric for curve in curves.values() if curve.metric != UNNAMED), UNNAMED)
    return {name: replace(curve, metric=metric) for name, curve in curves.items()}


def _on_one_scale(curves: Mapping[str, LearningCurve]) -> Mapping[str, LearningCurve]:
    """The curves as engines see them on one scale: what is compared there is compared by its scores."""
    scales = [curve.scale for curve in curves.values()]
    if scales[0].straight:
        return curves
    unit = float(np.exp(np.mean([np.log(scale.unit) for scale in scales])))
    return {name: curve.on(replace(curve.scale, unit=unit)) for name, curve in curves.items()}


def _compare(first: str, second: str, models: Mapping[str, APExGP], sizes: FloatArray) -> PairComparison:
    a, b = models[first], models[second]
    measured = np.concatenate([a.curve_.sizes, b.curve_.sizes, sizes])
    grid = np.union1d(np.geomspace(measured.min(), measured.max(), _GRID), sizes)
    asked = np.searchsorted(grid, sizes)
    # The sums are over pairs of nodes that are drawn. Both orders of the models, and their mean: what one model gains
    # by the luck of the draw, the other gains too.
    (there, splits, one), (back, _, other) = (_one_way(x, y, grid) for x, y in ((a, b), (b, a)))
    lead = (there.prob_positive - back.prob_positive) / 2
    # On a grid of binary digits both 1/2 + lead and 1/2 - lead are exact, so that they sum to 1.
    sure = 0.5 + np.rint(lead * 2.0**50) / 2.0**50
    scale = a.curve_.scale
    if scale.straight:
        turned = scale.upper - scale.lower if a.curve_.direction == "higher" else scale.lower - scale.upper
        gap = turned * (there.mean - back.mean)[asked] / 2
    else:  # a difference in [0, 1] is no difference of scores
        gap = np.subtract(*(model.forecast(sizes, of="expected").mean for model in (a, b)))
    found = {name: models[name]._find_cautions(sizes) for name in (first, second)}
    return PairComparison(
        first,
        second,
        sizes,
        sure[asked],
        gap,
        _find_lead_changes(first, second, grid, sure),
        splits,
        (one + other) / 2,
        grid,
        sure,
        min(a.curve_.decimals, b.curve_.decimals),
        tuple(prefix_caution(f"{name}: ", caution) for name, own in found.items() for caution in own),
    )


def _one_way(a: APExGP, b: APExGP, sizes: FloatArray) -> tuple[Difference, int, float]:
    """f_A - f_B at the sizes, the number of shared splits, and the correlation of a score's noise on them."""
    shared, splits, correlation = _pairing(a, b)
    return find_difference(a.posterior, b.posterior, sizes, shared, a.seed), splits, correlation


def _pairing(a: APExGP, b: APExGP) -> tuple[SharedNoise, int, float]:
    """Noise that two models share, the number of shared splits, and the correlation of a score's noise on them."""
    nothing = SharedNoise((np.empty(0, np.intp), np.empty(0, np.intp)), 0.0, 0.0, 0.0), 0, 0.0
    tables = [_table(model.curve_) for model in (a, b)]
    sizes = [model.posterior.posteriors[0].statistics.unmerged_sizes for model in (a, b)]
    common, in_a, in_b = np.intersect1d(sizes[0], sizes[1], return_indices=True)
    complete = [
        label
        for label in tables[0]
        if label in tables[1] and all(size in table[label] for table in tables for size in common.tolist())
    ]
    if len(complete) < 2 or not common.size:
        return nothing
    scores = [np.array([[table[label][size] for size in common.tolist()] for label in complete]) for table in tables]
    parts = ((average_noise(a.posterior), in_a), (average_noise(b.posterior), in_b))
    noise = [(v[own], c[own]) for (v, c), own in parts]
    single, carried = estimate_correlations(scores[0], scores[1], noise)
    share = len(complete) / np.sqrt(len(tables[0]) * len(tables[1]))
    (va, ca), (vb, cb) = noise
    together = (single * np.sqrt(va * vb) + carried * ca * cb).sum()
    correlation = together / np.sqrt((va + ca**2) * (vb + cb**2)).sum()
    return SharedNoise((in_a, in_b), float(share), single, carried), len(complete), float(correlation)


def _table(curve: LearningCurve) -> dict[object, dict[float, float]]:
    """Scores by split and size, higher is better; empty without labels."""
    table: dict[object, dict[float, float]] = {}
    labels = [] if curve.split is None else curve.split.tolist()
    for size, label, score in zip(curve.sizes.tolist(), labels, curve.upward.scores.tolist(), strict=bool(labels)):
        table.setdefault(label, {})[size] = score
    return table


def _find_lead_changes(first: str, second: str, sizes: FloatArray, sure: FloatArray) -> tuple[LeadChange, ...]:
    """Changes of lead at sizes in rising order, from the probability that the first model is better at each."""
    leads = np.where(sure >= LEAD_PROBABILITY, 1, np.where(1 - sure >= LEAD_PROBABILITY, -1, 0))
    certain = np.flatnonzero(leads)
    turns = np.flatnonzero(np.diff(leads[certain]))
    stretches = np.split(certain, turns + 1)
    changes = []
    for old, new in pairwise(stretches):
        up = bool(leads[new[0]] > 0)
        toward = sure if up else 1 - sure
        between = slice(old[-1], new[0] + 1)
        changes.append(
            LeadChange(
                _last_rise(sizes[between], toward[between]),
                *((second, first) if up else (first, second)),
                float((1 - toward)[old].max()),
                float(toward[new].max()),
            )
        )
    return tuple(changes)


def _last_rise(sizes: FloatArray, sure: FloatArray) -> float:
    """Where a probability last rises to one half, by straight lines between normal scores."""
    score = ndtri(np.clip(sure, 1e-12, 1 - 1e-12))
    i = np.flatnonzero(score[:-1] < 0)[-1]
    share = score[i] / (score[i] - score[i + 1])
    return float(sizes[i] * (sizes[i + 1] / sizes[i]) ** share)
