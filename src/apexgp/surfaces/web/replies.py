"""What comes back and is no document of a command, described for /openapi.json; documents have schemas of their own."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["ErrorAnswer", "ExamplesAnswer", "TablesAnswer"]


class _Reply(BaseModel):
    model_config = ConfigDict(extra="allow")


class FaultyRow(_Reply):
    """A row of the table at fault."""

    line: int = Field(description="Line of the table; the header is line 1.")
    column: str | None = Field(description="The column at fault, if any.")
    message: str


class TableLayout(_Reply):
    """What there is to choose from in a file that was read."""

    columns: list[str]
    sheets: list[str] = Field(description="Of a workbook.")
    sheet: str | None = Field(description="The sheet that was read.")
    cells: list[list[str]] = Field(
        [], description="Size, score and split from a file with faulty rows, as written there."
    )


class Error(_Reply):
    """What was wrong."""

    kind: Literal["data", "request", "server"]
    message: str = Field(description="What was expected, what was received, what to do: one clear line.")
    argument: str | None = Field(description="The field of the request at fault.")
    rows: list[FaultyRow]
    table: TableLayout | None = Field(description="For a file that could not be read: what there is to choose from.")


class ErrorAnswer(_Reply):
    """The one shape of every error."""

    error: Error


class Curve(_Reply):
    """One curve: a task and a metric."""

    task: str | None
    metric: str
    lower_is_better: bool | None = Field(description="Whether lower scores are better, where the table says it.")
    range: str | None = Field(
        description="The lowest and the highest possible score, where the metric does not imply them."
    )
    unit: str
    test_share: float | None
    learner: str | None = Field(description="Kind of learner, where the table says it.")
    rows: list[tuple[float, float, str | None]] = Field(description="Size, score and split of each measurement.")
    details: dict[str, list[float | None]] = Field(
        description="What else is known about each score, by the name of its column: train_score, score_sd, n_test, "
        "averaged_over."
    )


class TablesAnswer(_Reply):
    """The curves of a file."""

    curves: list[Curve]
    notes: list[str] = Field(description="How the file was understood.")
    table: TableLayout


class Example(_Reply):
    """A curve to try the page with."""

    name: str
    title: str
    about: str
    table: str
    settings: dict[str, Any] = Field(description="Fields of a request that go with it.")


class ExamplesAnswer(_Reply):
    """Curves to try the page with."""

    examples: list[Example]
