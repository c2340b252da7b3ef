"""The command `apexgp minimum`."""

from __future__ import annotations

from typing import Annotated, cast, get_args

import typer

from ...questions.minimum import MinimumQuestion, Purpose
from ..facts import minimum_facts
from ..options import among, share_option
from ..output import OutputOptions
from ..tables import table_of

__all__ = ["minimum"]


def minimum(
    *,
    purpose: Annotated[
        str,
        typer.Option(
            "--for",
            help="What the patients are for: development of the model, or evaluation of the finished one.",
            autocompletion=among(*get_args(Purpose)),
        ),
    ] = MinimumQuestion.purpose,
    prevalence: Annotated[float, share_option(help="Share of patients with the outcome.")],
    cstatistic: Annotated[
        float | None,
        share_option(
            help="The C statistic (AUROC) that the model is expected to achieve; for development, instead of --r2.",
            show_default=False,
        ),
    ] = None,
    parameters: Annotated[
        int | None,
        typer.Option(help="For development: number of candidate coefficients for the model.", show_default=False),
    ] = None,
    r2: Annotated[
        float | None,
        typer.Option(
            "--r2",
            help="For development: Cox and Snell's R2 that the model is expected to achieve.",
            show_default=False,
        ),
    ] = None,
    nagelkerke: Annotated[bool, typer.Option("--nagelkerke", help="The R2 is Nagelkerke's.")] = False,
    margin: Annotated[
        float, typer.Option(help="For development: half-width of the interval for the overall risk.")
    ] = MinimumQuestion.margin,
    shrinkage: Annotated[
        float, typer.Option(help="For development: expected shrinkage of the coefficients.")
    ] = MinimumQuestion.shrinkage,
    optimism: Annotated[
        float, typer.Option(help="For development: difference between the apparent and the true Nagelkerke R2.")
    ] = MinimumQuestion.optimism,
    error: Annotated[
        float, typer.Option(help="For development: mean absolute error of the predicted risks.")
    ] = MinimumQuestion.error,
    threshold: Annotated[
        float | None,
        share_option(
            help="For evaluation: predicted risk above which a patient would be treated; adds the criterion of net "
            "benefit.",
            show_default=False,
        ),
    ] = None,
    oe_width: Annotated[
        float, typer.Option(help="For evaluation: width of the 95 % interval for observed over expected events.")
    ] = MinimumQuestion.oe_width,
    slope_width: Annotated[
        float, typer.Option(help="For evaluation: width of that for the calibration slope.")
    ] = MinimumQuestion.slope_width,
    cstatistic_width: Annotated[
        float, typer.Option(help="For evaluation: width of that for the C statistic.")
    ] = MinimumQuestion.cstatistic_width,
    net_benefit_width: Annotated[
        float, typer.Option(help="For evaluation: width of that for the standardised net benefit.")
    ] = MinimumQuestion.net_benefit_width,
    output: OutputOptions,
) -> None:
    """Say how many patients it takes to develop or evaluate a prediction model with a yes-or-no outcome.

    Development by the criteria of Riley et al. 2020, evaluation (external validation) by those of Riley et al. 2021.
    Outcomes of several categories and times to an event have criteria of their own, which are not here.
    """
    found = MinimumQuestion(
        purpose=cast(Purpose, purpose),
        prevalence=prevalence,
        cstatistic=cstatistic,
        parameters=parameters,
        r2=r2,
        nagelkerke=nagelkerke,
        margin=margin,
        shrinkage=shrinkage,
        optimism=optimism,
        error=error,
        threshold=threshold,
        oe_width=oe_width,
        slope_width=slope_width,
        cstatistic_width=cstatistic_width,
        net_benefit_width=net_benefit_width,
    ).answer()
    output.present(minimum_facts(found), *table_of(found))
