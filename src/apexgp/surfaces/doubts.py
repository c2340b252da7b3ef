"""Doubts about a table on the command line: the options that settle them, and questions at a terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import typer

from ..curve import Reading
from ..errors import ApexError
from ..question_base.column_settings import ColumnSettings, write_fields
from ..reading.cells import number_in
from ..reading.doubts import Doubt
from ..reading.show import write_text_doubt, write_text_rows
from ..vocabulary import Vocabulary
from .command import build_options_vocabulary

__all__ = ["can_ask", "find_width", "settle_doubts", "write_options"]

_NARROWEST, _WIDEST = 40, 100  # letters of a line that is read with ease
_MOST_QUESTIONS = 6
_MOST_TRIES = 3
_ROWS_SHOWN = 8
_TO_TYPE = {
    "metric": "the name of the metric",
    "range": "the lowest and the highest possible score, such as 0,100",
    "total": "the number of examples in all",
}
"""What a person may type in place of a choice, by the setting that it is for."""


def write_options(settings: Mapping[str, Any]) -> str:
    """Settings of `apexgp.read` as options of a command: --roles C=score."""
    return " ".join(_write_option(argument, value) for argument, value in settings.items())


def _write_option(argument: str, value: Any) -> str:
    if argument in ("rows", "header", "sections") and value is not None:
        value = write_fields({argument: value})[argument]
    elif argument == "range" and not isinstance(value, str | None):
        value = ",".join(f"{end:.10g}" for end in value)
    elif argument == "fill_down" and value is not None:
        value = ",".join(value)
    elif isinstance(value, bool):
        value = str(value)
    elif isinstance(value, float):
        value = f"{value:.17g}"
    return _options().setting(argument, value)


@cache
def _options() -> Vocabulary:
    return build_options_vocabulary(ColumnSettings)


def find_width() -> int:
    """Letters of a line on this terminal."""
    return max(min(shutil.get_terminal_size().columns, _WIDEST), _NARROWEST)


def can_ask() -> bool:
    """Whether somebody sits at a terminal who can read a question and answer it."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def settle_doubts(reading: Reading, task: str | None = None) -> tuple[Reading, dict[str, Any]]:
    """Ask, at the terminal, about what keeps a table from being read, and return it read with the answers.

    Parameters
    ----------
    reading
        The table as far as it could be read.
    task
        The only task that is wanted, if one was named.

    Returns
    -------
    Reading
        Still with doubts where somebody did not answer.
    dict
        The answers as settings of `apexgp.read`.
    """
    answers: dict[str, Any] = {}
    for _ in range(_MOST_QUESTIONS):
        doubt = _find_obstacle(reading, task)
        if doubt is None or not (doubt.choices or doubt.free in _TO_TYPE):
            break
        answered = _ask(reading, doubt)
        if answered is None:
            break
        reading, settings = answered
        if "roles" in settings:
            settings = {**settings, "roles": {**answers.get("roles", {}), **settings["roles"]}}
        answers |= settings
    return reading, answers


def _find_obstacle(reading: Reading, task: str | None) -> Doubt | None:
    """The doubt that keeps all curves, or the one that is wanted, from being used; some may be without the others."""
    try:
        curves = reading.find_curves()
    except ApexError:
        return reading.doubts[0]
    wanted = [curves[task]] if task in curves else curves.values()
    if reading.doubts and all(curve.direction_in_doubt for curve in wanted):
        return reading.doubts[0]
    return None


def _ask(reading: Reading, doubt: Doubt) -> tuple[Reading, dict[str, Any]] | None:
    """Show what a doubt is about, ask, and read the table with the answer; None where there was none."""
    width = find_width()
    rows = write_text_rows(reading.sheet, reading.interpretation, [doubt], width=width, most=_ROWS_SHOWN)
    question = write_text_doubt(doubt, width=width, write_choice=None)
    typer.echo("\n".join(["", *rows, "", *question]), err=True)
    wanted = _word_answers(doubt)
    for _ in range(_MOST_TRIES):
        typer.echo(
            f"{'Which is right? ' if len(doubt.choices) > 1 else ''}Type {wanted} (Enter to stop): ", err=True, nl=False
        )
        try:
            line = sys.stdin.readline()
        except (OSError, ValueError):
            line = ""
        if not line.endswith("\n"):
            typer.echo(err=True)
        text = line.strip()
        if not text:
            return None
        try:
            settings = _understand(text, doubt)
            return reading.with_settings(**settings), settings
        except ApexError as problem:
            typer.echo(str(problem.worded_for(_options())), err=True)
        except ValueError:
            typer.echo(f"{text!r} is no answer here.", err=True)
    return None


def _word_answers(doubt: Doubt) -> str:
    """What may be typed: numbers of choices, or what the choices may not hold."""
    count = len(doubt.choices)
    numbers = "1 to do so" if count == 1 else "1 or 2" if count == 2 else f"a number from 1 to {count}"
    return ", or ".join(filter(None, [numbers if count else "", _TO_TYPE.get(doubt.free or "", "")]))


def _understand(text: str, doubt: Doubt) -> dict[str, Any]:
    """The settings that an answer stands for; a ValueError where it stands for none."""
    if text.removesuffix(".").isdecimal() and 1 <= int(text.removesuffix(".")) <= len(doubt.choices):
        return dict(doubt.choices[int(text.removesuffix(".")) - 1].settings)
    if doubt.free == "total":
        return {"total": number_in(text, decimal_comma=False, counts=True, point_groups=True)}
    if doubt.free in _TO_TYPE and not text.removesuffix(".").isdecimal():
        return {str(doubt.free): text}
    raise ValueError(text)
