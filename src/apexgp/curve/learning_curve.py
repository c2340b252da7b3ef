"""Learning curves, the measurements that everything else starts from: (training size, score) pairs with splits."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._answer import Answer, ColumnData, SummaryTable
from .._check import (
    UNUSABLE,
    FloatArray,
    check_choice,
    check_finite_array,
    check_instance,
    check_real_array,
    check_sizes,
    check_text,
    check_whole_number,
    format_some,
    format_value,
)
from .._numbers import format_count, format_score, format_size
from ..errors import DataError, MissingScoresWarning, RequestError, warn
from ..files.writing import write_text
from ..learners import check_learner
from ..reading.files import as_csv
from ..reading.frames import scikit_learn_curve
from ..reading.known_metrics import UNNAMED
from ..reading.measure import share_kept, unit_label
from ..reading.names import (
    PROBLEM_COUNTS,
    check_within,
    is_negated,
    known_metric,
    metric_name,
    range_and_direction,
)
from ..reading.score_details import BY_SCORE, SEVERAL, RunCount, checked_details
from ..scale import UNIT_RANGE, UNIT_SCALE, Range, Scale, check_range, format_range, make_scale, range_to_text

__all__ = ["Direction", "LearningCurve", "Replicates", "build_curve_columns", "build_detail_columns"]

# Columns of a file of curves with details of the scores, and the attributes that hold them.
_DETAILS = {
    "train_score": "train_scores",
    "score_sd": "score_sd",
    "n_test": "n_test",
    "averaged_over": "averaged_over",
}

_BEYOND_TREND = 3.0  # standard errors of the slope
_BEYOND_SPREAD = 2.0  # standard errors of the difference between the ends
_SPREADS_SHOWN = 4.0  # standard deviations of the scores at a size, which an interval of them is wide
_LEAST_FALL = 0.05  # of the distance from the nearer end of [0, 1]

Direction = Literal["higher", "lower"]
EachColumn = Literal["split", "model"]


@dataclass(frozen=True)
class Replicates:
    """Scores collapsed by size: distinct sizes in rising order; mean, spread (0 for one score) and count of each."""

    sizes: FloatArray
    mean: FloatArray
    std: FloatArray
    count: NDArray[np.int64]

    @property
    def trend(self) -> tuple[float, float]:
        """Slope of the mean scores over log size, and its standard error.

        A line fits any two means: the error then follows from the spread of the scores, and is infinite where that is
        not known. So is that of the slope 0 at a single size.
        """
        if len(self.sizes) == 1:
            return 0.0, math.inf
        x = np.log(self.sizes) - np.log(self.sizes).mean()
        slope = float(x @ self.mean / (x @ x))
        if len(x) == 2:
            known = self.spread * float(np.sqrt(x**2 @ (1 / self.count))) / float(x @ x)
            return slope, known or math.inf
        residual = self.mean - self.mean.mean() - slope * x
        return slope, float(np.sqrt(residual @ residual / (len(x) - 2) / (x @ x)))

    @property
    def spread(self) -> float:
        """Standard deviation of the scores at a size, pooled over sizes; 0 where there is one at each."""
        freedom = self.count - 1
        return float(np.sqrt((freedom * self.std**2).sum() / freedom.sum())) if freedom.sum() else 0.0

    @property
    def falls_clearly(self) -> bool:
        """Whether scores in [0, 1] fall over all sizes, and by more than noise does.

        Either a line through the means falls by several of its standard errors, or every mean is below the one before
        and the whole fall is beyond the spread of the scores. What counts as a fall is relative to the nearer end of
        [0, 1]: error rates of 0.01 may well halve.
        """
        if len(self.sizes) < 2:
            return False
        fall = float(self.mean[0] - self.mean[-1])
        slope, error = self.trend
        noise = self.spread * math.sqrt(1 / self.count[0] + 1 / self.count[-1])
        steady = bool((np.diff(self.mean) < 0).all()) and fall > _BEYOND_SPREAD * noise
        least = _LEAST_FALL * min(float(self.mean[0]), 1 - float(self.mean[-1]))
        return fall > least and (steady or slope < -_BEYOND_TREND * error)

    @property
    def rises_clearly(self) -> bool:
        """Whether scores in [0, 1] rise over all sizes, and by more than noise does."""
        return replace(self, mean=1 - self.mean).falls_clearly


@dataclass(frozen=True, eq=False, repr=False, init=False)
class LearningCurve(Answer):
    """Scores measured at several training-set sizes; immutable, every row kept.

    Parameters
    ----------
    sizes : array of shape (n,)
        Number of training examples behind each score. Repeated sizes are replicates.
    scores : array of shape (n,) or (n, k)
        Scores, finite and within `range`. A table with one row per size and one column per split is accepted too: this
        is the shape of the `test_scores` that scikit-learn's `learning_curve` returns. Its NaN cells are left out, with
        a warning.
    split : sequence of labels, optional
        Which data split each score comes from (for a table: one label per column, by default 0, 1, ...). The same label
        is the same split at every size. None: the replicates are independent.
    metric, task : str, optional
        What was measured, and on which task; used in tables and pictures, which write the metric as people do: see
        `metric_name`.
    direction : {"higher", "lower"}, optional
        Which way is better. By default "lower" for a metric whose name says that it is a loss, such as an error rate or
        a log loss, and for an unknown metric whose `range` has no upper bound; otherwise "higher". Forecasts come back
        in the direction of the scores.
    range : pair of numbers, optional
        The lowest and the highest value that a score can take; one of them may be infinite. By default that of the
        metric, if it is a known one: (-1, 1) for MCC, (0, inf) for a log loss, (-inf, 1) for R2; otherwise (0, 1).
        Forecasts, targets and errors are on the scale of the scores, whatever it is.
    unit : str
        What a size counts, in the plural, as worded in answers: "patients", "images". It is only a label. "rows" are
        training examples one by one.
    train_scores : array of the shape of `scores`, optional
        The score on the training examples themselves: the same metric, in the same direction. NaN where unknown.
    n_test : number, or array of the shape of `scores`, optional
        Number of test cases behind a score. NaN where unknown.
    averaged_over : int or "several", optional
        Number of runs that each score averages; "several" for means over an unknown number of runs. None: one run, or,
        where `score_sd` is given, an unknown number.
    score_sd : number, or array of the shape of `scores`, optional
        Standard deviation of the runs behind each score, where that is a mean. NaN where unknown. Give their number
        with `averaged_over`; a forecast carries a caution where it is missing.
    test_share : float, optional
        Share of the collected data that is withheld from training, for validation and test: 0.2 for 8:1:1. Answers then
        give the total needed.
    learner : str, optional
        The kind of learner: "linear", "naive_bayes", "discriminant", "neighbours", "trees", "boosting" or
        "neural_network". `APExGP` then takes its priors for that kind, where it has any, unless it is told otherwise.
    n_features : int, optional
        Number of features that the classifier sees, after encoding: columns of a table, width of an embedding. Priors
        may go by it for kinds of learner that improve until there are many more examples than features.
    n_classes : int, optional
        Number of classes. Priors may go by it where there are few examples of each.

    Notes
    -----
    What is known about each score is kept as an array with one entry per score, whatever shape it came in;
    `train_scores`, `n_test` and `score_sd` are None where they are not known of any.

    Examples
    --------
    >>> LearningCurve([60, 60, 120, 240], [0.71, 0.73, 0.76, 0.80], metric="auroc")
    LearningCurve(4 scores at 3 sizes from 60 to 240, metric='auroc')
    """

    sizes: FloatArray
    scores: FloatArray
    split: NDArray[Any] | None
    metric: str
    task: str | None
    direction: Direction
    range: Range
    unit: str
    train_scores: FloatArray | None
    n_test: FloatArray | None
    averaged_over: RunCount | None
    score_sd: FloatArray | None
    test_share: float | None
    learner: str | None
    n_features: int | None
    n_classes: int | None

    # Written out, since it accepts more than the fields hold: whatever can become an array.
    def __init__(
        self,
        sizes: ArrayLike,
        scores: ArrayLike,
        split: ArrayLike | None = None,
        *,
        metric: str = UNNAMED,
        task: str | None = None,
        direction: Direction | None = None,
        range: Range | None = None,
        unit: str = "rows",
        train_scores: ArrayLike | None = None,
        n_test: ArrayLike | None = None,
        averaged_over: RunCount | None = None,
        score_sd: ArrayLike | None = None,
        test_share: float | None = None,
        learner: str | None = None,
        n_features: int | None = None,
        n_classes: int | None = None,
    ) -> None:
        if direction is not None:
            check_choice("direction", direction, get_args(Direction))
        unit = unit_label(unit)
        test_share = None if test_share is None else share_kept(test_share)
        learner = None if learner is None else check_learner(learner, error=DataError)
        problem = {
            name: None
            if value is None
            else check_whole_number(name, value, least=PROBLEM_COUNTS[name], error=DataError)
            for name, value in (("n_features", n_features), ("n_classes", n_classes))
        }
        metric = check_text("metric", metric, error=DataError)
        task = None if task is None else check_text("task", task, error=DataError)
        at, measured = check_sizes("sizes", sizes, error=DataError), check_finite_array("scores", scores)
        usual_range, usual_direction = range_and_direction(metric, measured)
        between = usual_range if range is None else check_range(range, error=DataError)
        if direction is None:
            self.__dict__["direction_stated"] = False
            ended = known_metric(metric) is None and math.isinf(
                between[1]
            )  # a metric with one finite end is best there
            direction = "lower" if ended else usual_direction
        check_within("scores", measured, between, metric, stated=range is not None)
        given = {"train_scores": train_scores, "n_test": n_test, "score_sd": score_sd}
        details: dict[str, FloatArray | None] = dict.fromkeys(given)
        if averaged_over is not None or any(values is not None for values in given.values()):
            details, averaged_over = checked_details(measured, between, averaged_over=averaged_over, **given)
        labels = None if split is None else _check_labels(split)
        if measured.ndim == 2:
            there = ~np.isnan(measured)
            details = {name: None if values is None else values[there] for name, values in details.items()}
            at, measured, labels = _unstack(at, measured, labels)
        elif measured.ndim != 1:
            raise DataError(f"scores must have one or two dimensions, got shape {measured.shape}.")
        if at.shape != measured.shape:
            raise DataError(f"Need one score for each size, got {at.size} sizes and {measured.size} scores.")
        if np.isnan(measured).any():
            rows = np.flatnonzero(np.isnan(measured))
            raise DataError(
                f"scores must not be NaN, got NaN in row {format_some(rows)} (counting from 0). Leave such rows out."
            )
        if labels is not None:
            _check_splits(at, labels)
        known = {name: None if values is None or np.isnan(values).all() else values for name, values in details.items()}
        arrays = {"sizes": at, "scores": measured, "split": labels, **known}
        for array in arrays.values():
            if array is not None:
                array.flags.writeable = False
        words: dict[str, Any] = {"metric": metric, "task": task, "direction": direction, "range": between, "unit": unit}
        words |= {"averaged_over": averaged_over, "test_share": test_share, "learner": learner, **problem}
        for name, value in {**arrays, **words}.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        distinct = np.unique(self.sizes)
        ends = f"from {distinct[0]:g} to {distinct[-1]:g}"
        at = f"{len(distinct)} sizes {ends}" if len(distinct) > 1 else f"size {distinct[0]:g}"
        facts = [f"{format_count(len(self), 'score')} at {at}"]
        if self.split is not None:
            splits = len(set(self.split.tolist()))
            facts.append(f"{splits} split{'s' if splits > 1 else ''}")
        facts.append(f"metric={self.metric!r}")
        if self.task is not None:
            facts.append(f"task={self.task!r}")
        usual_range, usual_direction = range_and_direction(self.metric, self.scores)
        if self.direction == "lower" or self.direction != usual_direction:
            facts.append(f"direction={self.direction!r}")
        if self.range != usual_range:
            facts.append(f"range=({self.range[0]:g}, {self.range[1]:g})")
        if self.unit != "rows":
            facts.append(f"unit={self.unit!r}")
        if self.averaged_over is not None:
            facts.append(f"averaged_over={self.averaged_over!r}")
        facts += [
            f"{name}={value!r}" for name in ("learner", *PROBLEM_COUNTS) if (value := getattr(self, name)) is not None
        ]
        known = [name for name in BY_SCORE if getattr(self, name) is not None]
        if known:
            facts.append(f"with {', '.join(known)}")
        return f"LearningCurve({', '.join(facts)})"

    @property
    def metric_name(self) -> str:
        """The metric as people write it: AUROC for auroc, roc_auc or AUC; an unknown one as it was given."""
        name = metric_name(self.metric)
        return f"negative {name}" if is_negated(self.metric) and self.range[1] == 0 else name

    @property
    def unit_name(self) -> str:
        """The things that a size counts, as people write them: examples for rows, anything else as it was given."""
        return "examples" if self.unit == "rows" else self.unit

    @property
    def is_mean_of_unknown_count(self) -> bool:
        """Whether each score is a mean over runs, and nobody has said over how many."""
        return self.averaged_over == SEVERAL or (self.averaged_over is None and self.score_sd is not None)

    @property
    def known_run_count(self) -> int:
        """Number of runs that each score averages, as far as it is known: 1 for a mean over an unknown number."""
        return self.averaged_over if isinstance(self.averaged_over, int) else 1

    @cached_property
    def direction_stated(self) -> bool:
        """Whether the direction was given, rather than taken from the metric."""
        return True  # also for curves made from others; the constructor stores False where no direction was given

    @cached_property
    def direction_in_doubt(self) -> bool:
        """Whether whoever gave the scores has to say which way is better; fits refuse the curve until then."""
        return False  # the reader of tables stores True: see `_find_in_doubt`

    @cached_property
    def scale(self) -> Scale:
        """The map between these scores and [0, 1], where engines work; the identity for scores that lie there."""
        known = known_metric(self.metric)
        logarithmic = known is not None and known.logarithmic and self.range == known.range
        if self.range == UNIT_RANGE:
            return UNIT_SCALE
        return make_scale(self.range, self.sizes, self.scores, logarithmic=logarithmic)

    def on(self, scale: Scale) -> LearningCurve:
        """Copy the curve, with the scale of another one with the same range for engines to use."""
        check_instance("scale", scale, Scale, "the scale of a curve")
        if scale.range != self.scale.range:
            raise RequestError(
                f"must be that of a curve with the same range, {format_range(self.scale.range)}, got "
                f"{format_range(scale.range)}.",
                argument="scale",
            )
        same = replace(self)
        same.__dict__.update(scale=scale, direction_stated=self.direction_stated)
        return same

    @property
    def upward(self) -> LearningCurve:
        """The curve that models are fitted to: in [0, 1], and higher is better."""
        is_upward = self.direction == "higher" and (self.scale is UNIT_SCALE or self.scale.same)
        return self if is_upward else self._as_upward_curve

    @cached_property
    def _as_upward_curve(self) -> LearningCurve:
        train = None if self.train_scores is None else self.as_upward(self.train_scores)
        spread = self.score_sd
        if spread is not None and not self.scale.same:
            spread = spread * np.exp(self.scale.log_slope(self.scores))
        return replace(
            self,
            scores=self.as_upward(self.scores),
            train_scores=train,
            score_sd=spread,
            direction="higher",
            range=UNIT_RANGE,
        )

    def as_upward(self, scores: ArrayLike) -> FloatArray:
        """Convert scores of this curve's kind to the values that engines see."""
        return self.scale.inside(scores, turned=self.direction == "lower")

    def from_upward(self, values: ArrayLike) -> FloatArray:
        """Convert values of engines back to scores of this curve's kind."""
        return self.scale.outside(values, turned=self.direction == "lower")

    @cached_property
    def replicates(self) -> Replicates:
        """Mean, spread and count of the scores at each distinct size, in rising order of size."""
        # Rows are sorted by score too, so that their order cannot change the last digit.
        order = np.lexsort((self.scores, self.sizes))
        distinct, start, count = np.unique(self.sizes[order], return_index=True, return_counts=True)
        groups = np.split(self.scores[order], start[1:])
        mean = np.array([group.mean() for group in groups])
        std = np.array([group.std(ddof=1) if group.size > 1 else 0.0 for group in groups])
        return Replicates(distinct, mean, std, count)

    @property
    def largest(self) -> float:
        """The largest size."""
        return float(self.sizes.max())

    @property
    def decimals(self) -> int:
        """How many decimals its mean scores are printed with: see `Scale.count_decimals`."""
        return self.scale.count_decimals(_SPREADS_SHOWN * self.replicates.spread)

    def up_to(self, size: float) -> LearningCurve:
        """The measurements at sizes no larger than `size`."""
        return self._rows(self.sizes <= _check_bound(size))

    def beyond(self, size: float) -> LearningCurve:
        """The measurements at sizes larger than `size`."""
        return self._rows(self.sizes > _check_bound(size))

    def _rows(self, chosen: NDArray[np.bool_]) -> LearningCurve:
        by_score = {name: getattr(self, name) for name in ("sizes", "scores", "split", *BY_SCORE)}
        rows: dict[str, Any] = {name: array[chosen] for name, array in by_score.items() if array is not None}
        some_rows = replace(self, **rows)
        some_rows.__dict__.update(direction_stated=self.direction_stated, direction_in_doubt=self.direction_in_doubt)
        return some_rows

    @classmethod
    def from_sklearn(
        cls,
        result: Any,
        *,
        metric: str | None = None,
        direction: Direction | None = None,
        range: Range | None = None,
        unit: str = "rows",
    ) -> LearningCurve:
        """Take test and training scores from scikit-learn's `learning_curve`, or from a `LearningCurveDisplay`.

        Parameters
        ----------
        result
            What `learning_curve` returned, or the display.
        metric
            What was measured; by default what a display says.
        direction, range, unit
            As for `LearningCurve`. Scores that scikit-learn calls `neg_...`, which are below 0, are turned into losses,
            for which lower is better.
        """
        found = scikit_learn_curve(result)
        if found is None:
            raise DataError(
                "Expected what scikit-learn's learning_curve returns, or a LearningCurveDisplay, got "
                f"{format_value(result)}."
            )
        sizes, scores, train_scores, name, loss = found
        return cls(
            sizes,
            scores,
            train_scores=train_scores,
            metric=(name or UNNAMED) if metric is None else metric,
            direction="lower" if loss and direction is None else direction,
            range=range,
            unit=unit,
        )

    cautions = ()

    def _columns(self) -> ColumnData:
        return build_curve_columns([self])

    def shown(self) -> SummaryTable:
        """Mean and spread of the scores at each size."""
        pilot = self.replicates
        rows = [
            (format_size(size), format_score(mean, self.decimals), f"{std:.2g}" if count > 1 else "-", str(count))
            for size, mean, std, count in zip(pilot.sizes, pilot.mean, pilot.std, pilot.count.tolist(), strict=True)
        ]
        title = f"Learning curve: {self.metric_name}" + ("" if self.task is None else f", {self.task}")
        return SummaryTable(title, ("size", "mean", "sd", "scores"), rows)

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the rows as they were given, with all that is known about the curve: see `build_curve_columns`."""
        write_text(path, as_csv(build_curve_columns([self])), overwrite=overwrite)


def build_curve_columns(curves: Iterable[LearningCurve]) -> dict[str, list[Any]]:
    """Make the columns of one table of curves: size, score, metric, direction, unit, and whatever else is known of any.

    This is what every file of curves holds, and what `apexgp.read` takes back.
    """
    about = ("task", "metric", "direction", "unit", "test_share", "learner", *PROBLEM_COUNTS)
    columns: dict[str, list[Any]] = {name: [] for name in ("size", "score", "split", *_DETAILS, *about, "range")}
    for curve in curves:
        columns["size"] += [int(s) if s.is_integer() else s for s in curve.sizes.tolist()]
        columns["score"] += curve.scores.tolist()
        columns["split"] += [None] * len(curve) if curve.split is None else curve.split.tolist()
        known = build_detail_columns(curve)
        for name in _DETAILS:
            columns[name] += known.get(name, [None] * len(curve))
        for name in about:
            columns[name] += [getattr(curve, name)] * len(curve)
        usual_range, _ = range_and_direction(curve.metric, curve.scores)
        stated = None if curve.range == usual_range else range_to_text(curve.range)
        columns["range"] += [stated] * len(curve)
    bare = [
        n
        for n in ("split", "task", *_DETAILS, "test_share", "learner", *PROBLEM_COUNTS, "range")
        if all(value is None for value in columns[n])
    ]
    return {name: column for name, column in columns.items() if name not in bare}


def build_detail_columns(curve: LearningCurve) -> dict[str, list[float | str | None]]:
    """Make the columns of a curve's file that hold details of its scores; None where a number is not known."""
    columns: dict[str, list[float | str | None]] = {}
    for name, attribute in _DETAILS.items():
        values = getattr(curve, attribute)
        if isinstance(values, int | str):
            columns[name] = [values] * len(curve)
        elif values is not None:
            numbers = values.tolist()
            columns[name] = [None if math.isnan(x) else int(x) if x > 1 and x.is_integer() else x for x in numbers]
    return columns


