"""The command `apexgp datasets`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..._check import check_choice
from ...images.datasets import DATASETS
from ..words.embed import about_dataset, dataset_lines

__all__ = ["datasets"]


def datasets(
    *,
    name: Annotated[str | None, typer.Argument(help="One of them, to see its details.")] = None,
) -> None:
    """List the paper's data sets that embed reads: what they contain, where to get them, how they are laid out."""
    if name is not None:
        typer.echo("\n".join(about_dataset(DATASETS[check_choice("name", name, DATASETS)])))
        return
    for dataset in DATASETS.values():
        typer.echo("\n".join(dataset_lines(dataset)))
    typer.echo("`apexgp datasets NAME` shows the expected layout, and how the data are prepared.")
