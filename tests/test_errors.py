"""Errors carry what they are about; warnings point to the line that is about it."""

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import apexgp
from apexgp import APExGP, LearningCurve, LeastSquares, forecast_many, read
from apexgp.errors import (
    ApexError,
    DataError,
    Fault,
    MissingExtraError,
    NoForecastError,
    RequestError,
    WouldOverwriteError,
)
from apexgp.vocabulary import Vocabulary
from small_pilots import SCORES, SIZES


def test_an_error_knows_its_argument_and_says_it_in_python():
    with pytest.raises(RequestError) as found:
        APExGP().fit(SIZES, SCORES).required_size(0.8, confidence=80)
    assert found.value.argument == "confidence"
    assert str(found.value) == "confidence must be strictly between 0 and 1, got 80. Write 0.8 for 80 %."


def test_a_surface_words_the_arguments_in_its_own_way():
    error = DataError("must be so.", argument="cost", remedy=("Name it with {} or {}.", "cost", "rounds"))
    assert str(error) == "cost must be so. Name it with cost=... or rounds=...."
    error.worded_for(Vocabulary({"cost": "Price"}, lambda word, _value: word.lower()))
    assert str(error) == "Price must be so. Name it with price or rounds=...."
    assert (error.argument, error.to_set) == ("cost", [("cost", None), ("rounds", None)])


def test_the_words_of_an_inner_surface_stay_within_those_of_an_outer_one():
    error = RequestError("must be so.", argument="label", remedy=("See {}, {} and {}.", "label", ("out", 1), ("x", 2)))
    error.worded_for(Vocabulary({"label": "data.label"}, lambda word, _value: f"[{word}]"))
    error.worded_for(Vocabulary({"label": "--label", "out": "--out"}, lambda word, value: f"{word} {value}"))
    assert str(error) == "data.label must be so. See [data.label], --out 1 and x=2."


def test_a_switch_takes_no_value():
    words = Vocabulary({"direction": "--lower", "unit": "--unit"}, lambda word, value: f"{word} {value}", {"direction"})
    assert words.setting("direction", "lower") == "--lower None"  # the reader has nothing to choose
    assert words.setting("unit", "rows") == "--unit rows"


def test_a_value_of_the_users_is_never_taken_for_an_argument(tmp_path):
    path = tmp_path / "cost_per_example {}.csv"
    with pytest.raises(DataError) as found:
        read(path).curves
    found.value.worded_for(Vocabulary({"cost_per_example": "?"}))
    assert str(found.value) == f"There is no file {path}. Check the name and the folder."


@pytest.mark.parametrize("kind", [DataError, RequestError, NoForecastError, WouldOverwriteError, MissingExtraError])
def test_errors_survive_the_way_back_from_a_worker(kind):
    faults = [Fault(3, "score", "is no number.")]
    error = kind("must be so.", argument="cost", remedy=("Try {}.", "rounds"), where="a file", faults=faults)
    error.worded_for(Vocabulary({"cost": "price"}))
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, kind)
    assert isinstance(again, ApexError)
    assert str(again) == str(error) == "a file: price must be so. Try rounds=...."
    assert vars(again) == vars(error)


def lines_of(work):
    """Files and lines that the warnings of a piece of work name."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        work()
    assert found
    return {(Path(w.filename).name, w.lineno) for w in found}


@pytest.mark.slow
def test_warnings_name_the_callers_line_from_every_entrance(monkeypatch, tmp_path):
    import apexgp.point_estimates.least_squares as squares_engine
    import apexgp.point_estimates.map as map_engine

    for engine in (map_engine, squares_engine):
        quick = engine.minimise
        monkeypatch.setattr(engine, "minimise", lambda *a, quick=quick, **k: quick(*a, **k, max_iterations=1))
    table = np.array(SCORES)[:, None] * [1, np.nan]
    path = tmp_path / "model.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        LeastSquares("pow4").fit(SIZES, SCORES).save(path)
    published = APExGP.as_published()
    curve = LearningCurve(SIZES, SCORES)
    works = [
        lambda: published.fit(SIZES, SCORES),
        lambda: published.fit(curve),
        lambda: LeastSquares("pow4").fit(SIZES, SCORES),
        lambda: LeastSquares.load(path),
        lambda: LearningCurve(SIZES, table),
        lambda: published.fit(SIZES, table),
        lambda: list(forecast_many([curve], [720], published)),
        lambda: apexgp.backtest(curve, ["pow4"], 1),
    ]
    for work in works:
        (where,) = lines_of(work)
        assert where == (Path(__file__).name, work.__code__.co_firstlineno)
