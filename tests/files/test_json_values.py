"""What is written as JSON is JSON."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from apexgp.files.writing import to_json_value


def test_arrays_numbers_and_containers_become_json():
    value = {
        "array": np.arange(3),
        "table": (np.eye(2), [np.float32(0.5)]),
        "number": np.int64(4),
        "others": [Decimal("0.25"), Fraction(1, 4), True, None, "text"],
        7: "key",
    }
    expected = {
        "array": [0, 1, 2],
        "table": [[[1.0, 0.0], [0.0, 1.0]], [0.5]],
        "number": 4,
        "others": [0.25, 0.25, True, None, "text"],
        "7": "key",
    }
    assert to_json_value(value) == expected
    assert json.loads(json.dumps(to_json_value(value), allow_nan=False)) == expected


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, np.float64("nan")])
def test_what_json_has_no_number_for_is_null(value):
    assert to_json_value([value, np.array([value])]) == [None, [None]]


def test_what_is_none_of_these_is_refused_unless_said_otherwise():
    with pytest.raises(TypeError, match="is a object"):
        to_json_value({"a": [object()]})
    assert to_json_value({"a": [1j]}, repr) == {"a": ["1j"]}
