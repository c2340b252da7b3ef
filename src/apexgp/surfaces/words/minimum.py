"""A minimum sample size in words."""

from __future__ import annotations

from importlib.metadata import version

from ...answers.minimum import MinimumSampleSize
from .phrases import listed

__all__ = ["minimum_methods", "minimum_sentence"]

_CRITERIA = {
    "overall_risk": "a precise estimate of the overall risk",
    "shrinkage": "little shrinkage of predictor effects",
    "optimism": "little optimism in the apparent fit",
    "individual_risk": "precise risks for individual patients",
}


def minimum_sentence(found: MinimumSampleSize) -> str:
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


def minimum_methods(found: MinimumSampleSize) -> str:
    """Paragraph about the minimum sample size."""
    known = (
        ""
        if found.cstatistic is None
        else f"derived from a C statistic of {found.cstatistic:g} after Riley et al. 2021; "
    )
    each = listed([f"{n:,} for {_CRITERIA[name]}" for name, n in found.criteria.items()])
    return (
        "The minimum sample size for developing the prediction model was computed with the criteria of Riley et al. "
        f"(2020) for a binary outcome, with apexgp {version('apexgp')}. Assuming a prevalence of "
        f"{found.prevalence:g}, {found.parameters} candidate parameters and a Cox-Snell R2 of {found.r2:.3g} "
        f"({known}maximum {found.max_r2:.3g}), the numbers of patients required were {each}. The largest, "
        f"{found.size:,} patients with {found.events:,} events ({found.events_per_parameter:.1f} events per "
        "parameter), was taken."
    )
