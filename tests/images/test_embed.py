"""The whole run: what comes out, what is kept through kills and full disks, what is refused."""

import json
import os
import resource
import shutil
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from apexgp import embed_images, read
from apexgp.collect.labelled import read_labelled
from apexgp.errors import DataError, NotWrittenError, RequestError, WouldOverwriteError
from apexgp.images import embed as run_of
from apexgp.images.encoder import Encoder
from apexgp.images.preprocess import Preprocessing
from conftest import require
from image_files import dicom_file, save_dicom, save_model, save_picture, save_series

pydicom = require("pydicom")
pytestmark = pytest.mark.slow  # PyTorch is imported


@pytest.fixture(scope="module")
def vit(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("model") / "vit")


@pytest.fixture
def folder(tmp_path, rng):
    """Twenty pictures of ten patients, some grey and some not, and their table."""
    rows = ["file,patient,effusion,view"]
    for i in range(20):
        name = f"{'ab'[i % 2]}/{i:02d}.png"
        shape = (40, 50, 3) if i % 3 else (40, 50)
        save_picture(tmp_path / "pictures" / name, rng.integers(0, 256, shape, dtype=np.uint8))
        rows.append(f"{name},p{i // 2},{int(i % 4 == 0)},{'left' if i % 3 else 'right'}")
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


@pytest.fixture
def embed(folder, vit):
    def embed(out="e.npz", **how):
        given = {"labels": folder / "labels.csv", "model": vit, "device": "cpu", "progress": False} | how
        return embed_images(folder / "pictures", folder / out, **given)

    return embed


def arrays(path):
    with np.load(path, allow_pickle=False) as found:
        return dict(found)


@contextmanager
def seen_by(monkeypatch, at_most=None):
    """Numbers of planes that the model is shown in each batch; it fails after `at_most` batches."""
    batches, plain = [], Encoder.__call__

    def counted(self, planes):
        if at_most is not None and len(batches) == at_most:
            raise KeyboardInterrupt
        batches.append(len(planes))
        return plain(self, planes)

    with monkeypatch.context() as patch:
        patch.setattr(Encoder, "__call__", counted)
        yield batches


def test_the_output_holds_embeddings_files_patients_labels_and_what_made_them(folder, vit, embed):
    done = embed(batch=8)
    assert (done.n_embedded, done.n_new, done.n_patients, done.written) == (20, 20, 10, True)
    assert done.tasks == ("effusion", "view")
    found = arrays(done.out)
    assert found["file"][1] == "b/01.png"
    assert found["patient"].tolist() == [f"p{i // 2}" for i in range(20)]
    assert found["effusion"].dtype.kind == "i"
    assert found["view"].tolist()[:2] == ["right", "left"]
    record = json.loads(str(found["embedding"]))
    assert record["model"] == str(vit)
    assert record["preprocessing"]["normalise"] == "imagenet"
    # Each row is what the model makes of the picture alone.
    alone = Preprocessing.build("pictures", False, 32, "imagenet")
    encoder = Encoder(vit, "cpu")
    for i in (0, 7, 19):
        plane = alone.read_planes(folder / "pictures" / str(found["file"][i])).values[0]
        np.testing.assert_allclose(found["X"][i], encoder(alone.make_batch([plane]))[0], atol=1e-5)
    assert sorted(path.name for path in folder.iterdir()) == ["e.npz", "labels.csv", "pictures"]


def test_collect_takes_it_as_it_is(folder, embed):
    done = embed()
    data = read_labelled(done.out, "effusion", "patient")
    assert data.X.shape == (20, 32)
    assert data.y.sum() == 5
    assert len(set(data.groups)) == 10
    assert set(read_labelled(done.out, ["effusion", "view"]).y) == {"effusion", "view"}


def test_a_curve_from_embeddings_knows_their_width(run, embed, tmp_path):
    done, curve = embed(), tmp_path / "curve.csv"
    given = ("--label", "view", "--sizes", "4,8", "--splits", 1, "--ratio", "2:1:1", "--jobs", 1, "--out", curve)
    assert run("collect", done.out, *given)[0] == 0
    with np.load(done.out) as store:
        assert read(curve).curve.n_features == store["X"].shape[1] == 32


