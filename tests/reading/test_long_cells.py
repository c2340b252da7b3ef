"""Cells and tables that are far too long: they are read, or refused in a line, and hang nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apexgp import read
from apexgp.errors import DataError
from apexgp.question_base.column_settings import ColumnSettings
from apexgp.reading.cells import LONGEST_CELL, is_cut, shorten
from apexgp.reading.files import Sheet
from apexgp.reading.layout import lay_out
from apexgp.surfaces.web.reading import read_text
from limited import guarded

HANGS = 20.0  # seconds of the processor, for what takes a fraction of one
LONG = "0.7" + 100_000 * " " + "x"
NAMES = ["n", "AUC", "seed", "Model", "remark"]


def rows(column, cell):
    """A table with the cell in its third row."""
    table = [[60 * 2**i, 0.6 + 0.03 * i, 1, "A", "fine"] for i in range(4)]
    table[2][NAMES.index(column)] = cell
    return table


def as_csv(table):
    return "\n".join(";".join(map(str, row)) for row in [NAMES, *table]) + "\n"


@pytest.fixture
def sources(tmp_path):
    """Ways to bring a table: a file of text or JSON, a data frame, the page."""

    def sources(table):
        text, records = tmp_path / "table.csv", tmp_path / "table.json"
        text.write_text(as_csv(table))
        records.write_text(json.dumps([dict(zip(NAMES, row, strict=True)) for row in table]))
        frame = {name: [row[i] for row in table] for i, name in enumerate(NAMES)}
        return [
            *(lambda source=source: read(source).curves for source in (text, records, frame)),
            lambda: read_text(as_csv(table), ColumnSettings()),
        ]

    return sources


@pytest.mark.parametrize(
    ("column", "cell"), [("n", LONG), ("AUC", LONG), ("seed", "0.7" * 50_000), ("Model", "0.7" * 50_000)]
)
def test_a_long_cell_that_is_needed_is_refused_and_shown_shortened(sources, column, cell):
    for take in sources(rows(column, cell)):
        with guarded(HANGS, "the reader hangs"), pytest.raises(DataError) as refused:
            take()
        (fault,) = refused.value.faults
        assert (fault.column, fault.message.startswith("expected a n")) == (column, True)
        assert "got '0.7" in fault.message
        assert len(str(refused.value)) < 600


def test_a_long_cell_that_is_not_needed_is_no_matter(sources):
    for take in sources(rows("remark", LONG)):
        with guarded(HANGS, "the reader hangs"):
            take()


def test_long_names_that_begin_alike_are_not_taken_for_one():
    long = "A" * LONGEST_CELL
    names = [f"{long} 1"] * 3 + [f"{long} 2"] * 3
    frame = {"n": [60, 120, 240] * 2, "AUC": [0.6, 0.7, 0.8] * 2, "Model": names}
    with pytest.raises(DataError, match=r"expected a name of fewer than 2,000 characters, got 'AAA.*Shorten it\."):
        read(frame).curves


def test_a_number_that_is_cut_is_none():
    digits = "0.7" + "0" * LONGEST_CELL
    assert is_cut(shorten(digits))
    assert not is_cut(shorten(digits[:LONGEST_CELL]))
    with pytest.raises(DataError, match=r"expected a number, got '0\.7000"):
        read({"n": [60, 120], "AUC": ["0.6", digits]}).curve


@pytest.mark.slow
def test_a_table_of_many_rows_is_read(tmp_path):
    path = tmp_path / "table.csv"
    lines = [f"{'' if i % 50 else 60 + i},0.{6000 + i % 997},{i % 50},mean" for i in range(40_000)]
    path.write_text("n,AUC,seed,pooling\n" + "\n".join(lines) + "\n")
    with guarded(HANGS, "the reader hangs"):
        assert len(read(path).curve) == 40_000


@pytest.mark.slow
@given(st.lists(st.lists(st.sampled_from(["", "n", "AUC", "# remark", "0.7"]), min_size=1, max_size=3), min_size=1))
def test_the_header_is_near_the_top_lines_of_comments_apart(cells):
    numbered = list(enumerate(cells, start=1))

    def is_header(row):
        return "n" in row and len([cell for cell in row if cell]) > 1

    comments = [row[0].startswith("#") for row in cells]
    near = [i for i in range(len(cells)) if i - sum(comments[:i]) < 15]
    several = [i for i in near if len([cell for cell in cells[i] if cell]) > 1 and not comments[i]]
    headers = [i for i in near if is_header(cells[i])]
    layout = lay_out(Sheet.build("cells", numbered), finds_header=is_header)
    assert max(layout.blocks[0].header[:2]) in ([*headers, *several, 0][0], [*headers, *several, 0][0] + 1)


@pytest.mark.slow
def test_a_header_under_many_comments_is_found():
    numbered = [(i, ["# remark"]) for i in range(1, 100_000)] + [(100_000, ["n", "AUC"])]
    with guarded(HANGS, "lay_out hangs"):
        layout = lay_out(Sheet.build("cells", numbered), finds_header=lambda row: "n" in row)
    assert layout.blocks[0].header == (99_999,)
