"""Reasons to doubt a forecast, in words that a reader of the numbers understands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._check import FloatArray
from ._known_metrics import UNNAMED, sounds_like_a_loss
from ._numbers import multiple
from .curve import LearningCurve, Replicates
from .errors import Remedy, as_keyword

__all__ = [
    "FARTHEST_FACTOR",
    "Caution",
    "first_cautions",
    "forecast_cautions",
    "in_brief",
    "of_one",
    "pilot_cautions",
    "uninformed_cautions",
]

FARTHEST_FACTOR = 50
"""How many times the pilot's largest size the method has been tested at."""

_NARROWEST_FACTOR = 3
_WILD_SPREAD = 0.08
_FLAT_RISE = 0.01  # over the whole pilot
_OFTEN_WON = 0.02  # by flat curves, far beyond the pilot
_NO_ROOM = 0.005  # left above the last score: whatever the curve does there hardly matters
_SMALL_SCORE = 0.5  # error rates that are worth a forecast are below; scores that are seldom fall to it
# Standard deviation of the share still to be won under the priors, near that of Beta(0.6, 0.45). A posterior that is
# about as wide has learnt nothing of it.
_PRIOR_SPREAD = 0.34
_UNINFORMED = 0.87


class Caution(str):
    """A reason for doubt in a sentence or two, and in a few words for the cell of a table.

    What to do about it may be set by an argument, which every surface words in its own way, as those of errors are.
    """

    brief: str
    why: str
    remedy: Remedy

    def __new__(cls, text: str, brief: str = "", remedy: Remedy = ()) -> Caution:
        """Keep the few words, and what to do, beside the text."""
        caution = super().__new__(cls, _with_remedy(text, remedy, as_keyword))
        caution.brief, caution.why, caution.remedy = brief or text, text, remedy
        return caution

    def worded(self, set_by: Callable[[str, Any], str]) -> str:
        """The text, with `set_by` to say how an argument is set."""
        return _with_remedy(self.why, self.remedy, set_by)


def _with_remedy(text: str, remedy: Remedy, set_by: Callable[[str, Any], str]) -> str:
    if not remedy:
        return text
    sentence, *arguments = remedy
    return f"{text} {sentence.format(*(set_by(*one) for one in arguments if not isinstance(one, str)))}"


def of_one(whose: str, caution: str) -> str:
    """A caution that begins with what it is about."""
    if not isinstance(caution, Caution):
        return f"{whose}{caution}"
    return Caution(f"{whose}{caution.why}", caution.brief, caution.remedy)


def in_brief(caution: str) -> str:
    """A caution in a few words."""
    return caution.brief if isinstance(caution, Caution) else caution


def pilot_cautions(curve: LearningCurve) -> tuple[str, ...]:
    """Cautions that the measurements alone call for."""
    pilot = curve.upward.replicates
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
    flat = slope < 2 * error and slope * np.log(span) < _FLAT_RISE and error * np.log(span) < _FLAT_RISE
    room = float(1 - pilot.mean[-1])
    if curve.direction == "higher" and _may_be_a_loss(curve, slope, error):
        what = "scores fall" if curve.metric == UNNAMED else f"{curve.metric_name} falls"
        found.append(
            Caution(
                f"The {what} as the training set grows, to {pilot.mean[-1]:.3g}. Is lower better?",
                "is lower better?",
                ("Then say so with {}; the forecast as it stands takes higher for better.", ("direction", "lower")),
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
    elif flat and room >= _NO_ROOM:
        # What flat curves elsewhere have won is nothing to go by where less is left to win.
        others = (
            "Of real curves that were as flat, half moved by less than 0.01 even at more than ten times the size, but "
            "about one in three rose by more than 0.02: the upper end of the interval stands for those."
        )
        left = others if room >= _OFTEN_WON else f"Only {room:.2g} is left above it."
        found.append(Caution(f"The pilot does not rise beyond its noise. {left}", "flat"))
    found.extend(_near_perfect(curve.upward.scores, room))
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
    no_room = 1 - pilot.mean[-1] < _NO_ROOM
    if no_room or sizes.max() < 2 * pilot.sizes[-1] or spread < _UNINFORMED * _PRIOR_SPREAD:
        return ()
    return (
        Caution(
            "The pilot says little about how far the curve will still improve; far from it the forecast rests on what "
            "other curves have done.",
            "says little of the limit",
        ),
    )


def _near_perfect(scores: FloatArray, room: float) -> list[Caution]:
    """Caution where the curve has come to the end of its scale."""
    if scores.min() >= 1:
        text = (
            "All scores are perfect: the curve shows that the score stays there, not what more data are good for. Look "
            "for a leak first (a feature that gives the class away, patients in training and test at once), or test on "
            "harder cases."
        )
        return [Caution(text, "all perfect: a leak?")]
    if scores.max() >= 1:
        text = "Some scores are perfect. At the bound the curve cannot show how it would go on."
        return [Caution(text, "perfect scores")]
    if room < _NO_ROOM:
        text = (
            f"The last score is {room:.1g} short of perfect: there is next to no room for more data to show. "
            "Differences this small take very large test sets to measure."
        )
        return [Caution(text, "nearly perfect")]
    return []


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
