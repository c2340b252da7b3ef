"""The chart in characters: on a terminal only, within its width, readable without colours."""

import io
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apexgp import APExGP, LearningCurve
from apexgp.questions.forecast import ForecastQuestion
from apexgp.questions.picture import CurvePicture, picture_of
from apexgp.questions.reach import Reach
from apexgp.surfaces.chart.text import TextChart
from conftest import pilot_table

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def model():
    scores = np.array([0.71, 0.74, 0.77, 0.79, 0.81])[:, None] + [-0.01, 0.012]
    return APExGP().fit(LearningCurve([60, 94, 147, 230, 360], scores, metric="auc"))


@pytest.fixture(scope="module")
def picture(model):
    question = ForecastQuestion(at=Reach((720.0, 3600.0)), target=0.83)
    return picture_of(question.answer(model), CurvePicture)


def drawn(picture, *given, **more):
    return ["".join(piece for piece, _ in line) for line in TextChart(picture, *given, **more).lines()]


@pytest.mark.slow
@given(width=st.integers(40, 200), plain=st.booleans())
def test_no_line_is_wider_than_the_terminal(picture, width, plain):
    lines = drawn(picture, width, plain=plain)
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines[-3:])
    assert not plain or all(line.isascii() for line in lines)


@pytest.mark.slow
def test_marks_stand_where_the_numbers_are(picture, model):
    lines = drawn(picture, 80)
    assert lines[0] == "AUROC"
    rows = {float(line[:6]): i for i, line in enumerate(lines[1:-4], start=1) if re.fullmatch(r"\s+\d\.\d+", line[:6])}
    labels = np.array(sorted(rows))
    assert len(set(np.diff([rows[label] for label in labels]))) == 1  # as far from each to the next
    row_of = lambda score: np.interp(score, labels, [rows[label] for label in labels])  # noqa: E731
    last = lines[round(row_of(model.forecast([3600]).mean[0]))]
    assert last.rstrip().endswith("━")
    pilot = [i for i, line in enumerate(lines[:-4]) if "●" in line]
    expected = {round(row_of(score)) for score in model.curve_.replicates.mean}
    assert set(pilot) == expected
    low, high = (end[0] for end in model.forecast([3600]).interval(0.95))
    shaded = [i for i, line in enumerate(lines[1:-4], start=1) if len(line) == 79 and line[78] in "░▒━╌"]
    assert abs(shaded[0] - row_of(high)) <= 1
    assert abs(shaded[-1] - row_of(low)) <= 1
    assert "▼" in "".join(lines[1:-4])
    assert all(word in lines[-1] + lines[-2] for word in ("measured", "80 % interval", "95 % interval", "target 0.83"))


def on_a_terminal(arguments, **environment):
    """What a command prints on a terminal of 80 columns."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    settings = os.environ | {"COLUMNS": "80", "TERM": "xterm-256color"} | environment
    process = subprocess.Popen(
        [sys.executable, "-m", "apexgp", *map(str, arguments)], stdout=theirs, stderr=theirs, stdin=theirs, env=settings
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    assert process.wait() == 0
    return said.decode().replace("\r\n", "\n")


@pytest.fixture
def pairs(tmp_path):
    (tmp_path / "pairs.csv").write_text(pilot_table())
    return tmp_path / "pairs.csv"


@pytest.mark.slow
def test_a_terminal_shows_the_chart_and_a_pipe_does_not(pairs, run):
    ask = ("forecast", pairs, "--target", 0.8)
    shown = on_a_terminal(ask)
    assert COLOUR.search(shown)
    plain = COLOUR.sub("", shown)
    assert "░" in plain
    assert max(map(len, plain.splitlines())) <= 80
    piped = run(*ask)[1]
    assert "░" not in piped
    assert "\x1b" not in piped
    # The same words, whether or not they are broken into lines.
    assert " ".join(piped.split()[-60:]) in " ".join(plain.split())


class Screen(io.TextIOWrapper):
    """What a terminal with some encoding is given."""

    def __init__(self, encoding):
        super().__init__(io.BytesIO(), encoding=encoding)

    def isatty(self):
        return True

    def shown(self):
        self.flush()
        return COLOUR.sub("", self.buffer.getvalue().decode(self.encoding))


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--json", "--methods-text"])
def test_what_is_for_machines_and_papers_is_the_same_on_a_terminal(pairs, run, monkeypatch, option):
    piped = run("forecast", pairs, option)[1]
    screen = Screen("utf-8")
    monkeypatch.setattr(sys, "stdout", screen)
    assert run("forecast", pairs, option)[0] == 0
    assert screen.shown() == piped


@pytest.mark.slow
def test_a_terminal_of_ascii_is_drawn_on_in_ascii(pairs, run, monkeypatch):
    screen = Screen("ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    assert run("forecast", pairs)[0] == 0
    chart = screen.shown()[: screen.shown().index("times pilot")]
    assert "?" not in chart
    assert ":::" in chart
