"""What the server answers, one function a kind of request; they run in worker processes and know nothing of HTTP."""

from __future__ import annotations

import json
import os
import traceback
import warnings
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any, TypeVar

from pydantic import BaseModel

from ...cautions import word_caution
from ...curve import LearningCurve, build_curve_columns
from ...errors import ApexError, ApexWarning, DataError, RequestError
from ...estimators import APExGP
from ...model.beliefs import parse_priors
from ...questions.backtest import BacktestQuestion
from ...questions.check import CheckQuestion
from ...questions.compare import CompareQuestion
from ...questions.design import DesignQuestion
from ...questions.forecast import ForecastQuestion
from ...questions.minimum import MinimumQuestion
from ...questions.picture import CurvePicture, picture_of
from ...questions.plan import PlanQuestion
from ...questions.report import ReportQuestion
from ...questions.sensitivity import SensitivityQuestion
from ...reading.spreadsheets import as_csv
from ..chart.bars import BarDrawing
from ..chart.checked import CheckDrawing
from ..chart.figure import chart_figure, chart_file
from ..curve_file import ColumnOptions
from ..fact_types import (
    AdviceFacts,
    BacktestFacts,
    CellsFacts,
    CheckFacts,
    CompareFacts,
    DesignFacts,
    Doubted,
    DoubtFacts,
    EvaluationFacts,
    ForecastFacts,
    MinimumFacts,
    NoBacktest,
    PageFacts,
    PlanFacts,
    SensitivityFacts,
)
from ..facts import (
    backtest_facts,
    check_facts,
    compare_facts,
    design_facts,
    forecast_facts,
    minimum_facts,
    plan_facts,
    sensitivity_facts,
)
from ..options import ForecastOptions, MethodOptions, ModelOptions, StudyOptions, reach_of
from ..report.page import report_page
from ..tables import Cells, advice_table, backtest_table, forecast_table, table_of
from ..words.check import how_checks_are_read
from ..words.design import how_designs_are_ranked
from ..words.forecast import short_answer
from ..words.glossary import GLOSSARY
from ..words.learn import priors_notes
from ..words.lines import MEASUREMENTS, PRIORS, answer_in_python, answer_in_shell
from ..words.remake import design_in_python, design_in_shell
from .reading import Sent, TableFile, curve_of, read_tables
from .refusals import UNPREPARED, error_body
from .requests import (
    AdviceRequest,
    BacktestRequest,
    CheckRequest,
    ColumnsRequest,
    CompareRequest,
    CurveRequest,
    DesignRequest,
    ForecastRequest,
    MinimumRequest,
    PageRequest,
    PlannedRequest,
    PlanRequest,
    ReportRequest,
    SensitivityRequest,
)
from .vocabularies import FIELDS, vocabulary_of

__all__ = ["KINDS", "Reply", "answer", "notes_on"]

Group = TypeVar("Group", ColumnOptions, ForecastOptions, StudyOptions, MethodOptions, ModelOptions)
Reply = tuple[int, str, bytes]
"""Status, media type and body of an answer."""

_POINTS = 48  # sizes between the ends of a chart that is drawn again with every change


def answer(request: tuple[str, BaseModel | Sent]) -> Reply:
    """Answer a request: its kind, and what is asked."""
    kind, asked = request
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = KINDS[kind](asked)
        except ApexError as problem:
            return 422, "application/json", _error(kind, problem.worded_for(vocabulary_of(kind)), asked)
        except Exception:  # whatever it is, the process goes on with the next request
            if os.environ.get("APEXGP_TRACEBACK"):
                traceback.print_exc()
            return 500, "application/json", error_body("server", UNPREPARED)
    if isinstance(found, str):
        return 200, "text/html; charset=utf-8", found.encode()
    if "notes" in found:
        said = [str(one.message) for one in caught if isinstance(one.message, ApexWarning)]
        found["notes"] += [note for note in dict.fromkeys(said) if note not in found["notes"]]
    return 200, "application/json", json.dumps(found, allow_nan=False).encode()


def _error(kind: str, problem: ApexError, asked: BaseModel | Sent) -> bytes:
    # A file is asked about by what would settle the doubt.
    settling = [name for name, _ in problem.to_set] if kind == "read" else []
    argument = next(map(FIELDS[kind].name, filter(None, [problem.argument, *settling])), None)
    kind_of = "data" if isinstance(problem, DataError) else "request"
    if isinstance(asked, Sent):
        cells, at_fault = asked.written(problem.faults)
        return error_body(kind_of, str(problem), argument, at_fault, {**asked.layout, "cells": cells})
    rows = [asdict(fault) for fault in problem.faults] if hasattr(asked, "table") else []
    return error_body(kind_of, str(problem), argument, rows)


