"""Answers as documents ready for JSON: what `--json` prints, the page's interface gives and a report carries along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

from .._answer import to_rows
from .._check import FloatArray
from ..answers.evaluation import MinimumEvaluationSize
from ..answers.minimum import MinimumSampleSize
from ..answers.required import RequiredSize
from ..cautions import prefix_caution, shorten_caution
from ..curve import LearningCurve
from ..estimators import APExGP
from ..estimators.saving import setting_to_json
from ..files.plain import plain
from ..forecast import Forecast
from ..model.learnt import Learnt
from ..questions.backtest import BacktestAnswer
from ..questions.check import CheckAnswer
from ..questions.design import DesignAnswer
from ..questions.forecast import BatchAnswer, ForecastAnswer
from ..questions.plan import PlanAnswer
from ..questions.reliability import ReliabilityAnswer
from ..questions.sensitivity import SensitivityAnswer
from ..repeated.compare import Comparison, PairComparison
from ..repeated.many import CurveForecast
from ..repeated.sensitivity_answer import Sensitivity, SensitivityRow
from . import fact_types as types
from .words.backtest import backtest_methods, backtest_sentence
from .words.batch import batch_sentence, tasks_of_caution
from .words.check import check_methods, check_sentence
from .words.cite import how_to_cite, sources_of, sources_of_methods
from .words.compare import compare_methods, compare_sentence
from .words.design import design_methods, design_sentence
from .words.evaluation import evaluation_methods, evaluation_sentence, study_paragraph
from .words.forecast import answer_sentences, forecast_methods
from .words.learn import learn_methods, learn_sentence
from .words.method import with_cautions
from .words.minimum import minimum_methods, minimum_sentence
from .words.on_top import total_required
from .words.plan import plan_methods, plan_sentence
from .words.reliability import reliability_methods, reliability_sentence
from .words.sensitivity import sensitivity_methods, sensitivity_sentence

if TYPE_CHECKING:
    from ..replication.result import ExperimentResult

__all__ = [
    "backtest_facts",
    "batch_facts",
    "check_facts",
    "compare_facts",
    "design_facts",
    "experiment_facts",
    "forecast_facts",
    "learn_facts",
    "minimum_facts",
    "plan_facts",
    "record_facts",
    "sensitivity_facts",
]


def forecast_facts(answer: ForecastAnswer) -> types.ForecastFacts:
    """The pilot, the settings, the fit and the forecast, and the answer to a target."""
    found, model = answer.forecast, answer.model
    rows = _rows_of(found, answer.question.level)
    if answer.chances is not None:
        for row, chance in zip(rows, answer.chances.tolist(), strict=True):
            row["prob_target"] = chance
    untold, required = answer.without_training, answer.required
    of_evaluation: tuple[str, ...] = ("riley_evaluation",)
    return {
        "schema": "urn:apexgp:forecast:1",
        **_model_facts(model),
        "level": answer.question.level,
        "forecast": rows,
        "without_training": None if untold is None else _rows_of(untold, answer.question.level),
        **_target_facts(required, model.curve_),
        **_study_facts(answer),
        **_said(
            " ".join(answer_sentences(answer)),
            forecast_methods(answer),
            answer.cautions,
            (*sources_of(model), *(() if answer.evaluation is None else of_evaluation), "collins"),
        ),
    }


def _study_facts(answer: ForecastAnswer) -> types.StudySizes:
    paragraph = study_paragraph(answer)
    if paragraph is None or answer.evaluation is None:
        return {}
    return {"study": {"paragraph": paragraph, "evaluation": _evaluation_row(answer.evaluation)}}


def _evaluation_row(found: MinimumEvaluationSize) -> types.EvaluationRow:
    (row,) = to_rows(found.to_dict())
    return row


def _rows_of(found: Forecast, level: float) -> list[types.ForecastRow]:
    return _forecast_rows(found.sizes, found.mean, found.median, found.std, found.interval(level))


def batch_facts(answer: BatchAnswer) -> types.BatchFacts:
    """Every curve of a batch."""
    asked = answer.question
    by_task = ((str(one.task), one.cautions) for one in answer.found)
    facts: types.BatchFacts = {
        "schema": "urn:apexgp:batch:1",
        "apexgp": version("apexgp"),
        "level": asked.level,
        "tasks": [_task_facts(one, asked.level) for one in answer.found],
        "failed": answer.failed,
        "sentence": batch_sentence(answer),
        "cautions": _whose(by_task, len(answer.found)),
    }
    if asked.target is not None:
        facts["target"], facts["confidence"] = asked.target, asked.confidence
    return facts


def _whose(cautions: Iterable[tuple[str, Sequence[str]]], count: int) -> list[str]:
    """Each caution once, with the names of those whom it is about where it is not about all."""
    by_caution: dict[str, list[str]] = {}
    for name, own in cautions:
        for caution in own:
            by_caution.setdefault(caution, []).append(name)
    return [prefix_caution(tasks_of_caution(names, count), caution) for caution, names in by_caution.items()]


def _task_facts(found: CurveForecast, level: float) -> types.TaskFacts:
    ends = found.intervals.get(level)
    return {
        "task": None if found.task is None else str(found.task),
        "largest": plain(found.largest),
        "forecast": [] if ends is None else _forecast_rows(found.sizes, found.mean, found.median, found.std, ends),
        "wrong": [found.error] if found.error is not None else list(map(shorten_caution, found.cautions)),
        "cautions": list(found.cautions),
        "error": found.error,
        **_target_facts(found.required),
    }


def plan_facts(answer: PlanAnswer, required: RequiredSize | None = None) -> types.PlanFacts:
    """A collection plan and the model behind it, beside the size that was asked for with it, if any was."""
    model, plan = answer.model, answer.plan
    sentence = plan_sentence(plan, model.curve_, required or answer.required)
    sources: tuple[str, ...] = (*sources_of(model), "mahmood_b")
    return {
        "schema": "urn:apexgp:plan:1",
        **_model_facts(model),
        "plan": plain({name: value for name, value in vars(plan).items() if name != "cautions"}),
        "rounds": to_rows(plan.to_dict()),
        **_said(sentence, plan_methods(plan, model), plan.cautions, sources),
    }


def design_facts(answer: DesignAnswer) -> types.DesignFacts:
    """What to measure next, with a model fitted to the curve or, where there is none, with the priors of one."""
    found, model = answer.found, answer.model
    own = plain(
        {name: value for name, value in vars(found).items() if name not in ("designs", "cautions", "required_now")}
    )
    now = {name.removesuffix("_now"): own.pop(name) for name in list(own) if name.endswith("_now")}
    required = None if found.required_now is None else _required_facts(found.required_now)
    now |= {"required": required, "decided_at": own.pop("decided_at"), "verdict": found.verdict_now}
    rows, along = to_rows(found.to_dict()), [{"grid_widths": list(one.grid_widths)} for one in found.designs]
    sources: tuple[str, ...] = (*sources_of(model), "chaloner")
    return {
        "schema": "urn:apexgp:design:1",
        **_pilot_or_none(answer),
        "question": own,
        "now": plain(now),
        "designs": [row | more for row, more in zip(rows, along, strict=True)],
        "frugal": found.designs.index(found.frugal) + 1,
        "best_at_hand": None if found.best_at_hand is None else found.designs.index(found.best_at_hand) + 1,
        **_said(design_sentence(answer), design_methods(answer), found.cautions, sources),
    }


def _pilot_or_none(answer: DesignAnswer) -> types.PilotOrNone:
    if answer.curve is not None:
        return {**_model_facts(answer.model)}
    settings = _settings_facts(answer.model)
    return {"apexgp": settings["apexgp"], "settings": settings["settings"], "pilot": None}


def compare_facts(comparison: Comparison) -> types.CompareFacts:
    """A comparison of models."""
    models = comparison.models
    first = next(iter(models.values()))
    pairs = [_pair_facts(pair, first.curve_) for pair in comparison.pairs]
    return {
        "schema": "urn:apexgp:compare:1",
        "apexgp": version("apexgp"),
        "sizes": comparison.sizes.tolist(),
        "pilots": {name: _pilot(model.curve_) for name, model in models.items()},
        "pairs": pairs,
        **_said(
            " ".join([*(pair["sentence"] for pair in pairs), *comparison.notes]),
            compare_methods(comparison),
            comparison.cautions,
            sources_of(first),
        ),
    }


def _pair_facts(pair: PairComparison, curve: LearningCurve) -> types.PairFacts:
    """A pair's own facts; the grid is for drawing."""
    return {
        "first": pair.first,
        "second": pair.second,
        "sizes": pair.sizes.tolist(),
        "prob_first_better": pair.prob_first_better.tolist(),
        "difference": pair.difference.tolist(),
        "crossing": pair.crossing,
        "shared_splits": pair.shared_splits,
        "correlation": pair.correlation,
        "sentence": compare_sentence(pair, curve),
    }


