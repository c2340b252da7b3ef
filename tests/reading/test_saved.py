"""Readings that are saved, and used for later exports of the same table."""

import inspect
import json
import warnings

import pytest

import apexgp
import workbooks
from apexgp.errors import DataError, RequestError
from conftest import require
from workbooks import saved

TABLE = "n,ResNet,ViT\n60,0.66,0.64\n94,0.705,0.68\n147,0.72,0.71\n"
BUILDS = [
    name
    for name, build in vars(workbooks).items()
    if inspect.isfunction(build) and list(inspect.signature(build).parameters) == ["book"]
]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "may.csv").write_text(TABLE, encoding="utf-8")
    return tmp_path / "may.csv"


def scores(reading):
    return {task: list(zip(curve.sizes, curve.scores, strict=True)) for task, curve in reading.curves.items()}


def test_a_later_export_is_read_as_the_first(path, tmp_path):
    place = tmp_path / "kept.json"
    first = apexgp.read(path, each_column="model", metric="AUC")
    assert not first.save(place)
    assert first.save(place)  # over itself
    path.write_text(TABLE + "230,0.75,0.74\n", encoding="utf-8")
    later = apexgp.read(path, reading=place)
    assert [len(curve) for curve in later.curves.values()] == [4, 4]
    assert {curve.metric for curve in later.curves.values()} == {"AUC"}
    assert {curve.metric for curve in apexgp.read(path, reading=place, metric="accuracy").curves.values()} == {
        "accuracy"
    }
    assert apexgp.read(path, reading="none").doubts


def test_what_is_said_replaces_what_was_saved(path, tmp_path):
    place = tmp_path / "kept.json"
    apexgp.read(path, score="ViT", range=(0, float("inf")), unit="scans", direction="higher").save(place)
    assert json.loads(place.read_text(encoding="utf-8"))["settings"]["range"] == "0 to inf"
    kept = apexgp.read(path, reading=place).curve
    assert (kept.range, kept.unit, kept.scores[0]) == ((0, float("inf")), "scans", 0.64)
    for said in ({"score": "ResNet"}, {"roles": {"B": "score"}}):
        assert apexgp.read(path, reading=place, **said).curve.scores[0] == 0.66


def test_other_columns_are_refused_and_doubts_are_not_saved(path, tmp_path):
    place = tmp_path / "kept.json"
    with pytest.raises(DataError, match="has no column called score"):
        apexgp.read(path).save(place)
    assert not place.exists()
    apexgp.read(path, score="ViT").save(place)
    path.write_text(TABLE.replace("ViT", "DeiT"), encoding="utf-8")
    with pytest.raises(DataError, match=r"saved for the columns 'n', 'ResNet', 'ViT', but .*'DeiT'.*reading='none'"):
        apexgp.read(path, reading=place)


def test_no_other_file_is_overwritten(path, tmp_path):
    place = tmp_path / "kept.json"
    place.write_text("{}", encoding="utf-8")
    with pytest.raises(RequestError, match="exists and is no saved reading"):
        apexgp.read(path, score="ViT").save(place)
    assert place.read_text(encoding="utf-8") == "{}"


@pytest.mark.parametrize("build", sorted(BUILDS))
def test_workbooks_are_read_as_before(tmp_path, build):
    require("openpyxl")
    source, place = saved(getattr(workbooks, build), tmp_path), tmp_path / "kept.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reading = apexgp.read(source)
        while reading.doubts:
            reading = reading.with_settings(**reading.doubts[0].choices[0].settings)
        reading.save(place)
        again = apexgp.read(source, reading=place)
        assert scores(again) == scores(reading)
        once = place.read_text(encoding="utf-8")
        again.save(place)
    assert json.loads(place.read_text(encoding="utf-8")) == json.loads(once)


def test_a_text_may_follow_a_workbook(tmp_path):
    require("openpyxl")
    source, place = saved(workbooks.plain, tmp_path), tmp_path / "kept.json"
    reading = apexgp.read(source)
    reading.save(place)
    (tmp_path / "later.csv").write_text("\n".join(map(",".join, reading.sheet.rows)) + "\n", encoding="utf-8")
    assert scores(apexgp.read(tmp_path / "later.csv", reading=place)) == scores(reading)
