"""The command `apexgp embed`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...images.datasets import DATASETS
from ...images.embed import embed_images
from ...images.encoder import DEFAULT_MODEL
from ...images.preprocess import NORMALISATIONS
from ..command import Sets
from ..words.embed import done_sentence, left_out_lines, next_sentence, stopped_sentence

__all__ = ["embed"]


def embed(
    *,
    folder: Annotated[Path, typer.Argument(help="Folder of pictures or scans.")],
    out: Annotated[Path, typer.Option(help="Output: an .npz file for pictures, a folder for scans.")],
    labels: Annotated[
        Path | None,
        typer.Option(help="CSV file with the columns file, optionally patient, and one per label."),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help=f"In place of --labels, one of the paper's data sets: {', '.join(DATASETS)}.")
    ] = None,
    model: Annotated[
        str, typer.Option(help="Vision transformer: a name on the Hugging Face hub, or a folder.")
    ] = DEFAULT_MODEL,
    device: Annotated[str, typer.Option(help="Where to compute: auto, cpu, cuda, mps.")] = "auto",
    batch: Annotated[int, typer.Option(help="Pictures or slices per batch.")] = 32,
    crop: Annotated[
        bool | None,
        typer.Option(
            help="Crop to a central square as wide as the shorter edge.",
            show_default="as in the paper; no for your own",
        ),
    ] = None,
    normalise: Annotated[
        str | None,
        typer.Option(
            help=f"Mean and sd to normalise with: {', '.join(NORMALISATIONS)}.",
            show_default="source for --dataset, imagenet for your own",
        ),
    ] = None,
    fit_on: Annotated[
        Path | None,
        typer.Option(
            help="CSV file whose column file names the pictures from which the mean and sd of the source are computed."
        ),
    ] = None,
    per_patient: Annotated[
        list[str] | None,
        typer.Option(
            help="Label that belongs to the patient: two values for one patient are an error. Repeat for several."
        ),
    ] = None,
    max_pixels: Annotated[
        int | None,
        typer.Option(
            help="Most pixels that a picture, or voxels that a scan, may have.",
            show_default="50 million, 400 million",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start afresh if the output exists."), Sets("overwrite")
    ] = False,
) -> None:
    """Turn pictures or scans into embeddings of a pretrained vision transformer, ready for collect."""
    try:
        run = embed_images(
            folder,
            out,
            labels=labels,
            dataset=dataset,
            model=model,
            device=device,
            batch=batch,
            crop=crop,
            normalise=normalise,
            fit_on=fit_on,
            per_patient=per_patient or (),
            max_pixels=max_pixels,
            overwrite=force,
        )
    except KeyboardInterrupt:
        typer.echo(f"\n{stopped_sentence(out)}", err=True)
        raise typer.Exit(130) from None
    for line in left_out_lines(run):
        typer.echo(line, err=True)
    typer.echo(done_sentence(run))
    typer.echo(next_sentence(run))
