"""Columns of which each holds the scores of a model: put one below the other, as a table with a column `model`."""

from __future__ import annotations

from dataclasses import replace

from ..errors import DataError
from .headers import ColumnRoles
from .known_metrics import known_metric
from .spreadsheets import Table
from .wide import told_apart_by

__all__ = ["one_below_the_other"]


def one_below_the_other(table: Table, columns: ColumnRoles) -> tuple[Table, ColumnRoles]:
    """The table with one row for each score, and its columns by what they hold; models without a score are no row."""
    if columns.task is not None:
        raise DataError(
            f"{table.path} has a column {columns.task!r}, and columns of scores for several models. Keep the rows of "
            "one of the former, or the scores of one model.",
            remedy=("Name those with {}.", ("score", columns.scores[0])),
        )
    models = [rest or name for rest, name in zip(told_apart_by(columns.scores), columns.scores, strict=True)]
    metric = next((word for word in columns.scores[0].split() if known_metric(word)), None)
    score, model = _free(metric or "score", table), _free("model", table)
    kept = [
        (row, name, own)
        for name, own in zip(models, columns.scores, strict=True)
        for row, cell in enumerate(table.columns[own])
        if cell
    ]
    others = [name for name in table.columns if name not in columns.scores]
    stacked: dict[str, list[str]] = {name: [table.columns[name][row] for row, _, _ in kept] for name in others}
    stacked[score] = [table.columns[own][row] for row, _, own in kept]
    stacked[model] = [name for _, name, _ in kept]
    under = tuple(own for _, _, own in kept)
    roles = replace(columns, scores=[score], wide=False, task=model, metric=metric)
    return replace(table, columns=stacked, lines=[table.lines[row] for row, _, _ in kept], under=under), roles


def _free(name: str, table: Table) -> str:
    return name if name not in table.columns else f"{name} of each"
