"""One scan from a NIfTI file or a folder of DICOM files: axial slices in Hounsfield units, upright, feet to head."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import shift

from .._check import format_some
from .._extras import import_extra
from ..errors import DataError
from . import dicom
from .unpack_limits import MOST_VOXELS, refuse_more

__all__ = ["WINDOW", "Scan", "is_nifti", "read_nifti", "read_scan"]

WINDOW = (-100.0, 300.0)  # Hounsfield units of soft tissue: what the paper keeps
AIR = -1024.0
_LONGEST_HEADER = 540
_MOST_BEFORE = 10_000_000  # bytes
_LEAST_TILT = 0.5  # voxels by which slices must be displaced for the displacement to count

_TAGS = [
    "SeriesInstanceUID",
    "Modality",
    "ImageType",
    "ImageOrientationPatient",
    "ImagePositionPatient",
    "PixelSpacing",
    "Rows",
    "Columns",
    "NumberOfFrames",
    "InstanceNumber",
]
_SAME_PLACE = 0.01  # millimetres between slices that are one slice twice
_SAME_DIRECTION = 1e-3
_GAP = 1.5  # times the usual distance between slices: where it is exceeded, slices are missing


@dataclass(frozen=True)
class Scan:
    """The slices of a scan from the feet upwards, the front of the patient on top, the patient's right on the left.

    Parameters
    ----------
    n_slices
        Number of slices.
    raw
        Function from the number of a slice to its stored values, in Hounsfield units.
    displaced
        By how many voxels (downwards, to the right) each slice lies off the one axis that is perpendicular to them
        all; of shape (n_slices, 2). The gantry's tilt shows here.
    remarks
        Oddities of the files that a reader should know.
    """

    n_slices: int
    raw: Callable[[int], NDArray[Any]]
    displaced: NDArray[np.float64]
    remarks: tuple[str, ...] = ()

    @property
    def is_tilted(self) -> bool:
        """Whether slices have to be moved within their planes to stand above each other."""
        return bool(np.abs(self._find_moves()).max() >= _LEAST_TILT)

    def _find_moves(self) -> NDArray[np.float64]:
        return self.displaced - (self.displaced.min(axis=0) + self.displaced.max(axis=0)) / 2

    def read_slice(self, number: int) -> NDArray[np.float32]:
        """Slice in Hounsfield units; of a tilted scan moved within its plane, in a frame with room for all."""
        values = np.asarray(self.raw(number), dtype=np.float32)
        if not self.is_tilted:
            return values
        # As much room on all sides, so that what is square stays so.
        most_moved = float(np.abs(self._find_moves()).max())
        if not most_moved <= max(values.shape):  # NaN fails, too
            raise DataError(
                f"moves its slices by up to {most_moved:.3g} voxels, more than they are wide: no scanner tilts that "
                "far, so the header must be damaged"
            )
        room = ceil(most_moved)
        framed = np.pad(values, room, constant_values=AIR)
        return shift(framed, self._find_moves()[number], order=1, mode="constant", cval=AIR, prefilter=False)


def scale_to_window(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Clip Hounsfield units to the window, and scale it to [0, 1]."""
    low, high = WINDOW
    return (np.clip(values, low, high) - np.float32(low)) / np.float32(high - low)


def is_nifti(path: Path) -> bool:
    """Whether the name of a file is that of a NIfTI file."""
    return path.name.lower().endswith((".nii", ".nii.gz"))


def read_scan(path: Path, most: int = MOST_VOXELS) -> Scan:
    """Read the scan in a NIfTI file or in a folder of DICOM files."""
    if path.is_dir():
        return read_series(path, most)
    if is_nifti(path):
        return read_nifti(path, most)
    raise DataError("is neither a folder of DICOM files nor a NIfTI file (.nii, .nii.gz)")


