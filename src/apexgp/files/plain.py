"""Values that JSON has no word for, put into those that it has."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


def _refuse(value: Any) -> Any:
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def plain(value: Any, otherwise: Callable[[Any], Any] = _refuse) -> Any:
    """Lists, dictionaries, numbers, text, true, false and null; null for a number that is not finite.

    `otherwise` is asked about what is none of these and no array or number of any kind; by default it is refused with a
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
        return [plain(item, otherwise) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(item, otherwise) for name, item in value.items()}
    return otherwise(value)
