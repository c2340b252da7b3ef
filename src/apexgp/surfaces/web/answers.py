"""What the server answers, one function a kind of request; they run in worker processes and know nothing of HTTP."""

from __future__ import annotations

import json
import os
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

from ...answers.minimum import minimum_sample_size
from ...answers.plan import CollectionPlan, plan_collection
from ...cautions import worded_for
from ...curve import LearningCurve, curve_columns
from ...design.pilot import design_pilot
from ...errors import ApexError, ApexWarning, DataError, RequestError
from ...estimators import APExGP, CurveEstimator
from ...reading.spreadsheets import as_csv
from ...repeated.backtest import backtest as run_backtest
from ...repeated.backtest import sizes_required
from ...repeated.backtest_answer import Backtest
from ...repeated.compare import compare_models
from ..advice import advice_arguments
from ..chart.facts import bands_with, chart_facts
from ..chart.figure import chart_figure, chart_file
from ..facts import backtest_facts, compare_facts, design_facts, forecast_facts, minimum_facts, plan_facts
from ..options import (
    BayesOptions,
    Columns,
    MethodOptions,
    ModelOptions,
    sizes_and_times,
    sizes_asked_for,
    sizes_to_design,
)
from ..report.facts import findings
from ..report.page import report_page
from ..report.wanted import Wanted
from ..tables import advice_table, backtest_table, forecast_table, table_of
from ..words.design import how_designs_are_ranked
from ..words.lines import MEASUREMENTS, python_lines, shell_lines
from ..words.remake import design_command, design_lines
from .reading import Sent, curve_of, read_tables
from .refusals import UNPREPARED, error_body
from .vocabularies import FIELDS, vocabulary_of

__all__ = ["Reply", "answer"]

Reply = tuple[int, str, bytes]
"""Status, media type and body of an answer."""

_POINTS = 48  # sizes between the ends of a chart that is drawn again with every change
_DEFAULT_SIZES = ("2x", "10x", "50x")


