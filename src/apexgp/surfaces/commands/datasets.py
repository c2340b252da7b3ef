"""The command `apexgp datasets`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..._check import choice
from ...images.datasets import DATASETS
from ..words.embed import about_dataset, dataset_lines

__all__ = ["datasets"]


def datasets(
    *,
    name: Annotated[str | None, typer.Argument(help="One of them, to be told all about it.")] = None,
) -> None:
    """List the data sets of the paper that embed reads: what they hold, where they come from, how they lie."""
    if name is not None:
        typer.echo("\n".join(about_dataset(DATASETS[choice("name", name, DATASETS)])))
        return
    for dataset in DATASETS.values():
        typer.echo("\n".join(dataset_lines(dataset)))
    typer.echo("`apexgp datasets NAME` shows the layout that is expected, and how it is prepared.")
