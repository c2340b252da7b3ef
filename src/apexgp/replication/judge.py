"""From measured curves to figures: each method fitted to the pilot, judged at the sizes beyond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from .. import metrics
from .._check import FloatArray, check_instance, check_mapping, check_text
from ..curve import LearningCurve
from ..errors import ApexError, DataError
from ..estimators import CurveEstimator
from ..forecast import Forecast
from .configuration import Experiment
from .methods import EXPERIMENT_METHODS
from .paper_figures import bootstrapped_likelihood, dense_coverage, uniform_likelihood
from .result import DenseFigure, ExperimentResult, RangeFigure

__all__ = ["judge_curves"]


def judge_curves(
    experiment: Experiment, curves: Mapping[str, LearningCurve], dense: Mapping[str, LearningCurve] | None = None
) -> ExperimentResult:
    """Forecast measured curves from their pilots by all methods of an experiment, and say how each did.

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
    measured = _curves("curves", curves)
    many = {} if dense is None else _curves("dense", dense)
    models: dict[tuple[str, str], CurveEstimator] = {}
    figures: list[RangeFigure] = []
    dense_figures: list[DenseFigure] = []
    wrong: list[str] = []
    for task, curve in measured.items():
        pilot = curve.up_to(experiment.pilot[-1])
        held_out = _held_out(experiment, curve)
        best = {"ceiling": experiment.ceiling} if curve.direction == "higher" else {"floor": experiment.eps_min}
        figures += [_baseline(experiment, task, extent, pilot, scores) for extent, scores in held_out.items()]
        for name in experiment.methods:
            method = EXPERIMENT_METHODS[name]
            try:
                model = method.make(**best).fit(pilot)
                own = _range_figures(experiment, task, name, model, held_out)
                runs = _dense_figures(experiment, task, name, model, many[task]) if task in many else []
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


def _curves(name: str, curves: Mapping[str, LearningCurve]) -> dict[str, LearningCurve]:
    found = check_mapping(name, curves, "a mapping from tasks to curves")
    return {
        check_text(name, task, "a mapping from names of tasks to curves"): check_instance(
            name, curve, LearningCurve, "a mapping from tasks to curves"
        )
        for task, curve in found.items()
    }


Held = dict[float, FloatArray]
"""The scores of the splits at each size held out."""


def _held_out(experiment: Experiment, curve: LearningCurve) -> dict[str, Held]:
    """By range; one of which no size was measured is left out."""
    found = {
        extent: {float(size): curve.scores[curve.sizes == size] for size in sizes if (curve.sizes == size).any()}
        for extent, sizes in experiment.ranges.items()
    }
    return {extent: by_size for extent, by_size in found.items() if by_size}


def _baseline(experiment: Experiment, task: str, extent: str, pilot: LearningCurve, held: Held) -> RangeFigure:
    lowest = float(pilot.upward.replicates.mean.min())  # the ceiling is of scores of which higher is better
    if lowest >= experiment.ceiling:
        return RangeFigure(task, extent, "baseline", len(held), error="The pilot's scores are above the ceiling.")
    likelihood = uniform_likelihood(lowest, experiment.ceiling, experiment.delta)
    return RangeFigure(task, extent, "baseline", len(held), likelihood=likelihood, likelihood_sd=0.0)


def _range_figures(
    experiment: Experiment, task: str, name: str, model: CurveEstimator, held_out: Mapping[str, Held]
) -> list[RangeFigure]:
    """Of one method on one task, for each range."""
    means = {extent: np.array([scores.mean() for scores in held.values()]) for extent, held in held_out.items()}
    if not model.has_distribution:
        return [
            RangeFigure(task, extent, name, len(held), float(metrics.rmse(model.predict(list(held)), means[extent])))
            for extent, held in held_out.items()
        ]
    # The larger sizes are measured on the pilot's own splits, as in the paper.
    whole = model.forecast(sorted({size for held in held_out.values() for size in held}), of="same_splits")
    method, figures = EXPERIMENT_METHODS[name], []
    for extent, held in held_out.items():
        forecast = _at(whole, list(held))
        figures.append(
            RangeFigure(
                task,
                extent,
                name,
                len(held),
                float(metrics.rmse(forecast.location if method.uncut else forecast.mean, means[extent])),
                *bootstrapped_likelihood(forecast, list(held.values()), experiment.delta, rounds=experiment.rounds),
                float(metrics.coverage(forecast, means[extent], experiment.level, method.interval)),
            )
        )
    return figures


def _at(forecast: Forecast, sizes: Sequence[float]) -> Forecast:
    """The part of a forecast at rising sizes that is about some of them."""
    own = np.searchsorted(forecast.sizes, sizes)
    return replace(
        forecast,
        sizes=forecast.sizes[own],
        locations=forecast.locations[:, own],
        scales=forecast.scales[:, own],
    )


def _dense_figures(
    experiment: Experiment, task: str, name: str, model: CurveEstimator, runs: LearningCurve
) -> list[DenseFigure]:
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
