"""What is needed beyond the training set: cases for validation and test, which no size counts."""

from __future__ import annotations

from ..._numbers import round_up
from ...answers.plan import CollectionPlan
from ...answers.required import RequiredSize
from ...curve import LearningCurve

__all__ = ["on_top_of_plan", "on_top_of_required", "total_required"]


def total_required(found: RequiredSize, curve: LearningCurve) -> float | None:
    """How many a target takes in all, from the size that is printed; None where that is not known, or no plan."""
    if curve.test_share is None or found.already_met or not found.is_realistic:
        return None
    return _total(found.rounded_size, curve.test_share, found.digits)


def _total(size: float, share: float, digits: int) -> float:
    # To a thousandth of a case, since 0.1 is no binary fraction: 900 of which 10 % are kept are 1,000 in all.
    return round_up(round(size / (1 - share), 3), digits)


def on_top_of_required(found: RequiredSize, curve: LearningCurve) -> str:
    """That validation and test cases come on top of the size for a target, and how many it makes in all."""
    if found.already_met or not found.is_realistic:
        return ""
    total = total_required(found, curve)
    in_all = "" if total is None else f": {total:,.0f} in all, {_kept(curve)}"
    return f"Sizes count training {curve.unit_name} only; those for validation and test come on top{in_all}."


def on_top_of_plan(plan: CollectionPlan, curve: LearningCurve) -> str:
    """The same of the first size to collect, to the last digit, as the plan is."""
    worth = [size for size in plan.stops if size > plan.start]
    if not worth:
        return ""
    first, in_all = min(worth), ""
    if curve.test_share is not None:
        in_all = f": {_total(first, curve.test_share, 15):,.0f} in all to train on {first:,.12g}, {_kept(curve)}"
    return f"{curve.unit_name.capitalize()} for validation and test come on top{in_all}."


def _kept(curve: LearningCurve) -> str:
    return f"if {100 * (curve.test_share or 0):.3g} % are kept for them"
