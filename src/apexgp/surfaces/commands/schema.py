"""The command `apexgp schema`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..._check import check_choice
from ...question_base.schemas import build_schema, describe_type, read_identifier
from ..command import complete
from ..documents import load_documents

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
            autocompletion=lambda incomplete: complete(*load_documents())(incomplete),
        ),
    ] = None,
) -> None:
    """Print the JSON Schema (draft 2020-12) of a document that --json prints.

    A document names the schema that it follows, with its version, under the key schema.
    """
    documents = load_documents()
    if name is None:
        for one, kind in documents.items():
            typer.echo(f"{one:<12} {read_identifier(kind):<26} {describe_type(kind).replace('`', '')}")
        return
    typer.echo(json.dumps(build_schema(documents[check_choice("name", name, documents)]), indent=1))
