"""Learning curves, and readings of the tables that hold them."""

from .learning_curve import Direction, LearningCurve, Replicates, build_curve_columns, build_detail_columns
from .reader import Reading, TableOptions, ask_for_direction, read

__all__ = [
    "Direction",
    "LearningCurve",
    "Reading",
    "Replicates",
    "TableOptions",
    "ask_for_direction",
    "build_curve_columns",
    "build_detail_columns",
    "read",
]