def test_equal_runs_give_equal_files_and_a_second_one_has_nothing_to_do(folder, embed, monkeypatch):
    first, second = embed("a.npz"), embed("b.npz")
    assert first.out.read_bytes() == second.out.read_bytes()
    before = first.out.stat().st_mtime_ns
    with seen_by(monkeypatch) as batches:
        again = embed("a.npz")
    assert batches == []
    assert (again.n_new, again.written) == (0, False)
    assert first.out.stat().st_mtime_ns == before


@pytest.mark.parametrize("stopped_after", [0, 1, 2])
def test_what_is_finished_is_kept_when_a_run_is_stopped(folder, embed, monkeypatch, stopped_after):
    whole = embed("whole.npz", batch=6)
    with seen_by(monkeypatch, at_most=stopped_after), pytest.raises(KeyboardInterrupt):
        embed(batch=6)
    part = folder / "e.npz.part"
    assert not (folder / "e.npz").exists()
    if stopped_after:
        with part.open("ab") as file:
            file.write(b"torn by a kill")
    with seen_by(monkeypatch) as batches:
        done = embed(batch=6)
    assert sum(batches) == 20 - 6 * stopped_after
    assert done.out.read_bytes() == whole.out.read_bytes()
    assert not part.exists()


def test_a_disk_that_is_full_keeps_what_is_finished(folder, embed):
    whole = embed("whole.npz", batch=4)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, before[1]))
    try:
        with pytest.raises(
            NotWrittenError, match=r"e.npz.part could not be appended to: .* Free some space, then run again"
        ):
            embed(batch=4)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    kept = (folder / "e.npz.part").stat().st_size
    assert 0 < kept <= 1500
    assert embed(batch=4).out.read_bytes() == whole.out.read_bytes()


def test_a_full_disk_at_the_very_end_loses_nothing(folder, embed, monkeypatch):
    whole = embed("whole.npz")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = (folder / "whole.npz").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size - 500, before[1]))
    try:
        with pytest.raises(NotWrittenError, match=r"e.npz cannot be written"):
            embed()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with seen_by(monkeypatch) as batches:
        assert embed().out.read_bytes() == whole.out.read_bytes()
    assert batches == []
    assert not list(folder.glob(".*"))


def test_pictures_can_be_added_and_labels_changed_without_embedding_again(folder, embed, monkeypatch, rng):
    before = arrays(embed().out)
    save_picture(folder / "pictures" / "new.png", rng.integers(0, 256, (30, 30), dtype=np.uint8))
    text = (folder / "labels.csv").read_text().replace("a/00.png,p0,1", "a/00.png,p0,0")
    (folder / "labels.csv").write_text(text.replace("b/01.png", "new.png,p99,1,left\nb/01.png"))
    with seen_by(monkeypatch) as batches:
        done = embed()
    assert batches == [1]
    after = arrays(done.out)
    assert after["file"].tolist() == ["a/00.png", "new.png", *before["file"].tolist()[1:]]
    assert after["effusion"][0] == 0
    assert np.array_equal(after["X"][[0, *range(2, 21)]], before["X"])
    # A picture that was changed is another one.
    save_picture(folder / "pictures" / "new.png", rng.integers(0, 256, (30, 30), dtype=np.uint8))
    os.utime(folder / "pictures" / "new.png", (1, 1))
    with seen_by(monkeypatch) as batches:
        assert not np.array_equal(arrays(embed().out)["X"][1], after["X"][1])
    assert batches == [1]


def test_two_models_or_two_preprocessings_never_mix(folder, vit, embed, tmp_path, monkeypatch):
    embed()
    other = save_model(tmp_path / "other", seed=1)
    for how, message in [
        ({"model": other}, rf"model was {vit}, now {other}\. Name another output"),
        ({"crop": True}, "crop was false, now true"),
        ({"normalise": "source"}, 'normalise was "imagenet", now "source"'),
    ]:
        with pytest.raises(RequestError, match=message):
            embed(**how)
    moved = shutil.copytree(vit, tmp_path / "moved")
    assert not embed(model=moved).written or arrays(folder / "e.npz")["X"].shape == (20, 32)  # the same weights
    before = arrays(folder / "e.npz")["X"]
    assert embed(model=other, overwrite=True).n_new == 20
    assert not np.allclose(arrays(folder / "e.npz")["X"], before)
    # The same holds for what was only begun.
    with seen_by(monkeypatch, at_most=1), pytest.raises(KeyboardInterrupt):
        embed("begun.npz", batch=4)
    with pytest.raises(RequestError, match=r"begun.npz.part was made with other settings"):
        embed("begun.npz", model=other)


