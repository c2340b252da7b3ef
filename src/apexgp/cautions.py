"""Reasons to doubt a forecast, in words that a reader of the numbers understands: all of them.

First what a caution is, then those that come with a question (how far from the pilot it reaches, and what the pilot
says of it), then those that the measurements of the pilot call for, one check each.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ._check import FloatArray
from ._numbers import format_multiple
from .reading.known_metrics import UNNAMED
from .reading.score_details import SEVERAL
from .vocabulary import PYTHON, Remedy, Vocabulary, add_remedy

if TYPE_CHECKING:
    from .curve import LearningCurve, Replicates

__all__ = [
    "FARTHEST_FACTOR",
    "NO_ROOM",
    "Caution",
    "drop_remedy",
    "find_first_pilot_cautions",
    "find_forecast_cautions",
    "find_inexact_cautions",
    "find_learnt_elsewhere_cautions",
    "find_pilot_cautions",
    "find_single_run_cautions",
    "find_undecided_cautions",
    "find_uninformed_cautions",
    "prefix_caution",
    "shorten_caution",
    "word_caution",
]

NO_ROOM = 0.005
"""Room above the last score below which further changes of the curve hardly matter."""


class Caution(str):
    """A reason for doubt in a sentence or two, and in a few words for the cell of a table.

    Its remedy may name arguments, which every surface words in its own way, as it does for errors.
    """

    brief: str
    why: str
    remedy: Remedy

    def __new__(cls, text: str, brief: str = "", remedy: Remedy = ()) -> Caution:
        """Keep the short form and the remedy beside the text."""
        caution = super().__new__(cls, add_remedy(text, remedy, PYTHON))
        caution.brief, caution.why, caution.remedy = brief or text, text, remedy
        return caution


def word_caution(vocabulary: Vocabulary, caution: str) -> str:
    """Word a caution for a surface, as `ApexError.worded_for` does for errors."""
    return add_remedy(caution.why, caution.remedy, vocabulary) if isinstance(caution, Caution) else caution


def drop_remedy(caution: str) -> str:
    """Leave out the remedy, for readers who can change nothing, such as those of a paper."""
    return caution.why if isinstance(caution, Caution) else caution


def prefix_caution(subject: str, caution: str) -> str:
    """Put the name of what it is about before a caution."""
    if not isinstance(caution, Caution):
        return f"{subject}{caution}"
    return type(caution)(f"{subject}{caution.why}", caution.brief, caution.remedy)


def shorten_caution(caution: str) -> str:
    """Shorten a caution to a few words."""
    return caution.brief if isinstance(caution, Caution) else caution


FARTHEST_FACTOR = 50
"""How many times the pilot's largest size the method has been tested at."""

_INEXACT = 3.0  # times the error aimed at

# Standard deviation of the share still to be won under the priors, near that of Beta(0.6, 0.45). A posterior that is
# about as wide has learnt nothing of it.
_PRIOR_SPREAD = 0.34
_UNINFORMED = 0.87


def find_first_pilot_cautions() -> tuple[str, ...]:
    """Caution where nothing has been measured yet."""
    return (
        Caution(
            "Nothing has been measured yet, so the figures are averages over curves of all kinds. Design again once "
            "the first scores are in.",
            "nothing measured yet",
        ),
    )


def find_forecast_cautions(sizes: FloatArray, pilot: Replicates) -> tuple[str, ...]:
    """Caution where sizes are too far beyond the pilot, or below it."""
    found = []
    if sizes.max() > FARTHEST_FACTOR * pilot.sizes[-1]:
        found.append(
            Caution(
                f"{sizes.max():,.10g} is more than {FARTHEST_FACTOR} times the largest pilot size "
                f"({pilot.sizes[-1]:,.10g}), as far as the method has been tested.",
                f"beyond {FARTHEST_FACTOR}x",
            )
        )
    if sizes.min() < pilot.sizes[0]:
        found.append(
            Caution(
                f"{sizes.min():,.10g} is below the smallest pilot size ({pilot.sizes[0]:,.10g}). The method has been "
                "tested only at sizes larger than the pilot's; below it, curves often have a different shape.",
                "below the pilot",
            )
        )
    return tuple(found)


def find_inexact_cautions(end_error: float, precision: float) -> tuple[str, ...]:
    """Caution where the integral over the posterior is much less exact than it should be.

    Both arguments are standard errors of the ends of 95 % intervals relative to their width: reached, and aimed at.
    """
    if end_error <= _INEXACT * precision:
        return ()
    return (
        Caution(
            "The posterior of this pilot is hard to integrate: the ends of 95 % intervals may be off by "
            f"{100 * min(end_error, 1):.1f} % of their width ({100 * precision:.2g} % is aimed at). Compare several "
            "seeds.",
            "inexact: compare several seeds",
        ),
    )


