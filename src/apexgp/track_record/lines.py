"""Lines of a record, forecasts and measured scores, each with a checksum; and the curves that they add up to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime
from importlib.metadata import version
from typing import Any, NamedTuple, get_args

import numpy as np

from .._check import (
    DAMAGED,
    UNUSABLE,
    FloatArray,
    check_choice,
    check_instance,
    check_real_array,
    check_sizes,
    check_text,
    format_value,
)
from ..curve import LearningCurve
from ..errors import ApexError, DataError, RequestError
from ..estimators import CurveEstimator
from ..estimators.contract import check_is_fitted
from ..estimators.saving import curve_to_json, setting_to_json
from ..files.writing import to_json_value
from ..forecast import Forecast, Quantity
from ..model.beliefs import compute_checksum
from ..reading.files import one_line
from ..reading.names import PROBLEM_COUNTS
from ..reading.score_details import BY_SCORE, SEVERAL

__all__ = [
    "JUDGED_LEVELS",
    "CurveIdentity",
    "Day",
    "ForecastLine",
    "RecordLine",
    "adds_nothing",
    "check_measurable",
    "group_by_identity",
    "interval_shares",
    "merge_curves",
    "parse_line",
]

JUDGED_LEVELS = (0.5, 0.8, 0.9, 0.95)
"""Nominal levels of the intervals that are judged."""
_SHARES = np.unique(np.r_[0.005, 0.025, np.linspace(0.05, 0.95, 19), 0.975, 0.995].round(3))
"""Shares of a forecast below each quantile that is kept: the ends of those intervals, and enough for a PIT."""
Day = str | date | None
"""When something was recorded; None: now."""
_FORMAT = "apexgp-record"
_DIGITS = 12  # of a quantile: differences between machines make no other forecast


class CurveIdentity(NamedTuple):
    """The attributes by which curves are matched: two curves with the same identity are the same curve."""

    name: str | None
    task: str | None
    metric: str
    unit: str

    def __str__(self) -> str:
        return f"{self.title} ({self.metric if self.unit == 'examples' else f'{self.metric}, {self.unit}'})"

    @property
    def title(self) -> str:
        """Name and task, or whichever there is."""
        return ", ".join(part for part in (self.name, self.task) if part is not None)


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordLine:
    """A line of measured scores, and the base of all lines."""

    name: str | None
    curve: LearningCurve
    date: str
    version: str

    @classmethod
    def from_curve(cls, curve: LearningCurve, name: str | None = None, day: Day = None) -> RecordLine:
        """Make the line of a curve as measured so far."""
        check_instance("curves", curve, LearningCurve, "LearningCurves")
        return cls(**_describe_curve(curve, name, day))

    @property
    def identity(self) -> CurveIdentity:
        """Name, task, metric and unit of the curve."""
        return CurveIdentity(self.name, self.curve.task, self.curve.metric_name, self.curve.unit_name)

    def to_content(self) -> dict[str, Any]:
        """All but the day and the version: lines with the same content are the same."""
        return {"kind": "measured", "name": self.name, "curve": curve_to_json(self.curve)}

    def as_text(self) -> str:
        """The line as JSON, with its newline."""
        written = {"format": _FORMAT, "date": self.date, "apexgp": self.version, **to_json_value(self.to_content())}
        return json.dumps({**written, "checksum": _hash_line(written)}, allow_nan=False) + "\n"


@dataclass(frozen=True, eq=False, kw_only=True)
class ForecastLine(RecordLine):
    """A line with the forecast from a pilot, as quantiles: rows run over their shares, columns over the sizes.

    `single` holds the quantiles for one new split, where the forecast is of a mean over several.
    """

    of: Quantity
    n_splits: int | None
    sizes: FloatArray
    shares: FloatArray
    quantiles: FloatArray
    single: FloatArray | None
    method: str
    settings: Mapping[str, Any]
    priors: Mapping[str, Any]

    @classmethod
    def from_model(
        cls,
        model: CurveEstimator,
        sizes: Any,
        of: Quantity = "new_splits",
        name: str | None = None,
        day: Day = None,
    ) -> ForecastLine:
        """Make the line of a fitted model's forecast at larger sizes."""
        check_instance("model", model, CurveEstimator, "a fitted model, such as apexgp.APExGP().fit(curve)")
        check_is_fitted(model)
        check_measurable(of)
        curve = model.curve_
        about = _describe_curve(curve, name, day)
        at = np.unique(check_sizes("sizes", sizes))
        if of == "same_splits" and curve.split is None:
            of = "new_splits"  # no splits to continue
        n_splits = max(1, int(np.median(curve.replicates.count))) if of == "new_splits" else None
        settings = {
            key: setting_to_json(value) for key, value in model.get_params(deep=False).items() if key != "priors"
        }
        return cls(
            **about,
            of=of,
            n_splits=n_splits,
            sizes=at,
            shares=_SHARES,
            quantiles=_round_quantiles(model.forecast(at, of, n_splits)),
            single=None if n_splits in (None, 1) else _round_quantiles(model.forecast(at, of, 1)),
            method=type(model).__name__,
            settings=settings,
            priors=_describe_priors(model),
        )

    def to_content(self) -> dict[str, Any]:
        """All but the day and the version: lines with the same content are the same."""
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _OF_EVERY_LINE}
        return {**super().to_content(), "kind": "forecast", **own}

    def identify_at(self, size: float) -> str:
        """A text that identifies the forecast at one size, whatever other sizes the line holds."""
        at = self.sizes == size
        own = {name: getattr(self, name) for name in ("of", "n_splits", "method", "settings", "priors")}
        return json.dumps(to_json_value([super().to_content(), size, self.quantiles[:, at], own]), sort_keys=True)