def test_nothing_is_overwritten_or_dropped_unasked(folder, embed):
    np.savez(folder / "e.npz", X=np.zeros((2, 2)))
    with pytest.raises(WouldOverwriteError, match="was not written by apexgp embed"):
        embed()
    assert not (folder / "e.npz.part").exists()
    embed(overwrite=True)
    lines = (folder / "labels.csv").read_text().splitlines()
    (folder / "labels.csv").write_text("\n".join(lines[:-3]) + "\n")
    with pytest.raises(
        WouldOverwriteError, match=r"holds 3 pictures that are not part of this run \(for instance b/17.png"
    ):
        embed()
    assert arrays(folder / "e.npz")["X"].shape == (20, 32)
    assert embed(overwrite=True).n_embedded == 17


def test_files_that_cannot_be_read_are_listed_and_the_others_embedded(folder, embed):
    pictures = folder / "pictures"
    (pictures / "a" / "04.png").write_bytes((pictures / "a" / "04.png").read_bytes()[:700])
    (pictures / "b" / "07.png").write_text("not a picture")
    (pictures / "b" / "09.png").unlink()
    save_picture(pictures / "extra.png", np.zeros((8, 8), np.uint8))
    done = embed(batch=5)
    assert [file for file, _ in done.unreadable] == ["a/04.png", "b/07.png"]
    assert "truncated" in done.unreadable[0][1]
    assert done.without_file == ("b/09.png",)
    assert done.without_label == ("extra.png",)
    found = arrays(done.out)
    assert len(found["X"]) == len(found["effusion"]) == len(found["file"]) == 17
    assert not {"a/04.png", "b/07.png", "b/09.png", "extra.png"} & set(found["file"].tolist())
    again = embed(batch=5)
    assert (again.written, len(again.unreadable)) == (False, 2)
    for path in (folder / "pictures").rglob("*.png"):
        path.write_text("nothing")
    with pytest.raises(DataError, match=r"None of the 19 files can be read: a/00.png is not a readable picture"):
        embed("none.npz")


def test_a_pipe_in_the_table_is_left_out_and_not_waited_for(folder, embed):
    os.mkfifo(folder / "pictures" / "c.png")
    with (folder / "labels.csv").open("a") as table:
        table.write("c.png,p99,0,left\n")
    assert embed().unreadable == (("c.png", "is not an ordinary file"),)
    assert embed(normalise="source", out="f.npz").n_embedded == 20


def test_embeddings_that_are_not_finite_are_left_out_with_a_word(folder, embed, monkeypatch):
    called = Encoder.__call__

    def overflowing(self, planes):
        rows = called(self, planes)
        rows[0, 0] = np.inf
        return rows

    monkeypatch.setattr(Encoder, "__call__", overflowing)
    run = embed(batch=10)
    assert run.unreadable == (
        ("a/00.png", "has embeddings that are not finite"),
        ("a/10.png", "has embeddings that are not finite"),
    )
    assert np.isfinite(arrays(folder / "e.npz")["X"]).all()


def test_mean_and_sd_of_the_source_are_those_of_all_pixels(folder, vit, embed, monkeypatch):
    done = embed(normalise="source", crop=True)
    made = json.loads(str(arrays(done.out)["embedding"]))["preprocessing"]
    prepared = Preprocessing.build("pictures", True, 32, "imagenet")
    planes = [prepared.read_planes(path).values[0] for path in (folder / "pictures").rglob("*.png")]
    shades = np.stack([plane if plane.ndim == 3 else np.dstack([plane] * 3) for plane in planes]) / 255
    np.testing.assert_allclose(made["mean"], shades.mean(axis=(0, 1, 2)), rtol=1e-6)
    np.testing.assert_allclose(made["sd"], shades.std(axis=(0, 1, 2)), rtol=1e-6)
    # They are not measured again where they are known.
    monkeypatch.setattr(run_of, "measure_mean_and_sd", lambda cases: pytest.fail("measured again"))
    assert not embed(normalise="source", crop=True).written
    monkeypatch.undo()
    (folder / "train.csv").write_text("file\na/00.png\nb/01.png\n")
    part = embed("part.npz", normalise="source", fit_on=folder / "train.csv")
    made = json.loads(str(arrays(part.out)["embedding"]))["preprocessing"]
    plain = Preprocessing.build("pictures", False, 32, "imagenet")
    two = [plain.read_planes(folder / "pictures" / name).values[0] for name in ("a/00.png", "b/01.png")]
    shades = np.stack([plane if plane.ndim == 3 else np.dstack([plane] * 3) for plane in two]) / 255
    np.testing.assert_allclose(made["mean"], shades.mean(axis=(0, 1, 2)), rtol=1e-6)
    with pytest.raises(RequestError, match=r"mean was .* Name another output"):
        embed("part.npz", normalise="source")
    with pytest.raises(RequestError, match=r"fit_on names the pictures.*It requires normalise='source'"):
        embed("x.npz", fit_on=folder / "train.csv")


