import csv
import os

import pytest

from apexgp.collect.curves import CurveSet
from apexgp.collect.fit_record import list_columns, open_record, read_record
from apexgp.errors import DataError, NotWrittenError, RequestError
from apexgp.reading.files import csv_line

SETTINGS = {"metrics": ["auroc"], "seed": 0, "ratio": (0.8, 0.1, 0.1), "X": "abc"}


def row(size, split=0, error="", **more):
    return {
        "size": size,
        "split": split,
        "task": "ill, or not",
        "parameters": {"C": 0.1, "name": 'a "quoted" word'},
        "train_auroc": None if error else 0.7 + 0.2,
        "validation_auroc": None if error else 1 / 3,
        "test_auroc": None if error else 0.1 + 0.2,
        "test_cases": 17,
        "seconds": 0.25,
        "error": error,
    } | more


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.csv"


@pytest.fixture
def written(path):
    with open_record(path, SETTINGS) as record:
        for size in (60, 94, 147):
            record.add(row(size))
    return path


def test_rows_come_back_as_they_were(written):
    assert read_record(written).rows == [row(60), row(94), row(147)]
    with open_record(written, SETTINGS) as record:
        assert record.rows == [row(60), row(94), row(147)]


def test_a_person_can_read_it(written):
    lines = written.read_text().splitlines()
    assert lines[0].startswith("# apexgp: one row per fit")
    assert "# seed: 0" in lines
    assert lines[6] == ",".join(list_columns(["auroc"]))
    assert lines[7].startswith('60,0,"ill, or not",')


def test_each_row_is_on_the_disk_before_the_next(path, monkeypatch):
    synced = []
    with open_record(path, SETTINGS) as record:
        monkeypatch.setattr(os, "fsync", lambda file: synced.append(path.read_text().count("\n")))
        record.add(row(60))
        record.add(row(94))
    assert synced == [8, 9]


@pytest.mark.slow
def test_a_line_torn_anywhere_is_dropped(written):
    content = written.read_bytes()
    last = content[:-1].rfind(b"\n") + 1
    for end in range(last, len(content)):
        written.write_bytes(content[:end])
        assert [fit["size"] for fit in read_record(written).rows] == [60, 94]
        with open_record(written, SETTINGS) as record:
            assert [fit["size"] for fit in record.rows] == [60, 94]
            record.add(row(147))
        assert written.read_bytes() == content


def test_failed_fits_are_not_finished_until_they_succeed(path):
    with open_record(path, SETTINGS) as record:
        record.add(row(60, error="ValueError: no"))
        record.add(row(94))
        assert [size for size, *_ in record.finished_rows()] == [94]
    with open_record(path, SETTINGS) as record:
        assert [size for size, *_ in record.finished_rows()] == [94]
        record.add(row(60))
    assert {size for size, *_ in read_record(path).finished_rows()} == {60, 94}


def test_other_settings_are_refused_and_named(written):
    before = written.read_bytes()
    other = SETTINGS | {"seed": 1, "X": "abd"}
    said = r"holds the fits of another run \(seed: 0, now 1; features: different values\)\. .*results='other.csv'"
    with pytest.raises(RequestError, match=said), open_record(written, other):
        pass
    assert written.read_bytes() == before


@pytest.mark.parametrize("content", [b"size,score\n60,0.7\n", b"\xff\xfe\x00", b"no end of line"])
def test_files_of_others_are_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises((RequestError, DataError), match=r"runs\.csv"), open_record(path, SETTINGS):
        pass
    assert path.read_bytes() == content


def test_an_empty_file_is_a_new_one(path):
    path.touch()
    with open_record(path, SETTINGS) as record:
        record.add(row(60))
    assert len(read_record(path).rows) == 1