_OF_EVERY_LINE = {field.name for field in fields(RecordLine)}


def check_measurable(of: str) -> None:
    """Refuse to record what no measurement can be compared with."""
    if check_choice("of", of, get_args(Quantity)) == "expected":
        raise RequestError(
            "cannot be 'expected' in a record: the true expected score is never measured, so nothing could be compared "
            "with it later.",
            argument="of",
            remedy=("Give {} or {}.", ("of", "new_splits"), ("of", "same_splits")),
        )


def parse_line(raw: str, where: str) -> RecordLine:
    """Parse one line; `where` names the file and the line in errors."""
    try:
        content = json.loads(raw) if raw.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        raise DataError(
            f"{where} is damaged or cut off in the middle. Restore it from a copy of the file, or delete that line."
        ) from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise DataError(f"{where} is not a line of a record that apexgp has written. Name another file.")
    if content.pop("checksum", None) != _hash_line(content):
        raise DataError(
            f"{where} was edited after it was written: its checksum does not match, so it no longer says what was "
            "forecast or measured. Restore it from a copy of the file, or delete that line."
        )
    try:
        about = {
            "name": content["name"],
            "curve": LearningCurve(**content["curve"]),
            "date": content["date"],
            "version": content["apexgp"],
        }
        return RecordLine(**about) if content["kind"] == "measured" else _parse_forecast(content, about)
    except (*DAMAGED, ApexError) as problem:
        message = one_line(f"{type(problem).__name__}: {problem}", 300).rstrip(".")
        raise DataError(f"{where} is from another version of apexgp, or damaged: {message}.") from None


def _parse_forecast(content: Mapping[str, Any], about: Mapping[str, Any]) -> ForecastLine:
    own = {field.name: content[field.name] for field in fields(ForecastLine) if field.name not in _OF_EVERY_LINE}
    for name in ("sizes", "shares", "quantiles", "single"):
        own[name] = None if own[name] is None else check_real_array(name, own[name])
    ends, shape = (
        [end for level in JUDGED_LEVELS for end in interval_shares(level)],
        (len(own["shares"]), len(own["sizes"])),
    )
    kept = [own[name] for name in ("quantiles", "single") if own[name] is not None]
    if not np.isin(ends, own["shares"]).all() or any(values.shape != shape for values in kept):
        raise ValueError("its quantiles are not those of its sizes")
    return ForecastLine(**about, **own)


def interval_shares(level: float) -> tuple[float, float]:
    """Probabilities below the ends of the interval of that level."""
    return round((1 - level) / 2, 3), round((1 + level) / 2, 3)


