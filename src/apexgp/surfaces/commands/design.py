"""The command `apexgp design`."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..._check import check_positive
from ...collect.curves import CurveSet
from ...design.designs import Cost, Price
from ...errors import RequestError
from ...question_base.model_settings import BayesSettings
from ...questions.design import DesignQuestion
from ..command import SetsArgument
from ..curve_file import OptionalCurveFile
from ..options import PriorsOptions
from ..output import OutputOptions, PictureOptions

__all__ = ["design"]

_HOURS = {"h": 1.0, "hour": 1.0, "hours": 1.0, "min": 1 / 60, "minutes": 1 / 60, "d": 24.0, "days": 24.0}


def design(
    *,
    budget: Annotated[str, typer.Option(help="Budget: a number of fits such as 12, or hours such as 5h.")],
    asked: DesignQuestion,
    results: Annotated[
        Path | None,
        typer.Option(
            help="Record of apexgp collect, for the time that fits take.",
            show_default="beside the file, with .runs before the extension",
        ),
        SetsArgument("cost"),
    ] = None,
    fit_seconds: Annotated[
        float | None,
        typer.Option(help="Instead of a record: seconds that even the smallest fit takes.", show_default=False),
    ] = None,
    example_seconds: Annotated[
        float | None, typer.Option(help="Seconds that each training example adds to it.", show_default=False)
    ] = None,
    settings: BayesSettings,
    priors: PriorsOptions,
    picture: PictureOptions,
    output: OutputOptions,
    source: OptionalCurveFile,
) -> None:
    """Recommend what to measure next: the sizes and splits expected to make the forecast most certain.

    Without a file, design the first pilot; --at is then required.
    """
    spend, in_hours = _parse_budget(budget)
    cost = _find_cost(results, fit_seconds, example_seconds, source.pairs) if in_hours else None
    if not in_hours and (results, fit_seconds, example_seconds) != (None, None, None):
        raise RequestError(
            f"must be in hours, such as 5h, if the time that fits take is to count, got {budget}.", argument="budget"
        )
    question = replace(asked, budget=spend, cost=cost)
    model, curve = priors.build_model(settings), source.only_curve
    answer = question.answer(model if curve is None else model.fit(curve))
    output.present(answer)
    picture.draw(answer.display, output)


def _parse_budget(text: str) -> tuple[float, bool]:
    """A number of fits, or hours; whether it is hours."""
    match = re.fullmatch(r"\s*+(-?\d+(?:\.\d+)?)\s*+([a-z]*+)\s*+", text.lower())
    if match is None or (match[2] and match[2] not in _HOURS):
        raise RequestError(
            f"must be a number of fits such as 12, or hours such as 5h, got {text!r}.", argument="budget"
        )
    return (float(match[1]) * _HOURS[match[2]], True) if match[2] else (float(match[1]), False)


def _find_cost(results: Path | None, fit: float | None, example: float | None, pairs: Path | None) -> Cost:
    """Hours of a fit: from a record, or as stated."""
    if fit is not None or example is not None:
        if results is not None:
            raise RequestError("--results and --fit-seconds both say how long a fit takes. Give only one.")
        fixed, each = (0.0 if value is None else value for value in (fit, example))
        if min(fixed, each) < 0 or max(fixed, each) <= 0:
            raise RequestError(
                "--fit-seconds and --example-seconds must not be negative, and one of them above 0, got "
                f"{fixed:g} and {each:g}."
            )
        return Price(lambda size: check_positive("cost", (fixed + each * size) / 3600), "hours")
    beside = None if pairs is None else pairs.with_name(f"{pairs.stem}.runs.csv")
    record = results or (beside if beside is not None and beside.is_file() else None)
    if record is None:
        raise RequestError(
            "in hours needs the time that a fit takes. Name the record of apexgp collect with --results, or give "
            "--fit-seconds and --example-seconds.",
            argument="budget",
        )
    return CurveSet.from_results(record)
