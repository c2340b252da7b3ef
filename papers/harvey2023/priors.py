"""Figures of the model: mean functions (Figure 2), the prior on the margin and on eps (appendix A)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy import integrate, optimize, stats

from .look import COLOURS, panels, size_axis

EPSILON = 0.05
BEST_SCORE, CEILING = 0.7, 0.95
"""y' and 1 - eps_min of the paper's examples."""
WINDOW = CEILING - BEST_SCORE

_SHADES = ("#134b85", "#1f6fb4", "#5b9bd0", "#e8871e", "#b45a0a")
_ANGLES = np.linspace(0.0, np.pi / 2, 301)
_SPREADS = np.linspace(0.0, 0.08, 801)  # of s = sqrt(sigma^2 + tau^2)
_TAU_LOC, _TAU_SCALE, _EARLIER_TAU_SCALE = 0.01, 0.01, 0.005
"""Of the prior on tau, and in an earlier version of the released code."""


def mean_functions() -> Figure:
    """Both means over a range of parameters, all with the same limit."""
    x = np.geomspace(1, 20000, 400)
    figure, axes = panels(1, 2, 5.2, 3.9, sharey=True)
    left, right = axes[0]
    for colour, (theta1, theta2) in zip(
        _SHADES, [(0.9, -0.05), (0.9, -0.15), (0.9, -0.3), (0.9, -0.6), (0.3, -0.15)], strict=True
    ):
        y = (1 - EPSILON) - theta1 * x**theta2
        left.plot(x, y, color=colour, linewidth=1.8, label=rf"$\theta_1$ = {theta1}, $\theta_2$ = {theta2}")
    for colour, (theta1, theta2) in zip(
        _SHADES, [(0.0005, 0.3), (0.005, 0.3), (0.05, 0.3), (0.005, 1.0), (0.005, 3.0)], strict=True
    ):
        y = 2 / np.pi * np.arctan(theta1 * np.pi / 2 * x + theta2) - EPSILON
        right.plot(x, y, color=colour, linewidth=1.8, label=rf"$\theta_1$ = {theta1}, $\theta_2$ = {theta2}")
    left.set_title(r"Power law: $(1-\varepsilon) - \theta_1 x^{\theta_2}$")
    right.set_title(r"Arctan: $\frac{2}{\pi}\,\arctan(\theta_1 \frac{\pi}{2} x + \theta_2) - \varepsilon$")
    for ax in (left, right):
        ax.axhline(1 - EPSILON, color="0.5", linewidth=0.9, linestyle=(0, (4, 4)))
        size_axis(ax, (1, 10, 100, 1000, 10000), 1, 20000)
        ax.set_ylim(0, 1)
        ax.set_xlabel("training samples")
        ax.legend(fontsize="small", frameon=False, loc="lower right")
    left.text(1.1, 1 - EPSILON + 0.008, r"limit $1-\varepsilon$ = 0.95", fontsize="small", color="0.35")
    left.set_ylabel("score")
    return figure


def positive_normal(x: np.ndarray, loc: float, scale: float) -> np.ndarray:
    """Density of N(loc, scale^2) cut to [0, inf)."""
    return stats.norm.pdf(x, loc, scale) / stats.norm.sf(0.0, loc, scale)


def spread_density(loc: float, scale: float, tau_scale: float = _TAU_SCALE) -> np.ndarray:
    """Density of s = sqrt(sigma^2 + tau^2) on a grid, for sigma ~ N+(loc, scale): an integral over the angle."""
    s, angle = _SPREADS[:, None], _ANGLES[None, :]
    sigma, tau = s * np.cos(angle), s * np.sin(angle)
    both = positive_normal(sigma, loc, scale) * positive_normal(tau, _TAU_LOC, tau_scale)
    return integrate.trapezoid(both * s, _ANGLES, axis=1)


def margin_percentiles(density: np.ndarray) -> np.ndarray:
    """20th and 80th percentile of the margin w = 6 s."""
    steps = (density[1:] + density[:-1]) / 2 * np.diff(_SPREADS)
    below = np.concatenate([[0.0], np.cumsum(steps)])
    return 6 * np.interp([0.2, 0.8], below / below[-1], _SPREADS)


def elicited(shares: tuple[float, float], tau_scale: float = _TAU_SCALE) -> tuple[float, float]:
    """Location and scale of sigma's prior that give the margin these shares of W as its percentiles."""
    wanted = WINDOW * np.array(shares)

    def gap(logs: np.ndarray) -> float:
        return float(((margin_percentiles(spread_density(*np.exp(logs), tau_scale)) - wanted) ** 2).sum())

    start = np.log([wanted.mean() / 6, 0.01])
    found = optimize.minimize(gap, start, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-12})
    loc, scale = np.exp(found.x)
    return float(loc), float(scale)


def margin() -> Figure:
    """The density of the margin that the prior on sigma is chosen by: as drawn in the paper, and as its text has it.

    The percentiles that the paper's caption gives come out with an earlier prior on tau. With that of the tables no
    prior on sigma has them.
    """
    figure, axes = panels(1, 2, 5.2, 3.7, sharey=True)
    asked = {
        "The paper's figure: W/4 and W/2": ((1 / 4, 1 / 2), _EARLIER_TAU_SCALE),
        "Its text and code: W/2 and 3W/4": ((1 / 2, 3 / 4), _TAU_SCALE),
    }
    for ax, (title, (shares, tau_scale)) in zip(axes[0], asked.items(), strict=True):
        _draw_margin(ax, spread_density(*elicited(shares, tau_scale), tau_scale))
        ax.set_title(title)
        ax.set_xlabel(r"margin $w = 6\sqrt{\sigma^2 + \tau^2}$")
    axes[0][0].set_ylabel("density")
    axes[0][0].set_ylim(0, None)
    figure.suptitle(f"Best pilot score {BEST_SCORE}, ceiling {CEILING}: W = {WINDOW:g}", fontsize="large")
    return figure


def _draw_margin(ax: Any, density: np.ndarray) -> None:
    colour = COLOURS["default"]
    w = 6 * _SPREADS
    ax.fill_between(w, density / 6, color=colour, alpha=0.2, linewidth=0)
    ax.plot(w, density / 6, color=colour, linewidth=2)
    for name, at, side in zip(("20 %", "80 %"), margin_percentiles(density), ("right", "left"), strict=True):
        ax.axvline(at, color="0.3", linewidth=1, linestyle=(0, (4, 3)))
        words = f" {name}: {at:.4f} "
        ax.text(at, 0.97, words, transform=ax.get_xaxis_transform(), ha=side, va="top", fontsize="small")
    ax.set_xlim(0, 0.36)


def epsilon() -> Figure:
    """The uniform prior on eps."""
    figure, axes = panels(1, 1, 5.2, 3.4)
    ax, colour = axes[0, 0], COLOURS["default"]
    low, high = 1 - CEILING, 1 - BEST_SCORE
    height = 1 / (high - low)
    ax.fill_between([low, high], [height, height], color=colour, alpha=0.2, linewidth=0)
    ax.plot([0, low, low, high, high, 0.4], [0, 0, height, height, 0, 0], color=colour, linewidth=2)
    for at, words in ((low, r"$\varepsilon_{\mathrm{min}}$ = 0.05"), (high, "1 - y' = 0.3")):
        ax.text(at, height + 0.1, words, ha="center", va="bottom", fontsize="small")
    ax.set_xlim(0, 0.4)
    ax.set_ylim(0, height + 0.8)
    ax.set_xlabel(r"$\varepsilon$")
    ax.set_ylabel("density")
    return figure
