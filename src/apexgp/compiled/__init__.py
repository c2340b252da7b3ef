"""Inner loops in C, where they could be compiled: the same numbers as NumPy gives, to rounding, several times faster."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

__all__ = ["compiled_loops"]


@lru_cache(maxsize=1)
def compiled_loops() -> Any:
    """The compiled module; None without one (no compiler when the package was built), or with APEXGP_NUMPY=1."""
    if os.environ.get("APEXGP_NUMPY", "0") not in ("", "0"):
        return None
    try:
        from . import loops  # type: ignore[attr-defined]
    except ImportError:
        return None
    return loops
