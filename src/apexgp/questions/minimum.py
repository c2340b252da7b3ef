"""How many patients a prediction model needs before any pilot, to develop it (Riley et al. 2020) or to evaluate it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Annotated, ClassVar, Literal, TypedDict, get_args

import numpy as np
from scipy.special import log_expit, ndtri

from .._answer import Answer, ColumnData, SummaryTable, to_rows
from .._check import check_bool, check_choice, check_probability, check_real_number, check_whole_number
from ..errors import RequestError
from ..question_base.documents import Versioned, WithMethodsText, word_answer
from ..question_base.phrases import join_words
from ..question_base.question import Cells, Question, QuestionAnswer, build_table
from ..settings import Setting
from .evaluation import (
    NORMAL,
    EvaluationAnswer,
    check_cstatistic,
    count_patients,
    minimum_evaluation_size,
)

__all__ = ["MinimumAnswer", "MinimumDocument", "MinimumQuestion", "MinimumSampleSize", "minimum_sample_size"]

Purpose = Literal["development", "evaluation"]
"""What patients are needed for."""
_OWN: dict[str, tuple[str, ...]] = {
    "development": ("parameters", "r2", "nagelkerke", "margin", "shrinkage", "optimism", "error"),
    "evaluation": ("threshold", "oe_width", "slope_width", "cstatistic_width", "net_benefit_width"),
}
_SHARED = ("prevalence", "cstatistic")
_NEEDED = {
    "development": {"parameters": "the number of candidate coefficients for the model"},
    "evaluation": {"cstatistic": "the C statistic (AUROC) that the model is expected to have"},
}


@dataclass(frozen=True, kw_only=True)
class MinimumQuestion(Question):
    """Say how many patients it takes to develop or evaluate a prediction model with a yes-or-no outcome.

    Development by the criteria of Riley et al. 2020, evaluation (external validation) by those of Riley et al. 2021.
    Outcomes of several categories and times to an event have criteria of their own, which are not here. Settings of the
    other purpose are refused, where they are not as they are by default.
    """

    pilots: ClassVar[Literal["none"]] = "none"
    model_settings: ClassVar[None] = None

    purpose: Annotated[
        Purpose,
        Setting(
            "What the patients are for: development of the model, or evaluation of the finished one.",
            option="for",
        ),
    ] = "development"
    prevalence: Annotated[float, Setting("Share of patients with the outcome.", above=0, below=1, accepts_percent=True)]
    cstatistic: Annotated[
        float | None,
        Setting(
            "The C statistic (AUROC) that the model is expected to achieve; for development, instead of R2.",
            above=0.5,
            below=1,
            accepts_percent=True,
        ),
    ] = None
    parameters: Annotated[
        int | None,
        Setting(
            "For development: number of candidate coefficients for the model.", least=1, server_limits={"le": 100_000}
        ),
    ] = None
    r2: Annotated[
        float | None,
        Setting("For development: Cox and Snell's R2 that the model is expected to achieve.", above=0, below=1),
    ] = None
    nagelkerke: Annotated[bool, Setting("The R2 is Nagelkerke's.")] = False
    margin: Annotated[
        float, Setting("For development: half-width of the interval for the overall risk.", above=0, below=1)
    ] = 0.05
    shrinkage: Annotated[
        float, Setting("For development: expected shrinkage of the coefficients.", above=0, below=1)
    ] = 0.9
    optimism: Annotated[
        float,
        Setting("For development: difference between the apparent and the true Nagelkerke R2.", above=0, below=1),
    ] = 0.05
    error: Annotated[
        float, Setting("For development: mean absolute error of the predicted risks.", above=0, below=1)
    ] = 0.05
    threshold: Annotated[
        float | None,
        Setting(
            "For evaluation: predicted risk above which a patient would be treated; adds the criterion of net benefit.",
            above=0,
            below=1,
            accepts_percent=True,
        ),
    ] = None
    oe_width: Annotated[
        float,
        Setting("For evaluation: width of the 95 % interval for observed over expected events.", above=0),
    ] = 0.2
    slope_width: Annotated[float, Setting("For evaluation: width of that for the calibration slope.", above=0)] = 0.2
    cstatistic_width: Annotated[float, Setting("For evaluation: width of that for the C statistic.", above=0)] = 0.1
    net_benefit_width: Annotated[
        float, Setting("For evaluation: width of that for the standardised net benefit.", above=0)
    ] = 0.2

    def __post_init__(self) -> None:
        check_choice("purpose", self.purpose, get_args(Purpose))
        usual = {field.name: field.default for field in fields(self)}
        for other in set(get_args(Purpose)) - {self.purpose}:
            for name in _OWN[other]:
                if getattr(self, name) != usual[name]:
                    raise RequestError(
                        f"applies to {other}, not to {self.purpose}.",
                        argument=name,
                        remedy=("Leave it out, or set {}.", ("purpose", other)),
                    )
        for name, what in _NEEDED[self.purpose].items():
            if getattr(self, name) is None:
                raise RequestError(f"must be given for {self.purpose}: {what}.", argument=name)

    def answer(self) -> MinimumAnswer | EvaluationAnswer:
        """Count the patients that each criterion asks for."""
        settings = {name: getattr(self, name) for name in (*_SHARED, *_OWN[self.purpose])}
        if self.purpose == "evaluation":
            return EvaluationAnswer(minimum_evaluation_size(**settings))
        return MinimumAnswer(minimum_sample_size(**settings))


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
    known = None if cstatistic is None else check_cstatistic("cstatistic", cstatistic)
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
    criteria = {name: count_patients(count, because) for name, (because, count) in exact.items()}
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


def _for_shrinkage(parameters: int, r2: float, shrinkage: float) -> float:
    """N = p / ((S - 1) ln(1 - R2 / S))."""
    return parameters / ((shrinkage - 1) * math.log1p(-r2 / shrinkage))


@dataclass(frozen=True, eq=False)
class MinimumAnswer(QuestionAnswer):
    """The size of a development."""

    found: MinimumSampleSize

    def document(self) -> MinimumDocument:
        """The minimum and its criteria."""
        found = self.found
        sources: tuple[str, ...] = ("riley", "van_smeden", *(() if found.cstatistic is None else ("riley_c",)))
        (row,) = to_rows(found.to_dict())
        return {
            "schema": "urn:apexgp:minimum:1",
            "apexgp": version("apexgp"),
            "minimum": row,
            **word_answer(say_minimum(found), write_minimum_methods(found), found.cautions, sources),
        }

    def table(self) -> Cells:
        """One row per criterion."""
        return build_table(self.found)


class CriteriaFacts(TypedDict):
    """Patients that each criterion asks for."""

    overall_risk: int
    shrinkage: int
    optimism: int
    individual_risk: int


class MinimumRow(TypedDict):
    """The minimum sample size, and what was assumed."""

    size: int
    criteria: CriteriaFacts
    decisive: str
    events: int
    events_per_parameter: float
    prevalence: float
    parameters: int
    r2: float
    max_r2: float
    cstatistic: float | None


class MinimumDocument(Versioned, WithMethodsText):
    """`apexgp minimum --json`: patients to develop a model."""

    schema: Literal["urn:apexgp:minimum:1"]
    minimum: MinimumRow


_CRITERIA = {
    "overall_risk": "a precise estimate of the overall risk",
    "shrinkage": "little shrinkage of predictor effects",
    "optimism": "little optimism in the apparent fit",
    "individual_risk": "precise risks for individual patients",
}


def say_minimum(found: MinimumSampleSize) -> str:
    """How many patients, and why more than another program may say."""
    text = (
        f"A model with {found.parameters} parameter{'s' if found.parameters > 1 else ''} for an outcome that "
        f"{100 * found.prevalence:.3g} % of patients have needs at least {found.size:,} patients, {found.events:,} of "
        f"them with the outcome; the most demanding criterion is {_CRITERIA[found.decisive]}."
    )
    if found.decisive != "individual_risk":
        return text
    others = max(number for name, number in found.criteria.items() if name != "individual_risk")
    return (
        f"{text} The program pmsampsize omits this criterion of Riley et al. and would ask for {others:,}; with that "
        "many, the risks of individual patients would be less precise than asked for."
    )


def write_minimum_methods(found: MinimumSampleSize) -> str:
    """Paragraph about the minimum sample size."""
    known = (
        ""
        if found.cstatistic is None
        else f"derived from a C statistic of {found.cstatistic:g} after Riley et al. 2021; "
    )
    each = join_words([f"{n:,} for {_CRITERIA[name]}" for name, n in found.criteria.items()])
    return (
        "The minimum sample size for developing the prediction model was computed with the criteria of Riley et al. "
        f"(2020) for a binary outcome, with apexgp {version('apexgp')}. Assuming a prevalence of "
        f"{found.prevalence:g}, {found.parameters} candidate parameters and a Cox-Snell R2 of {found.r2:.3g} "
        f"({known}maximum {found.max_r2:.3g}), the numbers of patients required were {each}. The largest, "
        f"{found.size:,} patients with {found.events:,} events ({found.events_per_parameter:.1f} events per "
        "parameter), was taken."
    )
