"""Embeddings and data sets in words."""

from __future__ import annotations

import shlex
from pathlib import Path

from ..._check import format_some
from ...images.datasets import DataSet
from ...images.embed import EmbeddingRun
from .phrases import as_typed

__all__ = ["about_dataset", "dataset_lines", "done_sentence", "left_out_lines", "next_sentence", "stopped_sentence"]


def done_sentence(run: EmbeddingRun) -> str:
    """How many there are now, and where."""
    of_patients = "" if run.n_patients is None else f" of {run.n_patients:,} patients"
    total = f"{run.n_embedded:,} {run.kind}{of_patients}"
    if not run.written:
        return f"Nothing to do: the embeddings of {total} are in {run.out}."
    fresh = "" if run.n_new == run.n_embedded else f", {run.n_new:,} of them new"
    return f"The embeddings of {total} are in {run.out}{fresh}."


def left_out_lines(run: EmbeddingRun) -> list[str]:
    """Everything that is not in the output, or is odd about what is."""
    lines = [f"Left out: {file} {reason}." for file, reason in run.unreadable]
    if run.without_file:
        lines.append(f"Left out, labels without a file ({len(run.without_file):,}): {format_some(run.without_file)}.")
    if run.without_label:
        lines.append(f"Left out, files without a label ({len(run.without_label):,}): {format_some(run.without_label)}.")
    lines += [f"{file}: {remark}." for file, remark in run.remarks]
    return [*lines, *run.notes]


def next_sentence(run: EmbeddingRun) -> str:
    """What to type next; for labels that are rare, why they are not in it."""
    if not run.tasks:
        return "No label distinguishes the cases, so there is no curve to collect."
    words = ["apexgp", "collect", as_typed(run.out)]
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


def stopped_sentence(out: Path) -> str:
    """What an interrupted run leaves behind."""
    return f"Stopped. Finished work is kept in or beside {out}; the same command resumes from there."


def dataset_lines(dataset: DataSet) -> list[str]:
    """A data set among others: what to type, what it holds, where it is obtained."""
    return [f"{dataset.name:<14}{dataset.title}: {dataset.size}", f"{'':<14}{dataset.where}"]


def about_dataset(dataset: DataSet) -> list[str]:
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
