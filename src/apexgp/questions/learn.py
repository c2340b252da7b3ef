"""Priors learnt from one's own whole curves: what is said of them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal, TypedDict

from ..estimators import APExGP
from ..model.beliefs import Beliefs
from ..model.learnt import Learnt
from ..question_base.documents import Count, NonNegative, Probability, Versioned, WithMethodsText, word_answer
from ..question_base.phrases import join_words
from ..question_base.question import Cells, QuestionAnswer, build_table
from ..question_base.wording import describe_learnt_curves

__all__ = ["LearnAnswer", "LearnDocument", "list_priors_notes", "say_learnt", "say_learnt_or_unchanged"]

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


@dataclass(frozen=True, eq=False)
class LearnAnswer(QuestionAnswer):
    """Priors that were learnt, and the file that they were written to."""

    learnt: Learnt
    path: object

    def document(self) -> LearnDocument:
        """The curves that were learnt from, what moved, and how tasks that were left out are forecast."""
        learnt = self.learnt
        return {
            "schema": "urn:apexgp:learn:1",
            "apexgp": version("apexgp"),
            "priors": str(self.path),
            "curves": learnt.curves,
            "tasks": learnt.tasks,
            "pilots": learnt.pilots,
            "metric": learnt.metric,
            "unit": learnt.unit,
            "pull": learnt.pull,
            "related": learnt.related,
            "seed": learnt.seed,
            "moved": {name: {"before": before, "after": after} for name, (before, after) in learnt.moved.items()},
            "left_out": {
                name: {"before": before, "after": after, "error": error}
                for name, (before, after, error) in learnt.left_out.items()
            },
            **word_answer(
                say_learnt(learnt), write_learn_methods(learnt), learnt.cautions, ("harvey", "lcdb", "lcdb_1_1")
            ),
        }

    def table(self) -> Cells:
        """One row per number that moved."""
        return build_table(self.learnt)


class MovedFacts(TypedDict):
    """A number before and after priors were learnt."""

    before: float
    after: float


class LeftOutFacts(MovedFacts):
    """A figure of tasks that were left out, before and after."""

    error: NonNegative
    """Standard error of the change, clustered by task."""


class LearnDocument(Versioned, WithMethodsText):
    """`apexgp learn --json`."""

    schema: Literal["urn:apexgp:learn:1"]
    priors: str
    """The file that the priors were written to."""
    curves: Count
    """Number of whole curves that they were learnt from."""
    tasks: Count
    pilots: Count
    """Number of pilots cut from the curves."""
    metric: str
    unit: str
    """What a size counts."""
    pull: float
    """Number of curves that the priors before count for."""
    related: Probability
    """Share of the moves that was kept, by how far they help with tasks that are left out."""
    seed: int
    moved: dict[str, MovedFacts]
    """What moved, by name."""
    left_out: dict[str, LeftOutFacts]
    """Figures of tasks left out in turn; empty where there is one task."""


def say_learnt(learnt: Learnt) -> str:
    """Say what priors were learnt from, what moved, and whether left-out tasks are forecast better."""
    return f"Learnt from {describe_learnt_curves(learnt)}: {_say_moved(learnt)} {_say_judged(learnt)}"


def say_learnt_or_unchanged(beliefs: Beliefs) -> str:
    """Say what was learnt, or that the priors are unchanged."""
    if beliefs.learnt is None:
        return "There were no curves to learn from: the priors are unchanged."
    return say_learnt(beliefs.learnt)


def list_priors_notes(model: APExGP) -> list[str]:
    """Notes on the priors of a fitted model, where they are not the shipped ones."""
    if model.inference != "bayes" or model.priors == "calibrated":
        return []
    learnt = model.priors_.learnt
    return [
        f"Priors learnt from {describe_learnt_curves(learnt)} were used." if learnt else "Your own priors were used."
    ]


def _say_moved(learnt: Learnt) -> str:
    found = []
    for name, (before, after) in learnt.moved.items():
        ratio = after / before if before > 0 else 1.0
        if name in _MOVES and not 1 / _NOTEWORTHY < ratio < _NOTEWORTHY:
            found.append(f"{_MOVES[name][ratio < 1]} ({before:.3g} -> {after:.3g})")
    if not found:
        return "they hardly move the priors."
    return f"{join_words(found)}."


def _say_judged(learnt: Learnt) -> str:
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


def write_learn_methods(learnt: Learnt) -> str:
    """Paragraph for the methods section of a paper."""
    left_out = ""
    if learnt.left_out:
        before, after, error = learnt.left_out["crps"]
        left_out = (
            f" On tasks left out in turn, the CRPS was {after:.4g}, with the shipped priors {before:.4g} (standard "
            f"error of the difference {error:.2g})."
        )
    return (
        f"Priors were learnt from {describe_learnt_curves(learnt)} by optimising the log score and the CRPS of the "
        f"later part of each curve, forecast from {learnt.pilots:,} pilots cut from the earlier part, with a penalty "
        f"on moves away from the calibrated priors worth {learnt.pull:g} curves (seed {learnt.seed}).{left_out}"
    )
