"""Checks of what comes in from outside: what was wanted, what came, what to do."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ApexError, DataError, RequestError

FloatArray = NDArray[np.float64]

UNUSABLE = (TypeError, ValueError, OverflowError)
"""What Python and NumPy raise when a value cannot be what it should be: caught where values come in, nowhere else."""
DAMAGED = (*UNUSABLE, KeyError, AttributeError)
"""As above, of what was read from a file: a part may be missing, or be of another kind."""

_MOST_SHOWN = 200  # characters of a value that a message repeats
_MOST_DIGITS = 30


def real_array(name: str, values: ArrayLike, *, error: type[ApexError] = RequestError) -> FloatArray:
    """`values` as floats of whatever shape, or an error that names the first thing that is no number."""
    try:
        if holds_masked(values):
            raise error("has masked entries. Remove them or fill them in.", argument=name)
        array = np.asarray(values)
        if array.dtype.kind in "bcmMSV" or (isinstance(values, (list, tuple)) and _holds_truth_values(values)):
            raise TypeError
        with np.errstate(all="ignore"):  # a long double may be beyond: it becomes infinite, which callers refuse
            return np.array(array, dtype=np.float64)
    except error:
        raise
    except UNUSABLE:
        raise error(f"must be real numbers, got {shown(_culprit(values))}.", argument=name) from None


def holds_masked(values: Any) -> bool:
    """Whether some entries are masked; NumPy would make numbers of them."""
    if isinstance(values, (list, tuple)):
        return any(value is np.ma.masked for value in values)
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.is_masked(values))


def _holds_truth_values(values: Collection[Any]) -> bool:
    return any(isinstance(value, (bool, np.bool_)) for value in values)


def _culprit(values: Any) -> Any:
    """The first thing among `values` that is no number, or all of them where that is not to be told."""
    try:
        return next((v for v in np.ravel(np.asarray(values, dtype=object)) if not _is_real(v)), values)
    except UNUSABLE:
        return values


def _is_real(value: Any) -> bool:
    if np.iscomplexobj(value):  # of which NumPy's own would drop the imaginary part, with a warning
        return False
    try:
        float(value)
    except UNUSABLE:
        return False
    return not isinstance(value, (bool, np.bool_))


def some(values: Collection[Any] | NDArray[Any], most: int = 5) -> str:
    """The first few of `values`, for use inside a message."""
    first = ", ".join(f"{v:g}" if isinstance(v, float) else _cut(_text(v)) for v in list(values)[:most])
    return first + (f" and {len(values) - most} more" if len(values) > most else "")


def shown(value: Any) -> str:
    """A value as it would be written in Python, for use inside a message: of what is long, the beginning."""
    if type(value) is int and abs(value) >= 10**_MOST_DIGITS:
        return f"a number of about {round(math.log10(abs(value))):,} digits"
    return _cut(_text(value, repr))


def _text(value: Any, said_by: Callable[[Any], str] = str) -> str:
    try:
        return said_by(value)
    except (*UNUSABLE, AttributeError, RecursionError):  # too many digits, half made, a list within itself
        return f"a {type(value).__name__}"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} [...]"


def sizes_array(name: str, values: ArrayLike, *, error: type[ApexError] = RequestError) -> FloatArray:
    """Training-set sizes: one dimension, finite, at least 1."""
    sizes = np.atleast_1d(real_array(name, values, error=error))
    if sizes.ndim != 1:
        raise error(f"must be a list of sizes (one dimension), got shape {sizes.shape}.", argument=name)
    if sizes.size == 0:
        raise error("is empty. Give at least one training-set size.", argument=name)
    if not np.isfinite(sizes).all():
        raise error(f"must be finite, got {some(sizes[~np.isfinite(sizes)])}.", argument=name)
    if (sizes < 1).any():
        small = sizes[sizes < 1]
        hint = (
            " Are these fractions of a data set? Multiply them by its number of examples."
            if ((small > 0) & (small < 1)).all()
            else ""
        )
        raise error(f"must be numbers of training examples, at least 1, got {some(small)}.{hint}", argument=name)
    return sizes


def finite_array(name: str, values: ArrayLike) -> FloatArray:
    """Finite numbers; NaN passes, for the caller to judge."""
    numbers = np.atleast_1d(real_array(name, values, error=DataError))
    if np.isinf(numbers).any():
        raise DataError(f"must be finite, got {some(numbers[np.isinf(numbers)])}.", argument=name)
    return numbers


def scores_array(name: str, values: ArrayLike) -> FloatArray:
    """Scores within [0, 1]; NaN passes, for the caller to judge."""
    scores = finite_array(name, values)
    outside = scores[(scores < 0) | (scores > 1)]
    if outside.size:
        hint = (
            f" Are these percentages? Divide by 100: {outside[0]:g} becomes {outside[0] / 100:g}."
            if ((outside > 1) & (outside <= 100)).all() and outside.max() > 1.5
            else " Only scores whose perfect value is 1 can be forecast."
        )
        raise DataError(f"must lie in [0, 1], got {some(outside)}.{hint}", argument=name)
    return scores


def probability(name: str, value: float) -> float:
    """A number strictly between 0 and 1."""
    number = real_number(name, value)
    if not 0 < number < 1:
        hint = f" Write {number / 100:g} for {number:g} %." if 1 < number <= 100 else ""
        raise RequestError(f"must be strictly between 0 and 1, got {number:g}.{hint}", argument=name)
    return number


def positive(name: str, value: float) -> float:
    """A number above 0."""
    number = real_number(name, value)
    if number <= 0:
        raise RequestError(f"must be above 0, got {number:g}.", argument=name)
    return number


def real_number(name: str, value: float) -> float:
    """One finite number."""
    array = real_array(name, value)
    if array.ndim != 0 or not math.isfinite(float(array)):
        raise RequestError(f"must be one finite number, got {shown(value)}.", argument=name)
    return float(array)


def whole_number(name: str, value: int, *, least: int, most: int = 2**53) -> int:
    """An integer of at least `least` and at most `most`, by default the largest that a float counts to."""
    try:
        number = operator.index(value)
    except TypeError:
        raise RequestError(f"must be a whole number, got {shown(value)}.", argument=name) from None
    if number < least or isinstance(value, bool):
        raise RequestError(f"must be a whole number of at least {least}, got {shown(value)}.", argument=name)
    if number > most:
        raise RequestError(f"must be a whole number of at most {most:,}, got {shown(value)}.", argument=name)
    return number


def checked_seed(seed: int) -> int:
    """A seed of random numbers."""
    return whole_number("seed", seed, least=0, most=2**128)


def generator(seed: int | None) -> np.random.Generator:
    """Random numbers from a seed; None: others every time."""
    return np.random.default_rng(None if seed is None else checked_seed(seed))


def choice(name: str, value: str, allowed: Collection[str]) -> str:
    """One of the `allowed` words."""
    if not isinstance(value, str) or value not in allowed:
        raise RequestError(f"must be one of {', '.join(map(repr, allowed))}, got {shown(value)}.", argument=name)
    return next(word for word in allowed if word == value)  # a plain string, whatever class of strings came


def text(name: str, value: str, wanted: str = "text", *, error: type[ApexError] = RequestError) -> str:
    """Text, as a plain string whatever class of strings it came as."""
    if not isinstance(value, str):
        raise error(f"must be {wanted}, got {shown(value)}.", argument=name)
    return str(value)


def truth(name: str, value: bool) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise RequestError(f"must be True or False, got {shown(value)}.", argument=name)
    return bool(value)


def several(
    name: str, values: Iterable[Any], wanted: str = "a list", *, error: type[ApexError] = RequestError
) -> list[Any]:
    """What is in a list, a tuple or an array."""
    try:
        if isinstance(values, (str, bytes)):
            raise TypeError
        return list(values)
    except UNUSABLE:  # no list, or an array without a dimension
        raise error(f"must be {wanted}, got {shown(values)}.", argument=name) from None


def mapped(
    name: str, values: Mapping[Any, Any], wanted: str = "a mapping", *, error: type[ApexError] = RequestError
) -> dict[Any, Any]:
    """What is in a mapping, as a dictionary."""
    if not isinstance(values, Mapping):
        raise error(f"must be {wanted}, got {shown(values)}.", argument=name)
    return dict(values)


def instance(name: str, value: Any, kind: type, wanted: str) -> Any:
    """Something of that class; `wanted` says it in words."""
    if not isinstance(value, kind):
        raise RequestError(f"must be {wanted}, got {shown(value)}.", argument=name)
    return value


def offers(value: Any, *names: str) -> bool:
    """Whether an object has all these attributes."""
    return all(hasattr(value, name) for name in names)
