"""Types of answers and of what is found inside them, for annotations."""

from .answers.minimum import MinimumSampleSize
from .answers.plan import CollectionPlan
from .answers.required import RequiredSize
from .design.ranked import PilotDesign, RankedDesign
from .images.embed import EmbeddingRun
from .repeated.backtest_answer import Backtest, HeldOut, MethodScore
from .repeated.compare import Comparison, PairComparison
from .repeated.many import CurveForecast
from .repeated.predictive_answer import Discrepancy, PredictiveCheck
from .repeated.sensitivity_answer import Sensitivity, SensitivityRow
from .scale import Scale

__all__ = [
    "Backtest",
    "CollectionPlan",
    "Comparison",
    "CurveForecast",
    "Discrepancy",
    "EmbeddingRun",
    "HeldOut",
    "MethodScore",
    "MinimumSampleSize",
    "PairComparison",
    "PilotDesign",
    "PredictiveCheck",
    "RankedDesign",
    "RequiredSize",
    "Scale",
    "Sensitivity",
    "SensitivityRow",
]
