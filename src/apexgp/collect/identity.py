"""Texts that identify estimators, settings and data, the same ones in another process and on another day.

Classes and parameters are described all the way down, functions by their name or their code, arrays by their content.
Equal texts mean equal things, wherever and whenever they were made.
"""

from __future__ import annotations

import dis
import hashlib
import importlib
import re
import sys
from collections.abc import Mapping
from functools import cached_property
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..errors import RequestError
from .labelled import MappedScans

__all__ = ["describe", "describe_training"]

_MAX_CHARS = 2000  # characters; a longer text is cut, with a digest of all of it
_FEW = 10  # entries of an array that are shown in full
_BLOCK = 1 << 24  # bytes that are hashed at a time, however large the data
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_BOOKKEEPING = {  # attributes that Python gives a class: where it was written, and what follows from the rest
    *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__annotations__", "__firstlineno__"),
    *("__static_attributes__", "__abstractmethods__", "_abc_impl"),
}
_FITTED = 0  # an id in `within` that says that learnt attributes count, too


def describe(value: Any) -> str:
    """Text that identifies a value."""
    try:
        text = _describe_value(value, ())
    except RecursionError:
        raise RequestError(f"A {type(value).__name__} is nested too deeply to be distinguished from others.") from None
    return (
        text
        if len(text) <= _MAX_CHARS
        else f"{text[:_MAX_CHARS]} ... {_digest(text.encode(errors='backslashreplace'))}"
    )


