"""Pictures of curves and answers; each has a `from_...` that computes and a `plot` that draws with matplotlib."""

from .surfaces.plot import (
    BacktestDisplay,
    BatchDisplay,
    ComparisonDisplay,
    CurveDisplay,
    DesignDisplay,
    ExperimentDisplay,
    PlanDisplay,
    PredictiveCheckDisplay,
    SensitivityDisplay,
)

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