def test_nothing_of_a_dicom_header_gets_into_any_output(tmp_path, vit, rng, recwarn, caplog):
    secrets = {
        "PatientName": "Secret^Name",
        "PatientID": "SECRET-ID",
        "StudyDescription": "SECRET",
        "StudyDate": "19700101",
    }
    for i in range(3):
        values = rng.integers(0, 4000, (40, 40)).astype(np.int16)
        save_dicom(tmp_path / "in" / f"{i}.dcm", dicom_file(values, WindowCenter=2000, WindowWidth=3000, **secrets))
    odd = save_dicom(tmp_path / "in" / "3.dcm", dicom_file(values, PixelSpacing=[1.0, 987654], **secrets))
    odd.write_bytes(odd.read_bytes().replace(b"987654", b"SECRET"))
    broken = dicom_file(values, **secrets)
    del broken.PixelData
    save_dicom(tmp_path / "in" / "4.dcm", broken)
    save_series(tmp_path / "in" / "s0", rng.integers(-100, 300, (3, 16, 16)), SeriesInstanceUID="1.987654")
    for path in (tmp_path / "in" / "s0").iterdir():  # an identifier that is none, of which pydicom would warn
        path.write_bytes(path.read_bytes().replace(b"1.987654", b"1.SECRET"))
    save_series(tmp_path / "in" / "s1", rng.integers(-100, 300, (2, 16, 16)))
    pictures = "".join(f"{i}.dcm,{i % 2}\n" for i in range(5))
    (tmp_path / "pictures.csv").write_text(f"file,y\n{pictures}")
    (tmp_path / "scans.csv").write_text("file,y\ns0,0\ns1,1\n")
    outs = []
    for kind, out in (("pictures", "e.npz"), ("scans", "scans")):
        outs.append(
            embed_images(tmp_path / "in", tmp_path / out, labels=tmp_path / f"{kind}.csv", model=vit, progress=False)
        )
    written = [path for path in tmp_path.rglob("*") if path.is_file() and "in" not in path.relative_to(tmp_path).parts]
    assert len(written) == 7
    assert outs[1].n_embedded == 2
    said = [text.encode() for text in (repr(outs), caplog.text, *(str(warning.message) for warning in recwarn))]
    for content in [*(path.read_bytes() for path in written), *said]:
        flat = content.replace(b"\x00", b"").lower()
        assert b"secret" not in flat
        assert b"19700101" not in flat


def test_scans_become_a_folder_that_collect_maps(tmp_path, vit, rng):
    rows = ["file,patient,bleeding"]
    volumes = {}
    for i in range(6):
        volumes[i] = rng.integers(-200, 400, (2 + i, 20, 20))
        save_series(tmp_path / "in" / f"scan {i}", volumes[i])
        rows.append(f"scan {i},p{i // 2},{i % 2}")
    (tmp_path / "in" / "scan 6").mkdir()
    save_series(tmp_path / "in" / "scan 7", volumes[0])
    rows.append("scan 6,p9,0")
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n")

    def embed(**how):
        return embed_images(
            tmp_path / "in", tmp_path / "out", labels=tmp_path / "labels.csv", model=vit, progress=False, batch=4, **how
        )

    done = embed()
    assert (done.kind, done.n_embedded, done.n_patients) == ("scans", 6, 3)
    assert done.unreadable == (("scan 6", "contains no DICOM files"),)
    assert done.without_label == ("scan 7",)
    data = read_labelled(tmp_path / "out", "bleeding", "patient")
    assert [len(scan) for scan in data.X] == [2, 3, 4, 5, 6, 7]
    assert all(isinstance(scan, np.memmap) for scan in data.X)
    assert data.y.tolist() == [0, 1, 0, 1, 0, 1]
    encoder, plain = Encoder(vit, "cpu"), Preprocessing.build("scans", False, 32, "imagenet")
    planes = plain.read_planes(tmp_path / "in" / "scan 3").values
    np.testing.assert_allclose(data.X[3], encoder(plain.make_batch(list(planes))), atol=1e-5)
    again = embed()
    assert (again.n_new, again.written) == (0, False)
    with pytest.raises(RequestError, match="crop was false, now true"):
        embed(crop=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "thesis.doc").touch()
    for out, message in [
        ("e.npz", r"out must be a folder for embeddings of scans, got e.npz"),
        ("elsewhere", "is a folder with other files in it"),
        ("no/where", "cannot be created"),
    ]:
        with pytest.raises((RequestError, WouldOverwriteError), match=message):
            embed_images(tmp_path / "in", tmp_path / out, labels=tmp_path / "labels.csv", model=vit, progress=False)


