"""Curves that ship with the package, to try the page with. `docs/make.py` measured those on real data."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TypedDict

from ...question_base.documents import Json

__all__ = ["ExamplesReply", "load_examples"]

_EXAMPLES = (
    {
        "name": "digits",
        "title": "Handwritten digits (scikit-learn)",
        "about": (
            "Accuracy of a logistic regression on scikit-learn's digits: five sizes, five random splits. With 1,300 "
            "examples it actually reached 0.967."
        ),
        "settings": {"target": 0.95, "at": ["720", "1300", "5000"]},
    },
    {
        "name": "scans",
        "title": "A pilot of 360 labelled scans",
        "about": "AUROC of a small pilot, two splits per size, with the costs of labelling more. Invented data.",
        "settings": {"target": 0.78, "confidence": 0.6, "cost": 12, "penalty": 50000, "at": ["2x", "10x"]},
    },
    {
        "name": "cancer",
        "title": "Breast cancer, error rate (scikit-learn)",
        "about": "Error rate of a random forest on scikit-learn's breast cancer data, eight splits: lower is better.",
        "settings": {"lower_is_better": True, "target": 0.03, "confidence": 0.5, "at": ["2x", "10x"]},
    },
)


class Example(TypedDict):
    """A curve to try the page with."""

    name: str
    title: str
    about: str
    table: str
    settings: dict[str, Json]
    """Fields of a request that go with it."""


class ExamplesReply(TypedDict):
    """Curves to try the page with."""

    examples: list[Example]


@cache
def load_examples() -> list[Example]:
    """The examples, each with its table and the settings that go with it."""
    folder = files(__package__) / "examples"
    return [
        {**example, "table": (folder / f"{example['name']}.csv").read_text(encoding="utf-8")}  # type: ignore[typeddict-item]
        for example in _EXAMPLES
    ]
