"""The command `apexgp minimum`."""

from __future__ import annotations

from typing import Annotated

import typer

from ...questions.minimum import MinimumQuestion
from ..facts import minimum_facts
from ..options import share_option
from ..output import OutputOptions
from ..tables import table_of

__all__ = ["minimum"]


def minimum(
    *,
    prevalence: Annotated[float, share_option(help="Share of patients with the outcome.")],
    parameters: Annotated[int, typer.Option(help="Number of candidate coefficients for the model.")],
    r2: Annotated[
        float | None,
        typer.Option("--r2", help="Cox and Snell's R2 that the model is expected to achieve.", show_default=False),
    ] = None,
    cstatistic: Annotated[
        float | None,
        share_option(
            help="Alternatively, the C statistic (AUROC) that it is expected to achieve (Riley et al. 2021).",
            show_default=False,
        ),
    ] = None,
    nagelkerke: Annotated[bool, typer.Option("--nagelkerke", help="The R2 is Nagelkerke's.")] = False,
    margin: Annotated[
        float, typer.Option(help="Half-width of the interval for the overall risk.")
    ] = MinimumQuestion.margin,
    shrinkage: Annotated[
        float, typer.Option(help="Expected shrinkage of the coefficients.")
    ] = MinimumQuestion.shrinkage,
    optimism: Annotated[
        float, typer.Option(help="Difference between the apparent and the true Nagelkerke R2.")
    ] = MinimumQuestion.optimism,
    error: Annotated[float, typer.Option(help="Mean absolute error of the predicted risks.")] = MinimumQuestion.error,
    output: OutputOptions,
) -> None:
    """Say how many patients a prediction model with a yes-or-no outcome needs at least (Riley et al. 2020).

    Outcomes of several categories and times to an event have criteria of their own, which are not here.
    """
    found = MinimumQuestion(
        prevalence=prevalence,
        parameters=parameters,
        r2=r2,
        cstatistic=cstatistic,
        nagelkerke=nagelkerke,
        margin=margin,
        shrinkage=shrinkage,
        optimism=optimism,
        error=error,
    ).answer()
    output.present(minimum_facts(found), *table_of(found))
