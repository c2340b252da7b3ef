"""Reading tables of measured scores: a value that shows how a table was understood, and can be corrected."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from .._check import check_path, format_some, format_value
from .._numbers import format_count, format_score, format_size
from ..errors import DataError, RequestError
from ..reading.doubts import Doubt, build_doubt
from ..reading.files import Sheet, Source, keep_content, load_sheet
from ..reading.frames import is_frame
from ..reading.interpretation import Interpretation, TableSettings, check_settings
from ..reading.known_metrics import UNNAMED
from ..reading.measure import Measurements
from ..reading.names import (
    is_negated,
    known_metric,
)
from ..reading.proposal import holds_table, interpret
from ..reading.saved import FORM, NO_READING, SavedReading, load_saved
from ..scale import Range
from .learning_curve import Direction, EachColumn, LearningCurve

__all__ = ["Reading", "TableOptions", "ask_for_direction", "read"]


class TableOptions(TypedDict, total=False):
    """Settings of `read` by name: see its parameters."""

    task: str | None
    metric: str | None
    direction: Direction | None
    range: Range | None
    unit: str | None
    sheet: str | int | None
    train_score: str | Sequence[str] | None
    score_sd: str | None
    n_test: str | float | None
    averaged_over: str | int | None
    n_features: str | int | None
    n_classes: str | int | None
    each_column: EachColumn | None
    per_cent: bool | None
    test_share: float | None
    roles: Mapping[str, str] | str | None
    header: Collection[int] | str | int | None
    rows: Collection[int] | str | None
    sections: Collection[int] | str | None
    fill_down: Collection[str] | str | None
    transposed: bool | None
    total: float | None
    decimal_sign: Literal[".", ","] | None
    point_groups: bool | None
    reading: str | os.PathLike[str] | None


def read(
    source: Source | Any,
    size: str | None = None,
    score: str | Sequence[str] | None = None,
    split: str | None = None,
    **settings: Unpack[TableOptions],
) -> Reading:
    """Read a table of measured scores: what it is taken for, the curves that follow, and what is in doubt.

    Parameters
    ----------
    source
        Delimited text, an .xlsx workbook or JSON, by its path or opened; a data frame; a folder, which stands for the
        training runs beneath it, with what Hugging Face's Trainer or nnU-Net writes; or `mlflow:experiment` (extra
        `mlflow`). JSON has one object per score.
    size, score, split
        Names of the columns. By default those with these names, or common ones: `n` or `Training examples`, `AUC` or
        `accuracy`, `fold` or `seed`, in English, German or French. A file without splits has unlabelled replicates. A
        list of names, or a pattern such as `fold*`, as `score` reads a wide table, one column per split; numbered
        columns (`split1`, `split2`, ... or `1`, `2`, ...) are read as one without being listed.
    task
        Column that tells several curves apart; by default `task`, `dataset`, `model` or similar.
    metric
        What was measured, or, in a file whose column `metric` names several, which of them to read. By default what the
        file says: in that column, by the name of the column of scores, or in the words above the table.
    direction
        Which way is better; by default what the column `direction` says, or as for `LearningCurve`.
    range
        The lowest and the highest possible score; by default what the column `range` says, or as for `LearningCurve`.
    unit
        What a size counts, as worded in answers, such as "patients"; by default what the column `unit` or the name of
        the column of sizes (`n patients`) says, or "rows": training examples.
    sheet
        Which sheet of a workbook: its name, or its number from 1; "*" for all that hold a table of scores, each a
        model. By default the first with a table of scores.
    train_score, score_sd
        Columns of the training scores, and of the standard deviation of the runs behind each score. By default those
        with these names, or common ones: `train AUC`, `sd`, `auc_std`; and numbers after ± in the cells of the scores.
        For a wide table, a list with one column of training scores for each of scores.
    n_test, averaged_over
        Number of test cases behind a score, and of runs that it averages: a number, or a column. By default what the
        table says: `n_test`, `Test cases`; `averaged_over`, `n_runs`. "several" stands for means over an unknown number
        of runs, and so does a column of scores called `mean AUC` or similar.
    n_features, n_classes
        Number of features that the classifier sees, after encoding, and of classes: a number, or a column. By default
        what the table says: `n_features`, `Number of features`; `n_classes`, `Classes`.
    each_column
        What each of several columns of scores is, "split" or "model", where their names do not tell.
    per_cent
        True for scores in per cent. By default those with a % sign, in the cells or in the name of the column.
    test_share
        Share of the collected data that is withheld from training, for validation and test; by default what the column
        `test_share` says, if there is one.
    roles
        What columns hold, by their letters, whatever they are called: {"A": "size", "C": "score"} or "A=size,C=score".
        Roles are size, score, split, model, train_score, score_sd, n_test, averaged_over, n_features, n_classes,
        metric, and ignored.
    header, rows, sections
        Numbers of the rows that name the columns, that hold measurements, and that name the block beneath them: a
        list, or text such as "4-19,22". An empty `header` means that no row names the columns.
    fill_down
        Letters of the columns whose empty cells take the entry above them.
    transposed
        Whether rows stand for columns.
    total
        The number of examples that sizes such as 25 % are shares of.
    decimal_sign
        Whether 0,71 or 0.71 is a fraction.
    point_groups
        Whether a size of 1.600 is sixteen hundred.
    reading
        A file that `Reading.save` or the option --save-reading has written, for this table or an earlier export of it:
        what is not said here is read as before.

    Returns
    -------
    Reading

    Examples
    --------
    >>> reading = read({"Patienten": [60, 120, 240], "AUC": [0.71, 0.76, 0.80]})
    >>> [(column.name, column.role) for column in reading.interpretation.columns]
    [('Patienten', 'size'), ('AUC', 'score')]
    >>> reading.curve
    LearningCurve(3 scores at 3 sizes from 60 to 240, metric='AUC', unit='patients')
    """
    if not isinstance(source, str | os.PathLike) and not is_frame(source):
        source = keep_content(source)  # to be read again with another sheet
    own: dict[str, Any] = dict(settings)
    saved = own.pop("reading", None)
    given = {"size": size, "score": score, "split": split, **own}
    said = check_settings(**given) if any(value is not None for value in given.values()) else TableSettings()
    if saved is None or saved == NO_READING:
        return Reading.of(source, said)
    return Reading.of_saved(source, check_path(saved), said)


@dataclass(frozen=True)
class _Inputs:
    """Inputs of a reading: the source, its grid, what was said of it, and cells that were corrected."""

    source: Any
    sheet: Sheet
    settings: TableSettings
    cells: Mapping[str, str]


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """What was read of a table: its cells, what they are taken for, the curves that follow, and what is in doubt.

    Attributes
    ----------
    sheet : Sheet
        The grid of cells as it came.
    interpretation : Interpretation
        What its rows and columns are taken for.
    notes : tuple of str
        What was done to cells: left out, filled in, turned.
    doubts : tuple of Doubt
        What the table does not tell, each with the choices that would settle it. While there are any, there are no
        curves.
    """

    sheet: Sheet
    interpretation: Interpretation
    notes: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    title: str | None
    _found: Mapping[str | None, LearningCurve]
    _inputs: _Inputs

    @classmethod
    def of(cls, source: Any, settings: TableSettings, cells: Mapping[str, str] | None = None) -> Reading:
        """Read a source with what is said of it, and with some cells corrected."""
        name = None if settings.sheet is None else str(settings.sheet)
        return cls._interpret(source, load_sheet(source, sheet=name, holds_table=holds_table), settings, cells or {})

    @classmethod
    def of_saved(
        cls, source: Any, path: Path, settings: TableSettings, cells: Mapping[str, str] | None = None
    ) -> Reading:
        """Read a source as the reading in a file says, but for what is said here; its columns must have its names."""
        saved = load_saved(path)
        said = saved.add_to(settings)
        form = replace(said, **{name: None for name in vars(said) if name not in FORM})
        with warnings.catch_warnings():  # of cells that may have no role in the end
            warnings.simplefilter("ignore")
            try:
                first = cls.of(source, form)
            except RequestError as problem:
                if problem.argument != "sheet" or settings.sheet is not None:
                    raise
                said = replace(said, sheet=None)  # a text, after a workbook
                first = cls.of(source, replace(form, sheet=None))
        saved.check_columns(first.sheet, first.interpretation, path)
        given = first._inputs
        return cls._interpret(given.source, given.sheet, said, {**saved.cells, **(cells or {})})

    @classmethod
    def _interpret(cls, source: Any, sheet: Sheet, settings: TableSettings, cells: Mapping[str, str]) -> Reading:
        found = interpret(sheet, settings, cells)
        doubts, curves = list(found.doubts), dict[str | None, LearningCurve]()
        try:
            curves = {task: _build_curve(entry) for task, entry in found.curves.items()}
        except DataError as problem:
            doubts.append(Doubt(problem))
        for task in _find_in_doubt(curves):
            curves[task].__dict__["direction_in_doubt"] = True
        losses = dict.fromkeys(curve.metric_name for curve in curves.values() if _is_taken_for_a_loss(curve))
        said = (f"{sheet.source}: for {name}, lower is taken to be better." for name in losses)
        try:
            ask_for_direction(curves, sheet.source)
        except DataError as problem:
            doubts.append(build_doubt(problem, found.sheet, None, ()))
        notes = (*found.notes, *said)
        given = _Inputs(source, sheet, settings, cells)
        return cls(found.sheet, found.interpretation, notes, tuple(doubts), found.title, curves, given)

    @property
    def curves(self) -> dict[str | None, LearningCurve]:
        """Every curve, by task; a doubt is an error that says what would settle it."""
        if self.doubts:
            raise self.doubts[0].error
        return dict(self._found)

    @property
    def curve(self) -> LearningCurve:
        """The only curve; several are an error."""
        curves = self.curves
        if len(curves) > 1:
            raise DataError(
                f"{self.sheet.source} holds {len(curves)} tasks ({format_some(list(curves))}), but one curve was "
                "expected. The attribute `curves` has them all."
            )
        return next(iter(curves.values()))

    def find_curves(self) -> dict[str | None, LearningCurve]:
        """Every curve, by task, those whose direction is in doubt too: each is refused by its fit."""
        if self.doubts and not self._found:
            raise self.doubts[0].error
        return dict(self._found)

    def with_settings(self, **settings: Any) -> Reading:
        """Read the table again with other settings of `read`; roles are added to those that were given."""
        given = self._inputs
        if settings.get("roles") is not None:
            roles: Any = check_settings(roles=settings["roles"]).roles
            settings["roles"] = {**dict(given.settings.roles or {}), **roles}
        checked = check_settings(**settings)
        changed = replace(given.settings, **{name: getattr(checked, name) for name in settings})
        if changed.sheet != given.settings.sheet:
            return Reading.of(given.source, changed, given.cells)
        return Reading._interpret(given.source, given.sheet, changed, given.cells)

    def with_roles(self, roles: Mapping[str, str] | None = None, /, **more: str) -> Reading:
        """Read the table again with other roles of columns, by their letters: `with_roles(A="size", C="score")`."""
        given = check_settings(roles=roles).roles or {}
        return self.with_settings(roles={**given, **more})

    def with_rows(self, rows: Collection[int] | str) -> Reading:
        """Read the table again with these rows as its measurements: `with_rows("4-19")`."""
        return self.with_settings(rows=rows)

    def with_cells(self, cells: Mapping[str, str]) -> Reading:
        """Read the table again with some cells corrected, by letter and row number: `with_cells({"B7": "1000"})`."""
        given = self._inputs
        if not isinstance(cells, Mapping):
            raise RequestError(
                f"must be a mapping such as {{'B7': '1000'}}, got {format_value(cells)}.", argument="cells"
            )
        return Reading._interpret(given.source, given.sheet, given.settings, {**given.cells, **cells})

    def save(self, path: str | os.PathLike[str]) -> bool:
        """Save what was decided, for ``apexgp.read(..., reading=path)`` of a later export of the same table.

        Only a file that was saved so before is overwritten.

        Returns
        -------
        bool
            Whether there was one.
        """
        if self.doubts:
            raise self.doubts[0].error
        return SavedReading.of(self.sheet, self.interpretation, self._inputs.cells).write(check_path(path))

    def __repr__(self) -> str:
        doubts = f", {len(self.doubts)} in doubt" if self.doubts else ""
        return f"Reading({self.sheet.source!r}, {format_count(len(self._found), 'curve')}{doubts})"

    def __str__(self) -> str:
        from ..reading.show import write_text_grid

        return write_text_grid(self.sheet, self.interpretation, self.notes, self.doubts)

    def _repr_html_(self) -> str:
        from ..reading.show import write_html_grid

        return write_html_grid(self.sheet, self.interpretation, self.notes, self.doubts)


def _build_curve(entry: Measurements) -> LearningCurve:
    known = {name: numbers for name, numbers in entry.details.items() if not all(map(math.isnan, numbers))}
    return LearningCurve(
        entry.sizes,
        entry.scores,
        entry.split or None,
        averaged_over=entry.averaged_over,
        **entry.about,
        **known,  # type: ignore[arg-type]
    )


def _is_taken_for_a_loss(curve: LearningCurve) -> bool:
    return not curve.direction_stated and curve.direction == "lower"


def _find_in_doubt(curves: Mapping[str | None, LearningCurve]) -> list[str | None]:
    """Find the curves of a table that get worse, by a metric of which nothing says which way is better.

    Curves of a table have the same metric: where more of them clearly improve, those that do not are no question.
    """
    open_to_doubt = {
        task: curve
        for task, curve in curves.items()
        if not curve.direction_stated and known_metric(curve.metric) is None and not is_negated(curve.metric)
    }
    worse = [task for task, curve in open_to_doubt.items() if curve.upward.replicates.falls_clearly]
    better = [task for task, curve in open_to_doubt.items() if curve.upward.replicates.rises_clearly]
    return [] if len(better) > len(worse) else worse


def ask_for_direction(curves: Mapping[str | None, LearningCurve], source: str | None = None) -> None:
    """Refuse curves whose direction is in doubt, and ask whoever gave them which way is better."""
    in_doubt = [task for task, curve in curves.items() if curve.direction_in_doubt]
    if not in_doubt:
        return
    first = curves[in_doubt[0]]
    pilot, falls = first.replicates, first.direction == "higher"
    what = "scores" if first.metric == UNNAMED else first.metric_name
    tasks = "" if len(curves) == 1 else f" of {format_some(in_doubt)}"
    does = ("fall" if falls else "rise") + "s" * (first.metric != UNNAMED)
    start, end = (f"{format_score(pilot.mean[i], first.decimals)} at {format_size(pilot.sizes[i])}" for i in (0, -1))
    raise DataError(
        f"{'The' if source is None else 'the'} {what}{tasks} {does} as the training set grows, from {start} to {end}: "
        f"is {'lower' if falls else 'higher'} better?",
        where=source or "",
        remedy=(
            "Say so with {} or {}, or name the metric with {} if it is a known one such as error rate or accuracy.",
            ("direction", "lower"),
            ("direction", "higher"),
            "metric",
        ),
    )
