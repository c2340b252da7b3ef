"""Sheets of pilot studies as offices keep them, with the curves that a careful human reader would take from them.

Thirty sheets by three people who had not seen the reader: a study nurse, an engineer and a lab manager, each for a
German, a French and an American office.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Points = Sequence[tuple[float, float] | tuple[float, float, str]]
"""(size, score) or (size, score, split) of each single score."""


@dataclass(frozen=True)
class Sheet:
    """A file, and what it says."""

    name: str
    build: Callable[[], bytes]
    """Makes the file."""
    curves: Mapping[str | None, Points]
    """The curves by the name of the model or task; None where there is only one and it has no name."""
    metric: str | None = None
    """The usual English name of what was measured."""
    unit: str | None = None
    """What a size counts, in English, if the sheet says more than examples."""
    options: str = ""
    """What only the person who asks can know, if anything."""
    about: str = ""
    """What is typical of it."""
