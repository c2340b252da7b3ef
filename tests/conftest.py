"""Fixtures for all tests."""

import os

# Before NumPy: on matrices as small as here a second thread only waits for the first, and takes a core to do it.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import base64
import importlib
import json
import math
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

import apexgp
from documents import faults
from small_pilots import THREE_SPLITS

pytest_plugins = ["serving"]  # a server and a browser

# No test asserts a wall-clock time, which is what a deadline does.
settings.register_profile("apexgp", deadline=None)
settings.load_profile("apexgp")

# A run in the background of a shell ignores Ctrl+C, and so would the programs that are interrupted here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture
def rng():
    return np.random.default_rng(20231109)


@pytest.fixture(scope="session")
def model():
    """The default model, fitted to `small_pilots.THREE_SPLITS`. All tests share it: read it, do not fit it again."""
    return apexgp.APExGP().fit(THREE_SPLITS)


def request_fields(kind, **fields):
    """The fields of a request as the server hands them on, once it has checked their types."""
    from apexgp.surfaces.web.answers import list_requests

    return list_requests()[kind](**fields).model_dump()


def missing(reason):
    """Skip what cannot be tested here; where everything must be there, fail."""
    if os.environ.get("APEXGP_REQUIRE_ALL"):
        pytest.fail(reason)
    pytest.skip(reason, allow_module_level=True)  # also where a module begins with what it cannot do without


def require(module):
    """Import what an extra brings, or skip; where everything must be installed, fail."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        missing(f"{module} is not installed")


def interrupted(command, begun, **how):
    """Start a program, press Ctrl+C once it has begun, and give its exit code and what it said to standard error."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **how)
    try:
        while process.poll() is None and not begun():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, err


@pytest.fixture
def run(capfd, monkeypatch):
    """Call the command as the shell does: exit code, standard output, standard error."""
    from apexgp.surfaces import cli

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["apexgp", *map(str, arguments)])
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capfd.readouterr()
        return code, out, err

    return run


# A pilot as commands are given it, and its mean scores.
MEANS = [(60, 0.66), (94, 0.705), (147, 0.722), (230, 0.755), (360, 0.768), (564, 0.781)]


def pilot_table(lift=0.0, means=MEANS):
    return "size,score,split\n" + "".join(
        f"{size},{score + shift + lift:.3f},{split}\n"
        for size, score in means
        for split, shift in [("a", -0.01), ("b", 0.01)]
    )


def document_in(html):
    """The numbers that a report of one task carries along."""
    (content,) = re.findall(r'download="report.json" href="data:application/json;charset=utf-8;base64,(.*?)"', html)
    document = json.loads(base64.b64decode(content))
    assert faults(document, "report") == []
    (found,) = document["tasks"].values()
    return found


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(pilot_table())
    return path


@pytest.fixture
def better(tmp_path):
    path = tmp_path / "better.csv"
    path.write_text(pilot_table(0.02))
    return path


@pytest.fixture
def tasks(tmp_path):
    rows = pilot_table().splitlines()[1:]
    path = tmp_path / "tasks.csv"
    path.write_text("size,score,split,task\n" + "".join(f"{row},{t}\n" for t in ("liver", "lung") for row in rows))
    return path


@pytest.fixture
def facts_of(run):
    """Run a command with --json: strict JSON, in which neither NaN nor infinity is a number."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    def facts_of(*arguments):
        code, out, err = run(*arguments, "--json")
        assert (code, err) == (0, "")
        facts = json.loads(out, parse_constant=refuse)
        assert facts["apexgp"] == apexgp.__version__
        assert faults(facts) == []
        return facts

    return facts_of


@pytest.fixture
def shown(run):
    """Run a command: the table's lines, the sentence and the paragraph, which must be those that the JSON holds."""

    def shown(*arguments):
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        facts = json.loads(run(*arguments, "--json")[1])
        lines = out.splitlines()
        assert facts["sentence"] in lines
        assert facts["sentence"].endswith(".")
        for caution in facts["cautions"]:
            assert f"Caution: {caution}" in lines
        code, out, err = run(*arguments, "--methods-text")
        assert (code, err) == (0, "")
        assert out == facts["methods_text"] + "\n"
        assert "\n" not in facts["methods_text"]
        assert f"apexgp {apexgp.__version__}" in out
        return lines[: lines.index(facts["sentence"])], facts["sentence"], out

    return shown


def has_row(lines, *cells):
    return any(all(cell in line for cell in cells) for line in lines)


def number(size):
    return None if math.isinf(size) else size


@pytest.fixture(scope="session")
def shared_data():
    """The folder of third-party measurements; never part of the repository."""
    folder = Path(os.environ.get("APEXGP_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        missing(f"no third-party data at {folder} (set APEXGP_DATA to the folder that holds tufts/ and lcdb/)")
    return folder


@pytest.fixture
def calls_of(monkeypatch):
    """Give the positional arguments of each call of a function or method, which does what it did."""

    def watch(owner, name):
        calls, function = [], getattr(owner, name)

        def watched(*arguments, **settings):
            calls.append(arguments)
            return function(*arguments, **settings)

        monkeypatch.setattr(owner, name, watched)
        return calls

    return watch
