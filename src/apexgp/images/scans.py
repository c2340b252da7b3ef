"""One scan from a DICOM series or a NIfTI file: axial slices in Hounsfield units, upright and in one order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import shift

from .._extras import import_extra
from ..errors import DataError
from .bounds import MOST_VOXELS, refuse_more

__all__ = ["AIR", "WINDOW", "Scan", "is_nifti", "read_nifti"]

WINDOW = (-100.0, 300.0)  # Hounsfield units of soft tissue: what the paper keeps
AIR = -1024.0
_LONGEST_HEADER = 540
_MOST_BEFORE = 10_000_000  # bytes
_LEAST_TILT = 0.5  # voxels by which slices must be displaced for the displacement to count


@dataclass(frozen=True)
class Scan:
    """The slices of a scan from the feet upwards, the front of the patient on top, the patient's right on the left.

    Parameters
    ----------
    n_slices
        How many there are.
    raw
        Gives the slice of a number as it was stored, in Hounsfield units.
    displaced
        By how many voxels (downwards, to the right) each slice lies off the one axis that is perpendicular to them
        all; of shape (n_slices, 2). The gantry's tilt shows here.
    remarks
        What a reader should know.
    """

    n_slices: int
    raw: Callable[[int], NDArray[Any]]
    displaced: NDArray[np.float64]
    remarks: tuple[str, ...] = ()

    @property
    def tilted(self) -> bool:
        """Whether the slices have to be moved to stand above each other."""
        return bool(np.abs(self._moves()).max() >= _LEAST_TILT)

    def _moves(self) -> NDArray[np.float64]:
        return self.displaced - (self.displaced.min(axis=0) + self.displaced.max(axis=0)) / 2

    def hounsfield(self, number: int) -> NDArray[np.float32]:
        """A slice in Hounsfield units; in a tilted scan moved within its plane, in a frame that has room for all."""
        values = np.asarray(self.raw(number), dtype=np.float32)
        if not self.tilted:
            return values
        # As much room on all sides, so that what is square stays so.
        most_moved = float(np.abs(self._moves()).max())
        if not most_moved <= max(values.shape):  # NaN fails, too
            raise DataError(
                f"moves its slices by up to {most_moved:.3g} voxels, more than they are wide: no scanner tilts that "
                "far, so the header must be damaged"
            )
        room = ceil(most_moved)
        framed = np.pad(values, room, constant_values=AIR)
        return shift(framed, self._moves()[number], order=1, mode="constant", cval=AIR, prefilter=False)


def in_window(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Hounsfield units cut to the window, which becomes [0, 1]."""
    low, high = WINDOW
    return (np.clip(values, low, high) - np.float32(low)) / np.float32(high - low)


def is_nifti(path: Path) -> bool:
    """Whether a file is called as NIfTI files are."""
    return path.name.lower().endswith((".nii", ".nii.gz"))


def read_nifti(path: Path, most: int = MOST_VOXELS) -> Scan:
    """The scan in a NIfTI file; the slices of several volumes follow each other."""
    nibabel = import_extra("nibabel", "Reading NIfTI", "images")
    try:
        with nibabel.imageglobals.LoggingOutputSuppressor():  # of what it mends in a header
            image = nibabel.as_closest_canonical(_kind_of_nifti(nibabel, path, most).from_filename(path))
        values = np.asanyarray(image.dataobj)
    except (MemoryError, DataError):
        raise
    except Exception as problem:  # whatever nibabel raises: damage shows in any way
        raise DataError(f"is not a NIfTI file, is damaged or truncated ({type(problem).__name__})") from None
    if values.dtype.kind not in "iuf" or values.ndim not in (3, 4) or not values.size:
        raise DataError(f"must contain a volume of numbers, got {values.dtype.kind!r} of shape {values.shape}")
    volumes = values[..., None] if values.ndim == 3 else values
    depth, count = volumes.shape[2:]
    remarks = (f"{count} volumes, whose slices were concatenated",) if count > 1 else ()

    def raw(number: int) -> NDArray[Any]:
        # From right, anterior, superior as NIfTI counts to rows from the front and columns from the patient's right.
        plane = volumes[::-1, ::-1, number % depth, number // depth].T
        return np.nan_to_num(plane.astype(np.float32), nan=AIR, posinf=AIR, neginf=AIR)

    columns, rows, up = image.affine[:3, :3].T
    if not (np.isfinite(image.affine).all() and rows @ rows > 0 and columns @ columns > 0):
        raise DataError("has an affine that does not place its voxels")
    step = -np.array([up @ rows / (rows @ rows), up @ columns / (columns @ columns)])
    displaced = np.tile(np.arange(depth)[:, None] * step, (count, 1))
    return Scan(depth * count, raw, displaced, remarks)


def _kind_of_nifti(nibabel: Any, path: Path, most: int) -> Any:
    """The class that reads a file, whose header is looked at before anything that it declares is read."""
    with nibabel.openers.ImageOpener(path) as file:
        start = file.read(_LONGEST_HEADER)
    kinds = (nibabel.Nifti1Image, nibabel.Nifti2Image)
    kind = next((kind for kind in kinds if kind.header_class.may_contain_header(start)), None)
    if kind is None:
        raise DataError("is not a single-file NIfTI image")
    header = kind.header_class(start[: kind.header_class.template_dtype.itemsize], check=False)
    refuse_more(prod(map(int, header.get_data_shape())), most, "voxels")
    if header.get_data_dtype().kind not in "iuf" or header.get_data_dtype().itemsize > 8:
        raise DataError("does not contain numbers of up to 64 bits")
    if not 0 <= header.get_data_offset() <= _MOST_BEFORE:  # extensions, which are read whole
        raise DataError(f"declares {header.get_data_offset():,} bytes before its voxels, more than {_MOST_BEFORE:,}")
    return kind
