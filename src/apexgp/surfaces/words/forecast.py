"""A forecast in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..._numbers import multiple
from ...answers.required import RequiredSize
from ...curve import LearningCurve
from ...estimators import APExGP
from .method import pilot_and_method
from .phrases import counted
from .required import required_methods

__all__ = ["forecast_methods", "forecast_sentence", "picture_line", "pilot_line"]


def forecast_sentence(size: float, score: float, curve: LearningCurve, row: dict[str, float], level: float) -> str:
    """One size that was forecast."""
    return (
        f"With {row['size']:,.10g} training {counted(curve)} ({multiple(row['size'] / size)} times the {size:,.10g} of "
        f"the pilot, which give {score:.3f}), expect a mean {curve.metric_name} of {row['mean']:.3f}; the chance is "
        f"{100 * level:g} % that it lies between {row['lower']:.3f} and {row['upper']:.3f}."
    )


def forecast_methods(model: APExGP, rows: list[dict[str, float]], level: float, required: RequiredSize | None) -> str:
    """Paragraph about a forecast, and the size that was asked for."""
    results = "; ".join(
        f"{row['mean']:.3f} at {row['size']:,.10g} training {counted(model.curve_)} ({100 * level:g} % prediction "
        f"interval {row['lower']:.3f} to {row['upper']:.3f})"
        for row in rows
    )
    text = f"{pilot_and_method(model)} The forecast mean {model.curve_.metric_name} was {results}."
    return text if required is None else f"{text} {required_methods(required, model.curve_)}"


def pilot_line(pilot: dict[str, Any]) -> str:
    """What was measured, to open with."""
    of_task = f" of {pilot['task']}" if pilot["task"] else ""
    return (
        f"Pilot{of_task}: {pilot['scores']} scores at {len(pilot['sizes'])} sizes, {pilot['means'][0]:.3f} at "
        f"{pilot['sizes'][0]:,.10g} to {pilot['means'][-1]:.3f} at {pilot['sizes'][-1]:,.10g}."
    )


def picture_line(path: Path) -> str:
    """Where the picture is."""
    return f"The picture is in {path}."
