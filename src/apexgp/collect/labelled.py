"""Labelled data as people keep them: a CSV table, embeddings in .npy or .npz files, or a folder of embedded scans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import format_some
from ..errors import DataError
from ..reading.cells import looks_like_a_date
from ..reading.layout import Table, read_table
from ..vocabulary import Remedy
from .input_checks import check_column

__all__ = ["LabelledData", "MappedScans", "read_labelled"]

_GAPS = {"", "na", "n/a", "nan", "null", "none", "?"}
_LARGEST_WHOLE = 2.0**53  # beyond, neighbouring whole numbers are the same float
_MOST_CATEGORIES = 20  # a column of texts with more, most of them different, is no category

_SCAN_TABLE = "table.csv"
_SCAN_COLUMN = "embedding"


@dataclass(frozen=True)
class LabelledData:
    """Labelled cases as they were read from files.

    `y` is a column of classes, or several by their names; `names` are those of the features, where they are known;
    `categorical` are the numbers of columns that hold codes of categories; `notes` say what was left out or filled in.
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
        return _keep_labelled(scans, y, None if group is None else _read_groups(table, group))
    if path.suffix.lower() not in (".npy", ".npz"):
        if labels is not None:
            raise DataError(
                f"{path} is a table and must contain its own labels.",
                remedy=("{} applies to .npy and .npz files.", "labels"),
            )
        return _read_features(read_table(path), wanted, group, drop)
    arrays = _load_arrays(path)
    X = _find_embeddings(path, arrays, {*wanted, group})
    if labels is not None:
        table = read_table(labels)
        y = {name: _read_labels(table, name) for name in wanted}
        groups = None if group is None else _read_groups(table, group)
    else:
        for name in filter(None, (*wanted, group)):
            if name not in arrays:
                remedy: Remedy = ("Name the CSV file of the labels with {}.", "labels")
                for near in get_close_matches(name, arrays, 1):
                    remedy = (f"Did you mean {near!r}? Name it with {{}}.", "group" if name == group else "label")
                raise DataError(f"{path} has no array {name!r}; found {', '.join(arrays)}.", remedy=remedy)
        y = {name: label for one in wanted for name, label in _split_label_array(one, arrays[one]).items()}
        groups = None if group is None else check_column(group, arrays[group])
    _check_lengths(path, X, y)
    gaps = X.ndim == 2 and X.dtype.kind == "f" and bool(np.isnan(X).any())
    data = _keep_labelled(X, y, groups)
    notes = ("Missing values are filled with the median of the training rows.",) if gaps else ()
    return replace(data, needs_preparation=gaps, notes=data.notes + notes)


def _keep_labelled(X: Any, y: dict[str, NDArray[Any]], groups: NDArray[Any] | None) -> LabelledData:
    """Keep the cases that have all the labels: pictures are embedded once, and some may get their labels later."""
    blank = [np.char.lower(np.char.strip(one)) for one in y.values() if one.dtype.kind == "U"]
    gaps = np.any([np.isin(one, sorted(_GAPS)) for one in blank], axis=0) if blank else np.zeros(len(X), bool)
    if not gaps.any():
        return LabelledData(X, _unwrap_single({name: _to_whole_numbers(one) for name, one in y.items()}), groups)
    rows = np.flatnonzero(~gaps)
    return LabelledData(
        X[rows],
        _unwrap_single({name: _to_whole_numbers(one[rows]) for name, one in y.items()}),
        None if groups is None else groups[rows],
        notes=(f"Left out, because {format_some(list(y))} has no value there: {int(gaps.sum())} of {len(X)} cases.",),
    )


def _to_whole_numbers(labels: NDArray[Any]) -> NDArray[Any]:
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


def _unwrap_single(y: dict[str, NDArray[Any]]) -> NDArray[Any] | dict[str, NDArray[Any]]:
    return y if len(y) > 1 else next(iter(y.values()))


