"""The required size under other reasonable assumptions: its range, and what moves it most.

`benchmarks/required_sizes.py` measures how often the size that later proved sufficient lies between the one that the
model holds sufficient with a probability of 10 % and the upper end of this range.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict

from ..._answer import Answer, ColumnData, SummaryTable
from ..._check import check_instance
from ..._numbers import format_chance, round_down, round_up
from ...errors import ApexError
from ...estimators import BREAKDOWNS, APExGP, CurveEstimator, wrap_breakdown
from ...estimators.contract import check_is_fitted
from ...files.writing import to_json_value
from ...question_base.changes import Kind, Variant, fit_group, group_variants, list_main_variants, name_change
from ...question_base.documents import Interval, NonNegative, Probability
from ...required import CONFIDENCE, RequiredSize, is_beyond_plans

__all__ = ["ChangedSize", "RequiredSizeRange", "SizeRangeFacts", "describe_size_range", "required_size_range"]


@dataclass(frozen=True)
class ChangedSize:
    """The required size with one assumption changed, or a part of the data left out."""

    name: str
    kind: Kind
    required: RequiredSize


@dataclass(frozen=True, eq=False, repr=False)
class RequiredSizeRange(Answer):
    """The required size under other reasonable assumptions.

    Attributes
    ----------
    unchanged : RequiredSize
        The model's own answer.
    changes : tuple of ChangedSize
        The answer with one thing changed at a time, smallest size first: another shape of the curve, more or less left
        to gain, the smallest size or a split left out. Those under which no number suffices come last, the lowest
        probability with unlimited data at the end.
    failed : dict
        Changes without an answer, and why.
    cautions : tuple of str
        Reasons to doubt the model's own answer.
    """

    unchanged: RequiredSize
    changes: tuple[ChangedSize, ...]
    failed: dict[str, str] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()

    @property
    def lowest(self) -> ChangedSize | None:
        """The change under which the fewest examples are needed; None where that is the model itself."""
        return self.changes[0] if self.changes and self.changes[0].required.size < self.unchanged.size else None

    @property
    def highest(self) -> ChangedSize | None:
        """The change under which the most examples are needed; None where that is the model itself."""
        return self.changes[-1] if self.changes and self.changes[-1].required.size > self.unchanged.size else None

    @property
    def interval(self) -> tuple[float, float]:
        """The smallest and the largest of the sizes; infinite where no number of examples suffices."""
        low, high = (self.unchanged if one is None else one.required for one in (self.lowest, self.highest))
        return low.size, high.size

    @property
    def rounded_interval(self) -> tuple[float, float]:
        """The interval as it is printed: rounded outward; infinite where no number is printed."""
        own, (low, high) = self.unchanged, self.interval
        down = math.inf if is_beyond_plans(low, own.largest) else round_down(low, own.digits)
        return down, math.inf if is_beyond_plans(high, own.largest) else round_up(high, own.digits)

    def _columns(self) -> ColumnData:
        every = [("unchanged", self.unchanged), *((one.name, one.required) for one in self.changes)]
        return {
            "change": [name for name, _ in every],
            "size": [required.size for _, required in every],
            "prob_reachable": [required.prob_reachable for _, required in every],
        }

    def shown(self) -> SummaryTable:
        """One row per change, smallest size first."""
        own = self.unchanged
        rows = [("unchanged", own.size_in_words, own.at_best)]
        rows += [(one.name, one.required.size_in_words, one.required.at_best) for one in self.changes]
        title = f"Examples that reach {own.target:g} with a probability of {format_chance(own.confidence)}"
        header = ("change", "examples", "unlimited data")
        failed = (f"{name}: {why}" for name, why in self.failed.items())
        return SummaryTable(f"{title}, with one thing changed at a time", header, rows, self._all_notes(*failed))

    @property
    def clause(self) -> str:
        """The range as the end of a sentence, with its comma; empty where there is nothing to add."""
        own, (low, high) = self.unchanged, self.rounded_interval
        begin = "; under other reasonable assumptions"
        why = "" if self.highest is None else name_change(self.highest.name, self.highest.kind)
        most = f"more than {own.farthest_plan}"
        if self.highest is not None and math.isinf(self.highest.required.size):
            most = "no number does" if self.highest.required.is_out_of_reach else "if any number does"
        if own.already_met:
            if not why or high <= own.largest:
                return ""
            return f"{begin} it takes up to {high:,.0f} ({why})" if math.isfinite(high) else f"{begin} {most} ({why})"
        if own.is_out_of_reach:
            if self.lowest is None or math.isinf(low):
                return ", nor does any under other reasonable assumptions"
            return f"{begin} {low:,.0f} or more do (fewest {name_change(self.lowest.name, self.lowest.kind)})"
        if self.lowest is self.highest is None or math.isinf(low):
            return ""
        if math.isfinite(high):
            return f"{begin} it takes {low:,.0f} to {high:,.0f}{f' (most {why})' if why else ''}"
        return f"{begin} it takes {low:,.0f} or more{f' ({most} {why})' if why else ''}"


def required_size_range(model: APExGP, target: float, confidence: float = CONFIDENCE) -> RequiredSizeRange:
    """How far the number of examples that reach a target moves under other reasonable assumptions.

    The same question is put to models with another shape of the curve, with priors that expect more or less to be
    gained, and to the pilot without its smallest size and without each of its splits. `sensitivity` changes more,
    and shows the forecasts as well.

    Parameters
    ----------
    model
        A fitted model.
    target, confidence
        Score to reach, and the probability with which it should be, as for `APExGP.required_size`.

    Examples
    --------
    >>> model = APExGP().fit([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81])
    >>> found = required_size_range(model, 0.83)
    >>> found.interval[0] < found.unchanged.size < found.interval[1]
    True
    """
    check_is_fitted(check_instance("model", model, APExGP, "a fitted APExGP"))
    unchanged = model.required_size(target, confidence)
    found, failed = list[ChangedSize](), dict[str, str]()
    for alike in group_variants(list_main_variants(model)):
        for variant, changed in zip(alike, fit_group(alike), strict=True):
            size = _ask(variant, changed, unchanged)
            if isinstance(size, ApexError):
                failed[variant.name] = str(size)
            else:
                found.append(size)
    by_size = sorted(found, key=lambda one: (one.required.size, -one.required.prob_reachable))
    return RequiredSizeRange(unchanged, tuple(by_size), failed, unchanged.cautions)


def _ask(variant: Variant, model: CurveEstimator | ApexError, unchanged: RequiredSize) -> ChangedSize | ApexError:
    if isinstance(model, ApexError):
        return model
    try:
        required = model._required_size_within(1, unchanged.target, unchanged.confidence, "expected")
    except BREAKDOWNS as problem:
        return wrap_breakdown(problem)
    # Of the whole pilot, whatever was left out.
    return ChangedSize(variant.name, variant.kind, replace(required, largest=unchanged.largest))


class ChangedSizeRow(TypedDict):
    """The required size with one thing changed."""

    name: str
    kind: Literal["prior", "curve", "data"]
    size: NonNegative | None
    """The required size; null is infinite."""
    prob_reachable: Probability


class SizeRangeFacts(TypedDict):
    """The required size under other reasonable assumptions; null is infinite."""

    interval: Interval
    """The smallest and the largest size."""
    rounded_interval: Interval
    """The interval as sentences print it, rounded outward; null where they print no number."""
    lowest: str | None
    """The change under which the fewest examples are needed; null where it is the model itself."""
    highest: str | None
    """The change under which the most are needed; null where it is the model itself."""
    changes: list[ChangedSizeRow]
    """Smallest size first."""
    failed: dict[str, str]
    """Changes without an answer, and why."""


def describe_size_range(found: RequiredSizeRange) -> SizeRangeFacts:
    """The range of a required size as the object of a document."""
    facts: SizeRangeFacts = to_json_value(
        {
            "interval": found.interval,
            "rounded_interval": found.rounded_interval,
            "lowest": None if found.lowest is None else found.lowest.name,
            "highest": None if found.highest is None else found.highest.name,
            "changes": [
                {"name": one.name, "kind": one.kind, "size": one.required.size}
                | {"prob_reachable": one.required.prob_reachable}
                for one in found.changes
            ],
            "failed": found.failed,
        }
    )
    return facts
