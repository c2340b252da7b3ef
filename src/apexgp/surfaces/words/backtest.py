"""A backtest in words."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np

from ...repeated.backtest_answer import Backtest, MethodScore
from .cite import credited

__all__ = ["backtest_methods", "backtest_sentence"]


def backtest_sentence(result: Backtest) -> str:
    """Which method did best."""
    judged = [score for score in result.pooled if score.curves]
    if not judged:
        return f"No method could be judged: {result.pooled[0].failed}"
    best, closest = judged[0], min(judged, key=lambda score: score.error)
    of = "this curve" if best.curves == 1 else f"{best.curves:,} curves"
    if len(judged) == 1:
        text = f"Fitted to the smaller sizes of {of}, {best.method} was off by {best.error:.4f} at the larger ones"
    else:
        text = (
            f"Fitted to the smaller sizes of {of}, {best.method} foretold the scores at the larger ones best (CRPS "
            f"{best.crps:.4f}), off by {best.error:.4f} on average"
        )
        if closest is not best:
            text += f"; {closest.method} came closest, off by {closest.error:.4f}"
    if np.isnan(best.coverage_95):
        return f"{text}. {best.method} does not say how sure it is."
    return f"{text}. The 95 % intervals of {best.method} held {100 * best.coverage_95:.0f} % of those scores."


def backtest_methods(result: Backtest) -> str:
    """Paragraph about a backtest."""
    curves = max(score.curves for score in result.pooled)
    return (
        f"Methods of learning-curve extrapolation were compared with apexgp {version('apexgp')} on {curves:,} measured "
        f"learning curve{'s' * (curves > 1)}: each was fitted to the smaller training-set sizes and judged by its "
        "continuous ranked probability score (CRPS; absolute error for methods without a predictive distribution) and "
        "its mean absolute error at the sizes held out. "
        f"{'; '.join(_figures(score) for score in result.pooled if score.curves)}."
    )


def _figures(score: MethodScore) -> str:
    covered = "" if np.isnan(score.coverage_95) else f", 95 % coverage {score.coverage_95:.2f}"
    return f"{credited(score.method)}: CRPS {score.crps:.4f}, absolute error {score.error:.4f}{covered}"
