"""The command `apexgp embed`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..._check import format_some
from ...images.datasets import DATASETS
from ...images.embed import EmbeddingRun, embed_images
from ...images.encoder import DEFAULT_MODEL
from ...images.preprocess import NORMALISATIONS
from ..command import SetsArgument
from ..output import quote_path

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
        bool, typer.Option("--force", help="Start afresh if the output exists."), SetsArgument("overwrite")
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
        typer.echo(f"\n{say_stopped(out)}", err=True)
        raise typer.Exit(130) from None
    for line in list_left_out(run):
        typer.echo(line, err=True)
    typer.echo(say_done(run))
    typer.echo(say_next_command(run))


def say_done(run: EmbeddingRun) -> str:
    """How many there are now, and where."""
    of_patients = "" if run.n_patients is None else f" of {run.n_patients:,} patients"
    total = f"{run.n_embedded:,} {run.kind}{of_patients}"
    if not run.written:
        return f"Nothing to do: the embeddings of {total} are in {run.out}."
    fresh = "" if run.n_new == run.n_embedded else f", {run.n_new:,} of them new"
    return f"The embeddings of {total} are in {run.out}{fresh}."


def list_left_out(run: EmbeddingRun) -> list[str]:
    """Everything that is not in the output, or is odd about what is."""
    lines = [f"Left out: {file} {reason}." for file, reason in run.unreadable]
    if run.without_file:
        lines.append(f"Left out, labels without a file ({len(run.without_file):,}): {format_some(run.without_file)}.")
    if run.without_label:
        lines.append(f"Left out, files without a label ({len(run.without_label):,}): {format_some(run.without_label)}.")
    lines += [f"{file}: {remark}." for file, remark in run.remarks]
    return [*lines, *run.notes]


def say_next_command(run: EmbeddingRun) -> str:
    """Say what to type next, and why rare labels are not in it."""
    if not run.tasks:
        return "No label distinguishes the cases, so there is no curve to collect."
    words = ["apexgp", "collect", quote_path(run.out)]
    for label in run.tasks:
        words += ["--label", label]
    words += [] if run.n_patients is None else ["--group", "patient"]
    rare = (
        f" (Labels that fewer than a tenth of the {run.kind} have, or all of them, are in the file too: "
        f"{format_some(run.rare, 20)}.)"
        if run.rare
        else ""
    )
    return f"Next: {shlex.join(words)}{rare}"


def say_stopped(out: Path) -> str:
    """Say what an interrupted run leaves behind."""
    return f"Stopped. Finished work is kept in or beside {out}; the same command resumes from there."