def find_learnt_elsewhere_cautions(metric: str, unit: str, curve: LearningCurve) -> tuple[str, ...]:
    """Caution where priors were learnt from curves of another metric, or that count something else."""
    other_metric = UNNAMED not in (metric, curve.metric) and metric != curve.metric_name
    if not other_metric and unit == curve.unit_name:
        return ()
    learnt, this = (metric, curve.metric_name) if other_metric else (unit, curve.unit_name)
    return (
        Caution(
            f"The priors were learnt from curves of another kind: {learnt}, where this one has {this}. What they "
            "learnt may not hold here.",
            "priors learnt from curves of another kind",
        ),
    )


def find_undecided_cautions(reachable: float, error: float, confidence: float) -> tuple[str, ...]:
    """Caution that another seed may say otherwise whether any number of examples reaches a target.

    `reachable` is the probability with unlimited data, `error` its Monte Carlo standard error.
    """
    return (
        Caution(
            f"Whether any size reaches the target with a probability of {100 * confidence:g} % is not decided "
            f"numerically: with unlimited data the probability is {100 * reachable:.1f} %, with a Monte Carlo standard "
            f"error of {100 * error:.2f} points. Another seed may say otherwise; a finer precision may settle it.",
            "not decided whether any size suffices",
        ),
    )


def find_uninformed_cautions(sizes: FloatArray, pilot: Replicates, spread: float) -> tuple[str, ...]:
    """Caution where the pilot has said next to nothing about how far the curve will still rise.

    `spread` is the posterior standard deviation of the share, of the room above the curve, that is still to be won.
    """
    no_room = 1 - pilot.mean[-1] < NO_ROOM
    said_already = len(pilot.sizes) < 3
    if no_room or said_already or sizes.max() < 2 * pilot.sizes[-1] or spread < _UNINFORMED * _PRIOR_SPREAD:
        return ()
    return (
        Caution(
            "The pilot says little about how much further the curve will improve; far beyond it, the forecast rests "
            "on what other curves have done.",
            "says little about the limit",
        ),
    )


def find_single_run_cautions(curve: LearningCurve) -> tuple[str, ...]:
    """Caution where one score per size counts as one run, since nobody says whether it is one or a mean over several.

    Only for methods that distinguish between the two.
    """
    is_explained = curve.split is not None or curve.averaged_over is not None or curve.is_mean_of_unknown_count
    if is_explained or curve.replicates.count.max() > 1:
        return ()
    return (
        Caution(
            "Each score counts as one run.",
            "counted as single runs",
            (
                "If it is a mean over several, give their number with {}, or {} where that is not known: the interval "
                "becomes narrower.",
                "averaged_over",
                ("averaged_over", SEVERAL),
            ),
        ),
    )


_NARROWEST_FACTOR = 3
_WILD_SPREAD = 0.08
_FLAT_RISE = 0.01  # over the whole pilot
_USUAL_GAIN = 0.02  # of flat curves, far beyond the pilot
_HALF_IS_GUESSING = ("AUROC", "c-statistic", "balanced accuracy")
_NEAR_GUESSING = 0.03
_NO_CHANGE = 1e-9
_DISAGREEMENT = 6.0  # times the usual standard deviation of splits
_LEAST_SPREAD = 1e-4
_SMALL_SCORE = 0.5  # error rates worth a forecast lie below; scores seldom fall below it


def find_pilot_cautions(curve: LearningCurve) -> tuple[str, ...]:
    """Cautions from the measurements of a pilot alone."""
    checks = (
        _check_number_of_sizes,
        _check_span,
        _check_trend,
        _check_room,
        _check_noise,
        _check_guessing,
        _check_equal_scores,
        _check_odd_size,
        _check_runs_known,
        _check_mean_exists,
    )
    found = (check(curve) for check in checks)
    return tuple(caution for caution in found if caution is not None)


def _check_number_of_sizes(curve: LearningCurve) -> Caution | None:
    count = len(curve.replicates.sizes)
    if count >= 4:
        return None
    if count == 1:
        return Caution(
            "One size shows no trend: the forecast rests on what curves of this kind did from such a level.",
            "one size: no trend",
        )
    if count == 2:
        return Caution(
            "Two sizes show whether the curve improves, but not its shape: the forecast rests largely on what curves "
            "of this kind did from such a level.",
            f"only {count} sizes",
        )
    return Caution(
        f"The pilot has only {count} different sizes; it takes 4 or more to show the shape of the curve.",
        f"only {count} sizes",
    )