def _check_bound(size: float) -> float:
    bound = check_real_array("size", size)
    if bound.ndim or np.isnan(bound):
        raise RequestError(f"must be one number, got {format_value(size)}.", argument="size")
    return float(bound)


def _check_labels(split: ArrayLike) -> NDArray[Any]:
    """One label per score, each as it was given."""
    try:
        # As objects, so that 1 and "1" stay two labels.
        labels = np.array(list(np.asarray(split, dtype=object)), dtype=object)
        texts = [str(label) for label in labels if hash(label) is not None]
        if labels.ndim != 1:
            raise TypeError
    except UNUSABLE:
        raise DataError(
            f"must be a list with one label for each score, got {format_value(split)}.", argument="split"
        ) from None
    empty = [i for i, text in enumerate(texts) if text in ("", "None", "nan", "NaT", "<NA>")]
    if empty:
        raise DataError(
            f"split has no label in row {format_some(empty)} (counting from 0). Label every row, or omit split if the "
            "replicates are independent."
        )
    return labels


def _check_splits(sizes: FloatArray, split: NDArray[Any]) -> None:
    """Refuse labels that are not as many as the scores, or a split that is measured twice at a size."""
    if split.shape != sizes.shape:
        raise DataError(f"Need one split label for each score, got {split.size} labels and {sizes.size} scores.")
    (size, label), count = Counter(zip(sizes.tolist(), split.tolist(), strict=True)).most_common(1)[0]
    if count > 1:
        raise DataError(
            f"Split {label!r} has {count} scores at size {size:g}. A split is measured once at each size: number the "
            "splits differently, or omit split if the replicates are independent."
        )


def _unstack(
    sizes: FloatArray, table: FloatArray, labels: NDArray[Any] | None
) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
    """Rows of a table with one row per size and one column per split."""
    height, width = table.shape
    if sizes.size != height:
        raise DataError(f"A table of scores needs one row per size, got {sizes.size} sizes and {height} rows.")
    if labels is None:
        labels = np.arange(width)
    elif labels.size != width:
        raise RequestError(
            f"A table of scores needs one split label per column, got {labels.size} for {width} columns."
        )
    measured = ~np.isnan(table)
    if not measured.all():
        warn(
            f"{(~measured).sum()} of {measured.size} scores in the table are NaN and were left out.",
            MissingScoresWarning,
        )
    row, column = np.nonzero(measured)
    if row.size == 0:
        raise DataError("The table contains no numeric score.")
    return sizes[row], table[measured], labels[column]
