"""Pictures from all kinds of files: the same shades whichever way they were saved."""

from pathlib import Path

import numpy as np
import pytest

from apexgp.errors import DataError
from apexgp.images.pictures import make_square, read_picture
from conftest import require
from image_files import dicom_file, save_dicom, save_picture

Image = require("PIL.Image")
pydicom = require("pydicom")
REAL = Path(pydicom.__file__).parent / "data" / "test_files"

GREY = np.arange(48, dtype=np.uint8).reshape(6, 8) * 5


@pytest.mark.parametrize("name", ["a.png", "a.tif", "a.bmp"])
def test_bytes_are_given_as_they_are(tmp_path, name):
    assert np.array_equal(read_picture(save_picture(tmp_path / name, GREY)), GREY)


def test_colours_transparency_palettes_and_two_colours(tmp_path):
    colours = np.stack([GREY, GREY[::-1], 255 - GREY], axis=-1)
    assert np.array_equal(read_picture(save_picture(tmp_path / "rgb.png", colours)), colours)
    half = np.dstack([colours, np.full_like(GREY, 90)])
    assert np.array_equal(read_picture(save_picture(tmp_path / "rgba.png", half)), colours)  # some of ChestX-ray14 are
    Image.fromarray(colours).quantize(200).save(tmp_path / "palette.png")
    assert np.abs(read_picture(tmp_path / "palette.png").astype(int) - colours).max() < 20
    black_and_white = GREY > 100
    assert np.array_equal(read_picture(save_picture(tmp_path / "1.png", black_and_white)), 255 * black_and_white)


@pytest.mark.parametrize("name", ["a.png", "a.tiff"])
def test_sixteen_bits_are_shades_of_the_whole_range(tmp_path, name):
    deep = (GREY.astype(np.uint16) * 200).astype(np.uint16)
    found = read_picture(save_picture(tmp_path / name, deep))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, deep / 65535, atol=1e-7)


def test_floats_must_be_shades_already(tmp_path):
    shades = (GREY / 255).astype(np.float32)
    assert np.array_equal(read_picture(save_picture(tmp_path / "a.tif", shades)), shades)
    with pytest.raises(DataError, match="numbers from 0 to 235; expected 0 to 1"):
        read_picture(save_picture(tmp_path / "b.tif", GREY.astype(np.float32)))


