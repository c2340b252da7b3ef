"""What assistants are told of the tools, and people who start the server by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["AT_A_TERMINAL", "forecast_lines", "instructions", "took_too_long", "unknown_tool"]

AT_A_TERMINAL = (
    "apexgp mcp answers programs that speak the Model Context Protocol on standard input and output: a configured "
    "assistant starts it by itself. Press Ctrl+C to stop."
)


def instructions(folders: Sequence[str]) -> str:
    """How to use the tools."""
    files = (
        f"Instead of text, tools accept files in {' or '.join(folders)}; no others can be read."
        if folders
        else "No files can be read: send tables as text."
    )
    return (
        "Forecast what a classifier will score with more labelled data, from a pilot: scores measured at three or more "
        "training-set sizes. Use forecast for the score at larger sizes and, with a target, for the number of examples "
        "that reach it; plan for what to collect when labels cost money; design for what to measure next; compare for "
        "which of several models will be better; sensitivity, check and backtest for how far to trust the answer; "
        "minimum for a prediction model before there is any pilot, or for the size of its evaluation. "
        f"Tables are CSV text with the columns size, score and, if known, split. {files} Every answer comes with its "
        "cautions: pass them on as part of it. Nothing is sent anywhere or written to disk."
    )


def forecast_lines(document: Mapping[str, Any]) -> list[str]:
    """The forecast at each size, for assistants to which nothing but text is shown; of other documents nothing."""
    rows = document.get("forecast", ())
    return [
        f"At {row['size']:,.0f}: {row['mean']:.4g} ({100 * document['level']:g} % interval {row['lower']:.4g} to "
        f"{row['upper']:.4g})."
        for row in rows
    ]


def unknown_tool(name: str, known: Sequence[str]) -> str:
    """That there is no such tool."""
    return f"There is no tool {name!r}. Choose from {', '.join(known)}."


def took_too_long(seconds: float) -> str:
    """That an answer did not come in time."""
    return f"This would take longer than {seconds:g} seconds. Send fewer rows."