def _split_label_array(name: str, array: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Columns of an array of labels, numbered where there are several."""
    if array.ndim != 2:
        return {name: check_column(name, array)}
    return {f"{name}[{i}]" if array.shape[1] > 1 else name: array[:, i] for i in range(array.shape[1])}


def _read_features(table: Table, labels: Sequence[str], group: str | None, drop: Sequence[str]) -> LabelledData:
    """Features, labels and groups of a table."""
    y = {label: _read_labels(table, label) for label in labels}
    groups = None if group is None else _read_groups(table, group)
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
        values, is_category = _read_feature(table, name)
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
    return LabelledData(X, _unwrap_single(y), groups, names, tuple(categorical), True, tuple(notes))


def _read_feature(table: Table, name: str) -> tuple[NDArray[np.float64], bool]:
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
            raise _make_identifier_error(table, name, f"{len(categories)} different texts") from None
        number = {category: float(code) for code, category in enumerate(categories)}
        return np.array([number.get(cell, np.nan) for cell in cells]), True
    with np.errstate(all="ignore"):  # differences of huge numbers
        counts = len(values) > _MOST_CATEGORIES and (np.abs(np.diff(values)) == 1).all()
    if counts:
        raise _make_identifier_error(table, name, "row numbers")
    return values, False


def _is_number(table: Table, name: str, cell: str) -> bool:
    try:
        replace(table, columns={name: [cell]}).numbers(name)
    except DataError:
        return False
    return True


def _make_identifier_error(table: Table, name: str, what: str) -> DataError:
    return DataError(
        f"{table.path}: column {name!r} holds {what} in {len(table.lines)} rows, like an identifier; a classifier "
        "cannot learn from it.",
        remedy=(
            "Leave it out with {}, or, if it says whose the rows are, name it with {}.",
            ("drop", [name]),
            ("group", name),
        ),
    )


def _read_labels(table: Table, label: str) -> NDArray[Any]:
    _check_column(table, label, "label")
    _check_gaps(table, label)
    try:
        numbers = np.array(table.numbers(label))
    except DataError:
        return np.array(table.columns[label])
    whole = (numbers == np.round(numbers)) & (np.abs(numbers) <= _LARGEST_WHOLE)
    return numbers.astype(np.int64) if whole.all() else numbers


def _read_groups(table: Table, group: str) -> NDArray[Any]:
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


def _load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open("rb") as file:
            # The content decides, not the name: archives of arrays are zip files.
            if file.read(2) == b"PK":
                file.seek(0)
                with np.load(file) as found:
                    return {name: np.asarray(array) for name, array in found.items()}
        return {"X": np.load(path, mmap_mode="r")}
    except FileNotFoundError:
        raise DataError(f"There is no file {path}. Check the name and the folder.") from None
    except Exception as problem:  # whatever zipfile, zlib and NumPy raise: damage shows in any way
        raise DataError(f"{path} cannot be read as arrays of numbers: {problem or type(problem).__name__}.") from None


def _find_embeddings(path: Path, arrays: dict[str, NDArray[Any]], others: set[str | None]) -> NDArray[Any]:
    wide = [name for name, array in arrays.items() if array.ndim in (2, 3) and name not in others]
    name = "X" if "X" in wide else wide[0] if len(wide) == 1 else None
    if name is None:
        raise DataError(f"{path} must contain an array X with one row per case; found {', '.join(arrays) or 'none'}.")
    return arrays[name]


class MappedScans(Sequence[NDArray[Any]]):
    """Scans in files of their own, each mapped when it is asked for: together they need not fit into memory.

    Parameters
    ----------
    paths : sequence of paths
        The .npy files, each an array of shape (slices, features).
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, which: Any) -> Any:
        """One scan by its number, or the MappedScans of several numbers."""
        if np.ndim(which) == 0 and not isinstance(which, slice):
            return self._open_scan(self.paths[which])
        return MappedScans([self.paths[i] for i in np.arange(len(self))[which]])

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[i] for i in range(len(self)))

    @staticmethod
    def _open_scan(path: Path) -> NDArray[Any]:
        try:
            scan = np.load(path, mmap_mode="r", allow_pickle=False)
        except FileNotFoundError:
            raise DataError(f"There is no file {path}, which the table beside it names.") from None
        except (OSError, ValueError, EOFError) as problem:
            raise DataError(f"{path} cannot be read as an array of numbers: {problem}.") from None
        if scan.ndim != 2 or not scan.size or scan.dtype.kind != "f":
            raise DataError(f"{path} must be an array of shape (slices, features), got {scan.dtype} {scan.shape}.")
        return scan


def read_scans(folder: Path) -> tuple[MappedScans, Table]:
    """The scans of a folder, and its table, which has one row per scan."""
    if not (folder / _SCAN_TABLE).is_file():
        raise DataError(
            f"{folder} is a folder without a {_SCAN_TABLE}: it does not contain finished embeddings of scans, as "
            "apexgp embed makes them."
        )
    table = read_table(folder / _SCAN_TABLE)
    if _SCAN_COLUMN not in table.columns:
        raise DataError(f"{folder / _SCAN_TABLE} has no column {_SCAN_COLUMN!r}, which names the file of each scan.")
    scans = MappedScans([folder / name for name in table.columns[_SCAN_COLUMN]])
    widths = {scan.shape[1] for scan in scans}
    if len(widths) > 1:
        raise DataError(f"{folder} holds scans with different numbers of features: {sorted(widths)}.")
    return scans, table
