"""Values that JSON has no word for, put into those that it has."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


def _refuse_value(value: Any) -> Any:
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def to_json_value(value: Any, fallback: Callable[[Any], Any] = _refuse_value) -> Any:
    """Lists, dictionaries, numbers, text, true, false and null; null for a number that is not finite.

    `fallback` is asked about what is none of these and no array or number of any kind; by default it is refused with a
    TypeError.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (Decimal, Fraction)):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, (list, tuple)):
        return [to_json_value(item, fallback) for item in value]
    if isinstance(value, Mapping):
        return {str(name): to_json_value(item, fallback) for name, item in value.items()}
    return fallback(value)
