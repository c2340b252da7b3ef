"""Priors that were learnt, in words."""

from __future__ import annotations

from ...estimators import APExGP
from ...model.beliefs import Beliefs
from ...model.learnt import Learnt
from .phrases import listed

__all__ = [
    "learn_methods",
    "learn_sentence",
    "learnt_from",
    "learnt_line",
    "left_out_line",
    "priors_notes",
    "written_line",
]

_FEWEST_TASKS = 5  # of fewer, a standard error says nothing
_NOTEWORTHY = 1.03  # times as large or as small: less is not worth a word
_MOVES = {
    "share still to be gained": ("more is still to be gained", "less is still to be gained"),
    "noise": ("more noise", "less noise"),
    "exponent of the tail": ("curves that end steeper", "curves that end flatter"),
    "bend, in pilot sizes": ("curves that bend later", "curves that bend earlier"),
    "sharpness of the bend": ("sharper bends", "softer bends"),
    "departures": ("larger departures from the curve", "smaller departures from the curve"),
    "spread of departures": ("departures that differ more", "departures that differ less"),
}


def learnt_from(learnt: Learnt) -> str:
    """Whose curves."""
    curves = f"{learnt.curves:,} whole curve{'s' if learnt.curves > 1 else ''}"
    tasks = "" if learnt.tasks == learnt.curves else f" of {learnt.tasks:,} task{'s' if learnt.tasks > 1 else ''}"
    return f"{curves}{tasks} ({learnt.metric})"


def learn_sentence(learnt: Learnt) -> str:
    """What was learnt from, what moved, and whether tasks that were left out are forecast better."""
    return f"Learnt from {learnt_from(learnt)}: {_moved(learnt)} {_judged(learnt)}"


def learnt_line(beliefs: Beliefs) -> str:
    """The same of priors that may be the shipped ones, unchanged."""
    if beliefs.learnt is None:
        return "There were no curves to learn from: the priors are unchanged."
    return learn_sentence(beliefs.learnt)


def priors_notes(model: APExGP) -> list[str]:
    """Whose priors a fitted model has, where they are not the shipped ones."""
    if model.inference != "bayes" or model.priors == "calibrated":
        return []
    learnt = model.priors_.learnt
    return [f"Priors learnt from {learnt_from(learnt)} were used." if learnt else "Your own priors were used."]


def _moved(learnt: Learnt) -> str:
    found = []
    for name, (before, after) in learnt.moved.items():
        ratio = after / before if before > 0 else 1.0
        if name in _MOVES and not 1 / _NOTEWORTHY < ratio < _NOTEWORTHY:
            found.append(f"{_MOVES[name][ratio < 1]} ({before:.3g} -> {after:.3g})")
    if not found:
        return "they hardly move the priors."
    return f"{listed(found)}."


def _judged(learnt: Learnt) -> str:
    """Whether it helps, as far as that can be told."""
    pull = (
        f"The earlier priors count for {learnt.pull:g} curves, and {100 * learnt.related:.0f} % of the moves were kept."
    )
    if not learnt.left_out:
        return f"{pull} There is only one task, so none could be left out to evaluate on."
    before, after, error = learnt.left_out["crps"]
    change, doubt = 100 * (after / before - 1), 100 * error / before
    figures = f"CRPS {change:+.1f} % (standard error {doubt:.1f} %)"
    if abs(change) <= 2 * doubt or learnt.tasks < _FEWEST_TASKS:
        verdict = f"Whether left-out tasks are forecast better cannot be decided: {figures}"
    else:
        verdict = f"Left-out tasks are forecast {'better' if change < 0 else 'worse'}: {figures}"
    held_before, held, _ = learnt.left_out["covers_95"]
    coverage = f"95 % intervals cover {100 * held:.0f} % of their later scores, {100 * held_before:.0f} % before"
    return f"{pull} {verdict}; {coverage}."


def learn_methods(learnt: Learnt) -> str:
    """Paragraph for the methods section of a paper."""
    left_out = ""
    if learnt.left_out:
        before, after, error = learnt.left_out["crps"]
        left_out = (
            f" On tasks left out in turn, the CRPS was {after:.4g}, with the shipped priors {before:.4g} (standard "
            f"error of the difference {error:.2g})."
        )
    return (
        f"Priors were learnt from {learnt_from(learnt)} by optimising the log score and the CRPS of the later part of "
        f"each curve, forecast from {learnt.pilots:,} pilots cut from the earlier part, with a penalty on moves away "
        f"from the calibrated priors worth {learnt.pull:g} curves (seed {learnt.seed}).{left_out}"
    )


def left_out_line(short: int, count: int, path: object) -> str:
    """What a record holds that cannot be learnt from yet."""
    return f"{short} of {count} curves in {path} {'does' if short == 1 else 'do'} not extend beyond a pilot: left out."


def written_line(path: object) -> str:
    """Where the priors are, and what to do with them."""
    return f"Wrote {path}. Use it with --priors {path}."
