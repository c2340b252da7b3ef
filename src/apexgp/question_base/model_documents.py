"""The parts of documents that are about a fitted model, its pilot, and the size that a target takes."""

from __future__ import annotations

from importlib.metadata import version
from typing import Literal, NotRequired, TypedDict

from .._answer import to_rows
from ..curve import LearningCurve
from ..estimators import APExGP
from ..estimators.saving import setting_to_json
from ..files.writing import to_json_value
from ..required import RequiredSize
from .documents import Count, Interval, Json, NonNegative, Probability, Size, Versioned
from .wording import count_total

__all__ = [
    "FitFacts",
    "ModelFacts",
    "PilotFacts",
    "RequiredFacts",
    "SettingsFacts",
    "TargetFacts",
    "describe_model",
    "describe_pilot",
    "describe_required_size",
    "describe_settings",
    "describe_target",
]


class PilotFacts(TypedDict):
    """The measurements, by size."""

    metric: str
    """The score as the table calls it."""
    metric_name: str
    """The score as sentences call it."""
    task: str | None
    direction: Literal["higher", "lower"]
    """Whether higher or lower scores are better."""
    range: Interval
    """The lowest and the highest possible score; null where there is none."""
    unit: str
    """What a size counts."""
    unit_name: str
    """What a size counts, as sentences call it."""
    test_share: Probability | None
    """Share of the collected data that is kept for validation and test, where it is known."""
    n_features: Count | None
    """Number of features that the classifier sees, after encoding, where it is known."""
    n_classes: Count | None
    """Number of classes, where it is known."""
    scores: Count
    """Number of scores."""
    sizes: list[Size]
    means: list[float]
    """Mean score at each size."""
    counts: list[Count]
    """Number of scores at each size."""


class FitFacts(TypedDict, total=False):
    """How a model's parameters were found: the first four by integration, the others by a search."""

    weights: dict[str, Probability]
    """Posterior probability of each shape of the curve."""
    log_evidence: float
    effective_size: NonNegative
    """Effective sample size of the integration."""
    end_error: NonNegative | None
    """Numerical error of the ends of the 95 % intervals, as a share of their width."""
    objective: float
    converged: bool


class SettingsFacts(Versioned):
    """The version, and the settings of a model."""

    settings: dict[str, Json]
    """Arguments of the model, as in Python."""


class ModelFacts(SettingsFacts):
    """A fitted model."""

    learner: str | None
    """Kind of learner whose priors were used; null where they are those that all kinds share, or others."""
    pilot: PilotFacts
    parameters: dict[str, float]
    """Estimates of the curve's parameters."""
    fit: FitFacts


class RequiredFacts(TypedDict):
    """The size that a target takes; null is infinite."""

    target: float
    confidence: Probability
    """Probability with which the target should be reached."""
    size: NonNegative | None
    """The smallest size from which on the target is reached with that probability."""
    median: NonNegative | None
    """The smallest size for a probability of one half."""
    interval: Interval
    """The smallest sizes for probabilities of 0.1 and 0.9."""
    prob_reachable: Probability
    """Probability that the target is reached with unlimited data."""
    prob_now: Probability
    """Probability that the pilot's largest size reaches it."""
    already_met: bool
    size_range: Interval
    """Between which sizes the size lies, three Monte Carlo standard errors either way.

    Where only the second is infinite, it is open whether any number of examples suffices.
    """
    relative_error: NonNegative | None
    """Monte Carlo standard error of the size, as a share of it; null where the size is infinite, or the error is."""
    digits: Count
    """Number of digits to which sizes are rounded in words."""
    rounded_size: NonNegative | None
    """The size as words print it, rounded up; null where they print none: it is met, infinite, over 100 times the
    pilot's, or known as a range only."""
    is_open: bool
    """Whether the integral leaves open if any number of examples suffices."""
    cautions: NotRequired[list[str]]


class TargetFacts(TypedDict, total=False):
    """The size that a target takes, if there is one, without and with the cases for validation and test."""

    required: RequiredFacts
    total: NonNegative | None
    """The required size with the cases for validation and test; null where their share, or the size, is not known."""


def describe_settings(model: APExGP) -> SettingsFacts:
    """The part of a document that says how a model is set up."""
    settings = {name: setting_to_json(value) for name, value in model.get_params(deep=False).items()}
    return {"apexgp": version("apexgp"), "settings": settings}


def describe_model(model: APExGP) -> ModelFacts:
    """The part of a document that is about a fitted model: its settings, its pilot, its parameters."""
    fit = ("weights", "log_evidence", "effective_size", "end_error", "objective", "converged")
    return {
        **describe_settings(model),
        "learner": model.learner_,
        "pilot": describe_pilot(model.curve_),
        "parameters": model.parameters_,
        "fit": to_json_value({name: getattr(model, f"{name}_") for name in fit if hasattr(model, f"{name}_")}),
    }


def describe_pilot(curve: LearningCurve) -> PilotFacts:
    """The part of a document that is about the measurements."""
    pilot = curve.replicates
    return {
        "metric": curve.metric,
        "metric_name": curve.metric_name,
        "task": curve.task,
        "direction": curve.direction,
        "range": to_json_value(curve.range),
        "unit": curve.unit,
        "unit_name": curve.unit_name,
        "test_share": curve.test_share,
        "n_features": curve.n_features,
        "n_classes": curve.n_classes,
        "scores": len(curve),
        "sizes": pilot.sizes.tolist(),
        "means": pilot.mean.tolist(),
        "counts": pilot.count.tolist(),
    }


def describe_target(found: RequiredSize | None, curve: LearningCurve | None = None) -> TargetFacts:
    """The part of a document that is about a target, empty without one; with the total where the curve is known."""
    if found is None:
        return {}
    total: TargetFacts = {} if curve is None else {"total": count_total(found, curve)}
    return {"required": describe_required_size(found), **total}


def describe_required_size(found: RequiredSize) -> RequiredFacts:
    """A required size as the object of a document."""
    (row,) = to_rows(found.to_dict())
    return row
