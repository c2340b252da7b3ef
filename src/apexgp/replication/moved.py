"""A configuration whose text goes to another folder: the files that it names must be found from there."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["rewrite_paths"]


def rewrite_paths(text: str, files: Mapping[str, Path | None], folder: Path) -> str:
    """The text of a configuration as it must stand in `folder`, remarks and all.

    Parameters
    ----------
    text
        As it was written.
    files
        The files that it means, by their keys in its table `data`; None where it means none.
    folder
        Where it goes. Paths are written relative to it, but for those that lead to the same file as they are.
    """
    for key, file in files.items():
        named = tomllib.loads(text).get("data", {}).get(key, "")
        if file is not None and not (named and folder / named == file):
            text = _replace_path(text, key, _find_relative_path(folder, file))
    return text


def _find_relative_path(folder: Path, file: Path) -> str:
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # on another drive
        return file.as_posix()


def _replace_path(text: str, key: str, path: str) -> str:
    """The text with another path for a key; where it is written too oddly to be changed, with a remark that says so."""
    wanted = tomllib.loads(text)
    wanted.setdefault("data", {})[key] = path
    for changed in _list_edits(text, key, json.dumps(path, ensure_ascii=False)):
        if _parse_toml(changed) == wanted:
            return changed
    return f"# data.{key} is {path!a} from here.\n{text}"


def _list_edits(text: str, key: str, literal: str) -> Iterator[str]:
    """Each way to write the path into the text; some hit a remark or another table."""
    for found in re.finditer(rf"""\b{key}["']?\s*=\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*')""", text):
        yield text[: found.start(1)] + literal + text[found.end(1) :]
    for found in re.finditer(r"^[ \t]*\[[ \t]*data[ \t]*\].*$", text, re.MULTILINE):
        yield f"{text[: found.end()]}\n{key} = {literal}{text[found.end() :]}"


def _parse_toml(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
