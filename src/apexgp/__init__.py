"""Forecast what a classifier will score with more labelled data, and how sure to be.

The method is APEx-GP (Harvey et al. 2023): a Gaussian process over the training-set size.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import errors, experiment, metrics, plot, priors, simulation, typing
    from .answers.evaluation import MinimumEvaluationSize, minimum_evaluation_size
    from .answers.minimum import MinimumSampleSize, minimum_sample_size
    from .answers.plan import CollectionPlan, plan_collection
    from .answers.required import RequiredSize
    from .collect.curves import CurveSet
    from .collect.logistic import LogisticHead
    from .collect.run import collect_curves
    from .collect.slices import SliceHead
    from .collect.training import collect_scores
    from .collect.tuned import TunedLogistic
    from .curve import LearningCurve, read_curves
    from .design.pilot import design_pilot
    from .design.ranking import PilotDesign
    from .design.stop_rule import StopRule
    from .estimators.gp import APExGP
    from .estimators.least_squares import METHODS, LeastSquares
    from .forecast import Forecast
    from .images.embed import embed_images
    from .learning.learn import learn_beliefs
    from .model.families import FAMILIES
    from .repeated.backtest import backtest
    from .repeated.backtest_answer import Backtest
    from .repeated.compare import Comparison, compare_models
    from .repeated.many import CurveForecast, forecast_many
    from .repeated.predictive import predictive_check
    from .repeated.predictive_answer import PredictiveCheck
    from .repeated.sensitivity import sensitivity
    from .repeated.sensitivity_answer import Sensitivity
    from .repeated.simulate import simulate_collection
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
    "read_curves",
    "sensitivity",
    "simulate_collection",
    "simulation",
    "typing",
    "write_report",
]

# Lazy imports (PEP 562): a name is imported when it is first used. So `import apexgp` takes no time, and a forecast
# does not wait for what only a collection needs.
_HOMES = {
    name: module
    for module, names in {
        "answers.evaluation": ["MinimumEvaluationSize", "minimum_evaluation_size"],
        "answers.minimum": ["MinimumSampleSize", "minimum_sample_size"],
        "answers.plan": ["CollectionPlan", "plan_collection"],
        "answers.required": ["RequiredSize"],
        "collect.curves": ["CurveSet"],
        "collect.logistic": ["LogisticHead"],
        "collect.run": ["collect_curves"],
        "collect.slices": ["SliceHead"],
        "collect.training": ["collect_scores"],
        "collect.tuned": ["TunedLogistic"],
        "curve": ["LearningCurve", "read_curves"],
        "design.stop_rule": ["StopRule"],
        "design.pilot": ["design_pilot"],
        "design.ranking": ["PilotDesign"],
        "estimators.gp": ["APExGP"],
        "estimators.least_squares": ["METHODS", "LeastSquares"],
        "forecast": ["Forecast"],
        "images.embed": ["embed_images"],
        "learning.learn": ["learn_beliefs"],
        "model.families": ["FAMILIES"],
        "repeated.backtest": ["backtest"],
        "repeated.backtest_answer": ["Backtest"],
        "repeated.compare": ["Comparison", "compare_models"],
        "repeated.many": ["CurveForecast", "forecast_many"],
        "repeated.predictive": ["predictive_check"],
        "repeated.predictive_answer": ["PredictiveCheck"],
        "repeated.sensitivity": ["sensitivity"],
        "repeated.sensitivity_answer": ["Sensitivity"],
        "repeated.simulate": ["simulate_collection"],
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
