"""Numbers as sentences hold them."""

import math

import numpy as np
import pytest

from apexgp import LearningCurve, PairComparison
from apexgp.surfaces.words.compare import compare_sentence
from apexgp.surfaces.words.phrases import roughly


@pytest.mark.parametrize(
    ("size", "error", "said"),
    [
        (653, 0.0, "653"),
        (1_234_567, 0.0, "1,230,000"),  # of an error that is not stated: three digits
        (math.inf, 0.0, "never"),
        (653, 0.02, "650"),
        (12_345, 0.04, "12,000"),
        (12_345, 0.004, "12,300"),
        (12_345, 0.3, "12,000"),
        (123_456, 1e-4, "123,500"),
    ],
)
def test_a_size_has_as_many_digits_as_are_known(size, error, said):
    assert roughly(size, error) == said


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
