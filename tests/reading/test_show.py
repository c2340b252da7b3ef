"""A sheet as it was understood, as text and as HTML."""

import re
import unicodedata
from html.parser import HTMLParser

import pytest

import apexgp
from apexgp.reading.show import write_text_doubt, write_text_grid, write_text_rows

ROWS = "60,0.66,0.64,\n94,0.705,0.68,restarted\n147,0.72,0.7,\nmean,0.68,0.66,\n"
MODELS = f"Pilot of May\nn,ResNet,ViT,remark\n{ROWS}Two so far\n"


@pytest.fixture
def read(tmp_path):
    def read(text, **settings):
        (tmp_path / "pilot.csv").write_text(text, encoding="utf-8")
        return apexgp.read(tmp_path / "pilot.csv", **settings)

    return read


def grid(reading, **how):
    return write_text_rows(reading.sheet, reading.interpretation, reading.doubts, **how)


def test_a_grid_has_letters_roles_numbers_and_kinds(read):
    assert grid(read(MODELS, each_column="model")) == [
        "               A       B      C  D",
        "            size   score  score  ignored",
        "1  title    Pilot of May",
        "2  header      n  ResNet    ViT  remark",
        "3  data       60    0.66   0.64",
        "4  data       94   0.705   0.68  restarted",
        "5  data      147    0.72    0.7",
        "6  summary  mean    0.68   0.66",
        "7  note     Two so far",
    ]


def test_doubts_come_with_choices_and_what_to_set(read):
    reading = read(MODELS)
    assert "  1. each column is a split     each_column='split'" in str(reading).splitlines()
    assert "  3. “ResNet” holds the scores  roles={'B': 'score'}" in str(reading).splitlines()
    options = write_text_grid(
        reading.sheet,
        reading.interpretation,
        reading.notes,
        reading.doubts,
        write_choice=lambda choice: f"<{choice.label}>",
    )
    assert "<each column is a split>" in options
    assert "each_column=" not in options
    assert "- Left out above the table: 'Pilot of May'." in options  # the file is named once, above
    assert [line for line in write_text_doubt(reading.doubts[0], write_choice=None) if "=" in line] == []


def test_a_choice_too_long_for_its_line_stands_above_what_to_set(read):
    lines = write_text_doubt(read(MODELS).doubts[0], width=40)
    place = lines.index("  3. “ResNet” holds the scores")
    assert lines[place + 1] == "     roles={'B': 'score'}"


def test_a_long_sheet_shows_its_header_both_ends_and_how_many_lie_between(read):
    rows = "".join(f"{n},{0.6 + n / 10000:.4f}\n" for n in range(100, 1100))
    lines = grid(read(f"n,AUC\n{rows}"))
    assert len(lines) < 20
    assert lines[2].split() == ["1", "header", "n", "AUC"]
    assert lines[3].split() == ["2", "data", "100", "0.6100"]
    assert lines[-1].split()[:2] == ["1001", "data"]
    assert [line.split(maxsplit=1)[1] for line in lines if line.startswith("...")] == ["987 more lines"]


def test_rows_in_doubt_are_shown_wherever_they_stand(read):
    rows = "".join(f"{n},{'zero' if n == 500 else 0.7}\n" for n in range(100, 1100))
    lines = grid(read(f"n,AUC\n{rows}"))
    assert any(line.split() == ["402", "data", "500", "zero"] for line in lines)
    assert sum(line.startswith("...") for line in lines) == 2


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_a_wide_sheet_fits_and_shows_the_columns_with_roles(read, width):
    unused = [f"a remark on run {i}" for i in range(12)]
    header = ["words", *unused[:6], "n", *unused[6:], "AUC"]
    rows = "".join(",".join(["x"] * 7 + [str(n)] + ["y"] * 6 + [str(0.6 + n / 1000)]) + "\n" for n in (60, 90, 120))
    lines = grid(read(",".join(header) + "\n" + rows), width=width)
    assert max(map(len, lines)) <= width
    assert {"size", "score"} <= set(lines[1].split())
    count = int(re.search(r"(\d+) more columns, ignored: ", " ".join(lines))[1])
    assert count == len(header) - len(lines[0].split())


def test_cells_of_any_language_stand_in_line(read):
    """Letters of Chinese and Japanese take two places of a terminal."""
    lines = grid(read("n,模型,AUC\n60,残差网络,0.66\n90,残差网络,0.70\n60,y,0.61\n90,y,0.66\n"))
    widths = {sum(2 if unicodedata.east_asian_width(sign) == "W" else 1 for sign in line) for line in lines}
    assert len(widths) == 1
    assert "残差网络" in lines[3]


def test_text_takes_no_control_characters_and_one_line_per_row(read):
    lines = grid(read('n,AUC,remark\n60,0.66,"two\nlines"\n90,0.7,\x1b[2J\n'))
    assert len(lines) == 5
    assert "\x1b" not in "".join(lines)


class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], set(), []

    def handle_starttag(self, tag, _attributes):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_html_is_escaped_and_says_roles_in_words(read):
    evil = "<script>alert(1)</script>"
    reading = read(f"n,AUC,{evil}\n60,0.66,{evil}\n90,0.70,&amp;\n120,0.72,\n")
    html = reading._repr_html_()
    assert "<script" not in html
    cells = Cells()
    cells.feed(html)
    assert not cells.open
    assert {evil, "&amp;", "training-set sizes", "scores", "not used", "header", "data"} <= set(cells.text)
    assert "rgba(" in html


def test_html_has_the_doubts_with_what_to_set(read):
    cells = Cells()
    cells.feed(read(MODELS)._repr_html_())
    assert "each_column='model'" in cells.text
    assert "ol" in cells.tags


def test_choices_are_columns_that_may_be_meant(read):
    """Numbers of examples are no scores; per cents are sizes where there is nothing else."""
    assert [choice.label for choice in read(MODELS).doubts[0].choices][2:] == [
        "“ResNet” holds the scores",
        "“ViT” holds the scores",
    ]
    shares = read("Quux;AUC\n25 %;0,71\n50 %;0,76\n100 %;0,80\n")
    assert [choice.label for choice in shares.doubts[0].choices] == ["“Quux” holds the training-set sizes"]
