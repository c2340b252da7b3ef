"""What the page calls its controls, for messages that a reader of the page gets: each by its field of a request."""

from __future__ import annotations

from typing import Any

from ...model.means import DEFAULT_MEAN, MEANS

__all__ = ["CONTROLS", "control", "list_means", "set_in_control"]

CONTROLS = {
    "at": "Forecast at sizes",
    "averaged_over": "Runs behind each score",
    "available": "Most examples you could train on",
    "budget": "Models you could still train",
    "ceiling": "Highest possible score (ceiling)",
    "confidence": "with a probability of",
    "cost": "Cost per labelled example",
    "cstatistic": "Expected C statistic (AUROC)",
    "each_column": "What several columns of scores are",
    "floor": "Lowest possible score (floor)",
    "learner": "Kind of learner",
    "level": "Probability of the intervals",
    "lower_is_better": "Better scores are",
    "mean": "Shape of the curve",
    "metric": "Metric",
    "n_test": "Test cases",
    "of": "What is forecast",
    "range": "Lowest and highest possible score",
    "penalty": "Cost of missing the target",
    "per_cent": "Scores are percentages",
    "priors": "Learnt priors",
    "prevalence": "Share of patients with the outcome",
    "rounds": "Rounds of collection",
    "score_column": "Scores",
    "sd_column": "Standard deviations",
    "sheet": "Sheet",
    "size_column": "Sizes",
    "split_column": "Splits",
    "target": "Score to reach",
    "task": "Task",
    "task_column": "Tasks",
    "test_share": "Validation and test",
    "train_column": "Training scores",
    "unit": "What a size counts",
}


def control(field: str) -> str:
    """A control as a sentence names it; a field without one by its own name."""
    return f"“{CONTROLS[field]}”" if field in CONTROLS else field


def list_means() -> dict[str, str]:
    """Label the choices of the control for the mean by their values; that of the recommended one is empty."""
    others = {name: mean.label for name, mean in MEANS.items() if name != DEFAULT_MEAN}
    return {"": f"{MEANS[DEFAULT_MEAN].label} (recommended)", **others, "auto": "average weighted by evidence"}


def set_in_control(named: str, value: Any = None) -> str:
    """A control, as `control` names it, with what to choose or enter; the value None is the reader's to choose."""
    if value is None:
        return named
    chosen = value if isinstance(value, list) else [value]
    return f"{named} ({', '.join(map(str, chosen))})"
