"""Connections that do not keep to the rules, servers that end, browsers that are told a secret."""

import asyncio
import json
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from conftest import require
from serving import TABLE, send, serving

require("fastapi")
uvicorn = require("uvicorn")

from apexgp.surfaces.web import connection, server  # noqa: E402
from apexgp.surfaces.web.connection import Connection  # noqa: E402

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "


async def exchanges(*said):
    """What a server with this protocol answers to each of these, each on a connection of its own."""

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    config = uvicorn.Config(app, log_config=None, lifespan="off", ws="none")
    config.load()
    state = uvicorn.server.ServerState()
    listening = await asyncio.get_running_loop().create_server(
        lambda: Connection(config=config, server_state=state, app_state={}), "127.0.0.1", 0
    )

    async def one(raw):
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        writer.write(raw)
        answer = await reader.read()
        writer.close()
        return answer

    async with listening:
        return await asyncio.gather(*map(one, said))


def body_of(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/json" in head
    assert b"nosniff" in head
    return head.split(b" ")[1], json.loads(body)["error"]


def test_half_a_header_and_silence_have_a_deadline_also_behind_a_whole_request(monkeypatch):
    monkeypatch.setattr(connection, "SECONDS_TO_ASK", 0.2)
    whole = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    half, silent, after = asyncio.run(exchanges(HALF, b"", whole + HALF))
    assert body_of(half)[0] == b"408"
    assert silent == b""
    assert after.startswith(b"HTTP/1.1 200")
    assert b"408" in after


def test_what_is_no_request_is_refused_in_the_one_shape():
    (answer,) = asyncio.run(exchanges(b"\x16\x03\x01 no HTTP at all\r\n\r\n"))
    status, error = body_of(answer)
    assert status == b"400"
    assert sorted(error) == ["argument", "kind", "message", "rows"]


def test_those_that_have_waited_longest_make_room(monkeypatch):
    monkeypatch.setattr(connection, "count_allowed_connections", lambda: 3)
    monkeypatch.setattr(connection, "SECONDS_TO_ASK", 1.0)
    answers = asyncio.run(exchanges(*[HALF] * 6))
    assert answers.count(b"") == 3  # closed without a word
    assert sum(b"408" in answer for answer in answers) == 3


def test_a_connection_leaves_descriptors_to_others():
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert 8 <= connection.count_allowed_connections() < files


@pytest.mark.slow
def test_hundreds_of_half_requests_do_not_shut_others_out_nor_fill_the_log():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))  # which the server inherits
    try:
        started = serving()
        process, _, address = started.__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    where = urlsplit(address)
    try:
        with ExitStack() as stack:
            for _ in range(400):
                held = stack.enter_context(socket.create_connection((where.hostname, where.port), timeout=30))
                held.sendall(HALF)
            assert send(address, "/")[0] == 200
            assert send(address, "/api/forecast", {"table": TABLE, "at": ["720"]})[0] == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        assert process.stdout.read() == ""
    finally:
        started.__exit__(None, None, None)


@pytest.mark.slow
def test_a_server_that_is_killed_takes_its_workers_along():
    with serving() as (process, _, address):
        assert send(address, "/api/forecast", {"table": TABLE, "at": ["720"]})[0] == 200
        workers = children(process.pid)
        assert workers
        process.kill()
        process.wait()
        for _ in range(600):
            if not any(is_running(worker) for worker in workers):
                break
            time.sleep(0.1)
        else:
            pytest.fail(f"{workers} compute on")


def children(process):
    return [
        int(one) for task in Path(f"/proc/{process}/task").iterdir() for one in (task / "children").read_text().split()
    ]


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("token", ["a-token-of-some-length", None])
def test_a_token_is_in_no_command_line(token, monkeypatch):
    opened = []
    monkeypatch.setattr(server.webbrowser, "open", opened.append)
    monkeypatch.setattr(server.threading, "Thread", lambda target, args, daemon: Now(target, args))

    def run(self, sockets):
        self._begun()
        seen.append(looked_at(opened[0]))
        sockets[0].close()

    monkeypatch.setattr(server._Server, "run", run)
    if token:
        monkeypatch.setenv("APEXGP_TOKEN", token)
    said, seen = [], []
    server.run("127.0.0.1", 0, browser=True, with_token=token is not None, say=said.append)
    assert len(opened) == 1
    if token is None:
        assert opened[0].startswith("http://127.0.0.1:")
        return
    assert token not in opened[0]
    assert opened[0].startswith("file://")
    content, rights = seen[0]
    assert f"#token={token}" in content
    assert rights == [0o600, 0o700]
    assert not Path(urlsplit(opened[0]).path).exists()


class Now:
    """A thread that is done as soon as it starts."""

    def __init__(self, target, args):
        self.start = lambda: target(*args)


def looked_at(address):
    if not address.startswith("file:"):
        return None
    page = Path(urlsplit(address).path)
    return page.read_text(), [stat.S_IMODE(os.stat(path).st_mode) for path in (page, page.parent)]


@pytest.mark.slow
def test_ctrl_c_in_the_middle_of_a_request_is_an_error_of_the_one_shape(tmp_path):
    table = "size,score,split\n" + "".join(
        f"{n},0.{70 + i},{s}\n" for i, n in enumerate(range(60, 960, 30)) for s in "abc"
    )
    with serving() as (process, _, address):
        assert send(address, "/")[0] == 200
        body = {"table": table, "budget": 200, "confirm": 60}
        asking = subprocess.Popen(
            [sys.executable, "-c", ASK, address, json.dumps(body)], stdout=subprocess.PIPE, text=True
        )
        assert asking.stdout.readline() == "sent\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        answer = json.loads(asking.communicate()[0])
        assert process.wait(timeout=60) == 0
        said = process.stdout.read()
    assert "Traceback" not in said
    assert "error" in answer or "designs" in answer  # it may have been in time


ASK = """
import http.client, sys, urllib.parse
where = urllib.parse.urlsplit(sys.argv[1])
c = http.client.HTTPConnection(where.hostname, where.port, timeout=120)
c.request("POST", "/api/design", sys.argv[2], {"Content-Type": "application/json"})
print("sent", flush=True)
print(c.getresponse().read().decode())
"""
