"""The worst forecasts of the default, what they have in common, and what the cautions said of them.

A forecast is bad where a later score lies outside its 99 % interval and more than 0.02 off its median, at any size. A
caution announced it where the forecast carried one that speaks of the scores themselves; the others speak of the
design, of the distance and of how little is known, which holds for most forecasts. A caution was a false alarm where
its forecast was not bad. Cautions are those of the code as it is, whatever it was when the records were made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd

import calibrate
from apexgp import APExGP
from apexgp.cautions import find_pilot_cautions, shorten_caution
from study.samples import Pilot

OFF_BY = 0.02
WORST = 20
# In the order of the tables: what the scores show, then the rest.
OF_THE_SCORES = (
    "no better than guessing",
    "exactly equal scores",
    "one size scatters",
    "one run without a label?",
    "falls",
    "flat",
    "perfect scores",
    "all perfect: a leak?",
    "nearly perfect",
    "noise exceeds the rise",
    "is lower better?",
)
LEARNT_HERE = OF_THE_SCORES[:4]
"""Cautions that this study led to."""
KEPT_ASIDE = (3, 4)
"""Folds of tasks on which no threshold was set."""


def outcomes(rows: pd.DataFrame, pilots: Sequence[Pilot], fold: dict[str, int]) -> pd.DataFrame:
    """A row a pilot: whether its forecast was bad, and the cautions it has now."""
    rows = rows.dropna(subset="truth")
    bad = ((rows.pit < 0.005) | (rows.pit > 0.995)) & (rows.error > OFF_BY)
    table = rows.assign(bad=bad, missed=1 - rows.covers_95, above=np.where(bad, rows.pit > 0.5, np.nan))
    figures = {"bad": "max", "missed": "max", "log_score": "max", "crps": "max", "error": "max", "above": "mean"}
    facts = {name: "first" for name in ("task", "learner", "shape", "cautions")}
    table = table.groupby(["sample", "curve"]).agg(figures | facts)
    known = {(pilot.sample, pilot.curve): pilot for pilot in pilots}
    table = table[[key in known for key in table.index]]
    return table.assign(
        cautions=[_now(known[key], said) for key, said in table.cautions.items()],
        aside=table.task.map(fold).isin(KEPT_ASIDE),
        bad=table.bad.astype(bool),
    )


def _now(pilot: Pilot, said: str) -> frozenset[str]:
    """Cautions of today's code: the pilot's own, and what the record has of the others."""
    forecast = {text for text in said.split("; ") if text.startswith(("beyond", "says little"))}
    return frozenset(shorten_caution(caution) for caution in find_pilot_cautions(pilot.case.curve)) | forecast


def by_caution(table: pd.DataFrame) -> Iterator[str]:
    """How often each caution comes, and how often the forecast was bad with it and without."""
    yield "| caution | forecasts | bad with it, without it (%) | outside the 95 % interval with it, without it (%) |"
    yield "|---|---|---|---|"
    names = {name for own in table.cautions for name in own}
    rest = sorted(names - set(OF_THE_SCORES))
    for name in [*(name for name in OF_THE_SCORES if name in names), *rest]:
        has = table.cautions.map(lambda own, name=name: name in own)
        yield _with_and_without(name, table, has)
        if name == "flat":
            alone = table.cautions.map(lambda own: own & set(OF_THE_SCORES) == {"flat"})
            yield _with_and_without("flat, and none of the others above", table, alone)


def _with_and_without(name: str, table: pd.DataFrame, has: pd.Series) -> str:
    shares = [f"{_per_cent(table[figure][has])}, {_per_cent(table[figure][~has])}" for figure in ("bad", "missed")]
    return f"| {name} | {has.sum()} | {' | '.join(shares)} |"


def by_sample(table: pd.DataFrame) -> Iterator[str]:
    """How often forecasts were bad under each design of the pilot."""
    yield "| pilots | forecasts | bad (%) | outside the 95 % interval (%) |\n|---|---|---|---|"
    for name, own in table.groupby(level="sample"):
        yield f"| {name} | {len(own)} | {_per_cent(own.bad)} | {_per_cent(own.missed)} |"


def announced(table: pd.DataFrame) -> Iterator[str]:
    """Shares of bad forecasts that were announced, and of false alarms, without and with what is new."""
    titles = (
        "tasks",
        "cautions",
        "forecasts with one (%)",
        "bad ones warned of (%)",
        "false alarms (%)",
        "bad without (%)",
    )
    yield f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"
    before = frozenset(OF_THE_SCORES) - frozenset(LEARNT_HERE)
    for tasks, own in {"all": table, "kept aside": table[table.aside]}.items():
        for title, which in {"before": before, "now": frozenset(OF_THE_SCORES)}.items():
            has = own.cautions.map(lambda said, which=which: bool(said & which))
            cells = [has, has[own.bad], ~own.bad[has], own.bad[~has]]
            yield f"| {tasks} ({len(own)} forecasts) | {title} | " + " | ".join(map(_per_cent, cells)) + " |"


def _per_cent(flags: pd.Series) -> str:
    return f"{100 * flags.mean():.1f}" if len(flags) else "-"


def in_common(table: pd.DataFrame, worst: pd.DataFrame) -> Iterator[str]:
    """What the worst, the bad and all forecasts have in common, in per cent."""
    groups = {f"{len(worst)} worst": worst, "bad": table[table.bad], "all": table}
    yield "| | " + " | ".join(f"{name} ({len(own)})" for name, own in groups.items()) + " |\n|---|---|---|---|"
    traits = {
        "the curve falls later": lambda own: own["shape"] == "falls",
        "the curve wakes late": lambda own: own["shape"] == "wakes late",
        **{f"caution: {name}": lambda own, name=name: own.cautions.map(lambda s: name in s) for name in LEARNT_HERE},
        "discriminant analysis": lambda own: own.learner.str.contains("Discriminant|QDA|LDA"),
        "neural network": lambda own: own.learner.str.contains("MLP|TabNet"),
    }
    for name, trait in traits.items():
        yield f"| {name} | " + " | ".join(_per_cent(trait(own)) for own in groups.values()) + " |"
    shares = [f"{100 * own.above.mean():.1f}" if own.bad.any() else "-" for own in groups.values()]
    yield f"| where bad: the truth above the forecast | {' | '.join(shares)} |"


def worst_of(table: pd.DataFrame) -> pd.DataFrame:
    """The worst by log score, one for each task and learner."""
    order = table.sort_values(["log_score", "crps"], ascending=False)
    return order[~order.duplicated(["task", "learner"])].head(WORST)


def listed(worst: pd.DataFrame) -> Iterator[str]:
    yield "| | curve | pilot | log score | off by | shape | cautions |\n|---|---|---|---|---|---|---|"
    for i, ((sample, _), row) in enumerate(worst.iterrows(), 1):
        said = "; ".join(sorted(row.cautions)) or "none"
        figures = f"{row.log_score:.1f} | {row.error:.2f} | {row['shape']}"
        yield f"| {i} | {row.learner}, task {row.task} | {sample} | {figures} | {said} |"


def lines(table: pd.DataFrame) -> Iterator[str]:
    worst = worst_of(table)
    yield f"{len(table)} forecasts, {_per_cent(table.bad)} % bad, {_per_cent(table.missed)} % outside the 95 % interval"
    yield "at some later size\n\n## The worst"
    yield from listed(worst)
    yield "\n## In common (%)"
    yield from in_common(table, worst)
    yield "\n## What the cautions said"
    yield from announced(table)
    yield ""
    yield from by_caution(table)
    yield "\n## By design of the pilot"
    yield from by_sample(table)


def draw(worst: pd.DataFrame, pilots: Sequence[Pilot], folds: dict | None, path: Path) -> None:
    """The worst in one picture: pilot, forecast, what was measured, and the cautions."""
    from matplotlib.figure import Figure

    known = {(pilot.sample, pilot.curve): pilot for pilot in pilots}
    figure = Figure(figsize=(15, 13), layout="constrained")
    axes = figure.subplots(4, 5).ravel()
    for i, (ax, (key, row)) in enumerate(zip(axes, worst.iterrows(), strict=False), 1):
        _one(ax, known[key], folds)
        ax.set_title(f"{i}. {row.learner}, task {row.task}", fontsize=8.5)
        said = "; ".join(sorted(row.cautions)) or "no caution"
        ax.set_xlabel(fill(said, 45), fontsize=7.5, color="#D55E00" if row.cautions else "#666666")
    for ax in axes[len(worst) :]:
        ax.set_axis_off()
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(path, dpi=100)


def _one(ax, pilot: Pilot, folds: dict | None) -> None:
    case = pilot.case
    sizes = np.geomspace(case.curve.largest, case.sizes.max(), 40)
    forecast = APExGP(priors=calibrate.beliefs_for(case.task, folds)).fit(case.curve).forecast(sizes)
    for level, alpha in ((0.95, 0.2), (0.8, 0.3)):
        lower, upper = forecast.interval(level)
        ax.fill_between(sizes, lower, upper, color="#0072B2", alpha=alpha, lw=0, label=f"{100 * level:.0f} % interval")
    ax.plot(sizes, forecast.median, color="#0072B2", lw=1.2, label="forecast")
    ax.plot(case.curve.sizes, case.curve.scores, "o", ms=3, color="black", alpha=0.6, label="pilot")
    ax.plot(case.sizes, case.truths["new_splits"], "x", ms=4.5, color="#D55E00", label="measured later")
    ax.set_xscale("log")
    ax.tick_params(labelsize=7)