def test_a_stopped_run_of_scans_goes_on(tmp_path, vit, rng, monkeypatch):
    for i in range(5):
        save_series(tmp_path / "in" / str(i), rng.integers(-200, 400, (4, 16, 16)))
    (tmp_path / "labels.csv").write_text("file,y\n" + "".join(f"{i},{i % 2}\n" for i in range(5)))

    def embed(out):
        return embed_images(
            tmp_path / "in", tmp_path / out, labels=tmp_path / "labels.csv", model=vit, progress=False, batch=3
        )

    embed("whole")
    with seen_by(monkeypatch, at_most=3), pytest.raises(KeyboardInterrupt):
        embed("out")
    with (tmp_path / "out" / "record.jsonl").open("a") as file:
        file.write('{"key": "to')
    with seen_by(monkeypatch) as batches:
        embed("out")
    assert sum(batches) == 12  # two scans of four slices were finished
    for path in (tmp_path / "whole").glob("*.npy"):
        np.testing.assert_allclose(np.load(tmp_path / "out" / path.name), np.load(path), atol=1e-6)
    assert (tmp_path / "whole" / "table.csv").read_text() == (tmp_path / "out" / "table.csv").read_text()


def test_a_data_set_of_the_paper_is_prepared_as_the_paper_says(tmp_path, vit, rng):
    for i in range(4):
        kind = ("normal", "benign")[i % 2]
        values = rng.integers(0, 256, (30, 40), dtype=np.uint8)
        save_picture(tmp_path / "BUSI" / kind / f"{kind} ({i}).png", values)
        save_picture(tmp_path / "BUSI" / kind / f"{kind} ({i})_mask.png", values)
    done = embed_images(tmp_path / "BUSI", tmp_path / "e.npz", dataset="busi", model=vit, progress=False)
    assert (done.n_embedded, done.n_patients, done.tasks) == (4, None, ("diagnosis",))
    made = json.loads(str(arrays(done.out)["embedding"]))["preprocessing"]
    assert (made["crop"], made["normalise"]) == (True, "source")


def test_a_patients_own_label_is_one_and_a_pictures_may_differ(folder, embed):
    assert embed().n_embedded == 20  # effusion differs between the pictures of p0
    with pytest.raises(
        DataError, match=r"patient p0 has effusion '1' in line 2 and '0' in line 3\. .*omit per_patient='effusion'"
    ):
        embed("x.npz", per_patient=["effusion"])
    with pytest.raises(DataError, match="no column 'stage'"):
        embed("x.npz", per_patient=["stage"])


