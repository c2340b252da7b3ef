"""Optional dependencies: imported where they are used, or an error that names the extra to install."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import MissingExtraError


def import_extra(module: str, caller: str, extra: str) -> Any:
    """Import `module` for `caller`, or say which extra of apexgp installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        package = module.partition(".")[0]
        if missing.name is None or missing.name.partition(".")[0] != package:
            raise  # the module is installed, but one of its own dependencies is not
        raise MissingExtraError(f"{caller} needs {package}: pip install 'apexgp[{extra}]'") from None