def test_damage_in_the_middle_is_named(written):
    lines = written.read_text().splitlines()
    lines[8] = "94,0,oops"
    written.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match="line 9 is not a row of this record"):
        read_record(written)
    lines[6] = "other,columns"
    written.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match="line 7: expected the columns size, split"):
        read_record(written)
    lines[2] = "# metrics: [oops"
    written.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match="lost its settings"):
        read_record(written)


def test_a_full_disk_is_no_silent_loss(path, monkeypatch):
    with open_record(path, SETTINGS) as record:
        record.add(row(60))
        before, write = path.read_bytes(), os.write
        monkeypatch.setattr(os, "write", lambda file, line: write(file, line[:-1]))
        with pytest.raises(
            NotWrittenError, match=r"could not be appended to: No space left .* Free some space, then run again"
        ):
            record.add(row(94))
        assert record.rows == [row(60)]
        assert path.read_bytes() == before  # and no part of a row stays behind


@pytest.mark.slow
def test_what_a_kill_leaves_of_the_head_is_a_new_file(path):
    with open_record(path, SETTINGS) as record:
        record.add(row(60))
    content = path.read_bytes()
    head = content.index(b"\n60,") + 1
    for end in range(head):
        path.write_bytes(content[:end])
        with open_record(path, SETTINGS) as record:
            record.add(row(60))
        assert path.read_bytes() == content, end


@pytest.mark.parametrize("version", [1, 2])
def test_a_record_of_an_earlier_version_is_left_alone_and_can_be_read(written, version):
    """Version 1 did not say that it was one, and neither held training scores."""
    names = list_columns(["auroc"])
    train = names.index("train_auroc")
    head, *rows = written.read_text().partition(",".join(names))[2].splitlines()
    assert head == ""
    without = [[cell for i, cell in enumerate(cells) if i != train] for cells in csv.reader([",".join(names), *rows])]
    lines = [line for line in written.read_text().splitlines() if line.startswith("# ")]
    assert "# record: 3" in lines
    earlier = [line.replace("# record: 3", "# record: 2") for line in lines if version == 2 or "# record" not in line]
    text = "\n".join(earlier) + "\n" + "".join(map(csv_line, without))
    written.write_text(text)
    with (
        pytest.raises(RequestError, match=r"record of another version .* can still be read"),
        open_record(written, SETTINGS),
    ):
        pass
    assert written.read_text() == text
    assert read_record(written).rows == [row(size, train_auroc=None) for size in (60, 94, 147)]
    curve = CurveSet.from_results(written).only
    assert (curve.train_scores, curve.n_test.tolist()) == (None, [17, 17, 17])


@pytest.mark.parametrize("error", ["x" * 200_000, "a\ud800b", "two\u2028lines", "nul \0 and bell \a", "a\rb"])
def test_whatever_an_error_says_the_record_can_be_read_again(path, error):
    with open_record(path, SETTINGS) as record:
        record.add(row(60, error=error))
        record.add(row(94))
    failed, done = read_record(path).rows
    assert failed["error"]
    assert done == row(94)
    with open_record(path, SETTINGS) as record:
        assert [size for size, *_ in record.finished_rows()] == [94]


@pytest.mark.parametrize(
    "damage",
    [("0.30000000000000004", "nan"), ("0.30000000000000004", "inf"), ("0.30000000000000004", ""), ("60,0", "-60,0"),
     ("60,0", "9" * 400 + ",0"), ('"{""C""', '"' + "[" * 100_000 + '""C""')],
)  # fmt: skip
def test_a_row_that_no_run_writes_is_named(written, damage):
    text = written.read_text()
    written.write_text(text.replace(*damage, 1))
    assert written.read_text() != text
    with pytest.raises(DataError, match="line 8 is not a row of this record"):
        read_record(written)


@pytest.mark.parametrize("metrics", ["7", "[]", "[7]", "[" * 100_000, '"auroc"'])
def test_settings_that_no_run_writes_are_named(written, metrics):
    written.write_text(written.read_text().replace('["auroc"]', metrics))
    with pytest.raises(DataError, match="lost its settings"):
        read_record(written)
