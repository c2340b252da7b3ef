"""How many patients a clinical prediction model with a yes-or-no outcome needs (Riley et al. 2020)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from scipy.special import log_expit, ndtri

from .._answer import Answer, ColumnData, SummaryTable
from .._check import check_bool, check_probability, check_real_number, check_whole_number
from ..errors import RequestError

__all__ = ["NORMAL", "MinimumSampleSize", "discrimination", "minimum_sample_size", "patients"]

NORMAL = 1.96  # as the papers print it; their worked examples depend on it
_MOST_PATIENTS = 1e15
_NODES = 200  # of the integral over linear predictors; 40 give six digits
_MOST_SIMULATED = 30  # parameters, in the simulations behind the fourth criterion


@dataclass(frozen=True, repr=False)
class MinimumSampleSize(Answer):
    """The number of patients that meets all four criteria, and what each one asks for.

    Attributes
    ----------
    size : int
        Patients needed: the largest of the criteria.
    criteria : dict
        Patients for each: "overall_risk", "shrinkage", "optimism", "individual_risk".
    decisive : str
        The criterion that asks for the most.
    events : int
        Patients with the outcome among them, rounded up.
    events_per_parameter : float
        Expected events over the number of parameters.
    prevalence, parameters, r2 : float, int, float
        What was assumed; R2 is Cox and Snell's.
    max_r2 : float
        The largest that Cox and Snell's R2 can be at this prevalence.
    cstatistic : float or None
        The C statistic (AUROC) from which R2 was derived, if any.
    cautions : tuple of str
        Reasons to doubt the answer.
    """

    size: int
    criteria: dict[str, int]
    decisive: str
    events: int
    events_per_parameter: float
    prevalence: float
    parameters: int
    r2: float
    max_r2: float
    cstatistic: float | None = None
    cautions: tuple[str, ...] = ()

    def _columns(self) -> ColumnData:
        return {field.name: [getattr(self, field.name)] for field in fields(self) if field.name != "cautions"}

    def shown(self) -> SummaryTable:
        """One row per criterion."""
        title = f"Minimum sample size: {self.size:,} patients, {self.events:,} of them with the outcome"
        rows = [(name.replace("_", " "), f"{count:,}") for name, count in self.criteria.items()]
        return SummaryTable(title, ("criterion", "patients"), rows, self._all_notes(), ("criterion",))


def minimum_sample_size(
    prevalence: float,
    parameters: int,
    r2: float | None = None,
    *,
    cstatistic: float | None = None,
    nagelkerke: bool = False,
    margin: float = 0.05,
    shrinkage: float = 0.9,
    optimism: float = 0.05,
    error: float = 0.05,
) -> MinimumSampleSize:
    """Minimum number of patients for a prediction model with a yes-or-no outcome.

    Outcomes of several categories, times to an event and numbers have criteria of their own, which are not here.

    Parameters
    ----------
    prevalence
        Expected share of patients with the outcome, phi.
    parameters
        Number of candidate coefficients for the model, p; a category with k values counts k - 1.
    r2
        Cox and Snell's R2 that the model is expected to achieve (a share of the variation, and never more than
        `max_r2`). Riley et al. suggest 0.15 of `max_r2` where nothing is known.
    cstatistic
        Instead of `r2`: the C statistic (AUROC) that the model is expected to achieve, for instance that of an earlier
        one. R2 follows for patients with and without the outcome whose linear predictors are normal with one variance
        (Riley et al. 2021).
    nagelkerke
        Whether `r2` is Nagelkerke's: Cox and Snell's over its maximum.
    margin
        (i) Half-width of the 95 % interval for the overall risk, delta.
    shrinkage
        (ii) Expected shrinkage of the coefficients, S: 0.9 is 10 % of overfitting.
    optimism
        (iii) Largest difference between the apparent and the true Nagelkerke's R2.
    error
        (iv) Mean absolute error of the patients' predicted risks.

    Examples
    --------
    >>> minimum_sample_size(prevalence=0.174, parameters=24, r2=0.288).criteria["shrinkage"]
    623
    """
    phi = check_probability("prevalence", prevalence)
    p = check_whole_number("parameters", parameters, least=1)
    levels = {"margin": margin, "shrinkage": shrinkage, "optimism": optimism, "error": error}
    delta, s, difference, mape = (check_probability(name, value) for name, value in levels.items())
    most = 1 - (phi**phi * (1 - phi) ** (1 - phi)) ** 2
    nagelkerke = check_bool("nagelkerke", nagelkerke)
    if (r2 is None) == (cstatistic is None):
        came = "neither" if r2 is None else "both"
        raise RequestError(
            f"The model's expected performance must be given in one way, got {came}.",
            remedy=("Give {} or {}.", "r2", "cstatistic"),
        )
    if cstatistic is not None and nagelkerke:
        raise RequestError("applies to r2; a C statistic gives Cox and Snell's.", argument="nagelkerke")
    known = None if cstatistic is None else discrimination("cstatistic", cstatistic)
    given = check_real_number("r2", r2) if known is None else r2_of_cstatistic(known, phi)  # type: ignore[arg-type]
    cox_snell = given * most if nagelkerke else given
    if not 0 < cox_snell < most:
        kind, limit = ("Nagelkerke's", 1.0) if nagelkerke else ("Cox and Snell's", most)
        hint = f" Write {given / 100:g} for {given:g} %." if 1 < given <= 100 else ""
        asked = not (hint or nagelkerke or given <= 0 or known is not None)
        raise RequestError(
            f"must be above 0 and below {limit:.3g}, the largest {kind} R2 at a prevalence of {phi:g}, got "
            f"{given:g}.{hint}",
            argument="r2" if known is None else "cstatistic",
            remedy=("Is it Nagelkerke's? If so, set {}.", ("nagelkerke", True)) if asked else (),
        )
    if cox_snell >= s:
        raise RequestError(f"must be above r2 ({cox_snell:.3g}), got {s:g}.", argument="shrinkage")
    if cox_snell + difference * most >= 1:
        raise RequestError(
            f"must be below {(1 - cox_snell) / most:.3g} for this r2, got {difference:g}.", argument="optimism"
        )
    # (iii) is (ii) with the shrinkage that keeps the optimism small.
    small = cox_snell / (cox_snell + difference * most)
    # Each with what asks for so much; as functions, since what is asked for can be beyond all numbers.
    exact = {
        "overall_risk": ("margin", lambda: (NORMAL / delta) ** 2 * phi * (1 - phi)),
        "shrinkage": ("r2", lambda: _for_shrinkage(p, cox_snell, s)),
        "optimism": ("r2", lambda: _for_shrinkage(p, cox_snell, small)),
        # van Smeden et al. 2019, who simulated outcomes of at most one half.
        "individual_risk": (
            "error",
            lambda: math.exp(
                (-0.508 + 0.259 * math.log(min(phi, 1 - phi)) + 0.504 * math.log(p) - math.log(mape)) / 0.544
            ),
        ),
    }
    criteria = {name: patients(count, because) for name, (because, count) in exact.items()}
    decisive = max(criteria, key=lambda name: criteria[name])
    size = criteria[decisive]
    cautions: tuple[str, ...] = ()
    if p > _MOST_SIMULATED:
        cautions = (
            f"The criterion for individual risks was derived by simulating models with up to {_MOST_SIMULATED} "
            f"parameters; for {p} it is extrapolated.",
        )
    return MinimumSampleSize(
        size=size,
        criteria=criteria,
        decisive=decisive,
        events=math.ceil(size * phi - 1e-9),
        events_per_parameter=size * phi / p,
        prevalence=phi,
        parameters=p,
        r2=cox_snell,
        max_r2=most,
        cstatistic=known,
        cautions=cautions,
    )


def r2_of_cstatistic(cstatistic: float, prevalence: float) -> float:
    """Cox and Snell's R2 of a model with a C statistic, at a prevalence (Riley, Van Calster and Collins 2021).

    The linear predictor is N(0, 1) without the outcome and N(mu, 1) with it, mu = sqrt(2) Phi^-1(C). The logistic model
    in it is then exact, with the slope mu, so that what they simulate is an integral: the expected log likelihood ratio
    of a patient.
    """
    mu = math.sqrt(2) * float(ndtri(cstatistic))
    x, weight = np.polynomial.hermite_e.hermegauss(_NODES)
    weight /= weight.sum()
    shift = math.log(prevalence / (1 - prevalence)) - mu**2 / 2
    with_outcome = weight @ log_expit(shift + mu * (x + mu)) - math.log(prevalence)
    without = weight @ log_expit(-(shift + mu * x)) - math.log1p(-prevalence)
    return float(-np.expm1(-2 * (prevalence * with_outcome + (1 - prevalence) * without)))


def discrimination(name: str, cstatistic: float) -> float:
    """A C statistic, checked."""
    number = check_real_number(name, cstatistic)
    if not 0.5 < number < 1:
        hint = f" Write {number / 100:g} for {number:g} %." if 50 < number < 100 else ""
        raise RequestError(f"must be above 0.5, which is chance, and below 1, got {number:g}.{hint}", argument=name)
    return number


def _for_shrinkage(parameters: int, r2: float, shrinkage: float) -> float:
    """N = p / ((S - 1) ln(1 - R2 / S))."""
    return parameters / ((shrinkage - 1) * math.log1p(-r2 / shrinkage))


def patients(count: Callable[[], float], because: str, beside: str = "number of parameters") -> int:
    """What a criterion asks for, if it is a number of patients that there could be."""
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
