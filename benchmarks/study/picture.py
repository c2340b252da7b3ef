"""Reliability curves of all methods in one picture: how often central intervals hold what they promise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from scoring import HORIZONS
from study.methods import Method

LEVELS = np.linspace(0, 1, 101)
# Colours that those who do not tell red from green can tell apart (Okabe and Ito).
COLOURS = {
    "calibrated": "#0072B2",
    "paper's priors": "#56B4E9",
    "MAP": "#D55E00",
    "least squares": "#999999",
    "outside": "#009E73",
}
NAMES = {
    "calibrated": "full Bayes, calibrated priors",
    "paper's priors": "full Bayes, the paper's priors",
    "MAP": "published MAP and MAP as written",
    "least squares": "least squares: families of curves, bootstrap",
    "outside": "other methods",
}
TITLES = ("up to 2 times the pilot", "2 to 10 times", "more than 10 times")


def reliability(rows: pd.DataFrame) -> np.ndarray:
    """Share of truths inside the central interval of each level; every curve counts the same."""
    inside = np.abs(2 * rows.pit.to_numpy() - 1)[:, None] <= LEVELS
    frame = pd.DataFrame(inside.astype(float)).assign(key=rows["sample"].to_numpy() + rows.curve.astype(str).to_numpy())
    return frame.groupby("key").mean().mean().to_numpy()


def draw(targets: pd.DataFrame, known: dict[str, Method], path: Path) -> None:
    from matplotlib.figure import Figure

    rows = targets.dropna(subset="truth")
    figure = Figure(figsize=(12, 5.2), layout="constrained")
    axes = figure.subplots(1, len(HORIZONS), sharex=True, sharey=True)
    for ax, where, title in zip(axes, HORIZONS, TITLES, strict=True):
        ax.plot([0, 100], [0, 100], color="black", lw=1, ls=":")
        for name, method in known.items():
            own = rows[(rows.method == name) & (rows.horizon == where)]
            if len(own) and name != "default":
                ax.plot(100 * LEVELS, 100 * reliability(own), color=COLOURS[method.kind], lw=1, alpha=0.75)
        own = rows[(rows.method == "default") & (rows.horizon == where)]
        if len(own):
            ax.plot(100 * LEVELS, 100 * reliability(own), color="black", lw=2.6, solid_capstyle="round")
        ax.set(title=title, xlabel="nominal coverage of the interval (%)", xlim=(0, 100), ylim=(0, 100))
        ax.set_aspect("equal")
        ax.grid(alpha=0.25)
    axes[0].set_ylabel("actual coverage of later scores (%)")
    _legend(figure, axes[0], {known[name].kind for name in rows.method.unique()})
    figure.savefig(path, dpi=130)


def _legend(figure, ax, kinds: set[str]) -> None:
    (default,) = ax.plot([], [], color="black", lw=2.6)
    (honest,) = ax.plot([], [], color="black", lw=1, ls=":")
    handles, labels = [default, honest], ["the default", "coverage as stated"]
    for kind, colour in COLOURS.items():
        if kind in kinds:
            handles.append(ax.plot([], [], color=colour, lw=2)[0])
            labels.append(NAMES[kind])
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
