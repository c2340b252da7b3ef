"""The command `apexgp datasets`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..._check import check_choice
from ...images.datasets import DATASETS, DataSet

__all__ = ["datasets"]


def datasets(
    *,
    name: Annotated[str | None, typer.Argument(help="One of them, to see its details.")] = None,
) -> None:
    """List the paper's data sets that embed reads: what they contain, where to get them, how they are laid out."""
    if name is not None:
        typer.echo("\n".join(describe_dataset(DATASETS[check_choice("name", name, DATASETS)])))
        return
    for dataset in DATASETS.values():
        typer.echo("\n".join(list_dataset_lines(dataset)))
    typer.echo("`apexgp datasets NAME` shows the expected layout, and how the data are prepared.")


def list_dataset_lines(dataset: DataSet) -> list[str]:
    """A data set among others: what to type, what it holds, where it is obtained."""
    return [f"{dataset.name:<14}{dataset.title}: {dataset.size}", f"{'':<14}{dataset.where}"]


def describe_dataset(dataset: DataSet) -> list[str]:
    """A data set, line by line: what it is, where it comes from, how it lies on the disk, how it is prepared."""
    prepared = (
        "clip to [-100, 300] HU, scale to [0, 1], slices to 224 x 224"
        if dataset.kind == "scans"
        else f"{'centre crop to the shorter edge, ' if dataset.crop else ''}224 x 224, [0, 1]"
    )
    more, options = {
        ("scans", False): ("scales slices by (x - 100)/400, and ", ""),
        ("pictures", False): ("crops to the middle, and ", "--crop "),
        ("pictures", True): ("", ""),
    }[dataset.kind, dataset.crop]
    return [
        f"{dataset.title}: {dataset.size}",
        f"From: {dataset.where}",
        "Layout:",
        *(f"  {line}" for line in dataset.layout),
        f"Prepared as the paper's text says: {prepared}, mean and sd of the source.",
        f"The released code differs: it {more}uses ImageNet's mean and sd ({options}--normalise imagenet).",
        dataset.remark,
    ]
