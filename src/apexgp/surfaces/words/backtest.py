"""A backtest in words."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from ...repeated.backtest_answer import Backtest, MethodScore
from .cite import credited

__all__ = ["OWN", "backtest_methods", "backtest_sentence"]

OWN = ("apexgp", "apexgp_published")
"""Methods that are ours to speak of first."""


def backtest_sentence(result: Backtest) -> str:
    """Which method did best."""
    judged = [score for score in result.pooled if score.curves]
    if not judged:
        return f"No method could be judged: {result.pooled[0].failed}"
    return _ranking(judged) if result.is_ranked else _comparisons(result, judged)


def _comparisons(result: Backtest, judged: Sequence[MethodScore]) -> str:
    """What our own method said, or the first one, where there are too few comparisons to say which is best."""
    names = [score.method for score in judged]
    method = next((name for name in OWN if name in names), names[0])
    told = [one for one in result.by_size if one.method == method]
    sure = "" if np.isnan(told[0].lower_95) else "; its 95 % interval"
    if len(told) == 1:
        (one,) = told
        text = (
            f"One size was held out to test the forecast: at {one.size:,.10g}, {method} expected {one.forecast:.3f}, "
            f"and {one.measured:.3f} was measured"
        )
        if sure:
            within = "covers" if one.within_95 else "does not cover"
            text += f"{sure}, {one.lower_95:.3f} to {one.upper_95:.3f}, {within} that"
        worth = "One comparison says"
    else:
        off = sum(abs(one.forecast - one.measured) for one in told) / len(told)
        text = f"At the {len(told)} held-out sizes, {method} was off by {off:.3f} on average"
        if sure:
            text += f"{sure}s covered {sum(one.within_95 for one in told)} of the {len(told)} scores"
        worth = f"These {len(told)} comparisons say"
    return f"{text}. {worth} little about the method, and nothing about which of several is best."


def _ranking(judged: Sequence[MethodScore]) -> str:
    best, closest = judged[0], min(judged, key=lambda score: score.error)
    of = "this curve" if best.curves == 1 else f"{best.curves:,} curves"
    if len(judged) == 1:
        text = f"Fitted to the smaller sizes of {of}, {best.method} was off by {best.error:.4f} at the larger ones"
    else:
        text = (
            f"Fitted to the smaller sizes of {of}, {best.method} forecast the scores at the larger ones best (CRPS "
            f"{best.crps:.4f}), off by {best.error:.4f} on average"
        )
        if closest is not best:
            text += f"; {closest.method} came closest, off by {closest.error:.4f}"
    if np.isnan(best.coverage_95):
        return f"{text}. {best.method} does not quantify its uncertainty."
    return f"{text}. The 95 % intervals of {best.method} covered {100 * best.coverage_95:.0f} % of those scores."


def backtest_methods(result: Backtest) -> str:
    """Paragraph about a backtest."""
    curves = max(score.curves for score in result.pooled)
    return (
        f"Methods for extrapolating learning curves were compared with apexgp {version('apexgp')} on {curves:,} "
        f"measured learning curve{'s' * (curves > 1)}: each was fitted to the smaller training-set sizes and judged "
        "by its continuous ranked probability score (CRPS; absolute error for methods without a predictive "
        "distribution) and its mean absolute error at the held-out sizes. "
        f"{'; '.join(_figures(score) for score in result.pooled if score.curves)}."
    )


def _figures(score: MethodScore) -> str:
    covered = "" if np.isnan(score.coverage_95) else f", 95 % coverage {score.coverage_95:.2f}"
    return f"{credited(score.method)}: CRPS {score.crps:.4f}, absolute error {score.error:.4f}{covered}"
