"""What there is to say about an answer, as one dictionary that every surface prints or draws from; ready for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from .._answer import ColumnData, rows_of
from ..answers.minimum import MinimumSampleSize
from ..answers.plan import CollectionPlan
from ..answers.required import RequiredSize, success_of
from ..cautions import in_brief, of_one
from ..curve import LearningCurve
from ..design.ranked import PilotDesign
from ..estimators import APExGP
from ..estimators.saving import plain_setting
from ..files.plain import plain
from ..forecast import Forecast
from ..repeated.backtest_answer import Backtest
from ..repeated.compare import Comparison, PairComparison
from ..repeated.many import CurveForecast
from ..replication.result import ExperimentResult
from ..replication.settings import Dense
from .words.backtest import backtest_methods, backtest_sentence
from .words.batch import batch_sentence, tasks_of_caution
from .words.cite import Source, how_to_cite, sources_of, sources_of_methods
from .words.compare import compare_methods, compare_sentence
from .words.design import design_methods, design_sentence
from .words.experiment import experiment_methods, experiment_sentence
from .words.forecast import forecast_methods, forecast_sentence
from .words.method import with_cautions
from .words.minimum import minimum_methods, minimum_sentence
from .words.plan import plan_methods, plan_sentence
from .words.required import required_sentence

__all__ = [
    "backtest_facts",
    "batch_facts",
    "compare_facts",
    "design_facts",
    "experiment_facts",
    "forecast_facts",
    "minimum_facts",
    "plan_facts",
]


def forecast_facts(
    model: APExGP, forecast: Forecast, level: float, required: RequiredSize | None = None
) -> dict[str, Any]:
    """Gather the pilot, the settings, the fit and the forecast, and the answer to a target."""
    curve = model.curve_
    rows = _forecast_rows(forecast.to_dict(levels=(level,)), level)
    pilot = _pilot(curve)
    sentences = [forecast_sentence(pilot["sizes"][-1], pilot["means"][-1], curve, rows[-1], level)]
    cautions = list(forecast.cautions)
    facts: dict[str, Any] = {"level": level, "forecast": rows}
    if required is not None:
        (facts["required"],) = rows_of(required.to_dict())
        # Of the true expected score, as the required size is: the two agree.
        chances = success_of(model, required.target, "expected")(forecast.sizes).tolist()
        facts["forecast"] = [row | {"prob_target": p} for row, p in zip(rows, chances, strict=True)]
        sentences.append(required_sentence(required, curve))
        cautions += [caution for caution in required.cautions if caution not in cautions]
    paragraph = forecast_methods(model, rows, level, required)
    said = _said(" ".join(sentences), paragraph, cautions, sources_of(model))
    return _model_facts(model) | facts | said


def batch_facts(
    found: Sequence[CurveForecast], level: float, target: float | None, confidence: float
) -> dict[str, Any]:
    """Every curve of a batch."""
    tasks = [_task_facts(one, level) for one in found]
    failed = sum(task["error"] is not None for task in tasks)
    facts: dict[str, Any] = {"apexgp": version("apexgp"), "level": level, "tasks": tasks, "failed": failed}
    if target is not None:
        facts |= {"target": target, "confidence": confidence}
    by_caution: dict[str, list[str]] = {}
    for one in found:
        for caution in one.cautions:
            by_caution.setdefault(caution, []).append(str(one.task))
    cautions = [of_one(tasks_of_caution(names, len(found)), caution) for caution, names in by_caution.items()]
    return facts | {"sentence": batch_sentence(facts), "cautions": cautions}


def _task_facts(found: CurveForecast, level: float) -> dict[str, Any]:
    columns = {name: cells for name, cells in found.to_dict().items() if name != "task"}
    facts = {
        "task": None if found.task is None else str(found.task),
        "largest": plain(found.largest),
        "forecast": [] if found.error is not None else _forecast_rows(columns, level),
        "wrong": [found.error] if found.error is not None else list(map(in_brief, found.cautions)),
        "cautions": list(found.cautions),
        "error": found.error,
    }
    if found.required is not None:
        (facts["required"],) = rows_of(found.required.to_dict())
    return facts


def plan_facts(model: APExGP, plan: CollectionPlan) -> dict[str, Any]:
    """A collection plan and the model behind it."""
    sources: tuple[Source, ...] = (*sources_of(model), "mahmood_b")
    said = _said(plan_sentence(plan, model.curve_), plan_methods(plan, model), plan.cautions, sources)
    return _model_facts(model) | {"plan": _without_cautions(plan), "rounds": rows_of(plan.to_dict())} | said


def design_facts(found: PilotDesign, model: APExGP, curve: LearningCurve | None) -> dict[str, Any]:
    """What to measure next, with a model fitted to the curve or, where there is none, with the priors of one."""
    about = _model_facts(model) if curve is not None else _settings_facts(model) | {"pilot": None}
    own = plain({name: value for name, value in vars(found).items() if name not in ("designs", "cautions")})
    now = {name.removesuffix("_now"): own.pop(name) for name in list(own) if name.endswith("_now")}
    rows = rows_of(found.to_dict())
    along = [{"grid_widths": list(one.grid_widths)} for one in found.designs]
    facts = {
        "question": own,
        "now": now | {"settled": found.settled_now} if found.target is not None else now,
        "designs": [row | more for row, more in zip(rows, along, strict=True)],
        "frugal": found.designs.index(found.frugal) + 1,
        "best_at_hand": None if found.best_at_hand is None else found.designs.index(found.best_at_hand) + 1,
    }
    sources: tuple[Source, ...] = (*sources_of(model), "chaloner")
    said = _said(design_sentence(found, curve), design_methods(found, model, curve), found.cautions, sources)
    return about | facts | said


def compare_facts(comparison: Comparison) -> dict[str, Any]:
    """A comparison of models."""
    models = comparison.models
    curve = next(iter(models.values())).curve_
    pairs = [_pair_facts(pair) | {"sentence": compare_sentence(pair, curve)} for pair in comparison.pairs]
    return {
        "apexgp": version("apexgp"),
        "sizes": comparison.sizes.tolist(),
        "pilots": {name: _pilot(model.curve_) for name, model in models.items()},
        "pairs": pairs,
        **_said(
            " ".join([*(pair["sentence"] for pair in pairs), *comparison.notes]),
            compare_methods(comparison),
            comparison.cautions,
            sources_of(next(iter(models.values()))),
        ),
    }


def _pair_facts(pair: PairComparison) -> dict[str, Any]:
    """A pair's own facts; the grid is for drawing."""
    return {name: value for name, value in plain(vars(pair)).items() if name not in ("grid", "grid_prob", "cautions")}


