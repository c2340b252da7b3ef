"""Types that are found inside answers, for annotations."""

from .curve import Reading
from .design.ranking import RankedDesign
from .images.embed import EmbeddingRun
from .questions.backtest.run import HeldOut, MethodScore
from .questions.check.predictive import Discrepancy
from .questions.compare.comparison import LeadChange, PairComparison
from .questions.forecast.assumptions import ChangedSize, RequiredSizeRange
from .questions.sensitivity.analysis import SensitivityRow
from .scale import Scale
from .track_record.reliability import ComparedForecast, LevelCoverage, Reliability

__all__ = [
    "ChangedSize",
    "ComparedForecast",
    "Discrepancy",
    "EmbeddingRun",
    "HeldOut",
    "LeadChange",
    "LevelCoverage",
    "MethodScore",
    "PairComparison",
    "RankedDesign",
    "Reading",
    "Reliability",
    "RequiredSizeRange",
    "Scale",
    "SensitivityRow",
]
