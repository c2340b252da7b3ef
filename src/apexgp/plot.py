"""Pictures of curves and answers; each has a `from_...` that computes and a `plot` that draws with matplotlib."""

from .surfaces.plot.backtest import BacktestDisplay
from .surfaces.plot.batch import BatchDisplay
from .surfaces.plot.check import PredictiveCheckDisplay
from .surfaces.plot.compare import ComparisonDisplay
from .surfaces.plot.curve import CurveDisplay
from .surfaces.plot.design import DesignDisplay
from .surfaces.plot.experiment import ExperimentDisplay
from .surfaces.plot.plan import PlanDisplay
from .surfaces.plot.reliability import ReliabilityDisplay
from .surfaces.plot.sensitivity import SensitivityDisplay

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