def answer(request: tuple[str, dict[str, Any]]) -> Reply:
    """Answer a request: its kind and its fields."""
    kind, given = request
    if kind == "read":
        given = {"sent": Sent(**given)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = _KINDS[kind](**given)
        except ApexError as problem:
            return 422, "application/json", _error(kind, problem.worded_for(vocabulary_of(kind)), given)
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


def _error(kind: str, problem: ApexError, given: Mapping[str, Any]) -> bytes:
    # A file is asked about by what would settle the doubt.
    settling = [name for name, _ in problem.to_set] if kind == "read" else []
    argument = next(map(FIELDS[kind].name, filter(None, [problem.argument, *settling])), None)
    rows = [asdict(fault) for fault in problem.faults] if "table" in given else []
    layout = given["sent"].layout if kind == "read" else None
    return error_body("data" if isinstance(problem, DataError) else "request", str(problem), argument, rows, layout)


def _columns(given: Mapping[str, Any]) -> Columns:
    return Columns(**{field.name: given[field.name] for field in fields(Columns) if field.name in given})


def _options(group: type[MethodOptions], given: Mapping[str, Any]) -> Any:
    return group(**{field.name: given[field.name] for field in fields(group) if field.name in given})


def _fitted(table: str, given: Mapping[str, Any]) -> tuple[APExGP, tuple[str, ...]]:
    """The model, and how the table was read."""
    model: APExGP = _options(ModelOptions, given).model()
    curve, notes = curve_of(table, _columns(given))
    return model.fit(curve), notes


def _forecast(*, table: str, **given: Any) -> dict[str, Any]:
    return _forecast_of(_fitted(table, given)[0], **given)[0]


def _forecast_of(
    model: APExGP,
    *,
    at: list[str] | None,
    target: float | None,
    confidence: float,
    of: Any,
    level: float,
    **_others: Any,
) -> tuple[dict[str, Any], list[float], Any]:
    sizes = sizes_asked_for(at or _DEFAULT_SIZES, model.curve_.largest)
    required = None if target is None else model.required_size(target, confidence)
    return forecast_facts(model, model.forecast(sizes, of=of), level, required), sizes, required


def _plan(
    *, table: str, target: float, cost: float, penalty: float, rounds: int, start: int | None, **given: Any
) -> dict[str, Any]:
    model, _ = _fitted(table, given)
    return plan_facts(model, plan_collection(model, target, cost, penalty, rounds, start))


def _compare(*, tables: dict[str, str], at: list[str] | None, **given: Any) -> dict[str, Any]:
    curves = {name: curve_of(table, _columns(given))[0] for name, table in tables.items()}
    sizes = sizes_asked_for(at or ("1x", "2x", "10x"), max(curve.largest for curve in curves.values()))
    return compare_facts(compare_models(curves, sizes, _options(ModelOptions, given).model()))


def _backtest(*, table: str, target: float | None, confidence: float, **given: Any) -> dict[str, Any]:
    (curve, _), methods = curve_of(table, _columns(given)), _options(MethodOptions, given).methods(given["method"])
    required = {} if target is None else sizes_required(curve, methods, target, confidence)
    return backtest_facts(_judged(curve, methods, given["holdout"]), required)


def _judged(curve: LearningCurve, methods: Mapping[str, CurveEstimator], holdout: int | None) -> Backtest:
    result = run_backtest(curve, methods, holdout)
    if not any(score.curves for score in result.pooled):
        raise DataError(str(result.pooled[0].failed))
    return result


def _minimum(*, prevalence: float, parameters: int, r2: float, **given: Any) -> dict[str, Any]:
    return minimum_facts(minimum_sample_size(prevalence, parameters, r2, **given))


def _design(
    *, table: str | None, at: list[str] | None, sizes: list[str] | None, seed: int, **given: Any
) -> dict[str, Any]:
    model: APExGP = _options(BayesOptions, given | {"seed": seed}).model()
    curve = None if table is None else curve_of(table, _columns(given))[0]
    if curve is not None:
        model.fit(curve)
    largest = None if curve is None else curve.largest
    asked = {name: given[name] for name in ("target", "confidence", "available", "confirm")}
    asked |= {"n_splits": given["splits"], "at": sizes_to_design("at", at, largest)}
    asked |= {"sizes": sizes_to_design("sizes", sizes, largest)}
    return design_facts(design_pilot(model, given["budget"], seed=seed, **asked), model, curve)


def _advice(*, table: str, at: list[str] | None, **given: Any) -> dict[str, Any]:
    """What the page shows of what would help most."""
    model, _ = _fitted(table, given)
    curve = model.curve_
    sizes = sizes_asked_for(at or (), curve.largest)
    asked = advice_arguments(model, given["budget"], sizes, given["target"], given["confidence"], given["available"])
    found = design_pilot(model, **asked)
    facts = design_facts(found, model, curve)
    facts["cautions"] = [worded_for(vocabulary_of("advice"), caution) for caution in facts["cautions"]]
    header, rows = advice_table(found)
    return {
        "design": facts,
        "table": {"header": header, "rows": rows},
        "note": how_designs_are_ranked(found, curve),
        "python": design_lines(asked),
        "shell": f"{design_command(model, asked, MEASUREMENTS)}\n",
    }


def _page(*, table: str, rounds: int, backtest: bool, **given: Any) -> dict[str, Any]:
    """All that the page shows, from one fit."""
    model, notes = _fitted(table, given)
    facts, sizes, required = _forecast_of(model, **given)
    chart = chart_facts(model, sizes, required, levels=bands_with(given["level"]), points=_POINTS)
    tables = {"forecast": forecast_table(facts)}
    answer: dict[str, Any] = {"forecast": facts, "plan": None, "backtest": None}
    target, cost, penalty = (given[name] for name in ("target", "cost", "penalty"))
    plan = None
    if cost is not None or penalty is not None:
        plan = _planned(model, target, cost, penalty, rounds)
        answer["plan"], tables["plan"] = plan_facts(model, plan), table_of(plan)
    if backtest:
        try:
            result = _judged(model.curve_, _options(MethodOptions, given).methods(None), None)
            answer["backtest"] = backtest_facts(result, {})
            tables["backtest"] = backtest_table(result, None, {}, model.curve_.largest)
        except DataError as problem:  # too few sizes to hold some out: no reason not to forecast
            answer["backtest"] = {"error": str(problem.worded_for(vocabulary_of("page")))}
    for part in filter(None, (answer["forecast"], answer["plan"], answer["backtest"])):
        part["cautions"] = [worded_for(vocabulary_of("page"), caution) for caution in part.get("cautions", ())]
    rows = facts["forecast"]
    return answer | {
        "tables": {name: {"header": header, "rows": cells} for name, (header, cells) in tables.items()},
        "figure": chart_figure(chart),
        "svg": chart_file(chart),
        "csv": as_csv({name: [row[name] for row in rows] for name in rows[0]}),
        "measurements": as_csv(curve_columns([model.curve_])),
        "python": python_lines(model, sizes, required, plan, of=given["of"], level=given["level"]),
        "shell": shell_lines(model, given | {"rounds": rounds}, plan is not None),
        "notes": list(notes),
    }


def _report(*, table: str, at: list[str] | None, cost: float | None, **given: Any) -> str:
    model, _ = _fitted(table, given)
    sizes, times = sizes_and_times(at or ())
    wanted = Wanted.checked(
        sizes=sizes or None,
        times=times or None,
        cost_per_example=cost,
        **{name: given[name] for name in ("target", "confidence", "level", "penalty", "rounds", "budget", "available")},
    )
    return report_page({"": findings(model, wanted)}, {}, wanted)


def _planned(
    model: APExGP, target: float | None, cost: float | None, penalty: float | None, rounds: int
) -> CollectionPlan:
    for name, value in (("target", target), ("cost_per_example", cost), ("penalty", penalty)):
        if value is None:
            raise RequestError("is missing: a plan takes the target, the cost and the penalty.", argument=name)
    return plan_collection(model, target, cost, penalty, rounds)  # type: ignore[arg-type]


_KINDS: dict[str, Callable[..., Any]] = {
    "advice": _advice,
    "backtest": _backtest,
    "compare": _compare,
    "design": _design,
    "forecast": _forecast,
    "minimum": _minimum,
    "page": _page,
    "plan": _plan,
    "read": read_tables,
    "report": _report,
}
