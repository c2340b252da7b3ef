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
from typing import Any, Self

from ..._extras import import_extra
from ...cautions import Caution, shorten_caution, word_caution
from ...curve import build_curve_columns
from ...files.plain import plain
from ...questions.backtest import own_method
from ...questions.picture import CurvePicture, picture_of
from ...questions.report import ReportAnswer, ReportQuestion
from ...reading.spreadsheets import as_csv
from ..chart.bars import BarDrawing
from ..chart.checked import CheckDrawing
from ..chart.figure import chart_figure, chart_script, chart_style
from ..command import options_of
from ..curve_file import ColumnOptions
from ..fact_types import ReportedFacts, ReportFacts
from ..facts import (
    backtest_facts,
    check_facts,
    design_facts,
    forecast_facts,
    plan_facts,
    sensitivity_facts,
)
from ..markup import without_controls
from ..tables import (
    advice_table,
    backtest_table,
    curve_table,
    forecast_table,
    held_out_table,
    required_table,
    summary_table,
    table_of,
)
from ..words.check import check_doubts, how_checks_are_read
from ..words.cite import citations, sources_of, sources_of_methods
from ..words.design import how_designs_are_ranked
from ..words.forecast import answer_sentences, pilot_line
from ..words.glossary import GLOSSARY
from ..words.remake import REPORT_DATA, design_in_shell, report_in_python, report_in_shell
from ..words.report import DATA_INTRO, assumptions, opening, report_title
from ..words.tripod import TRIPOD_INTRO, tripod_items

__all__ = ["report_page"]

# What there is room for on the first page of a task: characters of cautions, sizes that were forecast.
_ROOM = 260
_FEW_SIZES = 5
_OPTIONS = options_of(ColumnOptions)  # what cautions ask for is set where scores are read


@dataclass(frozen=True, eq=False)
class _Task:
    """The answers about one task, with their documents, and its place in the report."""

    name: str
    anchor: str
    answer: ReportAnswer
    facts: ReportedFacts

    @classmethod
    def placed(cls, name: str, anchor: str, answer: ReportAnswer) -> Self:
        facts: ReportedFacts = {
            "forecast": forecast_facts(answer.forecast),
            "plan": None if answer.plan is None else plan_facts(answer.plan, answer.forecast.required),
            "design": None if answer.advice is None else design_facts(answer.advice),
            "sensitivity": sensitivity_facts(answer.sensitivity),
            "check": None if answer.check is None else check_facts(answer.check),
            "backtest": backtest_facts(answer.backtest),
        }
        return cls(name, anchor, answer, facts)

    @property
    def sources(self) -> list[str]:
        """Whose work the answers rest on."""
        of_plan: list[str] = [] if self.answer.plan is None else ["mahmood_b"]
        of_advice: list[str] = [] if self.answer.advice is None else ["chaloner"]
        of_check: list[str] = [] if self.answer.check is None else ["gelman"]
        of_study: list[str] = [] if self.answer.forecast.evaluation is None else ["riley_evaluation"]
        compared = sources_of_methods(self.answer.backtest.question.methods)
        return [*sources_of(self.answer.model), *of_study, *of_plan, *of_advice, *of_check, *compared, "collins"]

    @property
    def doubts(self) -> list[str]:
        """Reasons to doubt the answers, each once."""
        plan, check = self.answer.plan, self.answer.check
        of_plan = () if plan is None else plan.plan.cautions
        of_check = [] if check is None else check_doubts(check.found)
        return list(dict.fromkeys([*self.answer.forecast.cautions, *of_plan, *of_check]))

    def section(self, *, several_metrics: bool) -> dict[str, object]:
        """What the template sets: sentences, tables as cells, the chart."""
        answer, facts, curve = self.answer, self.facts, self.answer.model.curve_
        required, plan, advice, check = answer.forecast.required, answer.plan, answer.advice, answer.check
        doubts = self.doubts
        return {
            "name": self.name,
            "anchor": self.anchor,
            "facts": facts,
            "answers": [
                *answer_sentences(answer.forecast),
                *([] if facts["plan"] is None else [facts["plan"]["sentence"]]),
            ],
            "cautions": doubts,
            # The first page is for those who read only that: it has room for a few.
            "doubts_in_brief": list(dict.fromkeys(map(shorten_caution, doubts)))
            if len(" ".join(doubts)) > _ROOM
            else None,
            "forecast_in_front": len(answer.forecast.sizes) <= _FEW_SIZES,
            "pilot": pilot_line(curve),
            "chart": chart_figure(picture_of(answer.forecast, CurvePicture), f"{self.anchor}-chart"),
            "forecast": forecast_table(answer.forecast),
            "required": None if required is None else required_table(required, curve),
            "evaluation": None if (study := answer.forecast.evaluation) is None else table_of(study),
            "plan": None if plan is None else table_of(plan.plan),
            "designs": None if advice is None else advice_table(advice.found),
            "designs_read": None if advice is None else how_designs_are_ranked(advice),
            "design_line": None
            if advice is None
            else design_in_shell(advice, REPORT_DATA, self.name or None, curve.metric if several_metrics else None),
            "changes": table_of(answer.sensitivity.found),
            "changes_chart": BarDrawing(answer.sensitivity.found, f"{self.anchor}-changes").svg(),
            "checks": None if check is None else table_of(check.found),
            "checks_read": None if check is None else how_checks_are_read(check.found),
            "check_chart": None if check is None else CheckDrawing(check.found, f"{self.anchor}-check").svg(),
            "judged": answer.backtest.is_judged,
            "held_out": held_out_table(answer.backtest.result, own_method(answer.model)),
            "methods": backtest_table(answer.backtest),
            "measured": curve_table(curve),
            "assumptions": assumptions(answer.forecast),
            "tripod": tripod_items(answer.forecast),
        }


