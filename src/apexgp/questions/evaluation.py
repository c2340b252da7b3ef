"""How many patients it takes to evaluate a clinical prediction model with a yes-or-no outcome (Riley et al. 2021)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Literal, NotRequired, TypedDict

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from .._answer import Answer, ColumnData, SummaryTable, to_rows
from .._check import check_positive, check_probability, check_real_number
from ..errors import RequestError
from ..question_base.documents import Count, NonNegative, Probability, Versioned, WithMethodsText, word_answer
from ..question_base.phrases import join_words
from ..question_base.question import Cells, QuestionAnswer, build_table

__all__ = [
    "MEASURES",
    "NORMAL",
    "EvaluationAnswer",
    "EvaluationDocument",
    "EvaluationRow",
    "MinimumEvaluationSize",
    "check_cstatistic",
    "count_patients",
    "describe_evaluation",
    "minimum_evaluation_size",
    "write_evaluation_methods",
]

NORMAL = 1.96  # as the papers print it; their worked examples depend on it
_MOST_PATIENTS = 1e15
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
    c = check_cstatistic("cstatistic", cstatistic)
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
    criteria = {
        name: max(1, count_patients(count, because, "prevalence")) for name, (because, _, count) in exact.items()
    }
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
        """Information of one patient about the calibration slope: 1 / (n times its squared standard error).

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


def check_cstatistic(name: str, cstatistic: float) -> float:
    """A C statistic, checked."""
    number = check_real_number(name, cstatistic)
    if not 0.5 < number < 1:
        hint = f" Write {number / 100:g} for {number:g} %." if 50 < number < 100 else ""
        raise RequestError(f"must be above 0.5, which is chance, and below 1, got {number:g}.{hint}", argument=name)
    return number


def count_patients(count: Callable[[], float], because: str, beside: str = "number of parameters") -> int:
    """Round a criterion's number of patients up; an error where there could not be so many."""
    try:
        number = count()
    except (OverflowError, ZeroDivisionError):
        number = math.inf
    if not number <= _MOST_PATIENTS:
        raise RequestError(
            f"asks for more than {_MOST_PATIENTS:.0e} patients. Check it, and the {beside}.",
            argument=because,
        )
    return math.ceil(number - 1e-9)


class EvaluationCriteria(TypedDict):
    """Patients that it takes to estimate each measure of a model's performance precisely."""

    observed_over_expected: Count
    calibration_slope: Count
    cstatistic: Count
    net_benefit: NotRequired[Count]
    """Where there is a threshold."""


class EvaluationWidths(TypedDict):
    """How wide the 95 % confidence interval for each measure may be."""

    observed_over_expected: NonNegative
    calibration_slope: NonNegative
    cstatistic: NonNegative
    net_benefit: NotRequired[NonNegative]
    """Where there is a threshold."""


class EvaluationRow(TypedDict):
    """The minimum number of patients for an evaluation, and what was assumed."""

    size: Count
    """Patients: the largest of the criteria."""
    criteria: EvaluationCriteria
    decisive: str
    """The criterion that asks for the most."""
    events: Count
    """Patients with the outcome among them."""
    prevalence: Probability
    cstatistic: Probability
    """The C statistic (AUROC) that the model is expected to have."""
    widths: EvaluationWidths
    threshold: Probability | None
    """Predicted risk above which a patient would be treated."""
    sensitivity: Probability | None
    """Expected at the threshold."""
    specificity: Probability | None


class EvaluationDocument(Versioned, WithMethodsText):
    """`apexgp minimum --for evaluation --json`: patients to evaluate a model."""

    schema: Literal["urn:apexgp:evaluation:1"]
    minimum: EvaluationRow


@dataclass(frozen=True, eq=False)
class EvaluationAnswer(QuestionAnswer):
    """The size of an evaluation."""

    found: MinimumEvaluationSize

    def document(self) -> EvaluationDocument:
        """The minimum and its criteria."""
        found = self.found
        return {
            "schema": "urn:apexgp:evaluation:1",
            "apexgp": version("apexgp"),
            "minimum": describe_evaluation(found),
            **word_answer(
                say_evaluation(found), write_evaluation_methods(found), found.cautions, ("riley_evaluation",)
            ),
        }

    def table(self) -> Cells:
        """One row per criterion."""
        return build_table(self.found)


MEASURES = {
    "observed_over_expected": "the ratio of observed to expected events",
    "calibration_slope": "the calibration slope",
    "cstatistic": "the C statistic",
    "net_benefit": "the standardised net benefit",
}


def say_evaluation(found: MinimumEvaluationSize) -> str:
    """How many patients, and which measure asks for them."""
    return (
        f"Evaluating a model with a C statistic (AUROC) of {found.cstatistic:g}, for an outcome that "
        f"{100 * found.prevalence:.3g} % of patients have, takes at least {found.size:,} patients who had no part in "
        f"its development, {found.events:,} of them with the outcome; most are needed to estimate "
        f"{MEASURES[found.decisive]} precisely."
    )


def write_evaluation_methods(found: MinimumEvaluationSize) -> str:
    """Paragraph about the size of an evaluation."""
    at = "" if found.threshold is None else f" at a risk threshold of {found.threshold:g}"
    each = join_words(
        [
            f"{count:,} for {MEASURES[name]}{at if name == 'net_benefit' else ''} (width {found.widths[name]:g})"
            for name, count in found.criteria.items()
        ]
    )
    return (
        "The minimum sample size for evaluating (externally validating) the prediction model was computed with the "
        f"criteria of Riley et al. (2021) for a binary outcome, with apexgp {version('apexgp')}. Assuming a "
        f"prevalence of {found.prevalence:g}, a C statistic of {found.cstatistic:g}, good calibration, and a linear "
        "predictor that is normally distributed with a common variance among patients with and without the outcome, "
        f"the numbers of patients required for 95 % confidence intervals of the stated widths were {each}. The "
        f"largest, {found.size:,} patients with {found.events:,} events, was taken."
    )


def describe_evaluation(found: MinimumEvaluationSize) -> EvaluationRow:
    """The size of an evaluation as the object of a document."""
    row: EvaluationRow
    (row,) = to_rows(found.to_dict())
    return row
