"""DICOM files: pixels decoded, or the reason why not. No text of a header is ever repeated, only numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._extras import import_extra
from ..errors import DataError
from .unpack_limits import MOST_PIXELS, inflate, refuse_more

__all__ = ["decode_pixels", "is_dicom", "open_dicom", "read_dicom_picture", "rescale_to_hounsfield", "silence_pydicom"]

_MARK = slice(128, 132)  # where DICM stands in a DICOM file
_GROUP_LENGTH = 12  # bytes of the element that says how long the file's own header is
_DECODERS = {  # by what the name of a transfer syntax begins with
    "JPEG 2000": "pylibjpeg pylibjpeg-openjpeg",
    "High-Throughput JPEG 2000": "pylibjpeg pylibjpeg-openjpeg",
    "JPEG": "pylibjpeg pylibjpeg-libjpeg",
}


def is_dicom(path: Path) -> bool:
    """Whether a file has the mark of DICOM."""
    with path.open("rb") as file:
        return file.read(_MARK.stop)[_MARK] == b"DICM"


def open_dicom(path: Path, most: int, tags: list[str] | None = None) -> Any:
    """Read a DICOM file with pydicom, all of it, or only these tags without the pixels.

    A compressed file may unpack to no more than `most` pixels.
    """
    pydicom = import_extra("pydicom", "Reading DICOM", "images")
    wanted = {} if tags is None else {"stop_before_pixels": True, "specific_tags": tags}
    try:
        meta = pydicom.filereader.read_file_meta_info(path)
        if meta.get("TransferSyntaxUID") != pydicom.uid.DeflatedExplicitVRLittleEndian:
            return pydicom.dcmread(path, **wanted)
        # pydicom would unpack whatever there is; the data set alone, unpacked within bounds, is an ordinary one.
        packed = path.read_bytes()[_MARK.stop + _GROUP_LENGTH + int(meta.FileMetaInformationGroupLength) :]
        data = pydicom.dcmread(BytesIO(inflate(packed, most)), force=True, **wanted)
        data.file_meta = pydicom.dataset.FileMetaDataset()
        data.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
        return data
    except DataError:
        raise
    except (pydicom.errors.InvalidDicomError, EOFError):
        raise DataError("is not a DICOM file, or is truncated") from None
    except OSError as problem:
        raise DataError(f"cannot be read: {problem.strerror or type(problem).__name__}") from None
    except Exception as problem:  # whatever pydicom raises; what it says may quote the header
        raise DataError(f"is a damaged DICOM file ({type(problem).__name__})") from None


def decode_pixels(data: Any, most: int) -> NDArray[Any]:
    """Stored values of a file with one frame of at most `most` pixels; colours as red, green and blue."""
    pydicom = import_extra("pydicom", "Reading DICOM", "images")
    if not any(name in data for name in ("PixelData", "FloatPixelData", "DoubleFloatPixelData")):
        raise DataError("is a DICOM file without pixel data")
    frames = int(data.get("NumberOfFrames") or 1)
    if frames > 1:
        raise DataError(f"holds {frames} frames. Save the right one as a separate file")
    refuse_more(int(data.get("Rows") or 0) * int(data.get("Columns") or 0), most, "pixels")
    if int(data.get("SamplesPerPixel") or 1) > 4 or int(data.get("BitsAllocated") or 8) > 64:
        raise DataError("declares more than 4 values per pixel, or more than 64 bits each")
    syntax: Any = getattr(getattr(data, "file_meta", None), "TransferSyntaxUID", None)
    compressed = syntax is not None and syntax.is_compressed
    if compressed and not _has_decoder(pydicom, syntax):
        raise DataError(f"is compressed as {syntax.name}, for which a decoder is missing.{_package_for(syntax.name)}")
    try:
        return data.pixel_array
    except Exception as problem:  # as above, or what a decoder raises
        if compressed:
            hint = _package_for(syntax.name)
            raise DataError(
                f"is compressed as {syntax.name} and was not decoded ({type(problem).__name__}).{hint}"
            ) from None
        raise DataError(f"has pixel data that cannot be decoded ({type(problem).__name__})") from None


def _has_decoder(pydicom: Any, syntax: Any) -> bool:
    try:
        return bool(pydicom.pixels.get_decoder(syntax).is_available)
    except NotImplementedError:
        return False


def _package_for(name: str) -> str:
    package = next((package for start, package in _DECODERS.items() if name.startswith(start)), None)
    return "" if package is None else f" Try: pip install {package}"


def rescale_to_hounsfield(values: NDArray[Any], data: Any) -> NDArray[np.float64]:
    """Stored values to Hounsfield units, by the file's own slope and intercept."""
    if data.get("RescaleSlope") is None or data.get("RescaleIntercept") is None:
        raise DataError("has no rescale slope and intercept, so its values are not in Hounsfield units")
    slope, intercept = float(data.RescaleSlope), float(data.RescaleIntercept)
    if not np.isfinite([slope, intercept]).all():
        raise DataError("has a rescale slope or intercept that is not finite")
    return values * slope + intercept


