"""The one shape of an error that leaves the server: what was wrong, which argument it is about, and which rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from starlette.responses import Response

__all__ = ["UNPREPARED", "ErrorReply", "RefusalError", "build_error_body"]

UNPREPARED = (
    "The server hit an unexpected problem. Please report it; with APEXGP_TRACEBACK=1 in the environment, the terminal "
    "shows where it happened."
)


class FaultyRow(TypedDict):
    """A row of the table at fault."""

    line: int
    """Line of the table; the header is line 1."""
    column: str | None
    """The column at fault, if any."""
    message: str


class ErrorFacts(TypedDict):
    """An error."""

    kind: Literal["data", "request", "server"]
    message: str
    """What was expected, what was received, what to do: one clear line."""
    argument: str | None
    """The field of the request at fault."""
    rows: list[FaultyRow]


class ErrorReply(TypedDict):
    """The one shape of every error."""

    error: ErrorFacts


def build_error_body(
    kind: str,
    message: str,
    argument: str | None = None,
    rows: Sequence[Mapping[str, Any]] = (),
) -> bytes:
    """An error as JSON.

    Parameters
    ----------
    kind
        "data" (the measurements), "request" (an argument), or "server".
    message
        One clear line.
    argument
        The field of the request at fault.
    rows
        Rows of the table at fault: `line` (the header is line 1), `column` where one is known, `message`.
    """
    error = {"kind": kind, "message": message, "argument": argument, "rows": list(rows)}
    return json.dumps({"error": error}, allow_nan=False).encode()


class RefusalError(Exception):
    """A request that is not answered, and why."""

    def __init__(self, status: int, argument: str | None, message: str, kind: str = "request") -> None:
        super().__init__(message)
        self.status, self.argument, self.message, self.kind = status, argument, message, kind

    def response(self) -> Response:
        """The answer to such a request."""
        body = build_error_body(self.kind, self.message, self.argument)
        extra = {401: {"www-authenticate": "Bearer"}, 503: {"retry-after": "2"}}.get(self.status)
        return Response(body, self.status, extra, "application/json")
