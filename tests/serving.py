"""A server as people start it, and requests to it."""

import http.client
import io
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from conftest import missing, require

CHROMIUM = "/usr/bin/chromium"
BROWSER = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
TABLE = "size,score\n60,0.66\n94,0.70\n147,0.72\n230,0.75\n360,0.76\n"


@contextmanager
def serving(*options, **environment):
    """Start `apexgp serve` on a free port: the process, the lines it begins with, and its address."""
    require("fastapi")
    require("uvicorn")
    command = [sys.executable, "-m", "apexgp", "serve", "--port", "0", "--no-browser", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | environment
    )
    said = []
    for line in process.stdout:
        said.append(line)
        if "Ctrl+C" in line:
            break
    else:
        pytest.fail(f"The server did not start: {''.join(said)}")
    try:
        yield process, said, said[-1].split()[4]
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
        process.stdout.close()


@pytest.fixture(scope="session")
def server():
    """The address of a server that all tests share."""
    with serving() as (process, _, address):
        yield address
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        # Whatever was asked, by whatever test: nothing of it was written down.
        assert process.stdout.read() == ""


@pytest.fixture(scope="session")
def guarded():
    """A server that the network reaches: the lines it begins with, its address on this machine, its token."""
    with serving("--host", "0.0.0.0") as (_, said, address):
        where = urlsplit(address)
        yield said, f"http://127.0.0.1:{where.port}/", where.fragment.removeprefix("token=")


def send(address, path, body=None, method=None, headers=None):
    """Send one request: status, headers and body, as JSON where it is that."""
    where = urlsplit(address)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    given = {} if body is None else {"Content-Type": "application/json"}
    raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    try:
        connection.request(method or ("GET" if body is None else "POST"), path, raw, given | (headers or {}))
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    is_json = answer.headers.get_content_type() == "application/json"
    return answer.status, answer.headers, json.loads(content) if is_json else content


@pytest.fixture
def ask(server):
    return lambda path, *given, **more: send(server, path, *given, **more)


def refused(answer, status, argument=None):
    """Whether an answer is an error of the one shape; its message."""
    code, headers, body = answer
    assert code == status, body
    assert headers.get_content_type() == "application/json"
    assert list(body) == ["error"]
    error = body["error"]
    assert sorted(error) == ["argument", "kind", "message", "rows"]
    assert error["argument"] == argument
    assert error["message"].endswith(".")
    assert "\n" not in error["message"]
    assert "Traceback" not in error["message"]
    return error


def described(address, *options):
    """Let schemathesis send what /openapi.json describes, and what it does not; its exit code and what it says.

    A table is any text as far as the description goes: that one which holds no numbers is refused is no finding.
    """
    command = [
        sys.executable,
        "-m",
        "schemathesis.cli",
        "run",
        f"{address}openapi.json",
        "--no-color",
        "--checks",
        "all",
    ]
    command += ["--exclude-checks", "positive_data_acceptance", "--suppress-health-check", "all"]
    command += ["--request-timeout", "60", "--max-response-time", "60", *options]
    with tempfile.TemporaryDirectory() as folder:  # it leaves notes to itself where it runs
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, cwd=folder
        )
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def chromium():
    """Debian's browser, driven by Playwright; its event loop runs as long, and lets no other run."""
    playwright = require("playwright.sync_api")
    if shutil.which(CHROMIUM) is None:
        missing(f"there is no {CHROMIUM}")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=BROWSER)
        yield browser
        browser.close()


def shaded_edges(frame):
    """Whether the left and the right edge of an element are in shadow: darker, mostly, than its middle."""
    picture = require("PIL.Image").open(io.BytesIO(frame.screenshot())).convert("L")
    width, height = picture.size
    left, right, middle = (
        statistics.median(picture.getpixel((x, y)) for y in range(height)) for x in (3, width - 4, width // 2)
    )
    return left < middle - 20, right < middle - 20


def lines_through_words(page):
    """The words of a drawing of bars that the line of the answer runs through."""
    return page.evaluate(
        """() => {
            const found = (selector) => [...document.querySelectorAll(selector)];
            const lines = found('.drawing .answer-line').map((one) => one.getBoundingClientRect());
            if (!lines.length) return ['there is no line'];
            return found('.drawing text').filter((text) => {
                const box = text.getBoundingClientRect();
                return lines.some((line) => line.left > box.left && line.right < box.right
                    && line.top < box.bottom - 0.3 * box.height && line.bottom > box.top + 0.2 * box.height);
            }).map((text) => text.textContent);
        }"""
    )


if __name__ == "__main__":
    with serving() as (_, _, address):
        code, said = described(address)
    sys.stdout.write(said)
    sys.exit(code)
