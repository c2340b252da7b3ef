"""What may be known of scores beside themselves: training scores, test cases, runs averaged over and their spread."""

from __future__ import annotations

import math
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import FloatArray, check_finite_array, check_real_array, check_whole_number, format_some
from ..errors import DataError, RequestError
from ..scale import UNIT_RANGE, Range, format_range

__all__ = ["BY_SCORE", "SEVERAL", "RunCount", "check_run_count", "checked_details", "interpolated", "largest_sd"]

BY_SCORE = ("train_scores", "n_test", "score_sd")
"""Details that are arrays with one number per score, NaN where it is not known."""


SEVERAL: Final = "several"
"""The number of runs behind a score that is known to be a mean, but not over how many."""
RunCount = int | Literal["several"]


def check_run_count(value: Any) -> RunCount:
    """Check how many runs a score averages: a whole number, or the word for an unknown number."""
    if not isinstance(value, str):
        return check_whole_number("averaged_over", value, least=1)
    if value != SEVERAL:
        raise RequestError(
            f"must be a whole number, or {SEVERAL!r} for means over an unknown number of runs, got {value!r}.",
            argument="averaged_over",
        )
    return SEVERAL


def largest_sd(between: Range) -> float:
    """The largest standard deviation of scores in a range: that of two runs, one perfect and the other the worst."""
    return math.sqrt(0.5) * (between[1] - between[0])


def checked_details(
    scores: FloatArray,
    between: Range,
    *,
    train_scores: ArrayLike | None,
    n_test: ArrayLike | None,
    averaged_over: RunCount | None,
    score_sd: ArrayLike | None,
) -> tuple[dict[str, FloatArray | None], RunCount | None]:
    """The details by score, each of the shape of `scores` or None where nothing is known, and the number of runs."""
    given = {
        "train_scores": None if train_scores is None else _of_shape("train_scores", train_scores, scores, single=False),
        "n_test": None if n_test is None else _of_shape("n_test", n_test, scores),
        "score_sd": None if score_sd is None else _of_shape("score_sd", score_sd, scores),
    }
    if given["train_scores"] is not None:
        _check_training(check_finite_array("train_scores", given["train_scores"]), between)
    if given["n_test"] is not None:
        _check_range("n_test", given["n_test"], 1, math.inf, "numbers of test cases, at least 1, or NaN where unknown")
    if given["score_sd"] is not None:
        wanted = f"standard deviations of scores in {format_range(between)}"
        _check_range("score_sd", given["score_sd"], 0, largest_sd(between), wanted)
    runs = None if averaged_over is None else check_run_count(averaged_over)
    spread = given["score_sd"]
    if runs == 1 and spread is not None and not np.isnan(spread).all():
        raise DataError(
            "applies to means over 2 or more runs: a single run has no standard deviation, but averaged_over is 1.",
            argument="score_sd",
        )
    return given, runs


def _check_training(scores: FloatArray, between: Range) -> None:
    outside = scores[(scores < between[0]) | (scores > between[1])]
    if outside.size:
        per_cent = between == UNIT_RANGE and ((outside > 1) & (outside <= 100)).all()
        hint = (
            f" Are these percentages? Divide by 100: {outside[0]:g} becomes {outside[0] / 100:g}." if per_cent else ""
        )
        raise DataError(
            f"must lie in {format_range(between)}, got {format_some(outside)}: they use the same metric as the "
            f"scores.{hint}",
            argument="train_scores",
        )


def _of_shape(name: str, values: ArrayLike, scores: FloatArray, *, single: bool = True) -> FloatArray:
    array = check_real_array(name, values, error=DataError)
    if single and array.ndim == 0:
        return np.full(scores.shape, float(array))
    if array.shape != scores.shape:
        either = "be one number, or " if single else ""
        raise DataError(
            f"must {either}have the shape of scores, {scores.shape}, got {array.shape}. Write NaN where it is not "
            "known.",
            argument=name,
        )
    return array


def _check_range(name: str, values: FloatArray, least: float, most: float, wanted: str) -> None:
    wrong = np.unique(values[(values < least) | (values > most) | np.isinf(values)])
    if wrong.size:
        per_cent = name == "score_sd" and (wrong > 0).all() and np.isfinite(wrong).all() and most < 1
        hint = f" Are these percentages? Divide by 100: {wrong[0]:g} becomes {wrong[0] / 100:g}." if per_cent else ""
        raise DataError(f"must be {wanted}, got {format_some(wrong)}.{hint}", argument=name)


def interpolated(at: FloatArray, sizes: FloatArray, values: FloatArray) -> FloatArray:
    """A detail at other sizes, straight over log size between those where it is known; NaN where it is nowhere."""
    known: NDArray[np.bool_] = ~np.isnan(values)
    if not known.any():
        return np.full(at.shape, np.nan)
    return np.interp(np.log(at), np.log(sizes[known]), values[known])
