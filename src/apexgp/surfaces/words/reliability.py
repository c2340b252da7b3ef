"""How often the intervals of one's own forecasts covered what came, in words."""

from __future__ import annotations

from importlib.metadata import version

from ...track_record.reliability import LevelCoverage, Reliability
from .phrases import listed

__all__ = ["appended_line", "reliability_methods", "reliability_sentence"]

_SPOKEN_OF = 0.8  # the level that the first sentence is about
_COVERED = {"less often": "are too narrow and covered fewer", "more often": "are wider than needed and covered more"}
_SKEWED = 0.5  # how far from one half, as a share of it, "above the median" is worth a word


def appended_line(path: object, lines: int, what: str) -> str:
    """What became of a record."""
    if not lines:
        return f"{path} already has {what}: nothing was appended."
    return f"Recorded {what} in {path}."


def reliability_sentence(found: Reliability) -> str:
    """How often 80 % intervals covered, whether that is as often as they should, and what is still to come."""
    if not found.comparisons:
        return f"Nothing can be compared yet. {_rest(found)}".strip()
    (row,) = [row for row in found.levels if row.level == _SPOKEN_OF]
    return " ".join(part for part in (f"{_covered(row, found)} {_verdict(found)}", _side(found), _rest(found)) if part)


def _covered(row: LevelCoverage, found: Reliability) -> str:
    curves, metrics = found.curves, sorted({one.metric for one in found.comparisons})
    scores = f"{row.compared:,} later score{'s' if row.compared > 1 else ''}"
    pooled = f" ({listed(metrics)})" if len(metrics) > 1 else ""
    of = f"{scores} on {curves:,} curve{'s' if curves > 1 else ''}{pooled}"
    between = f"{100 * row.lower:.0f} to {100 * row.upper:.0f} %"
    return (
        f"{100 * row.level:g} % intervals covered {row.covered:,} of {of}: {100 * row.share:.0f} % (95 % confidence "
        f"interval {between})."
    )


def _verdict(found: Reliability) -> str:
    """Whether intervals are too narrow or too wide, if so much can be told."""
    off = [row for row in found.levels if row.verdict != "as often"]
    if not found.is_enough:
        return "Whether that is as often as it should be cannot be decided yet."
    if not off:
        return "No level is off by more than chance explains."
    said = []
    for verdict, words in _COVERED.items():
        levels = [f"{100 * row.level:g} %" for row in off if row.verdict == verdict]
        if levels:
            said.append(f"Intervals of {listed(levels)} {words} scores than they should.")
    return " ".join(said)


def _side(found: Reliability) -> str:
    """Whether forecasts tend to one side."""
    if not found.is_enough or abs(found.above - 0.5) < _SKEWED / 2:
        return ""
    return f"{100 * found.above:.0f} % of the later scores were above the median forecast, where half should be."


def _rest(found: Reliability) -> str:
    said = []
    if found.waiting:
        said.append(f"{found.waiting:,} forecast{_s(found.waiting)} still to be measured")
    if found.known:
        said.append(
            f"{found.known:,} not counted, because the size had been measured before or is no larger than the pilot"
        )
    return f"{listed(said)[0].upper()}{listed(said)[1:]}." if said else ""


def _s(count: int) -> str:
    return "s are" if count > 1 else " is"


def reliability_methods(found: Reliability) -> str:
    """Paragraph for the methods section of a paper."""
    if not found.comparisons:
        return f"Forecasts were recorded with apexgp {version('apexgp')}; none could be compared with later scores yet."
    shares = listed(
        [
            f"{100 * row.share:.0f} % at {100 * row.level:g} % ({100 * row.lower:.0f} to {100 * row.upper:.0f} %)"
            for row in found.levels
        ]
    )
    metrics = listed(sorted({one.metric for one in found.comparisons}))
    count = len(found.comparisons)
    return (
        f"Forecasts were recorded with apexgp {version('apexgp')} before the sizes that they are about were measured. "
        f"{count:,} later score{'s' if count > 1 else ''} ({metrics}) on {found.curves:,} learning "
        f"curve{'s' if found.curves > 1 else ''} {'were' if count > 1 else 'was'} compared with the predictive "
        f"intervals; coverage was {shares}; in brackets, Wilson's 95 % confidence interval with one observation per "
        "curve."
    )
