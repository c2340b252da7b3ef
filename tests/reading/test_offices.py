"""Sheets of three offices: each is read right at once, or after one question; none is silently wrong."""

import io
import json
from collections import Counter
from importlib import import_module

import pytest

from apexgp import read
from apexgp.reading.names import metric_name
from conftest import require

require("openpyxl")
SHEETS = [sheet for who in ("nurse", "engineer", "manager") for sheet in import_module(f"offices.{who}").SHEETS]

QUESTIONS = {
    "Auswertung Dekubitus-Fotos.xlsx": "all of them, each a model",
    "fehlerraten_belege.tsv": "shares of 24,000",
    "comparatif_modeles_CR.xlsx": "each column is a model",
    "resultats_tickets.csv": "the metric “exactitude”",
    "learning_curve_readmission.xlsx": "all of them, each a model",
    "intent_runs.jsonl": "“seed” holds the splits",
    "biopsies_rein_par_site.xlsx": "“Score F1” holds the scores",
}
"""The choice that settles the only doubt about a sheet."""

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::apexgp.errors.MissingScoresWarning")]


def open_sheet(sheet):
    file = io.BytesIO(sheet.build())
    file.name = sheet.name
    return file


def read_settled(sheet):
    """The reading of a sheet, with the choice made that its question asks for."""
    reading = read(open_sheet(sheet))
    if sheet.name not in QUESTIONS:
        assert reading.doubts == ()
        return reading
    choices = {one.label: one.settings for one in reading.doubts[0].choices}
    return reading.with_settings(**choices[QUESTIONS[sheet.name]])


def count_points(curve):
    return Counter((size, round(score, 6)) for size, score in zip(curve.sizes, curve.scores, strict=True))


def find_curve(curves, name):
    """The curve of a name, or one that says a little more or less."""
    if len(curves) == 1:
        return next(iter(curves.values()))
    (found,) = [curve for key, curve in curves.items() if str(name) in str(key) or str(key) in str(name)]
    return found


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_a_sheet_of_an_office_is_read_right(sheet):
    curves = read_settled(sheet).curves
    assert len(curves) == len(sheet.curves)
    for name, points in sheet.curves.items():
        curve = find_curve(curves, name)
        assert count_points(curve) == Counter((float(one[0]), round(one[1], 6)) for one in points)
        splits = {one[2] for one in points if len(one) > 2}
        assert not splits or len({*curve.split}) == len(splits)
        assert curve.unit in (sheet.unit, "rows")
        if sheet.metric is not None:
            either = {metric_name(sheet.metric)} | ({"top-1 error"} if sheet.metric == "error rate" else set())
            assert curve.metric_name in either


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_its_interpretation_reads_it_again(sheet):
    reading = read_settled(sheet)
    again = read(open_sheet(sheet), **json.loads(json.dumps(reading.interpretation.as_settings())))
    assert {task: count_points(curve) for task, curve in again.curves.items()} == {
        task: count_points(curve) for task, curve in reading.curves.items()
    }
