"""Pictures, one a file for every answer, in one look; a display holds arrays and computes nothing when it draws."""

from .backtest import BacktestDisplay
from .batch import BatchDisplay
from .check import PredictiveCheckDisplay
from .compare import ComparisonDisplay
from .curve import CurveDisplay
from .design import DesignDisplay
from .experiment import ExperimentDisplay
from .plan import PlanDisplay
from .sensitivity import SensitivityDisplay

__all__ = [
    "BacktestDisplay",
    "BatchDisplay",
    "ComparisonDisplay",
    "CurveDisplay",
    "DesignDisplay",
    "ExperimentDisplay",
    "PlanDisplay",
    "PredictiveCheckDisplay",
    "SensitivityDisplay",
]
