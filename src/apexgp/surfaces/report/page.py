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
from ...files.writing import to_json_value
from ...question_base.citations import list_citations, list_method_sources, list_sources
from ...question_base.column_settings import ColumnSettings
from ...question_base.markup import escape_markup, keep_per_cent, replace_controls
from ...question_base.question import QuestionAnswer, build_table
from ...questions import load_question
from ...questions.backtest import build_held_out_table, name_own_method
from ...questions.check import explain_checks, list_check_doubts
from ...questions.design.sentences import explain_ranking
from ...questions.forecast import say_answer, say_pilot
from ...questions.forecast.curve_picture import CurvePicture
from ...questions.forecast.tripod import TRIPOD_INTRO, list_tripod_items
from ...questions.report import ReportAnswer, ReportDocument, ReportedFacts, ReportQuestion
from ...reading.files import as_csv
from ..chart.figure import build_chart_figure, read_chart_script, read_chart_style
from ..command import build_options_vocabulary
from ..output import build_curve_table
from ..reproduce import REPORT_DATA, write_design_shell, write_report_python, write_report_shell
from .text import (
    DATA_INTRO,
    GLOSSARY,
    build_required_table,
    build_summary_table,
    list_assumptions,
    say_opening,
    title_report,
)

__all__ = ["build_report_page"]

# What there is room for on the first page of a task: characters of cautions, sizes that were forecast.
_ROOM = 260
_FEW_SIZES = 5
_OPTIONS = build_options_vocabulary(ColumnSettings)  # what cautions ask for is set where scores are read


@dataclass(frozen=True, eq=False)
class _Task:
    """The answers about one task, with their documents, and its place in the report."""

    name: str
    anchor: str
    answer: ReportAnswer
    facts: ReportedFacts

    @classmethod
    def build(cls, name: str, anchor: str, answer: ReportAnswer) -> Self:
        return cls(name, anchor, answer, answer.documents())

    @property
    def sources(self) -> list[str]:
        """Keys of the references that the answers rest on."""
        of_plan: list[str] = [] if self.answer.plan is None else ["mahmood_b"]
        of_advice: list[str] = [] if self.answer.advice is None else ["chaloner"]
        of_check: list[str] = [] if self.answer.check is None else ["gelman"]
        of_study: list[str] = [] if self.answer.forecast.evaluation is None else ["riley_evaluation"]
        compared = list_method_sources(self.answer.backtest.methods)
        return [*list_sources(self.answer.model), *of_study, *of_plan, *of_advice, *of_check, *compared, "collins"]

    @property
    def doubts(self) -> list[str]:
        """Reasons to doubt the answers, each once."""
        plan, check = self.answer.plan, self.answer.check
        of_plan = () if plan is None else plan.plan.cautions
        of_check = [] if check is None else list_check_doubts(check.found)
        return list(dict.fromkeys([*self.answer.forecast.cautions, *of_plan, *of_check]))

    def section(self, *, several_metrics: bool) -> dict[str, object]:
        """Values for the template: sentences, tables as cells, the chart."""
        answer, facts, curve = self.answer, self.facts, self.answer.model.curve_
        required, plan, advice, check = answer.forecast.required, answer.plan, answer.advice, answer.check
        doubts = self.doubts
        return {
            "name": self.name,
            "anchor": self.anchor,
            "facts": facts,
            "answers": [
                *say_answer(answer.forecast),
                *([] if facts["plan"] is None else [facts["plan"]["sentence"]]),
            ],
            "cautions": doubts,
            # The first page is for those who read only that: it has room for a few.
            "doubts_in_brief": list(dict.fromkeys(map(shorten_caution, doubts)))
            if len(" ".join(doubts)) > _ROOM
            else None,
            "forecast_in_front": len(answer.forecast.sizes) <= _FEW_SIZES,
            "pilot": say_pilot(answer.forecast),
            "chart": build_chart_figure(answer.forecast.picture(CurvePicture), f"{self.anchor}-chart"),
            "forecast": answer.forecast.table(),
            "required": None if required is None else build_required_table(required, curve),
            "evaluation": None if (study := answer.forecast.evaluation) is None else build_table(study),
            "plan": None if plan is None else build_table(plan.plan),
            "designs": None if advice is None else advice.short_table(),
            "designs_read": None if advice is None else explain_ranking(advice),
            "design_line": None
            if advice is None
            else write_design_shell(advice, REPORT_DATA, self.name or None, curve.metric if several_metrics else None),
            "changes": answer.sensitivity.table(),
            "changes_chart": answer.sensitivity.svg(f"{self.anchor}-changes"),
            "checks": None if check is None else check.table(),
            "checks_read": None if check is None else explain_checks(check.found),
            "check_chart": None if check is None else check.svg(f"{self.anchor}-check"),
            "others": [_describe_other(*one) for one in answer.others.items()],
            "judged": answer.backtest.is_judged,
            "held_out": build_held_out_table(answer.backtest.result, name_own_method(answer.model)),
            "methods": answer.backtest.table(),
            "measured": build_curve_table(curve),
            "assumptions": list_assumptions(answer.forecast),
            "tripod": list_tripod_items(answer.forecast),
        }


