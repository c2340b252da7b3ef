"""Pictures of curves and answers; each has a `from_...` that computes and a `plot` that draws with matplotlib."""

from .questions.backtest.picture import BacktestDisplay
from .questions.check.picture import PredictiveCheckDisplay
from .questions.compare.picture import ComparisonDisplay
from .questions.design.picture import DesignDisplay
from .questions.experiment.picture import ExperimentDisplay
from .questions.forecast.picture import BatchDisplay, CurveDisplay
from .questions.plan.picture import PlanDisplay
from .questions.record.picture import ReliabilityDisplay
from .questions.sensitivity.picture import SensitivityDisplay

__all__ = [
    "BacktestDisplay",
    "BatchDisplay",
    "ComparisonDisplay",
    "CurveDisplay",
    "DesignDisplay",
    "ExperimentDisplay",
    "PlanDisplay",
    "PredictiveCheckDisplay",
    "ReliabilityDisplay",
    "SensitivityDisplay",
]
