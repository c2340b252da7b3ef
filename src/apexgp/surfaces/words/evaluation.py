"""The size of an evaluation in words, alone or beside that of development."""

from __future__ import annotations

from importlib.metadata import version

from ...answers.evaluation import MinimumEvaluationSize
from ...questions.forecast import ForecastAnswer
from .on_top import on_top_of_required
from .phrases import listed
from .required import required_sentence

__all__ = ["evaluation_methods", "evaluation_sentence", "study_paragraph"]

_MEASURES = {
    "observed_over_expected": "the ratio of observed to expected events",
    "calibration_slope": "the calibration slope",
    "cstatistic": "the C statistic",
    "net_benefit": "the standardised net benefit",
}


def evaluation_sentence(found: MinimumEvaluationSize) -> str:
    """How many patients, and which measure asks for them."""
    return (
        f"Evaluating a model with a C statistic (AUROC) of {found.cstatistic:g}, for an outcome that "
        f"{100 * found.prevalence:.3g} % of patients have, takes at least {found.size:,} patients who had no part in "
        f"its development, {found.events:,} of them with the outcome; most are needed to estimate "
        f"{_MEASURES[found.decisive]} precisely."
    )


def evaluation_methods(found: MinimumEvaluationSize) -> str:
    """Paragraph about the size of an evaluation."""
    at = "" if found.threshold is None else f" at a risk threshold of {found.threshold:g}"
    each = listed(
        [
            f"{count:,} for {_MEASURES[name]}{at if name == 'net_benefit' else ''} (width {found.widths[name]:g})"
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


def study_paragraph(answer: ForecastAnswer) -> str | None:
    """Both sizes of a study for those who fund it, where a prevalence was given: for development and for evaluation."""
    found, required, curve = answer.evaluation, answer.required, answer.model.curve_
    if found is None or required is None:
        return None
    wide = listed([f"{width:g} for {_MEASURES[name]}" for name, width in found.widths.items()])
    development = (required_sentence(required, curve), on_top_of_required(required, curve))
    return " ".join(
        [
            "Development.",
            *filter(None, development),
            f"Evaluation. To judge the finished model, plan for at least {found.size:,} further patients who had no "
            f"part in its development, of whom about {found.events:,} will have the outcome if "
            f"{100 * found.prevalence:.3g} % of all patients do. If its C statistic (AUROC) is {found.cstatistic:g}, "
            f"95 % confidence intervals will then be no wider than {wide} (Riley et al. 2021); most patients are "
            f"needed for {_MEASURES[found.decisive]}.",
        ]
    )
