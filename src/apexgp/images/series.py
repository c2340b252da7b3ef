"""The largest axial series of a folder of DICOM files, in the order of the slices' positions."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import format_some
from ..errors import DataError
from . import dicom
from .bounds import MOST_VOXELS, refuse_more
from .scans import Scan

__all__ = ["read_series"]

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
class _Slice:
    """Where one file's slice lies."""

    path: Path
    number: int
    position: NDArray[np.float64]
    columns_to: NDArray[np.float64]  # the direction in which columns are counted
    rows_to: NDArray[np.float64]
    spacing: tuple[float, float]  # between rows, between columns
    shape: tuple[int, int]

    @property
    def normal(self) -> NDArray[np.float64]:
        """Perpendicular to the slice, towards the head."""
        normal = np.cross(self.columns_to, self.rows_to)
        return normal if normal[2] >= 0 else -normal


def read_series(folder: Path, most: int = MOST_VOXELS) -> Scan:
    """The scan that a folder of DICOM files holds, at any depth; of several series the largest axial one."""
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
    slices, doubled = _without_doubles(slices, normal)
    if doubled:
        remarks.append(f"duplicate slices left out ({len(doubled)}): {format_some(doubled)}")
    height = np.array([one.position @ normal for one in slices])
    remarks += _gaps(slices, height)
    turn = _Turn.upright(slices[0])

    def raw(number: int) -> NDArray[Any]:
        one = slices[number]
        try:
            data = dicom.opened(one.path, most)
            return turn.applied(dicom.rescaled(dicom.decoded(data, most), data))
        except DataError as problem:
            raise DataError(f"{one.path.name} {problem}") from None

    return Scan(len(slices), raw, turn.displacements(slices), tuple(remarks))


def _slices_by_series(folder: Path, most: int) -> dict[str, list[_Slice]]:
    found: dict[str, list[_Slice]] = defaultdict(list)
    files, of_several_frames = 0, 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if not dicom.is_dicom(path):
            continue
        files += 1
        try:
            header = dicom.opened(path, most, _TAGS)
        except DataError as problem:
            raise DataError(f"{path.name} {problem}") from None
        if header.get("Modality") != "CT" or "LOCALIZER" in (header.get("ImageType") or ()):
            continue
        if int(header.get("NumberOfFrames") or 1) > 1:
            of_several_frames += 1
        elif (one := _slice(path, header)) is not None:
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


def _slice(path: Path, header: Any) -> _Slice | None:
    """Where the slice lies, or None where the header does not say."""
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


def _without_doubles(slices: list[_Slice], normal: NDArray[np.float64]) -> tuple[list[_Slice], list[str]]:
    kept, doubled = [slices[0]], []
    for one in slices[1:]:
        if (one.position - kept[-1].position) @ normal < _SAME_PLACE:
            doubled.append(one.path.name)
        else:
            kept.append(one)
    return kept, doubled


def _gaps(slices: list[_Slice], height: NDArray[np.float64]) -> list[str]:
    """Where slices are missing, by the names of the files beside the gap."""
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
    """How a slice is transposed and mirrored for rows to run from front to back, columns from right to left."""

    transposed: bool
    rows_flipped: bool
    columns_flipped: bool

    @classmethod
    def upright(cls, one: _Slice) -> _Turn:
        # In DICOM's coordinates x runs to the patient's left, y to the back.
        transposed = bool(abs(one.columns_to[0]) < abs(one.columns_to[1]))
        columns, rows = (one.rows_to, one.columns_to) if transposed else (one.columns_to, one.rows_to)
        return cls(transposed, bool(rows[1] < 0), bool(columns[0] < 0))

    def applied(self, values: NDArray[Any]) -> NDArray[Any]:
        turned = values.T if self.transposed else values
        return turned[:: -1 if self.rows_flipped else 1, :: -1 if self.columns_flipped else 1]

    def displacements(self, slices: list[_Slice]) -> NDArray[np.float64]:
        """Voxels by which each slice lies off the perpendicular through the first one, by row and column."""
        first = slices[0]
        away = np.array([one.position - first.position for one in slices])
        down, right = away @ first.rows_to / first.spacing[0], away @ first.columns_to / first.spacing[1]
        if self.transposed:
            down, right = right, down
        return np.column_stack([-down if self.rows_flipped else down, -right if self.columns_flipped else right])