def _check_span(curve: LearningCurve) -> Caution | None:
    sizes = curve.replicates.sizes
    span = sizes[-1] / sizes[0]
    if span >= _NARROWEST_FACTOR or len(sizes) == 1:
        return None
    return Caution(
        f"The pilot's largest size is only {span:.3g} times its smallest; it takes a factor of {_NARROWEST_FACTOR} or "
        "more to tell a trend from chance.",
        f"sizes span only {span:.2g}x",
    )


def _check_trend(curve: LearningCurve) -> Caution | None:
    """Caution where the curve falls or does not move."""
    pilot = curve.upward.replicates
    if len(pilot.sizes) == 1:
        return None
    span = float(np.log(pilot.sizes[-1] / pilot.sizes[0]))
    slope, error = pilot.trend
    flat = slope < 2 * error and slope * span < _FLAT_RISE and error * span < _FLAT_RISE
    room = float(1 - pilot.mean[-1])
    if not curve.direction_stated and curve.direction == "higher" and _may_be_a_loss(curve, slope, error):
        what = "scores fall" if curve.metric == UNNAMED else f"{curve.metric_name} falls"
        return Caution(
            f"The {what} as the training set grows, to {curve.replicates.mean[-1]:.3g}. Is lower better?",
            "is lower better?",
            (
                ("If so, say so with {}; as it stands, the forecast assumes that higher is better."),
                ("direction", "lower"),
            ),
        )
    if slope < -1e-9 and slope < -2 * error:
        return Caution(
            "Performance falls as the training set grows. The model expects it to rise: check whether the data, the "
            "classifier or the settings changed between sizes. Of the real curves that fell, about as many kept "
            "falling as recovered, and far beyond the pilot one in five ended outside the 95 % interval.",
            "falls",
        )
    if flat and room >= NO_ROOM:
        # Gains of other flat curves are no guide where less room is left.
        others = (
            "Of the real curves that were as flat, half moved by less than 0.01 even at more than ten times the size, "
            "but about one in three rose by more than 0.02: the upper end of the interval allows for those."
        )
        left = others if room >= _USUAL_GAIN else f"Only {room:.2g} is left above it."
        if not curve.scale.straight:  # differences of such scores are no differences of scores in [0, 1]
            left = (
                "About one in three of the real curves that were as flat moved later: the better end of the interval "
                "allows for those."
            )
        return Caution(f"The pilot does not {_verb_of_improving(curve)} beyond its noise. {left}", "flat")
    return None


def _check_noise(curve: LearningCurve) -> Caution | None:
    pilot = curve.upward.replicates
    spread = pilot.spread
    if spread <= max(_WILD_SPREAD, float(np.ptp(pilot.mean))):
        return None
    differ = f"Scores at the same size differ by a standard deviation of {curve.replicates.spread:.2g}"
    if len(pilot.sizes) == 1:
        return Caution(f"{differ}. Larger test sets or more splits would narrow the forecast.", "wide scatter")
    return Caution(
        f"{differ}, more than the whole curve improves. Larger test sets or more splits would bring out the trend.",
        "noise exceeds the rise",
    )


def _check_guessing(curve: LearningCurve) -> Caution | None:
    """Caution where scores are those of guessing, for metrics where that is 0.5, or 0 between -1 and 1."""
    coefficient = curve.range == (-1.0, 1.0)
    if curve.metric != UNNAMED and curve.metric_name not in _HALF_IS_GUESSING and not coefficient:
        return None
    means = curve.upward.replicates.mean
    if np.abs(means - 0.5).max() > _NEAR_GUESSING:
        return None
    all_lie = "The mean score lies" if len(means) == 1 else "All mean scores lie"
    if coefficient:
        return Caution(
            f"{all_lie} within {2 * _NEAR_GUESSING} of 0, the score of guessing. The pilot cannot tell when "
            "the model will begin to learn.",
            "no better than guessing",
        )
    return Caution(
        f"{all_lie} within {_NEAR_GUESSING} of 0.5, the AUROC and balanced accuracy of guessing. The pilot "
        "cannot tell when the classifier will begin to learn: of the real curves with such a pilot, one in seven left "
        "its forecast far behind.",
        "no better than guessing",
    )


