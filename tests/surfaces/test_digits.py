"""Scores are printed with the digits that their scale and their error call for, and alike in any unit."""

import re
from decimal import Decimal

import pytest

from conftest import pilot_table

SCORE = re.compile(r"(?<![\d.,])([+-]?)(\d\.\d{3,4})(?![\d.,]\d)")


def write_pilot(path, factor, lift=0.0, column="accuracy"):
    header, *rows = pilot_table(lift).splitlines()
    cells = (row.split(",") for row in rows)
    scaled = [f"{size},{float(score) * factor:.6g},{split}" for size, score, split in cells]
    path.write_text("\n".join([header.replace("score", column), *scaled]) + "\n")
    return path


def in_per_cent(text):
    """A text about scores in [0, 1] as it is about the same in per cent; how its columns are spaced does not matter."""
    scores = SCORE.sub(lambda found: f"{found[1]}{Decimal(found[2]).scaleb(2):f}", text)
    scores = re.sub(r"(?<=ceiling )0\.(\d\d)\b", r"\1", scores)
    return re.sub(r"[\s─]+", " ", scores)


@pytest.mark.parametrize(
    "asked",
    [
        ["forecast", "first.csv"],
        ["compare", "first.csv", "second.csv", "--at", "5000"],
        ["backtest", "first.csv", "--method", "power_law"],
        ["check", "first.csv"],
        ["sensitivity", "first.csv"],
        ["design", "first.csv", "--budget", "4"],
    ],
    ids=" ".join,
)
def test_scores_in_per_cent_are_printed_with_the_digits_that_they_have_as_fractions(run, tmp_path, monkeypatch, asked):
    said = {}
    for factor, more in ((1, []), (100, ["--range", "0,100"])):
        folder = tmp_path / str(factor)
        folder.mkdir()
        write_pilot(folder / "first.csv", factor)
        write_pilot(folder / "second.csv", factor, -0.03)
        monkeypatch.chdir(folder)
        code, said[factor], _ = run(*asked, *more)
        assert code == 0
    assert in_per_cent(said[1]) == re.sub(r"[\s─]+", " ", said[100])


@pytest.mark.parametrize(
    ("factor", "form"),
    [(1, r"\d\.\d{3}"), (24, r"\d+\.\d"), (2000, r"\d?,?\d{3}"), (0.02, r"0\.\d{4}")],
)
def test_a_loss_is_printed_with_three_digits_of_its_last_mean(run, tmp_path, factor, form):
    path = tmp_path / "loss.csv"
    cells = (row.split(",") for row in pilot_table().splitlines()[1:])
    losses = [f"{size},{factor * (1.3 - float(score)):.6g},{split}" for size, score, split in cells]
    path.write_text("\n".join(["size,rmse,split", *losses]))
    code, out, _ = run("forecast", path)
    assert code == 0
    (measured, expected, low, high, promised) = re.search(
        r"which give (\S+)\), expect a mean RMSE of (\S+); .* between (\S+) and (\S+), and .* at most (\S+)\.$",
        out,
        re.MULTILINE,
    ).groups()
    table = [line.split() for line in out.splitlines() if re.match(r"\s*[\d,]+\s+[\d.]+\s", line)]
    scores = [
        measured,
        expected,
        low,
        high,
        promised,
        *(cell for row in table for cell in (row[2], row[3], row[5], row[6])),
    ]
    assert len(scores) == 17
    assert [score for score in scores if not re.fullmatch(form, score)] == []
    assert table[-1][2] == expected


def test_scores_that_an_interval_can_tell_apart_are_printed_apart(run, tmp_path):
    path = tmp_path / "narrow.csv"
    rows = [(60, 0.9989), (94, 0.9992), (147, 0.9994), (230, 0.9995), (360, 0.9996)]
    path.write_text("size,auroc\n" + "".join(f"{size},{score}\n" for size, score in rows))
    _, out, _ = run("forecast", path)
    assert "0.9989 at 60 to 0.9996 at 360" in out
    assert "between 0.999 and 1.000" not in out


def test_a_multiple_of_the_pilot_is_written_out(run, tmp_path):
    write_pilot(tmp_path / "pilot.csv", 1)
    _, out, _ = run("forecast", tmp_path / "pilot.csv", "--at", "1500k")
    assert "2,660" in out
    assert "e+0" not in out
