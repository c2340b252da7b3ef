"""The demonstration in words."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...questions.forecast import ForecastAnswer

__all__ = ["LEFT", "next_lines", "opening", "truth_sentence"]

LEFT = {
    "pairs.csv": "the pilot, as a table like yours",
    "curve.png": "the picture",
    "report.html": "the report to hand over: open it in a browser",
}
"""Files that the demonstration leaves behind, and what they are."""


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


def next_lines(folder: Path, target: float, program: str, missing: Sequence[str]) -> str:
    """What the demonstration has left, and what to type next; `missing` says what could not be made, and why."""
    there = {folder / name: what for name, what in LEFT.items() if (folder / name).exists()}
    width = max(len(str(path)) for path in there)
    # By the name that works where it was started: make demo installs into .venv, which is on nobody's path.
    called = program if Path(program).name == "apexgp" and Path(program).parent.name else "apexgp"
    with suppress(ValueError):
        called = str(Path(called).relative_to(Path.cwd()))
    return "\n".join(
        [
            "\nFiles written:",
            *(f"  {str(path).ljust(width)}  {what}" for path, what in there.items()),
            *missing,
            f"\nNext, ask how many examples an accuracy of {target:g} takes, or do it all in a browser:",
            f"  {called} forecast {folder / next(iter(LEFT))} --target {target:g}",
            f"  {called} serve",
        ]
    )
