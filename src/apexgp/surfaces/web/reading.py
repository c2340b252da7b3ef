"""Tables as people paste and drop them: read by the library's own reader; and which rows of one are at fault."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..._check import shown, some
from ..._tables import InMemory, read_table
from ...curve import LearningCurve
from ...errors import DataError, RequestError
from ..options import Columns

__all__ = ["curve_of", "read_tables", "row_problems"]

MOST_ROWS = 5_000  # with a size each, a fit to so many takes seconds
_MOST_PROBLEMS = 20  # rows that are named
_MOST_TRIED = 2_000  # rows that are tried one by one
_MOST_CURVES = 200

_NUMBERS = re.compile(r"""["'\s,;|.%+\-\deE]+""")


def read_tables(*, raw: bytes, size_column: str, score_column: list[str] | None, split_column: str) -> dict[str, Any]:
    """Every curve of a file or of pasted text, row by row.

    Pasted numbers often lack a header: then the first column holds sizes, and the others scores.
    """
    notes: list[str] = []
    if (header := _missing_header(raw)) is not None:
        raw = header.encode() + b"\n" + raw
        notes.append(f"No names above the columns: taken as {', '.join(_cells(header))}.")
    columns = Columns(size_column=size_column, score_column=score_column, split_column=split_column)
    table = InMemory(raw, "The table")
    curves = [
        {
            "task": curve.task,
            "metric": curve.metric,
            "lower_is_better": curve.direction == "lower",
            "unit": curve.unit,
            "rows": [
                [size, score, None if curve.split is None else str(curve.split[i])]
                for i, (size, score) in enumerate(zip(curve.sizes.tolist(), curve.scores.tolist(), strict=True))
            ],
        }
        for metric in _metrics(table)
        for curve in replace(columns, metric=metric).curves_of(table).values()
    ]
    if len(curves) > _MOST_CURVES:
        raise DataError(f"The table holds {len(curves):,} curves; the page takes {_MOST_CURVES}. Keep some of them.")
    return {"curves": curves, "notes": notes}


def curve_of(text: str, columns: Columns) -> LearningCurve:
    """The only curve of a table, or the one of its tasks that was asked for."""
    table = InMemory(text.encode("utf-8", "replace"))
    _metrics(table)
    curves = replace(columns, task=None).curves_of(table)
    if columns.task is None and len(curves) == 1:
        return next(iter(curves.values()))
    if columns.task in curves:
        return curves[columns.task]
    names = some([str(name) for name in curves], 20)
    came = "nothing" if columns.task is None else shown(columns.task)
    raise RequestError(f"must be one of the tasks in the table ({names}), got {came}.", argument="task")


def _metrics(table: InMemory) -> list[str | None]:
    """The metrics that a table names; None where it names none."""
    found = read_table(table)
    if len(found.lines) > MOST_ROWS:
        raise DataError(f"The table has {len(found.lines):,} rows; at most {MOST_ROWS:,} are taken.")
    return list(dict.fromkeys(found.columns.get("metric", [None])))


def _missing_header(raw: bytes) -> str | None:
    """A header for text that begins with numbers; None where there is one."""
    if b"\x00" in raw[:1000] or raw.startswith(b"PK"):
        return None
    first = next((line for line in raw.decode("utf-8", "replace").splitlines() if line.strip()), "")
    if not _NUMBERS.fullmatch(first) or not any(sign.isdigit() for sign in first):
        return None
    separator = max(";\t|,", key=first.count)
    count = first.count(separator) + 1
    if count == 2:
        return f"size{separator}score"
    return separator.join(["size", *(f"split {i}" for i in range(1, count))])


def _cells(header: str) -> list[str]:
    return re.split(r"[;\t|,]", header)


def row_problems(table: str, columns: Columns) -> list[dict[str, Any]]:
    """Which rows of a table that cannot be used are at fault: those that cannot be read even alone.

    Where there are none, the fault lies between rows: then it is the first row that the rows above it do not go with.
    """
    lines = [(number, text) for number, text in enumerate(table.splitlines(), start=1) if text.strip()]
    if len(lines) < 2:
        return []
    (_, header), body = lines[0], lines[1:]
    alone = replace(columns, metric=None, task=None)
    found = []
    for number, text in body[:_MOST_TRIED]:
        problem = _problem(header, [text], alone)
        if problem is not None:
            found.append({"line": number, "column": problem.column, "message": _bare(problem)})
        if len(found) == _MOST_PROBLEMS:
            break
    if len(found) > 1 and len(found) == min(len(body), _MOST_PROBLEMS) and len({row["message"] for row in found}) == 1:
        return []  # whatever is wrong with every row in the same way is wrong with the header
    texts = [text for _, text in body]
    if found or (whole := _problem(header, texts, alone)) is None:
        return found
    good, bad = 0, len(texts)  # so many rows go together, so many do not
    while bad - good > 1:
        middle = (good + bad) // 2
        problem = _problem(header, texts[:middle], alone)
        good, bad, whole = (middle, bad, whole) if problem is None else (good, middle, problem)
    return [{"line": body[bad - 1][0], "column": whole.column, "message": _bare(whole)}]


def _problem(header: str, rows: list[str], columns: Columns) -> DataError | None:
    try:
        columns.curves_of(InMemory("\n".join([header, *rows]).encode("utf-8", "replace")))
    except DataError as problem:
        return problem
    return None


def _bare(problem: DataError) -> str:
    return problem.worded(lambda name: name, lambda name, _value: name, placed=False)
