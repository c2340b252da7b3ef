"""The base of all estimators of learning curves: from a curve to its fit, questions put to the fit, saving, loading."""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Self, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike

from .._check import (
    UNUSABLE,
    FloatArray,
    check_choice,
    check_probability,
    check_real_number,
    check_sizes,
    check_whole_number,
    format_some,
    format_value,
    make_generator,
)
from ..cautions import find_forecast_cautions, find_pilot_cautions, find_undecided_cautions
from ..curve import Direction, LearningCurve, ask_for_direction, read
from ..errors import ApexError, DataError, RequestError, TooFewSizesError
from ..forecast import MOST_DRAWS, Forecast, Quantity
from ..inference.contract import Engine, FittedCurve, Predictor
from ..inference.rounds import POOLING
from ..reading.frames import is_frame, scikit_learn_curve
from ..required import (
    CONFIDENCE,
    RequiredSize,
    add_errors,
    attainable_target,
    remember,
    required_size,
    success_by,
)
from ..scale import UNIT_RANGE, UNIT_SCALE, Range, Scale
from .contract import SettingsEstimator, check_is_fitted, clone
from .saving import read_model, write_model

__all__ = ["BREAKDOWNS", "CurveEstimator", "check_curve", "fit_curves", "fit_together", "to_curve", "wrap_breakdown"]

BREAKDOWNS = (ApexError, ArithmeticError, ValueError)
"""Exceptions of a computation that breaks down on odd numbers; a LinAlgError is a ValueError."""


def fit_curves(engine: Engine, curves: Sequence[LearningCurve]) -> list[FittedCurve | ApexError]:
    """Fit curves together if that goes well; otherwise one by one, so that an odd curve spoils no other."""
    try:
        return [_check_nodes(fit) for fit in engine.fit(list(curves))]
    except BREAKDOWNS as problem:
        if len(curves) > 1:
            return [fit for curve in curves for fit in fit_curves(engine, [curve])]
        return [wrap_breakdown(problem)]


def _check_nodes(fit: FittedCurve) -> FittedCurve | ApexError:
    """Return the fit, or an error where it has no node of finite weight and so could not forecast anything."""
    if fit.posterior is None:
        return fit
    weights = fit.posterior.node_weights
    if weights.size and np.isfinite(weights).all():
        return fit
    return wrap_breakdown(ArithmeticError("no parameters have a finite posterior density"))


def wrap_breakdown(problem: Exception) -> ApexError:
    """Wrap the exception of a computation that broke down in an error of ours, as its cause."""
    if isinstance(problem, ApexError):
        return problem
    error = DataError(
        f"The computation broke down on this curve ({type(problem).__name__}: {problem}). Look for odd scores in it; "
        "if there are none, please report this."
    )
    error.__cause__ = problem
    return error


def check_curve(curve: LearningCurve, engine: Engine) -> None:
    """Refuse a curve of unknown direction, without a trend, better than possible, or that the engine cannot fit."""
    if not isinstance(curve, LearningCurve):
        raise DataError(f"Expected a LearningCurve, got {type(curve).__name__}.")
    ask_for_direction({curve.task: curve})
    pilot = curve.upward.replicates
    if len(pilot.sizes) < engine.fewest_sizes:
        raise TooFewSizesError(
            f"This method needs scores at {engine.fewest_sizes} or more different sizes to see a trend, got "
            f"{len(pilot.sizes)} ({format_some(pilot.sizes)}). Train on a smaller subset as well, or use the default "
            "method, which needs one size."
        )
    best = float(pilot.mean.max())
    if best > engine.ceiling + 1e-12:  # a mean of equal scores may differ from them in the last digit
        higher = curve.direction == "higher"
        bound, reached = (float(curve.from_upward(value)) for value in (engine.ceiling, best))
        raise DataError(
            f"The {'ceiling' if higher else 'floor'} is {bound:g}, but the pilot reaches {reached:g} on average at "
            f"size {pilot.sizes[pilot.mean.argmax()]:g}. Give a "
            f"{'ceiling that no score is above' if higher else 'floor that no score is below'}."
        )
    engine.check(curve)


