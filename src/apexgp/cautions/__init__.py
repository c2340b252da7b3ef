"""Reasons to doubt a forecast, in words that a reader of the numbers understands: all of them."""

from .asked import (
    FARTHEST_FACTOR,
    find_first_pilot_cautions,
    find_forecast_cautions,
    find_inexact_cautions,
    find_learnt_elsewhere_cautions,
    find_undecided_cautions,
    find_uninformed_cautions,
)
from .caution import Caution, drop_remedy, prefix_caution, shorten_caution, word_caution
from .pilot import find_pilot_cautions

__all__ = [
    "FARTHEST_FACTOR",
    "Caution",
    "drop_remedy",
    "find_first_pilot_cautions",
    "find_forecast_cautions",
    "find_inexact_cautions",
    "find_learnt_elsewhere_cautions",
    "find_pilot_cautions",
    "find_undecided_cautions",
    "find_uninformed_cautions",
    "prefix_caution",
    "shorten_caution",
    "word_caution",
]
