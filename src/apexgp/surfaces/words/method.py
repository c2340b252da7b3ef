"""How curves were extrapolated, and from which pilot, for the methods section of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from math import isfinite, isinf

import numpy as np

from ...cautions import drop_remedy
from ...curve import LearningCurve
from ...estimators import APExGP
from ...model.means import MEANS, PAPER_MEANS
from ...model.paper_priors import PUBLISHED
from ...scale import format_range
from .learn import learnt_from
from .learner import moved_for
from .phrases import listed, with_article

__all__ = ["method", "pilot_and_method", "reached", "with_cautions"]


def pilot_and_method(model: APExGP) -> str:
    """Method and pilot."""
    curve = model.curve_
    splits = "" if curve.split is None else f" from {len(set(curve.split.tolist()))} data splits"
    sizes = np.unique(curve.sizes)
    return (
        f"{method(model)} The pilot comprised {len(curve)} scores ({curve.metric_name}){splits} at {len(sizes)} "
        f"training-set sizes from {sizes[0]:,.10g} to {sizes[-1]:,.10g}."
    )


def with_cautions(paragraph: str, cautions: Sequence[str], citation: str) -> str:
    """A paragraph, the reasons to doubt what it says, and how to cite it."""
    doubts = [f"The following cautions apply. {' '.join(map(drop_remedy, cautions))}"] if cautions else []
    return " ".join([paragraph, *doubts, citation])


def method(model: APExGP, *others: APExGP) -> str:
    """The model as fitted, whose it is, and in what it departs from the paper's; others are those of other curves."""
    software = f"apexgp {version('apexgp')} (seed {model.seed})"
    if model.inference == "map":
        source = "its released code" if model.variant == PUBLISHED else "its text"
        fitted, joint = (
            ("maximum likelihood without priors", ", with ")
            if model.priors == "flat"
            else ("maximum a posteriori estimation with the published priors", " and ")
        )
        return (
            f"Learning curves were extrapolated with {software} by APEx-GP (Harvey et al. 2023) after {source}: a "
            "Gaussian process over the logarithm of the training-set size with "
            f"{with_article(MEANS[model.mean].label)} mean, fitted by {joint.join([fitted, *_bounds(model)])}."
            f"{_mapping(model.curve_)}"
        )
    weights = model.weights_
    labels = [MEANS[mean].label for mean in weights]
    means = listed([f"{label} {weight:.2f}" for label, weight in zip(labels, weights.values(), strict=True)])
    shape = f"means weighted by their evidence ({means})" if len(labels) > 1 else f"{with_article(labels[0])} mean"
    return (
        f"Learning curves were extrapolated with {software} by a Bayesian model after APEx-GP (Harvey et al. 2023): a "
        "Gaussian process over the logarithm of the training-set size with "
        f"{listed([shape, *_bounds(model)])}.{_mapping(model.curve_)} {_departures(model, others, list(weights))} "
        f"{reached(model)}"
    )


def _bounds(model: APExGP) -> list[str]:
    """Between which scores the curve may lie, as far as there are bounds: a loss may grow as it will.

    The published model knows the best score alone.
    """
    floor, ceiling = model._check_bounds(model.curve_.range)
    bounds = {"ceiling": ceiling, "floor": floor}
    if model.inference == "map":
        del bounds["ceiling" if model.curve_.direction == "lower" else "floor"]
    return [f"a {name} of {bound:g}" for name, bound in bounds.items() if isfinite(bound)]


def _mapping(curve: LearningCurve) -> str:
    """How scores outside [0, 1] came to lie there."""
    scale = curve.scale
    if scale.same:
        return ""
    if scale.straight:
        return f" Scores were mapped linearly from {format_range(curve.range)} to [0, 1]."
    end = curve.range[0] if isinf(curve.range[1]) else curve.range[1]
    of_what = "the logarithm of the score" if scale.logarithmic else f"the distance of the score from {end:g}"
    return f" Scores were mapped to [0, 1] by exp(-d / {scale.unit:.3g}), d being {of_what}."


def reached(model: APExGP) -> str:
    """How exactly the numbers of an integrated model are known."""
    error = model.posterior.end_error
    return f"The ends of 95 % intervals have a numerical standard error of at most {100 * error:.2g} % of their width."


def _departures(model: APExGP, others: Sequence[APExGP], means: Sequence[str]) -> str:
    """In what a fully Bayesian model differs from the published one."""
    found = ["all parameters are integrated over instead of set to their most probable values"]
    if set(means) - set(PAPER_MEANS):
        found.append("the mean function is not one of its two")
    if model.priors != "paper":
        learnt = model.priors_.learnt
        calibrated = (
            f"were learnt from {learnt_from(learnt)}, starting from those calibrated on curves of LCDB 1.0 and 1.1"
            if learnt is not None
            else f"were calibrated on learning curves of LCDB 1.0 and 1.1{moved_for([model, *others])}"
            if model.priors == "calibrated"
            else "are ours"
        )
        found += [
            f"the priors {calibrated}",
            "the kernel is that of an Ornstein-Uhlenbeck process instead of a radial basis function",
            "individual scores are modelled instead of their means, with noise that each data split carries along its "
            "curve and that shrinks as training sets grow",
        ]
    return f"It differs from the published model in that {'; '.join(found)}."