def report_page(answers: Mapping[str, ReportAnswer], failed: Mapping[str, str], question: ReportQuestion) -> str:
    """The report as the text of an HTML file.

    Parameters
    ----------
    answers
        Answers by the name of the task; of one task that has none, by the empty name.
    failed
        Why other tasks have no forecast.
    question
        What was asked for.
    """
    models = {name: answer.model for name, answer in answers.items()}
    tasks = [_Task.placed(name, f"task-{i}", answer) for i, (name, answer) in enumerate(answers.items(), start=1)]
    several_metrics = len({model.curve_.metric for model in models.values()}) > 1
    sections = [task.section(several_metrics=several_metrics) for task in tasks]
    first = sections[0]["assumptions"]
    curves = [replace(model.curve_, task=name or model.curve_.task) for name, model in models.items()]
    style, script = _text("report.css") + chart_style(), chart_script()
    facts: ReportFacts = {
        "schema": "urn:apexgp:report:1",
        "apexgp": version("apexgp"),
        "tasks": {task.name: task.facts for task in tasks},
        "failed": dict(failed),
    }
    today = datetime.now(UTC).date()
    subject = report_title(models)
    return _template().render(
        title=question.title or subject,
        subject=subject if question.title else None,
        head=list(filter(None, (question.author, question.project, f"{today.day} {today:%B %Y}"))),
        sections=sections,
        failed=failed,
        opening=opening(len(sections), len(failed)),
        summary=summary_table({task.name: (task.answer.forecast, len(task.doubts)) for task in tasks}),
        shared=first if all(section["assumptions"] == first for section in sections) else None,
        glossary=GLOSSARY,
        data_intro=DATA_INTRO,
        citations=citations(source for task in tasks for source in task.sources),
        python=report_in_python(models, question),
        shell=report_in_shell(models, question),
        data=(csv := as_csv(build_curve_columns(curves))),
        data_file=REPORT_DATA,
        data_link=_link("text/csv", csv),
        facts_link=_link("application/json", json.dumps(plain(facts), indent=1)),
        version=version("apexgp"),
        seeds=sorted({model.seed for model in models.values()}),
        date=today.isoformat(),
        tripod_intro=TRIPOD_INTRO,
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


def _printed(value: object) -> object:
    """A value as the page shows it; markup stays as it is."""
    if isinstance(value, Caution):
        value = word_caution(_OPTIONS, value)
    return without_controls(value) if type(value) is str else value


@cache
def _template() -> Any:
    jinja2 = import_extra("jinja2", "write_report", "report")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printed,
    )
    return environment.from_string(_text("report.html"))


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