def backtest_facts(answer: BacktestAnswer) -> types.BacktestFacts:
    """Figures of each method, and how many examples it asks for where there is a target."""
    result, required = answer.result, answer.required
    asking = ((name, () if isinstance(found, str) else found.cautions) for name, found in required.items())
    sources = sources_of_methods(score.method for score in result.pooled)
    cautions = [*result.cautions, *_whose(asking, len(required))]
    return {
        "schema": "urn:apexgp:backtest:1",
        "apexgp": version("apexgp"),
        "methods": to_rows(result.to_dict("method")),
        "by_curve": to_rows(result.to_dict("curve")),
        "by_size": to_rows(result.to_dict("size")),
        **_by_method(required),
        **_said(backtest_sentence(result), backtest_methods(result), cautions, sources),
    }


def _by_method(required: Mapping[str, RequiredSize | str]) -> types.MethodTargets:
    if not required:
        return {}
    return {
        "required": {
            name: {"error": found}
            if isinstance(found, str)
            else {**_required_facts(found), "cautions": list(found.cautions)}
            for name, found in required.items()
        }
    }


def sensitivity_facts(answer: SensitivityAnswer) -> types.SensitivityFacts:
    """The answer, and what becomes of it with one thing changed at a time."""
    found, model = answer.found, answer.model
    return {
        "schema": "urn:apexgp:sensitivity:1",
        **_model_facts(model),
        "level": found.level,
        "target": found.target,
        "confidence": found.confidence,
        "compared_at": found.compared_at,
        "unchanged": _change_facts(found.unchanged, found),
        "changes": [_change_facts(row, found) for row in found.rows],
        **_said(sensitivity_sentence(answer), sensitivity_methods(answer), found.cautions, sources_of(model)),
    }


