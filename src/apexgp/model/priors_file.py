"""Priors as JSON files, with a checksum: numbers edited by hand are no longer what the record says."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

from .._check import DAMAGED, check_instance
from ..errors import DataError
from ..files.plain import plain
from ..files.writing import write_text
from ..reading.spreadsheets import one_line, read_bytes
from .beliefs import Beliefs

__all__ = ["compute_checksum", "parse_priors", "read_priors", "write_priors"]

_FORMAT = "apexgp-priors"


def write_priors(beliefs: Beliefs, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write priors, such as `learn_beliefs` returns, as a JSON file for `read_priors` and `--priors`."""
    check_instance("beliefs", beliefs, Beliefs, "Beliefs, such as learn_beliefs returns")
    content = plain(beliefs.to_dict())
    document = {"format": _FORMAT, "apexgp": version("apexgp"), "checksum": _hash_content(content), "priors": content}
    write_text(path, json.dumps(document, indent=1) + "\n", overwrite=overwrite)


def read_priors(path: str | os.PathLike[str]) -> Beliefs:
    """Read what `write_priors` or `apexgp learn` wrote."""
    raw = read_bytes(path)
    return _parse_document(raw, partial(_blame_file, path))


def parse_priors(text: str, argument: str) -> Beliefs:
    """The priors of such a file, of which the text came as an argument."""
    return _parse_document(text.encode(errors="replace"), partial(DataError, argument=argument))


def _blame_file(path: str | os.PathLike[str], message: str) -> DataError:
    return DataError(f"{path} {message}")


def _parse_document(raw: bytes, at_fault: Callable[[str], DataError]) -> Beliefs:
    try:
        document = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise at_fault(f"is not a file of priors: {problem}.") from None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise at_fault("is not a file of priors written by apexgp learn.")
    if document.get("checksum") != _hash_content(document.get("priors")):
        raise at_fault(
            "was edited after it was written: its checksum does not match, so its record no longer says where the "
            "numbers come from. Learn the priors again, or state your own as apexgp.priors.Beliefs in Python."
        )
    try:
        return Beliefs.from_dict(document["priors"])
    except DAMAGED as problem:
        said = one_line(str(problem), 500).rstrip(".")
        raise at_fault(f"is from another version of apexgp, or damaged: {said}.") from None


def compute_checksum(beliefs: Beliefs) -> str:
    """What tells the numbers of priors from those of others: the checksum that their file has."""
    return _hash_content(plain(beliefs.to_dict()))


def _hash_content(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
