"""Text and data from outside, made safe to stand in HTML and SVG."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from ..files.writing import to_json_value

__all__ = ["dump_json_block", "escape_markup", "keep_per_cent", "replace_controls"]

# What neither HTML nor XML may hold: control characters other than space, halves of surrogate pairs, noncharacters.
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_BREAK = re.compile(r"(?<=\d) (?=%)")
_IN_SCRIPT = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def replace_controls(text: str) -> str:
    """The text with a mark in place of characters that a document cannot hold."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def keep_per_cent(text: str) -> str:
    """Prose with a no-break space between a number and its per cent sign, so that no line ends between them."""
    return _BREAK.sub("\N{NO-BREAK SPACE}", text)


def escape_markup(text: object) -> str:
    """Text as it stands between tags or in a quoted attribute."""
    return html.escape(replace_controls(str(text)))


def dump_json_block(value: Any) -> str:
    """JSON that can stand inside a script element: nothing in it ends the element or begins another."""
    return json.dumps(to_json_value(value), separators=(",", ":")).translate(_IN_SCRIPT)
