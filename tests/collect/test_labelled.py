import numpy as np
import pytest

from apexgp.collect.labelled import read_labelled
from apexgp.errors import DataError


@pytest.fixture
def write(tmp_path):
    def write(text, name="data.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def table(*columns, rows=30):
    """A CSV file of columns given as (name, function of the row number)."""
    lines = [",".join(name for name, _ in columns)]
    lines += [",".join(str(cell(i)) for _, cell in columns) for i in range(rows)]
    return "\n".join(lines) + "\n"


LABEL = ("y", lambda i: "ill" if i % 3 else "healthy")
NUMBER = ("age", lambda i: 40 + (i * 7) % 23)


def test_numbers_categories_gaps_and_constants(write):
    text = table(
        ("patient", lambda i: f"p{i // 2}"),
        NUMBER,
        ("dose", lambda i: "NA" if i % 5 == 0 else i / 10),
        ("site", lambda i: ["north", "south", ""][i % 3]),
        ("unit", lambda i: "mg"),
        LABEL,
    )
    data = read_labelled(write(text), "y", "patient")
    assert data.X.shape == (30, 3)
    assert data.categorical == (2,)
    assert np.isnan(data.X[:, 1]).sum() == 6
    assert data.X[:3, 2].tolist() == pytest.approx([0, 1, np.nan], nan_ok=True)
    assert data.y[:3].tolist() == ["healthy", "ill", "ill"]
    assert data.groups[:4].tolist() == ["p0", "p0", "p1", "p1"]
    assert data.needs_preparation
    assert "the same value: unit" in data.notes[0]
    assert "categories (one-hot): site" in data.notes[1]
    assert "median of the training rows: dose" in data.notes[2]


def test_ordinals_are_categories_and_several_labels_are_kept_apart(write):
    text = table(NUMBER, ("class", lambda i: ["1st", "2nd", "3rd"][i % 3]), LABEL, ("dead", lambda i: i % 2))
    data = read_labelled(write(text), ["y", "dead"])
    assert (data.names, data.categorical) == (("age", "class"), (1,))
    assert list(data.y) == ["y", "dead"]
    assert data.y["dead"][:3].tolist() == [0, 1, 0]


def test_labels_that_are_numbers_stay_numbers(write):
    whole = read_labelled(write(table(NUMBER, ("y", lambda i: i % 2))), "y")
    assert whole.y.dtype.kind == "i"
    assert read_labelled(write(table(NUMBER, ("y", lambda i: i / 7))), "y").y.dtype.kind == "f"


@pytest.mark.parametrize(
    ("columns", "arguments", "message"),
    [
        ([NUMBER, LABEL], {"label": "z"}, r"no column 'z'; found age, y. Name one of them with label=\.\.\."),
        ([NUMBER, LABEL], {"group": "z"}, "no column 'z'.*with group="),
        ([NUMBER, LABEL], {"drop": ["z"]}, "no column 'z'.*with drop="),
        ([LABEL], {}, "that varies between rows"),
        ([("unit", lambda i: "mg"), LABEL], {}, "that varies between rows"),
        ([NUMBER, ("y", lambda i: "" if i == 4 else "a")], {}, "column 'y' has no value in line 6"),
        ([NUMBER, LABEL, ("who", lambda i: "NA")], {"group": "who"}, "'who' has no value in line 2, 3, 4, 5, 6 and 25"),
        (
            [NUMBER, LABEL, ("who", lambda i: f"p{i}")],
            {},
            r"'who' holds 30 different texts.*drop=\['who'\].*group='who'",
        ),
        ([NUMBER, LABEL, ("row", lambda i: i + 1)], {}, "'row' holds row numbers"),
        (
            [LABEL, ("age", lambda i: "4o" if i == 9 else 40 + i % 9)],
            {},
            "line 11, column 'age'.*'4o'.*correct this cell",
        ),
        ([LABEL, ("seen", lambda i: f"2024-01-{i % 9 + 1:02}")], {}, r"'seen' holds dates such as '2024-01-01'.*drop="),
        (
            [LABEL, ("at", lambda i: f"1.2.2024 {i % 9 + 1}:30")],
            {},
            r"'at' holds dates such as '1\.2\.2024 1:30'.*drop=",
        ),
    ],
)
def test_bad_tables_are_explained(write, columns, arguments, message):
    with pytest.raises(DataError, match=message):
        read_labelled(write(table(*columns)), **{"label": "y"} | arguments)


def test_columns_can_be_dropped(write):
    text = table(("who", lambda i: f"p{i}"), NUMBER, LABEL)
    assert read_labelled(write(text), "y", drop=["who"]).X.shape == (30, 1)


def test_embeddings_with_a_table_of_labels(write, tmp_path, rng):
    X = rng.normal(size=(30, 4)).astype(np.float32)
    np.save(tmp_path / "X.npy", X)
    labels = write(table(("patient", lambda i: i // 2), LABEL), "labels.csv")
    data = read_labelled(tmp_path / "X.npy", "y", "patient", labels=labels)
    assert isinstance(data.X, np.memmap)
    assert np.array_equal(data.X, X)
    assert (len(data.y), len(set(data.groups))) == (30, 15)
    assert not data.needs_preparation
    np.savez(tmp_path / "all.npz", embeddings=X, y=np.arange(30) % 2, who=np.arange(30))
    inside = read_labelled(tmp_path / "all.npz", "y", "who")
    assert inside.X.shape == (30, 4)
    assert inside.groups.tolist() == list(range(30))
    X[3, 2] = np.nan
    np.savez(tmp_path / "gap.npz", X=X, y=np.arange(30) % 2)
    gaps = read_labelled(tmp_path / "gap.npz", "y")
    assert gaps.needs_preparation
    assert "median" in gaps.notes[0]


def test_bad_embeddings_are_explained(write, tmp_path):
    np.save(tmp_path / "X.npy", np.zeros((5, 2)))
    np.savez(tmp_path / "flat.npz", y=np.zeros(3))
    np.save(tmp_path / "objects.npy", np.array([{}, {}], object))
    labels = write(table(LABEL), "labels.csv")
    for path, arguments, message in [
        ("none.npy", {}, "There is no file"),
        ("X.npy", {}, "no array 'y'; found X. .*labels="),
        ("X.npy", {"labels": labels}, "has 5 cases, but there are 30 labels"),
        ("flat.npz", {}, "must contain an array X"),
        ("objects.npy", {}, "cannot be read as arrays of numbers"),
        ("labels.csv", {"labels": labels}, "must contain its own labels"),
    ]:
        with pytest.raises(DataError, match=message):
            read_labelled(tmp_path / path, "y", **arguments)
