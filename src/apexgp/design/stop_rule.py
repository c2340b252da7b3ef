"""A stop rule for runs: when a curve has been measured well enough."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._check import check_instance, check_positive, check_probability, check_real_number, check_text
from .._numbers import format_chance, format_size
from ..collect.curves import CurveSet
from ..errors import RequestError
from ..estimators import APExGP
from ..estimators.contract import clone
from ..required import CONFIDENCE, attainable_target, prob_met
from . import closed_form

__all__ = ["StopRule"]

_FEWEST = 3  # sizes: with fewer, an interval is what other curves did, and measuring has hardly begun


@dataclass(frozen=True)
class StopRule:
    """Stop measuring when the forecast at one size is narrow enough, or says whether it reaches a target.

    A `stop` for `collect_scores`: called with the curves so far, it returns the reason to stop, or an empty string.

    Parameters
    ----------
    at : float
        Training-set size at which the score matters.
    width : float, optional
        Enough means a 95 % interval of the expected score that is no wider than this.
    target, confidence : float, optional
        Enough means knowing, with the probability `confidence`, that the expected score reaches the target, or that it
        does not.
    metric : str, optional
        Which metric, where a run measures several.
    model : APExGP, optional
        Settings of the model.

    Examples
    --------
    >>> from apexgp import collect_scores
    >>> def train(n, seed):
    ...     return 0.9 - 0.8 * n**-0.5 + 0.01 * seed
    >>> run = collect_scores(train, [50, 100, 200, 400], 10, metric="auroc", stop=StopRule(at=1000, width=0.1))
    >>> len(run.fits) < 40
    True
    """

    at: float
    width: float | None = None
    target: float | None = None
    confidence: float = CONFIDENCE
    metric: str | None = None
    model: APExGP | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", check_positive("at", self.at))
        object.__setattr__(self, "confidence", check_probability("confidence", self.confidence))
        if self.width is not None:
            object.__setattr__(self, "width", check_positive("width", self.width))
        if self.target is not None:
            object.__setattr__(self, "target", check_real_number("target", self.target))
        if self.metric is not None:
            check_text("metric", self.metric)
        if self.model is not None:
            check_instance("model", self.model, APExGP, "an APExGP")
        if self.width is None and self.target is None:
            raise RequestError(
                "StopRule needs to be told what is enough.", remedy=("Set {} or {}.", ("width", 0.05), ("target", 0.9))
            )

    def __call__(self, curves: CurveSet) -> str:
        """The reason to stop; empty where the curves so far are not enough, or cannot be forecast from yet."""
        if not curves:
            return ""
        curve = curves.only if self.metric is None else curves[None, self.metric]
        if len(np.unique(curve.sizes)) < _FEWEST:
            return ""
        model = clone(self._settings).fit(curve)
        forecast = model.forecast([self.at], of="expected")
        width = float(closed_form.interval_widths(forecast)[0])
        if self.width is not None and width <= self.width:
            return f"Enough: the 95 % interval of the expected score at {format_size(self.at)} is {width:.3g} wide."
        if self.target is None:
            return ""
        goal = attainable_target(self.target, curve, model._best_possible)
        prob = float(prob_met(forecast, goal, curve.direction)[0])
        if not any(closed_form.prob_decided_after(prob, 1.0, self.confidence)):
            return ""
        return (
            f"Enough: the chance is {format_chance(prob)} that {format_size(self.at)} {curve.unit_name} reach a mean "
            f"score of {goal:g}."
        )

    @cached_property
    def _settings(self) -> APExGP:
        return APExGP() if self.model is None else self.model
