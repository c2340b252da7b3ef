"""Would the model have measured such a pilot? Pilots drawn from the fitted model, beside the one that was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..._answer import Answer, ColumnData, SummaryTable
from ..._check import FloatArray, check_instance, check_seed, check_whole_number
from ..._numbers import SCORE_DIGITS, format_chance, format_score, format_score_change, format_size
from ...curve import LearningCurve
from ...estimators import APExGP
from ...estimators.contract import check_is_fitted
from ...inference.bayes import AveragedPosterior
from ...inference.posterior import Posterior

__all__ = ["DRAWS", "FAILS_BELOW", "Discrepancy", "PredictiveCheck", "predictive_check"]

DRAWS = 4000
"""Pilots that are drawn where nothing else is said."""
_BLOCK = 2**21  # scores that are drawn at a time
_SAME = 1e-9  # a spread of scores that is rounding
_WORST = 1e-6  # in [0, 1], where 0 stands for an infinite loss
FAILS_BELOW = 0.05
"""Tail probability below which a check fails."""


@dataclass(frozen=True)
class Discrepancy:
    """A summary statistic of a pilot: as measured, and as simulated from the model.

    Attributes
    ----------
    name : str
        "level" (mean score at the largest size), "slope" (change of the mean score from one size to its double),
        "scatter" (the largest spread of scores at one size over that at all sizes together, both without the luck of
        splits; of a pilot with one score per size, their spread around a straight line over the logarithm of the size),
        or "split effect" (correlation of the luck that a split has at different sizes).
    measured : float
        What the pilot shows.
    expected, lower, upper : float
        Median, and the ends of the central 95 %, of the simulated values.
    prob_larger : float
        Share of the simulated values that are larger than the measured one.
    tail_probability : float
        How probable something as extreme is: twice the smaller of the two tails; for the scatter, of which too little
        is no fault, the upper tail alone, and for the split effect, of which too much is none, the lower.
    """

    name: str
    measured: float
    expected: float
    lower: float
    upper: float
    prob_larger: float
    tail_probability: float

    @property
    def fails(self) -> bool:
        """Whether the model hardly ever produces such a value."""
        return self.tail_probability < FAILS_BELOW

    @property
    def tail_words(self) -> str:
        """The tail probability as it is printed: that of a check that fails never as one that passes."""
        return format_chance(self.tail_probability, short_of=FAILS_BELOW)


@dataclass(frozen=True, eq=False, repr=False)
class PredictiveCheck(Answer):
    """Simulations from a fitted model at the pilot's sizes, compared with what was measured.

    Attributes
    ----------
    checks : tuple of Discrepancy
        Level, slope, scatter and split effect, as far as the pilot has them.
    absent : dict
        Why there is no check of the others, by their names.
    sizes, measured : arrays of shape (R,)
        The pilot's sizes, and the mean score at each.
    expected, lower, upper : arrays of shape (R,)
        Median, and the ends of the central 95 %, of the simulated mean scores.
    draws : int
        Number of simulated pilots.
    scatter_at : float or None
        The size at which scores scatter most; None where sizes have one score each.
    metric, unit, direction : str
        What was measured, what a size counts, and whether higher or lower is better.
    decimals : int
        How many decimals scores are printed with.
    cautions : tuple of str
        What fails, and what that means.
    """

    checks: tuple[Discrepancy, ...]
    sizes: FloatArray
    measured: FloatArray
    expected: FloatArray
    lower: FloatArray
    upper: FloatArray
    draws: int
    absent: dict[str, str] = field(default_factory=dict)
    scatter_at: float | None = None
    metric: str = "score"
    unit: str = "examples"
    direction: str = "higher"
    decimals: int = SCORE_DIGITS

    @property
    def failed(self) -> tuple[Discrepancy, ...]:
        """The checks that fail."""
        return tuple(check for check in self.checks if check.fails)

    @property
    def cautions(self) -> tuple[str, ...]:  # type: ignore[override]
        """One caution per failed check, with what it means for a forecast."""
        return tuple(self._meaning(check) for check in self.failed)

    def _meaning(self, check: Discrepancy) -> str:
        larger = check.measured > check.expected
        better = larger == (self.direction == "higher")
        tail = f"(tail probability {check.tail_words})"
        if check.name == "level":
            bound = "ceiling" if self.direction == "higher" else "floor"
            return (
                f"The {self.metric} at the largest size is {'higher' if larger else 'lower'} than the fitted curve "
                f"{tail}. Forecasts start from the curve: check the scores at that size, and the {bound}."
            )
        if check.name == "slope":
            slope = (
                "improves faster with size than the fitted curve"
                if better
                else "does not improve with size as curves do"
            )
            return (
                f"The {self.metric} {slope} {tail}. Forecasts follow the curve and treat the rest as a departure that "
                "fades: trust them less, and check how the sizes were measured."
            )
        if check.name == "scatter" and self.scatter_at is None:
            return (
                f"The scores lie farther from a smooth curve than noise explains {tail}: measure several splits at "
                "each size."
            )
        if check.name == "scatter":
            return (
                f"The scores at size {format_size(self.scatter_at or 0)} scatter more than noise explains {tail}. Look "
                "for a failed run there."
            )
        return (
            f"Splits that are lucky at some sizes are unlucky at others {tail}, which the model does not allow for: "
            "check that each label means the same split at every size."
        )

    def _columns(self) -> ColumnData:
        names = ("name", "measured", "expected", "lower", "upper", "prob_larger", "tail_probability", "fails")
        return {("check" if name == "name" else name): [getattr(one, name) for one in self.checks] for name in names}

    def _format_summary(self, name: str, value: float) -> str:
        """Write a summary statistic of a pilot."""
        if name == "level":
            return format_score(value, self.decimals)
        if name == "slope":  # a change that is small beside the scores
            return format_score_change(value, self.decimals + 1)
        return f"{value:.2f}" if name == "scatter" else f"{value:+.2f}"

    def shown(self) -> SummaryTable:
        """One row per check."""
        rows = []
        for one in self.checks:
            measured, expected, low, high = (
                self._format_summary(one.name, value) for value in (one.measured, one.expected, one.lower, one.upper)
            )
            verdict = "fails" if one.fails else "passes"
            rows.append((one.name, measured, expected, f"{low} to {high}", one.tail_words, verdict))
        title = f"Predictive check: the pilot compared with {self.draws:,} simulated from the fitted model"
        header = ("check", "measured", "expected", "95 % of simulations", "tail probability", "verdict")
        notes = [f"No check of the {name}: {why}" for name, why in self.absent.items()]
        return SummaryTable(title, header, rows, self._all_notes(*notes), ("check", "verdict"))


def predictive_check(model: APExGP, *, draws: int = DRAWS, seed: int = 0) -> PredictiveCheck:
    """Compare the pilot with pilots simulated from the fitted model (a posterior predictive check).

    Pilots are drawn with the same sizes and splits: parameters from the posterior, the curve that they describe, the
    luck of each split, and the noise of each score. Departures of the true curve from the fitted shape are left out:
    forecasts do not rely on them to last, so a pilot that only they explain should stand out.

    Parameters
    ----------
    model
        A fitted model with inference="bayes".
    draws
        Number of pilots to simulate.
    seed
        Seed of the draws: the same seed gives the same numbers.

    Returns
    -------
    PredictiveCheck
        A tail probability each for level, slope, scatter and split effect. Where one is below 5 % the check fails, and
        `cautions` says what that means.

    Notes
    -----
    The parameters were fitted to the same scores, so that tail probabilities are not spread evenly even if the model is
    right: those of level and slope lie closer to the middle. A failed check is a reason for doubt; a passed one is no
    reason for trust, which is what `backtest` is for.

    Examples
    --------
    >>> model = APExGP().fit([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81])
    >>> [(check.name, check.fails) for check in predictive_check(model).checks]
    [('level', False), ('slope', False), ('scatter', False)]
    """
    check_is_fitted(check_instance("model", model, APExGP, "a fitted APExGP"))
    draws, rng = check_whole_number("draws", draws, least=100, most=100_000), np.random.default_rng(check_seed(seed))
    posterior = model.posterior
    pilot = _Pilot.of(model.curve_, only_means=not posterior.posteriors[0].density.beliefs.uses_replicates)
    sums, absent = pilot.summaries()
    parts = [
        {"means": pilot.means(scores), **{name: of(scores) for name, of in sums.items()}}
        for scores in _draw_pilots(posterior, pilot, draws, rng)
    ]
    found = {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}
    measured = pilot.scores[:, None]
    lower, expected, upper = np.quantile(found["means"], [0.025, 0.5, 0.975], axis=-1)
    return PredictiveCheck(
        checks=tuple(_compare_summary(name, float(of(measured)[0]), found[name]) for name, of in sums.items()),
        sizes=pilot.sizes,
        measured=pilot.means(measured)[:, 0],
        expected=expected,
        lower=lower,
        upper=upper,
        draws=draws,
        absent=absent,
        scatter_at=pilot.scatter_at if "scatter" in sums else None,
        metric=model.curve_.metric_name,
        unit=model.curve_.unit_name,
        direction=model.curve_.direction,
        decimals=model.curve_.scale.count_decimals(float(upper[-1] - lower[-1])),
    )


def _compare_summary(name: str, measured: float, drawn: FloatArray) -> Discrepancy:
    larger, equal = float((drawn > measured + _SAME).mean()), float((np.abs(drawn - measured) <= _SAME).mean())
    above = larger + 0.5 * equal
    tail = {"scatter": above, "split effect": 1 - above}.get(name, 2 * min(above, 1 - above))
    lower, expected, upper = np.quantile(drawn, [0.025, 0.5, 0.975]).tolist()
    return Discrepancy(name, measured, expected, lower, upper, above, tail)


@dataclass(frozen=True, eq=False)
class _Pilot:
    """A design and its scores: which size and which split each score has. Arrays of scores are (scores, draws)."""

    sizes: FloatArray
    scores: FloatArray
    size_of: NDArray[np.intp]
    split_of: NDArray[np.intp]
    labelled: bool
    to_scores: Callable[[FloatArray], FloatArray]
    """Converts what engines see, in [0, 1] and higher is better, to scores."""
    averaged: float

    @classmethod
    def of(cls, curve: LearningCurve, *, only_means: bool) -> _Pilot:
        """The design of a curve; with `only_means`, of its mean scores."""
        pilot = curve.replicates
        if only_means:
            every = np.arange(len(pilot.sizes))
            return cls(pilot.sizes, pilot.mean, every, every, False, curve.from_upward, 1.0)
        single = bool((pilot.count == 1).all())
        if curve.split is None:
            # One score per size is one run, whose luck goes along; other scores without labels are splits of their own.
            split_of = np.zeros(len(curve), np.intp) if single else np.arange(len(curve))
        else:
            labels = {label: i for i, label in enumerate(dict.fromkeys(curve.split.tolist()))}
            split_of = np.array([labels[label] for label in curve.split.tolist()])
        size_of = np.searchsorted(pilot.sizes, curve.sizes)
        return cls(
            pilot.sizes,
            curve.scores,
            size_of,
            split_of,
            curve.split is not None,
            curve.from_upward,
            float(curve.known_run_count),
        )

    @cached_property
    def _of_sizes(self) -> csr_array:
        return _sums(self.size_of)

    @cached_property
    def _of_splits(self) -> csr_array:
        return _sums(self.split_of)

    @cached_property
    def _counts(self) -> NDArray[np.intp]:
        return np.bincount(self.size_of)

    def means(self, scores: FloatArray) -> FloatArray:
        """Mean score at each size."""
        total: FloatArray = self._of_sizes @ scores
        return total / self._counts[:, None]

    def summaries(self) -> tuple[dict[str, Callable[[FloatArray], FloatArray]], dict[str, str]]:
        """Summary statistics that this design allows, as functions of the scores, and why others are absent."""
        found: dict[str, Callable[[FloatArray], FloatArray]] = {"level": self._level}
        absent: dict[str, str] = {}
        if len(self.sizes) > 1:
            found["slope"] = self._slope
        else:
            absent["slope"] = "it takes 2 or more different sizes."
        measured, repeated = self.scores[:, None], self._counts > 1
        if len(self.sizes) < 3:
            absent["scatter"] = "it takes 3 or more different sizes."
        elif repeated.sum() < 2:
            found["scatter"] = self._around_a_line
        elif float((self._within(measured) ** 2).sum()) > _SAME:
            found["scatter"] = self._largest_spread
        else:
            absent["scatter"] = "scores at the same size differ only in their split, if at all."
        if not self.labelled or self._of_splits.shape[0] < 2:
            absent["split effect"] = "fewer than two splits are labelled."
        elif not repeated.any() or self._of_splits.shape[0] == len(self.scores):
            absent["split effect"] = "no two splits were measured at several sizes in common."
        elif float((self._luck(measured) ** 2).sum()) > _SAME:
            found["split effect"] = self._correlate_splits
        else:
            absent["split effect"] = "all scores at the same size are equal."
        return found, absent

    def _level(self, scores: FloatArray) -> FloatArray:
        last: FloatArray = self.means(scores)[-1]
        return last

    def _slope(self, scores: FloatArray) -> FloatArray:
        """Slope of a straight line through the means over log2(size): the gain per doubling."""
        at = np.log2(self.sizes) - np.log2(self.sizes).mean()
        return (at / (at @ at)) @ self.means(scores)

    def _around_a_line(self, scores: FloatArray) -> FloatArray:
        at = np.log2(self.sizes) - np.log2(self.sizes).mean()
        means = self.means(scores)
        rest = means - means.mean(axis=0) - at[:, None] * self._slope(scores)
        return np.sqrt((rest**2).sum(axis=0) / (len(self.sizes) - 2))

    def _luck(self, scores: FloatArray) -> FloatArray:
        """How far each score is from the mean of its size."""
        return scores - self.means(scores)[self.size_of]

    def _within(self, scores: FloatArray) -> FloatArray:
        """Luck of each score minus the mean luck of its split."""
        luck = self._luck(scores)
        if not self.labelled:
            return luck
        shared = (self._of_splits @ luck) / np.bincount(self.split_of)[:, None]
        left: FloatArray = luck - shared[self.split_of]
        return left

    def _largest_spread(self, scores: FloatArray) -> FloatArray:
        """The largest spread at a size over the root mean square of all: Cochran's test for a variance that is off."""
        variances = self._variances(scores)
        return np.sqrt(variances.max(axis=0) / np.maximum(variances.mean(axis=0), _SAME**2))

    def _variances(self, scores: FloatArray) -> FloatArray:
        """Variance of the scores at each size that has several."""
        squares: FloatArray = (self._of_sizes @ self._within(scores) ** 2)[self._counts > 1]
        return squares / (self._counts[self._counts > 1] - 1)[:, None]

    @property
    def scatter_at(self) -> float | None:
        """The size at which scores scatter most; None where sizes have one score each."""
        repeated = self.sizes[self._counts > 1]
        if len(repeated) < 2:
            return None
        return float(repeated[self._variances(self.scores[:, None])[:, 0].argmax()])

    def _correlate_splits(self, scores: FloatArray) -> FloatArray:
        """Correlation of the luck that a split has at different sizes."""
        luck = self._luck(scores)
        together, alone = self._of_splits @ luck, self._of_splits @ luck**2
        others = np.bincount(self.split_of)[:, None] - 1
        correlation: FloatArray = (together**2 - alone).sum(axis=0) / np.maximum((others * alone).sum(axis=0), _SAME**2)
        return correlation


