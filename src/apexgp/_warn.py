"""Warnings that point to the line in the user's code that they are about."""

from __future__ import annotations

import sys
import warnings

# Packages whose frames lie between the user's line and ours.
_CARRIERS = frozenset({"apexgp", "joblib", "sklearn", "click", "typer"})


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the nearest line outside this package and those that it is called through."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _CARRIERS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
