"""Reasons to doubt a forecast, in words that a reader of the numbers understands: all of them."""

from .asked import (
    FARTHEST_FACTOR,
    first_cautions,
    forecast_cautions,
    inexact_cautions,
    learnt_elsewhere_cautions,
    undecided_cautions,
    uninformed_cautions,
)
from .caution import Caution, in_brief, of_one, without_remedy, worded_for
from .pilot import pilot_cautions

__all__ = [
    "FARTHEST_FACTOR",
    "Caution",
    "first_cautions",
    "forecast_cautions",
    "in_brief",
    "inexact_cautions",
    "learnt_elsewhere_cautions",
    "of_one",
    "pilot_cautions",
    "undecided_cautions",
    "uninformed_cautions",
    "without_remedy",
    "worded_for",
]