def _sums(group: NDArray[np.intp]) -> csr_array:
    """The matrix that adds up what belongs to one group."""
    return csr_array((np.ones(len(group)), (group, np.arange(len(group)))))


def _draw_pilots(
    posterior: AveragedPosterior, pilot: _Pilot, draws: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Scores of pilots that the model would have measured, shape (scores, draws), some draws at a time."""
    weights = posterior.node_weights
    chosen = np.sort(rng.choice(len(weights), draws, p=weights / weights.sum()))
    start = 0
    for one in posterior.posteriors:
        own = chosen[(chosen >= start) & (chosen < start + len(one.weights))] - start
        start += len(one.weights)
        for some in np.array_split(own, 1 + len(own) * len(pilot.scores) // _BLOCK):
            if some.size:
                worst = 0.0 if np.isfinite(pilot.to_scores(np.zeros(1))).all() else _WORST
                yield pilot.to_scores(np.clip(_draw_scores(one, pilot, some, rng), worst, 1.0))


def _draw_scores(posterior: Posterior, pilot: _Pilot, nodes: NDArray[np.intp], rng: np.random.Generator) -> FloatArray:
    """Draw scores for some nodes: the curve of each node, the luck of each split, the noise of each score."""
    some, at = posterior.some(nodes), pilot.sizes[:, None]
    single, carried = posterior.density.noise(some.nodes.parameters, at, posterior.statistics.sizes[:, None])
    luck = rng.standard_normal((int(pilot.split_of.max()) + 1, len(nodes)))[pilot.split_of]
    noise = np.sqrt(single)[pilot.size_of] * rng.standard_normal((len(pilot.scores), len(nodes)))
    scores: FloatArray = some.curve(at)[pilot.size_of] + (carried[pilot.size_of] * luck + noise) / np.sqrt(
        pilot.averaged
    )
    return scores
