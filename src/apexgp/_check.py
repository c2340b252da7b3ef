"""Checks of values from outside. Each returns the value in a plain type, or raises: wanted, got, what to do."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ApexError, DataError, RequestError

FloatArray = NDArray[np.float64]

UNUSABLE = (TypeError, ValueError, OverflowError)
"""Exceptions of Python and NumPy for a value of the wrong kind: caught where values come in, nowhere else."""
DAMAGED = (*UNUSABLE, KeyError, AttributeError)
"""`UNUSABLE`, and the exceptions for a missing part: caught where files are read."""

_MOST_SHOWN = 200  # characters of a value that a message repeats
_MOST_DIGITS = 30


def check_real_array(name: str, values: ArrayLike, *, error: type[ApexError] = RequestError) -> FloatArray:
    """Convert to floats of any shape; the error shows the first entry that is not a number."""
    try:
        if has_masked_entries(values):
            raise error("has masked entries. Remove them or fill them in.", argument=name)
        array = np.asarray(values)
        if array.dtype.kind in "bcmMSV" or (isinstance(values, (list, tuple)) and _has_bools(values)):
            raise TypeError
        with np.errstate(all="ignore"):  # a long double may be beyond: it becomes infinite, which callers refuse
            return np.array(array, dtype=np.float64)
    except error:
        raise
    except UNUSABLE:
        raise error(f"must be real numbers, got {format_value(_find_non_number(values))}.", argument=name) from None


def has_masked_entries(values: Any) -> bool:
    """Whether any entry is masked; NumPy would convert those to numbers."""
    if isinstance(values, (list, tuple)):
        return any(value is np.ma.masked for value in values)
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.is_masked(values))


def _has_bools(values: Collection[Any]) -> bool:
    return any(isinstance(value, (bool, np.bool_)) for value in values)


def _find_non_number(values: Any) -> Any:
    """The first entry that is not a number, or `values` themselves where none can be singled out."""
    try:
        return next((v for v in np.ravel(np.asarray(values, dtype=object)) if not _is_real(v)), values)
    except UNUSABLE:
        return values


def _is_real(value: Any) -> bool:
    if np.iscomplexobj(value):  # float() of a NumPy complex drops the imaginary part, with a warning
        return False
    try:
        float(value)
    except UNUSABLE:
        return False
    return not isinstance(value, (bool, np.bool_))


def format_some(values: Collection[Any] | NDArray[Any], most: int = 5) -> str:
    """Write the first few values into a message: "1, 2, 3 and 7 more"."""
    first = ", ".join(f"{v:g}" if isinstance(v, float) else _shorten(_to_text(v)) for v in list(values)[:most])
    return first + (f" and {len(values) - most} more" if len(values) > most else "")


def format_value(value: Any) -> str:
    """Write a value into a message as Python would, shortened where it is long."""
    if type(value) is int and abs(value) >= 10**_MOST_DIGITS:
        return f"a number of about {round(math.log10(abs(value))):,} digits"
    return _shorten(_to_text(value, repr))


def _to_text(value: Any, convert: Callable[[Any], str] = str) -> str:
    try:
        return convert(value)
    except (*UNUSABLE, AttributeError, RecursionError):  # too many digits, a broken __repr__, a list within itself
        return f"a {type(value).__name__}"


def _shorten(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} [...]"


def check_sizes(name: str, values: ArrayLike, *, error: type[ApexError] = RequestError) -> FloatArray:
    """Check training-set sizes: one dimension, finite, at least 1."""
    sizes = np.atleast_1d(check_real_array(name, values, error=error))
    if sizes.ndim != 1:
        raise error(f"must be a list of sizes (one dimension), got shape {sizes.shape}.", argument=name)
    if sizes.size == 0:
        raise error("is empty. Give at least one training-set size.", argument=name)
    if not np.isfinite(sizes).all():
        raise error(f"must be finite, got {format_some(sizes[~np.isfinite(sizes)])}.", argument=name)
    if (sizes < 1).any():
        small = sizes[sizes < 1]
        hint = (
            " Are these fractions of a data set? Multiply them by its number of examples."
            if ((small > 0) & (small < 1)).all()
            else ""
        )
        raise error(f"must be numbers of training examples, at least 1, got {format_some(small)}.{hint}", argument=name)
    return sizes


def check_finite_array(name: str, values: ArrayLike) -> FloatArray:
    """Refuse infinite numbers; NaN passes, for the caller to judge."""
    numbers = np.atleast_1d(check_real_array(name, values, error=DataError))
    if np.isinf(numbers).any():
        raise DataError(f"must be finite, got {format_some(numbers[np.isinf(numbers)])}.", argument=name)
    return numbers


def check_unit_scores(name: str, values: ArrayLike) -> FloatArray:
    """Refuse scores outside [0, 1]; NaN passes, for the caller to judge."""
    scores = check_finite_array(name, values)
    outside = scores[(scores < 0) | (scores > 1)]
    if outside.size:
        hint = (
            f" Are these percentages? Divide by 100: {outside[0]:g} becomes {outside[0] / 100:g}."
            if ((outside > 1) & (outside <= 100)).all() and outside.max() > 1.5
            else " Only scores whose perfect value is 1 can be forecast."
        )
        raise DataError(f"must lie in [0, 1], got {format_some(outside)}.{hint}", argument=name)
    return scores


def check_probability(name: str, value: float) -> float:
    """Check that a number is strictly between 0 and 1."""
    number = check_real_number(name, value)
    if not 0 < number < 1:
        hint = f" Write {number / 100:g} for {number:g} %." if 1 < number <= 100 else ""
        raise RequestError(f"must be strictly between 0 and 1, got {number:g}.{hint}", argument=name)
    return number


def check_positive(name: str, value: float) -> float:
    """Check that a number is above 0."""
    number = check_real_number(name, value)
    if number <= 0:
        raise RequestError(f"must be above 0, got {number:g}.", argument=name)
    return number


def check_real_number(name: str, value: float) -> float:
    """Check that a value is one finite number."""
    array = check_real_array(name, value)
    if array.ndim != 0 or not math.isfinite(float(array)):
        raise RequestError(f"must be one finite number, got {format_value(value)}.", argument=name)
    return float(array)


def check_whole_number(
    name: str, value: int, *, least: int, most: int = 2**53, error: type[ApexError] = RequestError
) -> int:
    """Check an integer from `least` to `most`, by default the largest that a float represents exactly."""
    try:
        number = operator.index(value)
    except TypeError:
        raise error(f"must be a whole number, got {format_value(value)}.", argument=name) from None
    if number < least or isinstance(value, bool):
        raise error(f"must be a whole number of at least {least}, got {format_value(value)}.", argument=name)
    if number > most:
        raise error(f"must be a whole number of at most {most:,}, got {format_value(value)}.", argument=name)
    return number


def check_seed(seed: int) -> int:
    """Check the seed of a random generator."""
    return check_whole_number("seed", seed, least=0, most=2**128)


def make_generator(seed: int | None) -> np.random.Generator:
    """Make a random generator from a seed; None seeds it from the operating system."""
    return np.random.default_rng(None if seed is None else check_seed(seed))


def check_choice(name: str, value: str, allowed: Collection[str]) -> str:
    """Check that a word is among those allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise RequestError(f"must be one of {', '.join(map(repr, allowed))}, got {format_value(value)}.", argument=name)
    return next(word for word in allowed if word == value)  # a plain str, also for a subclass of it


