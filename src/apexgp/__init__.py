"""Forecast what a classifier will score with more labelled data, and how sure to be.

The method is APEx-GP (Harvey et al. 2023): a Gaussian process over the training-set size.
"""

from importlib.metadata import version

from . import errors, metrics
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
from .design.ranked import PilotDesign, RankedDesign
from .estimators import METHODS, APExGP, LeastSquares
from .experiment.configuration import Experiment
from .experiment.figures import bootstrapped_likelihood, dense_coverage, uniform_likelihood
from .experiment.judge import judge_curves
from .experiment.result import DenseFigure, ExperimentResult, RangeFigure
from .experiment.run import run_experiment
from .forecast import Forecast
from .images.embed import EmbeddingRun, embed_images
from .model import beliefs
from .model.beliefs import Beliefs
from .model.families import FAMILIES
from .model.variant import PUBLISHED, WRITTEN, Variant
from .repeated.backtest import backtest
from .repeated.compare import Comparison, PairComparison, compare_models
from .repeated.figures import Backtest, HeldOut, MethodScore
from .repeated.many import CurveForecast, forecast_many
from .repeated.simulate import CollectionRun, simulate_collection, true_requirement, tune_correction
from .surfaces.experiment_folder import write_experiment
from .surfaces.plot import (
    BacktestDisplay,
    BatchDisplay,
    ComparisonDisplay,
    CurveDisplay,
    DesignDisplay,
    ExperimentDisplay,
    PlanDisplay,
)
from .surfaces.report.write import write_report

__version__ = version("apexgp")

__all__ = [
    "FAMILIES",
    "METHODS",
    "PUBLISHED",
    "WRITTEN",
    "APExGP",
    "Backtest",
    "BacktestDisplay",
    "BatchDisplay",
    "Beliefs",
    "CollectionPlan",
    "CollectionRun",
    "Comparison",
    "ComparisonDisplay",
    "CurveDisplay",
    "CurveForecast",
    "CurveSet",
    "DenseFigure",
    "DesignDisplay",
    "EmbeddingRun",
    "Experiment",
    "ExperimentDisplay",
    "ExperimentResult",
    "Forecast",
    "HeldOut",
    "LearningCurve",
    "LeastSquares",
    "LogisticHead",
    "MethodScore",
    "MinimumSampleSize",
    "PairComparison",
    "PilotDesign",
    "PlanDisplay",
    "RangeFigure",
    "RankedDesign",
    "RequiredSize",
    "SliceHead",
    "TunedLogistic",
    "Variant",
    "backtest",
    "beliefs",
    "bootstrapped_likelihood",
    "collect_curves",
    "compare_models",
    "dense_coverage",
    "design_pilot",
    "embed_images",
    "errors",
    "forecast_many",
    "judge_curves",
    "metrics",
    "minimum_sample_size",
    "plan_collection",
    "read_curves",
    "run_experiment",
    "simulate_collection",
    "true_requirement",
    "tune_correction",
    "uniform_likelihood",
    "write_experiment",
    "write_report",
]
