"""Numbers as sentences hold them."""

import math

import pytest

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
