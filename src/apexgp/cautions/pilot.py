"""Cautions that the measurements of a pilot call for: one check each."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .._numbers import format_multiple
from ..curve import LearningCurve
from ..reading.known_metrics import UNNAMED
from .caution import NO_ROOM, Caution

__all__ = ["find_pilot_cautions"]

_NARROWEST_FACTOR = 3
_WILD_SPREAD = 0.08
_FLAT_RISE = 0.01  # over the whole pilot
_OFTEN_WON = 0.02  # by flat curves, far beyond the pilot
_HALF_IS_GUESSING = ("AUROC", "c-statistic", "balanced accuracy")
_NEAR_GUESSING = 0.03
_NO_CHANGE = 1e-9
_DISAGREEMENT = 6.0  # times the usual standard deviation of splits
_LEAST_SPREAD = 1e-4
_JUMPY = 0.01  # standard deviation around a smooth curve
_SMALL_SCORE = 0.5  # error rates that are worth a forecast are below; scores that are seldom fall to it


def find_pilot_cautions(curve: LearningCurve) -> tuple[str, ...]:
    """Cautions that the measurements alone call for."""
    checks = (
        _check_number_of_sizes,
        _check_span,
        _check_trend,
        _check_room,
        _check_noise,
        _check_guessing,
        _check_equal_scores,
        _check_odd_size,
        _check_single_run,
        _check_runs_known,
        _check_mean_exists,
    )
    found = (check(curve) for check in checks)
    return tuple(caution for caution in found if caution is not None)


def _check_number_of_sizes(curve: LearningCurve) -> Caution | None:
    count = len(curve.replicates.sizes)
    if count >= 4:
        return None
    return Caution(
        f"The pilot has only {count} different sizes; it takes 4 or more to show the shape of the curve.",
        f"only {count} sizes",
    )


def _check_span(curve: LearningCurve) -> Caution | None:
    sizes = curve.replicates.sizes
    span = sizes[-1] / sizes[0]
    if span >= _NARROWEST_FACTOR:
        return None
    return Caution(
        f"The pilot's largest size is only {span:.3g} times its smallest; it takes a factor of {_NARROWEST_FACTOR} or "
        "more to tell a trend from chance.",
        f"sizes span only {span:.2g}x",
    )


def _check_trend(curve: LearningCurve) -> Caution | None:
    """Whether the curve falls or does not move."""
    pilot = curve.upward.replicates
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
        # What flat curves elsewhere have won is nothing to go by where less is left to win.
        others = (
            "Of the real curves that were as flat, half moved by less than 0.01 even at more than ten times the size, "
            "but about one in three rose by more than 0.02: the upper end of the interval allows for those."
        )
        left = others if room >= _OFTEN_WON else f"Only {room:.2g} is left above it."
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
    spread = curve.replicates.spread
    return Caution(
        f"Scores at the same size differ by a standard deviation of {spread:.2g}, more than the whole curve improves. "
        "Larger test sets or more splits would bring out the trend.",
        "noise exceeds the rise",
    )


def _check_guessing(curve: LearningCurve) -> Caution | None:
    """Whether nothing has been learnt yet, by metrics of which one half, or 0 between -1 and 1, is guessing."""
    coefficient = curve.range == (-1.0, 1.0)
    if curve.metric != UNNAMED and curve.metric_name not in _HALF_IS_GUESSING and not coefficient:
        return None
    if np.abs(curve.upward.replicates.mean - 0.5).max() > _NEAR_GUESSING:
        return None
    if coefficient:
        return Caution(
            f"All mean scores lie within {2 * _NEAR_GUESSING} of 0, the score of guessing. The pilot cannot tell when "
            "the model will begin to learn.",
            "no better than guessing",
        )
    return Caution(
        f"All mean scores lie within {_NEAR_GUESSING} of 0.5, the AUROC and balanced accuracy of guessing. The pilot "
        "cannot tell when the classifier will begin to learn: of the real curves with such a pilot, one in seven left "
        "its forecast far behind.",
        "no better than guessing",
    )


def _check_equal_scores(curve: LearningCurve) -> Caution | None:
    """Whether more data changed nothing at all: every split scores the same, or a single one three times in a row.

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
    """Whether the splits disagree at one size as they do at no other."""
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


def _check_single_run(curve: LearningCurve) -> Caution | None:
    """Whether single scores without labels jump about as those of one run do, and means over splits do not."""
    pilot = curve.upward.replicates
    if curve.split is not None or pilot.count.max() > 1 or len(pilot.sizes) < 5 or (curve.averaged_over or 1) > 1:
        return None
    x = np.log(pilot.sizes)
    bend = np.polynomial.Polynomial.fit(x, pilot.mean, 2)(x) - pilot.mean
    if np.sqrt(bend @ bend / (len(x) - 3)) < _JUMPY:
        return None
    return Caution(
        "There is one score per size, with no split label, and the scores jump about. If they all come from one "
        "split, say so: give them the same label (split). The luck of a split runs along the whole curve, and without "
        "the label the 95 % intervals of such pilots covered only four in five of the later scores. Better still, run "
        "more splits.",
        "one run without a label?",
    )


def _check_runs_known(curve: LearningCurve) -> Caution | None:
    """Whether scores have a spread, and nobody has said of how many runs."""
    if curve.score_sd is None or curve.averaged_over is not None:
        return None
    return Caution(
        "The scores come with standard deviations, but not with the number of runs behind each: a mean of three runs "
        "is far less certain than a mean of a hundred.",
        "means of how many runs?",
        remedy=("Give the number with {}, or in a column averaged_over.", "averaged_over"),
    )


def _check_mean_exists(curve: LearningCurve) -> Caution | None:
    """Whether forecasts of the scores have no mean."""
    if not curve.scale.logarithmic:
        return None
    return Caution(
        f"The mean of a forecast {curve.metric_name} is infinite, because very large values can never be ruled out: "
        "medians are given instead.",
        "medians, not means",
    )


def _check_room(curve: LearningCurve) -> Caution | None:
    """Whether the curve has come to the end of its scale."""
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
    """What scores do that become better; of [0, 1], where error rates are turned round, they rise."""
    return "rise" if curve.scale.same or curve.direction == "higher" else "fall"


def _may_be_a_loss(curve: LearningCurve, slope: float, error: float) -> bool:
    """Whether scores fall as those of a loss do: steadily, to small values."""
    pilot = curve.replicates
    if len(pilot.sizes) < 2 or slope >= -1e-9:
        return False
    steadily = slope < -2 * error or bool((np.diff(pilot.mean) < 0).all())
    return steadily and curve.scale.same and bool(pilot.mean[-1] < _SMALL_SCORE)
