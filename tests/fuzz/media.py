"""Pictures and scans that lie about what they hold, read in a process that has little memory."""

import gzip
import struct
from functools import lru_cache
from io import BytesIO

import nibabel
import numpy as np
import pydicom
from hypothesis import strategies as st
from PIL import Image

from apexgp.images.dicom import silence_pydicom
from apexgp.images.items import Item
from apexgp.images.pipeline import UnreadableCase, _read_case
from apexgp.images.preprocess import Preprocessing
from apexgp.images.unpack_limits import limit_pillow
from fuzz.surface import folder
from fuzz.values import damaged
from image_files import dicom_file, save_dicom
from limited import with_little_memory

FOREIGN = [
    b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n%%EOF\n",
    b"%PDF-1.4\n",
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;",
    b"8BPS\x00\x01" + bytes(60),
    b"\xd7\xcd\xc6\x9a" + bytes(80),
]
EDGES = [0, 1, 7, 223, 4000, 32767, 65535]
WILD = ["nan", "inf", "-1", "0", "1e308", "1e-308"]


@lru_cache
def good_pictures():
    values = np.arange(96, dtype=np.uint8).reshape(8, 12)
    found = []
    for form in ("PNG", "JPEG", "TIFF", "BMP"):
        file = BytesIO()
        Image.fromarray(values).save(file, form)
        found.append(file.getvalue())
    return found


@lru_cache
def good_nifti():
    return nibabel.Nifti1Image(np.arange(320, dtype=np.int16).reshape(8, 8, 5), np.diag([1, 1, 2, 1])).to_bytes()


@st.composite
def a_picture(draw):
    content = draw(st.sampled_from(good_pictures()))
    kind = draw(st.sampled_from(["damaged", "foreign", "wide"]))
    if kind == "foreign":
        content = draw(st.sampled_from(FOREIGN))
    elif kind == "wide":  # a PNG that declares what it has not
        edges = struct.pack(">II", draw(st.sampled_from(EDGES)), draw(st.sampled_from(EDGES)))
        content = good_pictures()[0].replace(struct.pack(">II", 12, 8), edges)
    else:
        content = draw(damaged(content))
    return "pictures", draw(st.sampled_from(["a.png", "a.jpg", "a.tif", "a.bmp"])), content


@st.composite
def a_nifti(draw):
    content = bytearray(good_nifti())
    if draw(st.booleans()):
        sizes = draw(st.lists(st.sampled_from([*EDGES[:-1], -1]), min_size=7, max_size=7))
        struct.pack_into("<8h", content, 40, draw(st.integers(0, 8)), *sizes)
    if draw(st.booleans()):  # how the voxels lie in space
        place = draw(st.integers(280, 324)) // 4 * 4
        struct.pack_into("<f", content, place, draw(st.sampled_from([9000.0, 1e30, np.nan, np.inf, 0.0, -1e9])))
    if draw(st.booleans()):
        struct.pack_into("<f", content, 108, draw(st.sampled_from([0.0, 352.0, 1e9, -1.0, np.nan, np.inf])))
    data = draw(damaged(bytes(content))) if draw(st.booleans()) else bytes(content)
    packed = draw(st.booleans())
    return "scans", "a.nii.gz" if packed else "a.nii", gzip.compress(data) if packed else data


@st.composite
def a_dicom(draw):
    tags = {}
    for name in draw(st.lists(st.sampled_from(["Rows", "Columns", "SamplesPerPixel", "NumberOfFrames"]), max_size=2)):
        tags[name] = draw(st.sampled_from(EDGES))
    for name in ("WindowCenter", "WindowWidth", "RescaleSlope", "RescaleIntercept"):
        if draw(st.booleans()):
            tags[name] = draw(st.sampled_from(WILD))
    deflated = draw(st.booleans())
    path = folder() / "made.dcm"
    with pydicom.config.disable_value_validation():
        data = dicom_file(np.arange(64, dtype=np.uint16).reshape(8, 8), **tags)
        data.file_meta.MediaStorageSOPInstanceUID = data.SOPInstanceUID = "1.2.3"  # the same bytes every time
        if deflated:
            data.file_meta.TransferSyntaxUID = pydicom.uid.DeflatedExplicitVRLittleEndian
        save_dicom(path, data)
    content = path.read_bytes()
    return "pictures", "a.dcm", draw(damaged(content)) if draw(st.booleans()) else content


@st.composite
def media_file(draw):
    """A picture or scan that is damaged, foreign, or declares what nobody has."""
    kind, name, content = draw(a_picture() | a_nifti() | a_dicom())
    path = folder() / name

    def act():
        path.write_bytes(content)
        with silence_pydicom(), limit_pillow(10**6):
            found = with_little_memory(
                lambda: _read_case(Item(name, path), Preprocessing.build(kind, False, 32, "half", 10**6))
            )
        if isinstance(found, UnreadableCase):
            assert "memory" not in found.reason, found.reason
            return "refused"
        assert np.isfinite(found.values).all()
        return "taken"

    return f"{name} {content[:400]!r}", act, None
