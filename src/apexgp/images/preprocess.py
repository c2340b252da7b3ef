"""Preparation of a picture or slice for the model, and its description in the record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .pictures import make_square, read_picture
from .scans import WINDOW, read_scan, scale_to_window
from .unpack_limits import MOST_PIXELS, MOST_VOXELS, refuse_more

__all__ = ["NORMALISATIONS", "Kind", "Planes", "Preprocessing", "measure_mean_and_sd"]

Kind = Literal["pictures", "scans"]

# Means and standard deviations of red, green and blue; those of the source are measured.
NORMALISATIONS: dict[str, tuple[tuple[float, ...], tuple[float, ...]] | None] = {
    "source": None,
    "imagenet": ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "half": ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),  # the image processor of google/vit-base-patch16-224-in21k
}


@dataclass(frozen=True)
class Planes:
    """Planes of one case for the model: bytes or floats in [0, 1], of shape (planes, size, size[, 3])."""

    values: NDArray[Any]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Preprocessing:
    """Settings that turn a file into input of the model.

    Parameters
    ----------
    kind
        Pictures, or scans slice by slice.
    crop
        Whether the middle is cut out first, as wide as the shorter edge.
    size
        Edge of the result, in pixels.
    normalise
        One of NORMALISATIONS.
    mean, sd
        By channel. Empty before those of the source are measured.
    measured_on
        Digest of the pictures that they were measured on; empty where nothing was measured.
    max_pixels
        Most pixels of a picture, or voxels of a scan.
    """

    kind: Kind
    crop: bool
    size: int
    normalise: str
    mean: tuple[float, ...] = ()
    sd: tuple[float, ...] = ()
    measured_on: str = ""
    max_pixels: int = MOST_PIXELS

    @classmethod
    def build(cls, kind: Kind, crop: bool, size: int, normalise: str, max_pixels: int | None = None) -> Preprocessing:
        """Make one with the mean and sd of `normalise`; empty where these are to be measured."""
        most = max_pixels or (MOST_PIXELS if kind == "pictures" else MOST_VOXELS)
        mean, sd = NORMALISATIONS[normalise] or ((), ())
        return cls(kind, crop, size, normalise, mean, sd, max_pixels=most)

    def read_planes(self, path: Path) -> Planes:
        """Read a case, and resize it."""
        if self.kind == "pictures":
            return Planes(make_square(read_picture(path, self.max_pixels), self.crop, self.size)[None])
        scan = read_scan(path, self.max_pixels)
        refuse_more(scan.n_slices * self.size**2, self.max_pixels, f"voxels in slices of {self.size} x {self.size}")
        slices = [make_square(scale_to_window(scan.read_slice(i)), self.crop, self.size) for i in range(scan.n_slices)]
        return Planes(np.stack(slices), scan.remarks)

    def make_batch(self, planes: list[NDArray[Any]]) -> NDArray[np.float32]:
        """Input of the model: (planes, 3, size, size), grey in three channels, normalised by mean and sd."""
        batch = np.empty((len(planes), 3, self.size, self.size), np.float32)
        for i, plane in enumerate(planes):
            values = to_unit_range(plane)
            batch[i] = values if values.ndim == 2 else np.moveaxis(values, -1, 0)
        mean, sd = (np.array(numbers, np.float32)[:, None, None] for numbers in (self.mean, self.sd))
        batch -= mean
        batch /= sd
        return batch

    def to_settings(self) -> dict[str, Any]:
        """Everything that decides the result, as JSON can hold it."""
        scaled = {"window_hu": list(WINDOW)} if self.kind == "scans" else {}
        return {
            "kind": self.kind,
            "crop": self.crop,
            "size": self.size,
            "resampling": "bilinear, antialiased",
            **scaled,
            "normalise": self.normalise,
            "mean": list(self.mean),
            "sd": list(self.sd),
            "measured_on": self.measured_on,
        }

    def with_statistics(self, mean: Iterable[float], sd: Iterable[float], on: str) -> Preprocessing:
        """Copy with the mean and sd of the source, measured on the pictures of digest `on`."""
        return replace(self, mean=tuple(mean), sd=tuple(sd), measured_on=on)


def to_unit_range(plane: NDArray[Any]) -> NDArray[np.float32]:
    """Plane with values in [0, 1]."""
    return plane.astype(np.float32) / np.float32(255) if plane.dtype == np.uint8 else plane.astype(np.float32)


def measure_mean_and_sd(cases: Iterable[Planes]) -> tuple[list[float], list[float]]:
    """Mean and standard deviation of all pixels by channel, in one pass."""
    count, total, squares = 0, np.zeros(3), np.zeros(3)
    for case in cases:
        for plane in case.values:
            values = to_unit_range(plane).astype(np.float64).reshape(plane.shape[0] * plane.shape[1], -1)
            count += len(values)
            total += values.sum(axis=0)
            squares += (values**2).sum(axis=0)
    if not count:
        raise DataError("None of the pictures from which mean and sd are computed can be read.")
    mean = total / count
    sd = np.sqrt(np.maximum(squares / count - mean**2, 0))
    if not (sd > 0).all():
        raise DataError("All pixels of the pictures from which mean and sd are computed are equal.")
    return mean.tolist(), sd.tolist()