def test_wrong_tables_folders_and_names_are_explained(folder, vit, embed, tmp_path):
    (tmp_path / "empty").mkdir()
    good = (folder / "labels.csv").read_text()

    def table(text):
        path = folder / f"{len(list(folder.iterdir()))}.csv"
        path.write_text(text)
        return {"labels": path}

    for how, message in [
        (table("name,y\na/00.png,1\n"), "has no column 'file'"),
        (table("file,y\na/00.png,1\n.\\a\\00.png,0\n"), "names a/00.png in lines 2 and 3"),
        (table("file,y\n,1\n"), "line 2, column 'file': the cell is empty"),
        (table("file,patient,y\na/00.png,,1\n"), "column 'patient' has no value in line 2"),
        (table("file,X\na/00.png,1\n"), "a label cannot be called X"),
        (table("file,y\nz.png,1\n"), "None of the 1 files that .* names is in"),
        (table("file,y\na/00.png,1\na,0\n"), r"names pictures \(a/00.png\) and scans \(a\)"),
        ({"labels": None}, r"Give one of labels=\.\.\. and dataset="),
        ({"dataset": "busi"}, r"Give one of labels=\.\.\. and dataset="),
        ({"labels": None, "dataset": "busi"}, "holds no pictures as BUSI has them"),
        ({"normalise": "z"}, "normalise must be one of 'source', 'imagenet', 'half', got 'z'"),
        ({"batch": 0}, "batch must be a whole number of at least 1"),
        ({"out": "e.csv"}, "out must be a file that ends in .npz"),
        ({"model": 3}, "model must be the name of a model, or a folder, got 3"),
        ({"labels": 3}, "Expected the name of a file, got 3"),
        ({"labels": None, "dataset": []}, "dataset must be one of"),
        ({"per_patient": "effusion"}, "per_patient must be a list of labels, got 'effusion'"),
        ({"crop": "yes"}, "crop must be True or False"),
        ({"normalise": []}, "normalise must be one of"),
    ]:
        with pytest.raises((DataError, RequestError), match=message):
            embed(**how)
    for place, message in [("empty", "is empty"), ("none", "There is no folder"), ("x" * 5000, "There is no folder")]:
        with pytest.raises(DataError, match=message):
            embed_images(tmp_path / place, folder / "e.npz", labels=folder / "labels.csv", model=vit)
    assert (folder / "labels.csv").read_text() == good


def test_two_runs_never_write_to_one_output(folder, embed, monkeypatch):
    plain, refused = Encoder.__call__, []

    def meanwhile(self, planes):
        if not refused:
            refused.append(None)
            with pytest.raises(RequestError, match="is being written by") as problem:
                embed()
            refused.append(problem)
        return plain(self, planes)

    monkeypatch.setattr(Encoder, "__call__", meanwhile)
    assert embed().n_embedded == 20
    assert len(refused) == 2


def test_memory_holds_a_few_pictures_however_many_there_are(folder, embed, monkeypatch):
    # What has been read and not yet embedded, at any moment.
    from apexgp.images import pipeline

    waiting = [0]
    read, normalised = pipeline._read_case, Preprocessing.make_batch

    def counted(item, preprocessing):
        waiting.append(waiting[-1] + 1)
        return read(item, preprocessing)

    def taken(self, planes):
        waiting.append(waiting[-1] - len(planes))
        return normalised(self, planes)

    monkeypatch.setattr(pipeline, "_read_case", counted)
    monkeypatch.setattr(Preprocessing, "make_batch", taken)
    embed(batch=2)
    assert max(waiting) <= 2 * 2 + 2


def test_a_missing_package_is_said_to_be_missing(folder, embed, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ImportError, match=r"embed_images needs transformers: pip install 'apexgp\[images\]'"):
        embed()


def test_the_command_says_what_it_did_and_what_to_do_next(run, folder, vit, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "pictures" / "b" / "07.png").write_text("not a picture")
    command = ["embed", "pictures", "--labels", "labels.csv", "--out", "e.npz", "--model", vit, "--device", "cpu"]
    with seen_by(monkeypatch, at_most=1):
        code, out, err = run(*command, "--batch", 4)
    assert code == 130
    assert err.strip() == "Stopped. Finished work is kept in or beside e.npz; the same command resumes from there."
    code, out, err = run(*command, "--batch", 4)
    assert code == 0
    assert err == "Left out: b/07.png is not a readable picture (PNG, JPEG, TIFF, BMP, DICOM).\n"
    assert out.splitlines() == [
        "The embeddings of 19 pictures of 10 patients are in e.npz, 15 of them new.",
        "Next: apexgp collect e.npz --label effusion --label view --group patient",
    ]
    code, out, err = run(*command)
    assert code == 0
    assert out.startswith("Nothing to do: the embeddings of 19 pictures of 10 patients are in e.npz.")
    code, out, err = run(*command, "--crop")
    assert code == 1
    assert err.endswith("go back to those settings, or start afresh with --force.\n")
    assert "crop was false, now true" in err
    assert Path("e.npz").exists()
