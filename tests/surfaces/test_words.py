"""Numbers as sentences hold them."""

import math
from pathlib import Path

import numpy as np
import pytest

from apexgp import CollectionPlan, LearningCurve, RequiredSize
from apexgp.surfaces.tables import required_table, table_of
from apexgp.surfaces.words.compare import compare_sentence
from apexgp.surfaces.words.phrases import as_typed, roughly
from apexgp.surfaces.words.required import required_sentence
from apexgp.typing import PairComparison


@pytest.mark.parametrize(
    ("size", "error", "said"),
    [
        (653, 0.0, "653"),
        (1_234_567, 0.0, "1,230,000"),  # of an error that is not stated: three digits
        (math.inf, 0.0, "never"),
        (653, 0.02, "650"),
        (12_345, 0.04, "12,000"),
        (12_345, 0.004, "12,300"),
        (12_345, 0.09, "12,000"),
        (12_345, 0.187, "about 12,000"),
        (12_345, 0.3, "about 12,000"),
        (123_456, 1e-4, "123,500"),
    ],
)
def test_a_size_has_as_many_digits_as_are_known(size, error, said):
    assert roughly(size, error) == said


def test_what_is_vague_is_said_to_be_everywhere():
    found = RequiredSize(0.8, 0.6, 653, 512, (300, 12_345), 0.9, 0.2, already_met=False, relative_error=0.187)
    curve = LearningCurve([60, 94, 147], [0.7, 0.72, 0.74], metric="auroc")
    assert "plan for about 650 training examples, 4.4 times the 147 of the pilot" in required_sentence(found, curve)
    assert "with about 510 the odds are even" in required_sentence(found, curve)
    assert "about 650 examples reach 0.8" in str(found)
    _, rows = required_table(found, curve)
    assert ["with 60 %", "about 650", "4.4"] in rows


@pytest.mark.parametrize("cost", [12, 0.1, 7.25, 1234.5])
def test_the_rows_of_a_plan_add_up_as_they_are_shown(cost):
    plan = CollectionPlan(0.8, cost, 5e6, 361, (1_204, 1_877, 12_345), 0.1, (0.3, 0.5, 0.9), 100.0, 90.0, 0.1)
    _, rows = table_of(plan)
    have = 361
    for _, more, size, price, _ in [[cell.replace(",", "") for cell in row] for row in rows]:
        have += int(more)
        assert have == int(size)
        assert float(price) == pytest.approx(int(more) * cost, rel=1e-9)


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        (0.012, "the expected difference in AUROC is 0.012."),
        (-0.0001, "the expected difference in AUROC is less than 0.001, which is no difference to choose by."),
    ],
)
def test_a_difference_that_would_be_shown_as_nothing_is_said_to_be_none(gap, said):
    one = np.array([1000.0])
    pair = PairComparison("a", "b", one, np.array([0.46]), np.array([gap]), None, 0, 0.0, one, np.array([0.46]))
    curve = LearningCurve([60, 94, 147], [0.98, 0.99, 0.99], metric="auroc")
    assert said in compare_sentence(pair, curve)
    assert "-0.000" not in str(pair)


@pytest.mark.parametrize(("name", "typed"), [("c.csv", "c.csv"), ("-c.csv", "./-c.csv"), ("--json", "./--json")])
def test_a_file_that_is_called_as_an_option_is_typed_so_that_it_is_none(name, typed):
    assert as_typed(Path(name)) == typed
