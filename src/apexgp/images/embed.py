"""`embed_images`: a folder and its labels in, embeddings out, recorded as it goes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._check import check_bool, check_choice, check_list, check_path, check_text, check_whole_number, format_some
from ..errors import DataError, RequestError
from ..running.terminal import progress_bar
from . import dicom
from .datasets import DATASETS, read_dataset
from .encoder import DEFAULT_MODEL, Encoder
from .items import Item, LabelledFiles, digest_items, read_file_names, read_own_files
from .pipeline import EmbeddedCase, UnreadableCase, embed_batches, read_in_order
from .preprocess import NORMALISATIONS, Kind, Planes, Preprocessing, measure_mean_and_sd
from .stores import (
    PictureStore,
    ScanStore,
    open_picture_store,
    open_scan_store,
    read_picture_settings,
    read_scan_settings,
)
from .unpack_limits import MOST_PIXELS, limit_pillow

__all__ = ["EmbeddingRun", "embed_images"]

_MOST_IN_BATCH = 4096


@dataclass(frozen=True)
class EmbeddingRun:
    """Summary of a run of `embed_images`.

    Attributes
    ----------
    out : Path
        Where the embeddings are: an .npz file of pictures, a folder of scans.
    kind : {"pictures", "scans"}
    n_embedded, n_new : int
        How many are in the output, and how many of them this run embedded.
    written : bool
        False where the output existed already and nothing had to be changed.
    n_patients : int or None
    tasks : tuple of str
        Labels with more than one value; of those that are 0 or 1, the ones that at least a tenth of the cases have.
    rare : tuple of str
        The other labels.
    unreadable : tuple of (file, reason)
        Files that were left out.
    without_file, without_label : tuple of str
        Names that only the table has, and files that only the folder has.
    remarks : tuple of (file, text)
        What was odd about a scan that was nevertheless embedded.
    notes : tuple of str
        What else a reader should know.
    """

    out: Path
    kind: Kind
    n_embedded: int
    n_new: int
    written: bool
    n_patients: int | None
    tasks: tuple[str, ...]
    rare: tuple[str, ...]
    unreadable: tuple[tuple[str, str], ...]
    without_file: tuple[str, ...]
    without_label: tuple[str, ...]
    remarks: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def embed_images(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    model: str | os.PathLike[str] = DEFAULT_MODEL,
    device: str = "auto",
    batch: int = 32,
    crop: bool | None = None,
    normalise: str | None = None,
    fit_on: str | os.PathLike[str] | None = None,
    per_patient: Sequence[str] = (),
    max_pixels: int | None = None,
    overwrite: bool = False,
    progress: bool = True,
) -> EmbeddingRun:
    """Embed pictures or scans by a frozen, pretrained vision transformer, ready for `apexgp collect`.

    Finished work is kept, and the same call resumes from it: an interruption costs at most a batch of pictures, or a
    scan. Files that cannot be read are left out and listed. Nothing of a DICOM header gets into the output.

    Parameters
    ----------
    folder : path
        Where the files are.
    out : path
        For pictures an .npz file: X, file, patient, every label, and what they were made with. For scans a folder: one
        .npy file per scan, of shape (slices, features), and their table.
    labels : path, optional
        CSV file with a column `file` (a picture, a NIfTI file, or a folder of DICOM slices, within `folder`), perhaps
        `patient`, and one column per label.
    dataset : str, optional
        In place of `labels`: one of the paper's data sets, in the layout in which it is downloaded; ``apexgp datasets``
        lists them.
    model : str or path
        Name on the Hugging Face hub, or a folder that `save_pretrained` wrote.
    device : str
        "auto" for a GPU where there is one, or a torch device.
    batch : int
        Pictures or slices per batch.
    crop : bool, optional
        Whether to crop to a central square as wide as the shorter edge. By default as in the paper for one of its data
        sets, and not for your own files.
    normalise : {"source", "imagenet", "half"}, optional
        Mean and sd of the pictures given, measured in a first pass; ImageNet's; or 0.5 and 0.5. By default the source's
        for one of the paper's data sets, and ImageNet's for your own files, to which more can then be added later.
    fit_on : path, optional
        CSV file whose column `file` names the pictures from which mean and sd of the source are computed. By default
        all.
    per_patient : sequence of str
        Labels that belong to the patient: two values for one patient are an error.
    max_pixels : int, optional
        Most pixels that a picture may declare (by default 50 million), or voxels that a scan may (400 million). A file
        that declares more is left out and listed, before any memory is asked for.
    overwrite : bool
        Start afresh if the output exists.
    progress : bool
        Show a progress bar, where there is a terminal.

    Returns
    -------
    EmbeddingRun
    """
    batch = check_whole_number("batch", batch, least=1, most=_MOST_IN_BATCH)
    overwrite, progress = check_bool("overwrite", overwrite), check_bool("progress", progress)
    most = None if max_pixels is None else check_whole_number("max_pixels", max_pixels, least=1, most=10**12)
    source, target = _check_folder(folder), check_path(out)
    with dicom.silence_pydicom(), limit_pillow(most or MOST_PIXELS):
        labelled = _read_cases(source, labels, dataset, per_patient)
        _check_name(target, labelled.kind)
        encoder = Encoder(model, device)
        cut = crop if crop is not None else dataset is not None and DATASETS[dataset].crop
        normalise = check_choice(
            "normalise",
            normalise if normalise is not None else ("imagenet" if dataset is None else "source"),
            NORMALISATIONS,
        )
        preprocessing = Preprocessing.build(labelled.kind, check_bool("crop", cut), encoder.size, normalise, most)
        if not preprocessing.mean:
            earlier = None if overwrite else _read_settings(target, labelled.kind)
            preprocessing = _measure_or_reuse(preprocessing, _select_items(labelled, fit_on), earlier, progress)
        elif fit_on is not None:
            raise RequestError(
                "names the pictures from which mean and sd are computed.",
                argument="fit_on",
                remedy=("It requires {}.", ("normalise", "source")),
            )
        settings = {**encoder.to_settings(), "preprocessing": preprocessing.to_settings()}
        with _open_store(target, settings, labelled, overwrite) as store:
            return _embed_cases(store, _to_path(out), labelled, preprocessing, encoder, batch, progress)


def _embed_cases(
    store: PictureStore | ScanStore,
    out: Path,
    labelled: LabelledFiles,
    preprocessing: Preprocessing,
    encoder: Encoder,
    batch: int,
    progress: bool,
) -> EmbeddingRun:
    """Embed what the store lacks, and write the output."""
    left = [item for item in labelled.items if item.key not in store]
    unreadable: list[tuple[str, str]] = []
    before = len(labelled.items) - len(left)
    with progress_bar(labelled.kind, len(labelled.items), done=before, shown=progress, patience=0) as advance:
        for finished in embed_batches(left, preprocessing, encoder, batch):
            store.add([one for one in finished if isinstance(one, EmbeddedCase)])
            unreadable += [(one.item.file, one.reason) for one in finished if isinstance(one, UnreadableCase)]
            for _ in finished:
                advance()
    kept = [i for i, item in enumerate(labelled.items) if item.key in store]
    if not kept:
        reasons = dict.fromkeys(reason for _, reason in unreadable)
        raise DataError(
            f"None of the {len(unreadable)} files can be read: {unreadable[0][0]} {format_some(list(reasons), 3)}."
        )
    written = store.finish(labelled)
    return EmbeddingRun(
        out=out,
        kind=labelled.kind,
        n_embedded=len(kept),
        n_new=len(left) - len(unreadable),
        written=written,
        n_patients=None if labelled.patients is None else len({labelled.patients[i] for i in kept}),
        tasks=labelled.tasks,
        rare=tuple(label for label in labelled.labels if label not in labelled.tasks),
        unreadable=tuple(unreadable),
        without_file=labelled.without_file,
        without_label=labelled.without_label,
        remarks=tuple(store.list_remarks(labelled)) if isinstance(store, ScanStore) else (),
        notes=labelled.notes,
    )


def _check_folder(folder: str | os.PathLike[str]) -> Path:
    path = check_path(folder)
    if not os.path.isdir(path):  # unlike the path's own, it takes a name that is too long for that of none
        raise DataError(f"There is no folder {folder}. Name the one that contains the pictures or scans.")
    if not any(path.iterdir()):
        raise DataError(f"The folder {folder} is empty.")
    return path


def _read_cases(
    folder: Path, labels: str | os.PathLike[str] | None, dataset: str | None, per_patient: Sequence[str]
) -> LabelledFiles:
    if (labels is None) == (dataset is None):
        raise RequestError(
            "Labels come either from your own table or from one of the paper's data sets.",
            remedy=("Give one of {} and {}.", "labels", "dataset"),
        )
    if dataset is not None:
        return read_dataset(dataset, folder)
    names = check_list("per_patient", per_patient, "a list of labels")
    return read_own_files(
        folder, _to_path(labels), [check_text("per_patient", name, "names of labels") for name in names]
    )


def _to_path(given: str | os.PathLike[str] | None) -> Path:
    """Path as it was given, for messages; what is not a path is refused."""
    check_path(given)  # type: ignore[arg-type]
    return Path(os.fsdecode(given))  # type: ignore[arg-type]


def _check_name(out: Path, kind: Kind) -> None:
    if kind == "pictures" and out.suffix.lower() != ".npz":
        raise RequestError(
            f"must be a file that ends in .npz for embeddings of pictures, got {out.name}.", argument="out"
        )
    if kind == "scans" and out.suffix.lower() in (".npz", ".npy", ".csv"):
        raise RequestError(
            f"must be a folder for embeddings of scans, got {out.name}. Omit {out.suffix}.", argument="out"
        )


def _read_settings(out: Path, kind: Kind) -> dict[str, Any] | None:
    return read_picture_settings(out) if kind == "pictures" else read_scan_settings(out)


def _open_store(
    out: Path, settings: dict[str, Any], labelled: LabelledFiles, overwrite: bool
) -> AbstractContextManager[PictureStore] | AbstractContextManager[ScanStore]:
    if labelled.kind == "pictures":
        return open_picture_store(out, settings, labelled, overwrite)
    return open_scan_store(out, settings, overwrite)


def _select_items(labelled: LabelledFiles, fit_on: str | os.PathLike[str] | None) -> list[Item]:
    """Pictures that mean and sd are measured on."""
    if fit_on is None:
        return list(labelled.items)
    names = read_file_names(_to_path(fit_on))
    chosen = [item for item in labelled.items if item.file in names]
    if not chosen:
        raise DataError(f"{fit_on} names none of the {len(labelled.items)} files that are embedded.")
    return chosen


def _measure_or_reuse(
    preprocessing: Preprocessing, items: Sequence[Item], earlier: dict[str, Any] | None, progress: bool
) -> Preprocessing:
    """Add mean and sd of these items: as an earlier run measured them, or measured now."""
    digest = digest_items(items)
    before = {} if earlier is None else earlier["preprocessing"]
    unmeasured = {
        name: value for name, value in preprocessing.to_settings().items() if name not in ("mean", "sd", "measured_on")
    }
    if before.get("measured_on") == digest and all(before.get(name) == value for name, value in unmeasured.items()):
        return preprocessing.with_statistics(before["mean"], before["sd"], digest)
    with progress_bar("mean and sd", len(items), shown=progress, patience=0) as advance:
        mean, sd = measure_mean_and_sd(_iterate_readable(items, preprocessing, advance))
    return preprocessing.with_statistics(mean, sd, digest)


def _iterate_readable(
    items: Sequence[Item], preprocessing: Preprocessing, advance: Callable[[], None]
) -> Iterator[Planes]:
    """Planes of the items that can be read."""
    for _, found in read_in_order(items, preprocessing, ahead=32 if preprocessing.kind == "pictures" else 2):
        advance()
        if isinstance(found, Planes):
            yield found