def describe_training(train: Any) -> str:
    """Text that identifies a training function, which, unlike another function, may keep a log.

    Variables of its closure count where they are values or data. Lists, dictionaries and other things that fill as it
    works do not, nor do variables that it assigns itself.
    """
    if not isinstance(train, FunctionType) or _is_found_by_name(train):
        return describe(train)
    code = train.__code__
    assigned = {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_DEREF"}
    closure = dict(zip(code.co_freevars, train.__closure__ or (), strict=True))
    lasting = {
        name: _describe_cell(cell, ())
        for name, cell in closure.items()
        if name not in assigned and _is_lasting(cell, id(train))
    }
    whole = _describe_value([code, train.__defaults__, train.__kwdefaults__, lasting], (id(train),))
    return f"{train.__module__}.{train.__qualname__} {_digest(whole.encode(errors='backslashreplace'))}"


def _is_lasting(cell: Any, function: int) -> bool:
    """Whether a closure variable is a value, data or code, which do not change while the function works."""
    try:
        value = cell.cell_contents
    except ValueError:  # not filled yet
        return False
    if id(value) == function:
        return False
    kinds = (*_PLAIN, tuple, frozenset, np.ndarray, np.generic, FunctionType, ModuleType, type)
    return isinstance(value, kinds) or hasattr(value, "iloc") or hasattr(value, "tocsr")


def _describe_value(value: Any, within: tuple[int, ...]) -> str:
    """The whole text of a value; `within` are the ids of the objects that contain it, in case it contains them."""
    if type(value) in _PLAIN:
        return repr(value)
    if id(value) in within:
        return "<itself>"
    inside = (*within, id(value))
    if isinstance(value, np.generic):
        return _describe_value(value.item(), inside) if not isinstance(value.item(), np.generic) else repr(value)
    if isinstance(value, np.ndarray):
        return _describe_array(value, inside)
    if type(value) is list or isinstance(value, MappedScans):  # where scans are stored does not count
        return f"[{', '.join(_describe_value(item, inside) for item in value)}]"
    if type(value) is tuple:
        return f"({', '.join(_describe_value(item, inside) for item in value)},)"
    if type(value) in (set, frozenset):
        return f"set({', '.join(sorted(_describe_value(item, inside) for item in value))})"
    if type(value) is dict:
        return f"{{{_describe_pairs(value, inside)}}}"
    if isinstance(value, type):
        return _describe_class(value, inside)
    if isinstance(value, FunctionType):
        return _describe_function(value, inside)
    if isinstance(value, CodeType):
        return _describe_code(value, inside)
    if isinstance(value, ModuleType):
        return value.__name__
    if hasattr(value, "iloc") and hasattr(value, "dtypes"):
        return _describe_frame(value, inside)
    if hasattr(value, "get_params"):
        kept = _FITTED in within or _clone_keeps_state(value)
        return _describe_object(value, (*inside, _FITTED)) if kept else _describe_estimator(value, inside)
    if hasattr(value, "tocsr") and hasattr(value, "nnz"):
        return _describe_sparse(value, inside)
    return _describe_object(value, inside)


def _describe_pairs(content: Mapping[Any, Any], within: tuple[int, ...]) -> str:
    return ", ".join(
        sorted(f"{_describe_value(name, within)}: {_describe_value(item, within)}" for name, item in content.items())
    )


def _describe_estimator(value: Any, within: tuple[int, ...]) -> str:
    settings = sorted(value.get_params(deep=False).items())
    parameters = ", ".join(f"{name}={_describe_value(item, within)}" for name, item in settings)
    return f"{_describe_class(type(value), within)}({parameters}){_describe_requests(value)}"


def _describe_requests(value: Any) -> str:
    """Requests that were set on an estimator by scikit-learn's metadata routing, which `clone` keeps."""
    if not hasattr(value, "_metadata_request"):
        return ""
    made = sorted(
        f"{method} {name}: {asked!r}"
        for method, request in vars(value._metadata_request).items()
        for name, asked in getattr(request, "requests", {}).items()
        if asked is not None
    )
    return f" requesting {{{', '.join(made)}}}" if made else ""


def _clone_keeps_state(value: Any) -> bool:
    """Whether scikit-learn's `clone` leaves the estimator as it is, with all that it has learnt."""
    own = getattr(type(value), "__sklearn_clone__", None)
    return own is not None and own is not BaseEstimator.__sklearn_clone__


def _describe_array(value: NDArray[Any], within: tuple[int, ...]) -> str:
    """Shape, type and content of an array, whatever its layout in memory."""
    kind = value.dtype.newbyteorder("<")
    if value.dtype.hasobject:
        return (
            f"array{value.shape}({_digest(_describe_value(value.tolist(), within).encode(errors='backslashreplace'))})"
        )
    if value.size <= _FEW:
        return f"array({value.tolist()!r}, {kind.str})"
    summed = hashlib.sha256()
    rows = value.reshape(1) if value.ndim == 0 else value
    step = max(1, _BLOCK // max(1, rows[:1].nbytes))
    for start in range(0, len(rows), step):
        summed.update(np.ascontiguousarray(rows[start : start + step], dtype=kind).tobytes())
    return f"array{value.shape}({kind.str} {summed.hexdigest()[:32]})"


def _describe_frame(value: Any, within: tuple[int, ...]) -> str:
    """Names, types and values of the columns of a pandas frame or series; its index does not count."""
    columns = [(name, value.iloc[:, i]) for i, name in enumerate(value.columns)] if value.ndim == 2 else [("", value)]
    parts = []
    for name, column in columns:
        values = _describe_array(np.asarray(column), within)
        parts.append(f"{_describe_value(name, within)} {_describe_dtype(column.dtype, within)}: {values}")
    return f"{type(value).__name__}{value.shape}({_digest(' '.join(parts).encode(errors='backslashreplace'))})"


def _describe_dtype(dtype: Any, within: tuple[int, ...]) -> str:
    """Type of a column; of categories also their order, which determines their codes."""
    if not hasattr(dtype, "categories"):
        return str(dtype)
    return f"{dtype} {_describe_array(np.asarray(dtype.categories), within)} {dtype.ordered}"


def _describe_sparse(value: Any, within: tuple[int, ...]) -> str:
    rows = value.tocsr().copy()
    rows.sum_duplicates()  # puts the columns of each row into order, too
    parts = [
        _describe_array(np.asarray(part), within) for part in (rows.data, rows.indices.astype(np.int64), rows.indptr)
    ]
    return f"sparse{value.shape}({', '.join(parts)})"


def _describe_class(value: type, within: tuple[int, ...]) -> str:
    """Name of a class; of one that cannot be imported by its name, also its members and base classes."""
    name = f"{value.__module__}.{value.__qualname__}"
    if _is_found_by_name(value):
        return name
    inside = (*within, id(value))
    own = sorted(
        f"{key}: {_describe_member(item, inside)}" for key, item in vars(value).items() if key not in _BOOKKEEPING
    )
    whole = " ".join([*(_describe_class(base, inside) for base in value.__bases__), *own])
    return f"{name} {_digest(whole.encode(errors='backslashreplace'))}"


def _describe_member(value: Any, within: tuple[int, ...]) -> str:
    """Member of a class; a property, static method or other wrapper by the functions inside."""
    if isinstance(value, staticmethod | classmethod):
        return f"{type(value).__name__} {_describe_member(value.__func__, within)}"
    if isinstance(value, property):
        return f"property {_describe_value([value.fget, value.fset, value.fdel], within)}"
    if isinstance(value, cached_property):
        return f"cached {_describe_value(value.func, within)}"
    if not isinstance(value, FunctionType) and hasattr(value, "__wrapped__"):
        return f"{type(value).__name__} {_describe_value(value.__wrapped__, within)}"
    return _describe_value(value, within)


def _describe_function(value: FunctionType, within: tuple[int, ...]) -> str:
    """Name of a function; of a lambda, a local function or one of the running script, also code and closure."""
    name = f"{value.__module__}.{value.__qualname__}"
    if _is_found_by_name(value):
        return name
    closure = [_describe_cell(cell, within) for cell in value.__closure__ or ()]
    defaults = _describe_value([value.__defaults__, value.__kwdefaults__], within)
    attributes = f"{{{_describe_pairs(vars(value), within)}}}"
    whole = f"{_describe_code(value.__code__, within)} {defaults} {closure} {attributes}"
    return f"{name} {_digest(whole.encode(errors='backslashreplace'))}"


def _describe_cell(cell: Any, within: tuple[int, ...]) -> str:
    try:
        return _describe_value(cell.cell_contents, within)
    except ValueError:  # not filled yet
        return "<nothing>"


def _describe_code(value: CodeType, within: tuple[int, ...]) -> str:
    """Instructions, names and constants of code, without where it is written."""
    return _describe_value([value.co_code, value.co_names, value.co_varnames, value.co_consts], within)


def _is_found_by_name(value: Any) -> bool:
    """Whether the name gives this very object in any process; not that of something in the running script."""
    module = getattr(value, "__module__", None)
    if not module or module == "__main__":
        return False
    try:
        found: Any = sys.modules.get(module) or importlib.import_module(module)
        for part in value.__qualname__.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return False
    return found is value


def _describe_object(value: Any, within: tuple[int, ...]) -> str:
    """Class and state of an object, as they would be pickled."""
    try:
        parts = value.__reduce_ex__(4)
    except Exception:  # another person's class, which refuses to be copied: what it calls itself has to do
        return f"{_describe_class(type(value), within)} {re.sub(r' at 0x[0-9a-fA-F]+', '', repr(value))}"
    if isinstance(parts, str):
        return f"{_find_module(value)}.{parts}"
    made_by, arguments, *state = parts
    rest = [list(part) if hasattr(part, "__next__") else part for part in state]
    return f"{_describe_class(type(value), within)}({_describe_value([made_by, arguments, *rest], within)})"


def _find_module(value: Any) -> str:
    return str(getattr(value, "__module__", None) or type(value).__module__)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]