def backtest_facts(result: Backtest, required: dict[str, RequiredSize | str]) -> dict[str, Any]:
    """Figures of each method, and how many examples it asks for where there is a target."""
    facts: dict[str, Any] = {
        "apexgp": version("apexgp"),
        "methods": rows_of(result.to_dict("method")),
        "by_curve": rows_of(result.to_dict("curve")),
        "by_size": rows_of(result.to_dict("size")),
    }
    cautions = list(result.cautions)
    if required:
        facts["required"] = {
            name: {"error": found} if isinstance(found, str) else _with_cautions(found)
            for name, found in required.items()
        }
        asking: dict[str, list[str]] = {}
        for name, found in required.items():
            for caution in () if isinstance(found, str) else found.cautions:
                asking.setdefault(caution, []).append(name)
        cautions += [of_one(tasks_of_caution(names, len(required)), caution) for caution, names in asking.items()]
    sources = sources_of_methods(score.method for score in result.pooled)
    return facts | _said(backtest_sentence(result), backtest_methods(result), cautions, sources)


def experiment_facts(result: ExperimentResult) -> dict[str, Any]:
    """What an experiment was told, what it measured, and how each method fared."""
    told = {name: value for name, value in vars(result.experiment).items() if name != "text"}
    curves = {
        task: {
            "sizes": curve.replicates.sizes.tolist(),
            "means": curve.replicates.mean.tolist(),
            "splits": curve.replicates.count.tolist(),
        }
        for task, curve in result.curves.items()
    }
    tables = {
        table.name: {"caption": table.caption, "header": table.header, "rows": table.rows} for table in result.tables
    }
    facts = {
        "apexgp": version("apexgp"),
        "experiment": plain(told, lambda value: vars(value) if isinstance(value, Dense) else str(value)),
        "curves": curves,
        "figures": rows_of(result.to_dict("ranges")),
        "dense": rows_of(result.to_dict("dense")),
        "tables": plain(tables),
        "fits": result.n_fits,
        "seconds": round(result.seconds, 1),
        "notes": list(result.notes),
    }
    sources: tuple[Source, ...] = ("harvey", *sources_of_methods(result.experiment.methods))
    return facts | _said(experiment_sentence(result), experiment_methods(result), result.cautions, sources)


