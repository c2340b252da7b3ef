"""The demonstration in words."""

from __future__ import annotations

__all__ = ["opening", "truth_sentence"]


def opening(smallest: int, largest: int, n_splits: int) -> str:
    """What is about to be measured."""
    return (
        f"Training a logistic regression on {smallest} to {largest} of scikit-learn's handwritten digits, {n_splits} "
        "splits ..."
    )


def truth_sentence(size: float, score: float, row: dict[str, float]) -> str:
    """The score measured at a size, beside the forecast of it."""
    verdict = "inside" if row["lower"] <= score <= row["upper"] else "outside"
    return (
        f"The truth: trained on {size:,.0f} examples, the same classifier has a mean accuracy of {score:.3f}, "
        f"{verdict} the interval from {row['lower']:.3f} to {row['upper']:.3f} and {abs(score - row['mean']):.3f} "
        f"{'above' if score >= row['mean'] else 'below'} the expected {row['mean']:.3f}."
    )
