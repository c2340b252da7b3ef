"""Tables of the study, made from its records: Markdown, as docs/study.md has them.

Three numbers are those at up to 2, 2 to 10 and more than 10 times the largest pilot size. Figures are averaged within a
curve and horizon first, then over curves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

import scoring
from scoring import HORIZONS, INTERVALS
from study.methods import Method

DEFAULT = "default"
COVERS_WITHIN = 1.5
"""Points by which the 95 % interval may be off."""
_PILOT = ["sample", "curve", "task", "learner", "shape", "sizes", "splits", "end"]
_FIGURES = ["crps", "log_score", "error", "pit", "width_95", *(f"covers_{level}" for level in INTERVALS)]


def by_curve(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean figures of each method, pilot and horizon."""
    known = rows.dropna(subset="truth")
    return known.groupby(["method", *_PILOT, "horizon"], sort=False)[_FIGURES].mean().reset_index()


def drawn(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the main protocol, all draws."""
    return rows[rows["sample"].str.startswith("draw")]


def first_draw(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the draw on which all methods were run."""
    methods = drawn(rows).groupby("sample", sort=False).method.nunique()
    return rows[rows["sample"] == methods.idxmax()]


def lines(rows: pd.DataFrame, known: dict[str, Method], title: str = "method") -> Iterator[str]:
    """A table with a line a method, in the order in which they are listed."""
    yield scoring.head(title)
    for name in known:
        own = rows[rows.method == name]
        if len(own):
            yield scoring.line(known[name].title, own)


def broken_down(rows: pd.DataFrame, known: dict[str, Method], by: str, title: str) -> Iterator[str]:
    """A table with a line for each value of a column and method."""
    yield scoring.head(f"{title}, method")
    for value, part in rows.groupby(by):
        for name in known:
            own = part[part.method == name]
            if len(own):
                yield scoring.line(f"{value}, {known[name].title}", own)


def beside_the_default(rows: pd.DataFrame, known: dict[str, Method]) -> Iterator[str]:
    """How much worse than the default each method is on the curves that both have forecast, and how sure that is."""
    yield "| method | CRPS, ratio to the default (z) | log score, difference (z) | curves |\n|---|---|---|---|"
    for name in known:
        if name == DEFAULT or not (rows.method == name).any():
            continue
        pairs = paired(rows, name)
        at = [pairs[pairs.horizon == where] for where in HORIZONS]
        cells = [", ".join(_compared(own, figure) for own in at) for figure in ("crps", "log_score")]
        cells.append(" ".join(str(len(own)) for own in at))
        yield f"| {known[name].title} | {' | '.join(cells)} |"


def paired(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Figures of a method (`_other`) and of the default on the same pilots and horizons."""
    key = [*_PILOT, "horizon"]
    other, own = (rows[rows.method == which].set_index(key)[_FIGURES] for which in (name, DEFAULT))
    return own.join(other, rsuffix="_other", how="inner").reset_index()


def _compared(pairs: pd.DataFrame, figure: str) -> str:
    if not len(pairs):
        return "-"
    gap = pairs[f"{figure}_other"] - pairs[figure]
    error = scoring.clustered_error(gap, pairs.task)
    z = f"{gap.mean() / error:.1f}" if error > 0 else "-"
    size = f"{pairs[f'{figure}_other'].mean() / pairs[figure].mean():.2f}" if figure == "crps" else f"{gap.mean():+.2f}"
    return f"{size} ({z})"


def verdict(rows: pd.DataFrame, known: dict[str, Method]) -> Iterator[str]:
    """In words: where the default is not the best, and whose 95 % intervals hold what they say."""
    for figure, title in {"crps": "CRPS", "log_score": "log score"}.items():
        better = []
        for name in known:
            if name == DEFAULT or not (rows.method == name).any():
                continue
            pairs = paired(rows, name)
            for where in HORIZONS:
                own = pairs[pairs.horizon == where]
                gap = own[f"{figure}_other"] - own[figure]
                if len(own) and gap.mean() < 0:
                    z = gap.mean() / scoring.clustered_error(gap, own.task)
                    better.append(f"{known[name].title} at {where} (by {-gap.mean():.4f}, z {z:.1f})")
        yield f"* Better than the default in {title}: {'; '.join(better) or 'none, at no horizon'}."
    held = []
    for name in known:
        own = rows[rows.method == name]
        if len(own):
            off = 100 * (own.groupby("horizon").covers_95.mean().reindex(HORIZONS) - 0.95)
            if (off.abs() <= COVERS_WITHIN).all():
                held.append(known[name].title)
            elif name == DEFAULT:
                shown = " ".join(f"{value:+.1f}" for value in off)
                yield f"* The default's 95 % interval is off by {shown} points at the three horizons."
    yield f"* 95 % intervals within {COVERS_WITHIN} points at every horizon: {', '.join(held) or 'no method'}."


def short(rows: pd.DataFrame, known: dict[str, Method], names: Sequence[str]) -> Iterator[str]:
    """The table of the README: few methods, few columns."""
    yield "| method | CRPS | log score | 95 % interval covers (%) |\n|---|---|---|---|"
    for name in names:
        own = rows[rows.method == name]
        if len(own):
            means = own.groupby("horizon")[["crps", "log_score", "covers_95"]].mean().reindex(HORIZONS)
            crps = " ".join(f"{value:.4f}".removeprefix("0") for value in means.crps)
            log_score = " ".join(f"{value:.2f}" for value in means.log_score)
            covers = " ".join(f"{100 * value:.0f}" for value in means.covers_95)
            yield f"| {known[name].title} | {crps} | {log_score} | {covers} |"


def failures(rows: pd.DataFrame, known: dict[str, Method]) -> Iterator[str]:
    """Methods that could not forecast some pilots, and why most often."""
    for name in known:
        own = rows[rows.method == name].drop_duplicates(["sample", "curve"])
        failed = own[own.failure.notna()]
        if len(failed):
            why = failed.failure.str.slice(0, 90).mode().iloc[0]
            yield f"* {known[name].title}: {len(failed)} of {len(own)}. Most often: {why}"
