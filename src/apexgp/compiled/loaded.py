"""Inner loops in C, where they could be compiled: to rounding the numbers that NumPy gives, several times faster."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import Any

__all__ = ["compiled_loops"]

_INTERFACE = 5  # of loops.c: one that was built from other sources is left alone


def compiled_loops(nodes: int = 0) -> Any:
    """The compiled module for work on so many nodes; None where NumPy has to do it.

    That is without a module (no compiler when the package was built), with APEXGP_NUMPY=1, and for a number of nodes
    that the loops, which take several at a time, do not take.
    """
    loops = _module()
    return None if loops is None or nodes % loops.MOST_LANES else loops


@lru_cache(maxsize=1)
def _module() -> Any:
    if os.environ.get("APEXGP_NUMPY", "0") not in ("", "0"):
        return None
    try:
        loops = import_module(".loops", __package__)
    except ImportError:
        return None
    return loops if getattr(loops, "INTERFACE", None) == _INTERFACE else None
