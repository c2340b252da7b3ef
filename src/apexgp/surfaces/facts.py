"""What there is to say about an answer, as one dictionary that every surface prints or draws from; ready for JSON."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from .._check import FloatArray
from .._json import plain
from ..answers.minimum import MinimumSampleSize
from ..answers.plan import CollectionPlan
from ..answers.required import RequiredSize
from ..curve import LearningCurve
from ..estimators import APExGP
from ..estimators.saving import plain_setting
from ..forecast import Forecast
from ..repeated.backtest import Backtest
from ..repeated.compare import Comparison
from ..repeated.many import CurveForecast
from .words.backtest import backtest_methods, backtest_sentence
from .words.compare import compare_methods, compare_sentence
from .words.forecast import forecast_methods, forecast_sentence
from .words.minimum import minimum_methods, minimum_sentence
from .words.plan import plan_methods, plan_sentence
from .words.required import required_sentence

__all__ = ["backtest_facts", "batch_facts", "compare_facts", "forecast_facts", "minimum_facts", "plan_facts"]

_COLUMNS = ("size", "mean", "median", "std", "lower", "upper")


def forecast_facts(
    model: APExGP, forecast: Forecast, level: float, required: RequiredSize | None = None
) -> dict[str, Any]:
    """Gather the pilot, the settings, the fit and the forecast, and the answer to a target."""
    curve = model.curve_
    rows = _rows(forecast, *forecast.interval(level))
    pilot = _pilot(curve)
    sentences = [forecast_sentence(pilot["sizes"][-1], pilot["means"][-1], curve.metric, rows[-1], level)]
    cautions = list(forecast.cautions)
    facts: dict[str, Any] = {"level": level, "forecast": rows}
    if required is not None:
        facts["required"] = _without_cautions(required)
        sentences.append(required_sentence(required, curve))
        cautions += [caution for caution in required.cautions if caution not in cautions]
    return (
        _model_facts(model)
        | facts
        | {
            "sentence": " ".join(sentences),
            "methods_text": forecast_methods(model, rows, level, required),
            "cautions": cautions,
        }
    )


def batch_facts(found: CurveForecast, level: float) -> dict[str, Any]:
    """One curve of a batch."""
    return {
        "apexgp": version("apexgp"),
        "task": found.task,
        "level": level,
        "forecast": [] if found.error is not None else _rows(found, *found.intervals[level]),
        "cautions": list(found.cautions),
        "error": found.error,
    }


def plan_facts(model: APExGP, plan: CollectionPlan) -> dict[str, Any]:
    """A collection plan and the model behind it."""
    return _model_facts(model) | {
        "plan": _without_cautions(plan),
        "sentence": plan_sentence(plan, model.curve_),
        "methods_text": plan_methods(plan, model),
        "cautions": list(plan.cautions),
    }


def compare_facts(comparison: Comparison) -> dict[str, Any]:
    """A comparison of models."""
    models = comparison.models
    curve = next(iter(models.values())).curve_
    pairs = [plain(asdict(pair)) | {"sentence": compare_sentence(pair, curve)} for pair in comparison.pairs]
    found = {name: model.forecast(comparison.sizes, of="expected").cautions for name, model in models.items()}
    return {
        "apexgp": version("apexgp"),
        "sizes": comparison.sizes.tolist(),
        "pilots": {name: _pilot(model.curve_) for name, model in models.items()},
        "pairs": pairs,
        "sentence": " ".join(pair["sentence"] for pair in pairs),
        "methods_text": compare_methods(comparison),
        "cautions": [f"{name}: {caution}" for name, cautions in found.items() for caution in cautions],
    }


def backtest_facts(result: Backtest, required: dict[str, RequiredSize | str]) -> dict[str, Any]:
    """Figures of each method, and how many examples it asks for where there is a target."""
    facts: dict[str, Any] = {
        "apexgp": version("apexgp"),
        "methods": [plain(asdict(score)) for score in result.pooled],
        "by_curve": [plain(asdict(score)) for score in result.by_curve],
    }
    if required:
        facts["required"] = {
            name: {"error": found} if isinstance(found, str) else plain(asdict(found))
            for name, found in required.items()
        }
    return facts | {
        "sentence": backtest_sentence(result),
        "methods_text": backtest_methods(result),
        "cautions": [f"{', '.join(methods)}: {why}" for why, methods in _failures(result).items()],
    }


def _failures(result: Backtest) -> dict[str, list[str]]:
    """Methods that could not be judged on some curve, by the reason."""
    reasons: dict[str, list[str]] = {}
    for score in result.pooled:
        if score.failed is not None:
            reasons.setdefault(score.failed, []).append(score.method)
    return reasons


def minimum_facts(found: MinimumSampleSize) -> dict[str, Any]:
    """The minimum sample size and its criteria."""
    return {
        "apexgp": version("apexgp"),
        "minimum": _without_cautions(found),
        "sentence": minimum_sentence(found),
        "methods_text": minimum_methods(found),
        "cautions": list(found.cautions),
    }


def _model_facts(model: APExGP) -> dict[str, Any]:
    return {
        "apexgp": version("apexgp"),
        "pilot": _pilot(model.curve_),
        "settings": {name: plain_setting(value) for name, value in model.get_params(deep=False).items()},
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
        "task": curve.task,
        "direction": curve.direction,
        "scores": len(curve),
        "sizes": pilot.sizes.tolist(),
        "means": pilot.mean.tolist(),
        "counts": pilot.count.tolist(),
    }


def _rows(found: Forecast | CurveForecast, lower: FloatArray, upper: FloatArray) -> list[dict[str, float]]:
    """One row a size."""
    columns = zip(found.sizes, found.mean, found.median, found.std, lower, upper, strict=True)
    return [dict(zip(_COLUMNS, map(float, row), strict=True)) for row in columns]


def _without_cautions(answer: RequiredSize | CollectionPlan | MinimumSampleSize) -> dict[str, Any]:
    """An answer's own facts; its cautions stand beside them."""
    return {name: value for name, value in plain(asdict(answer)).items() if name != "cautions"}
