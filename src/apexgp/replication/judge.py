"""From measured curves to the figures of the paper: each method fitted to the pilot, scored at the sizes beyond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from .. import metrics
from .._check import (
    FloatArray,
    check_instance,
    check_list,
    check_mapping,
    check_positive,
    check_real_array,
    check_real_number,
    check_text,
    check_unit_scores,
    check_whole_number,
    format_value,
    make_generator,
)
from ..curve import LearningCurve
from ..errors import ApexError, DataError, RequestError
from ..estimators import CurveEstimator
from ..forecast import Forecast
from .configuration import Experiment
from .result import DenseFigure, ExperimentResult, RangeFigure
from .settings import EXPERIMENT_METHODS

__all__ = ["bootstrapped_likelihood", "dense_coverage", "judge_curves", "uniform_likelihood"]


def judge_curves(
    experiment: Experiment, curves: Mapping[str, LearningCurve], dense: Mapping[str, LearningCurve] | None = None
) -> ExperimentResult:
    """Forecast measured curves from their pilots by all methods of an experiment, and measure how each did.

    Parameters
    ----------
    experiment
        Its sizes, ceiling and methods are used; what it says of data and classifier is not.
    curves
        The measured curve of each task, at the pilot's sizes and those of the ranges.
    dense
        For each task, many runs at a few large sizes.
    """
    check_instance("experiment", experiment, Experiment, "an apexgp.experiment.Experiment")
    measured = _check_curves("curves", curves)
    many = {} if dense is None else _check_curves("dense", dense)
    models: dict[tuple[str, str], CurveEstimator] = {}
    figures: list[RangeFigure] = []
    dense_figures: list[DenseFigure] = []
    wrong: list[str] = []
    for task, curve in measured.items():
        pilot = curve.up_to(experiment.pilot[-1])
        held_out = _select_held_out(experiment, curve)
        best = {"ceiling": experiment.ceiling} if curve.direction == "higher" else {"floor": experiment.eps_min}
        figures += [_judge_baseline(experiment, task, extent, pilot, scores) for extent, scores in held_out.items()]
        for name in experiment.methods:
            method = EXPERIMENT_METHODS[name]
            try:
                model = method.make(**best).fit(pilot)
                own = _judge_ranges(experiment, task, name, model, held_out)
                runs = _judge_dense(experiment, task, name, model, many[task]) if task in many else []
            except ApexError as problem:
                own = [RangeFigure(task, extent, name, len(by), error=str(problem)) for extent, by in held_out.items()]
                runs, model = [], None
                wrong.append(f"{task}: {method.heading} produced no forecast. {problem}")
            figures += own
            dense_figures += runs
            if model is not None:
                models[task, name] = model
    if not figures:
        raise DataError("The curves have no size beyond the pilot to compare with.")
    return ExperimentResult(experiment, measured, models, tuple(figures), tuple(dense_figures), cautions=tuple(wrong))


def _check_curves(name: str, curves: Mapping[str, LearningCurve]) -> dict[str, LearningCurve]:
    found = check_mapping(name, curves, "a mapping from tasks to curves")
    return {
        check_text(name, task, "a mapping from names of tasks to curves"): check_instance(
            name, curve, LearningCurve, "a mapping from tasks to curves"
        )
        for task, curve in found.items()
    }


HeldOutScores = dict[float, FloatArray]
"""The scores of the splits at each size held out."""


def _select_held_out(experiment: Experiment, curve: LearningCurve) -> dict[str, HeldOutScores]:
    """Held-out scores by range; a range without a measured size is left out."""
    found = {
        extent: {float(size): curve.scores[curve.sizes == size] for size in sizes if (curve.sizes == size).any()}
        for extent, sizes in experiment.ranges.items()
    }
    return {extent: by_size for extent, by_size in found.items() if by_size}


def _judge_baseline(
    experiment: Experiment, task: str, extent: str, pilot: LearningCurve, by_size: HeldOutScores
) -> RangeFigure:
    """Figures of the baseline: a uniform distribution from the lowest pilot score to the ceiling."""
    lowest = float(pilot.upward.replicates.mean.min())  # the ceiling is of scores of which higher is better
    if lowest >= experiment.ceiling:
        return RangeFigure(task, extent, "baseline", len(by_size), error="The pilot's scores are above the ceiling.")
    likelihood = uniform_likelihood(lowest, experiment.ceiling, experiment.delta)
    return RangeFigure(task, extent, "baseline", len(by_size), likelihood=likelihood, likelihood_sd=0.0)


def _judge_ranges(
    experiment: Experiment, task: str, name: str, model: CurveEstimator, held_out: Mapping[str, HeldOutScores]
) -> list[RangeFigure]:
    """Figures of one method on one task, for each range."""
    means = {extent: np.array([scores.mean() for scores in by_size.values()]) for extent, by_size in held_out.items()}
    if not model.has_distribution:
        return [
            RangeFigure(
                task, extent, name, len(by_size), float(metrics.rmse(model.predict(list(by_size)), means[extent]))
            )
            for extent, by_size in held_out.items()
        ]
    # The larger sizes are measured on the pilot's own splits, as in the paper.
    whole = model.forecast(sorted({size for by_size in held_out.values() for size in by_size}), of="same_splits")
    method, figures = EXPERIMENT_METHODS[name], []
    for extent, by_size in held_out.items():
        forecast = _select_sizes(whole, list(by_size))
        figures.append(
            RangeFigure(
                task,
                extent,
                name,
                len(by_size),
                float(metrics.rmse(forecast.location if method.uncut else forecast.mean, means[extent])),
                *bootstrapped_likelihood(forecast, list(by_size.values()), experiment.delta, rounds=experiment.rounds),
                float(metrics.coverage(forecast, means[extent], experiment.level, method.interval)),
            )
        )
    return figures


def _select_sizes(forecast: Forecast, sizes: Sequence[float]) -> Forecast:
    """Part of a forecast at some of its sizes."""
    own = np.searchsorted(forecast.sizes, sizes)
    return replace(
        forecast,
        sizes=forecast.sizes[own],
        locations=forecast.locations[:, own],
        scales=forecast.scales[:, own],
    )


def _judge_dense(
    experiment: Experiment, task: str, name: str, model: CurveEstimator, runs: LearningCurve
) -> list[DenseFigure]:
    """Coverage of one method on one task, from the dense runs."""
    wanted = experiment.dense
    if wanted is None or not model.has_distribution:
        return []
    scores = {size: runs.scores[runs.sizes == size] for size in wanted.sizes}
    enough = [size for size in wanted.sizes if len(scores[size]) >= wanted.group]
    if not enough:
        return []
    forecast = model.forecast(enough, of="new_splits", n_splits=wanted.group)
    ends = {level: forecast.interval(level, EXPERIMENT_METHODS[name].interval) for level in wanted.levels}
    return [
        DenseFigure(
            task,
            name,
            size,
            level,
            *dense_coverage((lower[i], upper[i]), scores[size], wanted.group, rounds=experiment.rounds),
            len(scores[size]),
        )
        for i, size in enumerate(enough)
        for level, (lower, upper) in ends.items()
    ]


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
    means = _resample_means(scores, rounds, seed)
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
    covered = ((means >= lower) & (means <= upper)).mean(axis=1)
    return float(covered.mean()), float(covered.std())


def _resample_means(scores: Sequence[ArrayLike], rounds: int, seed: int) -> FloatArray:
    """Mean scores of resampled splits: one row per round, one column per size."""
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
