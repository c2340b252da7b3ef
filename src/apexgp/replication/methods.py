"""The methods that an experiment compares, by the names that a configuration has for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from ..estimators import APExGP, CurveEstimator
from ..estimators.least_squares import LeastSquares
from ..forecast import IntervalKind
from ..model.families import FAMILIES

__all__ = ["EXPERIMENT_METHODS", "PAPER_METHODS", "Method"]


@dataclass(frozen=True)
class Method:
    """A method of forecasting curves.

    Parameters
    ----------
    heading
        What tables and pictures call it; the paper's own words for the paper's methods.
    make
        Makes the estimator, of the best score that is possible at all: `ceiling` or, where lower is better, `floor`.
    uncut
        Whether its error is that of the mean before it is cut to [0, 1], as in the paper's tables.
    interval
        Kind of its intervals: the paper's text speaks of highest density, its code has equal tails.
    single_scores
        Whether it is fitted to the scores of the single splits, instead of to their means.
    """

    heading: str
    make: Callable[..., CurveEstimator]
    uncut: bool = False
    interval: IntervalKind = "equal_tailed"
    single_scores: bool = False


PAPER_METHODS = ("power_law", "gp_power_law", "arctan", "gp_arctan")

_HEADINGS = {"power_law": "Power law", "arctan": "Arctan"}

EXPERIMENT_METHODS = MappingProxyType(
    {
        "gp_power_law": Method("GP pow", partial(APExGP.as_published, "power_law"), uncut=True),
        "gp_arctan": Method("GP arc", partial(APExGP.as_published, "arctan"), uncut=True),
        "gp_power_law_as_written": Method(
            "GP pow as written", partial(APExGP.as_written, "power_law"), uncut=True, interval="hdi"
        ),
        "gp_arctan_as_written": Method(
            "GP arc as written", partial(APExGP.as_written, "arctan"), uncut=True, interval="hdi"
        ),
        "apexgp": Method("apexgp", APExGP, single_scores=True),
        **{family: Method(_HEADINGS.get(family, family), partial(LeastSquares, family)) for family in FAMILIES},
    }
)
"""Every method by name."""