def read_dicom_picture(path: Path, most: int = MOST_PIXELS) -> NDArray[Any]:
    """Read a single picture: 8-bit colours as they are, all else as numbers in [0, 1] with white as 1."""
    data = open_dicom(path, most)
    values = decode_pixels(data, most)
    kind = data.get("PhotometricInterpretation", "")
    if kind == "PALETTE COLOR":
        values = import_extra("pydicom.pixels", "Reading DICOM", "images").apply_color_lut(values, data)
    if values.ndim == 3:
        return values if values.dtype == np.uint8 else (values / np.iinfo(values.dtype).max).astype(np.float32)
    with np.errstate(all="ignore"):  # of a window that makes no sense: what comes out is looked at
        grey = _find_grey_values(values, data)
    if not np.isfinite(grey).all():
        raise DataError("has pixels, a window or a slope that do not give finite grey values")
    return (1 - grey if kind == "MONOCHROME1" else grey).astype(np.float32)


def _find_grey_values(values: NDArray[Any], data: Any) -> NDArray[np.float64]:
    """Grey values in [0, 1]: by the file's window or table, otherwise by the range that its bits allow."""
    pixels = import_extra("pydicom.pixels", "Reading DICOM", "images")
    shown = np.asarray(pixels.apply_modality_lut(values, data), dtype=np.float64)
    if data.get("WindowCenter") is not None and data.get("WindowWidth") is not None:
        return _apply_window(
            shown, _take_first(data.WindowCenter), _take_first(data.WindowWidth), data.get("VOILUTFunction")
        )
    if data.get("VOILUTSequence"):
        looked_up = pixels.apply_voi(shown.astype(values.dtype), data)
        return looked_up / (2.0 ** int(data.VOILUTSequence[0].LUTDescriptor[2]) - 1)
    if data.get("ModalityLUTSequence"):
        return shown / (2.0 ** int(data.ModalityLUTSequence[0].LUTDescriptor[2]) - 1)
    bits, signed = int(data.get("BitsStored", 8 * values.itemsize)), bool(data.get("PixelRepresentation", 0))
    ends = np.array([-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] if signed else [0, 2**bits - 1])
    low, high = sorted(np.asarray(pixels.apply_modality_lut(ends, data), dtype=np.float64))
    return np.clip((shown - low) / (high - low), 0, 1)


def _apply_window(values: NDArray[np.float64], centre: float, width: float, function: Any) -> NDArray[np.float64]:
    """Grey values by the window functions of DICOM part 3, C.11.2.1.2 and C.11.2.1.3."""
    if not (np.isfinite(centre) and 0 < width < np.inf):
        raise DataError("has a window without a finite centre and a width above 0")
    if function == "SIGMOID":
        return 1 / (1 + np.exp(-4 * (values - centre) / width))
    if function == "LINEAR_EXACT":
        return np.clip((values - centre) / width + 0.5, 0, 1)
    if width <= 1:
        return (values > centre - 0.5).astype(np.float64)
    return np.clip((values - (centre - 0.5)) / (width - 1) + 0.5, 0, 1)


def _take_first(value: Any) -> float:
    """The first of the windows that a file may offer."""
    return float(value[0] if hasattr(value, "__len__") and not isinstance(value, str) else value)


@contextmanager
def silence_pydicom() -> Iterator[None]:
    """Keep pydicom from quoting odd values of headers in warnings, for the length of a block."""
    try:
        config = import_extra("pydicom.config", "Reading DICOM", "images")
    except ImportError:
        yield  # whoever meets a DICOM file will say what is missing
        return
    before = config.settings.reading_validation_mode
    config.settings.reading_validation_mode = config.IGNORE
    try:
        yield
    finally:
        config.settings.reading_validation_mode = before