def read_nifti(path: Path, most: int = MOST_VOXELS) -> Scan:
    """Read the scan in a NIfTI file; the slices of several volumes follow each other."""
    nibabel = import_extra("nibabel", "Reading NIfTI", "images")
    try:
        with nibabel.imageglobals.LoggingOutputSuppressor():  # of what it mends in a header
            image = nibabel.as_closest_canonical(_find_nifti_class(nibabel, path, most).from_filename(path))
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


def _find_nifti_class(nibabel: Any, path: Path, most: int) -> Any:
    """Class of nibabel that reads a file, once its header is checked: before anything it declares is read."""
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


@dataclass(frozen=True)
class _Slice:
    """Position and shape of the slice in one file."""

    path: Path
    number: int
    position: NDArray[np.float64]
    columns_to: NDArray[np.float64]  # the direction in which columns are counted
    rows_to: NDArray[np.float64]
    spacing: tuple[float, float]  # between rows, between columns
    shape: tuple[int, int]

    @property
    def normal(self) -> NDArray[np.float64]:
        """Unit vector perpendicular to the slice, towards the head."""
        normal = np.cross(self.columns_to, self.rows_to)
        return normal if normal[2] >= 0 else -normal


def read_series(folder: Path, most: int = MOST_VOXELS) -> Scan:
    """Read the scan in a folder of DICOM files, at any depth; of several series the largest axial one."""
    by_series = _slices_by_series(folder, most)
    axial = {name: slices for name, slices in by_series.items() if np.argmax(np.abs(slices[0].normal)) == 2}
    if not axial:
        raise DataError(f"holds {len(by_series)} series of CT slices, none of them axial")
    slices = max(axial.values(), key=len)
    _refuse_inconsistent(slices)
    refuse_more(len(slices) * slices[0].shape[0] * slices[0].shape[1], most, "voxels")
    remarks = []
    if len(by_series) > 1:
        remarks.append(f"{len(by_series)} series; the largest axial one, with {len(slices)} slices, was used")
    normal = slices[0].normal
    slices = sorted(slices, key=lambda one: (float(one.position @ normal), one.number, str(one.path)))
    slices, duplicates = _drop_duplicates(slices, normal)
    if duplicates:
        remarks.append(f"duplicate slices left out ({len(duplicates)}): {format_some(duplicates)}")
    height = np.array([one.position @ normal for one in slices])
    remarks += _describe_gaps(slices, height)
    turn = _Turn.to_upright(slices[0])

    def raw(number: int) -> NDArray[Any]:
        one = slices[number]
        try:
            data = dicom.open_dicom(one.path, most)
            return turn.apply(dicom.rescale_to_hounsfield(dicom.decode_pixels(data, most), data))
        except DataError as problem:
            raise DataError(f"{one.path.name} {problem}") from None

    return Scan(len(slices), raw, turn.measure_displacements(slices), tuple(remarks))


def _slices_by_series(folder: Path, most: int) -> dict[str, list[_Slice]]:
    found: dict[str, list[_Slice]] = defaultdict(list)
    files, of_several_frames = 0, 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if not dicom.is_dicom(path):
            continue
        files += 1
        try:
            header = dicom.open_dicom(path, most, _TAGS)
        except DataError as problem:
            raise DataError(f"{path.name} {problem}") from None
        if header.get("Modality") != "CT" or "LOCALIZER" in (header.get("ImageType") or ()):
            continue
        if int(header.get("NumberOfFrames") or 1) > 1:
            of_several_frames += 1
        elif (one := _read_position(path, header)) is not None:
            found[str(header.get("SeriesInstanceUID", ""))].append(one)
    if not files:
        raise DataError("contains no DICOM files")
    if not found and of_several_frames:
        raise DataError(
            "holds several slices in one file (enhanced CT). Convert it with dcm2niix, and name the .nii.gz file"
        )
    if not found:
        raise DataError(f"holds {files} DICOM files, but no CT slice with a position")
    return found