def _describe_curve(curve: LearningCurve, name: str | None, day: Day) -> dict[str, Any]:
    name = None if name is None else check_text("name", name)
    if name is None and curve.task is None:
        raise RequestError(
            "must be given: forecasts and later scores are matched by it, and this curve has no task either.",
            argument="name",
        )
    return {"name": name, "curve": curve, "date": _format_day(day), "version": version("apexgp")}


def _format_day(day: Day) -> str:
    if day is None:
        return datetime.now(UTC).isoformat(timespec="seconds")
    try:
        return (datetime.fromisoformat(day) if isinstance(day, str) else day).isoformat()
    except (*UNUSABLE, AttributeError):
        raise RequestError(f"must be a date such as 2026-11-17, got {format_value(day)}.", argument="date") from None


def _round_quantiles(forecast: Forecast) -> FloatArray:
    found = forecast.quantile(_SHARES)
    return np.array([float(f"{value:.{_DIGITS}g}") for value in found.ravel()]).reshape(found.shape)


def _describe_priors(model: CurveEstimator) -> dict[str, Any]:
    """Describe a model's priors: their name, and the checksum of their numbers."""
    beliefs, stated = getattr(model, "priors_", None), model.get_params(deep=False).get("priors")
    learnt = None if beliefs is None else beliefs.learnt
    name = f"learnt from {learnt.curves} curves" if learnt else stated if isinstance(stated, str) else "own"
    return {"name": name, "checksum": None if beliefs is None else compute_checksum(beliefs)}


def _hash_line(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def group_by_identity(lines: Sequence[RecordLine]) -> dict[CurveIdentity, list[int]]:
    """Group the indices of lines by the identity of their curve; lines that contradict each other are refused."""
    found: dict[CurveIdentity, list[int]] = {}
    for i, line in enumerate(lines):
        places = found.setdefault(line.identity, [])
        places.append(i)
        first, own = lines[places[0]].curve, line.curve
        if (first.direction, first.range) != (own.direction, own.range):
            raise DataError(
                f"{line.identity} has scores with direction={own.direction!r} and range={own.range} in one line, but "
                f"direction={first.direction!r} and range={first.range} in an earlier one. Record the curve under "
                "another name."
            )
    return found


def merge_curves(curves: Iterable[LearningCurve]) -> LearningCurve:
    """Merge curves into one; a size that was measured again has the scores that came last."""
    latest: dict[float, LearningCurve] = {}
    for curve in curves:
        latest |= dict.fromkeys(np.unique(curve.sizes).tolist(), curve)
    parts = [curve._rows(curve.sizes == size) for size, curve in sorted(latest.items(), key=lambda item: item[0])]
    joined: dict[str, Any] = {}
    for name in ("sizes", "scores", *BY_SCORE):
        values = [np.full(len(part), np.nan) if getattr(part, name) is None else getattr(part, name) for part in parts]
        joined[name] = np.concatenate(values)  # the curve drops details that are known of no score
    # Labels are kept only where all parts have them: otherwise it is unknown which split a score continues.
    labels = [None if part.split is None else part.split.tolist() for part in parts]
    joined["split"] = None if None in labels else [label for own in labels for label in own or ()]
    averages = {part.averaged_over for part in parts}
    # A curve has one number of runs: of different ones it is only known that there are several, if no part is one run.
    mixed = None if averages & {None, 1} else SEVERAL
    joined["averaged_over"] = averages.pop() if len(averages) == 1 else mixed
    for name in PROBLEM_COUNTS:
        known = {getattr(part, name) for part in parts} - {None}
        joined[name] = known.pop() if len(known) == 1 else None
    return replace(parts[-1], **joined)


def adds_nothing(curve: LearningCurve, known: LearningCurve) -> bool:
    """Whether all rows of a curve are in the known one already."""
    known_rows = _collect_rows_by_size(known)
    return all(known_rows.get(size) == rows for size, rows in _collect_rows_by_size(curve).items())


def _collect_rows_by_size(curve: LearningCurve) -> Mapping[float, list[tuple[str, ...]]]:
    columns = [getattr(curve, name) for name in ("scores", "split", *BY_SCORE)]
    known = [values.tolist() for values in columns if values is not None]
    found: dict[float, list[tuple[str, ...]]] = {}
    for size, *row in zip(curve.sizes.tolist(), *known, strict=True):
        found.setdefault(size, []).append(tuple(map(repr, row)))
    return found