def _describe_other(name: str, answer: QuestionAnswer | str) -> dict[str, object]:
    """Title, sentence, cautions and table of a question that the report has no place made for; or why it refuses."""
    title = (load_question(name).__doc__ or name).split("\n")[0].removesuffix(".")
    if isinstance(answer, str):
        return {"title": title, "sentence": answer, "cautions": [], "cells": None}
    document = answer.document()
    return {
        "title": title,
        "sentence": document["sentence"],
        "cautions": document["cautions"],
        "cells": answer.table(),
    }


def build_report_page(answers: Mapping[str, ReportAnswer], failed: Mapping[str, str], question: ReportQuestion) -> str:
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
    tasks = [_Task.build(name, f"task-{i}", answer) for i, (name, answer) in enumerate(answers.items(), start=1)]
    several_metrics = len({model.curve_.metric for model in models.values()}) > 1
    sections = [task.section(several_metrics=several_metrics) for task in tasks]
    first = sections[0]["assumptions"]
    curves = [replace(model.curve_, task=name or model.curve_.task) for name, model in models.items()]
    style, script = _text("report.css") + read_chart_style(), read_chart_script()
    facts: ReportDocument = {
        "schema": "urn:apexgp:report:1",
        "apexgp": version("apexgp"),
        "tasks": {task.name: task.facts for task in tasks},
        "failed": dict(failed),
    }
    today = datetime.now(UTC).date()
    subject = title_report(models)
    return _template().render(
        title=question.title or subject,
        subject=subject if question.title else None,
        head=list(filter(None, (question.author, question.project, f"{today.day} {today:%B %Y}"))),
        sections=sections,
        failed=failed,
        opening=say_opening(len(sections), len(failed)),
        summary=build_summary_table({task.name: (task.answer.forecast, len(task.doubts)) for task in tasks}),
        shared=first if all(section["assumptions"] == first for section in sections) else None,
        glossary=GLOSSARY,
        data_intro=DATA_INTRO,
        citations=list_citations(source for task in tasks for source in task.sources),
        python=write_report_python(models, question),
        shell=write_report_shell(models, question),
        data=(csv := as_csv(build_curve_columns(curves))),
        data_file=REPORT_DATA,
        data_link=_link("text/csv", csv),
        facts_link=_link("application/json", json.dumps(to_json_value(facts), indent=1)),
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


def _print_value(value: object) -> object:
    """A value as the page shows it; markup stays as it is."""
    if isinstance(value, Caution):
        value = word_caution(_OPTIONS, value)
    return keep_per_cent(replace_controls(value)) if type(value) is str else value


@cache
def _template() -> Any:
    jinja2 = import_extra("jinja2", "write_report", "report")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_print_value,
    )
    environment.filters["verbatim"] = lambda text: environment.call_filter("safe", escape_markup(text))
    return environment.from_string(_text("report.html"))


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
