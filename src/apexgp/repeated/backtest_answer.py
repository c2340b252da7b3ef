"""What a backtest found: figures of each method, pooled, by curve, and by size held out."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from .._answer import Answer, ColumnData, SummaryTable, to_data_frame, to_json_columns
from .._check import check_choice
from ..files.writing import write_text
from ..metrics import RESOLUTION
from ..reading.spreadsheets import as_csv

__all__ = ["Backtest", "HeldOut", "MethodScore"]

_ENOUGH = 5  # comparisons from which on it is not mere luck who comes out best

# Figures of a method: name of the attribute, name in a table, format.
_FIGURES = (
    ("error", "error", ".4f"),
    ("bias", "bias", "+z.4f"),
    ("likelihood", "likelihood", ".3f"),
    ("coverage_80", "80 % coverage", ".2f"),
    ("coverage_95", "95 % coverage", ".2f"),
    ("crps", "CRPS", ".4f"),
)


@dataclass(frozen=True)
class MethodScore:
    """How a method did, on one curve or on average over several.

    Attributes
    ----------
    method : str
        Its name.
    task : object
        The curve's key or task; None where curves are pooled.
    error : float
        Mean absolute error of the forecast score at the held-out sizes.
    bias : float
        Mean of forecast minus measured score.
    likelihood : float
        Probability that the forecast assigned to within 0.01 of the measured score; NaN for a curve without a
        distribution.
    coverage_80, coverage_95 : float
        Share of the measured scores inside the 80 % and 95 % intervals, at three decimals; NaN likewise.
    crps : float
        Continuous ranked probability score, lower is better; for a curve without a distribution its absolute error, to
        which it reduces.
    curves : int
        Number of curves behind the values.
    failed : str or None
        Why there are no values for some curve.
    """

    method: str
    task: object
    error: float
    bias: float
    likelihood: float
    coverage_80: float
    coverage_95: float
    crps: float
    curves: int
    failed: str | None = None


@dataclass(frozen=True)
class HeldOut:
    """What a method forecast at one held-out size, and what was measured.

    Attributes
    ----------
    method, task
        As in `MethodScore`.
    size : float
        The training-set size.
    measured : float
        Mean score there.
    forecast : float
        What the method expected.
    lower_95, upper_95 : float
        Ends of its 95 % interval; NaN for a curve without a distribution.
    times : float
        The size over the largest that the method was fitted to.
    """

    method: str
    task: object
    size: float
    measured: float
    forecast: float
    lower_95: float
    upper_95: float
    times: float

    @property
    def within_95(self) -> bool:
        """Whether the 95 % interval covers the measured score, at three decimals as for `coverage_95`."""
        return self.lower_95 <= self.measured + RESOLUTION / 2 and self.measured - RESOLUTION / 2 <= self.upper_95


By = Literal["method", "curve", "size"]
"""What a row of a backtest's table is: a method, one of its curves, or a size held out of that."""


@dataclass(frozen=True, repr=False)
class Backtest(Answer):
    """How each method did.

    Attributes
    ----------
    pooled : tuple of MethodScore
        For each method the mean over the curves, in order of the CRPS.
    by_curve : tuple of MethodScore
        For each curve and method.
    by_size : tuple of HeldOut
        For each curve, method and held-out size: what the method forecast, and what was measured.
    metric : str
        What was measured; "score" where curves differ in it.
    cautions : tuple of str
        Reasons to doubt that the best method here is the best.
    """

    pooled: tuple[MethodScore, ...]
    by_curve: tuple[MethodScore, ...]
    by_size: tuple[HeldOut, ...] = ()
    metric: str = "score"

    @property
    def cautions(self) -> tuple[str, ...]:  # type: ignore[override]
        """Reasons to doubt that the best method here is the best: few comparisons, and methods without an answer."""
        reasons: dict[str, list[str]] = {}
        for score in self.pooled:
            if score.failed is not None:
                reasons.setdefault(score.failed, []).append(score.method)
        failed = tuple(f"{', '.join(methods)}: {why}" for why, methods in reasons.items())
        return (*self._few(), *failed)

    @property
    def held_out(self) -> dict[tuple[str, float], float]:
        """Every comparison, by curve and size: the size as a multiple of the largest that was fitted."""
        return {(str(one.task), one.size): one.times for one in self.by_size}

    @property
    def is_ranked(self) -> bool:
        """Whether there are enough comparisons to say which method is best."""
        return len(self.held_out) >= _ENOUGH

    def _few(self) -> tuple[str, ...]:
        """What there is to say where little was held out."""
        held = self.held_out
        if self.is_ranked or not held:
            return ()
        if len(held) == 1:
            ((_, size), times), *_ = held.items()
            return (
                f"Only one size was held out, {size:,.10g}, {times:.3g} times the largest that was fitted: a single "
                "comparison at short range, which any method may win by luck. It says little about larger sizes.",
            )
        return (
            f"Only {len(held)} sizes were held out, at most {max(held.values()):.3g} times the largest that was "
            "fitted: too few to rank methods. They say little about larger sizes.",
        )

    def _columns(self, by: By = "method") -> ColumnData:
        check_choice("by", by, get_args(By))
        rows: Sequence[Any] = {"method": self.pooled, "curve": self.by_curve, "size": self.by_size}[by]
        kind = HeldOut if by == "size" else MethodScore
        names = [field.name for field in fields(kind) if not (by == "method" and field.name == "task")]
        return {name: [getattr(row, name) for row in rows] for name in names}

    def to_dict(self, by: By = "method") -> ColumnData:
        """The scores as plain columns, ready for JSON; None where there is no value.

        Parameters
        ----------
        by
            What a row is: "method" (pooled over curves, the best first), "curve" (each method on each curve), or "size"
            (what each method forecast at each held-out size, and what was measured).
        """
        return to_json_columns(self._columns(by))

    def to_frame(self, by: By = "method") -> Any:
        """The same as a pandas DataFrame (`pip install 'apexgp[pandas]'`); cautions in `frame.attrs["cautions"]`."""
        return to_data_frame(self, self._columns(by))

    def shown(self) -> SummaryTable:
        """One row per method."""
        curves = max((score.curves for score in self.pooled), default=0)
        rows = [
            [score.method, *(_figure(getattr(score, name), form) for name, _, form in _FIGURES)]
            for score in self.pooled
        ]
        title = f"Backtest on {curves:,} curve{'' if curves == 1 else 's'}"
        return SummaryTable(title, ["method", *(name for _, name, _ in _FIGURES)], rows, self._all_notes(), ("method",))

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write one row for each curve and method."""
        write_text(path, as_csv(self._columns("curve")), overwrite=overwrite)


def _figure(value: float, form: str) -> str:
    return "-" if math.isnan(value) else f"{value:{form}}"
