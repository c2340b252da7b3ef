"""All tables of the study in one go, as docs/study.md has them."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from study import tables
from study.methods import Method

FEW = ("default", "auto", "published", "ls-power_law")
"""Where curves are broken down further."""
FOR_THE_README = (
    "default",
    "auto",
    "paper-power_law",
    "published",
    "written",
    "ls-power_law",
    "piecewise",
    "bootstrap",
    "sklearn-gp",
)


def sections(targets: pd.DataFrame, known: dict[str, Method]) -> Iterator[str]:
    rows = tables.by_curve(targets)
    quick = {name: method for name, method in known.items() if method.every == 1}
    few = {name: method for name, method in known.items() if name in FEW}
    first, draws = tables.first_draw(rows), tables.drawn(rows)
    yield "## All methods, first draw of the main protocol"
    yield from tables.lines(first[first.method.isin(quick)], quick)
    yield ""
    yield from tables.verdict(first, quick)
    yield "\n## Beside the default, on the same curves"
    yield from tables.beside_the_default(first, known)
    slow = [name for name in known if name not in quick and (first.method == name).any()]
    if slow:
        subset = first[first.curve.isin(first[first.method == slow[0]].curve)]
        yield f"\n## The subset of the methods that take seconds: {subset.curve.nunique()} curves"
        yield from tables.lines(subset, known)
        yield ""
        yield from tables.verdict(subset, known)
    if draws["sample"].nunique() > 1:
        counts = draws.method.value_counts()
        several = {name: known[name] for name in known if counts.get(name) == counts[tables.DEFAULT]}
        yield "\n## All draws of the main protocol"
        yield from tables.lines(draws, several)
        yield ""
        yield from tables.verdict(draws[draws.method.isin(several)], several)
    for column in ("shape", "learner"):
        yield f"\n## By {column}, all draws"
        yield from tables.broken_down(draws, few, column, column)
    designs = rows[~rows["sample"].str.startswith("draw")]
    if len(designs):
        yield "\n## By design of the pilot: number of sizes and splits, and where it ends"
        yield from tables.broken_down(designs, few, "sample", "pilot")
    yield "\n## Without a forecast"
    yield from tables.failures(targets, known)
    yield "\n## For the README: the first draw"
    yield from tables.short(first, known, FOR_THE_README)
