"""The command `apexgp design`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from ..._check import check_positive
from ...answers.required import CONFIDENCE
from ...collect.curves import CurveSet
from ...design.designs import Cost, Price
from ...design.pilot import CONFIRM
from ...errors import RequestError
from ...questions.design import DesignQuestion
from ..command import Sets
from ..curve_file import CurveFileIfAny
from ..facts import design_facts
from ..options import BayesOptions, reach_of, share_option
from ..output import OutputOptions, PictureOptions
from ..plot.design import DesignDisplay
from ..tables import table_of

__all__ = ["design"]

_HOURS = {"h": 1.0, "hour": 1.0, "hours": 1.0, "min": 1 / 60, "minutes": 1 / 60, "d": 24.0, "days": 24.0}


def design(
    *,
    budget: Annotated[str, typer.Option(help="Budget: a number of fits such as 12, or hours such as 5h.")],
    at: Annotated[
        list[str] | None,
        typer.Option(
            help="Training-set size at which the score matters, or a multiple of the largest in the file such as 10x. "
            "Repeat for several, or separate them by commas.",
            show_default="10x",
        ),
    ] = None,
    target: Annotated[
        float | None,
        share_option(help="Score to reach: say whether measuring more would change the decision.", show_default=False),
    ] = None,
    confidence: Annotated[float, share_option(help="Probability with which it should be reached.")] = CONFIDENCE,
    available: Annotated[
        float | None,
        typer.Option(
            help="Most examples available for training.",
            show_default="twice the largest size in the file; without a file, a tenth of --at",
        ),
    ] = None,
    sizes: Annotated[
        list[str] | None,
        typer.Option(
            help="Training-set size that may be measured. Repeat for several, or separate them by commas.",
            show_default="several up to --available",
        ),
    ] = None,
    splits: Annotated[
        int | None,
        typer.Option(help="Number of new splits.", show_default="several are tried"),
        Sets("n_splits"),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            help="Record of apexgp collect, for the time that fits take.",
            show_default="beside the file, with .runs before the extension",
        ),
        Sets("cost"),
    ] = None,
    fit_seconds: Annotated[
        float | None,
        typer.Option(help="Instead of a record: seconds that even the smallest fit takes.", show_default=False),
    ] = None,
    example_seconds: Annotated[
        float | None, typer.Option(help="Seconds that each training example adds to it.", show_default=False)
    ] = None,
    confirm: Annotated[int, typer.Option(help="How many of the best designs to try on simulated data.")] = CONFIRM,
    settings: BayesOptions,
    picture: PictureOptions,
    output: OutputOptions,
    source: CurveFileIfAny,
) -> None:
    """Recommend what to measure next: the sizes and splits expected to make the forecast most certain.

    Without a file, design the first pilot; --at is then required.
    """
    spend, in_hours = _budget(budget)
    cost = _cost(results, fit_seconds, example_seconds, source.pairs) if in_hours else None
    if not in_hours and (results, fit_seconds, example_seconds) != (None, None, None):
        raise RequestError(
            f"must be in hours, such as 5h, if the time that fits take is to count, got {budget}.", argument="budget"
        )
    question = DesignQuestion(
        budget=spend,
        at=reach_of(at, "at"),
        target=target,
        confidence=confidence,
        cost=cost,
        available=available,
        sizes=reach_of(sizes, "sizes"),
        n_splits=splits,
        confirm=confirm,
    )
    model, curve = settings.model(), source.only_curve()
    answer = question.answer(model if curve is None else model.fit(curve))
    output.present(design_facts(answer), *table_of(answer.found))
    picture.draw(lambda: DesignDisplay.from_design(answer.found, None if curve is None else model).plot(), output)


def _budget(text: str) -> tuple[float, bool]:
    """A number of fits, or hours; whether it is hours."""
    match = re.fullmatch(r"\s*+(-?\d+(?:\.\d+)?)\s*+([a-z]*+)\s*+", text.lower())
    if match is None or (match[2] and match[2] not in _HOURS):
        raise RequestError(
            f"must be a number of fits such as 12, or hours such as 5h, got {text!r}.", argument="budget"
        )
    return (float(match[1]) * _HOURS[match[2]], True) if match[2] else (float(match[1]), False)


def _cost(results: Path | None, fit: float | None, example: float | None, pairs: Path | None) -> Cost:
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
