"""A batch of curves in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...questions.forecast import BatchAnswer
from .phrases import listed, roughly

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
    asked = [(one.required, str(one.task)) for one in answer.found if one.required is not None]
    if answer.question.target is None or not asked:
        return text
    met = [name for required, name in asked if required.already_met]
    later = [(r, name) for r, name in asked if not r.already_met and math.isfinite(r.size)]
    never = [name for required, name in asked if not required.already_met and math.isinf(required.size)]
    parts = [f"{_named(met)} {_verb(met)} it with what there is"] if met else []
    if later:
        first, name = min(later, key=lambda one: one[0].size)
        reach = (
            f"the first of {len(later):,} to reach it with more is {name}" if len(later) > 1 else f"{name} takes more"
        )
        parts.append(f"{reach}, at {roughly(first.size, first.relative_error)} examples")
    if never:
        parts.append(f"{_named(never)} {_verb(never)} it with no number of examples")
    goal = f"a target of {answer.question.target:g} with a probability of {100 * answer.question.confidence:g} %"
    return f"{text} For {goal}: {'; '.join(parts)}."


def tasks_of_caution(names: Sequence[str], count: int) -> str:
    """Which tasks a caution is about, to open it with; nothing where it is about all."""
    return "" if len(names) == count else f"{_named(names)}: "


def _named(names: Sequence[str]) -> str:
    shown = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED:,} more"] if len(names) > _MOST_NAMED else [*names]
    return listed(shown)


def _verb(names: Sequence[str]) -> str:
    return "reaches" if len(names) == 1 else "reach"
