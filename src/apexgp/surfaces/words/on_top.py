"""What is needed beyond the training set: cases for validation and test, which no size counts."""

from __future__ import annotations

import math

from ...answers.plan import CollectionPlan
from ...answers.required import RequiredSize
from ...curve import LearningCurve
from .required import is_realistic

__all__ = ["on_top_of_plan", "on_top_of_required", "total_with"]


def total_with(size: float, share: float) -> int:
    """How many are needed in all, where a share of them is not trained on; rounded up to as many digits as the size."""
    digits = len(f"{size:.0f}".rstrip("0"))
    total = math.ceil(round(size / (1 - share), 6))
    step = 10 ** max(0, len(str(total)) - max(2, digits))
    return -(-total // step) * step


def on_top_of_required(found: RequiredSize, curve: LearningCurve) -> str:
    """That validation and test cases come on top of the size for a target, and how many it makes in all."""
    if found.already_met or not is_realistic(found, curve.largest):
        return ""
    return _on_top(curve, found.rounded_size)


def on_top_of_plan(plan: CollectionPlan, curve: LearningCurve) -> str:
    """The same of the first round of a plan that collects something."""
    worth = [size for size in plan.stops if size > plan.start]
    return _on_top(curve, min(worth)) if worth else ""


def _on_top(curve: LearningCurve, size: float) -> str:
    what = f"{curve.unit_name} for validation and test come on top"
    if curve.test_share is None:
        return f"These are for training alone; {what}."
    total = total_with(size, curve.test_share)
    return (
        f"These are for training alone; {what}: {total:,} in all, where {100 * curve.test_share:.3g} % are kept for "
        "them."
    )