def _change_facts(row: SensitivityRow, found: Sensitivity) -> types.ChangeFacts:
    columns = (column.tolist() for column in (found.sizes[: len(row.mean)], row.mean, row.lower, row.upper))
    return {
        "name": row.name,
        "kind": row.kind,
        "forecast": [
            {"size": size, "mean": mean, "lower": low, "upper": high}
            for size, mean, low, high in zip(*columns, strict=True)
        ],
        "required": None if row.required is None else _required_facts(row.required),
        "prob_target": plain(row.prob_target),
        "effect": plain(row.effect),
        "error": row.error,
    }


def check_facts(answer: CheckAnswer) -> types.CheckFacts:
    """What the model would have measured, beside what was measured."""
    found, model = answer.found, answer.model
    columns = (column.tolist() for column in (found.sizes, found.measured, found.expected, found.lower, found.upper))
    return {
        "schema": "urn:apexgp:check:1",
        **_model_facts(model),
        "draws": found.draws,
        "checks": to_rows(found.to_dict()),
        "absent": dict(found.absent),
        "sizes": [
            {"size": size, "measured": measured, "expected": expected, "lower": low, "upper": high}
            for size, measured, expected, low, high in zip(*columns, strict=True)
        ],
        **_said(check_sentence(found), check_methods(answer), found.cautions, (*sources_of(model), "gelman")),
    }


def learn_facts(learnt: Learnt, path: object) -> types.LearnFacts:
    """What priors were learnt from, what moved, and how tasks that were left out are forecast."""
    return {
        "schema": "urn:apexgp:learn:1",
        "apexgp": version("apexgp"),
        "priors": str(path),
        "curves": learnt.curves,
        "tasks": learnt.tasks,
        "pilots": learnt.pilots,
        "metric": learnt.metric,
        "unit": learnt.unit,
        "pull": learnt.pull,
        "related": learnt.related,
        "seed": learnt.seed,
        "moved": {name: {"before": before, "after": after} for name, (before, after) in learnt.moved.items()},
        "left_out": {
            name: {"before": before, "after": after, "error": error}
            for name, (before, after, error) in learnt.left_out.items()
        },
        **_said(learn_sentence(learnt), learn_methods(learnt), learnt.cautions, ("harvey", "lcdb", "lcdb_1_1")),
    }


def record_facts(answer: ReliabilityAnswer) -> types.RecordFacts:
    """How often the intervals of recorded forecasts held, and each comparison."""
    found = answer.found
    return {
        "schema": "urn:apexgp:record:1",
        "apexgp": version("apexgp"),
        "record": str(answer.record.path),
        "metric": answer.question.metric,
        "task": answer.question.task,
        "curves": found.curves,
        "waiting": found.waiting,
        "known": found.known,
        "unlike": found.unlike,
        "above_median": plain(found.above),
        "levels": to_rows(found.to_dict("level")),
        "comparisons": to_rows(found.to_dict("forecast")),
        **_said(reliability_sentence(found), reliability_methods(found), found.cautions, ("harvey",)),
    }


