"""The demonstration in words."""

from __future__ import annotations

from ...questions.forecast import ForecastAnswer

__all__ = ["opening", "truth_sentence"]


def opening(smallest: int, largest: int, n_splits: int) -> str:
    """What is about to be measured."""
    return (
        f"Training a logistic regression on {smallest} to {largest} of scikit-learn's handwritten digits, {n_splits} "
        "splits ..."
    )


def truth_sentence(score: float, answer: ForecastAnswer) -> str:
    """The score measured at the farthest size, beside the forecast of it."""
    size, mean, low, high = (
        float(column[-1]) for column in (answer.forecast.sizes, answer.forecast.mean, *answer.ends)
    )
    verdict = "inside" if low <= score <= high else "outside"
    return (
        f"The truth: trained on {size:,.0f} examples, the same classifier has a mean accuracy of {score:.3f}, "
        f"{verdict} the interval from {low:.3f} to {high:.3f} and {abs(score - mean):.3f} "
        f"{'above' if score >= mean else 'below'} the expected {mean:.3f}."
    )
