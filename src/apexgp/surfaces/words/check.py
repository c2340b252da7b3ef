"""A predictive check in words."""

from __future__ import annotations

from ...cautions import Caution
from ...questions.check import CheckAnswer
from ...repeated.predictive_answer import FAILS_BELOW, PredictiveCheck
from .method import pilot_and_method
from .phrases import listed

__all__ = ["check_doubts", "check_methods", "check_sentence", "check_title", "checked_legend", "how_checks_are_read"]

_MEANINGS = {
    "level": "level, the mean score at the largest size",
    "slope": "slope, what doubling the size brings",
    "scatter": "scatter, how much more the scores spread at one size than at the others",
    "split effect": "split effect, how much of a split's luck carries over from size to size",
}
_SINGLE_SCATTER = "scatter, how far the scores lie from a straight line in the logarithm of the size"


def check_sentence(found: PredictiveCheck) -> str:
    """Whether the model would have measured such a pilot."""
    names = [check.name for check in found.checks]
    if not found.failed:
        return (
            f"The pilot looks like data from the fitted model: {listed(names)} are all within the expected range. "
            "That rules out a gross misfit; it says nothing about sizes far beyond the pilot."
        )
    failed = [check.name for check in found.failed]
    passed = [name for name in names if name not in failed]
    rest = f" {listed(passed).capitalize()} {'are' if len(passed) > 1 else 'is'} as expected." if passed else ""
    are = "are" if len(failed) > 1 else "is"
    return f"The pilot does not look like data from the fitted model: its {listed(failed)} {are} unexpected.{rest}"


def check_doubts(found: PredictiveCheck) -> list[Caution]:
    """What a check that fails adds to the cautions of a report, which says the rest further down."""
    if not found.failed:
        return []
    text = f"the fitted model does not reproduce the pilot's {listed([check.name for check in found.failed])}"
    return [Caution(f"T{text[1:]}: see “Does the model fit this pilot?”.", text)]


def how_checks_are_read(found: PredictiveCheck) -> str:
    """What the columns of the table mean."""
    words = _MEANINGS | ({"scatter": _SINGLE_SCATTER} if found.scatter_at is None else {})
    checks = "; ".join(words[check.name] for check in found.checks)
    return (
        f"{found.draws:,} pilots with the same sizes and splits were simulated from the fitted model. The checks "
        f"compare: {checks}. A tail probability below {100 * FAILS_BELOW:g} % means that the model rarely produces "
        "what was measured."
    )


def check_methods(answer: CheckAnswer) -> str:
    """Paragraph about a posterior predictive check."""
    found = answer.found
    tails = listed([f"{check.name} {check.tail_probability:.3f}" for check in found.checks])
    return (
        f"{pilot_and_method(answer.model)} In a posterior predictive check, {found.draws:,} pilots of the same design "
        f"were simulated from the fitted curve and its noise; tail probabilities of the measured pilot were: {tails}."
    )


def check_title(found: PredictiveCheck) -> str:
    """What a picture of a check shows."""
    return f"Mean {found.metric}: measured, and simulated from the fitted model"


def checked_legend(kind: str) -> str:
    """What a mark of the picture means."""
    return {
        "measured": "measured (mean)",
        "drawn": "simulated from the fitted model (median, 95 %)",
    }[kind]
