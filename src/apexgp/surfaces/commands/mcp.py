"""The command `apexgp mcp`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..._extras import import_extra

__all__ = ["mcp"]

_AT_A_TERMINAL = (
    "apexgp mcp answers programs that speak the Model Context Protocol on standard input and output: a configured "
    "assistant starts it by itself. Press Ctrl+C to stop."
)


def mcp(
    *,
    folder: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder whose files may be read. Repeat for several.",
            show_default="none; tables come as text",
        ),
    ] = None,
) -> None:
    """Let an assistant ask the questions: a Model Context Protocol server on standard input and output.

    It listens on no network, writes no files, and reads none but those in the folders given.
    """
    import_extra("mcp", "apexgp mcp", "mcp")
    from ..assistant.folders import check_folder
    from ..assistant.server import run

    folders = [check_folder(one) for one in folder or ()]
    if sys.stdin.isatty():
        typer.echo(_AT_A_TERMINAL, err=True)
    try:
        run(folders)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
