"""Forecast what a classifier will score with more labelled data, and how sure to be.

The method is APEx-GP (Harvey et al. 2023): a Gaussian process over the training-set size.
"""

from importlib.metadata import version

from . import errors, experiment, metrics, plot, priors, simulation, typing
from .answers.minimum import MinimumSampleSize, minimum_sample_size
from .answers.plan import CollectionPlan, plan_collection
from .answers.required import RequiredSize
from .collect.curves import CurveSet
from .collect.logistic import LogisticHead
from .collect.run import collect_curves
from .collect.slices import SliceHead
from .collect.tuned import TunedLogistic
from .curve import LearningCurve, read_curves
from .design.pilot import design_pilot
from .design.ranked import PilotDesign
from .estimators import METHODS, APExGP, LeastSquares
from .forecast import Forecast
from .images.embed import embed_images
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

__version__ = version("apexgp")

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
    "LearningCurve",
    "LeastSquares",
    "LogisticHead",
    "MinimumSampleSize",
    "PilotDesign",
    "PredictiveCheck",
    "RequiredSize",
    "Sensitivity",
    "SliceHead",
    "TunedLogistic",
    "backtest",
    "collect_curves",
    "compare_models",
    "design_pilot",
    "embed_images",
    "errors",
    "experiment",
    "forecast_many",
    "metrics",
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
