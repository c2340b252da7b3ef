"""Scans: values, order and orientation of the slices, a tilted gantry, what is missing or doubled."""

from pathlib import Path

import numpy as np
import pytest

from apexgp.errors import DataError
from apexgp.images.preprocess import Preprocessing
from apexgp.images.scans import read_scan, scale_to_window
from conftest import require
from image_files import dicom_file, save_dicom, save_series

pydicom = require("pydicom")
nibabel = require("nibabel")
REAL_DICOM = Path(pydicom.__file__).parent / "data" / "test_files"
REAL_NIFTI = Path(nibabel.__file__).parent / "tests" / "data"


def slices(scan):
    return np.stack([scan.read_slice(i) for i in range(scan.n_slices)])


@pytest.fixture
def volume(rng):
    """Hounsfield units by (slice, row, column): no two directions alike."""
    return rng.integers(-1000, 2000, (7, 10, 12))


def test_hounsfield_units_are_exact_and_slices_in_the_order_of_their_positions(tmp_path, volume):
    scan = read_scan(save_series(tmp_path / "a", volume))
    assert np.array_equal(slices(scan), volume)
    assert not scan.is_tilted
    assert scan.remarks == ()
    downwards = read_scan(save_series(tmp_path / "b", volume, step=(0, 0, -2)))
    assert np.array_equal(slices(downwards), volume[::-1])  # from the feet upwards, whatever was scanned first


def test_every_file_has_its_own_slope_and_intercept(tmp_path, volume):
    save_series(tmp_path, volume[:1])
    data = dicom_file(
        (volume[1] * 2 + 100).astype(np.int16),
        Modality="CT",
        SeriesInstanceUID="1.2.3",
        ImageOrientationPatient=[1, 0, 0, 0, 1, 0],
        ImagePositionPatient=[0, 0, 2],
        PixelSpacing=[1, 1],
        RescaleSlope=0.5,
        RescaleIntercept=-50,
    )
    save_dicom(tmp_path / "b.dcm", data)
    assert np.array_equal(slices(read_scan(tmp_path)), volume[:2])


def test_a_real_slice(tmp_path):
    (tmp_path / "IM1").write_bytes((REAL_DICOM / "CT_small.dcm").read_bytes())
    data = pydicom.dcmread(REAL_DICOM / "CT_small.dcm")
    assert np.array_equal(slices(read_scan(tmp_path)), pydicom.pixels.apply_modality_lut(data.pixel_array, data)[None])


def test_a_real_study_gives_its_largest_axial_series():
    # Several patients' series, CT and MR, axial and not, lie under pydicom's dicomdirtests.
    scan = read_scan(REAL_DICOM / "dicomdirtests" / "98892001")
    by_series = {}
    for path in (REAL_DICOM / "dicomdirtests" / "98892001").rglob("*"):
        if path.is_file():
            data = pydicom.dcmread(path)
            if data.Modality == "CT" and "ImageOrientationPatient" in data and "LOCALIZER" not in data.ImageType:
                by_series.setdefault(data.SeriesInstanceUID, []).append(data)
    largest = max(by_series.values(), key=len)
    largest.sort(key=lambda data: data.ImagePositionPatient[2])
    assert scan.n_slices == len(largest)
    first = largest[0].pixel_array * largest[0].RescaleSlope + largest[0].RescaleIntercept
    assert np.array_equal(scan.read_slice(0), first)