def experiment_facts(result: ExperimentResult) -> types.ExperimentFacts:
    """What an experiment was told, what it measured, and how each method fared."""
    from ..replication.settings import Dense  # here, since the experiment brings all of scikit-learn along
    from .words.experiment import experiment_methods, experiment_sentence

    told = {name: value for name, value in vars(result.experiment).items() if name != "text"}
    measured = {task: curve.replicates for task, curve in result.curves.items()}
    sources: tuple[str, ...] = ("harvey", *sources_of_methods(result.experiment.methods))
    said = _said(experiment_sentence(result), experiment_methods(result), result.cautions, sources)
    return {
        "schema": "urn:apexgp:experiment:1",
        "apexgp": version("apexgp"),
        "experiment": plain(told, lambda value: vars(value) if isinstance(value, Dense) else str(value)),
        "curves": {
            task: {"sizes": one.sizes.tolist(), "means": one.mean.tolist(), "splits": one.count.tolist()}
            for task, one in measured.items()
        },
        "figures": to_rows(result.to_dict("ranges")),
        "dense": to_rows(result.to_dict("dense")),
        "tables": {
            table.name: {
                "caption": table.caption,
                "header": list(table.header),
                "rows": [list(row) for row in table.rows],
            }
            for table in result.tables
        },
        "fits": result.n_fits,
        "seconds": round(result.seconds, 1),
        "notes": list(result.notes),
        "sentence": said["sentence"],
        "methods_text": said["methods_text"],
        "cautions": said["cautions"],
    }


def minimum_facts(found: MinimumSampleSize | MinimumEvaluationSize) -> types.MinimumFacts | types.EvaluationFacts:
    """The minimum sample size and its criteria, for development or for evaluation."""
    if isinstance(found, MinimumEvaluationSize):
        return {
            "schema": "urn:apexgp:evaluation:1",
            "apexgp": version("apexgp"),
            "minimum": _evaluation_row(found),
            **_said(evaluation_sentence(found), evaluation_methods(found), found.cautions, ("riley_evaluation",)),
        }
    sources: tuple[str, ...] = ("riley", "van_smeden", *(() if found.cstatistic is None else ("riley_c",)))
    (row,) = to_rows(found.to_dict())
    return {
        "schema": "urn:apexgp:minimum:1",
        "apexgp": version("apexgp"),
        "minimum": row,
        **_said(minimum_sentence(found), minimum_methods(found), found.cautions, sources),
    }


def _said(sentence: str, paragraph: str, cautions: Sequence[str], sources: Sequence[str]) -> types.Said:
    """What every answer says: a sentence, a paragraph for a paper, and reasons for doubt, which the latter repeats."""
    return {
        "sentence": sentence,
        "methods_text": with_cautions(paragraph, cautions, how_to_cite(*sources)),
        "cautions": list(cautions),
    }


def _settings_facts(model: APExGP) -> types.SettingsFacts:
    settings = {name: setting_to_json(value) for name, value in model.get_params(deep=False).items()}
    return {"apexgp": version("apexgp"), "settings": settings}


def _model_facts(model: APExGP) -> types.ModelFacts:
    fit = ("weights", "log_evidence", "effective_size", "end_error", "objective", "converged")
    return {
        **_settings_facts(model),
        "learner": model.learner_,
        "pilot": _pilot(model.curve_),
        "parameters": model.parameters_,
        "fit": plain({name: getattr(model, f"{name}_") for name in fit if hasattr(model, f"{name}_")}),
    }


def _pilot(curve: LearningCurve) -> types.PilotFacts:
    pilot = curve.replicates
    return {
        "metric": curve.metric,
        "metric_name": curve.metric_name,
        "task": curve.task,
        "direction": curve.direction,
        "range": plain(curve.range),
        "unit": curve.unit,
        "unit_name": curve.unit_name,
        "test_share": curve.test_share,
        "scores": len(curve),
        "sizes": pilot.sizes.tolist(),
        "means": pilot.mean.tolist(),
        "counts": pilot.count.tolist(),
    }


def _forecast_rows(
    sizes: FloatArray, mean: FloatArray, median: FloatArray, std: FloatArray, ends: tuple[FloatArray, FloatArray]
) -> list[types.ForecastRow]:
    """One row per size. The level of the interval stands beside the rows, not in the names of its ends."""
    columns = (column.tolist() for column in (sizes, mean, median, std, *ends))
    return [
        {"size": size, "mean": expected, "median": middle, "std": spread, "lower": low, "upper": high}
        for size, expected, middle, spread, low, high in zip(*columns, strict=True)
    ]


def _target_facts(found: RequiredSize | None, curve: LearningCurve | None = None) -> types.TargetFacts:
    if found is None:
        return {}
    total: types.TargetFacts = {} if curve is None else {"total": total_required(found, curve)}
    return {"required": _required_facts(found), **total}


def _required_facts(found: RequiredSize) -> types.RequiredFacts:
    (row,) = to_rows(found.to_dict())
    return row