def test_a_photograph_that_says_it_lies_is_set_upright(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by a quarter
    path = save_picture(tmp_path / "a.png", GREY, exif=exif)
    assert np.array_equal(read_picture(path), np.rot90(GREY, -1))


@pytest.mark.parametrize(("crop", "box"), [(False, (0, 0, 301, 200)), (True, (50, 0, 250, 200))])
def test_size_is_pillows_and_the_crop_is_the_middle(rng, crop, box):
    values = rng.integers(0, 256, (200, 301, 3), dtype=np.uint8)
    expected = Image.fromarray(values).crop(box).resize((32, 32), Image.Resampling.BILINEAR)
    assert np.array_equal(make_square(values, crop, 32), expected)
    # Deeper pictures go the same way, without the rounding.
    deep = make_square((values / 255).astype(np.float32), crop, 32)
    assert np.abs(deep * 255 - np.asarray(expected, float)).max() < 1.01


@pytest.mark.parametrize("name", ["CT_small.dcm", "MR_small.dcm", "MR_small_RLE.dcm"])
def test_dicom_shades_are_those_of_its_window(name):
    # pydicom's own windowing fills the range of the stored bits; that is brought to [0, 1].
    data = pydicom.dcmread(REAL / name)
    if "WindowCenter" not in data:
        data.WindowCenter, data.WindowWidth = 200, 900
    shown = pydicom.pixels.apply_voi_lut(pydicom.pixels.apply_modality_lut(data.pixel_array, data), data)
    low = -(2 ** (data.BitsStored - 1)) if data.PixelRepresentation else 0
    ends = np.array([low, low + 2**data.BitsStored - 1]) * data.get("RescaleSlope", 1) + data.get("RescaleIntercept", 0)
    from apexgp.images.dicom import _find_grey_values

    found = _find_grey_values(data.pixel_array, data)
    np.testing.assert_allclose(found, (shown - ends[0]) / (ends[1] - ends[0]), atol=1e-6)
    assert found.max() > 0.9 > 0.3 > found.min()
    assert read_picture(REAL / name).dtype == np.float32


@pytest.mark.parametrize(("function", "middle"), [("LINEAR", 0.5), ("LINEAR_EXACT", 0.5), ("SIGMOID", 0.5)])
def test_every_window_is_half_grey_at_its_centre(tmp_path, function, middle):
    values = np.array([[-3000, 40, 3000]], np.int16)
    data = dicom_file(
        values, WindowCenter=40, WindowWidth=400, VOILUTFunction=function, RescaleSlope=1, RescaleIntercept=0
    )
    found = read_picture(save_dicom(tmp_path / "a.dcm", data))
    np.testing.assert_allclose(found, [[0, middle, 1]], atol=2e-3)


def test_monochrome1_is_inverted_and_without_a_window_the_bits_say_the_range(tmp_path):
    values = np.array([[0, 1024, 4095]], np.uint16)
    plain = read_picture(save_dicom(tmp_path / "a.dcm", dicom_file(values, BitsStored=12, HighBit=11)))
    np.testing.assert_allclose(plain, values / 4095, atol=1e-6)
    inverted = read_picture(
        save_dicom(tmp_path / "b.dcm", dicom_file(values, kind="MONOCHROME1", BitsStored=12, HighBit=11))
    )
    np.testing.assert_allclose(inverted, 1 - plain, atol=1e-6)


def test_colours_of_dicom_files():
    for name in ("examples_rgb_color.dcm", "SC_rgb_jpeg_dcmtk.dcm", "examples_palette.dcm", "SC_rgb_rle_16bit.dcm"):
        found = read_picture(REAL / name)
        assert found.ndim == 3
        assert found.shape[-1] == 3
        assert found.dtype == np.uint8 or 0 <= found.min() < found.max() <= 1


def test_a_dicom_file_needs_no_ending(tmp_path):
    path = tmp_path / "IM000001"
    path.write_bytes((REAL / "CT_small.dcm").read_bytes())
    assert read_picture(path).shape == (128, 128)


def test_several_frames_are_refused_with_a_word(tmp_path):
    with pytest.raises(DataError, match=r"holds 2 frames. Save the right one"):
        read_picture(REAL / "SC_rgb_rle_2frame.dcm")
    Image.fromarray(GREY).save(tmp_path / "a.tif", save_all=True, append_images=[Image.fromarray(GREY)])
    with pytest.raises(DataError, match="holds several frames"):
        read_picture(tmp_path / "a.tif")


def test_what_cannot_be_read_is_explained(tmp_path, rng):
    whole = save_picture(tmp_path / "a.png", rng.integers(0, 256, (64, 64), dtype=np.uint8)).read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "empty.png").touch()
    (tmp_path / "text.dcm").write_text("no picture")
    (tmp_path / "cut.dcm").write_bytes((REAL / "CT_small.dcm").read_bytes()[:20_000])
    for name, message in [
        ("cut.png", "damaged or truncated"),
        ("text.png", "not a readable picture"),
        ("empty.png", "not a readable picture"),
        ("text.dcm", "not a DICOM file"),
        ("cut.dcm", "cannot be decoded|cut off|damaged"),
        (REAL / "rtplan.dcm", "DICOM file without pixel data"),
    ]:
        with pytest.raises(DataError, match=message):
            read_picture(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("JPEG2000.dcm", "pylibjpeg-openjpeg"),
        ("MR_small_jpeg_ls_lossless.dcm", "pylibjpeg-libjpeg"),
        ("JPGExtended.dcm", "pylibjpeg-libjpeg"),
    ],
)
def test_a_missing_decoder_is_named(monkeypatch, name, package):
    from apexgp.images import dicom

    monkeypatch.setattr(dicom, "_has_decoder", lambda *_: False)
    with pytest.raises(
        DataError, match=rf"is compressed as JPEG.*decoder is missing. Try: pip install pylibjpeg {package}"
    ):
        read_picture(REAL / name)
