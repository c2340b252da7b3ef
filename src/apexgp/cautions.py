"""Reasons to doubt a forecast, in words that a reader of the numbers understands."""

from __future__ import annotations

import numpy as np

from ._check import FloatArray
from ._known_metrics import UNNAMED, sounds_like_a_loss
from ._numbers import multiple
from .curve import LearningCurve, Replicates

__all__ = [
    "FARTHEST_FACTOR",
    "Caution",
    "first_cautions",
    "forecast_cautions",
    "in_brief",
    "pilot_cautions",
    "uninformed_cautions",
]

FARTHEST_FACTOR = 50
"""How many times the pilot's largest size the method has been tested at."""

_NARROWEST_FACTOR = 3
_WILD_SPREAD = 0.08
_FLAT_RISE = 0.01  # over the whole pilot
_SMALL_SCORE = 0.5  # error rates that are worth a forecast are below; scores that are seldom fall to it
# Standard deviation of the share still to be won under the priors, near that of Beta(0.6, 0.45). A posterior that is
# about as wide has learnt nothing of it.
_PRIOR_SPREAD = 0.34
_UNINFORMED = 0.87


class Caution(str):
    """A reason for doubt in a sentence or two, and in a few words for the cell of a table."""

    brief: str

    def __new__(cls, text: str, brief: str = "") -> Caution:
        """Keep the few words beside the text."""
        caution = super().__new__(cls, text)
        caution.brief = brief or text
        return caution


def in_brief(caution: str) -> str:
    """A caution in a few words."""
    return caution.brief if isinstance(caution, Caution) else caution


def pilot_cautions(curve: LearningCurve) -> tuple[str, ...]:
    """Cautions that the measurements alone call for."""
    pilot, best_single = curve.upward.replicates, float(curve.upward.scores.max())
    found = []
    if len(pilot.sizes) < 4:
        found.append(
            Caution(
                f"The pilot has only {len(pilot.sizes)} different sizes; the shape of the curve shows with 4 or more.",
                f"only {len(pilot.sizes)} sizes",
            )
        )
    span = pilot.sizes[-1] / pilot.sizes[0]
    if span < _NARROWEST_FACTOR:
        found.append(
            Caution(
                f"The pilot's largest size is only {span:.3g} times its smallest; a factor of {_NARROWEST_FACTOR} or "
                "more tells a trend from chance.",
                f"sizes span only {span:.2g}x",
            )
        )
    slope, error = _trend(pilot)
    if curve.direction == "higher" and _may_be_a_loss(curve, slope, error):
        what = "scores fall" if curve.metric == UNNAMED else f"{curve.metric_name} falls"
        found.append(
            Caution(
                f"The {what} as the training set grows, to {pilot.mean[-1]:.3g}. Is lower better? Then say so with "
                'direction="lower", on the command line with --lower-is-better; the forecast as it stands takes higher '
                "for better.",
                "is lower better?",
            )
        )
    elif slope < -1e-9 and slope < -2 * error:
        found.append(
            Caution(
                "Performance falls as the training set grows. The model expects it to rise: look for a change of data, "
                "of classifier or of settings between the sizes. Of real curves that fell, about as many fell further "
                "as recovered, and far beyond the pilot one in five ended outside the 95 % interval.",
                "falls",
            )
        )
    elif slope < 2 * error and slope * np.log(span) < _FLAT_RISE and error * np.log(span) < _FLAT_RISE:
        found.append(
            Caution(
                "The pilot does not rise beyond its noise. Of real curves that were as flat, half moved by less than "
                "0.01 even at more than ten times the size, but about one in three rose by more than 0.02: the upper "
                "end of the interval stands for those.",
                "flat",
            )
        )
    if best_single >= 1:
        found.append(
            Caution("Some scores are perfect. At the bound the curve cannot show how it would go on.", "perfect scores")
        )
    spread = _pooled_spread(pilot)
    if spread > _WILD_SPREAD and spread > np.ptp(pilot.mean):
        found.append(
            Caution(
                f"Scores at the same size differ by a standard deviation of {spread:.2g}, more than the whole curve "
                "improves. Larger test sets or more splits would show the trend.",
                "noise exceeds the rise",
            )
        )
    return tuple(found)


def first_cautions() -> tuple[str, ...]:
    """Caution where nothing has been measured yet."""
    return (
        Caution(
            "Nothing has been measured yet: the figures are averages over curves of all kinds. Design again after the "
            "first scores.",
            "nothing measured yet",
        ),
    )


def forecast_cautions(sizes: FloatArray, pilot: Replicates) -> tuple[str, ...]:
    """Cautions that the sizes asked for add."""
    factor = sizes.max() / pilot.sizes[-1]
    if factor <= FARTHEST_FACTOR:
        return ()
    return (
        Caution(
            f"{sizes.max():,.10g} is {multiple(factor)} times the largest pilot size ({pilot.sizes[-1]:,.10g}). The "
            f"method has been tested up to about {FARTHEST_FACTOR} times.",
            f"beyond {FARTHEST_FACTOR}x",
        ),
    )


def uninformed_cautions(sizes: FloatArray, pilot: Replicates, spread: float) -> tuple[str, ...]:
    """Caution where the pilot has said next to nothing about how far the curve will still rise.

    `spread` is the posterior standard deviation of the share, of the room above the curve, that is still to be won.
    """
    if sizes.max() < 2 * pilot.sizes[-1] or spread < _UNINFORMED * _PRIOR_SPREAD:
        return ()
    return (
        Caution(
            "The pilot says little about how far the curve will still improve; far from it the forecast rests on what "
            "other curves have done.",
            "says little of the limit",
        ),
    )


def _may_be_a_loss(curve: LearningCurve, slope: float, error: float) -> bool:
    """Whether scores fall as those of a loss do: by the metric's name, or steadily to small values."""
    pilot = curve.replicates
    if len(pilot.sizes) < 2 or slope >= -1e-9:
        return False
    steadily = slope < -2 * error or bool((np.diff(pilot.mean) < 0).all())
    return sounds_like_a_loss(curve.metric) or (steadily and pilot.mean[-1] < _SMALL_SCORE)


def _trend(pilot: Replicates) -> tuple[float, float]:
    """Slope of the mean scores over log size, and its standard error."""
    x = np.log(pilot.sizes) - np.log(pilot.sizes).mean()
    slope = float(x @ pilot.mean / (x @ x))
    residual = pilot.mean - pilot.mean.mean() - slope * x
    freedom = max(len(x) - 2, 1)
    return slope, float(np.sqrt(residual @ residual / freedom / (x @ x)))


def _pooled_spread(pilot: Replicates) -> float:
    """Standard deviation of the replicates at a size, pooled over sizes; 0 where there are none."""
    freedom = pilot.count - 1
    return float(np.sqrt((freedom * pilot.std**2).sum() / freedom.sum())) if freedom.sum() else 0.0
