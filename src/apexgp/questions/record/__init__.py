"""How often the intervals of one's own forecasts covered what was measured later."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, ClassVar, Literal, TypedDict

from ..._answer import to_rows
from ..._check import check_text
from ...files.writing import to_json_value
from ...question_base.documents import Count, NonNegative, Probability, Size, Versioned, WithMethodsText, word_answer
from ...question_base.phrases import join_words
from ...question_base.question import Cells, Question, QuestionAnswer, build_table
from ...track_record.forecast_record import ForecastRecord
from ...track_record.reliability import LevelCoverage, Reliability

if TYPE_CHECKING:
    from .picture import ReliabilityDisplay

__all__ = ["RecordAnswer", "RecordDocument", "RecordQuestion", "say_appended", "say_reliability"]

_SPOKEN_OF = 0.8  # the level that the first sentence is about
_COVERED = {"less often": "are too narrow and covered fewer", "more often": "are wider than needed and covered more"}
_SKEWED = 0.5  # how far from one half, as a share of it, "above the median" is worth a word


@dataclass(frozen=True, kw_only=True)
class RecordQuestion(Question):
    """Show how often the intervals of recorded forecasts covered what was measured later, for some curves or all."""

    is_served: ClassVar[bool] = False

    metric: str | None = None
    task: str | None = None

    def __post_init__(self) -> None:
        for name in ("metric", "task"):
            if getattr(self, name) is not None:
                check_text(name, getattr(self, name))

    def answer(self, record: ForecastRecord) -> RecordAnswer:
        """Compare the forecasts of a record with what it says was measured later."""
        return RecordAnswer(self, record, record.reliability(metric=self.metric, task=self.task))


@dataclass(frozen=True, eq=False)
class RecordAnswer(QuestionAnswer):
    """How often intervals covered, and the record that says so."""

    question: RecordQuestion
    record: ForecastRecord
    found: Reliability

    def document(self) -> RecordDocument:
        """How often the intervals held, and each comparison."""
        found = self.found
        return {
            "schema": "urn:apexgp:record:1",
            "apexgp": version("apexgp"),
            "record": str(self.record.path),
            "metric": self.question.metric,
            "task": self.question.task,
            "curves": found.curves,
            "waiting": found.waiting,
            "known": found.known,
            "unlike": found.unlike,
            "above_median": to_json_value(found.above),
            "levels": to_rows(found.to_dict("level")),
            "comparisons": to_rows(found.to_dict("forecast")),
            **word_answer(say_reliability(found), write_reliability_methods(found), found.cautions, ("harvey",)),
        }

    def table(self) -> Cells:
        """One row per level."""
        return build_table(self.found)

    def display(self) -> ReliabilityDisplay:
        """The picture by matplotlib."""
        from .picture import ReliabilityDisplay

        return ReliabilityDisplay.from_reliability(self.found).plot()


class LevelRow(TypedDict):
    """How often intervals of one level covered the later score."""

    level: Probability
    covered: Count
    """Number of later scores inside the interval."""
    compared: Count
    share: Probability | None
    """Share of later scores inside the interval; null where nothing was compared."""
    lower: Probability
    """Lower end of the 95 % confidence interval of that share, with one observation per curve."""
    upper: Probability


class ComparedRow(TypedDict):
    """A forecast at one size, and the score that was measured there later."""

    name: str | None
    """Name under which the curve was recorded."""
    task: str | None
    metric: str
    unit: str
    """What a size counts."""
    date: str
    """When the forecast was recorded."""
    size: Size
    times: NonNegative
    """The size as a multiple of the pilot's largest."""
    n_splits: Count
    """Number of scores whose mean is compared."""
    measured: float
    """That mean."""
    median: float
    """Median of the forecast."""
    lower_80: float
    upper_80: float
    lower_95: float
    upper_95: float
    pit: Probability
    """Share of the forecast below what was measured."""
    covered_50: bool
    """Whether the 50 % interval covers what was measured."""
    covered_80: bool
    covered_90: bool
    covered_95: bool


