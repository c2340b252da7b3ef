"""What there is to say about an answer, as one dictionary that every surface prints or draws from; ready for JSON."""

from __future__ import annotations

from collections.abc import Sequence
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
from .words.method import with_cautions
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
    sentences = [forecast_sentence(pilot["sizes"][-1], pilot["means"][-1], curve, rows[-1], level)]
    cautions = list(forecast.cautions)
    facts: dict[str, Any] = {"level": level, "forecast": rows}
    if required is not None:
        facts["required"] = _without_cautions(required)
        sentences.append(required_sentence(required, curve))
        cautions += [caution for caution in required.cautions if caution not in cautions]
    said = _said(" ".join(sentences), forecast_methods(model, rows, level, required), cautions)
    return _model_facts(model) | facts | said


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
    said = _said(plan_sentence(plan, model.curve_), plan_methods(plan, model), plan.cautions)
    return _model_facts(model) | {"plan": _without_cautions(plan)} | said


def compare_facts(comparison: Comparison) -> dict[str, Any]:
    """A comparison of models."""
    models = comparison.models
    curve = next(iter(models.values())).curve_
    pairs = [plain(asdict(pair)) | {"sentence": compare_sentence(pair, curve)} for pair in comparison.pairs]
    found = {name: model.forecast(comparison.sizes, of="expected").cautions for name, model in models.items()}
    cautions = [f"{name}: {caution}" for name, own in found.items() for caution in own]
    return {
        "apexgp": version("apexgp"),
        "sizes": comparison.sizes.tolist(),
        "pilots": {name: _pilot(model.curve_) for name, model in models.items()},
        "pairs": pairs,
        **_said(" ".join(pair["sentence"] for pair in pairs), compare_methods(comparison), cautions),
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
    cautions = [f"{', '.join(methods)}: {why}" for why, methods in _failures(result).items()]
    return facts | _said(backtest_sentence(result), backtest_methods(result), cautions)


def _said(sentence: str, paragraph: str, cautions: Sequence[str]) -> dict[str, Any]:
    """What every answer says: a sentence, a paragraph for a paper, and reasons for doubt, which the latter repeats."""
    return {
        "sentence": sentence,
        "methods_text": with_cautions(paragraph, cautions),
        "cautions": list(cautions),
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
        **_said(minimum_sentence(found), minimum_methods(found), found.cautions),
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
        "metric_name": curve.metric_name,
        "task": curve.task,
        "direction": curve.direction,
        "unit": curve.unit,
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
