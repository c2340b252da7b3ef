"""A batch of curves in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...answers.required import RequiredSize
from ...questions.forecast import BatchAnswer
from .phrases import listed
from .required import required_words

__all__ = ["batch_intro", "batch_sentence", "tasks_of_caution"]

_MOST_NAMED = 5


def batch_intro(count: int, metric: str) -> str:
    """What was read, to open with."""
    return f"{count:,} tasks, each forecast on its own ({metric})."


def batch_sentence(answer: BatchAnswer) -> str:
    """How many tasks could be forecast, and which could not; and how far the target is."""
    failed = [str(one.task) for one in answer.found if one.error is not None]
    text = f"Of {len(answer.found):,} tasks, {len(answer.found) - len(failed):,} could be forecast"
    text += f"; {_named(failed)} could not." if failed else "."
    asked = [(str(one.task), one.required) for one in answer.found if one.required is not None]
    if answer.question.target is None or not asked:
        return text
    met = [name for name, required in asked if required.already_met]
    more = [one for one in asked if not one[1].already_met and math.isfinite(one[1].size)]
    short = [(name, required) for name, required in asked if not required.already_met and math.isinf(required.size)]
    parts = [f"{_named(met)} {'reaches' if len(met) == 1 else 'reach'} it with the data at hand"] if met else []
    parts += _more_needed(more)
    if short:
        chances = _named([f"{required.at_best} for {name}" for name, required in short])
        parts.append(f"even with unlimited data the probability is {chances}")
    goal = f"a target of {answer.question.target:g} with a probability of {100 * answer.question.confidence:g} %"
    return f"{text} For {goal}: {'; '.join(parts)}."


def _more_needed(found: Sequence[tuple[str, RequiredSize]]) -> list[str]:
    """What those tasks take that some number of examples would do for: the least and the most of them."""
    if not found:
        return []
    by_size = sorted(found, key=lambda one: one[1].size)
    sizes = [f"{required_words(required)} examples" for _, required in (by_size[0], by_size[-1])]
    if len(found) == 1:
        return [f"{by_size[0][0]} needs {sizes[0]}"]
    return [f"{len(found):,} tasks need between {sizes[0]} ({by_size[0][0]}) and {sizes[1]} ({by_size[-1][0]})"]


def tasks_of_caution(names: Sequence[str], count: int) -> str:
    """Which tasks a caution is about, to open it with; nothing where it is about all."""
    return "" if len(names) == count else f"{_named(names)}: "


def _named(names: Sequence[str]) -> str:
    shown = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED:,} more"] if len(names) > _MOST_NAMED else [*names]
    return listed(shown)