@pytest.mark.parametrize(
    ("across", "down", "turned"),
    [
        ((1, 0, 0), (0, 1, 0), lambda v: v),
        ((-1, 0, 0), (0, 1, 0), lambda v: v[:, :, ::-1]),
        ((1, 0, 0), (0, -1, 0), lambda v: v[:, ::-1]),
        ((0, 1, 0), (1, 0, 0), lambda v: v.transpose(0, 2, 1)),
        ((0, -1, 0), (1, 0, 0), lambda v: v.transpose(0, 2, 1)[:, ::-1]),
    ],
)
def test_the_front_is_on_top_and_the_right_on_the_left_however_it_was_stored(tmp_path, volume, across, down, turned):
    scan = read_scan(save_series(tmp_path, volume, across=across, down=down))
    assert np.array_equal(slices(scan), turned(volume))


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [-20, 12, 25])
def test_a_tilted_gantry_is_set_upright(tmp_path, degrees):
    # A ball and a square column that stands on the slices, sampled as a tilted gantry does: slices lean by the angle,
    # the table moves along the patient. In the frame of the slices both must come back as what they are.
    tilt = np.radians(degrees)
    across, down = np.array([1.0, 0, 0]), np.array([0, np.cos(tilt), np.sin(tilt)])
    normal = np.cross(across, down)
    count, size, pixel, advance = 40, 64, 1.5, 2.0
    positions = np.arange(count)[:, None] * [0, 0, advance] - [size * pixel / 2, size * pixel / 2, count * advance / 2]
    grid = np.arange(size) * pixel
    points = positions[:, None, None] + grid[None, None, :, None] * across + grid[None, :, None, None] * down
    centre = points.reshape(-1, 3).mean(axis=0)
    x, y, z = (np.einsum("...i,i", points - centre, axis) for axis in (across, down, normal))
    radius = 24.0
    ball = x**2 + y**2 + z**2 < radius**2
    column = (np.abs(x + 36) < 5) & (np.abs(y) < 5)
    volume = np.where(ball | column, 200, -1000)
    folder = save_series(
        tmp_path,
        volume,
        spacing=(pixel, pixel),
        step=(0, 0, advance),
        across=tuple(across),
        down=tuple(float(f"{v:.8f}") for v in down),
        origin=tuple(positions[0]),
    )
    scan = read_scan(folder)
    assert scan.is_tilted
    upright = slices(scan)
    assert upright.shape[1] == upright.shape[2] > size  # room for all, and square still
    solid = upright > -400
    height = np.arange(count) * advance * np.cos(tilt)

    def off_the_axis(part):
        """Rows or columns by which the middle of a slice of the part is off that of all of them."""
        places = np.array([np.argwhere(plane).mean(axis=0) for plane in part if plane.any()])
        return np.abs(places - places.mean(axis=0)).max()

    half = upright.shape[2] // 2
    left, right = solid.copy(), solid.copy()
    edge = half - round(26 / pixel)
    left[:, :, edge:], right[:, :, :edge] = False, False
    assert off_the_axis(left) < 1  # voxel, by which the column does not stand
    assert off_the_axis(right) < 1  # nor the circles of the ball above each other
    rows = np.flatnonzero(right.any(axis=(1, 2)))
    widths = [np.ptp(np.flatnonzero(right.any(axis=others))) * pixel for others in ((0, 2), (0, 1))]
    deep = np.ptp(height[rows])
    assert np.abs(np.array([*widths, deep]) - 2 * radius).max() <= 2 * max(pixel, advance)
    # Without the correction the ball leans by far more than a voxel.
    raw = np.stack([scan.raw(i) for i in range(count)]) > -400
    raw[:, :, : edge - (half - size // 2)] = False
    assert off_the_axis(raw) > 3


def test_the_same_scan_as_nifti_is_the_same(tmp_path, volume):
    # NIfTI counts from the left, the back and the feet; DICOM's y and x run the other way.
    dicom = read_scan(save_series(tmp_path / "series", volume, spacing=(0.5, 0.7)))
    for name, array, affine in [
        ("ras.nii", volume[:, ::-1, ::-1].transpose(2, 1, 0), np.diag([0.7, 0.5, 2, 1])),
        ("lps.nii.gz", volume.transpose(2, 1, 0), np.diag([-0.7, -0.5, 2, 1])),
        ("upside.nii.gz", volume[::-1].transpose(2, 1, 0), np.diag([-0.7, -0.5, -2, 1])),
        (
            "turned.nii.gz",
            volume.transpose(0, 2, 1),
            np.array([[0, -0.7, 0, 0], [0, 0, -0.5, 0], [2, 0, 0, 0], [0, 0, 0, 1]]),
        ),
    ]:
        nibabel.save(nibabel.Nifti1Image(array.astype(np.int16), affine), tmp_path / name)
        assert np.array_equal(slices(read_scan(tmp_path / name)), slices(dicom)), name


def test_a_tilt_in_a_nifti_header_is_the_tilt_of_the_series(tmp_path, rng):
    volume = rng.integers(-1000, 1000, (9, 16, 16))
    lean = 0.8  # millimetres towards the back that each slice lies off the one below
    series = read_scan(save_series(tmp_path / "s", volume, step=(0, lean, 2)))
    affine = np.array([[-1.0, 0, 0, 0], [0, -1, -lean, 0], [0, 0, 2, 0], [0, 0, 0, 1]])
    nibabel.save(nibabel.Nifti1Image(volume.transpose(2, 1, 0).astype(np.int16), affine), tmp_path / "a.nii")
    nifti = read_scan(tmp_path / "a.nii")
    assert series.is_tilted
    assert nifti.is_tilted
    np.testing.assert_allclose(slices(nifti), slices(series), atol=1e-2)


def test_real_nifti_files():
    anatomical = nibabel.as_closest_canonical(nibabel.load(REAL_NIFTI / "anatomical.nii")).get_fdata()
    scan = read_scan(REAL_NIFTI / "anatomical.nii")
    assert scan.n_slices == anatomical.shape[2]
    np.testing.assert_allclose(scan.raw(5), anatomical[::-1, ::-1, 5].T)
    several = read_scan(REAL_NIFTI / "example4d.nii.gz")
    shape = nibabel.load(REAL_NIFTI / "example4d.nii.gz").shape
    assert several.n_slices == np.prod(shape[2:])
    assert several.remarks == (f"{shape[3]} volumes, whose slices were concatenated",)
    last = nibabel.as_closest_canonical(nibabel.load(REAL_NIFTI / "example4d.nii.gz")).get_fdata()[..., 0, 1]
    np.testing.assert_allclose(several.raw(shape[2]), last[::-1, ::-1].T)


def test_the_window_becomes_zero_to_one():
    # (x + 100) / 400; the released code writes (x - 100) / 400, which gives -0.5 to 0.5.
    found = scale_to_window(np.array([-1000, -100, 0, 100, 300, 3000], np.float32))
    np.testing.assert_allclose(found, [0, 0, 0.25, 0.5, 1, 1])


def test_planes_are_slices_at_their_size(tmp_path, volume):
    planes = Preprocessing.build("scans", False, 224, "imagenet").read_planes(save_series(tmp_path, volume))
    assert planes.values.shape == (7, 224, 224)
    assert planes.values.dtype == np.float32
    assert planes.values.min() == 0
    assert planes.values.max() == 1


def test_missing_and_doubled_slices_are_named(tmp_path, volume):
    folder = save_series(tmp_path, volume)
    names = sorted(folder.iterdir(), key=lambda path: int(path.stem.rpartition("-")[2]))
    names[3].unlink()
    copy = folder / "copy.dcm"
    copy.write_bytes(names[5].read_bytes())
    scan = read_scan(folder)
    assert scan.n_slices == 6
    assert np.array_equal(slices(scan), volume[[0, 1, 2, 4, 5, 6]])
    doubled, missing = scan.remarks
    assert doubled == "duplicate slices left out (1): copy.dcm"
    assert missing == (
        f"slices missing (about 1): they are 2 mm apart, but not between {names[2].name} and {names[4].name} (4 mm)"
    )


def test_of_several_series_the_largest_axial_one_is_taken(tmp_path, volume):
    save_series(tmp_path / "thin", volume, SeriesInstanceUID="1.2.1")
    save_series(tmp_path / "thick", volume[:3], SeriesInstanceUID="1.2.2")
    sagittal = {"across": (0, 1, 0), "down": (0, 0, -1), "step": (2, 0, 0)}
    save_series(tmp_path / "sagittal", np.concatenate([volume, volume]), SeriesInstanceUID="1.2.3", **sagittal)
    save_series(
        tmp_path / "scout", np.concatenate([volume] * 3), SeriesInstanceUID="1.2.4", ImageType=["ORIGINAL", "LOCALIZER"]
    )
    (tmp_path / "readme.txt").write_text("not DICOM")
    scan = read_scan(tmp_path)
    assert np.array_equal(slices(scan), volume)
    assert scan.remarks == ("3 series; the largest axial one, with 7 slices, was used",)


@pytest.mark.slow
def test_broken_scans_are_explained(tmp_path, volume):
    mixed = save_series(tmp_path / "mixed", volume)
    save_series(mixed / "other", volume[:, :5])
    leaning = save_series(tmp_path / "leaning", volume)
    save_series(leaning / "other", volume[:2], down=(0, 0.8, 0.6))
    bare = save_series(tmp_path / "bare", volume)
    for path in bare.iterdir():
        data = pydicom.dcmread(path)
        del data.RescaleSlope
        data.save_as(path)
    empty = save_series(tmp_path / "hollow", volume)
    path = sorted(empty.iterdir())[0]
    data = pydicom.dcmread(path)
    del data.PixelData
    data.save_as(path)
    (tmp_path / "nothing").mkdir()
    mr = save_series(tmp_path / "mr", volume)
    for path in mr.iterdir():
        data = pydicom.dcmread(path)
        data.Modality = "MR"
        data.save_as(path)
    sagittal = save_series(tmp_path / "sagittal", volume, across=(0, 1, 0), down=(0, 0, -1), step=(2, 0, 0))
    whole = (REAL_NIFTI / "example4d.nii.gz").read_bytes()
    (tmp_path / "cut.nii.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.nii").write_text("no scan")
    for case, message in [
        (mixed, "slices of different shapes"),
        (leaning, "slices of different directions"),
        (bare, r"dcm has no rescale slope and intercept, so its values are not in Hounsfield units"),
        (empty, r"dcm is a DICOM file without pixel data"),
        (tmp_path / "nothing", "contains no DICOM files"),
        (mr, "holds 7 DICOM files, but no CT slice"),
        (sagittal, "holds 1 series of CT slices, none of them axial"),
        (tmp_path / "cut.nii.gz", "damaged or truncated"),
        (tmp_path / "text.nii", "not a single-file NIfTI image"),
        (tmp_path / "a.png", "neither a folder of DICOM files nor a NIfTI file"),
    ]:
        with pytest.raises(DataError, match=message):
            slices(read_scan(case))
