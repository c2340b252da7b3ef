"""How forecasts fared, as the paper counts it: figures of one curve at the sizes held out, with their deviations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .. import metrics
from .._check import (
    FloatArray,
    check_list,
    check_positive,
    check_real_array,
    check_real_number,
    check_unit_scores,
    check_whole_number,
    format_value,
    make_generator,
)
from ..errors import DataError, RequestError
from ..forecast import Forecast

__all__ = ["bootstrapped_likelihood", "dense_coverage", "uniform_likelihood"]


def bootstrapped_likelihood(
    forecast: Forecast, scores: Sequence[ArrayLike], delta: float = 0.01, *, rounds: int = 500, seed: int = 0
) -> tuple[float, float]:
    """Quantized likelihood of a forecast, with the deviation that the choice of splits gives it.

    Each round resamples the splits, with replacement and at each size separately, averages their scores, and takes the
    probability of that mean, give or take `delta`, averaged over the sizes.

    Parameters
    ----------
    forecast
        A distribution for each size.
    scores
        The scores of the splits, for each size of the forecast.
    delta
        Half the width of the interval around a mean score.
    rounds
        How many.
    seed
        Of the draws: with the same one, methods are judged by the same rounds.

    Returns
    -------
    mean, standard deviation
        Over the rounds.
    """
    means = _resampled_means(scores, rounds, seed)
    likelihood = metrics.quantized_likelihood(forecast, means, delta, axis=1)
    return float(likelihood.mean()), float(likelihood.std())


def uniform_likelihood(lowest: float, ceiling: float, delta: float = 0.01) -> float:
    """Quantized likelihood of the baseline: all scores from the pilot's lowest mean to the ceiling equally probable.

    As in the paper's table, it is that of a score within these bounds by `delta` or more.
    """
    least, most = check_real_number("lowest", lowest), check_real_number("ceiling", ceiling)
    if not least < most:
        raise RequestError(f"must be below the ceiling {most:g}, got {least:g}.", argument="lowest")
    return min(1.0, 2 * check_positive("delta", delta) / (most - least))


def dense_coverage(
    interval: tuple[float, float], scores: ArrayLike, group: int = 3, *, rounds: int = 500, seed: int = 0
) -> tuple[float, float]:
    """Share of mean scores that an interval covers, from many runs at one size.

    Each round shuffles the runs into groups, averages each group, and takes the share of the means inside.

    Parameters
    ----------
    interval
        Its ends.
    scores
        One for each run. Runs left over when they are divided into groups sit out a round.
    group
        Number of runs per mean.
    rounds, seed
        As above.

    Returns
    -------
    mean, standard deviation
        Over the rounds.
    """
    runs, rng = check_unit_scores("scores", scores).ravel(), make_generator(seed)
    size, rounds = check_whole_number("group", group, least=1), check_whole_number("rounds", rounds, least=1)
    if len(runs) < size or np.isnan(runs).any():
        raise DataError(f"must contain {size} runs or more, without NaN, got {len(runs)}.", argument="scores")
    ends = check_real_array("interval", interval)
    if ends.shape != (2,):
        raise RequestError(f"must be two ends, got {format_value(interval)}.", argument="interval")
    lower, upper = ends
    groups = len(runs) // size
    shuffled = rng.permuted(np.tile(runs, (rounds, 1)), axis=1)[:, : groups * size]
    means = shuffled.reshape(rounds, groups, size).mean(axis=2)
    held = ((means >= lower) & (means <= upper)).mean(axis=1)
    return float(held.mean()), float(held.std())


def _resampled_means(scores: Sequence[ArrayLike], rounds: int, seed: int) -> FloatArray:
    """Mean scores of splits drawn again: one row per round, one column per size."""
    rounds, rng = check_whole_number("rounds", rounds, least=1), make_generator(seed)
    columns = []
    for one in check_list("scores", scores):
        splits = check_unit_scores("scores", one).ravel()
        if not len(splits) or np.isnan(splits).any():
            raise DataError("must contain at least one score for each size, without NaN.", argument="scores")
        columns.append(splits[rng.integers(len(splits), size=(rounds, len(splits)))].mean(axis=1))
    if not columns:
        raise DataError("must contain the scores of at least one size.", argument="scores")
    return np.column_stack(columns)