class RecordDocument(Versioned, WithMethodsText):
    """`apexgp record --json`."""

    schema: Literal["urn:apexgp:record:1"]
    record: str
    """The file."""
    metric: str | None
    """The metric that was asked about; null for all."""
    task: str | None
    """The task that was asked about; null for all."""
    curves: Count
    """Number of curves with forecasts that could be compared."""
    waiting: Count
    """Forecasts at sizes that have not been measured yet."""
    known: Count
    """Forecasts that do not count: the size had been measured before, or is no larger than the pilot."""
    unlike: Count
    """Forecasts that what was measured cannot be compared with."""
    above_median: Probability | None
    """Share of later scores above the median forecast."""
    levels: list[LevelRow]
    comparisons: list[ComparedRow]


def say_appended(path: object, lines: int, what: str) -> str:
    """Say what was appended to a record."""
    if not lines:
        return f"{path} already has {what}: nothing was appended."
    return f"Recorded {what} in {path}."


def say_reliability(found: Reliability) -> str:
    """How often 80 % intervals covered, whether that is as often as they should, and what is still to come."""
    if not found.comparisons:
        return f"Nothing can be compared yet. {_say_rest(found)}".strip()
    (row,) = [row for row in found.levels if row.level == _SPOKEN_OF]
    return " ".join(
        part
        for part in (f"{_say_covered(row, found)} {_say_verdict(found)}", _say_side(found), _say_rest(found))
        if part
    )


def _say_covered(row: LevelCoverage, found: Reliability) -> str:
    curves, metrics = found.curves, sorted({one.metric for one in found.comparisons})
    scores = f"{row.compared:,} later score{'s' if row.compared > 1 else ''}"
    pooled = f" ({join_words(metrics)})" if len(metrics) > 1 else ""
    of = f"{scores} on {curves:,} curve{'s' if curves > 1 else ''}{pooled}"
    between = f"{100 * row.lower:.0f} to {100 * row.upper:.0f} %"
    return (
        f"{100 * row.level:g} % intervals covered {row.covered:,} of {of}: {100 * row.share:.0f} % (95 % confidence "
        f"interval {between})."
    )


def _say_verdict(found: Reliability) -> str:
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
            said.append(f"Intervals of {join_words(levels)} {words} scores than they should.")
    return " ".join(said)


def _say_side(found: Reliability) -> str:
    """Whether forecasts tend to one side."""
    if not found.is_enough or abs(found.above - 0.5) < _SKEWED / 2:
        return ""
    return f"{100 * found.above:.0f} % of the later scores were above the median forecast, where half should be."


def _say_rest(found: Reliability) -> str:
    said = []
    if found.waiting:
        said.append(f"{found.waiting:,} forecast{_s(found.waiting)} still to be measured")
    if found.known:
        said.append(
            f"{found.known:,} not counted, because the size had been measured before or is no larger than the pilot"
        )
    return f"{join_words(said)[0].upper()}{join_words(said)[1:]}." if said else ""


def _s(count: int) -> str:
    return "s are" if count > 1 else " is"


def write_reliability_methods(found: Reliability) -> str:
    """Paragraph for the methods section of a paper."""
    if not found.comparisons:
        return f"Forecasts were recorded with apexgp {version('apexgp')}; none could be compared with later scores yet."
    shares = join_words(
        [
            f"{100 * row.share:.0f} % at {100 * row.level:g} % ({100 * row.lower:.0f} to {100 * row.upper:.0f} %)"
            for row in found.levels
        ]
    )
    metrics = join_words(sorted({one.metric for one in found.comparisons}))
    count = len(found.comparisons)
    return (
        f"Forecasts were recorded with apexgp {version('apexgp')} before the sizes that they are about were measured. "
        f"{count:,} later score{'s' if count > 1 else ''} ({metrics}) on {found.curves:,} learning "
        f"curve{'s' if found.curves > 1 else ''} {'were' if count > 1 else 'was'} compared with the predictive "
        f"intervals; coverage was {shares}; in brackets, Wilson's 95 % confidence interval with one observation per "
        "curve."
    )