def _check_equal_scores(curve: LearningCurve) -> Caution | None:
    """Caution where more data changed nothing: every split scores the same, or a single one three times in a row.

    Chance does not do that. Single scores from a few hundred test cases may well be equal twice, and scores that are
    rounded to two digits as often as you like.
    """
    pilot = curve.upward.replicates
    scores = [np.sort(curve.upward.scores[curve.sizes == size]) for size in pilot.sizes]
    same = [len(a) == len(b) and bool(np.abs(a - b).max() < _NO_CHANGE) for a, b in pairwise(scores)]
    steps = 1 if pilot.count.min() > 1 else 2
    found = next((k for k in range(len(same) - steps + 1) if all(same[k : k + steps])), None)
    rounded = bool((np.abs(curve.scores * 100 - np.round(curve.scores * 100)) < 1e-6).all())
    if found is None or pilot.mean[found] >= 1 or (rounded and np.ptp(curve.scores) > 0):
        return None
    first, last = pilot.sizes[found], pilot.sizes[found + steps]
    return Caution(
        f"The scores are exactly the same from {first:,.10g} to {last:,.10g} {curve.unit_name}, as if the classifier "
        "always gave the same answer. Look at what it predicts: of the real curves with such a pilot, one in three "
        "later left the 95 % interval, most of them upwards, once the classifier began to learn.",
        "exactly equal scores",
    )


def _check_odd_size(curve: LearningCurve) -> Caution | None:
    """Caution where the splits disagree at one size as they do at no other."""
    pilot = curve.upward.replicates
    several = pilot.count > 1
    if several.sum() < 3:
        return None
    spread, sizes = pilot.std[several], pilot.sizes[several]
    usual = max(float(np.median(spread)), _LEAST_SPREAD)
    times = float(spread.max()) / usual
    if times < _DISAGREEMENT:
        return None
    return Caution(
        f"At {sizes[spread.argmax()]:,.10g} {curve.unit_name} the splits differ {format_multiple(times)} times as much "
        "as they usually do: some of the runs there failed, or succeeded, as no others did. Look at them; of the real "
        "curves with such a pilot, four in ten later left the 95 % interval.",
        "one size scatters",
    )


def _check_runs_known(curve: LearningCurve) -> Caution | None:
    """Caution where scores are means over an unknown number of runs; of several at a size, their spread is known."""
    if not curve.is_mean_of_unknown_count or (curve.score_sd is None and curve.replicates.count.max() > 1):
        return None
    known = "are means" if curve.score_sd is None else "come with standard deviations"
    return Caution(
        f"The scores {known}, but the number of runs behind each is not known: a mean of three runs is far less "
        "certain than a mean of a hundred.",
        "means of how many runs?",
        remedy=("Give the number with {}, or in a column averaged_over.", "averaged_over"),
    )


def _check_mean_exists(curve: LearningCurve) -> Caution | None:
    """Caution where forecasts of the scores have no mean."""
    if not curve.scale.logarithmic:
        return None
    return Caution(
        f"The mean of a forecast {curve.metric_name} is infinite, because very large values can never be ruled out: "
        "medians are given instead.",
        "medians, not means",
    )


def _check_room(curve: LearningCurve) -> Caution | None:
    """Caution where the curve has come to the end of its scale."""
    scores = curve.upward.scores
    room = float(1 - curve.upward.replicates.mean[-1])
    if scores.min() >= 1:
        return Caution(
            "All scores are perfect: the curve shows that they stay perfect, not what more data would bring. Look for "
            "a leak first (a feature that gives the class away, or patients in both training and test data), or test "
            "on harder cases.",
            "all perfect: a leak?",
        )
    if scores.max() >= 1:
        return Caution(
            "Some scores are perfect. At the bound, the curve cannot show where it is heading: of the real curves "
            "with such a pilot, half later left the 95 % interval.",
            "perfect scores",
        )
    if room < NO_ROOM:
        best = curve.range[1] if curve.direction == "higher" else curve.range[0]
        short = f"{abs(best - float(curve.replicates.mean[-1])):.1g} short of perfect"
        return Caution(
            f"The last score is {short}: there is next to no room for improvement. Differences this small take very "
            "large test sets to measure.",
            "nearly perfect",
        )
    return None


def _verb_of_improving(curve: LearningCurve) -> str:
    """The verb for scores that become better: in [0, 1], where error rates are turned round, they rise."""
    return "rise" if curve.scale.same or curve.direction == "higher" else "fall"


def _may_be_a_loss(curve: LearningCurve, slope: float, error: float) -> bool:
    """Whether scores fall as those of a loss do: steadily, to small values."""
    pilot = curve.replicates
    if len(pilot.sizes) < 2 or slope >= -1e-9:
        return False
    steadily = slope < -2 * error or bool((np.diff(pilot.mean) < 0).all())
    return steadily and curve.scale.same and bool(pilot.mean[-1] < _SMALL_SCORE)
