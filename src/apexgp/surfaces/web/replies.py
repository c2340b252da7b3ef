"""What comes back, described for /openapi.json."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["AdviceAnswer", "AnyAnswer", "ErrorAnswer", "ExamplesAnswer", "ForecastAnswer", "PageAnswer", "TablesAnswer"]


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


class AnyAnswer(_Reply):
    """The dictionary that the command prints with `--json`."""

    apexgp: str = Field(description="Version.")
    sentence: str = Field(description="The answer in plain words.")
    methods_text: str = Field(description="A paragraph for the methods section of a paper.")
    cautions: list[str] = Field(description="Reasons for doubt.")


class ForecastRow(_Reply):
    """The forecast at one size."""

    size: float
    mean: float
    median: float
    std: float
    lower: float
    upper: float


class ForecastAnswer(AnyAnswer):
    """The dictionary that `apexgp forecast --json` prints."""

    level: float = Field(description="Probability that the interval from lower to upper covers the score.")
    forecast: list[ForecastRow]
    without_training: list[ForecastRow] | None = Field(
        description="The forecast without the training scores, where those are known."
    )


class Cells(_Reply):
    """A table as it is shown."""

    header: list[str]
    rows: list[list[str]]


class PageAnswer(_Reply):
    """All that the page shows."""

    forecast: ForecastAnswer
    plan: AnyAnswer | None
    backtest: dict[str, Any] | None
    doubts: dict[str, Any] | None = Field(description="What the answer depends on, and a check of the model.")
    tables: dict[str, Cells] = Field(description="Forecast, plan, backtest, changes and checks as tables.")
    figure: str = Field(description="The chart as a piece of HTML.")
    svg: str = Field(description="The chart as an SVG file.")
    csv: str = Field(description="The forecast as comma-separated values.")
    measurements: str = Field(description="The curve as comma-separated values, as the commands read them.")
    python: str = Field(description="Python code that reproduces the numbers.")
    shell: str = Field(description="Commands that reproduce the numbers.")
    short: str = Field(description="The answer in a line short enough for a phone.")
    glossary: dict[str, str] = Field(description="The glossary.")
    notes: list[str] = Field(description="Messages from the computation.")


class AdviceAnswer(_Reply):
    """What the page shows of what more measuring would change."""

    design: AnyAnswer
    table: Cells = Field(description="The best few designs.")
    note: str = Field(description="What the columns mean.")
    python: str = Field(description="Python code that continues that of the page.")
    shell: str = Field(description="The command that reproduces the numbers.")


class Curve(_Reply):
    """One curve: a task and a metric."""

    task: str | None
    metric: str
    lower_is_better: bool
    range: str | None = Field(
        description="The lowest and the highest possible score, where the metric does not imply them."
    )
    unit: str
    test_share: float | None
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
