"""Load on the page's server: so many clients on loopback, errors and how long answers take.

    python benchmarks/web_load.py [--clients 50] [--seconds 30] [--pause 1] [--path /api/page]

Each client sends a request with a table of its own, waits for the answer, pauses as somebody who types does, and goes
on. With --pause 0 there is always a request of each on its way: then the time of an answer is the number of clients
over the rate at which the cores compute.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from urllib.parse import urlsplit

import numpy as np


def request(client: int, count: int, where: str, path: str) -> bytes:
    """A request as the page sends it, with scores that no other has."""
    shift = random.Random(1000 * client + count).uniform(0, 0.02)
    rows = "".join(
        f"{size}\t{score + shift + jitter:.4f}\t{split}\n"
        for size, score in ((60, 0.66), (94, 0.705), (147, 0.722), (230, 0.755), (360, 0.768))
        for split, jitter in enumerate((-0.01, 0.0, 0.01))
    )
    fields = {"table": f"size\tscore\tsplit\n{rows}", "target": 0.8, "at": ["2x", "10x"]}
    body = json.dumps(fields).encode()
    head = (
        f"POST {path} HTTP/1.1",
        f"Host: {where}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "\r\n",
    )
    return "\r\n".join(head).encode() + body


async def answered(reader: asyncio.StreamReader) -> int:
    """Read one answer to its end: its status."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line.split(b":")[1] for line in head.lower().splitlines() if line.startswith(b"content-length"))
    await reader.readexactly(int(length))
    return int(head.split()[1])


async def client(number: int, where: str, path: str, until: float, pause: float) -> tuple[list[float], list[str]]:
    """One client: seconds of its answers, and its errors."""
    times: list[float] = []
    errors: list[str] = []
    host, port = where.split(":")
    rng = random.Random(number)
    await asyncio.sleep(rng.uniform(0, max(pause, 0.5)))
    reader, writer = await asyncio.open_connection(host, int(port), limit=2**22)
    count = 0
    while time.monotonic() < until:
        begun = time.monotonic()
        try:
            writer.write(request(number, count, where, path))
            status = await answered(reader)
            if status != 200:
                errors.append(str(status))
        except (OSError, asyncio.IncompleteReadError) as problem:
            errors.append(type(problem).__name__)
            reader, writer = await asyncio.open_connection(host, int(port), limit=2**22)
        times.append(time.monotonic() - begun)
        count += 1
        await asyncio.sleep(rng.uniform(0.5, 1.5) * pause)
    writer.close()
    return times, errors


async def load(where: str, path: str, clients: int, seconds: float, pause: float) -> None:
    until = time.monotonic() + seconds
    found = await asyncio.gather(*(client(i, where, path, until, pause) for i in range(clients)))
    times = np.array([t for times, _ in found for t in times])
    errors = [error for _, errors in found for error in errors]
    median, high = np.quantile(times, [0.5, 0.99])
    print(
        f"{path}: {clients} clients, {seconds:g} s, pause {pause:g} s: {len(times)} answers, "
        f"{len(times) / seconds:.0f} a second, {len(errors)} errors "
        f"{sorted(set(errors))}, median {median:.3f} s, 99 % within {high:.3f} s"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--clients", type=int, default=50)
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--pause", type=float, nargs="+", default=[1.0, 0.0])
    options.add_argument("--path", nargs="+", default=["/api/forecast", "/api/page"])
    asked = options.parse_args()
    command = [sys.executable, "-m", "apexgp", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            where = urlsplit(server.stderr.readline().split()[4]).netloc
            print(f"{os.cpu_count()} cores, load average before: {os.getloadavg()[0]:.1f}")
            asyncio.run(load(where, "/api/forecast", 4, 5, 0))  # every worker has begun
            for path in asked.path:
                for pause in asked.pause:
                    asyncio.run(load(where, path, asked.clients, asked.seconds, pause))
        finally:
            server.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
