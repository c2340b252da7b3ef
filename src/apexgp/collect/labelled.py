"""Labelled data as people keep them: a CSV table, or embeddings in .npy and .npz files with a table of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import format_some
from ..errors import DataError
from ..reading.cells import looks_like_a_date
from ..reading.spreadsheets import Table, read_table
from ..vocabulary import Remedy
from .mapped import read_scans
from .splits import column

__all__ = ["LabelledData", "read_labelled"]

_GAPS = {"", "na", "n/a", "nan", "null", "none", "?"}
_LARGEST_WHOLE = 2.0**53  # beyond, neighbouring whole numbers are the same float
_MOST_CATEGORIES = 20  # a column of texts with more, most of them different, is no category


@dataclass(frozen=True)
class LabelledData:
    """Cases, labels and groups; which columns are codes of categories; and what was done that a reader should know.

    `y` is a column of classes, or several by their names; `names` is what the features are called, where that is known.
    """

    X: Any
    y: NDArray[Any] | dict[str, NDArray[Any]]
    groups: NDArray[Any] | None
    names: tuple[str, ...] | None = None
    categorical: tuple[int, ...] = ()
    needs_preparation: bool = False
    notes: tuple[str, ...] = ()


def read_labelled(
    path: Path,
    label: str | Sequence[str],
    group: str | None = None,
    *,
    labels: Path | None = None,
    drop: Sequence[str] = (),
) -> LabelledData:
    """Read a table of features, or embeddings with their labels.

    Parameters
    ----------
    path
        A CSV file, .npy or .npz, or the folder of scans that `apexgp embed` wrote.
    label, group
        Columns of the CSV file that holds them, or arrays of an .npz file. Several labels are several tasks; so are the
        columns of an array of labels with two dimensions.
    labels
        The CSV file with labels and groups, row by row, that belongs to embeddings.
    drop
        Columns of the CSV file that are not features.
    """
    wanted = [label] if isinstance(label, str) else list(dict.fromkeys(label))
    if path.is_dir():
        scans, table = read_scans(path)
        table = table if labels is None else read_table(labels)
        for name in wanted:
            _check_column(table, name, "label")
        y = {name: np.array(table.columns[name]) for name in wanted}
        _check_lengths(path, scans, y)
        return _where_labelled(scans, y, None if group is None else _groups(table, group))
    if path.suffix.lower() not in (".npy", ".npz"):
        if labels is not None:
            raise DataError(
                f"{path} is a table and must contain its own labels.",
                remedy=("{} applies to .npy and .npz files.", "labels"),
            )
        return _from_table(read_table(path), wanted, group, drop)
    arrays = _arrays(path)
    X = _embeddings(path, arrays, {*wanted, group})
    if labels is not None:
        table = read_table(labels)
        y = {name: _labels(table, name) for name in wanted}
        groups = None if group is None else _groups(table, group)
    else:
        for name in filter(None, (*wanted, group)):
            if name not in arrays:
                remedy: Remedy = ("Name the CSV file of the labels with {}.", "labels")
                for near in get_close_matches(name, arrays, 1):
                    remedy = (f"Did you mean {near!r}? Name it with {{}}.", "group" if name == group else "label")
                raise DataError(f"{path} has no array {name!r}; found {', '.join(arrays)}.", remedy=remedy)
        y = {name: label for one in wanted for name, label in _label_columns(one, arrays[one]).items()}
        groups = None if group is None else column(group, arrays[group])
    _check_lengths(path, X, y)
    gaps = X.ndim == 2 and X.dtype.kind == "f" and bool(np.isnan(X).any())
    data = _where_labelled(X, y, groups)
    notes = ("Missing values are filled with the median of the training rows.",) if gaps else ()
    return replace(data, needs_preparation=gaps, notes=data.notes + notes)


def _where_labelled(X: Any, y: dict[str, NDArray[Any]], groups: NDArray[Any] | None) -> LabelledData:
    """The cases that have all the labels: pictures are embedded once, and some may get their labels later."""
    blank = [np.char.lower(np.char.strip(one)) for one in y.values() if one.dtype.kind == "U"]
    gaps = np.any([np.isin(one, sorted(_GAPS)) for one in blank], axis=0) if blank else np.zeros(len(X), bool)
    if not gaps.any():
        return LabelledData(X, _one_or_several({name: _numbers_if_whole(one) for name, one in y.items()}), groups)
    rows = np.flatnonzero(~gaps)
    return LabelledData(
        X[rows],
        _one_or_several({name: _numbers_if_whole(one[rows]) for name, one in y.items()}),
        None if groups is None else groups[rows],
        notes=(f"Left out, because {format_some(list(y))} has no value there: {int(gaps.sum())} of {len(X)} cases.",),
    )


def _numbers_if_whole(labels: NDArray[Any]) -> NDArray[Any]:
    try:
        return labels.astype(np.int64) if labels.dtype.kind == "U" else labels
    except (ValueError, OverflowError):
        return labels


def _check_lengths(path: Path, X: Any, y: dict[str, NDArray[Any]]) -> None:
    for given in y.values():
        if len(X) != len(given):
            raise DataError(
                f"{path} has {len(X)} cases, but there are {len(given)} labels. Give one label per case, in order."
            )


def _one_or_several(y: dict[str, NDArray[Any]]) -> NDArray[Any] | dict[str, NDArray[Any]]:
    return y if len(y) > 1 else next(iter(y.values()))


def _label_columns(name: str, array: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The columns of an array of labels, numbered where there are several."""
    if array.ndim != 2:
        return {name: column(name, array)}
    return {f"{name}[{i}]" if array.shape[1] > 1 else name: array[:, i] for i in range(array.shape[1])}


