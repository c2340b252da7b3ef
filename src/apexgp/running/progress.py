"""A bar that shows how far work has come, where there is a terminal to show it on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .terminal import escape_controls, unwrap_stream

__all__ = ["progress_bar"]

_DELAY = 1.0  # seconds: work that is done sooner needs no bar


@contextmanager
def progress_bar(
    what: str, total: int, *, done: int = 0, shown: bool = True, patience: float = _DELAY
) -> Iterator[Callable[[], None]]:
    """Give the function that counts one more; the bar appears once the work has taken a moment, and goes at its end.

    Parameters
    ----------
    what
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
    task = bar.add_task(escape_controls(what), total=total, completed=done)
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
    """The bar, or None where nobody would see it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=unwrap_stream(sys.stderr))
    if not (console.is_terminal or console.is_jupyter):
        return None
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True)


@contextmanager
def _stop_at_end(bar: Any) -> Iterator[None]:
    try:
        yield
    finally:
        if bar.live.is_started:
            bar.stop()
