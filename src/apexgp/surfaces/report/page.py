"""The page of a report: sections filled in, everything that it needs inside it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from ..._extras import need
from ...curve import curve_columns
from ...files.plain import plain
from ...reading.spreadsheets import as_csv
from ..chart.figure import chart_figure, chart_script, chart_style
from ..markup import without_controls
from ..tables import (
    Cells,
    advice_table,
    curve_table,
    forecast_table,
    held_out_table,
    required_table,
    summary_table,
    table_of,
)
from ..words.cite import citations
from ..words.design import how_designs_are_ranked
from ..words.forecast import forecast_sentence, pilot_line
from ..words.remake import design_command, python_lines, shell_line
from ..words.report import DATA_INTRO, assumptions, opening, report_title
from ..words.required import required_sentence
from .facts import Findings, own_method
from .wanted import Wanted

__all__ = ["report_page"]


@dataclass(frozen=True)
class _Section:
    """One task, ready to be set."""

    name: str
    anchor: str
    found: Findings
    wanted: Wanted

    @property
    def answers(self) -> list[str]:
        """What was asked for most comes first: the size for a target, then the forecast, then the plan."""
        found, pilot, curve = self.found, self.found.forecast["pilot"], self.found.model.curve_
        row, level = found.forecast["forecast"][-1], found.forecast["level"]
        return [
            *([] if found.required is None else [required_sentence(found.required, curve)]),
            forecast_sentence(pilot["sizes"][-1], pilot["means"][-1], curve, row, level),
            *([] if found.plan_facts is None else [found.plan_facts["sentence"]]),
        ]

    @property
    def pilot(self) -> str:
        return pilot_line(self.found.forecast["pilot"])

    @property
    def chart(self) -> str:
        return chart_figure(self.found.chart, f"{self.anchor}-chart")

    @property
    def forecast(self) -> Cells:
        return forecast_table(self.found.forecast)

    @property
    def required(self) -> Cells | None:
        found = self.found.required
        return None if found is None else required_table(found, self.found.model.curve_)

    @property
    def plan(self) -> Cells | None:
        return None if self.found.plan is None else table_of(self.found.plan)

    @property
    def designs(self) -> Cells | None:
        return None if self.found.design is None else advice_table(self.found.design)

    @property
    def designs_read(self) -> str:
        return "" if self.found.design is None else how_designs_are_ranked(self.found.design, self.found.model.curve_)

    @property
    def design_line(self) -> str | None:
        asked = self.wanted.design_arguments(self.found.model)
        return design_command(self.found.model, asked, task=self.name or None)

    @property
    def judged(self) -> bool:
        return any(score.curves for score in self.found.backtest.pooled)

    @property
    def held_out(self) -> Cells:
        return held_out_table(self.found.backtest, own_method(self.found.model))

    @property
    def methods(self) -> Cells:
        return table_of(self.found.backtest)

    @property
    def measured(self) -> Cells:
        return curve_table(self.found.model.curve_)

    @property
    def assumptions(self) -> Mapping[str, str]:
        return assumptions(self.found.model)


def report_page(found: Mapping[str, Findings], failed: Mapping[str, str], wanted: Wanted) -> str:
    """The report as the text of an HTML file.

    Parameters
    ----------
    found
        Findings by the name of the task; of one task that has none, by the empty name.
    failed
        Why other tasks have no forecast.
    wanted
        What was asked for.
    """
    models = {name: one.model for name, one in found.items()}
    sections = [_Section(name, f"task-{i}", one, wanted) for i, (name, one) in enumerate(found.items(), start=1)]
    first = sections[0].assumptions
    curves = [replace(model.curve_, task=name or model.curve_.task) for name, model in models.items()]
    style, script = _text("report.css") + chart_style(), chart_script()
    facts = {
        "apexgp": version("apexgp"),
        "tasks": {s.name: s.found.as_json() for s in sections},
        "failed": dict(failed),
    }
    return _template().render(
        title=report_title(models),
        sections=sections,
        failed=failed,
        opening=opening(len(sections), len(failed)),
        summary=summary_table(
            {s.name: s.found.forecast for s in sections}, {s.name: s.found.required for s in sections}
        ),
        shared=first if all(section.assumptions == first for section in sections) else None,
        data_intro=DATA_INTRO,
        citations=citations(source for section in sections for source in section.found.sources),
        python=python_lines(models, wanted.as_arguments()),
        shell=shell_line(models, wanted.as_arguments()),
        data=(csv := as_csv(curve_columns(curves))),
        data_link=_link("text/csv", csv),
        facts_link=_link("application/json", json.dumps(plain(facts), indent=1)),
        version=version("apexgp"),
        seeds=sorted({model.get_params(deep=False)["seed"] for model in models.values()}),
        date=datetime.now(UTC).date().isoformat(),
        style=style,
        script=script,
        policy=_policy(style, script),
    )


def _policy(style: str, script: str) -> str:
    """A content security policy under which nothing runs but our script, and nothing is fetched."""
    allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _link(kind: str, text: str) -> str:
    """A file inside a link."""
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(text.encode(errors='replace')).decode()}"


@cache
def _template() -> Any:
    jinja2 = need("jinja2", "write_report", "report")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: without_controls(value) if type(value) is str else value,
    )
    return environment.from_string(_text("report.html"))


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
