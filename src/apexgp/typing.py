"""Types that are found inside answers, for annotations."""

from .design.ranking import RankedDesign
from .images.embed import EmbeddingRun
from .repeated.backtest_answer import HeldOut, MethodScore
from .repeated.compare import PairComparison
from .repeated.predictive_answer import Discrepancy
from .repeated.sensitivity_answer import SensitivityRow
from .scale import Scale
from .track_record.reliability import ComparedForecast, LevelCoverage, Reliability

__all__ = [
    "ComparedForecast",
    "Discrepancy",
    "EmbeddingRun",
    "HeldOut",
    "LevelCoverage",
    "MethodScore",
    "PairComparison",
    "RankedDesign",
    "Reliability",
    "Scale",
    "SensitivityRow",
]
