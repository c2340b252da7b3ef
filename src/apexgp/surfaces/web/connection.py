"""One connection to a browser: a request has a deadline from the first moment on, and there is room for the next one.

uvicorn waits for the rest of a header for as long as somebody keeps the connection open. A few hundred such
connections take all descriptors of a process, and then nobody is answered.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .guard import HEADERS
from .refusals import RefusalError

__all__ = ["Connection"]

SECONDS_TO_ASK = 15.0
"""In which the header of a request must have arrived; the body has as long again."""
SECONDS_TO_READ = 30.0
"""After which an answer that nobody takes is given up."""
_MOST = 512
_OTHER_FILES = 160  # descriptors of pipes, libraries, and connections that are accepted in one go


def count_allowed_connections() -> int:
    """How many connections there may be at a time: no more than this process may have files."""
    if os.name != "posix":
        return _MOST
    import resource

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if files == resource.RLIM_INFINITY else max(8, min(_MOST, files - _OTHER_FILES))


class Connection(H11Protocol):
    """uvicorn's own, with deadlines, a bound on their number, and refusals in the one shape."""

    _deadline: asyncio.TimerHandle | None = None
    waiting_since: float | None = None
    """When the server began to wait for a request; None while it answers one."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait; where there are too many, whoever has waited longest goes."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > count_allowed_connections():
            waiting = [one for one in self.connections if isinstance(one, Connection) and one.waiting_since is not None]
            longest = min(waiting, key=lambda one: one.waiting_since or 0.0)
            self.connections.discard(longest)
            longest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._answer_begins()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take what has arrived; once that is a request, it is the application's to wait for the rest."""
        super().handle_events()
        if self._answering:
            self._answer_begins()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there already."""
        super().on_response_complete()
        if not self._answering and not self.transport.is_closing():
            self._wait()

    def pause_writing(self) -> None:
        """Give up an answer that nobody reads."""
        super().pause_writing()
        self._within(SECONDS_TO_READ, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on with one that is read."""
        super().resume_writing()
        self._answer_begins()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request."""
        self._refuse(RefusalError(400, None, "This is not a request that a browser would send."))

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self.waiting_since = self.loop.time()
        self._within(SECONDS_TO_ASK, self._give_up)

    def _answer_begins(self) -> None:
        self.waiting_since = None
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _within(self, seconds: float, otherwise: Any) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, otherwise)

    def _give_up(self) -> None:
        if self.conn.trailing_data[0]:  # half a header
            self._refuse(RefusalError(408, None, "The request did not arrive in time."))
        else:
            self.transport.close()

    def _refuse(self, refusal: RefusalError) -> None:
        response = refusal.response()
        headers = {"content-type": "application/json", "content-length": str(len(response.body)), "connection": "close"}
        try:
            for event in (
                h11.Response(status_code=refusal.status, headers=[*(headers | HEADERS).items()]),
                h11.Data(data=bytes(response.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:
            pass  # an answer is under way already: there is nothing to add
        self.transport.close()
