"""Output to a terminal: text without control characters, which could clear it or reverse text, and a progress bar."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

__all__ = ["CleanStream", "escape_controls", "progress_bar", "unwrap_stream"]

# Control characters but line ends and tabs, both kinds of escape sequences among them; marks that turn the direction of
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

_DELAY = 1.0  # seconds: work that is done sooner needs no bar


def escape_controls(text: str) -> str:
    r"""Spell out control characters and marks that change the direction of text: \x1b for an escape."""
    return text.translate(_ESCAPED)


class CleanStream:
    """A text stream that escapes control characters in all that is written to it.

    Its `buffer` cannot be reached, so that nothing is written past it by accident.
    """

    def __init__(self, stream: TextIO) -> None:
        self.wrapped = stream

    def write(self, text: str) -> int:
        """Write the text with control characters escaped."""
        self.wrapped.write(escape_controls(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.wrapped, name)


def unwrap_stream(stream: TextIO) -> TextIO:
    """The stream behind a CleanStream, for a bar or table that has colours and escapes its texts itself."""
    return stream.wrapped if isinstance(stream, CleanStream) else stream


@contextmanager
def progress_bar(
    label: str, total: int, *, done: int = 0, shown: bool = True, patience: float = _DELAY
) -> Iterator[Callable[[], None]]:
    """Yield the function that counts one more; the bar appears after `patience` seconds, and vanishes at the end.

    Parameters
    ----------
    label
        Name of the things that are counted.
    total, done
        How many there are, and how many of them are finished from the start.
    shown
        Whether a bar is wanted at all.
    patience
        Seconds until it appears.
    """
    bar = _make_bar() if shown and total - done > 1 else None
    if bar is None:
        yield lambda: None
        return
    task = bar.add_task(escape_controls(label), total=total, completed=done)
    start = time.monotonic()
    with _stop_at_end(bar):
        if not patience:
            bar.start()

        def advance() -> None:
            bar.advance(task)
            if not bar.live.is_started and time.monotonic() - start > patience:
                bar.start()

        yield advance


def _make_bar() -> Any:
    """A progress bar of rich, or None where there is no terminal to show it on."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=unwrap_stream(sys.stderr))
    if not (console.is_terminal or console.is_jupyter):
        return None
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True)


@contextmanager
def _stop_at_end(bar: Any) -> Iterator[None]:
    """Stop the bar when the block ends."""
    try:
        yield
    finally:
        if bar.live.is_started:
            bar.stop()
