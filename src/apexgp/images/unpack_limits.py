"""Limits on what a file may unpack to: what it declares is checked before anything is allocated.

A few kilobytes can declare gigabytes: packed zeros, a header that says so, a tilt that asks for a frame of miles.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from .._extras import import_extra
from ..errors import DataError

__all__ = ["MOST_PIXELS", "MOST_VOXELS", "inflate", "limit_pillow", "refuse_more"]

MOST_PIXELS = 50_000_000
"""Default limit of a picture: twice the pixels of a large mammogram."""
MOST_VOXELS = 400_000_000
"""Default limit of a scan: 1,500 slices of 512 x 512."""
_BYTES_A_PIXEL = 8  # three colours of 16 bits, and a header


def refuse_more(count: int, most: int, what: str) -> None:
    """Refuse a file that declares more than `most` pixels or voxels."""
    if count > most:
        raise DataError(f"declares {count:,} {what}, more than {most:,}. If that is intended, raise max_pixels")


def inflate(packed: bytes, most: int) -> bytes:
    """Decompress raw deflated bytes, to no more than a file of `most` pixels holds."""
    engine = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        found = engine.decompress(packed, most * _BYTES_A_PIXEL)
    except zlib.error:
        raise DataError("is damaged: it cannot be decompressed") from None
    if not engine.eof:
        raise DataError(
            f"is truncated, or decompresses to more than {most * _BYTES_A_PIXEL:,} bytes. If that is intended, raise "
            "max_pixels"
        )
    return found


@contextmanager
def limit_pillow(most: int) -> Iterator[None]:
    """Let Pillow refuse pictures of more than `most` pixels, also inside DICOM files, for the length of a block."""
    try:
        image = import_extra("PIL.Image", "Reading pictures", "images")
    except ImportError:
        yield  # whoever meets a picture will say what is missing
        return
    before = image.MAX_IMAGE_PIXELS
    image.MAX_IMAGE_PIXELS = (most + 1) // 2  # it warns beyond this many, and refuses beyond twice as many
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", image.DecompressionBombWarning)
            yield
    finally:
        image.MAX_IMAGE_PIXELS = before