def _options(group: type[Group], asked: BaseModel) -> Group:
    """A group of options from the fields of a request that have their names; no file is named in a request."""
    names = [field.name for field in fields(group) if hasattr(asked, field.name) and field.name != "priors"]
    return group(**{name: getattr(asked, name) for name in names})


def _curve(table: str | TableFile, asked: ColumnsRequest) -> tuple[LearningCurve, tuple[str, ...]]:
    """The curve of a table, and how it was read."""
    return curve_of(table, _options(ColumnOptions, asked))


def notes_on(asked: BaseModel) -> list[str]:
    """How the tables of a request were read, where it has any."""
    one, several = getattr(asked, "table", None), getattr(asked, "tables", None) or {}
    tables = [*([] if one is None else [one]), *several.values()]
    notes = [note for table in tables if isinstance(asked, ColumnsRequest) for note in _curve(table, asked)[1]]
    return list(dict.fromkeys(notes))


def _model(asked: BaseModel) -> APExGP:
    """The model, with the priors that were sent, if any were."""
    model, sent = _options(ModelOptions, asked).model(), getattr(asked, "priors", None)
    if sent is None:
        return model
    if model.inference != "bayes":
        raise RequestError("cannot be used with the published method.", argument="priors")
    changed: APExGP = model.set_params(priors=parse_priors(sent, "priors"))
    return changed


def _fitted(asked: CurveRequest) -> tuple[APExGP, tuple[str, ...]]:
    """The model, and how the table was read."""
    model = _model(asked)
    curve, notes = _curve(asked.table, asked)
    return model.fit(curve), notes


def _forecast(asked: ForecastRequest) -> ForecastFacts:
    question = _options(StudyOptions, asked).question()
    return forecast_facts(question.answer(_fitted(asked)[0]))


def _plan(asked: PlanRequest) -> PlanFacts:
    question = PlanQuestion(
        target=asked.target,
        cost_per_example=asked.cost,
        penalty=asked.penalty,
        rounds=asked.rounds,
        start=asked.start,
    )
    return plan_facts(question.answer(_fitted(asked)[0]))


def _compare(asked: CompareRequest) -> CompareFacts:
    question = CompareQuestion(at=reach_of(asked.at))
    curves = {name: _curve(table, asked)[0] for name, table in asked.tables.items()}
    return compare_facts(question.answer(curves, _model(asked)))


def _backtest(asked: BacktestRequest) -> BacktestFacts:
    question = BacktestQuestion.named(
        asked.method,
        **asdict(_options(MethodOptions, asked)),
        holdout=asked.holdout,
        target=asked.target,
        confidence=asked.confidence,
    )
    answer = question.answer(_curve(asked.table, asked)[0])
    answer.refuse_unjudged()
    return backtest_facts(answer)


def _sensitivity(asked: SensitivityRequest) -> SensitivityFacts:
    question = SensitivityQuestion(forecast=_options(ForecastOptions, asked).question())
    return sensitivity_facts(question.answer(_fitted(asked)[0]))


def _check(asked: CheckRequest) -> CheckFacts:
    question = CheckQuestion(draws=asked.draws)
    model = _model(asked)
    return check_facts(question.answer(model.fit(_curve(asked.table, asked)[0])))


def _minimum(asked: MinimumRequest) -> MinimumFacts | EvaluationFacts:
    return minimum_facts(MinimumQuestion(**asked.model_dump()).answer())


def _design(asked: DesignRequest) -> DesignFacts:
    question = DesignQuestion(
        budget=asked.budget,
        at=reach_of(asked.at, "at"),
        target=asked.target,
        confidence=asked.confidence,
        available=asked.available,
        sizes=reach_of(asked.sizes, "sizes"),
        n_splits=asked.splits,
        confirm=asked.confirm,
    )
    model = _model(asked)
    return design_facts(question.answer(model if asked.table is None else model.fit(_curve(asked.table, asked)[0])))


def _advice(asked: AdviceRequest) -> AdviceFacts:
    """What the page shows of what more measuring would change."""
    forecast = _options(ForecastOptions, asked).question()
    model, _ = _fitted(asked)
    question = DesignQuestion.after(forecast, model, budget=asked.budget, available=asked.available)
    answer = question.answer(model)
    facts = design_facts(answer)
    _word_by_controls(facts)
    return {
        "design": facts,
        "table": _as_cells(advice_table(answer.found)),
        "note": how_designs_are_ranked(answer),
        "python": design_in_python(answer),
        "shell": f"{design_in_shell(answer, MEASUREMENTS, priors=PRIORS)}\n",
    }