def _read_position(path: Path, header: Any) -> _Slice | None:
    """Position of a slice; None where the header does not say."""
    try:
        position = np.array(header.ImagePositionPatient, dtype=np.float64)
        directions = np.array(header.ImageOrientationPatient, dtype=np.float64).reshape(2, 3)
        rows_apart, columns_apart = (float(value) for value in header.PixelSpacing)
        shape = int(header.Rows), int(header.Columns)
        number = int(header.get("InstanceNumber") or 0)
    except (AttributeError, TypeError, ValueError):
        return None
    if position.shape != (3,) or not np.isfinite([*position, *directions.ravel(), rows_apart, columns_apart]).all():
        return None
    return _Slice(path, number, position, directions[0], directions[1], (rows_apart, columns_apart), shape)


def _refuse_inconsistent(slices: list[_Slice]) -> None:
    first = slices[0]
    for what, differ in (
        ("shapes", lambda one: one.shape != first.shape),
        (
            "directions",
            lambda one: (
                not np.allclose([one.columns_to, one.rows_to], [first.columns_to, first.rows_to], atol=_SAME_DIRECTION)
            ),
        ),
        ("distances between pixels", lambda one: not np.allclose(one.spacing, first.spacing, rtol=1e-3)),
    ):
        other = [one.path.name for one in slices if differ(one)]
        if other:
            raise DataError(
                f"holds a series with slices of different {what} ({first.path.name} and {format_some(other, 3)}). Put "
                "what belongs together into a separate folder"
            )


def _drop_duplicates(slices: list[_Slice], normal: NDArray[np.float64]) -> tuple[list[_Slice], list[str]]:
    kept, duplicates = [slices[0]], []
    for one in slices[1:]:
        if (one.position - kept[-1].position) @ normal < _SAME_PLACE:
            duplicates.append(one.path.name)
        else:
            kept.append(one)
    return kept, duplicates


def _describe_gaps(slices: list[_Slice], height: NDArray[np.float64]) -> list[str]:
    """Remark on missing slices, with the names of the files beside each gap."""
    if len(slices) < 3:
        return []
    apart = np.diff(height)
    usual = float(np.median(apart))
    wide = np.flatnonzero(apart > _GAP * usual)
    if not len(wide):
        return []
    missing = int(sum(round(apart[i] / usual) - 1 for i in wide))
    places = [f"{slices[i].path.name} and {slices[i + 1].path.name} ({apart[i]:.4g} mm)" for i in wide]
    return [
        f"slices missing (about {missing}): they are {usual:.4g} mm apart, but not between {format_some(places, 3)}"
    ]


@dataclass(frozen=True)
class _Turn:
    """Transposition and flips after which rows run from front to back, columns from right to left."""

    transposed: bool
    rows_flipped: bool
    columns_flipped: bool

    @classmethod
    def to_upright(cls, one: _Slice) -> _Turn:
        # In DICOM's coordinates x runs to the patient's left, y to the back.
        transposed = bool(abs(one.columns_to[0]) < abs(one.columns_to[1]))
        columns, rows = (one.rows_to, one.columns_to) if transposed else (one.columns_to, one.rows_to)
        return cls(transposed, bool(rows[1] < 0), bool(columns[0] < 0))

    def apply(self, values: NDArray[Any]) -> NDArray[Any]:
        turned = values.T if self.transposed else values
        return turned[:: -1 if self.rows_flipped else 1, :: -1 if self.columns_flipped else 1]

    def measure_displacements(self, slices: list[_Slice]) -> NDArray[np.float64]:
        """Voxels by which each slice lies off the perpendicular through the first one, by row and column."""
        first = slices[0]
        away = np.array([one.position - first.position for one in slices])
        down, right = away @ first.rows_to / first.spacing[0], away @ first.columns_to / first.spacing[1]
        if self.transposed:
            down, right = right, down
        return np.column_stack([-down if self.rows_flipped else down, -right if self.columns_flipped else right])