def check_path(path: str | os.PathLike[str]) -> Path:
    """Follow links to the file that a path names; refuse what cannot be a path."""
    try:
        return Path(os.path.realpath(os.fsdecode(path)))
    except OSError as problem:
        raise RequestError(f"{format_value(path)} cannot be used as a file name: {problem.strerror}.") from None
    except UNUSABLE:
        raise RequestError(f"Expected the name of a file, got {format_value(path)}.") from None


def check_text(name: str, value: str, wanted: str = "text", *, error: type[ApexError] = RequestError) -> str:
    """Check that a value is text, and return it as a plain str; the error says what was `wanted`."""
    if not isinstance(value, str):
        raise error(f"must be {wanted}, got {format_value(value)}.", argument=name)
    return str(value)


def check_bool(name: str, value: bool) -> bool:
    """Check that a value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise RequestError(f"must be True or False, got {format_value(value)}.", argument=name)
    return bool(value)


def check_list(
    name: str, values: Iterable[Any], wanted: str = "a list", *, error: type[ApexError] = RequestError
) -> list[Any]:
    """Convert a list, tuple or array to a list; text is refused."""
    try:
        if isinstance(values, (str, bytes)):
            raise TypeError
        return list(values)
    except UNUSABLE:  # not iterable, or an array without a dimension
        raise error(f"must be {wanted}, got {format_value(values)}.", argument=name) from None


def check_mapping(
    name: str, values: Mapping[Any, Any], wanted: str = "a mapping", *, error: type[ApexError] = RequestError
) -> dict[Any, Any]:
    """Copy a mapping into a dictionary."""
    if not isinstance(values, Mapping):
        raise error(f"must be {wanted}, got {format_value(values)}.", argument=name)
    return dict(values)


def check_instance(name: str, value: Any, kind: type, wanted: str) -> Any:
    """Check the class of a value; the error says what was `wanted`."""
    if not isinstance(value, kind):
        raise RequestError(f"must be {wanted}, got {format_value(value)}.", argument=name)
    return value


def has_attributes(value: Any, *names: str) -> bool:
    """Whether an object has all these attributes."""
    return all(hasattr(value, name) for name in names)
