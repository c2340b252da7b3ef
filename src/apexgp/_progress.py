"""How far a long piece of work has come, shown where there is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["bar"]


@contextmanager
def bar(what: str, total: int, done: int, shown: bool) -> Iterator[Callable[[], None]]:
    """A progress bar with an estimate of the time left; gives the function that counts one more.

    Parameters
    ----------
    what
        What is counted, in a word.
    total, done
        How many there are, and how many were there before.
    shown
        Whether a bar is wanted at all.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not (shown and (console.is_terminal or console.is_jupyter)):
        yield lambda: None
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(what, total=total, completed=done)
        yield lambda: progress.advance(task)
