"""Inner loops in C, where they could be compiled: to rounding the numbers that NumPy gives, several times faster."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import Any

__all__ = ["compiled_loops"]


@lru_cache(maxsize=1)
def compiled_loops() -> Any:
    """The compiled module; None without one (no compiler when the package was built), or with APEXGP_NUMPY=1."""
    if os.environ.get("APEXGP_NUMPY", "0") not in ("", "0"):
        return None
    try:
        return import_module(".loops", __package__)
    except ImportError:
        return None