def _said(sentence: str, paragraph: str, cautions: Sequence[str], sources: Sequence[Source]) -> dict[str, Any]:
    """What every answer says: a sentence, a paragraph for a paper, and reasons for doubt, which the latter repeats."""
    return {
        "sentence": sentence,
        "methods_text": with_cautions(paragraph, cautions, how_to_cite(*sources)),
        "cautions": list(cautions),
    }


def minimum_facts(found: MinimumSampleSize) -> dict[str, Any]:
    """The minimum sample size and its criteria."""
    return {
        "apexgp": version("apexgp"),
        "minimum": rows_of(found.to_dict())[0],
        **_said(minimum_sentence(found), minimum_methods(found), found.cautions, _sources_of_minimum(found)),
    }


def _sources_of_minimum(found: MinimumSampleSize) -> tuple[Source, ...]:
    return ("riley", "van_smeden") if found.cstatistic is None else ("riley", "van_smeden", "riley_c")


def _settings_facts(model: APExGP) -> dict[str, Any]:
    settings = {name: plain_setting(value) for name, value in model.get_params(deep=False).items()}
    return {"apexgp": version("apexgp"), "settings": settings}


def _model_facts(model: APExGP) -> dict[str, Any]:
    return _settings_facts(model) | {
        "pilot": _pilot(model.curve_),
        "parameters": model.parameters_,
        "fit": {
            name.rstrip("_"): getattr(model, name)
            for name in ("weights_", "log_evidence_", "effective_size_", "objective_", "converged_")
            if hasattr(model, name)
        },
    }


def _pilot(curve: LearningCurve) -> dict[str, Any]:
    pilot = curve.replicates
    return {
        "metric": curve.metric,
        "metric_name": curve.metric_name,
        "task": curve.task,
        "direction": curve.direction,
        "unit": curve.unit,
        "scores": len(curve),
        "sizes": pilot.sizes.tolist(),
        "means": pilot.mean.tolist(),
        "counts": pilot.count.tolist(),
    }


def _forecast_rows(columns: ColumnData, level: float) -> list[dict[str, Any]]:
    """One row a size. The level of the interval stands beside the rows, not in the names of its ends."""
    ends = {f"lower_{100 * level:g}": "lower", f"upper_{100 * level:g}": "upper"}
    return rows_of({ends.get(name, name): cells for name, cells in columns.items()})


def _without_cautions(plan: CollectionPlan) -> dict[str, Any]:
    """A plan's own facts; its cautions stand beside them."""
    return {name: value for name, value in plain(asdict(plan)).items() if name != "cautions"}


def _with_cautions(required: RequiredSize) -> dict[str, Any]:
    (row,) = rows_of(required.to_dict())
    return row | {"cautions": list(required.cautions)}
