"""Names that a spreadsheet would run: neutral in every table that is written, and themselves when it is read again."""

import csv
import io

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from apexgp import CurveSet, LearningCurve, collect_curves, read
from apexgp.reading.cells import as_text, restore_text
from apexgp.reading.files import as_csv

HOSTILE = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "'=1", "''-x", "\t=1", "\r=1"]


@pytest.mark.parametrize("cell", [*HOSTILE, "plain", "'quoted'", "", "a=b", "-0.5", "+1e9", "-", "-inf", 0.5, -3, None])
def test_cells_survive_and_are_no_formulas(cell):
    written = as_text(cell)
    if isinstance(cell, str):
        assert restore_text(written) == cell
    if cell in HOSTILE:
        assert written.startswith("'")
    elif cell != "-":
        assert written == cell


def test_no_cell_of_a_curve_begins_a_formula_and_all_are_read_back(tmp_path):
    path = tmp_path / "curve.csv"
    split = ["=1+1", "@x", "-a"] * 3
    given = LearningCurve(
        [60] * 3 + [120] * 3 + [240] * 3, np.linspace(0.6, 0.8, 9), split, task="=cmd|x", metric="auroc"
    )
    given.to_csv(path)
    cells = [cell for row in csv.reader(io.StringIO(path.read_text())) for cell in row]
    assert not any(cell.startswith(("=", "@")) for cell in cells)
    assert not any(cell.startswith("-") for cell in cells)
    (again,) = read(path).curves.values()
    assert (again.task, again.split.tolist()) == ("=cmd|x", split)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The test sets are small")
def test_a_record_with_such_names_goes_on(tmp_path, rng):
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    record = tmp_path / "record.csv"
    how = {"sizes": [10, 20, 30], "n_splits": 1, "progress": False, "results": record}
    first = collect_curves(GaussianNB(), X, {"=1+1": y, "b": y}, **how)
    before = record.read_bytes()
    assert collect_curves(GaussianNB(), X, {"=1+1": y, "b": y}, **how).as_csv() == first.as_csv()
    assert record.read_bytes() == before
    assert CurveSet.from_results(record).as_csv() == first.as_csv()


def test_headers_are_cells_too():
    assert as_csv({"=a": [1], "b": ["-0.1"]}) == "'=a,b\n1,-0.1\n"
