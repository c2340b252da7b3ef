"""The command `apexgp schema`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..._check import check_choice
from ..options import among
from ..schemas import DOCUMENTS, about_document, identifier_of, schema_of

__all__ = ["schema"]


def schema(
    *,
    name: Annotated[
        str | None,
        typer.Argument(
            help=(
                "Document: the command that prints it with --json, batch for a forecast of several tasks, evaluation "
                "for minimum --for evaluation, or report for the numbers that a report offers as a file. If omitted, "
                "all are listed."
            ),
            autocompletion=among(*DOCUMENTS),
        ),
    ] = None,
) -> None:
    """Print the JSON Schema (draft 2020-12) of a document that --json prints.

    A document names the schema that it follows, with its version, under the key schema.
    """
    if name is None:
        for one in DOCUMENTS:
            typer.echo(f"{one:<12} {identifier_of(one):<26} {about_document(one).replace('`', '')}")
        return
    typer.echo(json.dumps(schema_of(check_choice("name", name, DOCUMENTS)), indent=1))
