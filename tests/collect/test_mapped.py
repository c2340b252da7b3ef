"""Scans that stay on the disk go the same way as scans in memory."""

import pickle

import numpy as np
import pytest

from apexgp import SliceHead, collect_curves, read
from apexgp.collect.identity import describe
from apexgp.collect.labelled import MappedScans, read_labelled
from apexgp.collect.slices import Scans, to_scans
from apexgp.errors import DataError


@pytest.fixture
def folder(tmp_path, rng):
    """Forty scans of twenty patients; those of one class have larger features."""
    place = tmp_path / "scans"
    place.mkdir()
    rows = ["file,patient,bleeding,late,slices,embedding"]
    for i in range(40):
        scan = rng.normal(0.7 * (i % 4 < 2), 1, (3 + 3 * i, 6)).astype(np.float32)
        np.save(place / f"{i}.npy", scan)
        rows.append(f"study {i},p{i // 2},{int(i % 4 < 2)},{'' if i < 4 else i % 4 < 2},{len(scan)},{i}.npy")
    (place / "table.csv").write_text("\n".join(rows) + "\n")
    return place


def test_scans_are_read_one_by_one(folder):
    data = read_labelled(folder, "bleeding", "patient")
    assert isinstance(data.X, MappedScans)
    assert len(data.X) == len(data.y) == 40
    assert isinstance(data.X[3], np.memmap)
    assert data.X[-1].shape == (120, 6)
    assert [len(scan) for scan in data.X[np.array([2, 0])]] == [9, 3]
    assert len(pickle.dumps(data.X)) < 10_000  # workers are sent names, not numbers


@pytest.mark.slow
def test_cases_without_a_label_are_left_out_and_counted(folder):
    data = read_labelled(folder, "late", "patient")
    assert len(data.X) == len(data.y) == len(data.groups) == 36
    assert data.notes == ("Left out, because late has no value there: 4 of 40 cases.",)


def test_the_head_learns_the_same_and_reads_only_what_it_uses(folder):
    data = read_labelled(folder, "bleeding", "patient")
    in_memory = Scans([np.array(scan) for scan in data.X])
    head = SliceHead(learning_rates=(0.05,), weight_decays=(0.0,), n_seeds=1, max_epochs=30, max_slices=10)
    here = head.fit(in_memory, data.y, validation=(in_memory, data.y)).predict_proba(in_memory)
    there = head.fit(data.X, data.y, validation=(data.X, data.y)).predict_proba(data.X)
    np.testing.assert_array_equal(here, there)
    assert np.diff(to_scans(data.X, 10).starts).max() == 10


def test_where_scans_lie_is_no_datum(folder, tmp_path):
    before = describe(read_labelled(folder, "bleeding").X)
    moved = folder.rename(tmp_path / "moved")
    assert describe(read_labelled(moved, "bleeding").X) == before
    np.save(moved / "7.npy", np.zeros((2, 6), np.float32))
    assert describe(read_labelled(moved, "bleeding").X) != before


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.ApexWarning")  # that these are few
def test_collect_takes_the_folder(folder, tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plain = SliceHead.__init__.__kwdefaults__ | {"max_epochs": 20}
    monkeypatch.setattr(SliceHead.__init__, "__kwdefaults__", plain)
    code, _, err = run(
        "collect", "scans", "--label", "bleeding", "--group", "patient", "--sizes", "8,16", "--jobs", 1, "--splits", 2
    )
    assert code == 0, err
    assert "slice-head" in (tmp_path / "curve.runs.csv").read_text()
    data = read_labelled(folder, "bleeding", "patient")
    curve = collect_curves(
        SliceHead(), data.X, data.y, groups=data.groups, sizes=[8, 16], n_splits=2, progress=False
    ).only
    assert (curve.n_features, curve.n_classes) == (6, 2)
    written = read(tmp_path / "curve.csv").curve
    assert (written.n_features, written.n_classes) == (6, 2)
    shown = [line.split(",") for line in (tmp_path / "curve.csv").read_text().splitlines()[1:]]
    assert sorted(float(cells[1]) for cells in shown) == pytest.approx(sorted(curve.scores.ravel()))


def test_damaged_folders_are_explained(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"without a table.csv: it does not contain finished embeddings of scans"):
        read_labelled(tmp_path / "empty", "y")
    with pytest.raises(DataError, match="no column 'y'"):
        read_labelled(folder, "y")
    (folder / "3.npy").write_bytes(b"nothing")
    with pytest.raises(DataError, match=r"3.npy cannot be read as an array of numbers"):
        read_labelled(folder, "bleeding")
    np.save(folder / "3.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(DataError, match=r"3\.npy"):
        read_labelled(folder, "bleeding")
    np.save(folder / "3.npy", np.zeros((2, 5), np.float32))
    with pytest.raises(DataError, match=r"different numbers of features: \[5, 6\]"):
        read_labelled(folder, "bleeding")
    (folder / "3.npy").unlink()
    with pytest.raises(DataError, match="There is no file"):
        read_labelled(folder, "bleeding")
