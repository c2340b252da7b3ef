"""The guard at the door: who may ask, how much, and what browsers are told about every answer.

A page of another site must not be able to use this server through the browser of the person it serves. Its requests
are known by their Host (a name of theirs that they let point here), by Origin and Sec-Fetch-Site, and by a content type
that browsers send elsewhere without asking.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import socket
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .refusals import RefusalError

__all__ = ["HEADERS", "MOST_BYTES", "Guard", "is_loopback", "list_own_names"]

MOST_BYTES = 2_000_000  # of a request
_SECONDS_TO_SEND = 15.0  # in which a request must have arrived

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server on that host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def list_own_names(host: str) -> frozenset[str]:
    """Names under which a server on `host` may be called, beside addresses, which nobody can redirect."""
    if is_loopback(host):
        return frozenset({"localhost"})
    return frozenset({"localhost", host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()})


class Guard:
    """Refuse what should not reach the application, and give every answer its headers.

    Parameters
    ----------
    app
        What answers.
    host
        The address that the server listens on.
    token
        What requests to the interface must carry as `Authorization: Bearer ...`; None: nothing.
    takes
        By its path, the content type of what is posted there: no other will do, least of all those that browsers send
        for a page of another site without asking.
    """

    def __init__(self, app: ASGIApp, host: str, token: str | None, takes: Mapping[str, str]) -> None:
        self._app, self._names, self._loopback_only, self._takes = app, list_own_names(host), is_loopback(host), takes
        self._token = None if token is None else token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        stores = not scope["path"].startswith("/api/")

        begun = False

        async def add_headers(message: Message) -> None:
            nonlocal begun
            begun = True
            if message["type"] == "http.response.start":
                own = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    own[name] = value
                # The page's own files may be kept as long as they are asked about; answers not at all.
                own["cache-control"] = "no-cache" if stores else "no-store"
            await send(message)

        try:
            self._check(scope, headers)
            body = await _whole_body(headers, receive)
        except RefusalError as refusal:
            await refusal.response()(scope, receive, add_headers)
            return
        try:
            await self._app(scope, _replay(body, receive), add_headers)
        except asyncio.CancelledError:  # Ctrl+C, and what was asked took longer than the server waits
            if not begun:
                stopped = RefusalError(503, None, "The server was stopped before this was answered.", "server")
                await stopped.response()(scope, receive, add_headers)

    def _check(self, scope: Scope, headers: Headers) -> None:
        """Raise a `RefusalError` for a request that must not be answered."""
        if not self._is_own(headers.getlist("host")):
            raise RefusalError(421, "host", "This server does not answer to that name. Open it as http://localhost.")
        if self._is_foreign(scope, headers):
            raise RefusalError(403, "origin", "Pages of other sites may not use this server.")
        if not scope["path"].startswith(("/api/", "/openapi.json")):
            return
        if self._token is not None and not self._knows_token(headers.getlist("authorization")):
            raise RefusalError(401, "token", "This server requires its token, as Authorization: Bearer ...")
        wanted = self._takes.get(scope["path"]) if scope["method"] == "POST" else None
        if wanted is not None and headers.get("content-type", "").partition(";")[0].strip().lower() != wanted:
            raise RefusalError(415, "content_type", f"This path takes {wanted} only.")

    def _is_own(self, hosts: list[str]) -> bool:
        if len(hosts) != 1:
            return False
        try:
            name = urlsplit(f"//{hosts[0]}").hostname or ""
        except ValueError:
            return False
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return address.is_loopback or not self._loopback_only

    def _is_foreign(self, scope: Scope, headers: Headers) -> bool:
        """Whether a page of another site has sent this; to follow a link that leads here is no such thing."""
        site = headers.get("sec-fetch-site")
        followed = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate" and scope["path"] == "/"
        if site is not None and site not in ("same-origin", "none") and not followed:
            return True
        origins = headers.getlist("origin")
        return bool(origins) and any(urlsplit(origin).netloc != headers["host"] for origin in map(_plain, origins))

    def _knows_token(self, given: Iterable[str]) -> bool:
        assert self._token is not None
        return any(
            hmac.compare_digest(value.removeprefix("Bearer ").strip().encode("utf-8", "replace"), self._token)
            for value in given
        )


def _plain(origin: str) -> str:
    """An origin that can be taken apart; whatever cannot is nobody's."""
    try:
        urlsplit(origin)
    except ValueError:
        return "null"
    return origin


async def _whole_body(headers: Headers, receive: Receive) -> bytes:
    """The body, refused as soon as it is known to be too large, or when it does not arrive."""
    too_large = RefusalError(413, None, f"A request may have at most {MOST_BYTES:,} bytes. Send fewer rows.")
    declared = headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared[:20]) > MOST_BYTES:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(_SECONDS_TO_SEND):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RefusalError(400, None, "The request was cut off.")
                body += message.get("body", b"")
                if len(body) > MOST_BYTES:
                    raise too_large
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise RefusalError(408, None, "The request did not arrive in time.") from None


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give the body that has been read already, then whatever else the connection says."""
    waiting: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
