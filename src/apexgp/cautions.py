"""Reasons to doubt a forecast, in words that a reader of the numbers understands: all of them.

First what a caution is, then those that come with a question (how far from the pilot it reaches, and what the pilot
says of it), then those that the measurements of the pilot call for, one check each.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

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
    "FEWEST_CURVES",
    "MOVED",
    "NO_ROOM",
    "ODD_PILOTS",
    "Caution",
    "FollowedCurves",
    "drop_remedy",
    "find_first_pilot_cautions",
    "find_forecast_cautions",
    "find_inexact_cautions",
    "find_learnt_elsewhere_cautions",
    "find_pilot_cautions",
    "find_single_run_cautions",
    "find_undecided_cautions",
    "find_uninformed_cautions",
    "load_followed_curves",
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


MOVED = 0.02
"""Change of a score beyond which a real curve counts as having risen or fallen after its pilot."""
FALLS, FLAT, GUESSING = "falls", "flat", "no better than guessing"
EQUAL, SCATTERS, PERFECT = "exactly equal scores", "one size scatters", "perfect scores"
ODD_PILOTS = (FALLS, FLAT, GUESSING, EQUAL, SCATTERS, PERFECT)
"""Kinds of pilot that real curves were followed for, by the short form of their caution."""
FEWEST_CURVES = 20
"""Real curves with such a pilot below which no share of them is quoted."""


class FollowedCurves(NamedTuple):
    """Real curves with an odd pilot, and what they did after it, in per cent. A curve's pilots are averaged first."""

    curves: int
    rose: float
    """Had risen by more than `MOVED` at the largest size that was measured."""
    fell: float
    """Had fallen by more."""
    inside: float
    """Share of the later scores that lie inside the default method's 95 % interval."""


@cache
def load_followed_curves() -> dict[str, FollowedCurves]:
    """Real curves by the kind of their pilot; `benchmarks/odd_pilots.py --record` writes the file."""
    text = files(__package__).joinpath("odd_pilots.csv").read_text(encoding="utf-8")
    return {
        row["pilots"]: FollowedCurves(int(row["curves"]), *(float(row[name]) for name in FollowedCurves._fields[1:]))
        for row in csv.DictReader(text.splitlines())
    }


def _quote_real_curves(kind: str) -> str:
    """A space, and a sentence on what real curves with such a pilot did; empty where they are too few."""
    found = load_followed_curves().get(kind)
    if found is None or found.curves < FEWEST_CURVES:
        return ""
    return (
        f" Of {found.curves:,} real curves of AUROC or accuracy with such a pilot, {found.rose:.0f} % had risen by "
        f"more than {MOVED} at their largest size and {found.fell:.0f} % had fallen by as much; {found.inside:.0f} % "
        "of their later scores lay inside the default method's 95 % interval."
    )


_NARROWEST_FACTOR = 3
_WILD_SPREAD = 0.08
_FLAT_RISE = 0.01  # over the whole pilot
_COEFFICIENT = (-1.0, 1.0)  # range of coefficients, which are 0 for guesses
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
            f"classifier or the settings changed between sizes.{_quote_real_curves(FALLS)}",
            FALLS,
        )
    if flat and room >= NO_ROOM:
        # Gains of other flat curves are no guide where less room is left.
        left = _quote_real_curves(FLAT) if room >= MOVED else f" Only {room:.2g} is left above it."
        return Caution(f"The pilot does not {_verb_of_improving(curve)} beyond its noise.{left}", FLAT)
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
    """Caution where no mean score is better than guessing: by next to nothing, or by no more than its noise."""
    found = _find_guessing_score(curve)
    if found is None:
        return None
    guessing, condition = found
    pilot = curve.upward.replicates
    slope, error = pilot.trend
    noise = np.zeros(len(pilot.sizes)) if slope > 2 * error else _estimate_errors_of_means(pilot)
    margin = np.maximum(2 * noise, _NEAR_GUESSING)
    if (pilot.mean > guessing + margin).any() or (condition and (pilot.mean < guessing - margin).any()):
        return None
    low, high = curve.range if curve.range == _COEFFICIENT else (0.0, 1.0)
    shown, best, at = low + (high - low) * guessing, int(pilot.mean.argmax()), curve.replicates.mean
    text = f"The best mean {curve.metric_name} is {at[best]:.3g}, and guessing gives {shown:.3g}{condition}."
    if pilot.mean[best] > guessing + _NEAR_GUESSING:
        text = (
            f"The best mean {curve.metric_name}, {at[best]:.3g}, has a standard error of "
            f"{(high - low) * noise[best]:.2g}, so it may be that of guessing, {shown:.3g}{condition}."
        )
    if pilot.mean[-1] < guessing - margin[-1]:
        text += f" The last, {at[-1]:.3g}, is worse than guessing: look for labels or scores that are turned round."
    return Caution(
        f"{text} The pilot cannot tell when the model will begin to learn.{_quote_real_curves(GUESSING)}", GUESSING
    )


def _find_guessing_score(curve: LearningCurve) -> tuple[float, str] | None:
    """The score of guessing in [0, 1], and in words on what condition; None where it is not known."""
    name = curve.metric_name
    if curve.range == _COEFFICIENT or "AUROC" in name or name == "c-statistic":
        return 0.5, ""
    if name == "balanced accuracy":
        return (0.5, " with two classes") if curve.n_classes is None else (1 / curve.n_classes, "")
    return (0.5, " if it is an AUROC or a balanced accuracy") if curve.metric == UNNAMED else None


def _estimate_errors_of_means(pilot: Replicates) -> FloatArray:
    """Standard error of the mean score at each size: from the splits, or else from the scatter around a line."""
    if pilot.spread > 0:
        return np.asarray(pilot.spread / np.sqrt(pilot.count))
    known = len(pilot.sizes) > 2 and pilot.count.max() == 1
    around = pilot.trend[1] * float(np.log(pilot.sizes).std() * np.sqrt(len(pilot.sizes))) if known else 0.0
    return np.full(len(pilot.sizes), around)


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
        f"always gave the same answer. Look at what it predicts.{_quote_real_curves(EQUAL)}",
        EQUAL,
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
        "as they usually do: some of the runs there failed, or succeeded, as no others did. Look at them."
        f"{_quote_real_curves(SCATTERS)}",
        SCATTERS,
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
            "Some scores are perfect. At the bound, the curve cannot show where it is heading."
            f"{_quote_real_curves(PERFECT)}",
            PERFECT,
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
