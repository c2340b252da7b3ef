"""Forecast what a classifier will score with more labelled data, and how sure to be.

The method is APEx-GP (Harvey et al. 2023): a Gaussian process over the training-set size.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import errors, experiment, metrics, plot, priors, simulation, typing
    from .collect.curves import CurveSet
    from .collect.logistic import LogisticHead
    from .collect.run import collect_curves
    from .collect.slices import SliceHead
    from .collect.training import collect_scores
    from .collect.tuned import TunedLogistic
    from .curve import LearningCurve, read
    from .design.pilot import design_pilot
    from .design.ranking import PilotDesign
    from .design.stop_rule import StopRule
    from .estimators.gp import APExGP
    from .estimators.least_squares import METHODS, LeastSquares
    from .forecast import Forecast
    from .images.embed import embed_images
    from .learning.learn import learn_beliefs
    from .model.families import FAMILIES
    from .questions.backtest.run import Backtest, backtest
    from .questions.check.predictive import PredictiveCheck, predictive_check
    from .questions.compare.comparison import Comparison, compare_models
    from .questions.evaluation import MinimumEvaluationSize, minimum_evaluation_size
    from .questions.forecast.assumptions import required_size_range
    from .questions.forecast.batch import CurveForecast, forecast_many
    from .questions.minimum import MinimumSampleSize, minimum_sample_size
    from .questions.plan import CollectionPlan, plan_collection
    from .questions.plan.simulation import simulate_collection
    from .questions.sensitivity.analysis import Sensitivity, sensitivity
    from .required import RequiredSize
    from .surfaces.report.write import write_report
    from .track_record.forecast_record import ForecastRecord

    __version__: str

__all__ = [
    "FAMILIES",
    "METHODS",
    "APExGP",
    "Backtest",
    "CollectionPlan",
    "Comparison",
    "CurveForecast",
    "CurveSet",
    "Forecast",
    "ForecastRecord",
    "LearningCurve",
    "LeastSquares",
    "LogisticHead",
    "MinimumEvaluationSize",
    "MinimumSampleSize",
    "PilotDesign",
    "PredictiveCheck",
    "RequiredSize",
    "Sensitivity",
    "SliceHead",
    "StopRule",
    "TunedLogistic",
    "backtest",
    "collect_curves",
    "collect_scores",
    "compare_models",
    "design_pilot",
    "embed_images",
    "errors",
    "experiment",
    "forecast_many",
    "learn_beliefs",
    "metrics",
    "minimum_evaluation_size",
    "minimum_sample_size",
    "plan_collection",
    "plot",
    "predictive_check",
    "priors",
    "read",
    "required_size_range",
    "sensitivity",
    "simulate_collection",
    "simulation",
    "typing",
    "write_report",
]

# Lazy imports (PEP 562): a name is imported when it is first used. So `import apexgp` takes no time, and who forecasts
# does not wait for what collects.
_HOMES = {
    name: module
    for module, names in {
        "questions.evaluation": ["MinimumEvaluationSize", "minimum_evaluation_size"],
        "questions.minimum": ["MinimumSampleSize", "minimum_sample_size"],
        "questions.plan": ["CollectionPlan", "plan_collection"],
        "required": ["RequiredSize"],
        "collect.curves": ["CurveSet"],
        "collect.logistic": ["LogisticHead"],
        "collect.run": ["collect_curves"],
        "collect.slices": ["SliceHead"],
        "collect.training": ["collect_scores"],
        "collect.tuned": ["TunedLogistic"],
        "curve": ["LearningCurve", "read"],
        "design.stop_rule": ["StopRule"],
        "design.pilot": ["design_pilot"],
        "design.ranking": ["PilotDesign"],
        "estimators.gp": ["APExGP"],
        "estimators.least_squares": ["METHODS", "LeastSquares"],
        "forecast": ["Forecast"],
        "images.embed": ["embed_images"],
        "learning.learn": ["learn_beliefs"],
        "model.families": ["FAMILIES"],
        "questions.backtest.run": ["Backtest", "backtest"],
        "questions.compare.comparison": ["Comparison", "compare_models"],
        "questions.forecast.assumptions": ["required_size_range"],
        "questions.forecast.batch": ["CurveForecast", "forecast_many"],
        "questions.check.predictive": ["PredictiveCheck", "predictive_check"],
        "questions.sensitivity.analysis": ["Sensitivity", "sensitivity"],
        "questions.plan.simulation": ["simulate_collection"],
        "surfaces.report.write": ["write_report"],
        "track_record.forecast_record": ["ForecastRecord"],
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("apexgp")
    elif name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    elif name in __all__:
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
