"""The server: tools listed and called over standard input and output, until the client has gone."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from ...running.terminal import unwrap_stream
from ..web.pool import BusyError, TookTooLongError, WorkerDiedError, WorkerPool
from .answers import Call, Reply, answer
from .tools import list_tools, load_tool

__all__ = ["run"]

_SECONDS = 600.0  # that an answer may take
_WORKERS = 2
_MOST_WAITING = 50  # calls, for one of the processes


def run(folders: Sequence[Path]) -> None:
    """Answer a client until it closes standard input.

    Parameters
    ----------
    folders
        What may be read, links followed.
    """
    anyio.run(_serve, tuple(folders))


async def _serve(folders: tuple[Path, ...]) -> None:
    # The protocol escapes what a terminal would obey. While it is spoken, whatever else is printed goes to standard
    # error, in the worker processes too, which begin after that was seen to.
    with redirect_stdout(unwrap_stream(sys.stdout)):
        async with stdio_server() as (received, sent):
            pool = WorkerPool(answer, _WORKERS, _SECONDS, _MOST_WAITING)
            try:
                server = _Questions(folders, pool).server()
                await server.run(received, sent, server.create_initialization_options())
            finally:
                pool.close()


class _Questions:
    """The tools, and the processes that answer them."""

    def __init__(self, folders: tuple[Path, ...], pool: WorkerPool) -> None:
        self._folders, self._pool = folders, pool

    def server(self) -> Server[dict[str, Any]]:
        return Server(
            "apexgp",
            version=version("apexgp"),
            instructions=write_instructions(list(map(str, self._folders))),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    async def _list_tools(
        self, _context: ServerRequestContext[Any], _asked: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        found = [load_tool(name, with_files=bool(self._folders)) for name in list_tools()]
        hints = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=one.name,
                    description=one.about,
                    input_schema=one.input_schema,
                    output_schema=one.output_schema,
                    annotations=hints,
                )
                for one in found
            ]
        )

    async def _call_tool(
        self, _context: ServerRequestContext[Any], asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if asked.name not in list_tools():
            reply = Reply(say_unknown_tool(asked.name, list_tools()))
        else:
            reply = await self._answer_call(Call(asked.name, asked.arguments or {}, self._folders))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=reply.text)],
            structured_content=reply.document,
            is_error=reply.document is None,
        )

    async def _answer_call(self, call: Call) -> Reply:
        # A task of its own: what cancels a call must wait until the worker has been stopped.
        task = asyncio.create_task(self._pool.answer(call))
        try:
            reply: Reply = await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            raise
        except BusyError:
            return Reply("The server is busy. Try again in a moment.")
        except TookTooLongError:
            return Reply(say_took_too_long(_SECONDS))
        except WorkerDiedError:
            return Reply("The process computing this died, perhaps for lack of memory. Send fewer rows.")
        return reply


def write_instructions(folders: Sequence[str]) -> str:
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


def say_unknown_tool(name: str, known: Sequence[str]) -> str:
    """Message for a tool that does not exist."""
    return f"There is no tool {name!r}. Choose from {', '.join(known)}."


def say_took_too_long(seconds: float) -> str:
    """Message for an answer that did not come in time."""
    return f"This would take longer than {seconds:g} seconds. Send fewer rows."
