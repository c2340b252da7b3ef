"""How many patients it takes to evaluate a clinical prediction model with a yes-or-no outcome (Riley et al. 2021)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from .._answer import Answer, ColumnData, SummaryTable
from .._check import check_positive, check_probability
from .minimum import NORMAL, discrimination, patients

__all__ = ["MinimumEvaluationSize", "minimum_evaluation_size"]

_LABELS = {
    "observed_over_expected": "observed / expected",
    "calibration_slope": "calibration slope",
    "cstatistic": "C statistic",
    "net_benefit": "net benefit",
}
_NODES = 200  # of the integral over linear predictors
_STEP = 1e-4  # in which pmvalsampsize looks for the standard error of ln(O/E)
_FINE = 100  # steps: of fewer, one would be more than a hundredth of the standard error


@dataclass(frozen=True, repr=False)
class MinimumEvaluationSize(Answer):
    """The number of patients that estimates every measure of performance precisely, and what each one asks for.

    Attributes
    ----------
    size : int
        Patients needed: the largest of the criteria.
    criteria : dict
        Patients for each: "observed_over_expected", "calibration_slope", "cstatistic" and, with a threshold,
        "net_benefit".
    decisive : str
        The criterion that asks for the most.
    events : int
        Patients with the outcome among them, rounded up.
    prevalence, cstatistic : float
        What was assumed.
    widths : dict
        How wide each 95 % confidence interval may be, by the names of the criteria.
    threshold : float or None
        The predicted risk from which on a patient would be treated.
    sensitivity, specificity : float or None
        What the model is expected to have at the threshold.
    cautions : tuple of str
        Reasons to doubt the answer.
    """

    size: int
    criteria: dict[str, int]
    decisive: str
    events: int
    prevalence: float
    cstatistic: float
    widths: dict[str, float]
    threshold: float | None = None
    sensitivity: float | None = None
    specificity: float | None = None
    cautions: tuple[str, ...] = ()

    def _columns(self) -> ColumnData:
        return {field.name: [getattr(self, field.name)] for field in fields(self) if field.name != "cautions"}

    def shown(self) -> SummaryTable:
        """One row per criterion."""
        title = f"Minimum size for evaluation: {self.size:,} patients, {self.events:,} of them with the outcome"
        rows = [(_LABELS[name], f"{self.widths[name]:g}", f"{count:,}") for name, count in self.criteria.items()]
        return SummaryTable(title, ("criterion", "interval width", "patients"), rows, self._all_notes(), ("criterion",))


def minimum_evaluation_size(
    prevalence: float,
    cstatistic: float,
    *,
    threshold: float | None = None,
    oe_width: float = 0.2,
    slope_width: float = 0.2,
    cstatistic_width: float = 0.1,
    net_benefit_width: float = 0.2,
) -> MinimumEvaluationSize:
    """Minimum number of patients to evaluate (externally validate) a prediction model with a yes-or-no outcome.

    The size at which calibration, discrimination and, with a threshold, clinical utility are estimated with 95 %
    confidence intervals no wider than stated (Riley et al. 2021). The model is taken to be well calibrated, and its
    linear predictor to be normal with one variance among patients with and without the outcome; C statistic and
    prevalence then determine its distribution. The widths by default, and the numbers, are those of Riley's program
    pmvalsampsize, which simulates what is integrated here.

    Parameters
    ----------
    prevalence
        Expected share of patients with the outcome, phi.
    cstatistic
        The C statistic (AUROC) that the model is expected to have.
    threshold
        The predicted risk from which on a patient would be treated: adds the criterion of net benefit.
    oe_width
        Width of the interval for O/E, observed over expected events.
    slope_width
        Width of the interval for the calibration slope.
    cstatistic_width
        Width of the interval for the C statistic.
    net_benefit_width
        Width of the interval for the standardised net benefit (net benefit over prevalence).

    Examples
    --------
    >>> minimum_evaluation_size(prevalence=0.018, cstatistic=0.8, oe_width=1).criteria["cstatistic"]
    4252
    """
    phi = check_probability("prevalence", prevalence)
    c = discrimination("cstatistic", cstatistic)
    levels = {
        "oe_width": oe_width,
        "slope_width": slope_width,
        "cstatistic_width": cstatistic_width,
        "net_benefit_width": net_benefit_width,
    }
    ratio, slope, discriminating, benefit = (check_positive(name, value) for name, value in levels.items())
    predictor = _LinearPredictor.of(c, phi)
    # Each with the width that asks for so much, and how wide it is.
    exact: dict[str, tuple[str, float, Callable[[], float]]] = {
        "observed_over_expected": (
            "oe_width",
            ratio,
            lambda: (1 - phi) / (phi * _error_of_log_ratio(ratio) ** 2),
        ),
        "calibration_slope": ("slope_width", slope, lambda: 1 / (_error(slope) ** 2 * predictor.information())),
        "cstatistic": (
            "cstatistic_width",
            discriminating,
            lambda: _for_cstatistic(c, phi, _error(discriminating)),
        ),
    }
    sensitivity = specificity = None
    if threshold is not None:
        threshold = check_probability("threshold", threshold)
        sensitivity, specificity = predictor.accuracy(threshold)
        variance = _variance_of_net_benefit(phi, threshold, sensitivity, specificity)
        exact["net_benefit"] = ("net_benefit_width", benefit, lambda: variance / _error(benefit) ** 2)
    criteria = {name: max(1, patients(count, because, "prevalence")) for name, (because, _, count) in exact.items()}
    decisive = max(criteria, key=lambda name: criteria[name])
    size = criteria[decisive]
    return MinimumEvaluationSize(
        size=size,
        criteria=criteria,
        decisive=decisive,
        events=math.ceil(size * phi - 1e-9),
        prevalence=phi,
        cstatistic=c,
        widths={name: width for name, (_, width, _) in exact.items()},
        threshold=threshold,
        sensitivity=sensitivity,
        specificity=specificity,
    )


@dataclass(frozen=True)
class _LinearPredictor:
    """A calibrated linear predictor: N(mean, sd^2) without the outcome, N(mean + sd^2, sd^2) with it."""

    prevalence: float
    mean: float
    sd: float

    @classmethod
    def of(cls, cstatistic: float, prevalence: float) -> _LinearPredictor:
        """The one with this C statistic, Phi(sd / sqrt 2), whose predicted risks average the prevalence."""
        sd = math.sqrt(2) * float(ndtri(cstatistic))
        return cls(prevalence, float(logit(prevalence)) - sd**2 / 2, sd)

    def information(self) -> float:
        """What a patient tells about the calibration slope: 1 / (n times its squared standard error).

        The inverse of Fisher's information has I00 / (I00 I11 - I01^2) for the slope, Ikl the means of LP^(k+l) p (1 -
        p) over patients: one over I00 times the variance of LP under the weights p (1 - p). Among patients with the
        outcome, by Bayes' rule, the weights are prevalence (1 - p).
        """
        x, weight = np.polynomial.hermite_e.hermegauss(_NODES)
        predictor = self.mean + self.sd**2 + self.sd * x
        weight = self.prevalence * (weight / weight.sum()) * expit(-predictor)
        centre = weight @ predictor / weight.sum()
        return float(weight @ (predictor - centre) ** 2)

    def accuracy(self, threshold: float) -> tuple[float, float]:
        """Sensitivity and specificity where patients with a risk above the threshold are treated."""
        above = (float(logit(threshold)) - self.mean) / self.sd
        return float(ndtr(self.sd - above)), float(ndtr(above))


def _error(width: float) -> float:
    """The standard error that makes a 95 % interval so wide."""
    return width / (2 * NORMAL)


def _error_of_log_ratio(width: float) -> float:
    """The standard error of ln(O/E) that makes the interval for an O/E of 1 so wide.

    pmvalsampsize counts up to it in steps, so that its interval is a little wider than was asked for. So is ours, for
    the same numbers of patients, where the step is small beside the standard error.
    """
    exact = math.asinh(width / 2) / NORMAL
    steps = math.ceil(exact / _STEP)
    return steps * _STEP if steps > _FINE else exact


def _for_cstatistic(c: float, phi: float, error: float) -> float:
    """The n at which Newcombe's standard error of the C statistic is `error`: the root of a quadratic."""
    spread = (1 - c) / (2 - c) + c / (1 + c)
    unit = c * (1 - c) / (phi * (1 - phi) * error**2)
    half = unit * spread / 4
    return half + math.sqrt(half**2 + unit * (1 - spread))


def _variance_of_net_benefit(phi: float, threshold: float, sensitivity: float, specificity: float) -> float:
    """The number of patients times the squared standard error of the standardised net benefit."""
    harm = (1 - phi) / phi * threshold / (1 - threshold)
    positives = 1 - specificity
    return sensitivity * (1 - sensitivity) / phi + harm**2 * positives / (1 - phi) * (specificity + positives / phi)
