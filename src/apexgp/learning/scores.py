"""How well the later scores of pilots are forecast, from their nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._check import FloatArray
from ..numerics.cut_mixture import TruncatedMixture
from .nodes import PilotNodeArrays
from .objective import weigh_nodes

__all__ = ["FIGURES", "score_pilots"]

FIGURES = ("crps", "log_score", "covers_80", "covers_95", "width_95")
_LEVELS = (np.arange(20) + 0.5) / 20
_ENDS = np.array([0.1, 0.9, 0.025, 0.975])
_WORST = -np.log(1e-12)  # one hopeless forecast must not decide the mean


def score_pilots(
    nodes: PilotNodeArrays, vector: FloatArray, counts: NDArray[np.bool_] | None = None
) -> dict[str, FloatArray]:
    """Means over each pilot's later scores, those that count; NaN where none does."""
    wanted = np.concatenate([_LEVELS, _ENDS])
    known = ~np.isnan(nodes.times) if counts is None else counts & ~np.isnan(nodes.times)
    found = {name: np.full(len(nodes), np.nan) for name in FIGURES}
    for i in np.flatnonzero(known.any(axis=1)):
        here, truth = known[i], nodes.truth[i, known[i]]
        weights, _ = weigh_nodes(nodes.take(np.array([i])), vector)
        mixture = TruncatedMixture(nodes.location[i][:, here], nodes.scale[i][:, here], weights[0])
        quantiles = mixture.quantile(wanted, 1 - wanted)
        gap = truth - quantiles[: len(_LEVELS)]
        # Twice the mean pinball loss over many levels is the CRPS to half a per cent, and quick.
        pinball = np.where(gap >= 0, _LEVELS[:, None] * gap, (_LEVELS[:, None] - 1) * gap)
        low_80, high_80, low_95, high_95 = quantiles[len(_LEVELS) :]
        density = np.maximum(nodes.pdf[i, here] @ weights[0], np.exp(-_WORST))
        figures = (
            2 * pinball.mean(axis=0),
            -np.log(density),
            (truth >= low_80) & (truth <= high_80),
            (truth >= low_95) & (truth <= high_95),
            high_95 - low_95,
        )
        for name, values in zip(FIGURES, figures, strict=True):
            found[name][i] = values.mean()
    return found