def _from_table(table: Table, labels: Sequence[str], group: str | None, drop: Sequence[str]) -> LabelledData:
    y = {label: _labels(table, label) for label in labels}
    groups = None if group is None else _groups(table, group)
    for name in drop:
        _check_column(table, name, "drop")
    columns: dict[str, NDArray[np.float64]] = {}
    categorical: list[int] = []
    constant: list[str] = []
    gaps: list[str] = []
    notes: list[str] = []
    for name in table.columns:
        if name in (*labels, group, *drop):
            continue
        values, is_category = _feature(table, name)
        measured = values[~np.isnan(values)]
        if len(np.unique(measured)) < 2 and not (is_category and 0 < len(measured) < len(values)):
            constant.append(name)
            continue
        if is_category:
            categorical.append(len(columns))
        elif len(measured) < len(values):
            gaps.append(name)
        columns[name] = values
    if not columns:
        raise DataError(f"{table.path} has no column besides {format_some(labels)} that varies between rows.")
    names = tuple(columns)
    if constant:
        notes.append(f"Left out, because all rows have the same value: {format_some(constant, 10)}.")
    if categorical:
        notes.append(f"Treated as categories (one-hot): {format_some([names[i] for i in categorical], 10)}.")
    if gaps:
        notes.append(f"Missing values are filled with the median of the training rows: {format_some(gaps, 10)}.")
    X = np.column_stack(list(columns.values()))
    return LabelledData(X, _one_or_several(y), groups, names, tuple(categorical), True, tuple(notes))