def to_curve(sizes: Any, scores: ArrayLike | None, split: ArrayLike | None) -> LearningCurve:
    """Make a curve of the arguments of `fit`."""
    if isinstance(sizes, LearningCurve):
        if scores is not None or split is not None:
            raise RequestError("A LearningCurve contains its own scores and splits: pass it on its own.")
        return sizes
    if scores is None:
        if is_frame(sizes):
            return read(sizes).curve
        if scikit_learn_curve(sizes) is not None:
            return LearningCurve.from_sklearn(sizes)
        raise RequestError(
            "Scores are missing. Call fit(sizes, scores), or fit(curve) with a LearningCurve, a data frame or the "
            "result of scikit-learn's learning_curve."
        )
    return LearningCurve(sizes, scores, split)


_MOST_SIZES = 10_000  # of one forecast, which holds thousands of numbers for each


Estimator = TypeVar("Estimator", bound="CurveEstimator")


def _find_standard_error(predictor: Predictor, score: float, of: Quantity, sizes: FloatArray) -> FloatArray:
    """Find the standard error of P(score <= y) for one y at all sizes."""
    return predictor.standard_error(sizes, np.full(len(sizes), score), of)


class CurveEstimator(SettingsEstimator):
    """A method for learning curves, after scikit-learn: settings, `fit`, and questions about the fitted curve."""

    ceiling: float
    floor: float

    curve_: LearningCurve

    @abstractmethod
    def _build_engine(self, direction: Direction, scale: Scale = UNIT_SCALE) -> Engine:
        """Build the engine that the settings describe for such curves; refuses settings that make no sense."""

    def _build_checked_engine(self, direction: Direction = "higher", scale: Scale = UNIT_SCALE) -> Engine:
        """Build the engine; settings on which that breaks down are reported like those that it refuses."""
        try:
            return self._build_engine(direction, scale)
        except ApexError:
            raise
        except UNUSABLE as problem:
            raise RequestError(
                f"The settings of {type(self).__name__} cannot be used ({type(problem).__name__}: {problem}): "
                f"{format_value(self.get_params(deep=False))}."
            ) from problem

    @abstractmethod
    def predict(self, sizes: ArrayLike) -> FloatArray:
        """Expected score at the given sizes."""

    def fit(
        self, sizes: ArrayLike | LearningCurve | Any, scores: ArrayLike | None = None, split: ArrayLike | None = None
    ) -> Self:
        """Fit to a pilot curve.

        Parameters
        ----------
        sizes : array of shape (n,), or a whole curve
            Training-set sizes; the default method needs one, most others three different ones. A whole curve is passed
            on its own: a LearningCurve, a data frame (see `apexgp.read`), or the result of scikit-learn's
            `learning_curve` or its display.
        scores : array of shape (n,) or (n, k)
            Scores in [0, 1], higher being better, as for `LearningCurve`; put others into one, which says what they
            are.
        split : sequence of labels, optional
            Data split of each score; as for `LearningCurve`.

        Returns
        -------
        self
        """
        curve = to_curve(sizes, scores, split)
        engine = self._build_checked_engine(curve.direction, curve.scale)
        check_curve(curve, engine)
        (fit,) = fit_curves(engine, [curve.upward])
        if isinstance(fit, ApexError):
            raise fit
        return self._keep(curve, fit)

    def _keep(self, curve: LearningCurve, fit: FittedCurve) -> Self:
        """Set the learnt attributes, and forget those of an earlier fit."""
        for stale in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, stale)
        # The settings of this fit, whatever is set later.
        self._settings = self.get_params(deep=False)
        self._fit = fit
        self.curve_ = curve
        for name, value in fit.diagnostics.items():
            setattr(self, f"{name}_", value)
        return self

    @cached_property
    def parameters_(self) -> dict[str, float]:
        """Parameters by their published names; worked out when they are asked for."""
        check_is_fitted(self)
        return self._fit.parameters

    @property
    def has_distribution(self) -> bool:
        """Whether the fitted model gives a distribution; one that does not raises `NoForecastError`."""
        check_is_fitted(self)
        return self._fit.has_distribution

    def forecast(self, sizes: ArrayLike, of: Quantity = "new_splits", n_splits: int | None = None) -> Forecast:
        """Forecast the distribution of the score at the given training-set sizes.

        Parameters
        ----------
        sizes
            Training-set sizes.
        of
            What is forecast. "new_splits": the mean score over `n_splits` new splits of the data. "same_splits": the
            mean over the pilot's own splits, continued at larger sizes (what is measured when the same run continues);
            without split labels there is nothing to continue, and it is the same as "new_splits". "expected": the true
            expected score, free of the noise of any split.
        n_splits
            Number of new splits; by default as many as the pilot usually has per size.
        """
        at = self._check_asked(sizes, of, n_splits)
        return self._forecast_unchecked(at, of, n_splits, self._find_cautions(at))

    def _forecast_unchecked(
        self, sizes: FloatArray, of: Quantity, n_splits: int | None = None, cautions: tuple[str, ...] = ()
    ) -> Forecast:
        """Forecast at checked sizes; without cautions, for questions that need many forecasts."""
        return self._forecast_by(self._fit, sizes, of, n_splits, cautions)

    def _forecast_by(
        self,
        predictor: Predictor,
        sizes: FloatArray,
        of: Quantity,
        n_splits: int | None = None,
        cautions: tuple[str, ...] = (),
    ) -> Forecast:
        """Forecast by the fit, or by a finer integral of it."""
        locations, scales, weights = predictor.predict(sizes, of, n_splits)
        along = locations if self.curve_.direction == "higher" else 1 - locations
        counted = of != "expected" and self.curve_.scale.same
        resolution = self._fit.resolution if counted else 0.0
        return Forecast(sizes, along, scales, weights, cautions, self.curve_.scale, resolution)

    def sample_curves(
        self,
        n: int,
        sizes: ArrayLike,
        seed: int | None = None,
        of: Quantity = "expected",
        n_splits: int | None = None,
    ) -> FloatArray:
        """Draw whole curves: scores at all sizes jointly.

        At each single size the draws follow `forecast(sizes, of)`.

        Parameters
        ----------
        n
            How many curves, at most 10^7 / Q.
        sizes
            Training-set sizes, Q of them.
        seed
            Seed of the draws; None for different draws in each call.
        of, n_splits
            What is drawn, as for `forecast`; by default the true expected score.

        Returns
        -------
        array of shape (n, Q)
        """
        at = self._check_asked(sizes, of, n_splits)
        n = check_whole_number("n", n, least=1, most=MOST_DRAWS // len(at))
        return self.curve_.from_upward(self._fit.sample(n, at, of, n_splits, make_generator(seed)))

    def required_size(self, target: float, confidence: float = CONFIDENCE, of: Quantity = "expected") -> RequiredSize:
        """How many training examples reach a target score, and with what probability.

        Parameters
        ----------
        target
            Score to reach; where lower is better, the error rate to come down to.
        confidence
            Probability with which the target should be reached.
        of
            What should meet it, as for `forecast`: by default the true expected score.

        Returns
        -------
        RequiredSize
            With `size`, `median`, `interval`, `prob_reachable` and `already_met`. If no number of examples suffices,
            `size` is `math.inf`.
        """
        check_is_fitted(self)
        return self._required_size_within(self._fit.most_integrals, target, confidence, of)

    def _required_size_within(
        self, most_integrals: int, target: float, confidence: float, of: Quantity
    ) -> RequiredSize:
        """Answer `required_size` from so many integrals at most: fewer where many answers are compared."""
        check_choice("of", of, get_args(Quantity))
        goal = attainable_target(target, self.curve_, self._best_possible)
        asked = goal, check_probability("confidence", confidence), of, most_integrals
        if asked not in self._required_sizes_:
            self._required_sizes_[asked] = self._find_required_size(*asked)
        return self._required_sizes_[asked][0]

    @cached_property
    def _required_sizes_(self) -> dict[tuple[float, float, Quantity, int], tuple[RequiredSize, Predictor]]:
        """Answers that were given, since some take long, and the integrals behind them.

        Forgotten at the next fit, as the trailing underscore says.
        """
        return {}

    def _forecast_behind(self, required: RequiredSize, sizes: FloatArray) -> Forecast:
        """Forecast the true expected score by the integrals behind a required size, so that the two agree."""
        of: Quantity = "expected"
        self.required_size(required.target, required.confidence, of)  # unless this very model has given the answer
        _, predictor = self._required_sizes_[required.target, required.confidence, of, self._fit.most_integrals]
        return self._forecast_by(predictor, sizes, of)

    def _find_required_size(
        self, goal: float, confidence: float, of: Quantity, most: int
    ) -> tuple[RequiredSize, Predictor]:
        """Find a required size, from as many integrals as it takes to know it, or as there may be."""
        pilot_sizes, count = np.unique(self.curve_.sizes), 1
        predictor: Predictor = self._fit
        while True:
            success = remember(success_by(partial(self._forecast_by, predictor, of=of), goal, self.curve_.direction))
            error = partial(_find_standard_error, predictor, goal, of)
            found, exactness = add_errors(
                required_size(success, pilot_sizes, goal, confidence), success, error, pilot_sizes
            )
            if exactness.excess <= 1 or count >= most:
                break
            # Errors shrink with the root of the number; those that are judged anew need not come out as expected.
            count = int(min(max(count * exactness.excess**2, 2 * count, POOLING.fewest), most))
            predictor = predictor.pool_integrals(count)
        answer = self._add_cautions(found)
        if not found.is_open:
            return answer, predictor
        undecided = find_undecided_cautions(found.prob_reachable, exactness.limit_error, confidence)
        return replace(answer, cautions=answer.cautions + undecided), predictor

    def _add_cautions(self, found: RequiredSize) -> RequiredSize:
        # Where no size suffices, the cautions are those for sizes beyond the pilot; else for the size that is printed.
        printed = found.rounded_size if found.is_known else found.rounded_range[0]
        asked = printed if found.is_realistic else 2 * self.curve_.largest
        return replace(found, cautions=self._find_cautions(np.array([float(asked)])))

    def _find_cautions(self, sizes: FloatArray) -> tuple[str, ...]:
        """Find the reasons to doubt a forecast at these sizes."""
        return self._pilot_cautions_ + find_forecast_cautions(sizes, self.curve_.replicates) + self._fit.cautions(sizes)

    @cached_property
    def _pilot_cautions_(self) -> tuple[str, ...]:
        """Cached until the next fit, as the trailing underscore says."""
        return find_pilot_cautions(self.curve_)

    def _check_asked(self, sizes: ArrayLike, of: Quantity, n_splits: int | None) -> FloatArray:
        """Check the arguments of a forecast, and return the sizes as an array."""
        check_is_fitted(self)
        check_choice("of", of, get_args(Quantity))
        if n_splits is not None:
            check_whole_number("n_splits", n_splits, least=1)
            if of != "new_splits":
                raise RequestError(f"applies to of='new_splits', got of={of!r}.", argument="n_splits")
        at = check_sizes("sizes", sizes)
        if len(at) > _MOST_SIZES:
            raise RequestError(
                f"must be at most {_MOST_SIZES:,} in one forecast, got {len(at):,}. Ask for fewer at a time.",
                argument="sizes",
            )
        return at

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the data, the settings and the seed of this fitted model as JSON."""
        check_is_fitted(self)
        write_model(path, type(self).__name__, self._settings, self.curve_, self.parameters_, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a saved model and fit it again, which gives the same numbers.

        Warns if this version of apexgp, or of the libraries under it, finds parameters that differ from the saved ones.
        """
        saved = read_model(path, cls.__name__)
        try:
            model = cls(**saved.settings)
        except TypeError as problem:
            raise saved.damage_error(problem) from None
        try:
            model.fit(saved.curve)
        except ApexError as problem:
            raise saved.damage_error(problem) from problem
        saved.warn_if_different(model.parameters_)
        return model

    def _check_bounds(self, between: Range = UNIT_RANGE) -> tuple[float, float]:
        """Check floor and ceiling for scores in a range; 0 and 1, the defaults, stand for the ends of any range."""
        ceiling, floor = check_real_number("ceiling", self.ceiling), check_real_number("floor", self.floor)
        low, high = between
        floor, ceiling = low if floor == 0 else floor, high if ceiling == 1 else ceiling
        if not low < ceiling <= high:
            hint = (
                f" Write {ceiling / 100:g} for {ceiling:g} %." if between == UNIT_RANGE and 1 < ceiling <= 100 else ""
            )
            raise RequestError(
                f"must be above {low:g} and {f'at most {high:g}' if math.isfinite(high) else 'finite'}, got "
                f"{ceiling:g}.{hint}",
                argument="ceiling",
            )
        if not low <= floor < ceiling:
            raise RequestError(
                f"must be {f'at least {low:g} and ' if math.isfinite(low) else ''}below the ceiling {ceiling:g}, got "
                f"{floor:g}.",
                argument="floor",
            )
        return floor, ceiling

    def _check_upward_bounds(self, direction: Direction, scale: Scale = UNIT_SCALE) -> tuple[float, float]:
        """Check floor and ceiling, and convert them to the values that engines see."""
        floor, ceiling = (float(scale.inside(bound)) for bound in self._check_bounds(scale.range))
        return (floor, ceiling) if direction == "higher" else (1 - ceiling, 1 - floor)

    @property
    def _best_possible(self) -> float:
        """The best score that the settings allow on the curve."""
        floor, ceiling = self._check_bounds(self.curve_.range)
        return ceiling if self.curve_.direction == "higher" else floor


def fit_together(
    settings: Estimator, curves: Sequence[LearningCurve], engine: Engine | None = None
) -> list[Estimator | ApexError]:
    """Fit many curves with the same settings, in one go where they can be computed together.

    Parameters
    ----------
    settings, curves
        An estimator, and what to fit it to.
    engine
        In place of the one that the settings ask for.

    Returns
    -------
    list
        For each curve a fitted estimator, or the error that says why there is none.
    """
    # By floor and ceiling: curves that differ otherwise share an engine.
    engines: dict[tuple[float, float], Engine] = {}
    found: dict[int, Estimator | ApexError] = {}
    accepted: dict[tuple[float, float], list[int]] = {}
    kinds: list[tuple[Direction, Scale]] = [
        (curve.direction, curve.scale) if isinstance(curve, LearningCurve) else ("higher", UNIT_SCALE)
        for curve in curves
    ]
    settings._build_checked_engine(*(kinds[0] if kinds else ()))  # refuses settings that are wrong for any curve
    for i, (curve, kind) in enumerate(zip(curves, kinds, strict=True)):
        try:
            group = settings._check_upward_bounds(*kind)
            if group not in engines:
                engines[group] = engine or settings._build_checked_engine(*kind)
            check_curve(curve, engines[group])
            accepted.setdefault(group, []).append(i)
        except ApexError as problem:
            found[i] = problem
    for group, members in accepted.items():
        for i, fit in zip(members, fit_curves(engines[group], [curves[i].upward for i in members]), strict=True):
            found[i] = fit if isinstance(fit, ApexError) else clone(settings)._keep(curves[i], fit)
    return [found[i] for i in range(len(curves))]
