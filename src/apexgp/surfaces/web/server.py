"""A server on a socket of this machine, from the first line on the terminal to Ctrl+C."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn

from ..._check import check_whole_number
from ...errors import RequestError
from .app import make_app
from .connection import Connection
from .guard import is_loopback

__all__ = ["run"]

_SHORTEST_TOKEN = 16
_ACCEPTED_AT_ONCE = 64  # connections, before those that are too many are closed again


def run(host: str, port: int, *, browser: bool, with_token: bool, say: Callable[[str], None]) -> None:
    """Serve the page until Ctrl+C.

    Parameters
    ----------
    host, port
        Where to listen.
    browser
        Whether to open the page in a browser.
    with_token
        Whether requests need a token; where others reach the host they always do.
    say
        Prints a line.
    """
    token = _token() if with_token or not is_loopback(host) else None
    listening = _listen(host, port)
    if not is_loopback(host):
        say(say_open_to_others(host))
    address = _address(host, listening.getsockname()[1], token)
    config = uvicorn.Config(
        make_app(host, token),
        # Nothing that is asked is written down, nor what is wrong with it.
        log_config=None,
        log_level="error" if os.environ.get("APEXGP_TRACEBACK") else "critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        http=Connection,
        backlog=_ACCEPTED_AT_ONCE,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=5,
    )
    # What a browser is started with everybody on the machine can read: a token goes by a file of one's own.
    with _redirect_to(address) if browser and token else nullcontext(address) as opened:
        server = _Server(config, lambda: _begin(address, opened if browser else None, say))
        with suppress(KeyboardInterrupt):  # the way to stop it
            server.run(sockets=[listening])


@contextmanager
def _redirect_to(address: str) -> Iterator[str]:
    """A page that only its owner can read and that leads to the address, for the length of a block."""
    with TemporaryDirectory(prefix="apexgp-") as folder:  # others may not look into it
        page = Path(folder) / "open.html"
        page.touch(0o600)
        page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}"><title>apexgp</title>')
        yield page.as_uri()


class _Server(uvicorn.Server):
    """One that says when it listens."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if not os.environ.get("APEXGP_TRACEBACK"):  # a connection that breaks is no news
            asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
        await super().startup(sockets)
        if self.started:
            self._begun()


def _begin(address: str, opened: str | None, say: Callable[[str], None]) -> None:
    say(say_address(address))
    if opened is not None:  # beside the server: some browsers keep those waiting who open them
        threading.Thread(target=webbrowser.open, args=(opened,), daemon=True).start()


def _listen(host: str, port: int) -> socket.socket:
    check_whole_number("port", port, least=0, most=65535)
    try:
        family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError):
        raise _elsewhere(host) from None
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere this would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
    except OSError as problem:
        listening.close()
        if problem.errno == errno.EADDRNOTAVAIL:
            raise _elsewhere(host) from None
        raise RequestError(
            f"{port} on {host} cannot be used: {problem.strerror}.",
            argument="port",
            remedy=("Choose another with {}, or any free one with {}.", "port", ("port", 0)),
        ) from None
    return listening


def _elsewhere(host: str) -> RequestError:
    return RequestError(f"must be an address of this machine, got {host!r}.", argument="host")


def _token() -> str:
    token = os.environ.get("APEXGP_TOKEN") or secrets.token_urlsafe(24)
    if not re.fullmatch(rf"[\w-]{{{_SHORTEST_TOKEN},200}}", token, re.ASCII):
        raise RequestError(
            f"APEXGP_TOKEN must have {_SHORTEST_TOKEN} or more letters, digits, - and _; got {len(token)} characters."
        )
    return token


def _address(host: str, port: int, token: str | None) -> str:
    """Where the page is; the token is in the fragment, which browsers do not send."""
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/{f'#token={token}' if token else ''}"


def say_address(address: str) -> str:
    """Where the page is."""
    return f"The page is at {address} - press Ctrl+C to stop."


def say_open_to_others(host: str) -> str:
    """Warning that others reach the server."""
    return (
        f"Warning: on {host} everyone on the network can reach this server. It asks for the token below, but nothing "
        "is encrypted: use it on a network you trust, or through a tunnel (ssh -L 8000:localhost:8000 machine)."
    )
