"""Files that declare more than anybody has: refused by their own words, before a byte of it is asked for."""

import gzip
import struct
import zlib

import numpy as np
import pytest

from apexgp import embed_images
from apexgp.errors import DataError
from apexgp.images.dicom import picture
from apexgp.images.pictures import read_picture
from apexgp.images.preprocess import Preprocessing
from apexgp.images.scans import read_nifti
from conftest import require
from image_files import dicom_file, save_dicom, save_model, save_picture, save_series
from limited import with_little_memory

nibabel = require("nibabel")
pydicom = require("pydicom")


def refused(action, message):
    with pytest.raises(DataError, match=message):
        with_little_memory(action)


def empty_png(width, height):
    """A PNG file of that many pixels, all black, of very few bytes."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    engine = zlib.compressobj(9)
    row = bytes(1 + width)
    packed = b"".join(engine.compress(row) for _ in range(height)) + engine.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def save_nifti(path, values, affine=None, **header):
    image = nibabel.Nifti1Image(values, np.eye(4) if affine is None else affine)
    nibabel.save(image, path)
    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "rb") as file:
        content = bytearray(file.read())
    for name, value in header.items():
        place, form = {"dim": (40, "<8h"), "vox_offset": (108, "<f"), "datatype": (70, "<2h")}[name]
        content[place : place + struct.calcsize(form)] = struct.pack(form, *np.atleast_1d(value))
    with opener(path, "wb") as file:
        file.write(content)
    return path


@pytest.mark.parametrize("name", ["c.png", "c.jpg", "c.eps"])
def test_no_picture_reaches_another_program(name, tmp_path, monkeypatch):
    ran = tmp_path / "ran"
    trap = tmp_path / "gs"
    trap.write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
    trap.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    require("PIL.EpsImagePlugin").gs_binary = None  # it has not been looked for yet
    eps = "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n%%EOF\n"
    (tmp_path / name).write_text(eps)
    with pytest.raises(DataError, match="is not a readable picture"):
        read_picture(tmp_path / name)
    assert not ran.exists()


@pytest.mark.slow
def test_pictures_are_bounded_by_their_pixels(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(empty_png(13_300, 13_300))
    assert path.stat().st_size < 500_000
    refused(lambda: read_picture(path), "declares more than 50,000,000 pixels")
    small = tmp_path / "b.png"
    small.write_bytes(empty_png(40, 30))
    refused(lambda: read_picture(small, 1199), "declares 1,200 pixels, more than 1,199. If that is intended")
    assert read_picture(small, 1200).shape == (30, 40)


@pytest.mark.slow
def test_dicom_files_are_bounded_by_what_they_declare_and_unpack_to(tmp_path):
    wide = save_dicom(tmp_path / "wide.dcm", dicom_file(np.zeros((4, 4), np.uint8), Rows=65000, Columns=65000))
    refused(lambda: picture(wide), "declares 4,225,000,000 pixels")
    deep = save_dicom(tmp_path / "deep.dcm", dicom_file(np.zeros((4, 4), np.uint8), SamplesPerPixel=60000))
    refused(lambda: picture(deep), "more than 4 values per pixel")
    # An ordinary deflated file, and one whose data set is followed by endless zeros.
    data = dicom_file(np.arange(16, dtype=np.uint8).reshape(4, 4))
    data.file_meta.TransferSyntaxUID = pydicom.uid.DeflatedExplicitVRLittleEndian
    deflated = save_dicom(tmp_path / "deflated.dcm", data)
    plain = save_dicom(tmp_path / "plain.dcm", dicom_file(np.arange(16, dtype=np.uint8).reshape(4, 4)))
    np.testing.assert_array_equal(picture(deflated), picture(plain))
    content = deflated.read_bytes()
    start = 128 + 4 + 12 + pydicom.filereader.read_file_meta_info(deflated).FileMetaInformationGroupLength
    engine = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    zeros = bytes(1_000_000)
    bomb = [engine.compress(zlib.decompress(content[start:], -zlib.MAX_WBITS))]
    bomb += [engine.compress(zeros) for _ in range(900)]
    (tmp_path / "bomb.dcm").write_bytes(content[:start] + b"".join(bomb) + engine.flush())
    refused(lambda: picture(tmp_path / "bomb.dcm", 10**7), "decompresses to more than 80,000,000 bytes")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz"])
def test_nifti_files_are_bounded_by_what_they_declare(name, tmp_path):
    values = np.zeros((8, 8, 4), np.int16)
    path = save_nifti(tmp_path / name, values, dim=[3, 8000, 8000, 40, 1, 1, 1, 1])
    refused(lambda: read_nifti(path), "declares 2,560,000,000 voxels, more than 400,000,000")
    path = save_nifti(tmp_path / name, values, vox_offset=1e9)
    refused(lambda: read_nifti(path), "bytes before its voxels")
    path = save_nifti(tmp_path / name, values, datatype=[1792, 128])  # complex numbers
    refused(lambda: read_nifti(path), "does not contain numbers of up to 64 bits")
    assert read_nifti(save_nifti(tmp_path / name, values)).n_slices == 4
    # Each slice becomes one of the network's size, however small it is.
    path = save_nifti(tmp_path / name, np.zeros((1, 1, 9000), np.int16))
    refused(
        lambda: Preprocessing.of("scans", False, 224, "half").planes(path), "declares 451,584,000 voxels in slices of"
    )


def test_no_scanner_tilts_by_more_than_a_slice_is_wide(tmp_path):
    sheared = np.eye(4)
    sheared[0, 2] = 9000
    path = save_nifti(tmp_path / "a.nii", np.zeros((32, 32, 4), np.int16), sheared)
    as_planes = Preprocessing.of("scans", False, 32, "half").planes
    refused(lambda: as_planes(path), "moves its slices by up to 1.35e.04 voxels")
    series = save_series(tmp_path / "s", np.zeros((4, 32, 32)), step=(9000.0, 0.0, 2.0))
    refused(lambda: as_planes(series), "more than they are wide")
    leaning = save_series(tmp_path / "t", np.zeros((4, 32, 32)), step=(5.0, 0.0, 2.0))
    assert as_planes(leaning).values.shape == (4, 32, 32)


@pytest.mark.parametrize(
    "tags",
    [
        {"WindowCenter": "nan", "WindowWidth": "10"},
        {"WindowCenter": "1", "WindowWidth": "nan"},
        {"WindowCenter": "1", "WindowWidth": "0", "VOILUTFunction": "LINEAR_EXACT"},
        {"WindowCenter": "1", "WindowWidth": "inf", "VOILUTFunction": "SIGMOID"},
        {"RescaleSlope": "nan", "RescaleIntercept": "0"},
        {"RescaleSlope": "1e308", "RescaleIntercept": "-inf"},
    ],
)
def test_a_window_that_gives_no_shades_is_refused(tags, tmp_path):
    with pydicom.config.disable_value_validation():
        path = save_dicom(tmp_path / "a.dcm", dicom_file(np.arange(16, dtype=np.uint8).reshape(4, 4), **tags))
    with pytest.raises(DataError, match="finite"):
        picture(path)


@pytest.mark.slow
def test_the_bound_is_an_option_and_what_exceeds_it_is_listed(tmp_path):
    for name, edge in (("a", 20), ("b", 40)):
        save_picture(tmp_path / "pictures" / f"{name}.png", np.eye(edge, dtype=np.uint8))
    (tmp_path / "labels.csv").write_text("file,y\na.png,0\nb.png,1\n")
    model = save_model(tmp_path / "vit")
    run = embed_images(
        tmp_path / "pictures",
        tmp_path / "e.npz",
        labels=tmp_path / "labels.csv",
        model=model,
        device="cpu",
        max_pixels=400,
    )
    assert run.n_embedded == 1
    assert run.unreadable == (("b.png", "declares more than 400 pixels. If that is intended, raise max_pixels"),)