def _page(asked: PageRequest) -> PageFacts:
    """All that the page shows, from one fit."""
    question, plan = _options(StudyOptions, asked).question(), _plan_if_priced(asked)
    model, notes = _fitted(asked)
    answer, planned = question.answer(model), None if plan is None else plan.answer(model)
    facts, plan_said = forecast_facts(answer), None if planned is None else plan_facts(planned, answer.required)
    tables = {"forecast": forecast_table(answer)}
    if answer.evaluation is not None:
        tables["evaluation"] = table_of(answer.evaluation)
    if planned is not None:
        tables["plan"] = table_of(planned.plan)
    judged: BacktestFacts | NoBacktest | None = None
    if asked.backtest:
        found = BacktestQuestion.beside(model).answer(model.curve_)
        if found.is_judged:
            judged, tables["backtest"] = backtest_facts(found), backtest_table(found)
        else:  # too few sizes to hold some out: no reason not to forecast
            judged = {"error": str(found.result.pooled[0].failed), "cautions": []}
    doubts = None
    if asked.doubts:
        doubts, doubt_tables = _doubts(question, model)
        tables |= doubt_tables
    for part in (facts, plan_said, judged):
        if part is not None:
            _word_by_controls(part)
    picture, rows = picture_of(answer, CurvePicture, points=_POINTS), facts["forecast"]
    return {
        "forecast": facts,
        "plan": plan_said,
        "backtest": judged,
        "doubts": doubts,
        "tables": {name: _as_cells(cells) for name, cells in tables.items()},
        "figure": chart_figure(picture),
        "svg": chart_file(picture),
        "csv": as_csv(dict(zip(rows[0], map(list, zip(*(row.values() for row in rows), strict=True)), strict=True))),
        "measurements": as_csv(build_curve_columns([model.curve_])),
        "python": answer_in_python(answer, planned),
        "shell": answer_in_shell(answer, planned),
        "short": short_answer(answer),
        "glossary": dict(GLOSSARY),
        "notes": [*notes, *priors_notes(model)],
    }


def _doubts(question: ForecastQuestion, model: APExGP) -> tuple[DoubtFacts, dict[str, Cells]]:
    """What the answer depends on and whether the model would have measured the pilot, and the tables of both."""
    changes = SensitivityQuestion(forecast=question).answer(model)
    said = sensitivity_facts(changes)
    _word_by_controls(said)
    facts: DoubtFacts = {
        "sensitivity": said,
        "sensitivity_svg": BarDrawing(changes.found).svg(),
        "check": None,
        "check_svg": None,
        "check_note": None,
    }
    tables = {"sensitivity": table_of(changes.found)}
    if model.inference == "bayes":  # a point estimate has nothing to draw from
        checked = CheckQuestion().answer(model)
        facts["check"], facts["check_svg"] = check_facts(checked), CheckDrawing(checked.found).svg()
        facts["check_note"], tables["check"] = how_checks_are_read(checked.found), table_of(checked.found)
    return facts, tables


def _as_cells(cells: Cells) -> CellsFacts:
    return {"header": cells[0], "rows": cells[1]}


def _word_by_controls(said: Doubted) -> None:
    """Let cautions name the controls of the page, which its reader knows."""
    said["cautions"] = [word_caution(vocabulary_of("page"), caution) for caution in said["cautions"]]


def _plan_if_priced(asked: PlannedRequest) -> PlanQuestion | None:
    return PlanQuestion.if_priced(
        target=asked.target, cost_per_example=asked.cost, penalty=asked.penalty, rounds=asked.rounds
    )


def _report(asked: ReportRequest) -> str:
    question = ReportQuestion(
        forecast=_options(StudyOptions, asked).question(),
        plan=_plan_if_priced(asked),
        budget=asked.budget,
        available=asked.available,
        title=asked.title,
        author=asked.author,
        project=asked.project,
    )
    return report_page({"": question.answer(_fitted(asked)[0])}, {}, question)


KINDS: dict[str, Callable[..., Any]] = {
    "advice": _advice,
    "backtest": _backtest,
    "check": _check,
    "compare": _compare,
    "design": _design,
    "forecast": _forecast,
    "minimum": _minimum,
    "page": _page,
    "plan": _plan,
    "read": read_tables,
    "report": _report,
    "sensitivity": _sensitivity,
}
