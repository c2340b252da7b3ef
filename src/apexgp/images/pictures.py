"""Read a picture file of any common kind: 8-bit values as they are, all others in [0, 1]."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._extras import import_extra
from ..errors import DataError
from . import dicom
from .unpack_limits import MOST_PIXELS, refuse_more

__all__ = ["PICTURE_SUFFIXES", "make_square", "read_picture"]

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".dcm", ".dicom")
_DEEP = ("I;16", "I;16L", "I;16B", "I;16N")  # Pillow's names for 16 bits of grey
_MOST_16 = 65535
_FORMATS = ("PNG", "JPEG", "TIFF", "BMP")  # no others: Pillow would hand PostScript to another program


def read_picture(path: Path, most: int = MOST_PIXELS) -> NDArray[Any]:
    """Read a picture, of shape (height, width) if it is grey, (height, width, 3) if it has colours.

    Bytes are given as they are. Everything deeper is divided by the largest number that its kind of file can hold, so
    that a picture has the same shades whatever else is in it; DICOM files by their own window. What declares more than
    `most` pixels is refused before anything is unpacked.
    """
    if path.suffix.lower() in (".dcm", ".dicom") or dicom.is_dicom(path):
        return dicom.read_dicom_picture(path, most)
    Image = import_extra("PIL.Image", "Reading pictures", "images")
    ImageOps = import_extra("PIL.ImageOps", "Reading pictures", "images")
    try:
        with Image.open(path, formats=_FORMATS) as file:
            refuse_more(file.width * file.height, most, "pixels")
            _refuse_frames(file)
            file.load()
            return _read_values(ImageOps.exif_transpose(file))
    except DataError:
        raise
    except Image.UnidentifiedImageError:
        raise DataError("is not a readable picture (PNG, JPEG, TIFF, BMP, DICOM)") from None
    except MemoryError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):  # a few times as many, found by Pillow
        raise DataError(f"declares more than {most:,} pixels. If that is intended, raise max_pixels") from None
    except Exception as problem:  # whatever Pillow's readers raise: damage shows in any way
        raise DataError(f"is damaged or truncated: {problem or type(problem).__name__}") from None


def _refuse_frames(file: Any) -> None:
    """Refuse a file of several frames, without counting them, which would take long for many."""
    try:
        file.seek(1)
    except EOFError:
        file.seek(0)
        return
    raise DataError("holds several frames. Save the right one as a separate file")


def _read_values(picture: Any) -> NDArray[Any]:
    if picture.mode in _DEEP:
        return (np.asarray(picture).astype(np.float32) / _MOST_16).astype(np.float32)
    if picture.mode in ("I", "F"):
        values = np.asarray(picture)
        low, high = float(values.min()), float(values.max())
        most = 1.0 if picture.mode == "F" else float(_MOST_16)
        if not (low >= 0 and high <= most):  # NaN fails, too
            raise DataError(f"holds numbers from {low:g} to {high:g}; expected 0 to {most:g}")
        return (values / most).astype(np.float32)
    if picture.mode in ("1", "L", "LA", "La"):
        return np.asarray(picture.convert("L"))
    if picture.mode == "P":
        picture = picture.convert("RGBA")  # a palette may have transparent colours
    return np.asarray(picture.convert("RGB"))


def make_square(picture: NDArray[Any], crop: bool, size: int) -> NDArray[Any]:
    """Resize a picture to `size` x `size`, bilinear with antialiasing, as image processors do; the type stays.

    Parameters
    ----------
    picture
        Of shape (height, width) or (height, width, 3); bytes, or floats in [0, 1].
    crop
        Whether to cut out the middle first, as wide as the shorter edge; otherwise the longer edge is squeezed.
    size
        Edge of the result.
    """
    Image = import_extra("PIL.Image", "Reading pictures", "images")
    height, width = picture.shape[:2]
    if crop:
        edge = min(height, width)
        top, left = round((height - edge) / 2), round((width - edge) / 2)
        picture = picture[top : top + edge, left : left + edge]

    def resize(part: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(Image.fromarray(np.ascontiguousarray(part)).resize((size, size), Image.Resampling.BILINEAR))

    if picture.dtype == np.uint8 or picture.ndim == 2:
        return resize(picture)
    return np.stack([resize(picture[..., channel]) for channel in range(3)], axis=-1)