def _feature(table: Table, name: str) -> tuple[NDArray[np.float64], bool]:
    """A column as numbers with NaN for gaps, or as codes of categories."""
    cells = ["" if cell.lower() in _GAPS else cell for cell in table.columns[name]]
    filled = [cell for cell in cells if cell]
    cleaned = replace(table, columns={name: cells})
    try:
        values = np.array(cleaned.numbers(name, blank=np.nan))
    except DataError as problem:
        if sum(_is_number(cleaned, name, cell) for cell in filled) > len(filled) / 2:
            problem.message += " Most of the column is numbers; correct this cell or leave it empty."
            raise
        if sum(map(looks_like_a_date, filled)) > len(filled) / 2:
            raise DataError(
                f"{table.path}: column {name!r} holds dates such as {filled[0]!r}, which no classifier can use. Turn "
                "them into numbers, such as days since an event,",
                remedy=("or leave the column out with {}.", ("drop", [name])),
            ) from None
        categories = sorted(set(filled))
        if len(categories) > max(_MOST_CATEGORIES, len(filled) / 2):
            raise _like_an_identifier(table, name, f"{len(categories)} different texts") from None
        number = {category: float(code) for code, category in enumerate(categories)}
        return np.array([number.get(cell, np.nan) for cell in cells]), True
    with np.errstate(all="ignore"):  # differences of huge numbers
        counts = len(values) > _MOST_CATEGORIES and (np.abs(np.diff(values)) == 1).all()
    if counts:
        raise _like_an_identifier(table, name, "row numbers")
    return values, False


def _is_number(table: Table, name: str, cell: str) -> bool:
    try:
        replace(table, columns={name: [cell]}).numbers(name)
    except DataError:
        return False
    return True


def _like_an_identifier(table: Table, name: str, what: str) -> DataError:
    return DataError(
        f"{table.path}: column {name!r} holds {what} in {len(table.lines)} rows, like an identifier; a classifier "
        "cannot learn from it.",
        remedy=(
            "Leave it out with {}, or, if it says whose the rows are, name it with {}.",
            ("drop", [name]),
            ("group", name),
        ),
    )


def _labels(table: Table, label: str) -> NDArray[Any]:
    _check_column(table, label, "label")
    _check_gaps(table, label)
    try:
        numbers = np.array(table.numbers(label))
    except DataError:
        return np.array(table.columns[label])
    whole = (numbers == np.round(numbers)) & (np.abs(numbers) <= _LARGEST_WHOLE)
    return numbers.astype(np.int64) if whole.all() else numbers


def _groups(table: Table, group: str) -> NDArray[Any]:
    _check_column(table, group, "group")
    _check_gaps(table, group)
    return np.array(table.columns[group])


def _check_column(table: Table, name: str, argument: str) -> None:
    if name not in table.columns:
        raise DataError(
            f"{table.path} has no column {name!r}; found {format_some(list(table.columns), 20)}.",
            remedy=("Name one of them with {}.", argument),
        )


def _check_gaps(table: Table, name: str) -> None:
    lines = [line for cell, line in zip(table.columns[name], table.lines, strict=True) if cell.lower() in _GAPS]
    if lines:
        raise DataError(
            f"{table.path}: column {name!r} has no value in line {format_some(lines)}. Fill it in, or delete the row."
        )


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open("rb") as file:
            # What a file is, it says itself, whatever its name. Archives of arrays are those of the zip program.
            if file.read(2) == b"PK":
                file.seek(0)
                with np.load(file) as found:
                    return {name: np.asarray(array) for name, array in found.items()}
        return {"X": np.load(path, mmap_mode="r")}
    except FileNotFoundError:
        raise DataError(f"There is no file {path}. Check the name and the folder.") from None
    except Exception as problem:  # whatever zipfile, zlib and NumPy raise: damage shows in any way
        raise DataError(f"{path} cannot be read as arrays of numbers: {problem or type(problem).__name__}.") from None


def _embeddings(path: Path, arrays: dict[str, NDArray[Any]], others: set[str | None]) -> NDArray[Any]:
    wide = [name for name, array in arrays.items() if array.ndim in (2, 3) and name not in others]
    name = "X" if "X" in wide else wide[0] if len(wide) == 1 else None
    if name is None:
        raise DataError(f"{path} must contain an array X with one row per case; found {', '.join(arrays) or 'none'}.")
    return arrays[name]
