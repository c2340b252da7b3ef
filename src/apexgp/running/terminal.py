"""What is printed, without signs that a terminal obeys: a name in a table could clear it, or turn text around."""

from __future__ import annotations

from typing import Any, TextIO

__all__ = ["CleanStream", "escape_controls", "unwrap_stream"]

# Control signs but line ends and tabs, both kinds of escape sequences among them; marks that turn the direction of
# text; separators of lines that only some programs know; tags, which nobody sees.
_CONTROL_CODES = (
    *range(0x00, 0x09),
    *range(0x0B, 0x20),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F, 0x2028, 0x2029),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xE0000, 0xE0080),
)
_ESCAPED = {code: chr(code).encode("unicode_escape").decode("ascii") for code in _CONTROL_CODES}


def escape_controls(text: str) -> str:
    r"""The text with such signs spelt out: \x1b for an escape."""
    return text.translate(_ESCAPED)


class CleanStream:
    """A stream in whose place text is written without such signs.

    It does not give away its bytes (`buffer`), so that nothing is written past it by accident.
    """

    def __init__(self, stream: TextIO) -> None:
        self.wrapped = stream

    def write(self, text: str) -> int:
        """Write what can be shown."""
        self.wrapped.write(escape_controls(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.wrapped, name)


def unwrap_stream(stream: TextIO) -> TextIO:
    """The stream behind: for a bar or a table that has colours of its own, and cleans its texts itself."""
    return stream.wrapped if isinstance(stream, CleanStream) else stream
